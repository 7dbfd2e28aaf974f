package inspect

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Pool runs inspections with a deadline. A system call on a dead network mount
// may never come back and cannot be called off: the worker that made it is given
// up, and keeps its seat until it returns. With MaxStuck of them new work is
// refused at once. There are Workers seats more, and never more workers than
// seats: while all are taken new work waits for one, within its own deadline.
//
// The zero value is ready to use. It must not be copied.
type Pool struct {
	// Workers bounds how many inspections of one batch run at once; 0: twice the
	// number of CPUs.
	Workers int
	// MaxStuck bounds how many workers may be given up; 0: 64.
	MaxStuck int

	made    sync.Once
	seats   chan struct{} // one element for each that is taken
	waiting atomic.Int64  // for a seat
	stuck   atomic.Int64
	dead    deadMounts
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

func (p *Pool) limit() int {
	if p.MaxStuck > 0 {
		return p.MaxStuck
	}
	return defaultMaxStuck
}

func (p *Pool) full() bool { return p.stuck.Load() >= int64(p.limit()) }

// Stuck is how many workers wait for a system call that is overdue.
func (p *Pool) Stuck() int { return int(p.stuck.Load()) }

// room is where a seat is taken by sending. Who waits longest is served first.
func (p *Pool) room() chan struct{} {
	p.made.Do(func() { p.seats = make(chan struct{}, p.limit()+p.workers()) })
	return p.seats
}

// sit takes a seat if one is free, unless too many workers hang.
func (p *Pool) sit() bool {
	if p.full() {
		return false
	}
	select {
	case p.room() <- struct{}{}:
		return true
	default:
		return false
	}
}

func (p *Pool) stand() { <-p.room() }

var (
	errStuck = refusal(CodeTimeout, "too many inspections hang, on a file system that does not answer")
	errQueue = refusal(CodeTimeout, "too many inspections at once: none of them ended in time")
)

func lateError(limit time.Duration, confirmed bool) *Error {
	e := refusal(CodeTimeout, "timed out after "+limit.String()+": the file system does not answer")
	e.Confirmed = confirmed
	return e
}

func calledOff(ctx context.Context, confirmed bool) *Error {
	return &Error{Code: CodeTimeout, Message: "called off", Confirmed: confirmed, cause: ctx.Err()}
}

// Run calls work and waits for it, at most for timeout. After an error work may
// still be running: alive tells it that nobody waits any more, and nothing that
// it writes may be read. A panic of work is the caller's, if it still waits.
func (p *Pool) Run(ctx context.Context, timeout time.Duration, work func(alive func() bool)) error {
	return p.RunPath(ctx, timeout, "", work)
}

// RunPath is [Pool.Run] for work on a path, which is refused at once while too
// many others hang on the same mount. An empty path lies on none.
func (p *Pool) RunPath(ctx context.Context, timeout time.Duration, path string, work func(alive func() bool)) error {
	if err := p.refuses(path); err != nil {
		return err
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	if !p.sit() {
		p.waiting.Add(1)
		defer p.waiting.Add(-1)
		select {
		case p.room() <- struct{}{}:
		case <-timer.C:
			return errQueue
		case <-ctx.Done():
			return calledOff(ctx, true)
		}
	}
	r := &run{pool: p, done: make(chan struct{})}
	go r.do(work)
	var cause error
	select {
	case <-r.done:
		if r.panicked != nil {
			panic(r.panicked)
		}
		return nil
	case <-timer.C:
		cause = lateError(timeout, false)
	case <-ctx.Done():
		cause = calledOff(ctx, false)
	}
	r.over.Store(true)
	p.giveUp(r.done, path)
	return cause
}

// run is one piece of work and who waits for it.
type run struct {
	pool     *Pool
	over     atomic.Bool
	done     chan struct{}
	panicked any
}

func (r *run) do(work func(alive func() bool)) {
	defer func() {
		if cause := recover(); cause != nil {
			r.panicked = fmt.Sprintf("%v\n%s", cause, debug.Stack())
		}
		r.pool.stand()
		close(r.done)
	}()
	work(func() bool { return !r.over.Load() })
}

// refuses says why work on a path is not begun.
func (p *Pool) refuses(path string) error {
	if p.full() {
		return errStuck
	}
	return p.refusesMount(path)
}

func (p *Pool) refusesMount(path string) error {
	if p.stuck.Load() > 0 && p.dead.refuse(path, p.perMount()) {
		return errDeadMount
	}
	return nil
}

// giveUp counts a worker until it is done.
func (p *Pool) giveUp(done <-chan struct{}, path string) {
	p.stuck.Add(1)
	point := p.dead.add(path)
	go func() {
		<-done
		p.dead.remove(point)
		p.stuck.Add(-1)
	}()
}
