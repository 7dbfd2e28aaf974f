package sessions

import (
	"errors"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// verdictOf puts an error into one letter: + done, x forbidden, 0 not there.
func verdictOf(t *testing.T, err error) byte {
	t.Helper()
	var forbidden *ForbiddenError
	switch {
	case err == nil:
		return '+'
	case errors.As(err, &forbidden):
		return 'x'
	case errors.Is(err, store.ErrNotFound):
		return '0'
	}
	t.Errorf("unexpected: %v", err)
	return '?'
}

// Every operation and every caller, on a session of the runtime alpha, on one
// that an approver made, and on alpha's after an approver has changed it.
func TestWhoMayDoWhat(t *testing.T) {
	columns := []auth.Caller{alpha, beta, viewer, approver, admin, nobody, nameless}
	plan := "plan"
	operations := []struct {
		name string
		// what callers get in the order of the columns
		own, made, changed string
		do                 func(w *world, c auth.Caller, approval, grant string) error
	}{
		{"decide", "+0x++xx", "++x++xx", "+0x++xx", func(w *world, c auth.Caller, _, _ string) error {
			_, err := w.Decide(ctx, c, Call{Session: "s", Call: shell("make")})
			return err
		}},
		{"judge a path", "+0x++xx", "++x++xx", "+0x++xx", func(w *world, c auth.Caller, _, _ string) error {
			_, err := w.Session(ctx, c, "s")
			return err
		}},
		{"read", "+0+++xx", "+++++xx", "+0+++xx", func(w *world, c auth.Caller, _, _ string) error {
			_, err := w.Get(ctx, c, "s")
			return err
		}},
		{"replace", "+xx++xx", "xxx++xx", "xxx++xx", func(w *world, c auth.Caller, _, _ string) error {
			_, _, err := w.Put(ctx, c, "s", Spec{Context: w.context()})
			return err
		}},
		{"narrow", "+0x++xx", "++x++xx", "+0x++xx", func(w *world, c auth.Caller, _, _ string) error {
			_, err := w.Patch(ctx, c, "s", Patch{Mode: &plan})
			return err
		}},
		{"widen", "x0x++xx", "xxx++xx", "x0x++xx", func(w *world, c auth.Caller, _, _ string) error {
			_, err := w.Patch(ctx, c, "s", Patch{StandingRules: map[string][]string{"send_note": {"ann"}}})
			return err
		}},
		{"end", "+0x++xx", "xxx++xx", "x0x++xx", func(w *world, c auth.Caller, _, _ string) error {
			return w.Delete(ctx, c, "s")
		}},
		{"grant", "xxx++xx", "xxx++xx", "xxx++xx", func(w *world, c auth.Caller, _, _ string) error {
			_, err := w.Grant(ctx, c, "s", decide.GrantSpec{Kind: decide.GrantCommand, Value: "make all"}, time.Hour)
			return err
		}},
		{"read grants", "+0+++xx", "+++++xx", "+0+++xx", func(w *world, c auth.Caller, _, _ string) error {
			_, err := w.Grants(ctx, c, "s")
			return err
		}},
		{"revoke", "xxx++xx", "xxx++xx", "xxx++xx", func(w *world, c auth.Caller, _, grant string) error {
			_, err := w.Revoke(ctx, c, "s", grant)
			return err
		}},
		{"read an approval", "+0+++xx", "+++++xx", "+0+++xx", func(w *world, c auth.Caller, approval, _ string) error {
			_, err := w.Approval(ctx, c, approval, 0)
			return err
		}},
		{"resolve", "xxx++xx", "xxx++xx", "xxx++xx", func(w *world, c auth.Caller, approval, _ string) error {
			_, err := w.Resolve(ctx, c, approval, decide.ResolveOnce, "")
			return err
		}},
		{"resolve by denying", "xxx++xx", "xxx++xx", "xxx++xx", func(w *world, c auth.Caller, approval, _ string) error {
			_, err := w.Resolve(ctx, c, approval, decide.ResolveDeny, "")
			return err
		}},
		{"list sessions", "+++++xx", "+++++xx", "+++++xx", func(w *world, c auth.Caller, _, _ string) error {
			_, _, err := w.List(ctx, c, "", nil, 10)
			return err
		}},
		{"list approvals", "+++++xx", "+++++xx", "+++++xx", func(w *world, c auth.Caller, _, _ string) error {
			_, _, err := w.Approvals(ctx, c, store.ApprovalQuery{Limit: 10})
			return err
		}},
	}
	interactive := "interactive"
	w := newWorld(t, bypass)
	for _, kind := range []string{"own", "made", "changed"} {
		for _, op := range operations {
			want := map[string]string{"own": op.own, "made": op.made, "changed": op.changed}[kind]
			for i, c := range columns {
				_ = w.Delete(ctx, admin, "s")
				maker := alpha
				if kind == "made" {
					maker = approver
				}
				w.put(maker, "s")
				if kind == "changed" {
					if _, err := w.Patch(ctx, approver, "s", Patch{Mode: &interactive}); err != nil {
						t.Fatal(err)
					}
				}
				g, err := w.Grant(ctx, approver, "s", decide.GrantSpec{Kind: decide.GrantCommand, Value: "make one"}, 0)
				if err != nil {
					t.Fatal(err)
				}
				a := w.try(alpha, "s", shell("make two"))
				if got := verdictOf(t, op.do(w, c, a.Approval.ID, g.ID)); got != want[i] {
					t.Errorf("%s, session %s: %q gets %c, want %c", op.name, kind, c.ID, got, want[i])
				}
			}
		}
	}
}

// A runtime learns nothing of what is not its own.
func TestListsShowOnesOwn(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "a")
	w.put(beta, "b")
	w.put(approver, "c")
	w.try(alpha, "a", shell("make"))
	w.later(time.Second)
	w.try(beta, "b", shell("make"))
	for caller, want := range map[auth.Caller]struct{ sessions, approvals string }{
		alpha: {"a ", "a "}, beta: {"b ", "b "}, viewer: {"a b c ", "b a "}, approver: {"a b c ", "b a "},
	} {
		sessions, _, err := w.List(ctx, caller, "", nil, 10)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range sessions {
			got += s.ID + " "
		}
		list, _, err := w.Approvals(ctx, caller, store.ApprovalQuery{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		asked := ""
		for _, a := range list {
			asked += a.Session + " "
		}
		if got != want.sessions || asked != want.approvals {
			t.Errorf("%s sees sessions %q and approvals of %q, want %q and %q", caller.ID, got, asked, want.sessions, want.approvals)
		}
	}
}
