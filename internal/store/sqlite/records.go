package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqldb"
)

var (
	recordColumns = strings.Count(sqldb.RecordColumns, ",") + 1
	insertRecord  = "INSERT INTO records (" + sqldb.RecordColumns + ") VALUES (?" + strings.Repeat(", ?", recordColumns-1) + ")"
)

// insertRecords compiles the statement once, and runs it for each row on the
// driver itself: package sql would take about a fifth of the time for copies and
// locks. Several rows in a statement are slower with this driver.
//
// The transaction cannot end meanwhile: package sql rolls back when the context
// ends, but waits for Raw. If it was there first, the context has ended, and no row
// is written outside of the transaction.
func insertRecords(ctx context.Context, on sqldb.Transaction, writers []int64, records []store.Record) error {
	return on.Conn.Raw(func(conn any) error {
		return insertOn(ctx, conn, writers, records)
	})
}

func insertOn(ctx context.Context, conn any, writers []int64, records []store.Record) error {
	// A context that can end costs a goroutine for each row; it is looked at
	// between them instead.
	inner := context.WithoutCancel(ctx)
	preparer, ok := conn.(driver.ConnPrepareContext)
	if !ok {
		return errors.New("the driver cannot prepare statements")
	}
	stmt, err := preparer.PrepareContext(inner, insertRecord)
	if err != nil {
		return err
	}
	defer stmt.Close()
	insert, ok := stmt.(driver.StmtExecContext)
	if !ok {
		return errors.New("the driver cannot run prepared statements")
	}
	row := make(row, recordColumns)
	for i := range records {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := &records[i]
		row.set(r.ID, writers[i], r.Seq, sqldb.Micros(r.Time), r.Kind, r.Session, r.Caller,
			r.Tool, r.Outcome, r.Code, sqldb.Bytes(r.Content), sqldb.Bytes(r.Salt), sqldb.Bytes(r.ContentHash), sqldb.Bytes(r.Hash))
		if _, err := insert.ExecContext(inner, row); err != nil {
			return err
		}
	}
	return nil
}

// row is the values of one row. The driver copies what it keeps.
type row []driver.NamedValue

// set takes values of the types that drivers take, of which package sql would
// make sure: int64, string, []byte.
func (r row) set(values ...any) {
	for i, v := range values {
		r[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
}
