package handlers

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/decide"
)

func TestDecide(t *testing.T) {
	s := trustingService(t, nil)
	a := ask(t, s, "POST", "/v1/decisions", gitStatus)
	want(t, a, http.StatusOK, "command_allowlisted")
	for name, value := range map[string]any{
		"outcome": "allow", "allowed": true, "needs_user": false, "human_only": false, "rule": "",
		"risk": "exec", "mode": "interactive", "policy_revision": "sha256:test", "paths_mode": "local",
		"standing_target": nil, "approval": nil, "trace": nil,
	} {
		if got, ok := a.fields[name]; !ok || got != value {
			t.Errorf("%s is %v (present: %v), want %v", name, got, ok, value)
		}
	}
	for _, name := range []string{"suggestions", "obligations", "warnings"} {
		if list, ok := a.fields[name].([]any); !ok || len(list) != 0 {
			t.Errorf("%s is %v, want an empty list", name, a.fields[name])
		}
	}
	for _, name := range []string{"paths", "url", "analysis"} {
		if _, ok := a.fields[name]; ok {
			t.Errorf("%s is there though it says nothing", name)
		}
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "no-store",
		"X-Content-Type-Options": "nosniff", "Content-Length": fmt.Sprint(len(a.text) + len("\n")),
	} {
		if got := a.header.Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
}

// The three booleans follow from the outcome.
func TestDecideOutcomes(t *testing.T) {
	s := trustingService(t, nil)
	for _, row := range []struct {
		mode, call                string
		outcome, code             string
		allowed, needsUser, human bool
	}{
		{"interactive", `{"tool_name":"run_shell","arguments":{"command":"make"}}`, "ask", "approval_required", false, true, false},
		{"plan", `{"tool_name":"run_shell","arguments":{"command":"make"}}`, "deny", "read_only_mode", false, false, false},
		{"auto", `{"tool_name":"run_shell","arguments":{"command":"make"}}`, "allow", "full_access", true, false, false},
		{"auto", `{"tool_name":"write_file","arguments":{}}`, "ask", "write_unlocated", false, true, true},
	} {
		a := ask(t, s, "POST", "/v1/decisions", `{"context":{"workspace_root":"/proj/app","mode":"`+row.mode+`"},"call":`+row.call+`}`)
		want(t, a, http.StatusOK, row.code)
		if a.fields["outcome"] != row.outcome || a.fields["allowed"] != row.allowed ||
			a.fields["needs_user"] != row.needsUser || a.fields["human_only"] != row.human {
			t.Errorf("%s %s: got %s", row.mode, row.call, a.text)
		}
		if row.mode == "auto" && a.fields["mode"] != "bypass-approvals" {
			t.Errorf("the alias came back as %v", a.fields["mode"])
		}
	}
}

func TestDecideExplains(t *testing.T) {
	s := trustingService(t, nil)
	a := ask(t, s, "POST", "/v1/decisions", strings.Replace(gitStatus, `"call"`, `"explain":true,"call"`, 1))
	want(t, a, http.StatusOK, "command_allowlisted")
	if steps, ok := a.fields["trace"].([]any); !ok || len(steps) == 0 {
		t.Errorf("the trace is %v", a.fields["trace"])
	}
	if a.field("analysis.commands.0.words.1") != "status" {
		t.Errorf("the analysis is %v", a.fields["analysis"])
	}
}

func TestDecideInspectsExplainedPaths(t *testing.T) {
	body := func(root, path string) string {
		return fmt.Sprintf(`{"explain":true,"context":{"workspace_root":%q},"call":{"tool_name":"write_file","arguments":{"path":%q,"content":"x"}}}`, root, path)
	}
	dir := t.TempDir()
	for _, row := range []struct {
		name     string
		shown    []string
		paths    string
		path     string
		reported bool
	}{
		{"in a root of the context", nil, "local", dir + "/new.txt", true},
		{"outside, where everybody may look", []string{"/"}, "local", "/etc/passwd", true},
		{"outside, where nobody may look", nil, "local", "/etc/passwd", false},
		{"by a service that does not see the files", []string{"/"}, "lexical", dir + "/new.txt", false},
	} {
		s := trustingService(t, func(d *Deps) {
			d.InspectRoots = func() []string { return row.shown }
			d.Policy = fixed(compiled(t, decide.PolicySpec{InlineContext: "trust", MaxMode: "auto", Paths: row.paths}))
		})
		a := ask(t, s, "POST", "/v1/decisions", body(dir, row.path))
		if a.status != http.StatusOK || a.field("analysis.paths.0.given") != row.path {
			t.Fatalf("%s: got %d %s", row.name, a.status, a.text)
		}
		if reported := a.field("analysis.paths.0.inspection") != nil; reported != row.reported {
			t.Errorf("%s: reported is %v", row.name, reported)
		}
	}
}

func TestDecideRefusesRequests(t *testing.T) {
	const root = `"context":{"workspace_root":"/proj/app"}`
	s := trustingService(t, nil)
	for _, row := range []struct {
		body    string
		status  int
		code    string
		pointer string
	}{
		{`{"call":{"tool_name":"x"}}`, 400, "validation_failed", "/context"},
		{`{"session_id":"s",` + root + `,"call":{"tool_name":"x"}}`, 400, "validation_failed", "/context"},
		{`{"session_id":"s","call":{"tool_name":"x"}}`, 404, "not_found", ""},
		{`{` + root + `}`, 400, "validation_failed", "/call/tool_name"},
		{`{` + root + `,"call":null}`, 400, "validation_failed", "/call/tool_name"},
		{`{` + root + `,"call":{"tool_name":""}}`, 400, "validation_failed", "/call/tool_name"},
		{`{` + root + `,"call":{"tool_name":"` + strings.Repeat("ä", 129) + `"}}`, 400, "validation_failed", "/call/tool_name"},
		{`{` + root + `,"call":{"tool_name":"x","arguments":[]}}`, 400, "validation_failed", "/call/arguments"},
		{`{` + root + `,"call":{"tool_name":"x","arguments":"{}"}}`, 400, "validation_failed", "/call/arguments"},
		{`{` + root + `,"call":{"tool_name":"x","metadata":1}}`, 400, "validation_failed", "/call/metadata"},
		{`{` + root + `,"call":{"tool_name":"x","metadata":{"risk":"none"}}}`, 400, "validation_failed", "/call/metadata/risk"},
		{`{"context":{},"call":{"tool_name":"x"}}`, 400, "validation_failed", "/context/workspace_root"},
		{`{"context":{"workspace_root":"app"},"call":{"tool_name":"x"}}`, 400, "validation_failed", "/context/workspace_root"},
		{`{"context":{"workspace_root":"/a","mode":"Plan"},"call":{"tool_name":"x"}}`, 400, "validation_failed", "/context/mode"},
		{`{"context":{"workspace_root":"/a","roots":[{"path":"/a"},{}]},"call":{"tool_name":"x"}}`, 400, "validation_failed", "/context/roots/1/path"},
		{`{"context":{"workspace_root":"/a","roots":["/a"]},"call":{"tool_name":"x"}}`, 400, "validation_failed", "/context/roots/0"},
		{`{"context":{"workspace_root":"/a","deny":{"tool":["x"]}},"call":{"tool_name":"x"}}`, 400, "unknown_field", "/context/deny/tool"},
		{`{` + root + `,"call":{"tool_name":"x"},"explain":"yes"}`, 400, "validation_failed", "/explain"},
	} {
		a := ask(t, s, "POST", "/v1/decisions", row.body)
		want(t, a, row.status, row.code)
		if got, _ := a.field("errors.0.pointer").(string); got != row.pointer {
			t.Errorf("%s: the pointer is %q, want %q", row.body, got, row.pointer)
		}
		if a.header.Get("Content-Type") != "application/problem+json" || a.field("request_id") != a.header.Get("X-Request-Id") {
			t.Errorf("%s: no proper problem: %v %s", row.body, a.header, a.text)
		}
	}
}

func TestDecideAcceptsAbsentAndNull(t *testing.T) {
	s := trustingService(t, nil)
	for _, body := range []string{
		`{"context":{"workspace_root":"/a"},"call":{"tool_name":"read_file"}}`,
		`{"context":{"workspace_root":"/a"},"call":{"tool_name":"read_file","arguments":null,"metadata":null},"explain":null,"session_id":null}`,
		`{"context":{"workspace_root":"/a","roots":null,"mode":null,"deny":null,"grants":null,"standing_rules":null},"call":{"tool_name":"read_file","arguments":{}}}`,
	} {
		want(t, ask(t, s, "POST", "/v1/decisions", body), http.StatusOK, "low_risk")
	}
}

func TestDecideWithoutPolicy(t *testing.T) {
	s := trustingService(t, func(d *Deps) { d.Policy = nil })
	for _, path := range []string{"/v1/decisions", "/v1/decisions/batch", "/v1/paths/check", "/v1/paths/inspect"} {
		want(t, ask(t, s, "POST", path, gitStatus), http.StatusServiceUnavailable, "policy_unavailable")
	}
}

func TestDecideInlineContextRefused(t *testing.T) {
	s := trustingService(t, func(d *Deps) {
		d.Policy = fixed(compiled(t, decide.PolicySpec{InlineContext: "deny"}))
	})
	want(t, ask(t, s, "POST", "/v1/decisions", gitStatus), http.StatusForbidden, "forbidden")
}

func TestBatch(t *testing.T) {
	s := trustingService(t, nil)
	a := ask(t, s, "POST", "/v1/decisions/batch", `{"requests":[`+gitStatus+`,5,null,{"call":{"tool_name":"x"},"context":{"workspace_root":"/a"},"extra":1},`+
		`{"session_id":"s","call":{"tool_name":"x"}},`+gitStatus+`]}`)
	if a.status != http.StatusOK {
		t.Fatalf("got %d %s", a.status, a.text)
	}
	for name, value := range map[string]any{
		"results.0.decision.code":          "command_allowlisted",
		"results.1.error.code":             "validation_failed",
		"results.1.error.errors.0.pointer": "/requests/1",
		"results.2.error.code":             "validation_failed",
		"results.3.error.code":             "unknown_field",
		"results.3.error.errors.0.pointer": "/requests/3/extra",
		"results.4.error.code":             "not_found",
		"results.5.decision.outcome":       "allow",
		"results.5.error":                  nil,
		"results.1.decision":               nil,
	} {
		if got := a.field(name); got != value {
			t.Errorf("%s is %v, want %v", name, got, value)
		}
	}
}

func TestBatchBounds(t *testing.T) {
	s := trustingService(t, nil)
	items := func(n int) string { return strings.TrimSuffix(strings.Repeat("5,", n), ",") }
	for _, row := range []struct {
		body, code, pointer string
		status              int
	}{
		{`{"requests":[` + items(256) + `]}`, "", "", 200},
		{`{"requests":[]}`, "", "", 200},
		{`{"requests":[` + items(257) + `]}`, "validation_failed", "/requests", 400},
		{`{"requests":{}}`, "validation_failed", "/requests", 400},
		{`{"requests":null}`, "validation_failed", "/requests", 400},
		{`{}`, "validation_failed", "/requests", 400},
		{`{"requests":[{"call":{"a":1,"a":2}}]}`, "duplicate_key", "/requests/0/call/a", 400},
		{`[]`, "invalid_json", "", 400},
	} {
		a := ask(t, s, "POST", "/v1/decisions/batch", row.body)
		code, _ := a.field("code").(string)
		pointer, _ := a.field("errors.0.pointer").(string)
		if a.status != row.status || code != row.code || pointer != row.pointer {
			t.Errorf("%s: got %d %s", clip(row.body, 60), a.status, clip(a.text, 200))
		}
	}
}

func TestOfflineAnswersAsTheServer(t *testing.T) {
	body, rec, p := Offline{Policy: trusting(t)}.Decide([]byte(gitStatus))
	if p != nil || rec.Outcome != decide.Allow || !strings.Contains(string(body), `"code":"command_allowlisted"`) {
		t.Errorf("got %s, %v", body, p)
	}
	_, _, p = Offline{Policy: trusting(t)}.Decide([]byte(`{"a":1,"a":1}`))
	if p == nil || p.Code != codeDuplicateKey {
		t.Errorf("got %v", p)
	}
	_, _, p = Offline{}.Decide([]byte(gitStatus))
	if p == nil || p.Code != codeNoPolicy {
		t.Errorf("got %v", p)
	}
}
