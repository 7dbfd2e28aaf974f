package storetest

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqldb"
)

// BatchSize is how many records BenchAppend stores in one transaction.
const BatchSize = 1000

// BenchAppend appends batches in turns with bare, which inserts the same records
// into another database of the same kind, in one transaction too. It reports how
// many times as long Append takes, by the median turn of each.
func BenchAppend(b *testing.B, s store.Store, bare func([]store.Record) error) {
	w := store.Writer{ID: "w", PublicKey: []byte("key"), Started: time.Now()}
	if _, err := s.OpenWriter(ctx, w); err != nil {
		b.Fatal(err)
	}
	next := int64(0)
	batch := make([]store.Record, BatchSize)
	timed := func(insert func([]store.Record) error) time.Duration {
		start := time.Now()
		if err := insert(batch); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	appended := func(r []store.Record) error { return s.Append(ctx, r, nil) }
	var ours, theirs []time.Duration
	for n := 0; b.Loop(); n++ {
		for i := range batch {
			next++
			batch[i] = typical(next)
		}
		if n%2 == 0 {
			ours, theirs = append(ours, timed(appended)), append(theirs, timed(bare))
		} else {
			theirs, ours = append(theirs, timed(bare)), append(ours, timed(appended))
		}
	}
	mine, other := median(ours), median(theirs)
	b.ReportMetric(float64(mine)/float64(other), "append/bare")
	b.ReportMetric(float64(mine.Nanoseconds())/BatchSize, "ns/record")
	b.ReportMetric(float64(other.Nanoseconds())/BatchSize, "ns/bare-record")
	b.ReportMetric(0, "ns/op") // both together: it says nothing
}

// BareInsert is the loop that one would write by hand, for BenchAppend: one
// prepared statement, whose values are sqldb.RecordColumns, for each record.
func BareInsert(b *testing.B, db *sql.DB, statement string) func([]store.Record) error {
	b.Helper()
	insert, err := db.Prepare(statement)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = insert.Close() })
	return func(records []store.Record) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		defer tx.Rollback()
		bound := tx.Stmt(insert)
		for i := range records {
			r := &records[i]
			_, err := bound.Exec(r.ID, 1, r.Seq, sqldb.Micros(r.Time), r.Kind, r.Session, r.Caller, r.Tool, r.Outcome, r.Code,
				r.Content, r.Salt, r.ContentHash, r.Hash)
			if err != nil {
				return err
			}
		}
		return tx.Commit()
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// typical is a record of a decision, as long as most are.
func typical(n int64) store.Record {
	hash := sha256.Sum256(fmt.Append(nil, n))
	return store.Record{
		Writer: "w", Seq: n, ID: fmt.Sprintf("%08x-0000-7000-8000-%012x", n>>16, n), Time: time.Now(), Kind: "decision",
		Session: fmt.Sprintf("session-%d", n%100), Caller: "agent-1", Tool: "run_shell_command", Outcome: "allow", Code: "listed",
		Content: bytes.Repeat([]byte("c"), 600), Salt: hash[:16], ContentHash: hash[:], Hash: hash[:],
	}
}
