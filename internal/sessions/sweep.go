package sessions

import (
	"context"
	"time"
)

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
