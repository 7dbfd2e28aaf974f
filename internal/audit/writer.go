package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// ErrUnavailable says that the log cannot be written. A record that was handed in
// may still be written later.
var ErrUnavailable = errors.New("the audit log cannot be written")

// ErrClosed says that the writer has ended. It is an ErrUnavailable.
var ErrClosed = fmt.Errorf("%w: the writer is closed", ErrUnavailable)

// Bounds of a writer.
const (
	// MaxLag bounds what a crash can lose in async mode: while a record has waited
	// longer than this for its commit, no other is taken.
	MaxLag = 100 * time.Millisecond
	// gatherMost is how long the first record of a batch waits for others in async
	// mode where commits take no time. On a slow disk it waits as much shorter as
	// the last commit took, but for gatherLeast: both together stay below MaxLag.
	gatherMost  = 60 * time.Millisecond
	gatherLeast = 25 * time.Millisecond

	flushRecords = 1000
	maxRecords   = 8192     // that wait for a commit
	maxBytes     = 64 << 20 // of their contents

	// unmarked is the number of the latest checkpoint of a chain that has none.
	unmarked = -1 << 40

	firstRetry = 50 * time.Millisecond
	lastRetry  = time.Second

	// DefaultCheckpointEvery is after how many records a checkpoint is signed.
	DefaultCheckpointEvery = 1000
	// DefaultCheckpointInterval is the longest that a record waits for one.
	DefaultCheckpointInterval = time.Minute
	// DefaultWait is how long Write waits for room or for a commit, if its context
	// has no earlier end.
	DefaultWait = 5 * time.Second
)

// Settings are what the operator chose; the zero value is the default.
type Settings struct {
	// Sync makes Write return after the commit.
	Sync bool
	// Answer lets decisions be given while the log cannot be written.
	Answer bool
	// CheckpointEvery is after how many records a checkpoint is signed.
	CheckpointEvery int
	// CheckpointInterval is how long after the latest checkpoint another one is
	// signed, if there are new records.
	CheckpointInterval time.Duration
	// Redaction is what is left out of records; nil: the built-in rules.
	Redaction *Redaction
}

// Meter is told what happens; its methods must not wait.
type Meter interface {
	// Stored is called for each record that was committed.
	Stored(kind Kind, outcome string)
	// Dropped counts records that were not kept, as the operator chose.
	Dropped(n int)
	// Failed counts commits that failed.
	Failed()
}

// Options are what a writer needs.
type Options struct {
	Log      store.Log
	Identity Identity
	Settings Settings
	Meter    Meter // nil: nobody counts
	// Report is told when the log cannot be written (err), and when it can be
	// again (nil). It must not wait.
	Report func(err error)
	// Timeout bounds one commit; 0: DefaultWait.
	Timeout time.Duration
}

// Writer writes the records of one chain. Its methods may be called by many
// goroutines at once.
type Writer struct {
	log      store.Log
	meter    Meter
	report   func(error)
	timeout  time.Duration
	settings atomic.Pointer[Settings]
	failing  atomic.Pointer[failure] // nil: the log can be written
	encoders sync.Pool

	mu      sync.Mutex
	gather  *batch
	spare   *batch
	closed  bool
	moved   chan struct{} // closed when room was made
	waiting bool          // somebody waits on moved
	oldest  time.Time     // of the records that are being committed; zero: none are
	dropped droppedSpan

	wake chan struct{}
	quit chan struct{}
	done chan struct{}
	stop context.CancelFunc // of commits

	// Of the goroutine alone.
	identity Identity
	seq      int64
	hash     []byte
	marked   int64     // number of the record that the latest checkpoint speaks of
	markedAt time.Time // when it was signed, or could not be
	hasher   hasher
	pending  *batch        // whose commit failed
	refusals int           // commits in a row that the store refused for good
	lasted   time.Duration // the last commit
	retry    time.Duration
	tryAt    time.Time
	closing  error
}

type failure struct{ err error }

// droppedSpan is what was dropped since the log could last be written.
type droppedSpan struct {
	count     int64
	from, to  time.Time
	lastCause string
}

// Open goes on with the writer's chain, or starts it. Close ends the writer.
func Open(ctx context.Context, o Options) (*Writer, error) {
	if o.Meter == nil {
		o.Meter = noMeter{}
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultWait
	}
	w := &Writer{
		log: o.Log, meter: o.Meter, report: o.Report, timeout: o.Timeout,
		gather: newBatch(), spare: newBatch(), moved: make(chan struct{}),
		wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
		identity: o.Identity,
	}
	w.encoders.New = func() any { return new(encoder) }
	w.Configure(o.Settings)
	if err := w.start(ctx); err != nil {
		return nil, err
	}
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	w.stop = stop
	go w.run(work)
	return w, nil
}

// Configure puts other settings into force.
func (w *Writer) Configure(s Settings) {
	if s.CheckpointEvery <= 0 {
		s.CheckpointEvery = DefaultCheckpointEvery
	}
	if s.CheckpointInterval <= 0 {
		s.CheckpointInterval = DefaultCheckpointInterval
	}
	if s.Redaction == nil {
		s.Redaction = &Redaction{body: DefaultBody}
	}
	w.settings.Store(&s)
	w.nudge() // a checkpoint may be due sooner
}

// start reads where the chain ends, and signs that if no checkpoint does.
func (w *Writer) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	head, err := w.log.OpenWriter(ctx, w.identity.writer(time.Now()))
	if errors.Is(err, store.ErrExists) {
		// The name belongs to another key: the key file was replaced.
		head, err = w.renew(ctx)
	}
	if err != nil {
		return fmt.Errorf("opening the audit log: %w", err)
	}
	w.seq, w.hash, w.markedAt = head.Seq, append([]byte(nil), head.Hash...), time.Now()
	marks, err := w.log.ListCheckpoints(ctx, w.identity.Writer)
	if err != nil {
		return fmt.Errorf("opening the audit log: %w", err)
	}
	if n := len(marks); n > 0 && marks[n-1].Seq >= w.seq {
		w.marked = w.seq
		return nil
	}
	return w.mark(ctx, "start")
}

// renew starts a new chain under a new id.
func (w *Writer) renew(ctx context.Context) (store.Head, error) {
	id, err := w.identity.renewed()
	if err != nil {
		return store.Head{}, err
	}
	head, err := w.log.OpenWriter(ctx, id.writer(time.Now()))
	if err == nil {
		w.mu.Lock()
		w.identity, w.marked = id, unmarked
		w.mu.Unlock()
	}
	return head, err
}

// mark stores a checkpoint of the chain's end.
func (w *Writer) mark(ctx context.Context, kind string) error {
	c := w.identity.checkpoint(kind, w.seq, w.hash, time.Now())
	if err := w.log.Append(ctx, nil, []store.Checkpoint{c}); err != nil {
		return fmt.Errorf("signing the audit log: %w", err)
	}
	w.marked, w.markedAt = w.seq, time.Now()
	return nil
}

// Write takes one event. In sync mode it returns when the record is stored, in
// async mode when it is queued. An error is an ErrUnavailable: then what the
// event tells of must not be answered with success. With Settings.Answer there is
// no error but ErrClosed.
func (w *Writer) Write(ctx context.Context, ev *Event) error {
	return w.write(ctx, ev, w.settings.Load().Sync)
}

// Commit is Write, but returns when the record is stored, in either mode: for
// what is too rare and too important to be lost.
func (w *Writer) Commit(ctx context.Context, ev *Event) error { return w.write(ctx, ev, true) }

func (w *Writer) write(ctx context.Context, ev *Event, wait bool) error {
	set := w.settings.Load()
	if f := w.failing.Load(); f != nil && !set.Answer {
		return f.err
	}
	var r store.Record
	ev.header(&r)
	enc := w.encoders.Get().(*encoder)
	enc.buf, enc.rules = enc.buf[:0], set.Redaction
	enc.encode(ev)
	result, err := w.enqueue(ctx, set, &r, enc.buf, wait)
	w.encoders.Put(enc)
	if err != nil || result == nil || !wait || w.failing.Load() != nil && set.Answer {
		return err
	}
	return w.await(ctx, set, result)
}

// await waits for a commit.
func (w *Writer) await(ctx context.Context, set *Settings, r *result) error {
	limit := time.NewTimer(w.timeout)
	defer limit.Stop()
	var err error
	select {
	case <-r.done:
		err = r.err
	case <-ctx.Done():
		err = fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	case <-limit.C:
		err = fmt.Errorf("%w: the commit takes longer than %s", ErrUnavailable, w.timeout)
	}
	if err != nil && set.Answer {
		return nil // the record waits, and is written when the log can be
	}
	return err
}

// Lag is how long the oldest record that is not stored has waited.
func (w *Writer) Lag() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	oldest := w.oldest
	if oldest.IsZero() {
		if w.gather.len() == 0 {
			return 0
		}
		oldest = w.gather.oldest
	}
	return time.Since(oldest)
}

// Err returns why the log cannot be written, or nil.
func (w *Writer) Err() error {
	if f := w.failing.Load(); f != nil {
		return f.err
	}
	return nil
}

// Ready returns an ErrUnavailable while records are not taken: then what would
// have to be recorded must not be done.
func (w *Writer) Ready() error {
	if err := w.Err(); err != nil && !w.settings.Load().Answer {
		return err
	}
	return nil
}

// ID returns the writer's id. It changes if somebody else goes on with the chain.
func (w *Writer) ID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.identity.Writer
}

// Close stores what waits, signs the chain's end, and ends the writer. The error
// says how many records could not be stored before ctx ended.
func (w *Writer) Close(ctx context.Context) error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		<-w.done
		return w.closing
	}
	w.closed = true
	close(w.quit)
	w.release()
	w.mu.Unlock()
	select {
	case <-w.done:
	case <-ctx.Done():
		w.stop()
		<-w.done
	}
	return w.closing
}

// release wakes those who wait for room.
func (w *Writer) release() {
	if w.waiting {
		close(w.moved)
		w.moved, w.waiting = make(chan struct{}), false
	}
}

type noMeter struct{}

func (noMeter) Stored(Kind, string) {}
func (noMeter) Dropped(int)         {}
func (noMeter) Failed()             {}

// droppedEvent tells of dropped records in the log itself.
func droppedEvent(d droppedSpan) *Event {
	return &Event{
		Kind: LoggedOut, Outcome: strconv.FormatInt(d.count, 10), Note: "records were dropped while the log could not be written",
		Details: Detail(map[string]any{
			"records": d.count, "from": d.from.UTC().Format(time.RFC3339Nano), "to": d.to.UTC().Format(time.RFC3339Nano), "cause": d.lastCause,
		}),
	}
}

// sameHead reports whether the chain ends at this record.
func sameHead(h store.Head, seq int64, hash []byte) bool {
	return h.Seq == seq && (seq == 0 || bytes.Equal(h.Hash, hash))
}
