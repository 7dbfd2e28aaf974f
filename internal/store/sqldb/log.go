package sqldb

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/agent-pdp/pdp/internal/store"
)

// RecordColumns are the columns of a record in the order in which engines give
// their values.
const RecordColumns = "id, writer, seq, made, kind, session, caller, tool, outcome, code, content, salt, content_hash, hash"

// writerRow is a writer with its number.
type writerRow struct {
	no int64
	store.Writer
}

const writerColumns = "no, id, public_key, started, pruned, pruned_hash"

func scanWriter(from scanner) (writerRow, error) {
	var w writerRow
	var started int64
	if err := scanExact(from, "writers", []column{
		{"no", &w.no}, {"id", &w.ID}, {"public_key", &w.PublicKey}, {"started", &started}, {"pruned", &w.Pruned}, {"pruned_hash", &w.PrunedHash},
	}); err != nil {
		return writerRow{}, err
	}
	w.Started, w.PublicKey, w.PrunedHash = fromMicros(started), Bytes(w.PublicKey), Bytes(w.PrunedHash)
	return w, nil
}

func scanHead(from scanner) (h store.Head, err error) {
	err = from.Scan(&h.Seq, &h.Hash)
	return h, err
}

const selectWriter = "SELECT " + writerColumns + " FROM writers WHERE id = ?"

// OpenWriter stores a writer if it is new, and returns the end of its chain.
func (d *DB) OpenWriter(ctx context.Context, w store.Writer) (store.Head, error) {
	var head store.Head
	err := d.change(ctx, "open an audit writer", func(t *tx) error {
		var c check
		c.name("the writer's id", w.ID)
		c.time("the start", w.Started)
		if c.err != nil {
			return c.err
		}
		if _, err := t.exec("INSERT INTO writers (id, public_key, started, pruned) VALUES (?, ?, ?, 0) ON CONFLICT (id) DO NOTHING",
			w.ID, Bytes(w.PublicKey), micros(w.Started)); err != nil {
			return err
		}
		stored, err := row(t, scanWriter, selectWriter, w.ID)
		if err != nil {
			return err
		}
		if !bytes.Equal(stored.PublicKey, w.PublicKey) {
			return store.ErrExists
		}
		head, err = t.head(stored)
		return err
	})
	if err != nil {
		return store.Head{}, err
	}
	return head, nil
}

// head is the last record of a chain, or the last that was pruned.
func (t *tx) head(w writerRow) (store.Head, error) {
	head, err := row(t, scanHead, "SELECT seq, hash FROM records WHERE writer = ? ORDER BY seq DESC LIMIT 1", w.no)
	if errors.Is(err, store.ErrNotFound) {
		return store.Head{Seq: w.Pruned, Hash: w.PrunedHash}, nil
	}
	return head, err
}

// Append stores records and checkpoints in one transaction.
func (d *DB) Append(ctx context.Context, records []store.Record, checkpoints []store.Checkpoint) error {
	if len(records) == 0 && len(checkpoints) == 0 {
		return nil
	}
	return d.change(ctx, "append to the audit log", func(t *tx) error {
		before := &store.Record{}
		for i := range records {
			if err := checkRecord(&records[i], before); err != nil {
				return err
			}
			before = &records[i]
		}
		writers := map[string]writerRow{}
		numbers := make([]int64, len(records))
		for i := range records {
			w, err := t.writer(writers, records[i].Writer)
			if err != nil {
				return err
			}
			if records[i].Seq <= w.Pruned {
				return store.ErrExists
			}
			numbers[i] = w.no
		}
		if len(records) > 0 {
			if err := d.dialect.InsertRecords(t.ctx, t.Transaction, numbers, records); err != nil {
				return err
			}
		}
		for _, c := range checkpoints {
			w, err := t.writer(writers, c.Writer)
			if err != nil {
				return err
			}
			if err := t.putCheckpoint(w.no, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// AllStored is an error if a statement has stored other rows than it was given. A
// trigger or rule that somebody has put on the table leaves rows out without one.
func AllStored(stored, given int64) error {
	if stored == given {
		return nil
	}
	return fmt.Errorf("the database has stored %d of %d records", stored, given)
}

// writer looks up a writer once in a transaction.
func (t *tx) writer(known map[string]writerRow, id string) (writerRow, error) {
	if w, ok := known[id]; ok {
		return w, nil
	}
	if !isName(id) {
		return writerRow{}, store.ErrNotFound
	}
	w, err := row(t, scanWriter, selectWriter, id)
	if err == nil {
		known[id] = w
	}
	return w, err
}

// checkRecord checks a record. What it has in common with the one before it, as
// records mostly have, is known to be good.
func checkRecord(r, before *store.Record) error {
	var c check
	c.name("the record's id", r.ID)
	if r.Session != before.Session {
		c.optional("the session", r.Session)
	}
	for _, text := range [...]struct{ what, is, was string }{
		{"the kind", r.Kind, before.Kind},
		{"the caller", r.Caller, before.Caller},
		{"the tool", r.Tool, before.Tool},
		{"the outcome", r.Outcome, before.Outcome},
		{"the code", r.Code, before.Code},
	} {
		if text.is != text.was {
			c.text(text.what, text.is)
		}
	}
	c.time("the time", r.Time)
	if r.Seq <= 0 {
		c.refuse("records are counted from 1")
	}
	return c.err
}

func (t *tx) putCheckpoint(writer int64, c store.Checkpoint) error {
	var ch check
	ch.text("the kind", c.Kind)
	ch.time("the time", c.Time)
	if ch.err != nil {
		return ch.err
	}
	_, err := t.exec("INSERT INTO checkpoints (writer, seq, hash, kind, made, signature) VALUES (?, ?, ?, ?, ?, ?)",
		writer, c.Seq, Bytes(c.Hash), c.Kind, micros(c.Time), Bytes(c.Signature))
	return err
}

// EraseStep is how many records EraseContents looks at in one transaction.
const EraseStep = 1000

// EraseContents takes content and salt from all records of a session, in steps.
func (d *DB) EraseContents(ctx context.Context, session string) (int, error) {
	if !isName(session) {
		return 0, nil // no record has it
	}
	total, above := 0, ""
	for {
		n, last, err := d.eraseStep(ctx, session, above)
		if err != nil {
			return total, err
		}
		if total += n; last == "" {
			return total, nil
		}
		above = last
	}
}

// eraseStep erases the next records above an id, and returns the last id that it
// looked at; none if these were all.
func (d *DB) eraseStep(ctx context.Context, session, above string) (n int, last string, err error) {
	const mine = "session = ? AND session <> '' AND id > ?"
	err = d.change(ctx, "erase contents", func(t *tx) error {
		last, err = row(t, scanOne[string], "SELECT id FROM records WHERE "+mine+" ORDER BY id LIMIT 1 OFFSET ?", session, above, EraseStep-1)
		if ignoreMissing(err) != nil {
			return err
		}
		if last <= above {
			last = "" // or it is no text, which comes after all texts
		}
		erase, args := "UPDATE records SET content = NULL, salt = NULL WHERE "+mine+" AND (content IS NOT NULL OR salt IS NOT NULL)", []any{session, above}
		if last != "" {
			erase, args = erase+" AND id <= ?", append(args, last)
		}
		n, err = t.exec(erase, args...)
		return err
	})
	if err != nil {
		return 0, "", err
	}
	return n, last, nil
}

// Prune deletes a writer's records up to that of a checkpoint.
func (d *DB) Prune(ctx context.Context, c store.Checkpoint) (int, error) {
	var pruned int
	err := d.change(ctx, "prune the audit log", func(t *tx) error {
		var ch check
		if c.Kind != "pruned" {
			ch.refuse("the checkpoint is not of the kind pruned")
			return ch.err
		}
		if !isName(c.Writer) {
			return store.ErrNotFound
		}
		w, err := row(t, scanWriter, selectWriter+d.dialect.Lock, c.Writer)
		if err != nil {
			return err
		}
		hash, err := row(t, scanOne[[]byte], "SELECT hash FROM records WHERE writer = ? AND seq = ?", w.no, c.Seq)
		if err != nil {
			return err
		}
		if !bytes.Equal(hash, c.Hash) {
			ch.refuse("the record has another hash")
			return ch.err
		}
		if pruned, err = t.exec("DELETE FROM records WHERE writer = ? AND seq <= ?", w.no, c.Seq); err != nil {
			return err
		}
		if _, err := t.exec("UPDATE writers SET pruned = ?, pruned_hash = ? WHERE no = ?", c.Seq, Bytes(c.Hash), w.no); err != nil {
			return err
		}
		return t.putCheckpoint(w.no, c)
	})
	if err != nil {
		return 0, err
	}
	return pruned, nil
}
