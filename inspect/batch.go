package inspect

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

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
	return b.take()
}

// take is the reports, of which the batch then knows no more: a worker that hangs
// keeps the batch, for as long as it hangs. All are settled, so nobody else looks
// at them.
func (b *batch) take() []Report {
	reports := b.reports
	b.reports = nil
	return reports
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
		if !b.pool.sit() {
			break
		}
		b.start(start)
	}
	deadline := time.NewTimer(b.opts.Timeout)
	defer deadline.Stop()
	tick := time.NewTicker(max(min(b.opts.PathTimeout/4, 50*time.Millisecond), time.Millisecond))
	defer tick.Stop()
	for {
		seat := b.missingSeat()
		select {
		case <-b.done:
			b.tell()
			return
		case seat <- struct{}{}:
			b.start(start)
		case <-tick.C:
			b.tell()
			b.watch(start)
		case <-deadline.C:
			b.settleRest(lateError(b.opts.Timeout, false))
		case <-ctx.Done():
			b.settleRest(calledOff(ctx, false))
		}
		if seat != nil {
			b.pool.waiting.Add(-1)
		}
	}
}

// missingSeat is where to wait for a seat while nobody works for the batch, and
// nil while somebody does. Where no seat will come free the batch is over.
func (b *batch) missingSeat() chan<- struct{} {
	b.mu.Lock()
	idle := len(b.running) == 0
	b.mu.Unlock()
	if !idle || b.settled.Load() == int64(len(b.paths)) {
		return nil
	}
	if b.pool.full() {
		b.settleRest(errStuck)
		return nil
	}
	b.pool.waiting.Add(1)
	return b.pool.room()
}

func (b *batch) tell() {
	if b.opts.Done != nil {
		b.opts.Done(int(b.settled.Load()))
	}
}

// start adds a worker, which has its seat.
func (b *batch) start(begin time.Time) {
	w := &worker{batch: b, ended: make(chan struct{})}
	w.open()
	w.index.Store(-1)
	b.mu.Lock()
	b.running[w] = struct{}{}
	b.mu.Unlock()
	go w.run(begin)
}

func (w *worker) open() {
	w.session = newSession(&w.batch.opts.Options)
	w.session.keep()
	w.session.admit = w.batch.opts.Admit
}

func (w *worker) run(begin time.Time) {
	b := w.batch
	seated := true
	defer func() {
		w.session.close()
		if seated {
			b.pool.stand()
		}
		close(w.ended)
	}()
	for !w.given.Load() {
		if seated = w.makeRoom(); !seated {
			break
		}
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

// makeRoom lets others who wait for a seat have it first: a long batch must not
// hold up a single path. It reports false when the batch has ended meanwhile.
func (w *worker) makeRoom() bool {
	p := w.batch.pool
	if p.waiting.Load() == 0 {
		return true
	}
	p.stand()
	select {
	case p.room() <- struct{}{}:
		return true
	case <-w.batch.done:
		return false
	}
}

func (w *worker) report(path string) (r Report) {
	if err := w.batch.pool.refusesMount(path); err != nil {
		return lateReport(path, errorOf(err))
	}
	defer func() {
		if cause := recover(); cause != nil { // one path's trouble, not the others'
			w.session.close()
			w.open()
			r = failed("internal error: " + DescribeFailure(cause))
			r.Detail = FormatDetail(path, r)
		}
	}()
	if admit := w.batch.opts.Admit; admit != nil {
		if why := admit(path); why != "" {
			r := failed(why)
			r.Detail = FormatDetail(path, r)
			return r
		}
	}
	return w.session.report(path)
}

// lateReport is the report of a path that there was no time for.
func lateReport(path string, err *Error) Report {
	r := failed(err.Message)
	r.ErrorCode = err.Code
	r.Detail = FormatDetail(path, r)
	return r
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
	r := lateReport(b.paths[i], err)
	b.settle(i, &r)
}

// watch gives up the workers whose path is overdue and puts others in their
// place, as long as there are seats.
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
		b.pool.giveUp(w.ended, b.paths[i])
		b.settleError(int(i), lateError(b.opts.PathTimeout, false))
		if b.pool.sit() {
			b.start(begin)
		}
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
		if i := w.index.Load(); i >= 0 {
			b.pool.giveUp(w.ended, b.paths[i])
		}
		delete(b.running, w)
	}
}
