package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// enqueue adds a record to the batch that is being gathered. Without room it
// waits. A nil result says that the record was dropped, as the operator chose.
func (w *Writer) enqueue(ctx context.Context, set *Settings, r *store.Record, content []byte, hurry bool) (*result, error) {
	var limit *time.Timer
	w.mu.Lock()
	for {
		f := w.failing.Load()
		switch {
		case w.closed:
			w.mu.Unlock()
			return nil, ErrClosed
		case f != nil && !set.Answer:
			w.mu.Unlock()
			return nil, f.err
		case w.room(len(content), hurry || f != nil):
			res := w.add(r, content, hurry)
			w.mu.Unlock()
			return res, nil
		case f != nil:
			w.drop(r, f.err)
			w.mu.Unlock()
			return nil, nil
		}
		moved := w.moved
		w.waiting = true
		w.mu.Unlock()
		if limit == nil {
			limit = time.NewTimer(w.timeout)
			defer limit.Stop()
		}
		var late error
		select {
		case <-moved:
		case <-ctx.Done():
			late = fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
		case <-limit.C:
			late = fmt.Errorf("%w: no room for another record within %s", ErrUnavailable, w.timeout)
		}
		w.mu.Lock()
		if late != nil {
			defer w.mu.Unlock()
			if set.Answer {
				w.drop(r, late)
				return nil, nil
			}
			return nil, late
		}
	}
}

// room says whether another record may wait. One that is answered for before it
// is stored may only if the oldest has not waited for too long.
func (w *Writer) room(size int, however bool) bool {
	g := w.gather
	if g.len() >= maxRecords || len(g.bytes)+size > maxBytes {
		return false
	}
	return however || w.oldest.IsZero() || time.Since(w.oldest) < MaxLag
}

// add puts the record into the batch, and wakes the goroutine where it must.
func (w *Writer) add(r *store.Record, content []byte, hurry bool) *result {
	g := w.gather
	first := g.len() == 0
	var now time.Time // only the first one's counts
	if first {
		now = time.Now()
	}
	g.add(r, content, now)
	if hurry && !g.hurry {
		g.hurry, first = true, true
	}
	if first || g.len() == flushRecords {
		w.nudge()
	}
	return g.result
}

// nudge makes the goroutine look again what there is to do.
func (w *Writer) nudge() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// drop counts a record that is not kept.
func (w *Writer) drop(r *store.Record, why error) {
	if w.dropped.count == 0 {
		w.dropped.from = r.Time
	}
	w.dropped.count++
	w.dropped.to, w.dropped.lastCause = r.Time, why.Error()
	w.meter.Dropped(1)
}
