package postgres

import (
	"testing"

	"github.com/agent-pdp/pdp/internal/store/postgres/pgtest"
	"github.com/agent-pdp/pdp/internal/store/sqldb"
	"github.com/agent-pdp/pdp/internal/store/storetest"
)

// BenchmarkAppend compares with one prepared insert for each record.
func BenchmarkAppend(b *testing.B) {
	bare := storetest.BareInsert(b, mustOpen(b, pgtest.Place(b), Options{}).db, "INSERT INTO records ("+sqldb.RecordColumns+")"+
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)")
	storetest.BenchAppend(b, mustOpen(b, pgtest.Place(b), Options{}), bare)
}
