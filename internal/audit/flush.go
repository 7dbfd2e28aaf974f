package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// run is the goroutine that commits batches, one after the other.
func (w *Writer) run(ctx context.Context) {
	defer close(w.done)
	defer w.stop()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		wait := w.next()
		if wait <= 0 {
			w.flush(ctx)
			continue
		}
		timer.Reset(wait)
		select {
		case <-w.wake:
		case <-timer.C:
		case <-w.quit:
			w.finish(ctx)
			return
		}
	}
}

// next says how long to wait for the next commit.
func (w *Writer) next() time.Duration {
	if w.pending != nil {
		return time.Until(w.tryAt)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	g := w.gather
	switch {
	case g.len() == 0 && w.seq == w.marked:
		return time.Hour
	case g.len() == 0:
		return w.untilMark()
	case g.hurry, g.len() >= flushRecords:
		return 0
	}
	return w.gatherFor() - time.Since(g.oldest)
}

// gatherFor is how long a record may wait for others.
func (w *Writer) gatherFor() time.Duration { return max(gatherMost-w.lasted, gatherLeast) }

// flush commits what failed before, then what was gathered. It reports whether
// the log can be written.
func (w *Writer) flush(ctx context.Context) bool {
	if w.pending != nil && !w.again(ctx) {
		return false
	}
	b := w.take()
	if b == nil {
		w.markDue(ctx)
		return true
	}
	w.link(b)
	if err := w.commit(ctx, b); err != nil {
		w.failed(b, err)
		return false
	}
	w.stored(b)
	return true
}

// untilMark is how long the next checkpoint has time; not above zero if it is due.
func (w *Writer) untilMark() time.Duration {
	return w.settings.Load().CheckpointInterval - time.Since(w.markedAt)
}

// markDue signs the chain's end when no record has come for as long as its last
// ones may wait for that. Whether the log can be written is not judged by it: the
// next record, or the next attempt, tells.
func (w *Writer) markDue(ctx context.Context) {
	if w.seq == w.marked || w.untilMark() > 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	if err := w.mark(ctx, kindOfMark(w.marked)); err != nil {
		w.meter.Failed()
		w.markedAt = time.Now()
	}
}

// kindOfMark is the kind of a checkpoint that follows the one of a record.
func kindOfMark(marked int64) string {
	if marked == unmarked {
		return "start"
	}
	return "periodic"
}

// take returns the batch that was gathered, and starts another; nil if it is
// empty.
func (w *Writer) take() *batch {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gather.len() == 0 {
		return nil
	}
	b := w.gather
	w.gather = w.spare
	if w.gather == nil {
		w.gather = newBatch()
	}
	w.spare = nil
	w.oldest = b.oldest
	w.release()
	return b
}

// link gives a batch its place behind the chain's end, a checkpoint if it is time
// for one, and one for each erasure: only such a one explains why contents are gone.
func (w *Writer) link(b *batch) {
	b.link(&w.hasher, w.identity.Writer, w.seq, w.hash)
	marked := w.marked
	for i := range b.records {
		if r := &b.records[i]; r.Kind == string(Erased) {
			b.mark = append(b.mark, w.identity.checkpoint(erasureMark, r.Seq, r.Hash, time.Now()))
			marked = r.Seq
		}
	}
	seq, hash := b.end()
	if seq > marked && (seq-marked >= int64(w.settings.Load().CheckpointEvery) || w.untilMark() <= 0) {
		b.mark = append(b.mark, w.identity.checkpoint(kindOfMark(marked), seq, hash, time.Now()))
	}
}

func (w *Writer) commit(ctx context.Context, b *batch) error {
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	start := time.Now()
	defer func() { w.lasted = time.Since(start) }()
	return w.log.Append(ctx, b.records, b.mark)
}

// stored notes that a batch was committed.
func (w *Writer) stored(b *batch) {
	if b.len() > 0 {
		seq, hash := b.end()
		w.seq, w.hash = seq, append(w.hash[:0], hash...)
		w.signed(b)
	}
	for i := range b.records {
		w.took(&b.records[i])
	}
	w.retry, w.refusals = 0, 0
	recovered := w.failing.Swap(nil) != nil
	if b.result != nil {
		b.result.set(nil)
	}
	b.reset()
	w.mu.Lock()
	w.pending, w.oldest = nil, time.Time{}
	if w.spare == nil {
		w.spare = b
	}
	dropped := w.dropped
	w.dropped = droppedSpan{}
	if dropped.count > 0 {
		w.tell(droppedEvent(dropped))
	}
	w.release()
	w.mu.Unlock()
	if recovered {
		w.report(nil)
	}
}

// tell puts an event of the writer's own into the batch.
func (w *Writer) tell(ev *Event) {
	var r store.Record
	ev.header(&r)
	enc := &encoder{rules: w.settings.Load().Redaction}
	enc.encode(ev)
	w.add(&r, enc.buf, false)
}

// failed keeps a batch whose outcome is not known.
func (w *Writer) failed(b *batch, cause error) {
	w.meter.Failed()
	err := fmt.Errorf("%w: %w", ErrUnavailable, cause)
	first := w.failing.Swap(&failure{err}) == nil
	w.pending = b
	w.retry = min(max(2*w.retry, firstRetry), lastRetry)
	w.tryAt = time.Now().Add(w.retry)
	if b.result != nil {
		b.result.set(err)
		b.result = nil
	}
	w.mu.Lock()
	// Whoever waits for the next batch is told too.
	if g := w.gather; g.len() > 0 && g.hurry {
		g.result.set(err)
		g.result, g.hurry = newResult(), false
	}
	w.release()
	w.mu.Unlock()
	if first {
		w.report(err)
	}
}

// again looks what became of the pending batch, and commits it if it is not
// stored.
func (w *Writer) again(ctx context.Context) bool {
	b := w.pending
	look, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	head, err := w.log.OpenWriter(look, w.identity.writer(time.Now()))
	if err != nil {
		w.failed(b, err)
		return false
	}
	if !w.found(b, head) {
		// Somebody else goes on with this chain: the state directory was copied, or
		// the database put back. What is there stays as it is.
		if head, err = w.renew(look); err != nil {
			w.failed(b, err)
			return false
		}
		w.seq, w.hash = head.Seq, append(w.hash[:0], head.Hash...)
	}
	if b.len() > 0 {
		w.link(b)
		err = w.commit(ctx, b)
	}
	if err != nil && !errors.Is(err, store.ErrUnavailable) && ctx.Err() == nil {
		// A commit that was thought lost may have arrived just now: look once more.
		if w.refusals++; w.refusals > 1 {
			err = w.salvage(ctx, b)
		}
	}
	if err != nil {
		w.failed(b, err)
		return false
	}
	w.stored(b)
	return true
}

// found takes out of a batch what turns out to be stored, and reports whether
// the chain ends where it should.
func (w *Writer) found(b *batch, head store.Head) bool {
	if sameHead(head, w.seq, w.hash) {
		return true
	}
	for i := range b.records {
		if r := &b.records[i]; sameHead(head, r.Seq, r.Hash) {
			w.seq, w.hash = r.Seq, append(w.hash[:0], r.Hash...)
			for range i + 1 {
				w.took(&b.records[0])
				b.removeFirst()
			}
			if b.len() == 0 {
				w.signed(b)
			}
			return true
		}
	}
	return false
}

// signed notes up to where the checkpoints of a batch that was stored reach.
func (w *Writer) signed(b *batch) {
	if n := len(b.mark); n > 0 {
		w.marked, w.markedAt = b.mark[n-1].Seq, time.Now()
	}
}

func (w *Writer) took(r *store.Record) { w.meter.Stored(Kind(r.Kind), r.Outcome) }

// salvage commits the records of a batch that the store refuses one by one, so that
// one of them cannot keep the others out. Those that the store will not take are
// dropped and counted if the operator chose to answer without a log. Otherwise they
// stay in the batch, and the log counts as failing until the store takes them.
func (w *Writer) salvage(ctx context.Context, b *batch) error {
	// The batch is linked as a whole at the end only: its hashes take long.
	defer func() { w.link(b) }()
	var refused error
	for range b.len() {
		one := b.first()
		w.link(one)
		err := w.commit(ctx, one)
		switch {
		case err == nil:
			w.seq, w.hash = one.records[0].Seq, append(w.hash[:0], one.records[0].Hash...)
			w.took(&b.records[0])
			w.signed(one)
		case errors.Is(err, store.ErrUnavailable), ctx.Err() != nil:
			return err
		case w.settings.Load().Answer:
			w.mu.Lock()
			w.drop(&b.records[0], err)
			w.mu.Unlock()
		default:
			refused = fmt.Errorf("record %s is refused: %w", b.records[0].ID, err)
			b.firstToEnd()
			continue
		}
		b.removeFirst()
	}
	return refused
}

// finish commits what is left and signs the end, as long as ctx lasts.
func (w *Writer) finish(ctx context.Context) {
	for ctx.Err() == nil && w.left() > 0 {
		if w.flush(ctx) {
			continue
		}
		select {
		case <-time.After(time.Until(w.tryAt)):
		case <-ctx.Done():
		}
	}
	if left := w.left(); left > 0 {
		w.closing = fmt.Errorf("%w: %d records were lost when the service ended", ErrUnavailable, left)
		return
	}
	if w.seq == w.marked {
		return
	}
	mark, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	w.closing = w.mark(mark, "shutdown")
}

// left counts what was not stored.
func (w *Writer) left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.gather.len()
	if w.pending != nil {
		n += w.pending.len()
	}
	return n
}
