package handlers

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/agent-pdp/pdp/inspect"
)

// Patience is how long calls wait for the file system. Its Wait is for
// [decide.Policy.InTime]: a call that touches a mount which does not answer is
// then denied in time, and the goroutine that hangs there is counted. With
// MaxStuckCalls of them, calls that touch files are denied at once.
//
// It is shared by everybody who decides in one process, and must not be copied.
type Patience struct {
	limit atomic.Int64
	pool  inspect.Pool
	late  prometheus.Counter
}

// MaxStuckCalls is how many calls may hang on a file system that does not answer.
const MaxStuckCalls = 64

// DefaultDecisionTimeout is how long a call waits for the file system, unless it
// is configured.
const DefaultDecisionTimeout = 2 * time.Second

// seatsForCalls is how many calls may look at files at once, beside those that
// hang.
const seatsForCalls = 256

// NewPatience returns one that waits up to limit; 0: the default. The metrics, if
// there are any, show it.
func NewPatience(limit time.Duration, m *Metrics) *Patience {
	p := &Patience{pool: inspect.Pool{Workers: seatsForCalls, MaxStuck: MaxStuckCalls}}
	p.late = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "pdp_decisions_late_total", Help: "Looks at the file system that were given up, or not begun, because it does not answer.",
	})
	p.Limit(limit)
	if m != nil {
		m.registry.MustRegister(p.late, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "pdp_decisions_stuck", Help: "Looks at the file system that were given up and still hang; at 64, calls that touch files are denied at once.",
		}, func() float64 { return float64(p.Stuck()) }))
	}
	return p
}

// Limit sets how long calls wait from now on; 0: the default.
func (p *Patience) Limit(limit time.Duration) {
	if limit <= 0 {
		limit = DefaultDecisionTimeout
	}
	p.limit.Store(int64(limit))
}

// Stuck is how many goroutines hang.
func (p *Patience) Stuck() int { return p.pool.Stuck() }

var errManyHang = errors.New("too many other calls hang on one already")

// Wait does work, which may look at files, and waits for it.
func (p *Patience) Wait(work func()) error {
	stuck := p.Stuck()
	if stuck >= MaxStuckCalls {
		p.late.Inc()
		return errManyHang
	}
	// While some hang, the next ones wait less: a batch of such calls must end, too.
	within := time.Duration(p.limit.Load()) >> min(stuck, 3)
	if p.pool.Run(context.Background(), within, func(func() bool) { work() }) == nil {
		return nil
	}
	p.late.Inc()
	return errors.New("waited for " + within.String())
}
