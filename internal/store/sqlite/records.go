package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqldb"
)

// rowsAtOnce is how many rows one statement stores, where there are many: within a
// statement SQLite stays at the places in the table and its indexes where the last
// row went, and the next one mostly goes. With more the statement itself costs more
// than that. It takes many rows until it has paid for being compiled.
const (
	rowsAtOnce = 8
	manyRows   = 64
)

var (
	recordColumns = strings.Count(sqldb.RecordColumns, ",") + 1
	insertRecord  = insertRows(1)
	insertMany    = insertRows(rowsAtOnce)
)

// insertRows is the statement that stores so many rows. At an error those before it
// stay, until the transaction is taken back: to take them back by itself SQLite
// would have to copy each page first.
func insertRows(n int) string {
	one := "(?" + strings.Repeat(", ?", recordColumns-1) + ")"
	return "INSERT OR FAIL INTO records (" + sqldb.RecordColumns + ") VALUES " + one + strings.Repeat(", "+one, n-1)
}

// insertRecords stores rows on the driver's connection: package sql would take time
// for copies and locks.
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
	if n := len(records); n >= manyRows {
		n -= n % rowsAtOnce
		if err := insertBy(ctx, preparer, insertMany, rowsAtOnce, writers[:n], records[:n]); err != nil {
			return err
		}
		writers, records = writers[n:], records[n:]
	}
	return insertBy(ctx, preparer, insertRecord, 1, writers, records)
}

// insertBy runs a statement that stores so many rows, until it has stored all.
func insertBy(ctx context.Context, conn driver.ConnPrepareContext, query string, rows int, writers []int64, records []store.Record) error {
	if len(records) == 0 {
		return nil
	}
	// A context that can end costs a goroutine for each run; it is looked at
	// between them instead.
	stmt, err := conn.PrepareContext(context.WithoutCancel(ctx), query)
	if err != nil {
		return err
	}
	defer stmt.Close()
	insert, err := inserting(stmt, rows)
	if err != nil {
		return err
	}
	defer insert.close()
	for len(records) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range rows {
			setRecord(insert, i*recordColumns, writers[i], &records[i])
		}
		if err := insert.run(); err != nil {
			return err
		}
		writers, records = writers[rows:], records[rows:]
	}
	return nil
}

// statement is one whose parameters are given values, counted from 0, and which is
// then run; again and again until it is closed. What goes wrong is told by run.
type statement interface {
	number(i int, n int64)
	text(i int, s string)
	blob(i int, b []byte) // no bytes at all are NULL
	run() error
	close()
}

// inserting makes use of a statement that stores so many rows.
func inserting(stmt driver.Stmt, rows int) (statement, error) {
	if d, ok := directly(stmt, rows, rows*recordColumns); ok {
		return d, nil
	}
	return usually(stmt, rows, rows*recordColumns)
}

// setRecord gives the parameters from one on the values of a record, in the order
// of sqldb.RecordColumns.
func setRecord(to statement, from int, writer int64, r *store.Record) {
	to.text(from, r.ID)
	to.number(from+1, writer)
	to.number(from+2, r.Seq)
	to.number(from+3, sqldb.Micros(r.Time))
	to.text(from+4, r.Kind)
	to.text(from+5, r.Session)
	to.text(from+6, r.Caller)
	to.text(from+7, r.Tool)
	to.text(from+8, r.Outcome)
	to.text(from+9, r.Code)
	to.blob(from+10, r.Content)
	to.blob(from+11, r.Salt)
	to.blob(from+12, r.ContentHash)
	to.blob(from+13, r.Hash)
}

// usual is a statement that the driver runs. The values are of the types that a
// driver takes, which package sql would make sure of; the driver copies what it keeps.
type usual struct {
	stmt   driver.StmtExecContext
	rows   int64 // that a run stores
	values []driver.NamedValue
}

func usually(stmt driver.Stmt, rows, parameters int) (*usual, error) {
	runs, ok := stmt.(driver.StmtExecContext)
	if !ok {
		return nil, errors.New("the driver cannot run prepared statements")
	}
	u := &usual{stmt: runs, rows: int64(rows), values: make([]driver.NamedValue, parameters)}
	for i := range u.values {
		u.values[i].Ordinal = i + 1
	}
	return u, nil
}

func (u *usual) number(i int, n int64) { u.values[i].Value = n }
func (u *usual) text(i int, s string)  { u.values[i].Value = s }
func (u *usual) blob(i int, b []byte)  { u.values[i].Value = sqldb.Bytes(b) }
func (u *usual) close()                {}

func (u *usual) run() error {
	result, err := u.stmt.ExecContext(context.Background(), u.values)
	if err != nil {
		return err
	}
	stored, err := result.RowsAffected()
	if err != nil {
		return err
	}
	return sqldb.AllStored(stored, u.rows)
}
