// Package sqldb is what the SQL engines of package store have in common: the
// statements, how rows are read and written, transactions, retries and
// deadlines, and what an error of the database means. An engine opens the
// database, says in a Dialect where it differs, and embeds a DB.
//
// Nothing that a driver defines leaves this package: errors carry their cause as
// text.
package sqldb

import (
	"context"
	"database/sql"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// DefaultTimeout bounds a call that has no deadline of its own.
const DefaultTimeout = 5 * time.Second

// Dialect says where a database differs.
type Dialect struct {
	// Numbered writes parameters as $1, $2, … instead of ?.
	Numbered bool
	// Lock ends a SELECT that locks what it reads until the transaction ends;
	// LockFree the same, passing over what others have locked. Both are empty where
	// one transaction at a time writes.
	Lock, LockFree string
	// Label is a condition over the columns of sessions: the label ? has the
	// value ?.
	Label string
	// SessionSize and ApprovalSize are how many bytes a row of theirs holds, told
	// without reading them.
	SessionSize, ApprovalSize string
	// Notify is run at the end of a transaction that took a revision, if not empty.
	Notify string
	// Classify says what an error of the driver means.
	Classify func(error) Class
	// InsertRecords adds records inside a transaction. Their writers' numbers are
	// given beside them.
	InsertRecords func(ctx context.Context, on Transaction, writers []int64, records []store.Record) error
	// Pinned gives each transaction its connection, see Transaction. The pool
	// then does not replace a connection that turns out to be gone when a
	// transaction begins: for databases that are in the same process.
	Pinned bool
	// Prepared keeps statements of hot reads compiled, for drivers that do not do
	// so themselves.
	Prepared bool

	// Migrations holds NNNN_name.sql, counted from 1 without gaps.
	Migrations fs.FS
	// HasVersion counts the tables named schema_version: 0 or 1.
	HasVersion string
	// MigrationLock is run first in a transaction that migrates, if not empty.
	MigrationLock string
}

// Class is what an error of the database means to the caller.
type Class int

const (
	// Broken is everything else.
	Broken Class = iota
	// Unavailable: the database cannot be reached, cannot write, or was too slow.
	Unavailable
	// Taken: a key is there already.
	Taken
	// Again: the transaction lost against others and may be tried again.
	Again
	// Invalid: the value cannot be kept.
	Invalid
)

// Transaction is what an engine writes in.
type Transaction struct {
	*sql.Tx
	// Conn is the connection that the transaction runs on, for what package sql
	// is too slow for; nil unless the dialect is Pinned.
	Conn *sql.Conn
}

// DB is a store over a database. Its methods are those of store.Store, but for
// Backup and Wake.
type DB struct {
	write, read *sql.DB
	dialect     Dialect
	timeout     time.Duration
	texts       sync.Map // statement with ? → with the dialect's parameters
	sessionRead *sql.Stmt
}

// New makes a store of two pools of connections, which may be the same one. It
// does not touch the database; Migrate must come before any other call.
func New(write, read *sql.DB, dialect Dialect, timeout time.Duration) *DB {
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	return &DB{write: write, read: read, dialect: dialect, timeout: timeout}
}

// Close closes both pools. It waits for the calls under way.
func (d *DB) Close() error {
	err := d.write.Close()
	if d.read != d.write {
		if other := d.read.Close(); err == nil {
			err = other
		}
	}
	if err != nil {
		return d.fail(context.Background(), "close the store", err)
	}
	return nil
}

// sql returns a statement with the parameters of the dialect.
func (d *DB) sql(text string) string {
	if !d.dialect.Numbered {
		return text
	}
	if done, ok := d.texts.Load(text); ok {
		return done.(string)
	}
	done := Numbered(text)
	d.texts.Store(text, done)
	return done
}

// Numbered replaces each ? by $1, $2, …. No statement has one inside a literal.
func Numbered(text string) string {
	var b strings.Builder
	n := 0
	for {
		before, after, found := strings.Cut(text, "?")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n++
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
		text = after
	}
}

func (d *DB) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d.timeout)
}
