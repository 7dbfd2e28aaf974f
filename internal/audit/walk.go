package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agent-pdp/pdp/internal/store"
)

// ErrPruned says that retention took records while they were being read: what was
// read of their chain would look as if somebody had removed them.
var ErrPruned = errors.New("retention took records while they were read; do it again")

// walk visits the records of all chains that a query selects, while others may
// write and prune. begin is called before a chain is read, and perhaps again; show
// once, before its first record.
type walk struct {
	log   store.Log
	query store.RecordQuery
	begin func(store.Writer) (show func() error, err error)
	visit func(r *store.Record, prev []byte) error // with the hash of the record before it
	n     int64                                    // records that were visited
}

// walkAll visits the records that a query selects, with the hash of the record
// before each, and counts them. Chains that are begun meanwhile come last.
func walkAll(ctx context.Context, log store.Log, q store.RecordQuery, begin func(store.Writer) (func() error, error), visit func(*store.Record, []byte) error) (int64, error) {
	w := &walk{log: log, query: q, begin: begin, visit: visit}
	done := map[string]bool{}
	for {
		writers, err := log.ListWriters(ctx)
		if err != nil {
			return w.n, err
		}
		writers = slices.DeleteFunc(writers, func(one store.Writer) bool { return done[one.ID] })
		if len(writers) == 0 {
			return w.n, nil
		}
		for _, one := range writers {
			if err := w.chain(ctx, one); err != nil {
				return w.n, err
			}
			done[one.ID] = true
		}
	}
}

// chain visits one chain. Until its first record was read it can begin anew, from
// where retention then ends.
func (w *walk) chain(ctx context.Context, from store.Writer) error {
	for {
		begun, err := w.from(ctx, from)
		if begun || !errors.Is(err, ErrPruned) {
			return err
		}
		if from, err = w.now(ctx, from.ID); err != nil {
			return err
		}
	}
}

// from visits a chain from its beginning, and reports whether that was shown.
func (w *walk) from(ctx context.Context, writer store.Writer) (begun bool, err error) {
	show, err := w.begin(writer)
	if err != nil {
		return false, err
	}
	seq, prev := writer.Pruned, bytes.Clone(writer.PrunedHash)
	err = w.log.WalkRecords(ctx, writer.ID, 0, func(r store.Record) error {
		if r.Seq > seq+1 {
			if err := w.unpruned(ctx, writer.ID, seq); err != nil {
				return err
			}
		}
		if !begun {
			if err := show(); err != nil {
				return err
			}
			begun = true
		}
		if matches(w.query, &r) {
			w.n++
			if err := w.visit(&r, prev); err != nil {
				return err
			}
		}
		seq, prev = max(seq, r.Seq), append(prev[:0], r.Hash...)
		return ctx.Err()
	})
	if err == nil {
		err = w.unpruned(ctx, writer.ID, seq)
	}
	if err == nil && !begun {
		begun, err = true, show()
	}
	return begun, err
}

// unpruned fails if retention took records behind one.
func (w *walk) unpruned(ctx context.Context, writer string, seq int64) error {
	now, err := w.now(ctx, writer)
	if err == nil && now.Pruned > seq {
		err = fmt.Errorf("chain %s, up to record %d: %w", writer, now.Pruned, ErrPruned)
	}
	return err
}

func (w *walk) now(ctx context.Context, writer string) (store.Writer, error) {
	writers, err := w.log.ListWriters(ctx)
	if err != nil {
		return store.Writer{}, err
	}
	i := slices.IndexFunc(writers, func(one store.Writer) bool { return one.ID == writer })
	if i < 0 {
		return store.Writer{}, store.ErrNotFound // writers are never removed
	}
	return writers[i], nil
}

// beginNothing is for who shows records only.
func beginNothing(store.Writer) (func() error, error) { return func() error { return nil }, nil }
