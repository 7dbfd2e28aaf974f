package audit

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/internal/store"
)

// End is how far a chain is signed.
type End struct {
	Writer   string
	Latest   *Line // the latest checkpoint; nil: there is none
	Unsigned int64 // records that come after it
}

// Ends says of each chain how far it is signed. It verifies nothing.
func Ends(ctx context.Context, log store.Log) ([]End, error) {
	writers, err := log.ListWriters(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading checkpoints: %w", err)
	}
	ends := make([]End, len(writers))
	for i, w := range writers {
		if ends[i], err = endOf(ctx, log, w); err != nil {
			return nil, fmt.Errorf("reading checkpoints: %w", err)
		}
	}
	return ends, nil
}

func endOf(ctx context.Context, log store.Log, w store.Writer) (End, error) {
	end := End{Writer: w.ID}
	marks, err := log.ListCheckpoints(ctx, w.ID)
	if err != nil {
		return end, err
	}
	signed := w.Pruned
	if n := len(marks); n > 0 {
		line := CheckpointLine(w, marks[n-1])
		end.Latest = &line
		signed = max(signed, marks[n-1].Seq)
	}
	err = log.WalkRecords(ctx, w.ID, signed, func(store.Record) error {
		end.Unsigned++
		return ctx.Err()
	})
	return end, err
}

// Latest are the latest checkpoints of chains that have one.
func Latest(ends []End) []Line {
	var list []Line
	for _, e := range ends {
		if e.Latest != nil {
			list = append(list, *e.Latest)
		}
	}
	return list
}

// WriteLines writes lines as they stand in an export.
func WriteLines(to io.Writer, lines []Line) error {
	for _, l := range lines {
		text, err := json.Marshal(l, lineOptions)
		if err != nil {
			return err
		}
		if _, err := to.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Follower reads what comes to a log.
type Follower struct {
	log   store.Log
	heads map[string]int64 // of chains: the last record that was read
}

// Follow begins behind the records that are there now.
func Follow(ctx context.Context, log store.Log) (*Follower, error) {
	f := &Follower{log: log, heads: map[string]int64{}}
	writers, err := log.ListWriters(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range writers {
		// A checkpoint is never far behind the end, and saves reading the chain.
		f.heads[w.ID] = w.Pruned
		marks, err := log.ListCheckpoints(ctx, w.ID)
		if err != nil {
			return nil, err
		}
		if n := len(marks); n > 0 {
			f.heads[w.ID] = max(w.Pruned, marks[n-1].Seq)
		}
		if err := f.walk(ctx, w.ID, func(store.Record) error { return nil }); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Seen reports whether a record was there when following began or was read since.
func (f *Follower) Seen(r *store.Record) bool { return r.Seq <= f.heads[r.Writer] }

func (f *Follower) walk(ctx context.Context, writer string, visit func(store.Record) error) error {
	return f.log.WalkRecords(ctx, writer, f.heads[writer], func(r store.Record) error {
		if err := visit(r); err != nil {
			return err
		}
		f.heads[writer] = r.Seq
		return nil
	})
}

// Next visits the records that have come since, chain by chain.
func (f *Follower) Next(ctx context.Context, q store.RecordQuery, visit func(store.Record) error) error {
	writers, err := f.log.ListWriters(ctx)
	if err != nil {
		return err
	}
	for _, w := range writers {
		err := f.walk(ctx, w.ID, func(r store.Record) error {
			if !matches(q, &r) {
				return nil
			}
			return visit(r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Last returns the latest n records that a query selects, oldest first.
func Last(ctx context.Context, log store.Log, q store.RecordQuery, n int) ([]store.Record, error) {
	var list []store.Record
	q.Limit = n
	for q.Limit > 0 {
		page, last, more, err := log.ListRecords(ctx, q)
		if err != nil {
			return nil, err
		}
		list = append(list, page...)
		q.Limit -= len(page)
		if !more {
			break
		}
		q.Before = last
	}
	slices.Reverse(list)
	return list, nil
}
