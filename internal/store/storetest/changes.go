package storetest

import (
	"sync"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

var changeTests = map[string]func(*testing.T, kit){
	"each change takes the next revision": func(t *testing.T, k kit) {
		s := k.open(t)
		same(t, must(s.Revision(ctx))(t), 0)
		same(t, must(s.ChangesSince(ctx, 0, 10))(t), nil)
		x := session(t, s, "x")
		a := must2(s.OpenApproval(ctx, question("a", "x", "k", 0, 10)))(t)
		ok(t, s.AddToken(ctx, token("t", "one")))
		ok(t, s.RevokeToken(ctx, "t", at(1)))
		once(t, s, "a", 1, 10)
		must(s.UseApproval(ctx, "x", "k", at(2)))(t)
		must(s.DropApprovals(ctx, at(100), 10))(t)
		must(s.DropSessions(ctx, at(10_000), 10))(t)
		same(t, x.Revision, 1)
		same(t, a.Revision, 2)
		want := []store.Change{
			{Revision: 1, Kind: store.SessionChanged, ID: "x"},
			{Revision: 2, Kind: store.ApprovalChanged, ID: "a"},
			{Revision: 3, Kind: store.TokenChanged, ID: "t"},
			{Revision: 4, Kind: store.TokenChanged, ID: "t"},
			{Revision: 5, Kind: store.ApprovalChanged, ID: "a"},
			{Revision: 6, Kind: store.ApprovalChanged, ID: "a"},
			{Revision: 7, Kind: store.ApprovalChanged, ID: "a"},
			{Revision: 8, Kind: store.SessionChanged, ID: "x"},
		}
		same(t, must(s.ChangesSince(ctx, 0, 100))(t), want)
		same(t, must(s.ChangesSince(ctx, 2, 3))(t), want[2:5])
		same(t, must(s.ChangesSince(ctx, 8, 3))(t), nil)
		same(t, must(s.Revision(ctx))(t), 8)
		_, err := s.ChangesSince(ctx, 0, 0)
		is(t, err, store.ErrInvalid)
	},
	"what is forgotten is said": func(t *testing.T, k kit) {
		s := k.open(t)
		for range 3 {
			session(t, s, "x")
		}
		ok(t, s.ForgetChanges(ctx, time.Now().Add(-time.Hour)))
		same(t, len(must(s.ChangesSince(ctx, 0, 10))(t)), 3)
		ok(t, s.ForgetChanges(ctx, time.Now().Add(time.Hour)))
		for _, revision := range []int64{0, 2} {
			_, err := s.ChangesSince(ctx, revision, 10)
			is(t, err, store.ErrForgotten)
		}
		same(t, must(s.ChangesSince(ctx, 3, 10))(t), nil)
		session(t, s, "y")
		same(t, must(s.ChangesSince(ctx, 3, 10))(t), []store.Change{{Revision: 4, Kind: store.SessionChanged, ID: "y"}})
		ok(t, s.ForgetChanges(ctx, time.Now().Add(-time.Hour)))
		same(t, len(must(s.ChangesSince(ctx, 3, 10))(t)), 1)
	},
	"a store that was never there is not trusted": func(t *testing.T, k kit) {
		s := k.open(t)
		session(t, s, "x")
		_, err := s.ChangesSince(ctx, 2, 10)
		is(t, err, store.ErrForgotten)
	},
	"a poller misses none, with many writers": func(t *testing.T, k kit) {
		pair := k.pair(t)
		const writers, each = 8, 15
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					name := uuid(w*each + i)
					_, err := pair[w%2].ChangeSession(ctx, name, func(*store.Session) (*store.Session, error) {
						return &store.Session{ID: name}, nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		done := make(chan struct{})
		go func() { wg.Wait(); close(done) }()
		var revision int64
		seen := map[string]bool{}
		poll := func() {
			for _, c := range must(pair[1].ChangesSince(ctx, revision, 7))(t) {
				if c.Revision != revision+1 {
					t.Fatalf("after %d comes %d", revision, c.Revision)
				}
				revision = c.Revision
				seen[c.ID] = true
				// What changed can be read at once, at this revision or a later one.
				if x := must(pair[1].Session(ctx, c.ID))(t); x.Revision < c.Revision {
					t.Fatalf("%s: revision %d, change %d", c.ID, x.Revision, c.Revision)
				}
			}
		}
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			poll()
		}
		for revision < must(pair[1].Revision(ctx))(t) {
			poll()
		}
		same(t, len(seen), writers*each)
	},
	"a change elsewhere wakes": func(t *testing.T, k kit) {
		pair := k.pair(t)
		wake := pair[0].Wake()
		if wake == nil {
			return // this engine cannot tell
		}
		for revision := session(t, pair[1], "x").Revision; ; {
			select {
			case <-wake:
			case <-time.After(time.Minute):
				t.Fatal("slept for a minute")
			}
			if must(pair[0].Revision(ctx))(t) >= revision {
				return
			}
		}
	},
}
