package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

func token(id, name string) store.Token {
	return store.Token{ID: id, Name: name, Role: "runtime", Hash: []byte{0, 1, 0xff}, Created: at(0)}
}

var tokenTests = map[string]func(*testing.T, kit){
	"listed in the order in which they were made": func(t *testing.T, k kit) {
		s := k.open(t)
		same(t, must(s.ListTokens(ctx))(t), nil)
		list := []store.Token{token("b", "one"), token("a", "two"), token("c", "three")}
		list[1].Expires, list[1].Created = at(9), at(-5)
		for _, x := range list {
			ok(t, s.AddToken(ctx, x))
		}
		same(t, must(s.ListTokens(ctx))(t), list)
	},
	"an id is taken, a name by a valid token": func(t *testing.T, k kit) {
		s := k.open(t)
		ok(t, s.AddToken(ctx, token("a", "one")))
		before := must(s.Revision(ctx))(t)
		is(t, s.AddToken(ctx, token("a", "two")), store.ErrExists)
		is(t, s.AddToken(ctx, token("b", "one")), store.ErrExists)
		same(t, must(s.Revision(ctx))(t), before)
		ok(t, s.AddToken(ctx, token("b", "One")))
		ok(t, s.RevokeToken(ctx, "a", at(1)))
		is(t, s.AddToken(ctx, token("a", "one")), store.ErrExists)
		ends := token("c", "one")
		ends.Expires = at(5)
		ok(t, s.AddToken(ctx, ends))
		is(t, s.AddToken(ctx, token("d", "one")), store.ErrExists)
		later := token("d", "one")
		later.Created = at(5)
		ok(t, s.AddToken(ctx, later))
	},
	"revoking": func(t *testing.T, k kit) {
		s := k.open(t)
		ok(t, s.AddToken(ctx, token("a", "one")))
		is(t, s.RevokeToken(ctx, "none", at(1)), store.ErrNotFound)
		is(t, s.RevokeToken(ctx, "\x00", at(1)), store.ErrNotFound)
		is(t, s.RevokeToken(ctx, "a", time.Time{}), store.ErrInvalid)
		ok(t, s.RevokeToken(ctx, "a", at(1)))
		before := must(s.Revision(ctx))(t)
		ok(t, s.RevokeToken(ctx, "a", at(2)))
		same(t, must(s.ListTokens(ctx))(t)[0].Revoked, at(1))
		same(t, must(s.Revision(ctx))(t), before)
	},
	"what cannot be kept is refused": func(t *testing.T, k kit) {
		s := k.open(t)
		for _, bad := range append(refused(), "") {
			is(t, s.AddToken(ctx, token(bad, "one")), store.ErrInvalid)
			is(t, s.AddToken(ctx, token("a", bad)), store.ErrInvalid)
			x := token("a", "one")
			x.Role = bad
			is(t, s.AddToken(ctx, x), store.ErrInvalid)
		}
		same(t, must(s.ListTokens(ctx))(t), nil)
	},
	"at the same time: one gets the name": func(t *testing.T, k kit) {
		pair := k.pair(t)
		var got [12]bool
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				err := pair[i%2].AddToken(ctx, token(uuid(i), "one"))
				if got[i] = err == nil; err != nil && !errors.Is(err, store.ErrExists) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		list := must(pair[0].ListTokens(ctx))(t)
		same(t, len(list), 1)
		for i := range got {
			same(t, got[i], list[0].ID == uuid(i))
		}
	},
}
