package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// pruneStep is how many records retention takes in one transaction.
const pruneStep = 5000

// errEnough ends a walk.
var errEnough = errors.New("enough was read")

// Prune takes away the records that are older than a time, of all chains that
// this writer's key can sign for: its own, and those it had before. The chains
// of other replicas are left to them. It returns how many were taken; a record
// says so. Each chain is taken up to its first record that is not older.
func (w *Writer) Prune(ctx context.Context, before time.Time) (int, error) {
	writers, err := w.log.ListWriters(ctx)
	if err != nil {
		return 0, fmt.Errorf("audit retention: %w", err)
	}
	w.mu.Lock()
	id := w.identity
	w.mu.Unlock()
	total := 0
	for _, one := range writers {
		if !bytes.Equal(one.PublicKey, id.Public()) {
			continue
		}
		n, pruneErr := w.pruneChain(ctx, id.Key, one.ID, before)
		total += n
		err = errors.Join(err, pruneErr)
	}
	if total > 0 {
		err = errors.Join(err, w.Commit(ctx, &Event{
			Kind: Pruned, Outcome: "pruned", Details: Detail(map[string]any{
				"records": total, "before": before.UTC().Format(time.RFC3339),
			}),
		}))
	}
	if err != nil {
		return total, fmt.Errorf("audit retention: %w", err)
	}
	return total, nil
}

// pruneChain takes one chain's old records, step by step. A chain that others
// prune at the same time is left to them.
func (w *Writer) pruneChain(ctx context.Context, key ed25519.PrivateKey, writer string, before time.Time) (int, error) {
	total := 0
	for {
		last, err := w.oldUntil(ctx, writer, before)
		if err != nil || last == nil {
			return total, err
		}
		pruned, err := w.log.Prune(ctx, Sign(key, store.Checkpoint{
			Writer: writer, Seq: last.Seq, Hash: last.Hash, Kind: prunedMark, Time: time.Now(),
		}))
		if errors.Is(err, store.ErrNotFound) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		total += pruned
	}
}

// oldUntil returns the last record of the next step, or nil if none is old. It
// verifies what is to be taken, up to the checkpoint behind it: the signature
// that retention leaves must not be one for records that somebody made old.
func (w *Writer) oldUntil(ctx context.Context, writer string, before time.Time) (*store.Record, error) {
	all, err := w.log.ListWriters(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(one store.Writer) bool { return one.ID == writer })
	if i < 0 {
		return nil, nil
	}
	marks, err := w.log.ListCheckpoints(ctx, writer)
	if err != nil {
		return nil, err
	}
	v := newVerifier(VerifyOptions{})
	c := v.begin(all[i], marks)
	var last *store.Record
	young, n := false, 0
	err = w.log.WalkRecords(ctx, writer, math.MinInt64, func(r store.Record) error {
		if young = young || n == pruneStep || !r.Time.Before(before); young {
			if last == nil || c.chain.Signed >= last.Seq || c.next == len(c.marks) || len(v.report.Findings) > 0 {
				return errEnough
			}
		} else {
			h := header(&r)
			last = &h
			n++
		}
		c.record(&r, nil)
		return ctx.Err()
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	c.settle()
	for _, h := range c.holes {
		c.missing(h)
	}
	if last != nil && len(v.report.Findings) > 0 {
		return nil, fmt.Errorf("nothing is taken from chain %s: %s", writer, v.report.Findings[0].Text)
	}
	return last, nil
}

// Erase takes away the contents of all records of a session and returns how many
// had one. What the headers hold stays: when, of which kind, by whom, which tool,
// with which outcome. One record says before that it is going to be, so that no
// content is gone unexplained, and one says after how many it were. What is gone when
// it breaks off is explained by the first, and another call takes the rest.
func (w *Writer) Erase(ctx context.Context, session string, by auth.Caller, note string) (int, error) {
	if session == "" {
		return 0, errors.New("audit erasure: no session is named")
	}
	ev := &Event{Kind: Erased, Session: session, Caller: by, Outcome: "started", Note: note}
	if err := w.certain(ctx, ev); err != nil {
		return 0, fmt.Errorf("audit erasure: %w", err)
	}
	n, err := w.log.EraseContents(ctx, session)
	if err != nil {
		return n, fmt.Errorf("audit erasure: %d records have no content any more, others may still; erase the session again: %w", n, err)
	}
	n = max(n-1, 0) // but for the record that announced it
	ev.Outcome, ev.Details = "erased", Detail(map[string]any{"records": n})
	if err := w.certain(ctx, ev); err != nil {
		return n, fmt.Errorf("audit erasure: the contents are gone, the record of it is not written: %w", err)
	}
	return n, nil
}

// certain is Commit, and fails while the log cannot be written, whatever the
// operator chose for decisions.
func (w *Writer) certain(ctx context.Context, ev *Event) error {
	if err := w.Err(); err != nil {
		return err
	}
	if err := w.Commit(ctx, ev); err != nil {
		return err
	}
	return w.Err()
}
