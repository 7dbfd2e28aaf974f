package sqlite

import (
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqldb"
	"github.com/agent-pdp/pdp/internal/store/storetest"
)

// BenchmarkAppend compares with the loop that one would write by hand: the same
// driver, settings, table and indexes, one prepared statement.
func BenchmarkAppend(b *testing.B) {
	other := mustOpen(b, place(b), Options{}).write
	insert, err := other.Prepare(insertRecord)
	if err != nil {
		b.Fatal(err)
	}
	defer insert.Close()
	storetest.BenchAppend(b, mustOpen(b, place(b), Options{}), func(records []store.Record) error {
		tx, err := other.Begin()
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
	})
}
