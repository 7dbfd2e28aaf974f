package inspect

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Pool runs inspections with a deadline. A system call on a dead network mount
// may never come back and cannot be called off: the worker that made it is given
// up, and the pool counts it until it returns. A pool with too many of them
// refuses new work rather than grow without a bound.
//
// The zero value is ready to use. It must not be copied.
type Pool struct {
	// Workers bounds how many inspections of one batch run at once; 0: twice the
	// number of CPUs.
	Workers int
	// MaxStuck bounds how many workers may be given up; 0: 64.
	MaxStuck int

	stuck atomic.Int64
}

// DefaultPool is shared by everybody who needs no own bounds.
var DefaultPool = &Pool{}

const defaultMaxStuck = 64

// DefaultPathTimeout is how long one path of a batch may take.
const DefaultPathTimeout = 5 * time.Second

func (p *Pool) workers() int {
	if p.Workers > 0 {
		return p.Workers
	}
	return 2 * runtime.GOMAXPROCS(0)
}

func (p *Pool) full() bool {
	limit := p.MaxStuck
	if limit <= 0 {
		limit = defaultMaxStuck
	}
	return p.stuck.Load() >= int64(limit)
}

// Stuck is how many workers wait for a system call that is overdue.
func (p *Pool) Stuck() int { return int(p.stuck.Load()) }

var errStuck = refusal(CodeTimeout, "too many inspections hang, on a file system that does not answer")

func lateError(limit time.Duration, confirmed bool) *Error {
	e := refusal(CodeTimeout, "timed out after "+limit.String()+": the file system does not answer")
	e.Confirmed = confirmed
	return e
}

// Run calls work and waits for it, at most for timeout. After an error work may
// still be running: alive tells it that nobody waits any more, and nothing that
// it writes may be read.
func (p *Pool) Run(ctx context.Context, timeout time.Duration, work func(alive func() bool)) error {
	if p.full() {
		return errStuck
	}
	var over atomic.Bool
	done := make(chan struct{})
	go func() {
		work(func() bool { return !over.Load() })
		close(done)
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var cause error
	select {
	case <-done:
		return nil
	case <-timer.C:
		cause = lateError(timeout, false)
	case <-ctx.Done():
		cause = &Error{Code: CodeTimeout, Message: "called off", cause: ctx.Err()}
	}
	over.Store(true)
	p.giveUp(done)
	return cause
}

// giveUp counts a worker until it is done.
func (p *Pool) giveUp(done <-chan struct{}) {
	p.stuck.Add(1)
	go func() {
		<-done
		p.stuck.Add(-1)
	}()
}

// BatchOptions are the options of a batch.
type BatchOptions struct {
	Options
	// Timeout bounds the whole batch, PathTimeout each path; 0: the defaults.
	Timeout     time.Duration
	PathTimeout time.Duration
	// Admit is asked before each path is inspected, by the worker, since to find
	// out may take as long; a text refuses the path. Nil admits everything.
	Admit func(path string) string
	// Done is called with the number of finished paths from time to time, and by
	// one goroutine only. Nil is not called.
	Done func(finished int)
}

// Batch reports on paths, one for one, in order, duplicates included. A path that
// is late or refused has a report that says so; the others have theirs.
func (p *Pool) Batch(ctx context.Context, paths []string, opts BatchOptions) []Report {
	b := newBatch(p, paths, &opts)
	b.run(ctx)
	return b.reports
}

// The life of one path in a batch. Who changes the state to settled writes the
// report.
const (
	pathWaiting int32 = iota
	pathSettled
)

type batch struct {
	pool    *Pool
	paths   []string
	opts    *BatchOptions
	reports []Report
	state   []atomic.Int32
	next    atomic.Int64
	settled atomic.Int64
	done    chan struct{} // closed when every path is settled

	mu      sync.Mutex
	running map[*worker]struct{}
}

// worker takes one path after the other until there are none or it is given up.
type worker struct {
	batch   *batch
	session *session
	index   atomic.Int64 // of the current path, -1 for none
	since   atomic.Int64 // when it began, in nanoseconds of the batch's clock
	given   atomic.Bool  // given up
	ended   chan struct{}
}

func newBatch(p *Pool, paths []string, opts *BatchOptions) *batch {
	if opts.Timeout <= 0 {
		opts.Timeout = DefaultTimeout
	}
	if opts.PathTimeout <= 0 {
		opts.PathTimeout = DefaultPathTimeout
	}
	return &batch{
		pool: p, paths: paths, opts: opts, reports: make([]Report, len(paths)), state: make([]atomic.Int32, len(paths)),
		done: make(chan struct{}), running: map[*worker]struct{}{},
	}
}

func (b *batch) run(ctx context.Context) {
	if len(b.paths) == 0 {
		return
	}
	start := time.Now()
	for range min(b.pool.workers(), len(b.paths)) {
		b.start(start)
	}
	deadline := time.NewTimer(b.opts.Timeout)
	defer deadline.Stop()
	tick := time.NewTicker(max(min(b.opts.PathTimeout/4, 50*time.Millisecond), time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-b.done:
			b.tell()
			return
		case <-tick.C:
			b.tell()
			b.watch(start)
		case <-deadline.C:
			b.settleRest(lateError(b.opts.Timeout, false))
		case <-ctx.Done():
			b.settleRest(&Error{Code: CodeTimeout, Message: "called off", cause: ctx.Err()})
		}
	}
}

func (b *batch) tell() {
	if b.opts.Done != nil {
		b.opts.Done(int(b.settled.Load()))
	}
}

// start adds a worker, unless too many hang.
func (b *batch) start(begin time.Time) {
	if b.pool.full() {
		return
	}
	w := &worker{batch: b, session: newSession(&b.opts.Options), ended: make(chan struct{})}
	w.session.keep()
	w.session.admit = b.opts.Admit
	w.index.Store(-1)
	b.mu.Lock()
	b.running[w] = struct{}{}
	b.mu.Unlock()
	go w.run(begin)
}

func (w *worker) run(begin time.Time) {
	defer close(w.ended)
	defer w.session.close()
	b := w.batch
	for !w.given.Load() {
		i := b.next.Add(1) - 1
		if i >= int64(len(b.paths)) {
			break
		}
		w.since.Store(int64(time.Since(begin)))
		w.index.Store(i)
		if b.state[i].Load() == pathWaiting {
			r := w.report(b.paths[i])
			b.settle(int(i), &r)
		}
		w.index.Store(-1)
	}
	b.mu.Lock()
	delete(b.running, w)
	b.mu.Unlock()
}

func (w *worker) report(path string) Report {
	if admit := w.batch.opts.Admit; admit != nil {
		if why := admit(path); why != "" {
			r := failed(why)
			r.Detail = FormatDetail(path, r)
			return r
		}
	}
	return w.session.report(path)
}

// settle gives a path its report, unless it has one.
func (b *batch) settle(i int, r *Report) {
	if !b.state[i].CompareAndSwap(pathWaiting, pathSettled) {
		return
	}
	b.reports[i] = *r
	if b.settled.Add(1) == int64(len(b.paths)) {
		close(b.done)
	}
}

func (b *batch) settleError(i int, err *Error) {
	r := failed(err.Message)
	r.Detail = FormatDetail(b.paths[i], r)
	b.settle(i, &r)
}

// watch gives up the workers whose path is overdue and puts others in their
// place. When there is nobody left to work, the rest is refused.
func (b *batch) watch(begin time.Time) {
	now := int64(time.Since(begin))
	b.mu.Lock()
	late := map[*worker]int64{}
	for w := range b.running {
		if i := w.index.Load(); i >= 0 && now-w.since.Load() > int64(b.opts.PathTimeout) {
			late[w] = i
			delete(b.running, w)
		}
	}
	b.mu.Unlock()
	for w, i := range late {
		w.given.Store(true)
		b.pool.giveUp(w.ended)
		b.settleError(int(i), lateError(b.opts.PathTimeout, false))
		b.start(begin)
	}
	b.mu.Lock()
	idle := len(b.running) == 0
	b.mu.Unlock()
	if idle {
		b.settleRest(errStuck)
	}
}

// settleRest ends the batch: nothing that is not settled will be.
func (b *batch) settleRest(err *Error) {
	b.next.Store(int64(len(b.paths)))
	for i := range b.paths {
		if b.state[i].Load() == pathWaiting {
			b.settleError(i, err)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for w := range b.running {
		w.given.Store(true)
		if w.index.Load() >= 0 {
			b.pool.giveUp(w.ended)
		}
		delete(b.running, w)
	}
}
