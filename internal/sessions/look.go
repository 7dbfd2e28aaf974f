package sessions

import (
	"context"
	"errors"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

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
