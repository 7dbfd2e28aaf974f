package audit

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// signedAlone returns a channel that gets the number of commits' records once a
// checkpoint was stored without records.
func signedAlone(log *memLog) <-chan struct{} {
	signed := make(chan struct{}, 16)
	log.mu.Lock()
	defer log.mu.Unlock()
	log.after = func(records []store.Record) error {
		if len(records) == 0 {
			signed <- struct{}{}
		}
		return nil
	}
	return signed
}

func TestTheEndIsSignedWhenNothingMoreComes(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{Sync: true, CheckpointInterval: time.Hour})
	signed := signedAlone(log)
	for i := range 2 {
		_ = w.Write(ctx, testEvent(i))
	}
	w.Configure(Settings{Sync: true, CheckpointInterval: time.Nanosecond})
	<-signed
	w.Configure(Settings{Sync: true, CheckpointInterval: time.Hour})
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	// What is signed is not signed again, neither with time nor at the end.
	if kinds := markKinds(log, w.ID()); kinds != "start 0, periodic 2" {
		t.Errorf("checkpoints: %s", kinds)
	}
}

func TestABatchIsSignedWhenItIsTime(t *testing.T) {
	w := openTest(t, newMemLog(), testIdentity(t), Settings{Sync: true, CheckpointInterval: time.Nanosecond})
	for i := range 3 {
		_ = w.Write(ctx, testEvent(i))
	}
	if kinds := markKinds(w.log, w.ID()); kinds != "start 0, periodic 1, periodic 2, periodic 3" {
		t.Errorf("checkpoints: %s", kinds)
	}
}

func TestASignatureThatFailsIsTriedAgain(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{Sync: true, CheckpointInterval: time.Hour})
	_ = w.Write(ctx, testEvent(0))
	signed := signedAlone(log)
	var tries atomic.Int64
	log.mu.Lock()
	log.before = func(records []store.Record) error {
		if len(records) == 0 && tries.Add(1) < 3 {
			return store.ErrUnavailable
		}
		return nil
	}
	log.mu.Unlock()
	w.Configure(Settings{Sync: true, CheckpointInterval: time.Millisecond})
	<-signed
	if err := w.Err(); err != nil {
		t.Errorf("a checkpoint that failed keeps records out: %v", err)
	}
}
