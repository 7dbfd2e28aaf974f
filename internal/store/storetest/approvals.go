package storetest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
)

var approvalTests = map[string]func(*testing.T, kit){
	"what is opened is read": func(t *testing.T, k kit) {
		s := k.open(t)
		session(t, s, "x")
		a := question("a", "x", "key", 0, 100)
		a.HumanOnly, a.Request = true, []byte("{\x00}")
		stored, opened, err := s.OpenApproval(ctx, a)
		ok(t, err)
		a.Revision = stored.Revision
		same(t, stored, a)
		same(t, opened, true)
		same(t, must(s.Approval(ctx, "a"))(t), a)
	},
	"none that is not stored": func(t *testing.T, k kit) {
		s := k.open(t)
		for _, id := range append(refused(), "none", "") {
			_, err := s.Approval(ctx, id)
			is(t, err, store.ErrNotFound)
			_, err = s.Resolve(ctx, id, func(*store.Approval, *store.Session) error { t.Error("called"); return nil })
			is(t, err, store.ErrNotFound)
			_, err = s.UseApproval(ctx, id, "key", at(0))
			is(t, err, store.ErrNotFound)
			_, err = s.UseApproval(ctx, "x", id, at(0))
			is(t, err, store.ErrNotFound)
		}
	},
	"none without a session": func(t *testing.T, k kit) {
		s := k.open(t)
		_, _, err := s.OpenApproval(ctx, question("a", "x", "key", 0, 100))
		is(t, err, store.ErrNotFound)
		_, err = s.Approval(ctx, "a")
		is(t, err, store.ErrNotFound)
	},
	"what cannot be kept is refused": func(t *testing.T, k kit) {
		s := k.open(t)
		session(t, s, "x")
		for _, bad := range append(refused(), "") {
			for _, a := range []store.Approval{question(bad, "x", "k", 0, 1), question("a", bad, "k", 0, 1), question("a", "x", bad, 0, 1)} {
				_, _, err := s.OpenApproval(ctx, a)
				is(t, err, store.ErrInvalid)
			}
		}
		for _, state := range []store.ApprovalState{"", "other", store.Approved, store.Denied, store.Expired} {
			a := question("a", "x", "k", 0, 1)
			a.State = state
			_, _, err := s.OpenApproval(ctx, a)
			is(t, err, store.ErrInvalid)
		}
		must2(s.OpenApproval(ctx, question("a", "x", "k", 0, 1)))(t)
		for _, edit := range []func(*store.Approval){
			func(a *store.Approval) { a.State = "other" },
			func(a *store.Approval) { a.Note = "\x00" },
			func(a *store.Approval) { a.By = "\xff" },
		} {
			_, err := s.Resolve(ctx, "a", func(a *store.Approval, _ *store.Session) error { edit(a); return nil })
			is(t, err, store.ErrInvalid)
		}
	},
	"an id is given once": func(t *testing.T, k kit) {
		s := k.open(t)
		session(t, s, "x")
		must2(s.OpenApproval(ctx, question("a", "x", "k", 0, 100)))(t)
		_, _, err := s.OpenApproval(ctx, question("a", "x", "other", 0, 100))
		is(t, err, store.ErrExists)
	},
	"which one is open": func(t *testing.T, k kit) {
		deny := func(a *store.Approval) { a.State = store.Denied }
		usable := func(a *store.Approval) { a.State, a.Resolved, a.UsableTo = store.Approved, at(1), at(20) }
		for _, row := range []struct {
			name    string
			resolve func(*store.Approval)
			use     bool
			session string
			key     string
			now     int
			opened  bool
		}{
			{"pending", nil, false, "x", "k", 5, false},
			{"pending to the last moment", nil, false, "x", "k", 9, false},
			{"expired at its time", nil, false, "x", "k", 10, true},
			{"for another call", nil, false, "x", "other", 5, true},
			{"for another session", nil, false, "y", "k", 5, true},
			{"denied", deny, false, "x", "k", 5, true},
			{"usable", usable, false, "x", "k", 5, false},
			{"usable after its time to be resolved", usable, false, "x", "k", 15, false},
			{"no longer usable", usable, false, "x", "k", 20, true},
			{"used", usable, true, "x", "k", 5, true},
			{"allowed for more than one call", func(a *store.Approval) { a.State, a.Resolved = store.Approved, at(1) }, false, "x", "k", 5, true},
			{"denied is never usable", func(a *store.Approval) { a.State, a.UsableTo = store.Denied, at(20) }, false, "x", "k", 5, true},
			{"written down as expired", func(a *store.Approval) { a.State = store.Expired }, false, "x", "k", 5, true},
		} {
			t.Run(row.name, func(t *testing.T) {
				s := k.open(t)
				session(t, s, "x")
				session(t, s, "y")
				must2(s.OpenApproval(ctx, question("first", "x", "k", 0, 10)))(t)
				if row.resolve != nil {
					must(s.Resolve(ctx, "first", func(a *store.Approval, _ *store.Session) error { row.resolve(a); return nil }))(t)
				}
				if row.use {
					must(s.UseApproval(ctx, "x", "k", at(2)))(t)
				}
				before := must(s.Revision(ctx))(t)
				stored, opened, err := s.OpenApproval(ctx, question("second", row.session, row.key, row.now, row.now+10))
				ok(t, err)
				want := map[bool]string{true: "second", false: "first"}[row.opened]
				if opened != row.opened || stored.ID != want {
					t.Errorf("opened %v %s, want %v %s", opened, stored.ID, row.opened, want)
				}
				same(t, must(s.Approval(ctx, stored.ID))(t), stored)
				if !opened {
					same(t, must(s.Revision(ctx))(t), before)
				}
			})
		}
	},
	"no more of one session are pending": func(t *testing.T, k kit) {
		db := k.fresh(t)
		s := open(t, db)
		session(t, s, "x")
		session(t, s, "y")
		ask := func(i int) { must2(s.OpenApproval(ctx, question(uuid(i), "x", uuid(i), 0, 10)))(t) }
		ask(1)
		copies := 0
		if os.Getenv("PDP_NIGHTLY") == "" {
			copies = store.MaxPending - 3
			db.Exec(t, CopyApproval(uuid(1), copies))
		}
		for i := copies + 1; i < store.MaxPending; i++ {
			ask(i + 1)
		}
		_, _, err := s.OpenApproval(ctx, question("more", "x", "more", 5, 10))
		is(t, err, store.ErrTooMany)
		_, opened, err := s.OpenApproval(ctx, question("more", "x", uuid(1), 5, 10))
		ok(t, err)
		same(t, opened, false)
		must2(s.OpenApproval(ctx, question("y", "y", "k", 5, 10)))(t)
		// Those that have expired make room.
		must2(s.OpenApproval(ctx, question("later", "x", "k", 10, 20)))(t)
	},
	"resolving stores the approval and the grant": func(t *testing.T, k kit) {
		s := k.open(t)
		session(t, s, "x")
		a := must2(s.OpenApproval(ctx, question("a", "x", "k", 0, 10)))(t)
		grant := store.Grant{ID: "g", Kind: "tool", Value: "run", By: "ann", Approval: "a", Created: at(1)}
		got := must(s.Resolve(ctx, "a", func(a *store.Approval, x *store.Session) error {
			a.State, a.Outcome, a.Note, a.By, a.Resolved = store.Approved, "always_tool", "fine", "ann", at(1)
			a.Session, a.Key, a.HumanOnly, a.Created, a.Request[0] = "other", "other", true, at(9), 'X'
			x.Grants = append(x.Grants, grant)
			return nil
		}))(t)
		a.State, a.Outcome, a.Note, a.By, a.Resolved, a.Revision = store.Approved, "always_tool", "fine", "ann", at(1), got.Revision
		same(t, got, a)
		same(t, must(s.Approval(ctx, "a"))(t), a)
		same(t, must(s.Session(ctx, "x"))(t).Grants, []store.Grant{grant})
		changes := must(s.ChangesSince(ctx, a.Revision-1, 10))(t)
		same(t, changes, []store.Change{
			{Revision: a.Revision, Kind: store.ApprovalChanged, ID: "a"},
			{Revision: a.Revision + 1, Kind: store.SessionChanged, ID: "x"},
		})
	},
	"a session left alone takes no revision": func(t *testing.T, k kit) {
		s := k.open(t)
		x := session(t, s, "x", func(x *store.Session) { x.Labels = map[string]string{"b": "1", "a": "2"} })
		must2(s.OpenApproval(ctx, question("a", "x", "k", 0, 10)))(t)
		a := once(t, s, "a", 1, 10)
		same(t, must(s.Session(ctx, "x"))(t), x)
		same(t, must(s.Revision(ctx))(t), a.Revision)
	},
	"resolving fails as a whole": func(t *testing.T, k kit) {
		s := k.open(t)
		x := session(t, s, "x")
		a := must2(s.OpenApproval(ctx, question("a", "x", "k", 0, 10)))(t)
		mine := errors.New("mine")
		for _, row := range []struct {
			change func(*store.Approval, *store.Session) error
			want   error
		}{
			{func(*store.Approval, *store.Session) error { return mine }, mine},
			{func(_ *store.Approval, x *store.Session) error {
				x.Grants = []store.Grant{{Value: "\xff"}}
				return nil
			}, store.ErrInvalid},
			{func(_ *store.Approval, x *store.Session) error { x.ID = "y"; return nil }, store.ErrInvalid},
		} {
			_, err := s.Resolve(ctx, "a", func(a *store.Approval, x *store.Session) error {
				a.State = store.Approved
				x.Grants = []store.Grant{{ID: "g"}}
				return row.change(a, x)
			})
			is(t, err, row.want)
			same(t, must(s.Approval(ctx, "a"))(t), a)
			same(t, must(s.Session(ctx, "x"))(t), x)
		}
	},
	"resolving when the session is gone": func(t *testing.T, k kit) {
		s := k.open(t)
		session(t, s, "x")
		must2(s.OpenApproval(ctx, question("a", "x", "k", 0, 10)))(t)
		remove(t, s, "x")
		must(s.Resolve(ctx, "a", func(a *store.Approval, x *store.Session) error {
			if x != nil {
				t.Errorf("session %+v", x)
			}
			a.State = store.Denied
			return nil
		}))(t)
		same(t, must(s.Approval(ctx, "a"))(t).State, store.Denied)
		_, err := s.Session(ctx, "x")
		is(t, err, store.ErrNotFound)
	},
	"using": func(t *testing.T, k kit) {
		s := k.open(t)
		session(t, s, "x")
		must2(s.OpenApproval(ctx, question("a", "x", "k", 0, 10)))(t)
		_, err := s.UseApproval(ctx, "x", "k", at(1))
		is(t, err, store.ErrNotFound) // pending
		a := once(t, s, "a", 1, 20)
		for _, row := range []struct {
			session, key string
			now          int
		}{{"y", "k", 2}, {"x", "other", 2}, {"x", "k", 20}, {"x", "k", 21}} {
			_, err := s.UseApproval(ctx, row.session, row.key, at(row.now))
			is(t, err, store.ErrNotFound)
		}
		used := must(s.UseApproval(ctx, "x", "k", at(19)))(t)
		a.Used, a.Revision = at(19), used.Revision
		same(t, used, a)
		same(t, must(s.Approval(ctx, "a"))(t), a)
		_, err = s.UseApproval(ctx, "x", "k", at(19))
		is(t, err, store.ErrNotFound)
	},
	"lists are cut into pages, newest first": func(t *testing.T, k kit) {
		s := k.open(t)
		session(t, s, "x", func(x *store.Session) { x.Owner = "ann" })
		session(t, s, "y", func(x *store.Session) { x.Owner = "bob" })
		for i := range 6 {
			must2(s.OpenApproval(ctx, question(uuid(i), []string{"x", "y"}[i%2], uuid(i), 0, 10*(i+1))))(t)
		}
		resolve := func(i int, state store.ApprovalState) {
			must(s.Resolve(ctx, uuid(i), func(a *store.Approval, _ *store.Session) error { a.State = state; return nil }))(t)
		}
		resolve(3, store.Approved)
		resolve(4, store.Denied)
		remove(t, s, "x") // 0 and 2 expire
		for _, row := range []struct {
			name string
			q    store.ApprovalQuery
			want []int
		}{
			{"all", store.ApprovalQuery{Limit: 10}, []int{5, 4, 3, 2, 1, 0}},
			{"the first", store.ApprovalQuery{Limit: 2}, []int{5, 4}},
			{"the next", store.ApprovalQuery{Limit: 2, Before: uuid(4)}, []int{3, 2}},
			{"of a session", store.ApprovalQuery{Limit: 10, Session: "y"}, []int{5, 3, 1}},
			{"of an owner, though the session is gone", store.ApprovalQuery{Limit: 10, Owner: "ann"}, []int{4, 2, 0}},
			{"approved", store.ApprovalQuery{Limit: 10, State: store.Approved, Now: at(0)}, []int{3}},
			{"denied", store.ApprovalQuery{Limit: 10, State: store.Denied}, []int{4}},
			{"as written: pending", store.ApprovalQuery{Limit: 10, State: store.Pending}, []int{5, 1}},
			{"as written: expired", store.ApprovalQuery{Limit: 10, State: store.Expired}, []int{2, 0}},
			{"at a time: pending", store.ApprovalQuery{Limit: 10, State: store.Pending, Now: at(20)}, []int{5}},
			{"at a time: expired", store.ApprovalQuery{Limit: 10, State: store.Expired, Now: at(20)}, []int{2, 1, 0}},
			{"all at once", store.ApprovalQuery{Limit: 1, Session: "y", Owner: "bob", State: store.Expired, Now: at(99), Before: uuid(5)}, []int{1}},
			{"in no known state", store.ApprovalQuery{Limit: 10, State: "other"}, nil},
			{"of no possible session", store.ApprovalQuery{Limit: 10, Session: "\xff"}, nil},
		} {
			var got []int
			for _, a := range page(s.ListApprovals(ctx, row.q))(t) {
				got = append(got, slices.Index([]string{uuid(0), uuid(1), uuid(2), uuid(3), uuid(4), uuid(5)}, a.ID))
				if row.q.State != "" && a.State != row.q.State {
					t.Errorf("%s: %s is %s", row.name, a.ID, a.State)
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("%s: got %v, want %v", row.name, got, row.want)
			}
		}
		_, _, err := s.ListApprovals(ctx, store.ApprovalQuery{})
		is(t, err, store.ErrInvalid)
	},
	"a page is cut by its bytes too": func(t *testing.T, k kit) {
		s := k.open(t)
		session(t, s, "x")
		for i := range 5 {
			a := question(uuid(i), "x", uuid(i), 0, 100)
			a.Request = []byte(strings.Repeat("x", 1000))
			must2(s.OpenApproval(ctx, a))(t)
		}
		q, seen := store.ApprovalQuery{Limit: 10, Bytes: 2500}, 5
		for _, want := range []int{2, 2, 1} {
			list, next, err := s.ListApprovals(ctx, q)
			ok(t, err)
			same(t, len(list), want)
			for _, a := range list {
				seen--
				same(t, a.ID, uuid(seen))
			}
			same(t, next == "", seen == 0)
			q.Before = next
		}
	},
	"dropping what is done with": func(t *testing.T, k kit) {
		s := k.open(t)
		session(t, s, "x")
		for _, row := range []struct {
			id      string
			resolve func(*store.Approval)
		}{
			{"pending", nil},
			{"denied", func(a *store.Approval) { a.State, a.Resolved = store.Denied, at(2) }},
			{"granted", func(a *store.Approval) { a.State, a.Resolved = store.Approved, at(3) }},
			{"usable", func(a *store.Approval) { a.State, a.Resolved, a.UsableTo = store.Approved, at(3), at(20) }},
			{"used", func(a *store.Approval) { a.State, a.Resolved, a.UsableTo = store.Approved, at(3), at(20) }},
		} {
			must2(s.OpenApproval(ctx, question(row.id, "x", row.id, 0, 10)))(t)
			if row.resolve != nil {
				must(s.Resolve(ctx, row.id, func(a *store.Approval, _ *store.Session) error { row.resolve(a); return nil }))(t)
			}
		}
		must(s.UseApproval(ctx, "x", "used", at(5)))(t)
		left := func() string {
			var ids string
			for _, a := range page(s.ListApprovals(ctx, store.ApprovalQuery{Limit: 10}))(t) {
				ids += a.ID + " "
			}
			return ids
		}
		for _, row := range []struct {
			before int
			limit  int
			left   string
		}{
			{2, 10, "used usable pending granted denied "},
			{3, 10, "used usable pending granted "},
			{6, 1, "used usable pending "},
			{6, 10, "usable pending "},
			{10, 10, "usable pending "},
			{11, 10, "usable "},
			{20, 10, "usable "},
			{21, 10, ""},
		} {
			must(s.DropApprovals(ctx, at(row.before), row.limit))(t)
			same(t, left(), row.left)
		}
		_, err := s.DropApprovals(ctx, at(0), 0)
		is(t, err, store.ErrInvalid)
	},
	"at the same time: one is opened": func(t *testing.T, k kit) {
		pair := k.pair(t)
		session(t, pair[0], "x")
		for round := range 5 {
			const callers = 16
			var ids [callers]string
			var opened [callers]bool
			var wg sync.WaitGroup
			for i := range callers {
				wg.Go(func() {
					a, o, err := pair[i%2].OpenApproval(ctx, question(uuid(round*100+i), "x", uuid(round), 0, 100))
					if err != nil {
						t.Error(err)
					}
					ids[i], opened[i] = a.ID, o
				})
			}
			wg.Wait()
			count := 0
			for i := range callers {
				if opened[i] {
					count++
				}
				same(t, ids[i], ids[0])
			}
			same(t, count, 1)
		}
	},
	"at the same time: one is used": func(t *testing.T, k kit) {
		pair := k.pair(t)
		session(t, pair[0], "x")
		for round := range 5 {
			must2(pair[0].OpenApproval(ctx, question(uuid(round), "x", uuid(round), 0, 100)))(t)
			once(t, pair[0], uuid(round), 1, 100)
			var used [16]bool
			var wg sync.WaitGroup
			for i := range used {
				wg.Go(func() {
					_, err := pair[i%2].UseApproval(ctx, "x", uuid(round), at(2))
					if used[i] = err == nil; err != nil && !errors.Is(err, store.ErrNotFound) {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			count := 0
			for _, u := range used {
				if u {
					count++
				}
			}
			same(t, count, 1)
		}
	},
	"at the same time: one resolves": func(t *testing.T, k kit) {
		pair := k.pair(t)
		session(t, pair[0], "x")
		must2(pair[0].OpenApproval(ctx, question("a", "x", "k", 0, 100)))(t)
		late := errors.New("resolved already")
		var won [16]bool
		var wg sync.WaitGroup
		for i := range won {
			wg.Go(func() {
				_, err := pair[i%2].Resolve(ctx, "a", func(a *store.Approval, x *store.Session) error {
					if a.State != store.Pending {
						return late
					}
					a.State = store.Approved
					x.Grants = append(x.Grants, store.Grant{ID: uuid(i)})
					return nil
				})
				if won[i] = err == nil; err != nil && !errors.Is(err, late) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		grants := must(pair[1].Session(ctx, "x"))(t).Grants
		same(t, len(grants), 1)
		for i := range won {
			same(t, won[i], grants[0].ID == uuid(i))
		}
	},
}

// CopyApproval is a statement that stores an approval so many times more, with
// other ids and keys: what takes seconds by the door.
func CopyApproval(id string, count int) string {
	const same = "session, owner, state, human_only, request, created, expires, outcome, note, resolver, resolved, usable_to, used, done, revision"
	return fmt.Sprintf("INSERT INTO approvals (id, call_key, "+same+")"+
		" WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"+
		" SELECT id || '-' || CAST(i AS TEXT), call_key || '-' || CAST(i AS TEXT), "+same+
		" FROM approvals, n WHERE id = '%s'", count, id)
}
