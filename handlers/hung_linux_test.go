package handlers

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/inspect"
	"github.com/agent-pdp/pdp/internal/fusetest"
)

// A mount that does not answer costs a request about it its time, and no other.
func TestHungMount(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may mount")
	}
	dir := t.TempDir()
	release := fusetest.Mount(t, dir, fusetest.Shared)
	here := t.TempDir()
	if err := os.WriteFile(here+"/key", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	narrow := compiled(t, decide.PolicySpec{InlineContext: "narrow", Roots: []decide.RootSpec{{Path: dir + "/hang", Writable: true}, {Path: here, Writable: true}}})
	for _, row := range []struct {
		name, route, body string
		policy            *decide.Policy
		roots             []string
		code              string
	}{
		{"a check inside of the root", "check", `{"context":{"workspace_root":"DIR"},"path":"hang","access":"read"}`, nil, nil, "inspection_timeout"},
		{"a write below", "check", `{"context":{"workspace_root":"DIR"},"path":"hang/x","access":"write"}`, nil, nil, "inspection_timeout"},
		{"a root that hangs", "check", `{"context":{"workspace_root":"HERE","roots":[{"path":"DIR/hang"}]},"path":"HERE/key","access":"write"}`, nil, nil, "inspection_timeout"},
		{"a root of the policy that hangs", "check", `{"context":{"workspace_root":"HERE"},"path":"key","access":"read"}`, narrow, nil, "inspection_timeout"},
		{"a directory of allowed_roots that hangs", "check", `{"context":{"workspace_root":"HERE","roots":[]},"path":"HERE/key","access":"read"}`, nil, []string{"DIR/hang"}, "approval_required"},
		{"one report", "inspect", `{"path":"DIR/hang"}`, nil, []string{"/"}, "inspection_timeout"},
		{"one report, for which roots have to be looked at", "inspect", `{"path":"DIR/hang"}`, nil, []string{"HERE"}, "inspection_timeout"},
		{"one report, by a context under a policy that hangs", "inspect", `{"path":"HERE/key","context":{"workspace_root":"HERE"}}`, narrow, nil, "inspection_timeout"},
		{"a batch by such a context", "inspect/batch", `{"paths":["HERE/key"],"context":{"workspace_root":"HERE"}}`, narrow, nil, "inspection_timeout"},
	} {
		words := func(text string) string { return replaced(text, "DIR", dir, "HERE", here) }
		s := trustingService(t, func(d *Deps) {
			d.Limits.PathTimeout = 50 * time.Millisecond
			if row.policy != nil {
				d.Policy = fixed(row.policy)
			}
			roots := make([]string, len(row.roots))
			for i, root := range row.roots {
				roots[i] = words(root)
			}
			d.InspectRoots = func() []string { return roots }
		})
		a := ask(t, s, "POST", "/v1/paths/"+row.route, words(row.body))
		if a.field("code") != row.code || (row.code == "inspection_timeout") != (a.status == http.StatusGatewayTimeout) {
			t.Errorf("%s: got %d %s", row.name, a.status, clip(a.text, 300))
		}
	}
	release()
	for inspect.DefaultPool.Stuck() > 0 {
		runtime.Gosched() // the kernel lets the calls fail
	}
}

// In a batch the others have their reports.
func TestHungMountInABatch(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may mount")
	}
	dir, here := t.TempDir(), t.TempDir()
	release := fusetest.Mount(t, dir, fusetest.Shared)
	s := trustingService(t, func(d *Deps) { d.Limits.PathTimeout = 50 * time.Millisecond })
	a := ask(t, s, "POST", "/v1/paths/inspect/batch", fmt.Sprintf(`{"paths":[%q,%q,%q,%q]}`, here, dir+"/hang", here, dir+"/file"))
	for i, ok := range []bool{true, false, true, true} {
		code := any(nil)
		if !ok {
			code = "timeout"
		}
		if a.field(fmt.Sprintf("results.%d.ok", i)) != ok || a.field(fmt.Sprintf("results.%d.error_code", i)) != code {
			t.Errorf("result %d: got %d %s", i, a.status, clip(a.text, 300))
		}
	}
	release()
	for inspect.DefaultPool.Stuck() > 0 {
		runtime.Gosched()
	}
}

func replaced(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}
