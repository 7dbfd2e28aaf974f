package sessions

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/repeat"
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
	lastTouches = time.Second // to write down the use of sessions at the end
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
	// Quota bounds what each runtime may keep.
	Quota Quota
	Log   zerolog.Logger

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
	owned *ledger
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
	o.Quota = o.Quota.withDefaults()
	owned, err := newLedger()
	if err != nil {
		return nil, err
	}
	k := &Keeper{Options: o, cache: cache, owned: owned, told: told, ending: make(chan struct{}), touched: map[string]time.Time{}, untold: map[string]int64{}}
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
	beside.Go(func() { repeat.Every(ctx, touchEvery, k.flushTouched) })
	beside.Go(func() { repeat.Every(ctx, sweepEvery, k.sweep) })
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			beside.Wait()
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTouches)
			k.flushTouched(last)
			cancel()
			return
		case <-look.C:
			k.look(ctx)
			k.tellStale()
		case <-k.Store.Wake():
			k.look(ctx)
		}
	}
}

// End lets everybody go who waits for an approval.
func (k *Keeper) End() { k.end.Do(func() { close(k.ending) }) }
