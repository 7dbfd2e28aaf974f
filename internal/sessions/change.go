package sessions

import (
	"context"
	"maps"
	"time"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// change stores a change, and lets this replica's next read see it.
func (k *Keeper) change(ctx context.Context, id string, f func(*store.Session) (*store.Session, error)) (store.Session, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	turn, deleted := k.cache.now(), false
	s, err := k.Store.ChangeSession(ctx, id, func(old *store.Session) (*store.Session, error) {
		next, err := f(old)
		deleted = err == nil && next == nil
		if err != nil || deleted {
			return nil, err
		}
		return next, fits(next)
	})
	if err != nil || deleted {
		k.cache.forget(id) // a change that failed may have happened all the same
		return s, err
	}
	e, err := k.live(s)
	if err != nil {
		k.cache.forget(id)
		return store.Session{}, err
	}
	k.cache.wrote(e, turn)
	return s, nil
}

// Get reads a session.
func (k *Keeper) Get(ctx context.Context, c auth.Caller, id string) (View, error) {
	e, err := k.lookup(ctx, c, id, read)
	if err != nil {
		return View{}, err
	}
	s := e.stored
	s.Expires = time.Unix(0, e.expires.Load())
	s.Labels = maps.Clone(s.Labels)
	return viewOf(s)
}

// writtenByApprover reports whether an approver made the session or changed what
// it may do: a runtime that ended it could make one of that name that may do more.
func writtenByApprover(s *store.Session) bool { return s.Owner == "" || s.Widened }

// Delete ends a session, with everything that was granted to it.
func (k *Keeper) Delete(ctx context.Context, c auth.Caller, id string) error {
	if _, err := k.lookup(ctx, c, id, keep); err != nil {
		return err
	}
	_, err := k.change(ctx, id, func(old *store.Session) (*store.Session, error) {
		switch {
		case old == nil:
			return nil, store.ErrNotFound
		case !owns(c, old):
			return nil, &ForeignError{id}
		case writtenByApprover(old) && !may(c, give):
			return nil, forbid("an approver wrote this session; a runtime cannot end what may restrict it")
		}
		return nil, nil
	})
	return err
}

// List reads a page of sessions that the caller may see, by name. next is the
// after of the page behind it; empty: there is none.
func (k *Keeper) List(
	ctx context.Context, c auth.Caller, after string, labels map[string]string, limit int,
) (page []View, next string, err error) {
	if !may(c, read) {
		return nil, "", forbid("the role %q may not do this", c.Role)
	}
	q := store.SessionQuery{Alive: k.now(), After: after, Labels: labels, Limit: limit, Bytes: maxPage}
	if !may(c, listAll) {
		q.Owner = c.ID
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	list, next, err := k.Store.ListSessions(ctx, q)
	if err != nil {
		return nil, "", err
	}
	views := make([]View, len(list))
	for i, s := range list {
		if views[i], err = viewOf(s); err != nil {
			return nil, "", err
		}
	}
	return views, next, nil
}
