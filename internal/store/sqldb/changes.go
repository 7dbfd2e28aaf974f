package sqldb

import (
	"context"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// take gives each of the named things the next revision, and returns the last.
// The counter's row stays locked until the transaction ends, so that revisions
// become visible in their order. It comes after every other lock: whoever holds
// it waits for nobody.
func (t *tx) take(kind store.ChangeKind, ids ...string) (int64, error) {
	last, err := row(t, scanOne[int64], "UPDATE revision SET value = value + ? RETURNING value", len(ids))
	if err != nil {
		return 0, err
	}
	t.changed = true
	revision, now := last-int64(len(ids)), time.Now().UnixMicro()
	for _, piece := range chunks(ids, 500) {
		var args []any
		for _, id := range piece {
			revision++
			args = append(args, revision, string(kind), id, now)
		}
		if _, err := t.exec("INSERT INTO changes (revision, kind, id, made) VALUES "+marks("(?, ?, ?, ?)", len(piece)), args...); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// Revision returns the revision of the latest change.
func (d *DB) Revision(ctx context.Context) (int64, error) {
	return readRow(ctx, d, "read the revision", scanOne[int64], "SELECT value FROM revision")
}

// ChangesSince returns changes after a revision, oldest first.
func (d *DB) ChangesSince(ctx context.Context, revision int64, limit int) ([]store.Change, error) {
	const what = "read changes"
	var c check
	c.limit(limit)
	if c.err != nil {
		return nil, d.fail(ctx, what, c.err)
	}
	list, err := readRows(ctx, d, what, scanChange,
		"SELECT revision, kind, id FROM changes WHERE revision > ? ORDER BY revision LIMIT ?", revision, limit)
	if err != nil {
		return nil, err
	}
	// Asked afterwards: what is forgotten in between is noticed.
	known, err := readRow(ctx, d, what, scanSpan, "SELECT forgotten, value FROM revision")
	if err != nil {
		return nil, err
	}
	if revision < known.forgotten || revision > known.value {
		return nil, d.fail(ctx, what, store.ErrForgotten)
	}
	return list, nil
}

// ForgetChanges drops the oldest changes.
func (d *DB) ForgetChanges(ctx context.Context, before time.Time) error {
	return d.change(ctx, "forget changes", func(t *tx) error {
		var c check
		c.time("the time", before)
		if c.err != nil {
			return c.err
		}
		// The counter's row first: nobody else forgets at the same time.
		value, err := row(t, scanOne[int64], "SELECT value FROM revision"+t.db.dialect.Lock)
		if err != nil {
			return err
		}
		kept, err := rows(t, scanOne[int64],
			"SELECT revision FROM changes WHERE made >= ? ORDER BY revision LIMIT 1", micros(before))
		if err != nil {
			return err
		}
		if len(kept) > 0 {
			value = kept[0] - 1
		}
		if _, err := t.exec("DELETE FROM changes WHERE revision <= ?", value); err != nil {
			return err
		}
		_, err = t.exec("UPDATE revision SET forgotten = ? WHERE forgotten < ?", value, value)
		return err
	})
}

func scanChange(s scanner) (c store.Change, err error) {
	err = s.Scan(&c.Revision, &c.Kind, &c.ID)
	return c, err
}

// span is what is known of changes: those above forgotten, up to value.
type span struct{ forgotten, value int64 }

func scanSpan(s scanner) (v span, err error) {
	err = s.Scan(&v.forgotten, &v.value)
	return v, err
}
