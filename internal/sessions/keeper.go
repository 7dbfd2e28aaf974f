package sessions

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// Bounds of a keeper.
const (
	// maxStale is how long what was given to sessions is honoured after the
	// latest look at the store began.
	maxStale  = 2 * time.Second
	lookEvery = 500 * time.Millisecond
	// lookTime bounds one look: one that takes longer could not help in time.
	lookTime      = time.Second
	changesAtOnce = 1000
	storeTime     = 5 * time.Second // for everything else

	defaultCached = 50_000
	maxCachedSize = 512 << 20 // bytes of memory, about
	maxTold       = 4096
	maxUntold     = 256

	touchEvery  = 2 * time.Second
	sweepEvery  = time.Minute
	sweepAtOnce = 1000
	keepDone    = 24 * time.Hour // approvals that were done with
	keepChanges = time.Hour
)

// Options are what a keeper needs.
type Options struct {
	Store store.Store
	// Policy returns the policy in force; never nil.
	Policy func() *decide.Policy
	// Reviewer returns the reviewer of auto-approve mode; nil: there is none.
	Reviewer func() *Reviewer
	// Cached is how many sessions are kept in memory; 0: the default.
	Cached int
	Log    zerolog.Logger

	// OnApproval is told of each approval that was opened, resolved or used, on
	// this replica or elsewhere. It must not wait. May be nil.
	OnApproval func(Approval)
	// OnMissed is told that approvals may have changed that OnApproval is not told
	// of: whoever shows them reads them again. It must not wait. May be nil.
	OnMissed func()
	// OnTokens is told that tokens have changed. May be nil.
	OnTokens func()
	// OnStale is told when the store has not answered for so long that nothing of
	// it is known to hold any more, and when it answers again. May be nil.
	OnStale func(stale bool)

	now     func() time.Time     // for tests
	elapsed func() time.Duration // the same; it does not jump with the clock
}

// Keeper keeps sessions. Its methods may be called concurrently. Run must be
// running, or nothing that was given to a session is honoured for long.
type Keeper struct {
	Options
	cache *cache
	seen  int64        // revision up to which changes were looked at; Run's alone
	fresh atomic.Int64 // when the latest look that succeeded began, on the clock elapsed

	wasStale bool // Run's alone
	ending   chan struct{}
	end      sync.Once

	touchLock sync.Mutex
	touched   map[string]time.Time // when sessions were used the last time
	flushing  map[string]time.Time // the same, while it is written down; read only

	waiters  waiters
	told     *lru.Cache[string, int64] // approvals, and the revision that was passed on
	tellLock sync.Mutex                // from looking at told to passing on
	untold   map[string]int64          // approvals that could not be read, and the revision to pass on; Run's alone
	reviews  reviews
}

// New returns a keeper that has looked at the store once.
func New(ctx context.Context, o Options) (*Keeper, error) {
	if o.Cached <= 0 {
		o.Cached = defaultCached
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.elapsed == nil {
		start := time.Now()
		o.elapsed = func() time.Duration { return time.Since(start) }
	}
	if o.Reviewer == nil {
		o.Reviewer = func() *Reviewer { return nil }
	}
	cache, err := newCache(o.Cached, maxCachedSize)
	if err != nil {
		return nil, err
	}
	told, err := lru.New[string, int64](maxTold)
	if err != nil {
		return nil, err
	}
	k := &Keeper{Options: o, cache: cache, told: told, ending: make(chan struct{}), touched: map[string]time.Time{}, untold: map[string]int64{}}
	k.waiters.list = map[string]map[chan struct{}]bool{}
	began := k.elapsed()
	if k.seen, err = o.Store.Revision(ctx); err != nil {
		return nil, fmt.Errorf("reading the store's revision: %w", err)
	}
	k.fresh.Store(int64(began))
	return k, nil
}

// Run looks for changes and clears up until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	// What writes runs beside: a store that is slow to take it must not keep
	// the looks from telling what was revoked.
	var beside sync.WaitGroup
	beside.Go(func() { every(ctx, touchEvery, k.flushTouched) })
	beside.Go(func() { every(ctx, sweepEvery, k.sweep) })
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			beside.Wait()
			k.flushTouched(context.WithoutCancel(ctx))
			return
		case <-look.C:
			k.look(ctx)
			k.tellStale()
		case <-k.Store.Wake():
			k.look(ctx)
		}
	}
}

// every calls do from time to time until ctx ends.
func every(ctx context.Context, pause time.Duration, do func(context.Context)) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do(ctx)
		}
	}
}

// look forgets what others have changed.
func (k *Keeper) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	for {
		began := k.elapsed()
		changes, err := k.Store.ChangesSince(ctx, k.seen, changesAtOnce)
		if errors.Is(err, store.ErrForgotten) {
			err = k.startOver(ctx)
		}
		if err != nil {
			k.Log.Warn().Err(err).Msg("the store cannot be asked for changes; after two seconds, grants are not honoured")
			return
		}
		k.apply(ctx, changes)
		if len(changes) < changesAtOnce {
			k.fresh.Store(int64(began))
			k.tellAgain(ctx)
			return
		}
	}
}

func (k *Keeper) tellStale() {
	stale := k.stale()
	if stale == k.wasStale {
		return
	}
	k.wasStale = stale
	if stale {
		k.Log.Error().Msg("the store has not answered for two seconds: what was given to sessions is not honoured until it does")
	} else {
		k.Log.Info().Msg("the store answers again")
	}
	if k.OnStale != nil {
		k.OnStale(stale)
	}
}

// startOver is for a keeper that has been away too long.
func (k *Keeper) startOver(ctx context.Context) error {
	revision, err := k.Store.Revision(ctx)
	if err != nil {
		return err
	}
	k.seen = revision
	k.cache.purge()
	k.waiters.wakeAll()
	k.missed()
	return nil
}

func (k *Keeper) apply(ctx context.Context, changes []store.Change) {
	for _, c := range changes {
		k.seen = c.Revision
		switch c.Kind {
		case store.SessionChanged:
			k.cache.changed(c.ID, c.Revision)
		case store.ApprovalChanged:
			k.tell(ctx, c)
		case store.TokenChanged:
			if k.OnTokens != nil {
				k.OnTokens()
			}
		}
	}
}

// End lets everybody go who waits for an approval.
func (k *Keeper) End() { k.end.Do(func() { close(k.ending) }) }

// tell passes on an approval that changed. The change is not heard of again, so
// what cannot be read now is kept for the next look.
func (k *Keeper) tell(ctx context.Context, c store.Change) {
	if revision, ok := k.told.Get(c.ID); ok && revision >= c.Revision {
		delete(k.untold, c.ID)
		return
	}
	k.waiters.wake(c.ID)
	if k.OnApproval == nil {
		return
	}
	a, err := k.Store.Approval(ctx, c.ID)
	if err == nil {
		k.announce(a)
	}
	if err == nil || errors.Is(err, store.ErrNotFound) {
		delete(k.untold, c.ID)
		return
	}
	if k.untold[c.ID] = c.Revision; len(k.untold) > maxUntold {
		k.missed()
	}
}

// tellAgain passes on what could not be read before, as far as that works now.
func (k *Keeper) tellAgain(ctx context.Context) {
	for id, revision := range k.untold {
		if k.tell(ctx, store.Change{Revision: revision, Kind: store.ApprovalChanged, ID: id}); k.untold[id] != 0 {
			return
		}
	}
}

// missed has listeners read for themselves what they were not told.
func (k *Keeper) missed() {
	clear(k.untold)
	if k.OnMissed != nil {
		k.OnMissed()
	}
}

// announce passes on an approval as it is now, once, and never after a later
// state of it.
func (k *Keeper) announce(a store.Approval) {
	k.tellLock.Lock()
	defer k.tellLock.Unlock()
	if revision, ok := k.told.Get(a.ID); ok && revision >= a.Revision {
		return
	}
	k.told.Add(a.ID, a.Revision)
	k.waiters.wake(a.ID)
	if k.OnApproval == nil {
		return
	}
	if v, err := approvalOf(a, k.now()); err == nil {
		k.OnApproval(v)
	}
}

// stale reports whether what was given to sessions may have been taken back.
func (k *Keeper) stale() bool {
	_, fresh := k.Fresh()
	return !fresh
}

// Fresh tells how old the keeper's knowledge of the store is, and whether
// that is recent enough to honour what was given to sessions.
func (k *Keeper) Fresh() (age time.Duration, ok bool) {
	age = k.elapsed() - time.Duration(k.fresh.Load())
	return age, age <= maxStale
}

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
	e.compiled.Store(c)
	return c
}

// lookup returns a session that the caller may do something with. What it may
// not see does not exist for it.
func (k *Keeper) lookup(ctx context.Context, c auth.Caller, id string, op operation) (*live, error) {
	if !may(c, op) {
		return nil, forbid("the role %q may not do this", c.Role)
	}
	e, err := k.load(ctx, id)
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

func (k *Keeper) load(ctx context.Context, id string) (*live, error) {
	now := k.now()
	if e, ok := k.cache.get(id); ok && now.UnixNano() < e.expires.Load() {
		return e, nil
	}
	turn := k.cache.now()
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

// touch pushes on when the session expires, and has that written down once in
// a while: a twentieth of its life may be lost in a crash.
func (k *Keeper) touch(e *live, now time.Time) {
	next := now.Add(e.stored.TTL)
	before := e.expires.Load()
	if next.UnixNano()-before < int64(e.stored.TTL/20) || !e.expires.CompareAndSwap(before, next.UnixNano()) {
		return
	}
	k.touchLock.Lock()
	defer k.touchLock.Unlock()
	k.touched[e.stored.ID] = now
}

func (k *Keeper) flushTouched(ctx context.Context) {
	k.touchLock.Lock()
	batch := k.touched
	k.touched, k.flushing = make(map[string]time.Time, len(batch)), batch
	k.touchLock.Unlock()
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	err := k.Store.TouchSessions(ctx, batch)
	k.touchLock.Lock()
	defer k.touchLock.Unlock()
	k.flushing = nil
	if err == nil {
		return
	}
	k.Log.Warn().Err(err).Int("sessions", len(batch)).Msg("the use of sessions could not be written down; they may expire early")
	for id, used := range batch {
		if len(k.touched) < k.Cached && k.touched[id].Before(used) {
			k.touched[id] = used
		}
	}
}

// sweep deletes what nobody can use any more.
func (k *Keeper) sweep(ctx context.Context) {
	now := k.now()
	err := inSteps(ctx, func(ctx context.Context) (int, error) {
		// A session may have been used on another replica that has not written it
		// down yet.
		gone, err := k.Store.DropSessions(ctx, now.Add(-touchEvery*5), sweepAtOnce)
		k.cache.forget(gone...)
		return len(gone), err
	})
	if err == nil {
		err = inSteps(ctx, func(ctx context.Context) (int, error) {
			return k.Store.DropApprovals(ctx, now.Add(-keepDone), sweepAtOnce)
		})
	}
	if err == nil {
		err = inSteps(ctx, func(ctx context.Context) (int, error) {
			return 0, k.Store.ForgetChanges(ctx, now.Add(-keepChanges))
		})
	}
	if err != nil && ctx.Err() == nil {
		k.Log.Warn().Err(err).Msg("expired sessions and approvals could not be cleared up")
	}
}

// inSteps drops sweepAtOnce at a time until fewer are left: however many are
// made in a minute, as many go.
func inSteps(ctx context.Context, drop func(context.Context) (int, error)) error {
	for ctx.Err() == nil {
		step, cancel := context.WithTimeout(ctx, storeTime)
		n, err := drop(step)
		cancel()
		if err != nil || n < sweepAtOnce {
			return err
		}
	}
	return ctx.Err()
}
