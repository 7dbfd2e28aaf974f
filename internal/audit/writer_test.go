package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

var ctx = context.Background()

// counts is a meter.
type counts struct{ stored, dropped, failed atomic.Int64 }

func (c *counts) Stored(Kind, string) { c.stored.Add(1) }
func (c *counts) Dropped(n int)       { c.dropped.Add(int64(n)) }
func (c *counts) Failed()             { c.failed.Add(1) }

// testWriter is a writer over a log; report tells when it fails and recovers.
type testWriter struct {
	*Writer
	log    *memLog
	meter  *counts
	report chan error
}

func openTest(t *testing.T, log *memLog, id Identity, s Settings) *testWriter {
	t.Helper()
	w := &testWriter{log: log, meter: new(counts), report: make(chan error, 100)}
	var err error
	w.Writer, err = Open(ctx, Options{
		Log: log, Identity: id, Settings: s, Meter: w.meter, Timeout: 20 * time.Second,
		Report: func(err error) { w.report <- err },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		closing, cancel := context.WithCancel(ctx)
		cancel()
		_ = w.Close(closing)
	})
	return w
}

func testIdentity(t *testing.T) Identity {
	t.Helper()
	id, err := NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func testEvent(i int) *Event {
	return &Event{
		Kind: DecisionMade, Caller: auth.Caller{ID: "token:a", Role: auth.Runtime}, Session: "s1", Tool: "run_shell",
		Arguments: decide.NewObject(decide.Member{Name: "command", Value: decide.Text(fmt.Sprintf("git status %d", i))}),
		Decision:  &decide.Decision{Outcome: decide.Allow, Code: "low_risk", Reason: "it only reads"},
		Duration:  1500,
	}
}

// chained fails unless every chain of the log is whole, and returns its length.
func chained(t *testing.T, log *memLog) int {
	t.Helper()
	var h hasher
	n := 0
	for _, w := range log.writers {
		prev, seq := w.PrunedHash, w.Pruned
		for _, r := range log.records[w.ID] {
			if r.Seq != seq+1 {
				t.Fatalf("record %d follows record %d", r.Seq, seq)
			}
			sum := h.content(r.Salt, r.Content)
			if !bytes.Equal(sum[:], r.ContentHash) {
				t.Fatalf("record %d: its content does not match", r.Seq)
			}
			if sum = h.link(prev, &r); !bytes.Equal(sum[:], r.Hash) {
				t.Fatalf("record %d: its hash does not match", r.Seq)
			}
			if _, err := Decode(r); err != nil {
				t.Fatal(err)
			}
			prev, seq = r.Hash, r.Seq
			n++
		}
	}
	return n
}

func TestSyncWritesAreStored(t *testing.T) {
	w := openTest(t, newMemLog(), testIdentity(t), Settings{Sync: true})
	for i := range 5 {
		if err := w.Write(ctx, testEvent(i)); err != nil {
			t.Fatal(err)
		}
		if n := chained(t, w.log); n != i+1 {
			t.Fatalf("%d records are stored after %d writes", n, i+1)
		}
	}
}

func TestWritersShareCommits(t *testing.T) {
	log := newMemLog()
	hold, started := make(chan struct{}), make(chan struct{}, 100)
	log.before = func([]store.Record) error { started <- struct{}{}; <-hold; return nil }
	id := testIdentity(t)
	log.mu.Lock()
	log.marks[id.Writer] = []store.Checkpoint{{}} // so that opening does not append
	log.mu.Unlock()
	w := openTest(t, log, id, Settings{Sync: true})
	var group sync.WaitGroup
	write := func(i int) {
		group.Go(func() {
			if err := w.Write(ctx, testEvent(i)); err != nil {
				t.Error(err)
			}
		})
	}
	write(0)
	<-started // the first commit runs; what comes now goes into the next one
	for i := range 50 {
		write(i + 1)
	}
	for waiting := 0; waiting < 50; {
		w.mu.Lock()
		waiting = w.gather.len()
		w.mu.Unlock()
	}
	close(hold)
	group.Wait()
	if n := chained(t, log); n != 51 || log.appends != 2 {
		t.Errorf("%d records in %d commits", n, log.appends)
	}
}

func TestAsyncWritesAreStoredSoon(t *testing.T) {
	w := openTest(t, newMemLog(), testIdentity(t), Settings{})
	for i := range 100 {
		if err := w.Write(ctx, testEvent(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(ctx, testEvent(100)); err != nil {
		t.Fatal(err)
	}
	if n := chained(t, w.log); n != 101 {
		t.Errorf("%d records are stored", n)
	}
	if w.Lag() != 0 {
		t.Errorf("lag %s with nothing waiting", w.Lag())
	}
}

func TestCloseStoresAndSigns(t *testing.T) {
	w := openTest(t, newMemLog(), testIdentity(t), Settings{})
	for i := range 10 {
		_ = w.Write(ctx, testEvent(i))
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if n := chained(t, w.log); n != 10 {
		t.Errorf("%d records are stored", n)
	}
	marks := w.log.marks[w.ID()]
	last := marks[len(marks)-1]
	if last.Kind != "shutdown" || last.Seq != 10 || !signedBy(w.identity.Public(), &last) {
		t.Errorf("the last checkpoint is %+v", last)
	}
	if err := w.Write(ctx, testEvent(1)); !errors.Is(err, ErrClosed) || !errors.Is(err, ErrUnavailable) {
		t.Errorf("a write after the end: %v", err)
	}
}

func TestRestartGoesOn(t *testing.T) {
	log, dir := newMemLog(), t.TempDir()
	for range 3 {
		id, err := LoadIdentity(dir)
		if err != nil {
			t.Fatal(err)
		}
		w := openTest(t, log, id, Settings{Sync: true})
		if err := w.Write(ctx, testEvent(0)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if len(log.writers) != 1 || chained(t, log) != 3 {
		t.Errorf("%d writers", len(log.writers))
	}
	if kinds := markKinds(log, log.writers[0].ID); kinds != "start 0, shutdown 1, shutdown 2, shutdown 3" {
		t.Errorf("checkpoints: %s", kinds)
	}
}

func markKinds(log *memLog, writer string) string {
	var list []string
	for _, m := range log.marks[writer] {
		list = append(list, fmt.Sprintf("%s %d", m.Kind, m.Seq))
	}
	return strings.Join(list, ", ")
}

func TestCheckpoints(t *testing.T) {
	w := openTest(t, newMemLog(), testIdentity(t), Settings{Sync: true, CheckpointEvery: 3})
	for i := range 7 {
		_ = w.Write(ctx, testEvent(i))
	}
	if kinds := markKinds(w.log, w.ID()); kinds != "start 0, periodic 3, periodic 6" {
		t.Errorf("checkpoints: %s", kinds)
	}
}

// Each way in which a commit can fail, and what became of it.
func TestFailedCommits(t *testing.T) {
	boom := fmt.Errorf("%w: no space left on device", store.ErrUnavailable)
	tests := []struct {
		name string
		// fail is what the commit and the next ones do, by number, from 0.
		before, after map[int]error
		open          map[int]error
		written       int // records that are in the log at the end
	}{
		{"nothing was stored", map[int]error{0: boom}, nil, nil, 2},
		{"everything was stored", nil, map[int]error{0: boom}, nil, 2},
		{"nothing was stored, twice", map[int]error{0: boom, 1: boom}, nil, nil, 2},
		{"stored at the second try", map[int]error{0: boom}, map[int]error{1: boom}, nil, 2},
		{"the head cannot be read at first", map[int]error{0: boom}, nil, map[int]error{0: boom}, 2},
		{"a refusal that is none", map[int]error{0: store.ErrExists}, nil, nil, 2},
	}
	for _, tc := range tests {
		for _, sync := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, sync %v", tc.name, sync), func(t *testing.T) {
				log := newMemLog()
				w := openTest(t, log, testIdentity(t), Settings{Sync: sync})
				befores, afters, opens := 0, 0, 0
				log.mu.Lock()
				log.before = func([]store.Record) error { befores++; return tc.before[befores-1] }
				log.after = func([]store.Record) error { afters++; return tc.after[befores-1] }
				log.open = func() error { opens++; return tc.open[opens-1] }
				log.mu.Unlock()
				if err := w.Commit(ctx, testEvent(0)); !errors.Is(err, ErrUnavailable) {
					t.Fatalf("the failed commit says %v", err)
				}
				if err := <-w.report; !errors.Is(err, ErrUnavailable) {
					t.Fatal(err)
				}
				if err := <-w.report; err != nil {
					t.Fatalf("recovery reports %v", err)
				}
				if err := w.Commit(ctx, testEvent(1)); err != nil {
					t.Fatal(err)
				}
				if n := chained(t, log); n != tc.written || len(log.writers) != 1 {
					t.Errorf("%d records of %d writers", n, len(log.writers))
				}
				if n := w.meter.stored.Load(); n != int64(tc.written) {
					t.Errorf("%d are counted", n)
				}
				if n := w.meter.dropped.Load(); n != 0 {
					t.Errorf("%d are counted as dropped", n)
				}
			})
		}
	}
}

func TestFailingRefusesAtOnce(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{})
	down := errors.Join(store.ErrUnavailable, errors.New("read-only file system"))
	var broken atomic.Bool
	broken.Store(true)
	log.mu.Lock()
	log.before = func([]store.Record) error {
		if broken.Load() {
			return down
		}
		return nil
	}
	log.mu.Unlock()
	if err := w.Write(ctx, testEvent(0)); err != nil {
		t.Fatal("the first write does not know yet: ", err)
	}
	<-w.report
	if err := w.Write(ctx, testEvent(1)); !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a write while the log fails: %v", err)
	}
	if w.Err() == nil {
		t.Error("the writer does not say that it fails")
	}
	broken.Store(false)
	if err := <-w.report; err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx, testEvent(2)); err != nil {
		t.Fatal(err)
	}
	if n := chained(t, log); n != 2 {
		t.Errorf("%d records", n)
	}
}

func TestAnswerDropsBeyondTheBound(t *testing.T) {
	for _, sync := range []bool{true, false} {
		log := newMemLog()
		w := openTest(t, log, testIdentity(t), Settings{Sync: sync, Answer: true})
		var broken atomic.Bool
		broken.Store(true)
		log.mu.Lock()
		log.before = func([]store.Record) error {
			if broken.Load() {
				return store.ErrUnavailable
			}
			return nil
		}
		log.mu.Unlock()
		if err := w.Write(ctx, testEvent(0)); err != nil {
			t.Fatal(err)
		}
		<-w.report
		const more = maxRecords + 10
		for i := range more {
			if err := w.Write(ctx, testEvent(i)); err != nil {
				t.Fatal(err)
			}
		}
		if n := w.meter.dropped.Load(); n != 10 {
			t.Errorf("%d records were dropped", n)
		}
		broken.Store(false)
		if err := <-w.report; err != nil {
			t.Fatal(err)
		}
		if err := w.Close(ctx); err != nil {
			t.Fatal(err)
		}
		all := log.all()
		if n := chained(t, log); n != 1+maxRecords+1 {
			t.Errorf("%d records are stored", n)
		}
		told := false
		for _, r := range all {
			if r.Kind == string(LoggedOut) {
				told = r.Outcome == "10" && bytes.Contains(r.Content, []byte(`"records":10`))
			}
		}
		if !told {
			t.Error("the log does not say that records were dropped")
		}
	}
}

func TestNoRoomWaitsForTheContext(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{})
	hold := make(chan struct{})
	started := make(chan struct{}, 10)
	log.mu.Lock()
	log.before = func([]store.Record) error { started <- struct{}{}; <-hold; return nil }
	log.mu.Unlock()
	_ = w.Write(ctx, testEvent(0))
	<-started
	// The commit hangs. Until the oldest record has waited for MaxLag, others are
	// taken; then nobody is.
	w.mu.Lock()
	w.oldest = time.Now().Add(time.Hour)
	w.mu.Unlock()
	if err := w.Write(ctx, testEvent(1)); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.oldest = time.Now().Add(-MaxLag)
	w.mu.Unlock()
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := w.Write(over, testEvent(2)); !errors.Is(err, ErrUnavailable) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w.mu.Lock()
	w.oldest = time.Now().Add(time.Hour)
	for w.gather.len() < maxRecords {
		w.gather.add(&store.Record{ID: fmt.Sprint("full ", w.gather.len()), Kind: "decision"}, []byte(`{}`), time.Now())
	}
	w.mu.Unlock()
	if err := w.Write(over, testEvent(3)); !errors.Is(err, ErrUnavailable) {
		t.Error("a full queue takes another record: ", err)
	}
	close(hold)
	if err := w.Commit(ctx, testEvent(0)); err != nil {
		t.Fatal(err)
	}
	if n := chained(t, log); n != 1+maxRecords+1 {
		t.Errorf("%d records are stored", n)
	}
}

func TestAForeignChainIsLeftAlone(t *testing.T) {
	log, dir := newMemLog(), t.TempDir()
	id, err := LoadIdentity(dir)
	if err != nil {
		t.Fatal(err)
	}
	one := openTest(t, log, id, Settings{Sync: true})
	two := openTest(t, log, id, Settings{Sync: true}) // the directory was copied
	if err := one.Write(ctx, testEvent(0)); err != nil {
		t.Fatal(err)
	}
	if err := two.Write(ctx, testEvent(1)); !errors.Is(err, ErrUnavailable) {
		t.Fatal(err)
	}
	<-two.report
	if err := <-two.report; err != nil {
		t.Fatal(err)
	}
	if err := two.Write(ctx, testEvent(2)); err != nil {
		t.Fatal(err)
	}
	if err := one.Write(ctx, testEvent(3)); err != nil {
		t.Fatal(err)
	}
	if n := chained(t, log); n != 4 || len(log.writers) != 2 {
		t.Errorf("%d records of %d writers", n, len(log.writers))
	}
	if kinds := markKinds(log, two.ID()); kinds != "start 1" {
		t.Errorf("checkpoints of the new chain: %s", kinds)
	}
	again, err := LoadIdentity(dir)
	if err != nil || again.Writer != two.ID() {
		t.Errorf("the directory names %s, want %s (%v)", again.Writer, two.ID(), err)
	}
}

func TestCloseSaysWhatIsLost(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{})
	log.mu.Lock()
	log.before = func([]store.Record) error { return store.ErrUnavailable }
	log.mu.Unlock()
	_ = w.Write(ctx, testEvent(0))
	<-w.report
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if err := w.Close(short); err == nil || !strings.Contains(err.Error(), "1 records were lost") {
		t.Error(err)
	}
}

func TestManyWriters(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{CheckpointEvery: 100})
	var flaky atomic.Int64
	log.mu.Lock()
	log.after = func([]store.Record) error {
		if flaky.Add(1)%5 == 0 {
			return store.ErrUnavailable
		}
		return nil
	}
	log.mu.Unlock()
	var group sync.WaitGroup
	var taken atomic.Int64
	for g := range 8 {
		group.Go(func() {
			for i := range 200 {
				var err error
				if i%50 == 0 {
					err = w.Commit(ctx, testEvent(i))
				} else {
					err = w.Write(ctx, testEvent(g*1000+i))
				}
				if err == nil {
					taken.Add(1)
				}
			}
		})
	}
	group.Wait()
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if n := chained(t, log); int64(n) < taken.Load() || int64(n) != w.meter.stored.Load() {
		t.Errorf("%d stored, %d taken, %d counted", n, taken.Load(), w.meter.stored.Load())
	}
}
