package postgres

import (
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/postgres/pgtest"
	"github.com/agent-pdp/pdp/internal/store/sqldb"
	"github.com/agent-pdp/pdp/internal/store/storetest"
)

// BenchmarkAppend compares with one prepared insert for each record.
func BenchmarkAppend(b *testing.B) {
	other := mustOpen(b, pgtest.Place(b), Options{}).db
	insert, err := other.Prepare("INSERT INTO records (" + sqldb.RecordColumns + ")" +
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)")
	if err != nil {
		b.Fatal(err)
	}
	defer insert.Close()
	storetest.BenchAppend(b, mustOpen(b, pgtest.Place(b), Options{}), func(records []store.Record) error {
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
