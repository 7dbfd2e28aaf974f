package sessions

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// live is a session in memory: immutable but for when it expires and for how
// it was compiled last.
type live struct {
	stored   store.Session
	doc      *document
	size     int64        // about, in memory
	expires  atomic.Int64 // Unix nanoseconds
	compiled atomic.Pointer[compiled]
}

// compiled is a session under one policy, good until its first grant expires.
type compiled struct {
	policy     *decide.Policy
	until      time.Time // zero: no grant expires
	full, bare decide.Session
	err        error
}

func newLive(s store.Session) (*live, error) {
	doc, err := decodeDocument(s.Spec)
	if err != nil {
		return nil, fmt.Errorf("the stored session %q cannot be read: %w", s.ID, err)
	}
	e := &live{stored: s, doc: doc, size: sizeOf(&s)}
	e.expires.Store(s.Expires.UnixNano())
	return e, nil
}

// under compiles the session for a policy, once.
func (e *live) under(p *decide.Policy, now time.Time) *compiled {
	c := e.compiled.Load()
	if c != nil && c.policy == p && (c.until.IsZero() || now.Before(c.until)) {
		return c
	}
	c = &compiled{policy: p}
	for _, g := range e.stored.Grants {
		if !g.Expires.IsZero() && now.Before(g.Expires) && (c.until.IsZero() || g.Expires.Before(c.until)) {
			c.until = g.Expires
		}
	}
	c.full, c.err = p.Stored(e.doc.spec(e.stored.Grants, now))
	c.bare = c.full.Withdrawn()
	var late *decide.LateError
	if errors.As(c.err, &late) {
		return c // the next call may have an answer
	}
	e.compiled.Store(c)
	return c
}

// lookup returns a session that the caller may do something with. What it may
// not see does not exist for it. Who wants to see a session is shown what is
// stored: memory may not have heard yet what another replica changed.
func (k *Keeper) lookup(ctx context.Context, c auth.Caller, id string, op operation) (*live, error) {
	if !may(c, op) {
		return nil, forbid("the role %q may not do this", c.Role)
	}
	find := k.load
	if op == read {
		find = k.stored
	}
	e, err := find(ctx, id)
	if err != nil {
		return nil, err
	}
	if !owns(c, &e.stored) {
		return nil, &ForeignError{id}
	}
	if op == use || op == keep {
		k.touch(e, k.now())
	}
	return e, nil
}

// owns reports whether the session is there for the caller at all.
func owns(c auth.Caller, s *store.Session) bool {
	return c.Role != auth.Runtime || s.Owner == "" || s.Owner == c.ID
}

// load returns a session, from memory if it is there.
func (k *Keeper) load(ctx context.Context, id string) (*live, error) {
	if e, ok := k.cache.get(id); ok && k.now().UnixNano() < e.expires.Load() {
		return e, nil
	}
	return k.stored(ctx, id)
}

// stored reads a session from the store, into memory.
func (k *Keeper) stored(ctx context.Context, id string) (*live, error) {
	now, turn := k.now(), k.cache.now()
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	s, err := k.Store.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	if k.ended(&s, now) {
		return nil, store.ErrNotFound
	}
	e, err := k.live(s)
	if err != nil {
		return nil, err
	}
	k.cache.read(e, turn)
	return e, nil
}

// live is a session as this replica knows it: its use may not be written down yet.
func (k *Keeper) live(s store.Session) (*live, error) {
	e, err := newLive(s)
	if err == nil {
		e.expires.Store(k.expiry(&s).UnixNano())
	}
	return e, err
}

// expiry is when a session ends, also if its latest use is not written down yet.
func (k *Keeper) expiry(s *store.Session) time.Time {
	k.touchLock.Lock()
	defer k.touchLock.Unlock()
	for _, touched := range []map[string]time.Time{k.touched, k.flushing} {
		if used, ok := touched[s.ID]; ok && used.Add(s.TTL).After(s.Expires) {
			return used.Add(s.TTL)
		}
	}
	return s.Expires
}

func (k *Keeper) ended(s *store.Session, now time.Time) bool { return !now.Before(k.expiry(s)) }
