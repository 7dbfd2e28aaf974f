package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/audit"
)

// notes is an audit log in memory, which fails while it has an error.
type notes struct {
	mu     sync.Mutex
	list   []audit.Event
	err    error
	waited atomic.Int64 // how many records were waited for
}

func (n *notes) Write(_ context.Context, ev *audit.Event) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, *ev)
	return n.err
}

func (n *notes) Commit(ctx context.Context, ev *audit.Event) error {
	n.waited.Add(1)
	return n.Write(ctx, ev)
}

func (n *notes) Ready() error { n.mu.Lock(); defer n.mu.Unlock(); return n.err }

// take returns what was written since it was last asked, a line for each.
func (n *notes) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var lines []string
	for i := range n.list {
		ev := &n.list[i]
		outcome := ev.Outcome
		if ev.Decision != nil {
			outcome = ev.Decision.Outcome.String()
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprint(ev.Kind, " ", outcome, " ", ev.Caller.ID, " ", ev.Session, " ", ev.Tool)))
	}
	n.list = nil
	return lines
}

const (
	askOne = `{"session_id":"s-1","call":{"tool_name":"run_shell","arguments":{"command":"make"}}}`
	inline = `{"context":{"workspace_root":"/proj/app"},"call":{"tool_name":"read_file","arguments":{"path":"/proj/app/a"}}}`
)

// Everything that is decided, changed or refused leaves its records.
func TestWhatIsRecorded(t *testing.T) {
	log := &notes{}
	s := withStore(t)
	s.Audit = log
	ids := map[string]string{}
	for _, row := range []struct {
		caller, method, target, body string
		want                         []string
	}{
		{"runtime", "PUT", "/v1/sessions/s-1", `{"workspace_root":"/proj/app"}`, []string{"session created test:runtime s-1"}},
		{"runtime", "PATCH", "/v1/sessions/s-1", `{"labels":{"a":"b"}}`, []string{"session changed test:runtime s-1"}},
		{"runtime", "POST", "/v1/decisions", inline, []string{"decision allow test:runtime  read_file"}},
		{"runtime", "POST", "/v1/decisions", askOne, []string{
			"decision ask test:runtime s-1 run_shell", "approval_opened pending test:runtime s-1 run_shell",
		}},
		{"runtime", "POST", "/v1/decisions", askOne, []string{"decision ask test:runtime s-1 run_shell"}},
		{"runtime", "POST", "/v1/decisions/batch", `{"requests":[` + inline + `,{},` + inline + `]}`, []string{
			"decision allow test:runtime  read_file", "decision allow test:runtime  read_file",
		}},
		{"runtime", "POST", "/v1/decisions", `{"call":{}}`, nil},
		{"approver", "POST", "/v1/sessions/s-1/grants", `{"kind":"command","value":"make"}`, []string{"grant command test:approver s-1"}},
		{"runtime", "POST", "/v1/sessions/s-1/grants", `{"kind":"command","value":"make"}`, []string{"refused deny test:runtime s-1"}},
		{"runtime", "GET", "/v1/decisions", "", []string{"refused deny test:runtime"}},
		{"viewer", "POST", "/v1/approvals/none/resolve", `{"outcome":"once"}`, []string{"refused deny test:viewer"}},
		{"viewer", "GET", "/v1/decisions", "", nil},
		{"viewer", "POST", "/v1/decisions", askOne, []string{"refused deny test:viewer s-1"}},
		{"runtime two", "GET", "/v1/sessions/s-1", "", []string{"refused deny test:runtime two s-1"}},
		{"runtime two", "PATCH", "/v1/sessions/s-1", `{"mode":"plan"}`, []string{"refused deny test:runtime two s-1"}},
		{"runtime two", "DELETE", "/v1/sessions/s-1", "", []string{"refused deny test:runtime two s-1"}},
		{"runtime two", "GET", "/v1/sessions/s-1/grants", "", []string{"refused deny test:runtime two s-1"}},
		{"runtime two", "POST", "/v1/decisions", askOne, []string{"refused deny test:runtime two s-1"}},
		{"runtime two", "POST", "/v1/decisions/batch", `{"requests":[` + inline + `,` + askOne + `]}`, []string{
			"decision allow test:runtime two  read_file", "refused deny test:runtime two s-1",
		}},
		{"runtime two", "POST", "/v1/paths/check", `{"session_id":"s-1","path":"/proj/app/a","access":"read"}`, []string{"refused deny test:runtime two s-1"}},
		{"runtime two", "GET", "/v1/approvals/{approval}", "", []string{"refused deny test:runtime two s-1"}},
		{"runtime two", "GET", "/v1/sessions/none", "", nil},
		{"runtime two", "GET", "/v1/approvals/none", "", nil},
		{"approver", "DELETE", "/v1/sessions/s-1", "", []string{"session deleted test:approver s-1"}},
		{"", "GET", "/v1/sessions", "", nil},
	} {
		a := ask(t, s, row.method, strings.ReplaceAll(row.target, "{approval}", ids["approval"]), row.body, "Authorization: "+row.caller, "Content-Type: application/json")
		remember(ids, a)
		if got := log.take(); !slices.Equal(got, row.want) {
			t.Errorf("%s %s %s: %d, recorded %q, want %q", row.caller, row.method, row.target, a.status, got, row.want)
		}
	}
}

// Without roots a session has its workspace; with none of them it has nothing.
func TestRecordedRoots(t *testing.T) {
	for body, want := range map[string]decide.Kind{
		`{"workspace_root":"/proj/app"}`:                                decide.Null,
		`{"workspace_root":"/proj/app","roots":null}`:                   decide.Null,
		`{"workspace_root":"/proj/app","roots":[]}`:                     decide.List,
		`{"workspace_root":"/proj/app","roots":[{"path":"/proj/app"}]}`: decide.List,
	} {
		log := &notes{}
		s := withStore(t)
		s.Audit = log
		ask(t, s, "PUT", "/v1/sessions/s-1", body, "Authorization: runtime", "Content-Type: application/json")
		if len(log.list) != 1 {
			t.Fatalf("%s: %d records", body, len(log.list))
		}
		context := log.list[0].Details.Get("context")
		if got := context.Get("roots").Kind(); got != want || context.Get("workspace_root").Kind() != decide.String {
			t.Errorf("%s is recorded with roots of the kind %v, want %v", body, got, want)
		}
	}
}

// What cannot be recorded is not answered with success; a refusal stays one.
func TestLogThatFails(t *testing.T) {
	log := &notes{}
	s := withStore(t)
	s.Audit = log
	put := func() answer {
		return ask(t, s, "PUT", "/v1/sessions/s-1", `{"workspace_root":"/proj/app"}`, "Authorization: approver", "Content-Type: application/json")
	}
	if a := put(); a.status != http.StatusCreated {
		t.Fatal(a.text)
	}
	log.err = errors.New("disk full at /var/secret")
	for _, row := range []struct {
		caller, method, target, body string
		want                         int
	}{
		{"runtime", "POST", "/v1/decisions", inline, 503},
		{"approver", "POST", "/v1/decisions", askOne, 503},
		{"runtime", "POST", "/v1/decisions/batch", `{"requests":[` + inline + `]}`, 200}, // the item has the error
		{"approver", "POST", "/v1/sessions/s-1/grants", `{"kind":"command","value":"make"}`, 503},
		{"runtime", "POST", "/v1/sessions/s-1/grants", `{"kind":"command","value":"make"}`, 503},
		{"runtime", "GET", "/v1/decisions", "", 403},
		{"runtime", "PUT", "/v1/sessions/s-2", `{"workspace_root":"/proj/app"}`, 503},
		{"approver", "PATCH", "/v1/sessions/s-1", `{"mode":"plan"}`, 503},
		{"approver", "DELETE", "/v1/sessions/s-1", "", 503},
		{"viewer", "GET", "/v1/sessions/s-2", "", 404},
		{"viewer", "GET", "/v1/sessions/s-1/grants", "", 200},
		{"viewer", "GET", "/v1/sessions", "", 200},
		{"viewer", "GET", "/healthz", "", 200},
	} {
		a := ask(t, s, row.method, row.target, row.body, "Authorization: "+row.caller, "Content-Type: application/json")
		if a.status != row.want || strings.Contains(a.text, `"outcome":"allow"`) || strings.Contains(a.text, "secret") {
			t.Errorf("%s %s %s: %d %s, want %d", row.caller, row.method, row.target, a.status, clip(a.text, 300), row.want)
		}
	}
	// Nothing was changed.
	log.err = nil
	a := ask(t, s, "GET", "/v1/sessions/s-1", "", "Authorization: viewer")
	if a.field("mode") == "plan" || !strings.Contains(a.text, `"grants":[]`) {
		t.Error(a.text)
	}
}

// That an approval was used up is stored before anybody acts on it.
func TestUsedApprovalIsWaitedFor(t *testing.T) {
	log := &notes{}
	s := withStore(t)
	s.Audit = log
	as := func(caller, method, target, body string) answer {
		return ask(t, s, method, target, body, "Authorization: "+caller, "Content-Type: application/json")
	}
	as("runtime", "PUT", "/v1/sessions/s-1", `{"workspace_root":"/proj/app"}`)
	ids := map[string]string{}
	remember(ids, as("runtime", "POST", "/v1/decisions", askOne))
	as("approver", "POST", "/v1/approvals/"+ids["approval"]+"/resolve", `{"outcome":"once"}`)
	before := log.waited.Load()
	as("runtime", "POST", "/v1/decisions", inline)
	if log.waited.Load() != before {
		t.Error("an ordinary decision is waited for")
	}
	if a := as("runtime", "POST", "/v1/decisions", askOne); a.field("code") != "approved_once" || log.waited.Load() != before+1 {
		t.Errorf("%s, and %d records were waited for", a.field("code"), log.waited.Load()-before)
	}
}

// A record has the trace of the request that it belongs to.
func TestTraceID(t *testing.T) {
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	for header, want := range map[string]string{
		"00-" + id + "-00f067aa0ba902b7-01": id,
		"":                                  "",
		"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01": "",
		"00-" + strings.ToUpper(id) + "-00f067aa0ba902b7-01":     "",
		"00-" + id: "",
	} {
		r, err := http.NewRequest(http.MethodGet, "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Traceparent", header)
		if got := traceID(r); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}
