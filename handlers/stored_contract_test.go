package handlers

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/events"
	"github.com/agent-pdp/pdp/internal/sessions"
	"github.com/agent-pdp/pdp/internal/store/sqlite"
)

// withStore is a service with stored sessions, whose callers are named by their
// roles. Its keeper does not look at the store by itself.
func withStore(t testing.TB) *service {
	t.Helper()
	return withStoreAnd(t, func(*Deps) {})
}

// withStoreAnd changes the service before the store is opened.
func withStoreAnd(t testing.TB, change func(*Deps)) *service {
	t.Helper()
	return byHeader(t, func(d *Deps) {
		change(d)
		db, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "pdp.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		id, err := audit.NewIdentity()
		if err != nil {
			t.Fatal(err)
		}
		writer, err := audit.Open(context.Background(), audit.Options{Log: db, Identity: id, Settings: audit.Settings{Sync: true}})
		if err != nil {
			t.Fatal(err)
		}
		d.Audit, d.Records = writer, db
		d.Events = events.New(64, 64, 4)
		hub := d.Events
		d.Sessions, err = sessions.New(context.Background(), sessions.Options{
			Store: db, Policy: d.Policy, Log: zerolog.Nop(),
			OnApproval: func(a sessions.Approval) { hub.Publish(ApprovalEvent(a)) },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); d.Sessions.Run(ctx) }()
		t.Cleanup(func() { stop(); <-done; _ = writer.Close(ctx); _ = db.Close() })
	})
}

// stored reports whether a path of the contract is about what is stored.
func stored(path string) bool {
	return strings.HasPrefix(path, "/v1/sessions") || strings.HasPrefix(path, "/v1/approvals") || path == "/v1/decisions/{id}"
}

// step is one request of the scenario. In the target and the body, {approval}
// and {grant} stand for the ids that were answered last, and {decision} for one that a grant allowed.
type step struct {
	caller, method, path, target, body string
	status                             int
	code                               string // of a problem or a decision
}

// A session's whole life: every answer fits the contract, and is the one that
// its reader would expect.
func TestStoredContract(t *testing.T) {
	c := loadContract(t)
	s := withStore(t)
	const (
		session   = "/v1/sessions/{id}"
		grants    = "/v1/sessions/{id}/grants"
		approval  = "/v1/approvals/{id}"
		resolve   = "/v1/approvals/{id}/resolve"
		decisions = "/v1/decisions"
		decision  = "/v1/decisions/{id}"
		makeAll   = `{"session_id":"s-1","call":{"tool_name":"run_shell","arguments":{"command":"make all"}}}`
		makeOne   = `{"session_id":"s-1","call":{"tool_name":"run_shell","arguments":{"command":"make one"}}}`
	)
	decided := func(body, code string) step {
		return step{"runtime", "POST", "/v1/decisions", "/v1/decisions", body, 200, code}
	}
	answered := func(caller, outcome string, status int, code string) step {
		return step{caller, "POST", resolve, "/v1/approvals/{approval}/resolve", `{"outcome":"` + outcome + `","note":"looked at"}`, status, code}
	}
	ids := map[string]string{}
	met := map[string]bool{}
	for i, st := range []step{
		{"runtime", "PUT", session, "/v1/sessions/s-1", `{"workspace_root":"/proj/app","ttl_seconds":3600,"labels":{"team":"core"}}`, 201, ""},
		{"runtime", "PUT", session, "/v1/sessions/s-1", `{"workspace_root":"/proj/app","labels":{"team":"core"}}`, 200, ""},
		{"runtime", "PUT", session, "/v1/sessions/s-2", `{"workspace_root":"/proj/app","allowed_commands":["make"]}`, 403, codeForbidden},
		{"runtime", "PUT", session, "/v1/sessions/s-2", `{"workspace_root":"app"}`, 400, codeValidation},
		{"runtime", "PUT", session, "/v1/sessions/s-2", `{"workspace_root":"/proj/app","grants":{"tools":["x"]}}`, 400, codeValidation},
		{"runtime", "PUT", session, "/v1/sessions/.s", `{"workspace_root":"/proj/app"}`, 400, codeValidation},
		{"approver", "PUT", session, "/v1/sessions/a-1", `{"workspace_root":"/proj/app","roots":[],"allowed_commands":["make"],"standing_rules":{"send_message":["#ops"]}}`, 201, ""},
		{"viewer", "PUT", session, "/v1/sessions/v-1", `{"workspace_root":"/proj/app"}`, 403, codeForbidden},
		{"viewer", "GET", "/v1/sessions", "/v1/sessions?limit=1&label=team%3Dcore", "", 200, ""},
		{"viewer", "GET", "/v1/sessions", "/v1/sessions?limt=1", "", 400, codeValidation},
		{"runtime", "GET", session, "/v1/sessions/s-1", "", 200, ""},
		{"runtime", "GET", session, "/v1/sessions/none", "", 404, codeNotFound},

		decided(makeAll, "approval_required"),
		{"runtime", "GET", approval, "/v1/approvals/{approval}", "", 200, ""},
		{"approver", "GET", "/v1/approvals", "/v1/approvals?state=pending&session_id=s-1", "", 200, ""},
		{"approver", "GET", "/v1/approvals", "/v1/approvals?state=open", "", 400, codeValidation},
		{"approver", "GET", approval, "/v1/approvals/{approval}?wait=2h", "", 400, codeValidation},
		answered("runtime", "once", 403, codeForbidden),
		answered("approver", "forever", 400, codeValidation),
		answered("approver", "always_tool", 400, codeValidation),
		answered("approver", "once", 200, ""),
		answered("approver", "once", 409, codeConflict),
		decided(makeOne, "approval_required"),
		decided(makeAll, "approved_once"),
		decided(makeAll, "approval_required"),
		answered("approver", "always_command", 200, ""),
		decided(makeAll, "command_granted"),
		{"runtime", "GET", grants, "/v1/sessions/s-1/grants", "", 200, ""},
		{"runtime", "DELETE", "/v1/sessions/{id}/grants/{grant_id}", "/v1/sessions/s-1/grants/{grant}", "", 403, codeForbidden},
		{"approver", "DELETE", "/v1/sessions/{id}/grants/{grant_id}", "/v1/sessions/s-1/grants/{grant}", "", 204, ""},
		decided(makeAll, "approval_required"),
		answered("approver", "deny", 200, ""),
		{"approver", "POST", grants, "/v1/sessions/s-1/grants", `{"kind":"domain","value":"www.example.com"}`, 201, ""},
		{"approver", "POST", grants, "/v1/sessions/s-1/grants", `{"kind":"tool","value":"run_shell"}`, 400, codeValidation},
		{"runtime", "POST", grants, "/v1/sessions/s-1/grants", `{"kind":"tool","value":"web_search"}`, 403, codeForbidden},
		{"runtime", "PATCH", session, "/v1/sessions/s-1", `{"mode":"plan"}`, 200, ""},
		{"runtime", "PATCH", session, "/v1/sessions/s-1", `{"mode":"interactive"}`, 403, codeForbidden},
		decided(makeAll, "read_only_mode"),
		{"approver", "PATCH", session, "/v1/sessions/s-1", `{"mode":"interactive","standing_rules":{}}`, 200, ""},
		{"runtime", "DELETE", session, "/v1/sessions/s-1", "", 403, codeForbidden}, // an approver has widened it
		{"approver", "DELETE", session, "/v1/sessions/s-1", "", 204, ""},
		decided(makeAll, codeNotFound),

		{"viewer", "GET", decisions, "/v1/decisions?session_id=s-1&limit=3&tool=run_shell", "", 200, ""},
		{"viewer", "GET", decisions, "/v1/decisions?outcome=allow&code=command_granted&since=2020-01-01T00:00:00Z", "", 200, ""},
		{"viewer", "GET", decisions, "/v1/decisions?since=yesterday", "", 400, codeValidation},
		{"viewer", "GET", decisions, "/v1/decisions?outcome=maybe", "", 400, codeValidation},
		{"runtime", "GET", decisions, "/v1/decisions", "", 403, codeForbidden},
		{"viewer", "GET", decision, "/v1/decisions/{decision}", "", 200, "command_granted"},
		{"viewer", "GET", decision, "/v1/decisions/none", "", 404, codeNotFound},
	} {
		target := strings.NewReplacer("{approval}", ids["approval"], "{grant}", ids["grant"], "{decision}", ids["decision"]).Replace(st.target)
		a := ask(t, s, st.method, target, st.body, "Authorization: "+st.caller, "Content-Type: application/json")
		where := st.method + " " + target + " " + st.body
		if want := st.status; a.status != want && (st.code != codeNotFound || a.status != http.StatusNotFound) {
			t.Fatalf("step %d, %s: %d %s, want %d", i, where, a.status, clip(a.text, 400), want)
		}
		if st.code != "" && a.field("code") != st.code {
			t.Errorf("step %d, %s: %s, want %s", i, where, a.field("code"), st.code)
		}
		met[st.method+" "+st.path] = true
		remember(ids, a)
		if a.status == http.StatusNoContent {
			continue
		}
		op := c.at("paths", st.path, strings.ToLower(st.method)).(map[string]any)
		shown, ok := op["responses"].(map[string]any)[strconv.Itoa(a.status)]
		if !ok {
			t.Errorf("step %d, %s: the contract has no answer %d", i, where, a.status)
			continue
		}
		content, _ := c.resolve(shown)["content"].(map[string]any)
		got, err := jsonschema.UnmarshalJSON(strings.NewReader(a.text))
		if err != nil {
			t.Fatal(err)
		}
		for _, media := range content {
			c.validate(t, where, media.(map[string]any)["schema"], got)
		}
	}
	c.operations(func(method, path string, _ map[string]any) {
		if stored(path) && !met[method+" "+path] {
			t.Errorf("no step takes %s %s", method, path)
		}
	})
}

// remember keeps the ids of an approval that is pending, and of a grant.
func remember(ids map[string]string, a answer) {
	if approval, ok := a.fields["approval"].(map[string]any); ok && approval["state"] == "pending" {
		ids["approval"], _ = approval["id"].(string)
	}
	if a.field("code") == "command_granted" {
		ids["decision"], _ = a.fields["decision_id"].(string)
	}
	if grant, ok := a.fields["grant"].(map[string]any); ok {
		ids["grant"], _ = grant["id"].(string)
	}
}

// Every example of a request fits its schema, and is taken by the decoder.
func TestStoredRequestExamples(t *testing.T) {
	c := loadContract(t)
	decoders := map[string]func() any{
		"SessionRequest": func() any { return new(sessionRequest) },
		"SessionPatch":   func() any { return new(patchRequest) },
		"GrantRequest":   func() any { return new(grantRequest) },
		"ResolveRequest": func() any { return new(resolveRequest) },
	}
	c.operations(func(method, path string, op map[string]any) {
		body, ok := op["requestBody"].(map[string]any)
		if !ok || !stored(path) {
			return
		}
		media := body["content"].(map[string]any)["application/json"].(map[string]any)
		ref, _ := media["schema"].(map[string]any)["$ref"].(string)
		into := decoders[ref[strings.LastIndex(ref, "/")+1:]]
		examples, _ := media["examples"].(map[string]any)
		if into == nil || len(examples) == 0 {
			t.Errorf("%s %s: no decoder for %s, or no examples", method, path, ref)
			return
		}
		for name, example := range examples {
			value := example.(map[string]any)["value"]
			c.validate(t, path+" "+name, media["schema"], value)
			raw, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			if err := decodeStrict(raw, into()); err != nil {
				t.Errorf("%s %s: %v", path, name, err)
			}
		}
	})
}

// The contract's words for how an approval is resolved are the engine's.
func TestContractResolutions(t *testing.T) {
	c := loadContract(t)
	var words []string
	for _, r := range decide.Resolutions() {
		words = append(words, string(r))
	}
	if got := strings.Join(c.enum("ResolutionOutcome"), " "); got != strings.Join(words, " ") {
		t.Errorf("the contract has %s", got)
	}
	if got := strings.Join(c.enum("ApprovalState"), " "); got != strings.Join(approvalStates, " ") {
		t.Errorf("the contract has %s", got)
	}
}
