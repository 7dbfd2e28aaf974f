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
// driver's connection: package sql would take time for copies and locks. Several
// rows in a statement are slower with this driver.
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
	preparer, ok := conn.(driver.ConnPrepareContext)
	if !ok {
		return errors.New("the driver cannot prepare statements")
	}
	// A context that can end costs a goroutine for each row; it is looked at
	// between them instead.
	stmt, err := preparer.PrepareContext(context.WithoutCancel(ctx), insertRecord)
	if err != nil {
		return err
	}
	defer stmt.Close()
	insert := usual(stmt)
	if d, ok := directly(stmt, recordColumns); ok {
		defer d.close()
		insert = d.insert
	}
	for i := range records {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := insert(writers[i], &records[i]); err != nil {
			return err
		}
	}
	return nil
}

// insert stores a record; the parameters are in the order of sqldb.RecordColumns.
func (d *direct) insert(writer int64, r *store.Record) error {
	d.text(0, r.ID)
	d.number(1, writer)
	d.number(2, r.Seq)
	d.number(3, sqldb.Micros(r.Time))
	d.text(4, r.Kind)
	d.text(5, r.Session)
	d.text(6, r.Caller)
	d.text(7, r.Tool)
	d.text(8, r.Outcome)
	d.text(9, r.Code)
	d.blob(10, r.Content)
	d.blob(11, r.Salt)
	d.blob(12, r.ContentHash)
	d.blob(13, r.Hash)
	return d.run()
}

// usual stores records by the driver's own way.
func usual(stmt driver.Stmt) func(writer int64, r *store.Record) error {
	row := newRow()
	return func(writer int64, r *store.Record) error {
		insert, ok := stmt.(driver.StmtExecContext)
		if !ok {
			return errors.New("the driver cannot run prepared statements")
		}
		row.set(writer, r)
		_, err := insert.ExecContext(context.Background(), row)
		return err
	}
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
	for i, v := range [...]any{
		from.ID, writer, from.Seq, sqldb.Micros(from.Time), from.Kind, from.Session, from.Caller, from.Tool, from.Outcome, from.Code,
		sqldb.Bytes(from.Content), sqldb.Bytes(from.Salt), sqldb.Bytes(from.ContentHash), sqldb.Bytes(from.Hash),
	} {
		r[i].Value = v
	}
}
