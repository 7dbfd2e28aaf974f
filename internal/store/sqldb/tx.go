package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// A transaction that loses against others is tried so often, with growing
// pauses; a hundred writers at one row need a few.
const tries = 10

// tx is a transaction that writes.
type tx struct {
	Transaction
	db  *DB
	ctx context.Context
	// changed says that a revision was taken.
	changed bool
}

// callerError is an error of a caller's function, which goes back as it is.
type callerError struct{ err error }

func (e callerError) Error() string { return e.err.Error() }

// errAgain says that what the transaction found has changed under it.
var errAgain = errors.New("another transaction was there first")

// change runs f in a transaction that writes, again if it lost against others.
func (d *DB) change(ctx context.Context, what string, f func(*tx) error) error {
	ctx, cancel := d.deadline(ctx)
	defer cancel()
	var err error
	for try := range tries {
		if try > 0 && !pause(ctx, try) {
			break
		}
		if err = d.once(ctx, f); err == nil {
			return nil
		}
		if !d.again(err) {
			break
		}
	}
	return d.fail(ctx, what, err)
}

func (d *DB) once(ctx context.Context, f func(*tx) error) error {
	inner, err := d.begin(ctx)
	if err != nil {
		return err
	}
	// Also when f panics: the connection goes back.
	defer inner.end()
	t := &tx{Transaction: inner, db: d, ctx: ctx}
	if err := f(t); err != nil {
		return err
	}
	if t.changed && d.dialect.Notify != "" {
		if _, err := inner.ExecContext(ctx, d.dialect.Notify); err != nil {
			return err
		}
	}
	return inner.Commit()
}

func (d *DB) begin(ctx context.Context) (Transaction, error) {
	if !d.dialect.Pinned {
		inner, err := d.write.BeginTx(ctx, nil)
		return Transaction{Tx: inner}, err
	}
	conn, err := d.write.Conn(ctx)
	if err != nil {
		return Transaction{}, err
	}
	inner, err := conn.BeginTx(ctx, nil)
	if err != nil {
		conn.Close()
		return Transaction{}, err
	}
	return Transaction{Tx: inner, Conn: conn}, nil
}

// end takes back what was not committed, and gives back the connection.
func (t Transaction) end() {
	_ = t.Rollback() // after a commit it does nothing
	if t.Conn != nil {
		_ = t.Conn.Close()
	}
}

func (d *DB) again(err error) bool {
	var caller callerError
	if errors.As(err, &caller) {
		return false
	}
	return errors.Is(err, errAgain) || d.dialect.Classify(err) == Again
}

// pause waits up to 2, 4, 8, … ms; false if there is no time left.
func pause(ctx context.Context, try int) bool {
	most := time.Millisecond << min(try, 8)
	timer := time.NewTimer(rand.N(most) + time.Millisecond/2)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// fail says what an error means: the caller's own as it is, one of package store
// with what was tried, anything else as ErrUnavailable or as plain text.
func (d *DB) fail(ctx context.Context, what string, err error) error {
	var caller callerError
	switch {
	case errors.As(err, &caller):
		return caller.err
	case isOurs(err):
		return fmt.Errorf("%s: %w", what, err)
	case errors.Is(err, errAgain):
		return fmt.Errorf("%s: %w: %v", what, store.ErrUnavailable, err)
	}
	if cause := ctx.Err(); cause != nil {
		return fmt.Errorf("%s: %w: %w", what, store.ErrUnavailable, cause)
	}
	if wentAway(err) {
		return fmt.Errorf("%s: %w: %v", what, store.ErrUnavailable, err)
	}
	switch d.dialect.Classify(err) {
	case Unavailable, Again:
		return fmt.Errorf("%s: %w: %v", what, store.ErrUnavailable, err)
	case Taken:
		return fmt.Errorf("%s: %w", what, store.ErrExists)
	case Invalid:
		return fmt.Errorf("%s: %w: %v", what, store.ErrInvalid, err)
	case Broken:
	}
	return fmt.Errorf("%s: %v", what, err)
}

// Fail says for an engine's own calls what an error means.
func (d *DB) Fail(ctx context.Context, what string, err error) error { return d.fail(ctx, what, err) }

func isOurs(err error) bool {
	for _, ours := range []error{
		store.ErrNotFound, store.ErrExists, store.ErrUnavailable, store.ErrNewerSchema,
		store.ErrInvalid, store.ErrUnsupported, store.ErrForgotten, store.ErrTooMany,
	} {
		if errors.Is(err, ours) {
			return true
		}
	}
	return false
}

// wentAway knows the errors of package sql itself. It has no name for a closed
// pool.
func wentAway(err error) bool {
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, sql.ErrTxDone) {
		return true
	}
	switch err.Error() {
	case "sql: database is closed", "sql: statement is closed":
		return true
	}
	return false
}

// exec runs a statement and returns how many rows it touched.
func (t *tx) exec(text string, args ...any) (int, error) {
	result, err := t.ExecContext(t.ctx, t.db.sql(text), args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// rows reads all that a query in a transaction gives.
func rows[T any](t *tx, scan func(scanner) (T, error), text string, args ...any) ([]T, error) {
	return collect(scan)(t.QueryContext(t.ctx, t.db.sql(text), args...))
}

// row reads the one row of a query in a transaction; ErrNotFound without one.
func row[T any](t *tx, scan func(scanner) (T, error), text string, args ...any) (T, error) {
	return found(scan(t.QueryRowContext(t.ctx, t.db.sql(text), args...)))
}

// readRows reads all that a query gives, outside of a transaction.
func readRows[T any](ctx context.Context, d *DB, what string, scan func(scanner) (T, error), text string, args ...any) ([]T, error) {
	ctx, cancel := d.deadline(ctx)
	defer cancel()
	list, err := collect(scan)(d.read.QueryContext(ctx, d.sql(text), args...))
	if err != nil {
		return nil, d.fail(ctx, what, err)
	}
	return list, nil
}

// readRow reads the one row of a query; ErrNotFound without one.
func readRow[T any](ctx context.Context, d *DB, what string, scan func(scanner) (T, error), text string, args ...any) (T, error) {
	ctx, cancel := d.deadline(ctx)
	defer cancel()
	value, err := found(scan(d.read.QueryRowContext(ctx, d.sql(text), args...)))
	if err != nil {
		return value, d.fail(ctx, what, err)
	}
	return value, nil
}

type scanner interface{ Scan(dest ...any) error }

func found[T any](value T, err error) (T, error) {
	if err == nil {
		return value, nil
	}
	var none T
	if errors.Is(err, sql.ErrNoRows) {
		return none, store.ErrNotFound
	}
	return none, err
}

func collect[T any](scan func(scanner) (T, error)) func(*sql.Rows, error) ([]T, error) {
	return func(rows *sql.Rows, err error) ([]T, error) {
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		var list []T
		for rows.Next() {
			value, err := scan(rows)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, rows.Err()
	}
}

// scanOne scans a row of one column.
func scanOne[T any](s scanner) (value T, err error) {
	err = s.Scan(&value)
	return value, err
}
