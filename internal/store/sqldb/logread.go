package sqldb

import (
	"context"
	"fmt"
	"math"

	"github.com/agent-pdp/pdp/internal/store"
)

// scanned is how many records ListRecords looks at in one call; a page of a walk
// is small enough to hold in memory with large contents.
const (
	scanned  = 50_000
	walkPage = 500
)

// recordFields names the columns of a record with its writer's name.
const recordFields = "r.id, w.id, r.seq, r.made, r.kind, r.session, r.caller, r.tool, r.outcome, r.code," +
	" r.content, r.salt, r.content_hash, r.hash FROM records r JOIN writers w ON w.no = r.writer"

func scanRecord(from scanner) (store.Record, error) {
	var r store.Record
	var made int64
	odd, err := scanTyped(from, []column{
		{"id", &r.ID},
		{"writer", &r.Writer},
		{"seq", &r.Seq},
		{"made", &made},
		{"kind", &r.Kind},
		{"session", &r.Session},
		{"caller", &r.Caller},
		{"tool", &r.Tool},
		{"outcome", &r.Outcome},
		{"code", &r.Code},
		{"content", &r.Content},
		{"salt", &r.Salt},
		{"content_hash", &r.ContentHash},
		{"hash", &r.Hash},
	})
	if err != nil {
		return store.Record{}, err
	}
	r.Odd = odd
	r.Time = fromMicros(made)
	r.Content, r.Salt, r.ContentHash, r.Hash = Bytes(r.Content), Bytes(r.Salt), Bytes(r.ContentHash), Bytes(r.Hash)
	return r, nil
}

// Record reads one record by its id.
func (d *DB) Record(ctx context.Context, id string) (store.Record, error) {
	const what = "read a record"
	if !isName(id) {
		return store.Record{}, d.fail(ctx, what, store.ErrNotFound)
	}
	return readRow(ctx, d, what, scanRecord, "SELECT "+recordFields+" WHERE r.id = ?", id)
}

// ListRecords reads a page, newest first, and looks at a bounded number of
// records for it.
func (d *DB) ListRecords(ctx context.Context, q store.RecordQuery) ([]store.Record, string, bool, error) {
	const what = "list records"
	var c check
	c.limit(q.Limit)
	if c.err != nil {
		return nil, "", false, d.fail(ctx, what, c.err)
	}
	c.optional("the session", q.Session)
	for _, text := range []string{q.Kind, q.Caller, q.Tool, q.Outcome, q.Code, q.Before} {
		c.text("the question", text)
	}
	c.time("the time", q.Since)
	c.time("the time", q.Until)
	if c.err != nil {
		return nil, "", false, nil // nothing is stored that would match
	}

	// What has an index cuts down what is looked at.
	var w where
	if q.Session != "" {
		w.and("r.session = ? AND r.session <> ''", q.Session)
	}
	if q.Before != "" {
		w.and("r.id < ?", q.Before)
	}
	edge, err := readRow(ctx, d, what, scanOne[string],
		"SELECT r.id FROM records r"+w.String()+" ORDER BY r.id DESC LIMIT 1 OFFSET ?", append(w.args, scanned-1)...)
	if ignoreMissing(err) != nil {
		return nil, "", false, err
	}
	if edge != "" {
		w.and("r.id >= ?", edge)
	}
	w.equal("r.kind", q.Kind)
	w.equal("r.caller", q.Caller)
	w.equal("r.tool", q.Tool)
	w.equal("r.outcome", q.Outcome)
	w.equal("r.code", q.Code)
	if !q.Since.IsZero() {
		w.and("r.made >= ?", micros(q.Since))
	}
	if !q.Until.IsZero() {
		w.and("r.made < ?", micros(q.Until))
	}
	// One more than asked for tells whether there are more.
	limit := q.Limit
	if limit < math.MaxInt {
		limit++
	}
	page, err := readRows(ctx, d, what, scanRecord,
		"SELECT "+recordFields+w.String()+" ORDER BY r.id DESC LIMIT ?", append(w.args, limit)...)
	if err != nil {
		return nil, "", false, err
	}
	if len(page) > q.Limit {
		page = page[:q.Limit]
		return page, page[q.Limit-1].ID, true, nil
	}
	return page, edge, edge != "", nil
}

// WalkRecords visits the records of a writer in order.
func (d *DB) WalkRecords(ctx context.Context, writer string, above int64, visit func(store.Record) error) error {
	const what = "walk the audit log"
	if !isName(writer) {
		return nil
	}
	for {
		// The upper bound leaves out what is no number, which is above all numbers.
		page, err := readRows(ctx, d, what, scanRecord,
			"SELECT "+recordFields+" WHERE w.id = ? AND r.seq > ? AND r.seq <= ? ORDER BY r.seq LIMIT ?",
			writer, above, int64(math.MaxInt64), walkPage)
		if err != nil {
			return err
		}
		if n := len(page); n == walkPage && page[n-1].Seq <= above {
			return d.fail(ctx, what, fmt.Errorf("the numbers of records behind %d are no whole ones", above))
		}
		for _, r := range page {
			if err := visit(r); err != nil {
				return err
			}
			above = r.Seq
		}
		if len(page) < walkPage {
			return nil
		}
	}
}

// ListWriters reads all writers.
func (d *DB) ListWriters(ctx context.Context) ([]store.Writer, error) {
	list, err := readRows(ctx, d, "list audit writers", scanWriter, "SELECT "+writerColumns+" FROM writers ORDER BY no")
	if err != nil {
		return nil, err
	}
	writers := make([]store.Writer, len(list))
	for i, w := range list {
		writers[i] = w.Writer
	}
	return writers, nil
}

// ListCheckpoints reads a writer's checkpoints in the order of their numbers.
func (d *DB) ListCheckpoints(ctx context.Context, writer string) ([]store.Checkpoint, error) {
	if !isName(writer) {
		return nil, nil
	}
	return readRows(ctx, d, "list checkpoints", scanCheckpoint, "SELECT w.id, c.seq, c.hash, c.kind, c.made, c.signature"+
		" FROM checkpoints c JOIN writers w ON w.no = c.writer WHERE w.id = ? ORDER BY c.seq, c.no", writer)
}

// strayQueries count rows of one place of an index, so that a log of any length is
// not read for it: between two writers, and behind the largest number of one.
var strayQueries = []string{
	"SELECT COUNT(*) FROM (SELECT 1 FROM records r WHERE r.writer > ? AND r.writer < ? AND NOT EXISTS (SELECT 1 FROM writers w WHERE w.no = r.writer) LIMIT 1000) s",
	"SELECT COUNT(*) FROM (SELECT 1 FROM checkpoints r WHERE r.writer > ? AND r.writer < ? AND NOT EXISTS (SELECT 1 FROM writers w WHERE w.no = r.writer) LIMIT 1000) s",
}

// strayEnds are the same for what stands before all writers and behind them, where
// SQLite sorts what is no number.
var strayEnds = []string{
	"SELECT COUNT(*) FROM (SELECT 1 FROM records r WHERE (r.writer < ? OR r.writer > ?) AND NOT EXISTS (SELECT 1 FROM writers w WHERE w.no = r.writer) LIMIT 1000) s",
	"SELECT COUNT(*) FROM (SELECT 1 FROM checkpoints r WHERE (r.writer < ? OR r.writer > ?) AND NOT EXISTS (SELECT 1 FROM writers w WHERE w.no = r.writer) LIMIT 1000) s",
}

// strayNumbers leave out checkpoints, which are read whatever their number is.
var strayNumbers = []string{
	"SELECT COUNT(*) FROM (SELECT 1 FROM records r WHERE r.writer = ? AND r.seq > ? LIMIT 1000) s",
}

// CountStrays counts what no chain has.
func (d *DB) CountStrays(ctx context.Context) (int64, error) {
	const what = "look for strays"
	writers, err := readRows(ctx, d, what, scanOne[int64], "SELECT no FROM writers ORDER BY no")
	if err != nil {
		return 0, err
	}
	var strays int64
	count := func(queries []string, args ...any) {
		for _, text := range queries {
			if err == nil {
				var n int64
				n, err = readRow(ctx, d, what, scanOne[int64], text, args...)
				strays += n
			}
		}
	}
	if len(writers) == 0 {
		count(strayEnds, int64(math.MaxInt64), int64(math.MinInt64)) // all there are
		return strays, err
	}
	count(strayEnds, writers[0], writers[len(writers)-1])
	for i, no := range writers {
		count(strayNumbers, no, int64(math.MaxInt64))
		if i > 0 && no > writers[i-1]+1 {
			count(strayQueries, writers[i-1], no)
		}
	}
	return strays, err
}

func scanCheckpoint(from scanner) (store.Checkpoint, error) {
	var c store.Checkpoint
	var made int64
	if err := scanExact(from, "checkpoints", []column{
		{"writer", &c.Writer}, {"seq", &c.Seq}, {"hash", &c.Hash}, {"kind", &c.Kind}, {"made", &made}, {"signature", &c.Signature},
	}); err != nil {
		return store.Checkpoint{}, err
	}
	c.Time, c.Hash, c.Signature = fromMicros(made), Bytes(c.Hash), Bytes(c.Signature)
	return c, nil
}
