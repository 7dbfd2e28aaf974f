package sessions

import (
	"context"
	"errors"
	"time"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// errMoved says that a session is not what a change of it was prepared for.
var errMoved = errors.New("the session was changed meanwhile")

// mostPrepared is how often a change is prepared anew. Each time is one at which
// another change got through, so that all together they come to an end.
const mostPrepared = 100

// prepare is changeWithin for a change that looks at files, whose mount may not
// answer for as long as a decision may take: f runs before the store is held, and
// what it returns is stored only if the session is still the one that it was given,
// nil or of the same revision, under the same policy. Else f runs again.
func (k *Keeper) prepare(
	ctx context.Context, c auth.Caller, id string, f func(*store.Session) (*store.Session, error),
) (store.Session, error) {
	for range mostPrepared {
		before, err := k.before(ctx, id)
		if err != nil {
			return store.Session{}, err
		}
		policy, now := k.Policy(), k.now()
		next, err := f(before)
		if err != nil {
			return store.Session{}, err
		}
		s, err := k.changeWithin(ctx, c, id, func(old *store.Session) (*store.Session, error) {
			if k.Policy() != policy || !k.same(before, old, now) {
				return nil, errMoved
			}
			stored := *next
			return &stored, nil
		})
		if !errors.Is(err, errMoved) {
			return s, err
		}
	}
	return store.Session{}, conflict("others change the session all the time; try again")
}

// before reads a session as it is stored; nil: there is none.
func (k *Keeper) before(ctx context.Context, id string) (*store.Session, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	s, err := k.Store.Session(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &s, nil
}

// same reports whether a session is the one that was read at a time, and has not
// ended since.
func (k *Keeper) same(before, old *store.Session, at time.Time) bool {
	if before == nil || old == nil {
		return before == old
	}
	return before.Revision == old.Revision && k.ended(before, at) == k.ended(old, k.now())
}
