package handlers

import (
	"strings"
	"testing"
)

// A control character in what is stored and shown is a 400 that names the field,
// whatever the store could keep.
func TestControlCharactersNameTheirField(t *testing.T) {
	s := withStore(t)
	const asJSON = "Content-Type: application/json"
	want(t, ask(t, s, "PUT", "/v1/sessions/ok", `{"workspace_root":"/srv/app"}`, "Authorization: runtime", asJSON), 201, nil)
	a := ask(t, s, "POST", "/v1/decisions", `{"session_id":"ok","call":{"tool_name":"run_shell","arguments":{"command":"make test"}}}`, "Authorization: runtime")
	approval, _ := a.field("approval").(map[string]any)
	id, _ := approval["id"].(string)
	for _, char := range []string{`\u0000`, `\u0007`, `\u001b`, `\u007f`, `\u0085`, `\r\u0000`} {
		for _, row := range []struct{ method, path, body, pointer string }{
			{"PUT", "/v1/sessions/a", `{"workspace_root":"/srv/app","labels":{"a":"x§"}}`, "/labels"},
			{"PUT", "/v1/sessions/a", `{"workspace_root":"/srv/app","labels":{"a§":"x"}}`, "/labels"},
			{"PATCH", "/v1/sessions/ok", `{"labels":{"a":"§"}}`, "/labels"},
			{"PATCH", "/v1/sessions/ok", `{"labels":{"§":""}}`, "/labels"},
			{"PUT", "/v1/sessions/a", `{"workspace_root":"/srv/app§"}`, "/workspace_root"},
			{"PUT", "/v1/sessions/a", `{"workspace_root":"/srv/app","cwd":"/srv/§"}`, "/cwd"},
			{"PUT", "/v1/sessions/a", `{"workspace_root":"/srv/app","roots":[{"path":"/srv/§"}]}`, "/roots/0/path"},
			{"POST", "/v1/sessions/ok/grants", `{"kind":"command","value":"make §"}`, "/value"},
			{"POST", "/v1/sessions/ok/grants", `{"kind":"tool","value":"read§"}`, "/value"},
			{"POST", "/v1/sessions/ok/grants", `{"kind":"domain","value":"example§.com"}`, "/value"},
			{"POST", "/v1/sessions/ok/grants", `{"kind":"tool","value":"read_file","definition":"§"}`, "/definition"},
			{"POST", "/v1/approvals/" + id + "/resolve", `{"outcome":"once","note":"a§b"}`, "/note"},
			{"POST", "/v1/approvals/" + id + "/resolve", `{"outcome":"on§ce"}`, "/outcome"},
		} {
			if strings.HasPrefix(row.pointer, "/workspace") || row.pointer == "/cwd" || strings.HasPrefix(row.pointer, "/roots") {
				if char == `\u0085` {
					continue // a byte of a path like others
				}
			}
			a := ask(t, s, row.method, row.path, strings.ReplaceAll(row.body, "§", char), "Authorization: approver", asJSON)
			errors, _ := a.field("errors").([]any)
			if a.status != 400 || len(errors) != 1 || errors[0].(map[string]any)["pointer"] != row.pointer {
				t.Errorf("%s %s: %d %s", row.method, strings.ReplaceAll(row.body, "§", char), a.status, clip(a.text, 400))
			}
		}
	}
	a = ask(t, s, "POST", "/v1/approvals/"+id+"/resolve", `{"outcome":"deny","note":"two\n\tlines\r\nand é 👩‍💻"}`, "Authorization: approver")
	want(t, a, 200, nil)
	a = ask(t, s, "PATCH", "/v1/sessions/ok", `{"labels":{"größe":"ä 日本"}}`, "Authorization: runtime", asJSON)
	want(t, a, 200, nil)
	want(t, ask(t, s, "POST", "/v1/sessions/ok/grants", `{"kind":"command","value":"make a\nmake b"}`, "Authorization: approver"), 201, nil)
	// What is recorded of a call may hold any text.
	for _, body := range []string{
		`{"session_id":"ok","call":{"tool_name":"run\u0000x","arguments":{"command":"x\u0000"},"metadata":{"definition":"\u0000"}}}`,
		`{"session_id":"ok","call":{"tool_name":"run_shell","arguments":{"command":"make\u0000"}}}`,
	} {
		a := ask(t, s, "POST", "/v1/decisions", body, "Authorization: runtime")
		want(t, a, 200, "approval_required")
		got := ask(t, s, "GET", "/v1/decisions/"+a.field("decision_id").(string), "", "Authorization: admin")
		want(t, got, 200, "approval_required")
		// And whatever is offered for it can be taken; what could not be kept is not.
		approval := a.field("approval").(map[string]any)
		for _, option := range approval["options"].([]any) {
			if option != "deny" && option != "once" {
				t.Errorf("%s is offered for %s", option, body)
			}
		}
	}
}

// What holds for the rest of a session is what the person saw: a text with
// characters that are not seen, or that turn what is around them, is allowed once.
func TestWhatIsNotSeenIsNotGrantedForLong(t *testing.T) {
	s := withStore(t)
	const asJSON = "Content-Type: application/json"
	want(t, ask(t, s, "PUT", "/v1/sessions/ok", `{"workspace_root":"/srv/app"}`, "Authorization: runtime", asJSON), 201, nil)
	for _, char := range []string{`\u202e`, `\u2066`, `\u200b`, `\u200d`, `\u00ad`, `\u2028`, `\ufeff`, `\u3164`, `\udb40\udc41`} {
		for _, body := range []string{`{"kind":"command","value":"make §x"}`, `{"kind":"tool","value":"save§note"}`} {
			a := ask(t, s, "POST", "/v1/sessions/ok/grants", strings.ReplaceAll(body, "§", char), "Authorization: approver", asJSON)
			want(t, a, 400, codeValidation)
			if !strings.Contains(a.text, "/value") {
				t.Errorf("%s: %s", char, clip(a.text, 300))
			}
		}
		for _, body := range []string{
			`{"session_id":"ok","call":{"tool_name":"run_shell","arguments":{"command":"make §x"}}}`,
			`{"session_id":"ok","call":{"tool_name":"save§note","arguments":{}}}`,
		} {
			a := ask(t, s, "POST", "/v1/decisions", strings.ReplaceAll(body, "§", char), "Authorization: runtime")
			approval, _ := a.field("approval").(map[string]any)
			options, _ := approval["options"].([]any)
			if a.field("outcome") != "ask" || len(options) != 2 || options[0] != "once" || options[1] != "deny" {
				t.Errorf("%s in %s: %v is offered", char, body, options)
			}
		}
	}
	want(t, ask(t, s, "POST", "/v1/sessions/ok/grants", `{"kind":"command","value":"make größe 日本"}`, "Authorization: approver"), 201, nil)
}
