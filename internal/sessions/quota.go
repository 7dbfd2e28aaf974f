package sessions

import (
	"context"
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// Quota bounds what one runtime may keep in sessions of its own; 0: the default.
// Who may widen sessions is not bounded.
type Quota struct {
	Sessions int
	Bytes    int64 // of contexts, labels and grants, as they are stored
}

// DefaultQuota is the quota of a service that is not configured.
func DefaultQuota() Quota { return Quota{Sessions: 50_000, Bytes: 64 << 20} }

func (q Quota) withDefaults() Quota {
	d := DefaultQuota()
	if q.Sessions <= 0 {
		q.Sessions = d.Sessions
	}
	if q.Bytes <= 0 {
		q.Bytes = d.Bytes
	}
	return q
}

// QuotaError says that a caller keeps as much as it may.
type QuotaError struct{ Detail string }

func (e *QuotaError) Error() string { return e.Detail }

// What an owner has is counted in the store once in a while, and in between by
// what goes through this replica: two replicas let through a little more.
const (
	countEvery = 10 * time.Second
	maxOwners  = 10_000
)

// ledger knows what owners have.
type ledger struct {
	mu     sync.Mutex
	owners *lru.Cache[string, *account]
}

// account is what one owner has.
type account struct {
	counting sync.Mutex // one count at a time

	mu       sync.Mutex
	counted  time.Duration // when, on the keeper's clock; 0: never
	count    int64         // which count of the store the numbers go on from
	sessions int
	bytes    int64
}

// room is what a change takes from a quota, or gives back.
type room struct {
	sessions int
	bytes    int64
}

func newLedger() (*ledger, error) {
	owners, err := lru.New[string, *account](maxOwners)
	return &ledger{owners: owners}, err
}

func (l *ledger) of(owner string) *account {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.owners.Get(owner)
	if !ok {
		a = &account{}
		l.owners.Add(owner, a)
	}
	return a
}

// changeWithin is change, held to the quota of a caller that has one. What does
// not make the caller's sessions more or larger is always let through.
func (k *Keeper) changeWithin(
	ctx context.Context, c auth.Caller, id string, f func(*store.Session) (*store.Session, error),
) (store.Session, error) {
	if may(c, give) {
		return k.change(ctx, id, f)
	}
	a := k.owned.of(c.ID)
	if err := k.count(ctx, a, c.ID, countEvery); err != nil {
		return store.Session{}, err
	}
	s, full, err := k.changeOnce(ctx, c, a, id, f)
	if !full {
		return s, err
	}
	// Something may have ended since the count.
	if err := k.count(ctx, a, c.ID, 0); err != nil {
		return store.Session{}, err
	}
	s, _, err = k.changeOnce(ctx, c, a, id, f)
	return s, err
}

func (k *Keeper) changeOnce(
	ctx context.Context, c auth.Caller, a *account, id string, f func(*store.Session) (*store.Session, error),
) (s store.Session, full bool, err error) {
	var taken room
	var count int64
	s, err = k.change(ctx, id, func(old *store.Session) (*store.Session, error) {
		a.giveBack(taken, count) // of a try that was lost against another change
		taken = room{}
		next, err := f(old)
		if err != nil || next == nil || next.Owner != c.ID {
			return next, err
		}
		more := roomFor(old, next)
		count, err = a.take(more, k.Quota)
		if full = err != nil; full {
			return nil, err
		}
		taken = more
		return next, nil
	})
	if err != nil {
		a.giveBack(taken, count)
	}
	return s, full, err
}

// roomFor is what a session takes in place of another, which may be nil.
func roomFor(old, next *store.Session) room {
	more := room{1, storedSize(next)}
	if old != nil && old.Owner == next.Owner {
		more = room{0, more.bytes - storedSize(old)}
	}
	return more
}

// storedSize is about how many bytes a store counts.
func storedSize(s *store.Session) int64 {
	n := len(s.Spec)
	for name, value := range s.Labels {
		n += len(name) + len(value) + len(`"":"",`)
	}
	for i := range s.Grants {
		n += grantSize(&s.Grants[i])
	}
	return int64(n)
}

// count reads what an owner has, unless that was done a moment ago.
func (k *Keeper) count(ctx context.Context, a *account, owner string, goodFor time.Duration) error {
	asked := k.elapsed()
	a.counting.Lock()
	defer a.counting.Unlock()
	a.mu.Lock()
	known := a.count > 0 && (a.counted > asked || k.elapsed()-a.counted < goodFor)
	a.mu.Unlock()
	if known {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	began := k.elapsed()
	n, bytes, err := k.Store.OwnedSessions(ctx, owner)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.counted, a.sessions, a.bytes = began, n, bytes
	a.count++
	return nil
}

// take notes what is about to be stored, and returns the count that it adds to.
func (a *account) take(r room, q Quota) (count int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case r.sessions > 0 && a.sessions+r.sessions > q.Sessions:
		return 0, &QuotaError{fmt.Sprintf("the caller keeps %d sessions, and may have %d (limits.sessions_per_caller); delete some, or let them expire", a.sessions, q.Sessions)}
	case r.bytes > 0 && a.bytes+r.bytes > q.Bytes:
		return 0, &QuotaError{fmt.Sprintf("the caller's sessions would take %d bytes, and may have %d (limits.session_bytes_per_caller); delete some, or let them expire", a.bytes+r.bytes, q.Bytes)}
	}
	a.sessions += r.sessions
	a.bytes += r.bytes
	return a.count, nil
}

// giveBack undoes take; a later count of the store has seen what became of it.
func (a *account) giveBack(r room, count int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r != (room{}) && a.count == count {
		a.sessions -= r.sessions
		a.bytes -= r.bytes
	}
}
