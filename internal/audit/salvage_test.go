package audit

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
)

// poisoned is a writer with one batch that holds records which the store refuses
// for as long as poison is set.
func poisoned(t *testing.T, log *memLog, s Settings, poison *atomic.Bool) *testWriter {
	t.Helper()
	w := openTest(t, log, testIdentity(t), s)
	poison.Store(true)
	log.mu.Lock()
	log.before = func(records []store.Record) error {
		for _, r := range records {
			if r.Tool == "poison" && poison.Load() {
				return errors.New("this cannot be stored")
			}
		}
		return nil
	}
	log.mu.Unlock()
	w.mu.Lock() // so that all are in one batch
	for i, tool := range []string{"a", "poison", "b", "poison", "c"} {
		ev := testEvent(i)
		ev.Tool = tool
		var r store.Record
		ev.header(&r)
		enc := encoder{rules: w.settings.Load().Redaction}
		enc.encode(ev)
		w.add(&r, enc.buf, true)
	}
	w.mu.Unlock()
	if err := <-w.report; err == nil {
		t.Fatal("no failure is reported")
	}
	return w
}

func TestAPoisonedRecordDoesNotBlockOthers(t *testing.T) {
	log := newMemLog()
	var poison atomic.Bool
	w := poisoned(t, log, Settings{Answer: true}, &poison)
	if err := <-w.report; err != nil {
		t.Fatal(err)
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if n := chained(t, log); n != 4 || w.meter.dropped.Load() != 2 {
		t.Errorf("%d records are stored, %d dropped", n, w.meter.dropped.Load())
	}
}

// awaitStored waits until so many records are in the log.
func awaitStored(log *memLog, n int) {
	reached := make(chan struct{})
	log.mu.Lock()
	count := func() (sum int) {
		for _, list := range log.records {
			sum += len(list)
		}
		return sum
	}
	if count() >= n {
		close(reached)
	} else {
		done := false
		log.after = func([]store.Record) error { // called with the lock held
			if !done && count() >= n {
				done = true
				close(reached)
			}
			return nil
		}
	}
	log.mu.Unlock()
	<-reached
}

// Without the operator's choice no record is dropped: the others are stored, and
// the log fails until the store takes what is left.
func TestARefusedRecordIsNotDroppedUnasked(t *testing.T) {
	log := newMemLog()
	var poison atomic.Bool
	w := poisoned(t, log, Settings{}, &poison)
	awaitStored(log, 3)
	if err := w.Write(ctx, testEvent(9)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a decision is given while a record waits: %v", err)
	}
	poison.Store(false)
	if err := <-w.report; err != nil {
		t.Fatal(err)
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if n := chained(t, log); n != 5 || w.meter.dropped.Load() != 0 {
		t.Errorf("%d records are stored, %d dropped", n, w.meter.dropped.Load())
	}
	var tools []string
	for _, r := range log.all() {
		tools = append(tools, r.Tool)
	}
	if got := strings.Join(tools, " "); got != "a b c poison poison" {
		t.Errorf("stored: %s", got)
	}
}

// The choice can be made while it fails.
func TestARefusedRecordIsDroppedWhenTheOperatorSaysSo(t *testing.T) {
	log := newMemLog()
	var poison atomic.Bool
	w := poisoned(t, log, Settings{}, &poison)
	awaitStored(log, 3)
	w.Configure(Settings{Answer: true})
	if err := <-w.report; err != nil {
		t.Fatal(err)
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if n := chained(t, log); n != 4 || w.meter.dropped.Load() != 2 {
		t.Errorf("%d records are stored, %d dropped", n, w.meter.dropped.Load())
	}
}

func TestFirstToEnd(t *testing.T) {
	b := newBatch()
	for _, id := range []string{"one", "two", "three"} {
		b.add(&store.Record{ID: id}, []byte("content of "+id), b.oldest)
	}
	var h hasher
	b.link(&h, "w", 0, nil)
	salts := map[string]string{}
	for _, r := range b.records {
		salts[r.ID] = string(r.Salt)
	}
	b.firstToEnd()
	b.link(&h, "w", 0, nil)
	want := []string{"two", "three", "one"}
	for i, r := range b.records {
		if r.ID != want[i] || string(r.Content) != "content of "+r.ID || string(r.Salt) != salts[r.ID] {
			t.Errorf("record %d is %s: %s", i, r.ID, r.Content)
		}
	}
}
