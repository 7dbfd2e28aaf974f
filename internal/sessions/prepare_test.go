package sessions

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/agent-pdp/pdp/decide"
)

// looksOf has the policy count how often files are looked at, and how often of
// these while a session is held in the store.
func (w *world) looksOf(spec decide.PolicySpec) (looks, held *atomic.Int64) {
	looks, held = new(atomic.Int64), new(atomic.Int64)
	w.policy.Store(policyOf(w.t, spec).InTime(func(work func()) error {
		looks.Add(1)
		if w.flaky.held.Load() > 0 {
			held.Add(1)
		}
		work()
		return nil
	}))
	return looks, held
}

// A mount that does not answer holds nobody else up: files are looked at before a
// session is held in the store.
func TestFilesAreLookedAtBeforeTheStoreIsHeld(t *testing.T) {
	w := newWorld(t, decide.PolicySpec{Mode: "interactive"})
	in, out := decide.RootSpec{Path: w.dir + "/in", Writable: true}, decide.RootSpec{Path: w.dir + "/out"}
	looks, held := w.looksOf(decide.PolicySpec{Mode: "interactive", Roots: []decide.RootSpec{{Path: w.dir, Writable: true}}})
	spec := func(roots ...decide.RootSpec) Spec {
		return Spec{Context: w.context(func(c *decide.ContextSpec) { c.Roots = roots })}
	}
	seen := false
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"a runtime makes one", func() error { _, _, err := w.Put(ctx, alpha, "a", spec(in, out)); return err }},
		{"and writes it anew", func() error { _, _, err := w.Put(ctx, alpha, "a", spec(in)); return err }},
		{"and changes its roots", func() error { _, err := w.Patch(ctx, alpha, "a", Patch{Roots: []decide.RootSpec{in}}); return err }},
		{"an approver makes one", func() error { _, _, err := w.Put(ctx, approver, "b", spec(in, out)); return err }},
		{"and writes it anew", func() error { _, _, err := w.Put(ctx, approver, "b", spec(in)); return err }},
		{"and changes its roots", func() error {
			_, err := w.Patch(ctx, approver, "b", Patch{Roots: []decide.RootSpec{in, out}})
			return err
		}},
		{"a runtime changes that of an approver", func() error { _, err := w.Patch(ctx, alpha, "b", Patch{Roots: []decide.RootSpec{in}}); return err }},
		{"an approver grants", func() error {
			_, err := w.Grant(ctx, approver, "b", decide.GrantSpec{Kind: decide.GrantCommand, Value: "make x"}, 0)
			return err
		}},
	} {
		before := looks.Load()
		if err := step.do(); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		seen = seen || looks.Load() > before
		if n := held.Swap(0); n > 0 {
			t.Errorf("%s: files were looked at %d times while the session was held", step.name, n)
		}
	}
	if !seen {
		t.Error("no file was looked at, so this test shows nothing")
	}
}

// What was found before the store was held counts only for the session that it was
// found for.
func TestAChangeIsPreparedAnewForAnotherSession(t *testing.T) {
	for name, meanwhile := range map[string]func(*testing.T, *world){
		"its roots were narrowed": func(t *testing.T, w *world) {
			if _, err := w.Patch(ctx, approver, "s", Patch{Roots: []decide.RootSpec{{Path: w.dir + "/out"}}}); err != nil {
				t.Error(err)
			}
		},
		"it was made anew by an approver": func(t *testing.T, w *world) {
			if err := w.Delete(ctx, approver, "s"); err != nil {
				t.Error(err)
			}
			w.put(approver, "s", func(c *decide.ContextSpec) { c.Roots = []decide.RootSpec{{Path: w.dir + "/out"}} })
		},
		"the policy was": func(_ *testing.T, w *world) {
			w.reload(decide.PolicySpec{Mode: "interactive", Roots: []decide.RootSpec{{Path: w.dir + "/out"}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, change := range []func(*world) error{
				func(w *world) error {
					_, err := w.Patch(ctx, alpha, "s", Patch{Roots: []decide.RootSpec{{Path: w.dir + "/in", Writable: true}}})
					return err
				},
				func(w *world) error {
					_, _, err := w.Put(ctx, alpha, "s", Spec{Context: w.context(func(c *decide.ContextSpec) {
						c.Roots = []decide.RootSpec{{Path: w.dir + "/in", Writable: true}}
					})})
					return err
				},
			} {
				w := newWorld(t, decide.PolicySpec{Mode: "interactive", Roots: []decide.RootSpec{{Path: "/", Writable: true}}})
				w.put(alpha, "s")
				other := w.replica()
				done := false
				w.flaky.afterRead = func() {
					if done {
						return
					}
					done = true
					own := w.Keeper
					w.Keeper = other
					meanwhile(t, w)
					w.Keeper = own
				}

				if err := change(w); err == nil {
					t.Error("the change was taken")
				}
			}
		})
	}
}

// A session that is changed under each try is not changed at last, and nobody waits
// without an end.
func TestAChangeIsNotPreparedForEver(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	other := w.replica()
	busy := false
	w.flaky.afterRead = func() {
		if busy {
			return
		}
		busy = true
		defer func() { busy = false }()
		if _, err := other.Grant(ctx, approver, "s", decide.GrantSpec{Kind: decide.GrantDomain, Value: "example.com"}, 0); err != nil {
			t.Error(err)
		}
	}
	if _, err := w.Patch(ctx, alpha, "s", Patch{Labels: map[string]string{"a": "b"}}); !errors.Is(err, ErrConflict) {
		t.Errorf("the change ended with %v", err)
	}
}
