package storetest

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

var sessionTests = map[string]func(*testing.T, kit){
	"what is stored is read": func(t *testing.T, k kit) {
		s := k.open(t)
		want := store.Session{
			ID: "one", Owner: "runtime-1", Widened: true, Spec: []byte(`{"a": "\u0000 \"'"}`),
			Labels: map[string]string{"team": "blue", "weird \"'\\ <&>": "é \n", "empty": ""},
			Grants: []store.Grant{
				{
					ID: "g1", Kind: "command", Value: "make \x01 <b>", Definition: "d", Files: map[string]string{"/bin/ls": "ab"},
					By: "ann", Approval: "a1", Created: at(1), Expires: at(2),
				},
				{ID: "g2", Kind: "read_only_commands", By: "bob", Created: at(3)},
			},
			TTL: 90*time.Minute + time.Nanosecond, Created: at(0), Updated: at(5), Expires: at(10),
		}
		got := session(t, s, "one", func(x *store.Session) { *x = want })
		want.Revision = got.Revision
		same(t, got, want)
		same(t, must(s.Session(ctx, "one"))(t), want)
	},
	"the least session": func(t *testing.T, k kit) {
		s := k.open(t)
		got := session(t, s, "x", func(x *store.Session) {
			*x = store.Session{ID: "x", Spec: []byte{}, Labels: map[string]string{}, Grants: []store.Grant{}}
		})
		same(t, got, store.Session{ID: "x", Revision: got.Revision})
		same(t, must(s.Session(ctx, "x"))(t), got)
	},
	"times come back in UTC and in microseconds": func(t *testing.T, k kit) {
		s := k.open(t)
		zone := time.FixedZone("east", 5*3600)
		got := session(t, s, "x", func(x *store.Session) {
			x.Created = at(0).In(zone).Add(789 * time.Nanosecond)
			x.Grants = []store.Grant{{ID: "g", Created: at(0).In(zone).Add(789 * time.Nanosecond)}}
		})
		same(t, got.Created, at(0))
		same(t, got.Grants[0].Created, at(0))
		same(t, must(s.Session(ctx, "x"))(t), got)
	},
	"one that is not stored is not found": func(t *testing.T, k kit) {
		s := k.open(t)
		_, err := s.Session(ctx, "none")
		is(t, err, store.ErrNotFound)
	},
	"one that has expired is read too": func(t *testing.T, k kit) {
		s := k.open(t)
		session(t, s, "old", func(x *store.Session) { x.Expires = at(-1_000_000_000) })
		same(t, must(s.Session(ctx, "old"))(t).Expires, at(-1_000_000_000))
	},
	"a change sees what was stored": func(t *testing.T, k kit) {
		s := k.open(t)
		_, err := s.ChangeSession(ctx, "x", func(before *store.Session) (*store.Session, error) {
			if before != nil {
				t.Errorf("found %+v", before)
			}
			return &store.Session{ID: "x", Owner: "first"}, nil
		})
		ok(t, err)
		changed := must(s.ChangeSession(ctx, "x", func(before *store.Session) (*store.Session, error) {
			before.Owner += ", second"
			return before, nil
		}))(t)
		same(t, changed.Owner, "first, second")
	},
	"a change that fails leaves nothing behind": func(t *testing.T, k kit) {
		s := k.open(t)
		before, mine := session(t, s, "x"), errors.New("mine")
		_, err := s.ChangeSession(ctx, "x", func(x *store.Session) (*store.Session, error) {
			x.Owner, x.Spec[0] = "other", 'X'
			return x, mine
		})
		if err != mine {
			t.Fatalf("error is %v, want the caller's own", err)
		}
		same(t, must(s.Session(ctx, "x"))(t), before)
		same(t, must(s.Revision(ctx))(t), before.Revision)
	},
	"a change that panics leaves nothing behind and the store works": func(t *testing.T, k kit) {
		s := k.open(t)
		before := session(t, s, "x")
		func() {
			defer func() { _ = recover() }()
			_, _ = s.ChangeSession(ctx, "x", func(*store.Session) (*store.Session, error) { panic("mine") })
		}()
		same(t, must(s.Session(ctx, "x"))(t), before)
		session(t, s, "x")
	},
	"deleting": func(t *testing.T, k kit) {
		s := k.open(t)
		stored := session(t, s, "x")
		gone := must(s.ChangeSession(ctx, "x", func(*store.Session) (*store.Session, error) { return nil, nil }))(t)
		stored.Revision++
		same(t, gone, stored)
		_, err := s.Session(ctx, "x")
		is(t, err, store.ErrNotFound)
	},
	"deleting what is not there is no change": func(t *testing.T, k kit) {
		s := k.open(t)
		gone := must(s.ChangeSession(ctx, "x", func(*store.Session) (*store.Session, error) { return nil, nil }))(t)
		same(t, gone, store.Session{})
		same(t, must(s.Revision(ctx))(t), 0)
	},
	"deleting ends what is open": func(t *testing.T, k kit) {
		s := k.open(t)
		session(t, s, "x")
		for _, id := range []string{"pending", "usable", "granted"} {
			must2(s.OpenApproval(ctx, question(id, "x", id, 0, 100)))(t)
		}
		once(t, s, "usable", 1, 100)
		must(s.Resolve(ctx, "granted", func(a *store.Approval, _ *store.Session) error {
			a.State, a.Outcome, a.Resolved = store.Approved, "always_tool", at(1)
			return nil
		}))(t)
		before := must(s.Revision(ctx))(t)
		remove(t, s, "x")
		same(t, must(s.Approval(ctx, "pending"))(t).State, store.Expired)
		same(t, must(s.Approval(ctx, "granted"))(t).State, store.Approved)
		session(t, s, "x")
		_, err := s.UseApproval(ctx, "x", "usable", at(2))
		is(t, err, store.ErrNotFound)
		for _, id := range []string{"pending", "usable"} {
			if _, opened, err := s.OpenApproval(ctx, question(id+"2", "x", id, 2, 100)); err != nil || !opened {
				t.Errorf("%s: opened %v, %v", id, opened, err)
			}
		}
		changes := must(s.ChangesSince(ctx, before, 10))(t)
		var ids []string
		for _, c := range changes[:3] {
			ids = append(ids, c.ID)
		}
		slices.Sort(ids)
		same(t, ids, []string{"pending", "usable", "x"})
	},
	"names are compared byte for byte and listed in that order": func(t *testing.T, k kit) {
		s := k.open(t)
		for _, name := range names {
			session(t, s, name, func(x *store.Session) { x.Owner = name; x.Labels = map[string]string{name: name} })
		}
		want := slices.Clone(names)
		slices.Sort(want)
		var got []string
		for _, x := range page(s.ListSessions(ctx, store.SessionQuery{Limit: 100}))(t) {
			got = append(got, x.ID)
		}
		same(t, got, want)
		for _, name := range names {
			same(t, must(s.Session(ctx, name))(t).Owner, name)
			for _, q := range []store.SessionQuery{{Owner: name}, {Labels: map[string]string{name: name}}} {
				q.Limit = 10
				list := page(s.ListSessions(ctx, q))(t)
				if len(list) != 1 || list[0].ID != name {
					t.Errorf("%+q: found %d", name, len(list))
				}
			}
		}
	},
	"names that cannot be kept are refused, and not found": func(t *testing.T, k kit) {
		s := k.open(t)
		for _, name := range refused() {
			_, err := s.Session(ctx, name)
			is(t, err, store.ErrNotFound)
			put := func(x store.Session) error {
				_, err := s.ChangeSession(ctx, x.ID, func(*store.Session) (*store.Session, error) { return &x, nil })
				return err
			}
			is(t, put(store.Session{ID: name}), store.ErrInvalid)
			is(t, put(store.Session{ID: "x", Owner: name}), store.ErrInvalid)
			is(t, put(store.Session{ID: "x", Labels: map[string]string{name: ""}}), store.ErrInvalid)
			same(t, page(s.ListSessions(ctx, store.SessionQuery{Owner: name, Limit: 1}))(t), nil)
			same(t, page(s.ListSessions(ctx, store.SessionQuery{Labels: map[string]string{name: ""}, Limit: 1}))(t), nil)
			ok(t, s.TouchSessions(ctx, map[string]time.Time{name: at(0)}))
			if len(name) > 10 {
				continue // as a text it can be kept
			}
			is(t, put(store.Session{ID: "x", Labels: map[string]string{"a": name}}), store.ErrInvalid)
			is(t, put(store.Session{ID: "x", Grants: []store.Grant{{Files: map[string]string{name: ""}}}}), store.ErrInvalid)
		}
		_, err := s.ChangeSession(ctx, "", func(*store.Session) (*store.Session, error) { return &store.Session{}, nil })
		is(t, err, store.ErrInvalid)
		same(t, must(s.Revision(ctx))(t), 0)
	},
	"a session keeps its name": func(t *testing.T, k kit) {
		s := k.open(t)
		_, err := s.ChangeSession(ctx, "x", func(*store.Session) (*store.Session, error) { return &store.Session{ID: "y"}, nil })
		is(t, err, store.ErrInvalid)
	},
	"times outside of the calendar are refused": func(t *testing.T, k kit) {
		s := k.open(t)
		_, err := s.ChangeSession(ctx, "x", func(*store.Session) (*store.Session, error) {
			return &store.Session{ID: "x", Expires: time.Unix(1<<60, 0)}, nil
		})
		is(t, err, store.ErrInvalid)
	},
	"a spec is kept byte for byte": func(t *testing.T, k kit) {
		s := k.open(t)
		for _, spec := range []string{"\x00", "\xff\xfe", `{"a":1,"a":2}`, strings.Repeat("x", 1<<20)} {
			session(t, s, "x", func(x *store.Session) { x.Spec = []byte(spec) })
			same(t, string(must(s.Session(ctx, "x"))(t).Spec), spec)
		}
	},
	"a thousand grants": func(t *testing.T, k kit) {
		s := k.open(t)
		var grants []store.Grant
		for i := range 1000 {
			grants = append(grants, store.Grant{ID: uuid(i), Kind: "command", Value: strings.Repeat("x", i), Created: at(i)})
		}
		session(t, s, "x", func(x *store.Session) { x.Grants = grants })
		same(t, must(s.Session(ctx, "x"))(t).Grants, grants)
	},
	"lists are cut into pages": func(t *testing.T, k kit) {
		s := k.open(t)
		for i := range 7 {
			session(t, s, uuid(i), func(x *store.Session) {
				x.Owner = []string{"even", "odd"}[i%2]
				x.Labels = map[string]string{"n": []string{"a", "b", "c"}[i%3], "all": "yes"}
				x.Expires = at(i)
			})
		}
		for _, row := range []struct {
			name string
			q    store.SessionQuery
			want []int
		}{
			{"all", store.SessionQuery{Limit: 10}, []int{0, 1, 2, 3, 4, 5, 6}},
			{"the first", store.SessionQuery{Limit: 2}, []int{0, 1}},
			{"the next", store.SessionQuery{Limit: 2, After: uuid(1)}, []int{2, 3}},
			{"after the last", store.SessionQuery{Limit: 2, After: uuid(6)}, nil},
			{"of an owner", store.SessionQuery{Limit: 10, Owner: "odd"}, []int{1, 3, 5}},
			{"of nobody", store.SessionQuery{Limit: 10, Owner: "none"}, nil},
			{"with a label", store.SessionQuery{Limit: 10, Labels: map[string]string{"n": "b"}}, []int{1, 4}},
			{"with two labels", store.SessionQuery{Limit: 10, Labels: map[string]string{"n": "b", "all": "yes"}}, []int{1, 4}},
			{"with a label of another value", store.SessionQuery{Limit: 10, Labels: map[string]string{"n": "b", "all": "no"}}, nil},
			{"alive: expired at that time is not", store.SessionQuery{Limit: 10, Alive: at(4)}, []int{5, 6}},
			{"all at once", store.SessionQuery{Limit: 1, Owner: "even", Labels: map[string]string{"all": "yes"}, Alive: at(1), After: uuid(2)}, []int{4}},
		} {
			var got []int
			for _, x := range page(s.ListSessions(ctx, row.q))(t) {
				for i := range 7 {
					if x.ID == uuid(i) {
						got = append(got, i)
					}
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("%s: got %v, want %v", row.name, got, row.want)
			}
		}
		for _, limit := range []int{0, -1} {
			_, _, err := s.ListSessions(ctx, store.SessionQuery{Limit: limit})
			is(t, err, store.ErrInvalid)
		}
	},
	"a page is cut by its bytes too, and says what is behind it": func(t *testing.T, k kit) {
		s := k.open(t)
		for i := range 5 {
			session(t, s, uuid(i), func(x *store.Session) {
				x.Owner, x.Labels = "ann", map[string]string{"a": strings.Repeat("é", 100)}
				x.Spec = []byte(strings.Repeat("x", 1000))
				x.Grants = []store.Grant{{ID: "g", Value: strings.Repeat("v", 1000)}}
			})
		}
		const one = 2500 // bytes at most, and more than half of it
		for _, row := range []struct {
			name  string
			q     store.SessionQuery
			pages []int
		}{
			{"no bound", store.SessionQuery{Limit: 10}, []int{5}},
			{"as many as there are", store.SessionQuery{Limit: 5}, []int{5}},
			{"by the number", store.SessionQuery{Limit: 2}, []int{2, 2, 1}},
			{"by the bytes", store.SessionQuery{Limit: 10, Bytes: 2 * one}, []int{2, 2, 1}},
			{"by whatever comes first", store.SessionQuery{Limit: 1, Bytes: 2 * one}, []int{1, 1, 1, 1, 1}},
			{"less than one", store.SessionQuery{Limit: 10, Bytes: 1}, []int{1, 1, 1, 1, 1}},
			{"of an owner", store.SessionQuery{Limit: 10, Bytes: 4 * one, Owner: "ann"}, []int{4, 1}},
		} {
			var pages []int
			seen := 0
			for {
				list, next, err := s.ListSessions(ctx, row.q)
				ok(t, err)
				for _, x := range list {
					same(t, x.ID, uuid(seen))
					seen++
				}
				pages = append(pages, len(list))
				if next == "" {
					break
				}
				row.q.After = next
			}
			if !slices.Equal(pages, row.pages) {
				t.Errorf("%s: pages of %v, want %v", row.name, pages, row.pages)
			}
		}
		n, bytes, err := s.OwnedSessions(ctx, "ann")
		ok(t, err)
		if n != 5 || bytes < 5*one/2 || bytes > 5*one {
			t.Errorf("ann has %d sessions of %d bytes", n, bytes)
		}
		for _, nobody := range []string{"", "bob", "\xff"} {
			n, bytes, err := s.OwnedSessions(ctx, nobody)
			if n != 0 || bytes != 0 || err != nil {
				t.Errorf("%q has %d sessions of %d bytes, %v", nobody, n, bytes, err)
			}
		}
	},
	"touching pushes on, never back, and is no change": func(t *testing.T, k kit) {
		s := k.open(t)
		used := map[string]time.Time{"none": at(1)}
		for i := range 1203 {
			if i < 3 {
				session(t, s, uuid(i), func(x *store.Session) { x.TTL, x.Expires = 0, at(100) })
			}
			used[uuid(i)] = at(100 + i - 1)
		}
		before := must(s.Revision(ctx))(t)
		ok(t, s.TouchSessions(ctx, used))
		ok(t, s.TouchSessions(ctx, nil))
		for i, want := range []int{100, 100, 101} {
			same(t, must(s.Session(ctx, uuid(i)))(t).Expires, at(want))
		}
		_, err := s.Session(ctx, "none")
		is(t, err, store.ErrNotFound)
		same(t, must(s.Revision(ctx))(t), before)
	},
	"a session that was used lives for its own time, not for the one that its user knew": func(t *testing.T, k kit) {
		s := k.open(t)
		for name, ttl := range map[string]time.Duration{"short": 1500 * time.Microsecond, "long": time.Hour} {
			session(t, s, name, func(x *store.Session) { x.TTL, x.Expires = ttl, at(5) })
		}
		ok(t, s.TouchSessions(ctx, map[string]time.Time{"short": at(7), "long": at(4)}))
		same(t, must(s.Session(ctx, "short"))(t).Expires, at(7).Add(1500*time.Microsecond))
		same(t, must(s.Session(ctx, "long"))(t).Expires, at(4).Add(time.Hour))
	},
	"dropping what has expired": func(t *testing.T, k kit) {
		s := k.open(t)
		for i := range 5 {
			session(t, s, uuid(i), func(x *store.Session) { x.Expires = at(i) })
		}
		must2(s.OpenApproval(ctx, question("a", uuid(0), "k", 0, 100)))(t)
		var dropped []string
		for _, want := range []int{2, 1, 0} {
			list := must(s.DropSessions(ctx, at(3), 2))(t)
			same(t, len(list), want)
			dropped = append(dropped, list...)
		}
		slices.Sort(dropped)
		same(t, dropped, []string{uuid(0), uuid(1), uuid(2)})
		for i, want := range []error{store.ErrNotFound, store.ErrNotFound, store.ErrNotFound, nil, nil} {
			_, err := s.Session(ctx, uuid(i))
			is(t, err, want)
		}
		same(t, must(s.Approval(ctx, "a"))(t).State, store.Expired)
		_, err := s.DropSessions(ctx, at(3), 0)
		is(t, err, store.ErrInvalid)
	},
	"no change in between": func(t *testing.T, k kit) {
		pair := k.pair(t)
		const writers, each = 8, 20
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for range each {
					_, err := pair[w%2].ChangeSession(ctx, "x", func(x *store.Session) (*store.Session, error) {
						if x == nil {
							x = &store.Session{ID: "x"}
						}
						x.Owner += "."
						return x, nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		same(t, len(must(pair[0].Session(ctx, "x"))(t).Owner), writers*each)
		same(t, must(pair[0].Revision(ctx))(t), writers*each)
	},
	"touching, changing and dropping at the same time": func(t *testing.T, k kit) {
		pair := k.pair(t)
		var wg sync.WaitGroup
		for w := range 6 {
			wg.Go(func() {
				s := pair[w%2]
				for i := range 15 {
					var err error
					switch w / 2 {
					case 0:
						err = s.TouchSessions(ctx, map[string]time.Time{"a": at(i), "b": at(i), "c": at(i), "d": at(i)})
					case 1:
						name := []string{"a", "b", "c", "d"}[(i+w)%4]
						_, err = s.ChangeSession(ctx, name, func(*store.Session) (*store.Session, error) {
							return &store.Session{ID: name, Expires: at(i)}, nil
						})
					case 2:
						_, err = s.DropSessions(ctx, at(i), 3)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	},
}

// must2 is the approval of a call that has to succeed.
func must2(a store.Approval, _ bool, err error) func(t testing.TB) store.Approval {
	return must(a, err)
}
