package handlers

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/fusetest"
)

// hungMount is a service that decides with patience, a directory that it can look
// at, and one in which "hang" never answers.
func hungMount(t *testing.T, limit time.Duration, start func(testing.TB, func(*Deps)) *service, spec func(hung, here string) decide.PolicySpec) (s *service, p *Patience, hung, here string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may mount")
	}
	hung, here = t.TempDir(), t.TempDir()
	metrics := NewMetrics()
	p = NewPatience(limit, metrics)
	release := fusetest.Mount(t, hung, fusetest.Shared)
	t.Cleanup(func() {
		release()
		for p.Stuck() > 0 {
			runtime.Gosched() // the kernel lets the calls fail
		}
	})
	s = start(t, func(d *Deps) {
		policy := trusting(t)
		if spec != nil {
			policy = compiled(t, spec(hung, here))
		}
		d.Policy, d.Metrics = fixed(policy.InTime(p.Wait)), metrics
	})
	return s, p, hung, here
}

const (
	writeHung = `{"context":{"workspace_root":"HERE","mode":"bypass-approvals","roots":[{"path":"HERE","writable":true},{"path":"DIR","writable":true}]},"call":{"tool_name":"write_file","arguments":{"path":"DIR/hang/x","content":""}}}`
	writeHere = `{"context":{"workspace_root":"HERE","mode":"bypass-approvals"},"call":{"tool_name":"write_file","arguments":{"path":"x","content":""}}}`
	noFile    = `{"context":{"workspace_root":"HERE","allowed_commands":["git status"]},"call":{"tool_name":"run_shell","arguments":{"command":"git status"}}}`
)

// A call about a mount that does not answer is denied in time, and that is a
// decision like any other.
func TestDecisionOnHungMount(t *testing.T) {
	s, p, hung, here := hungMount(t, time.Hour, trustingService, nil)
	words := strings.NewReplacer("DIR", hung, "HERE", here)
	for _, row := range []struct{ name, body, outcome, code string }{
		{"a write", writeHung, "deny", "invalid_path"},
		{"a root", `{"context":{"workspace_root":"DIR/hang","mode":"bypass-approvals"},"call":{"tool_name":"write_file","arguments":{"path":"HERE/x","content":""}}}`, "deny", "invalid_path"},
		{"a redirection", `{"context":{"workspace_root":"DIR","mode":"bypass-approvals"},"call":{"tool_name":"run_shell","arguments":{"command":"echo x > hang/x"}}}`, "deny", "invalid_path"},
		{"a pattern", `{"context":{"workspace_root":"DIR","mode":"bypass-approvals"},"call":{"tool_name":"run_shell","arguments":{"command":"rm hang/*"}}}`, "deny", "invalid_path"},
		{"a protected path", `{"context":{"workspace_root":"HERE","mode":"bypass-approvals","protected_paths":["DIR/hang"]},"call":{"tool_name":"write_file","arguments":{"path":"x","content":""}}}`, "deny", "invalid_path"},
		{"a list", `{"context":{"workspace_root":"HERE","mode":"bypass-approvals","deny":{"paths":["DIR/hang/**"]}},"call":{"tool_name":"write_file","arguments":{"path":"x","content":""}}}`, "deny", "invalid_path"},
		{"explained", strings.Replace(writeHung, `"call"`, `"explain":true,"call"`, 1), "deny", "invalid_path"},
		{"another mount", writeHere, "allow", "full_access"},
		{"no file", noFile, "allow", "command_allowlisted"},
	} {
		p.Limit(time.Hour)
		if row.outcome == "deny" {
			p.Limit(50 * time.Millisecond)
		}
		a := ask(t, s, "POST", "/v1/decisions", words.Replace(row.body))
		if a.status != 200 || a.field("outcome") != row.outcome || a.field("code") != row.code {
			t.Errorf("%s: got %d %s", row.name, a.status, clip(a.text, 400))
		}
	}
	a := ask(t, s, "GET", "/metrics", "")
	for _, line := range []string{
		`pdp_decisions_total{code="invalid_path",mode="bypass-approvals",outcome="deny",risk="write_local"} 5`, "pdp_decisions_late_total 7", "pdp_decisions_stuck 7",
	} {
		if !strings.Contains(a.text, line+"\n") {
			t.Errorf("the metrics do not have %s: %s", line, strings.Join(grepLines(a.text, "pdp_decisions"), "; "))
		}
	}
}

func grepLines(text, word string) (lines []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, word) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// The roots of a policy that hang are a deny as well, but where no decision is
// asked for.
func TestPolicyRootsOnHungMount(t *testing.T) {
	s, _, hung, here := hungMount(t, 50*time.Millisecond, trustingService, func(hung, here string) decide.PolicySpec {
		return decide.PolicySpec{InlineContext: "narrow", Roots: []decide.RootSpec{{Path: hung + "/hang", Writable: true}, {Path: here, Writable: true}}}
	})
	words := strings.NewReplacer("DIR", hung, "HERE", here)
	a := ask(t, s, "POST", "/v1/decisions", words.Replace(`{"context":{"workspace_root":"HERE"},"call":{"tool_name":"write_file","arguments":{"path":"x","content":""}}}`))
	if a.status != 200 || a.field("code") != "invalid_path" || a.field("risk") != "write_local" || a.field("mode") != "interactive" {
		t.Errorf("a decision: got %d %s", a.status, clip(a.text, 400))
	}
	a = ask(t, s, "POST", "/v1/paths/check", words.Replace(`{"context":{"workspace_root":"HERE"},"path":"x","access":"read"}`))
	if a.status != 504 || a.field("code") != codeLate {
		t.Errorf("a check: got %d %s", a.status, clip(a.text, 400))
	}
}

// However many calls hang, calls that touch no file are answered, and those that
// touch one are denied at once; when the mount answers again, so does the service.
func TestManyDecisionsOnHungMount(t *testing.T) {
	s, p, hung, here := hungMount(t, time.Millisecond, trustingService, nil)
	words := strings.NewReplacer("DIR", hung, "HERE", here)
	var sent sync.WaitGroup
	for range 2 {
		sent.Go(func() {
			body := `{"requests":[` + strings.Repeat(words.Replace(writeHung)+",", 255) + words.Replace(noFile) + `]}`
			a := ask(t, s, "POST", "/v1/decisions/batch", body)
			if denied, allowed := strings.Count(a.text, `"outcome":"deny"`), strings.Count(a.text, `"outcome":"allow"`); denied != 255 || allowed != 1 {
				t.Errorf("%d items were denied, and %d allowed: %s", denied, allowed, clip(a.text, 400))
			}
		})
	}
	sent.Wait()
	if p.Stuck() < MaxStuckCalls || p.Stuck() > MaxStuckCalls+1 {
		t.Errorf("%d goroutines hang", p.Stuck())
	}
	p.Limit(time.Hour) // whoever waits now, waits too long for a test
	a := ask(t, s, "POST", "/v1/decisions", words.Replace(writeHere))
	if a.field("code") != "invalid_path" || !strings.Contains(a.text, errManyHang.Error()) {
		t.Errorf("a write: got %d %s", a.status, clip(a.text, 400))
	}
	if a := ask(t, s, "POST", "/v1/decisions", words.Replace(noFile)); a.field("outcome") != "allow" {
		t.Errorf("no file: got %d %s", a.status, clip(a.text, 400))
	}
}

// Stored sessions are no way around: what hangs is denied, recorded, and opens no
// approval.
func TestStoredSessionOnHungMount(t *testing.T) {
	s, p, hung, here := hungMount(t, time.Hour, withStoreAnd, nil)
	words := strings.NewReplacer("DIR", hung, "HERE", here)
	for _, row := range []struct {
		method, target, body, want string
		status                     int
	}{
		{"PUT", "/v1/sessions/s", `{"workspace_root":"HERE","roots":[{"path":"HERE","writable":true},{"path":"DIR","writable":true}]}`, `"id":"s"`, 201},
		{"POST", "/v1/decisions", `{"session_id":"s","call":{"tool_name":"write_file","arguments":{"path":"DIR/hang/x","content":""}}}`, `"code":"invalid_path"`, 200},
		{"POST", "/v1/sessions/s/grants", `{"kind":"command","value":"DIR/hang/run.sh"}`, codeLate, 504},
		{"GET", "/v1/decisions?code=invalid_path", "", `"outcome":"deny"`, 200},
		{"GET", "/v1/approvals", "", `{"items":[],"next_cursor":null}`, 200},
	} {
		p.Limit(time.Hour)
		if strings.Contains(row.body, "hang") {
			p.Limit(50 * time.Millisecond)
		}
		a := ask(t, s, row.method, row.target, words.Replace(row.body), "Authorization: admin", "Content-Type: application/json")
		if a.status != row.status || !strings.Contains(a.text, row.want) {
			t.Errorf("%s %s: got %d %s", row.method, row.target, a.status, clip(a.text, 400))
		}
	}
}
