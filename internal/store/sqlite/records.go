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
// driver itself: package sql would take about a sixth of the time for copies and
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
	row := newRow()
	for i := range records {
		if err := ctx.Err(); err != nil {
			return err
		}
		row.set(writers[i], &records[i])
		if _, err := insert.ExecContext(inner, row); err != nil {
			return err
		}
	}
	return nil
}

// row is the values of one row, of the types that a driver takes, which package
// sql would make sure of. The driver copies what it keeps.
type row []driver.NamedValue

func newRow() row {
	r := make(row, recordColumns)
	for i := range r {
		r[i].Ordinal = i + 1
	}
	return r
}

// set puts a record's values in the order of sqldb.RecordColumns.
func (r row) set(writer int64, from *store.Record) {
	same(r, 0, from.ID)
	same(r, 1, writer)
	same(r, 2, from.Seq)
	same(r, 3, sqldb.Micros(from.Time))
	same(r, 4, from.Kind)
	same(r, 5, from.Session)
	same(r, 6, from.Caller)
	same(r, 7, from.Tool)
	same(r, 8, from.Outcome)
	same(r, 9, from.Code)
	r[10].Value = sqldb.Bytes(from.Content)
	r[11].Value = sqldb.Bytes(from.Salt)
	r[12].Value = sqldb.Bytes(from.ContentHash)
	r[13].Value = sqldb.Bytes(from.Hash)
}

// same sets a value unless it is that of the row before, as most are: an interface
// to a new one is an allocation.
func same[T comparable](r row, column int, value T) {
	if last, ok := r[column].Value.(T); !ok || last != value {
		r[column].Value = value
	}
}
