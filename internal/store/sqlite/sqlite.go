// Package sqlite keeps the store in one SQLite file, for a service that runs
// once. A second service on the same file is refused, by a lock on a file beside
// it; short visits of the command line are let in.
//
// # What is promised
//
// A change is answered when it has been synced to the write-ahead log: it
// survives kill -9 and, as far as the disk tells the truth, a loss of power.
//
// When the disk is full, cannot be written or fails, changes answer
// store.ErrUnavailable and leave nothing behind; reads go on as long as they can
// be served. The same store works again as soon as the disk does. After a failed
// sync (EIO) the log is written again from where it was last synced, since the
// kernel may have thrown away what it could not write; for the same reason a
// service that starts moves what it finds in the log to the database first. What
// a broken disk has lost of older pages nobody can tell: restore from a backup.
//
// The file and its companions (-wal, -shm, .lock) belong to one user: mode 0600,
// in a directory where nobody else may write, no links. Not on a network file
// system: its locks and memory maps cannot be trusted.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqldb"
)

//go:embed migrations
var migrations embed.FS

// Options of a store. The zero value is a service's.
type Options struct {
	// Timeout bounds calls whose context has no deadline, and how long a call waits
	// for another process that writes; 0: sqldb.DefaultTimeout.
	Timeout time.Duration
	// Shared opens the store for a short visit beside a running service. It cannot
	// bring an older file up to date while a service runs.
	Shared bool
	// Existing makes nothing: no directory, no file, no tables.
	Existing bool
}

// readers is how many reads can run at the same time; they never wait for who
// writes.
const readers = 4

// What a connection keeps in memory, in KiB. The one that writes mostly appends,
// and memory for pages that it never reads again is not free.
const (
	readerPages = "-16000"
	writerPages = "-2000"
)

// pageSize is that of new files, in bytes. Records are mostly appended, and a
// page costs two writes to the log whatever its size. A file keeps its own.
const pageSize = "8192"

// Store is a SQLite file.
type Store struct {
	*sqldb.DB
	path    string
	write   *sql.DB
	lock    *fileLock // nil if shared
	closing sync.Once
}

var _ store.Store = (*Store)(nil)

// Open opens the file at path, an absolute path, and makes it and its directory
// if they are missing, or fails with store.ErrNotFound if Options.Existing says
// so. A file that is not this program's is left as it is, and refused with
// [ErrForeign]; also with store.ErrNotFound if Options.Existing. Open fails with an [InUse] if another service has it, and with
// store.ErrNewerSchema if a newer program has written it.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	if o.Timeout <= 0 {
		o.Timeout = sqldb.DefaultTimeout
	}
	// Nothing is done to a file before it is known to be a store's.
	for _, step := range []func() error{
		func() error { return prepare(path, o.Existing) },
		func() error { return look(ctx, path, o) },
		func() error { return tighten(path) },
	} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("open the store %s: %w", path, err)
		}
	}
	lock, err := takeLock(ctx, path+".lock", o.Shared)
	if err != nil {
		return nil, fmt.Errorf("open the store %s: %w", path, err)
	}
	s, err := open(ctx, path, o)
	if err != nil {
		lock.release()
		return nil, fmt.Errorf("open the store %s: %w", path, err)
	}
	s.lock = lock
	return s, nil
}

func open(ctx context.Context, path string, o Options) (*Store, error) {
	write, err := sql.Open("sqlite", source(path, o.Timeout, writerPages, "_txlock=immediate"))
	if err != nil {
		return nil, err
	}
	read, err := sql.Open("sqlite", source(path, o.Timeout, readerPages, "_query_only=1"))
	if err != nil {
		write.Close()
		return nil, err
	}
	write.SetMaxOpenConns(1)
	write.SetMaxIdleConns(1)
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	s := &Store{DB: sqldb.New(write, read, dialect(), o.Timeout), path: path, write: write}
	if o.Existing {
		// Also after the look: the tables may be gone since.
		if made, err := s.Made(ctx); err != nil || !made {
			s.DB.Close()
			return nil, cmp.Or(err, store.ErrNotFound)
		}
	}
	if err := s.migrate(ctx, o); err != nil {
		s.DB.Close()
		return nil, err
	}
	if !o.Shared {
		if err := s.settle(ctx); err != nil {
			s.DB.Close()
			return nil, err
		}
	}
	return s, nil
}

// migrate brings the file up to date; a visitor only while no service runs.
func (s *Store) migrate(ctx context.Context, o Options) error {
	if _, ok := ctx.Deadline(); !ok && o.Shared {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	if !o.Shared {
		return s.DB.Migrate(ctx)
	}
	behind, err := s.DB.Behind(ctx)
	if err != nil {
		return err
	}
	if behind {
		lock, err := takeLock(ctx, s.path+".lock", false)
		if err != nil {
			return fmt.Errorf("it was written by an older version of the program: %w", err)
		}
		defer lock.release()
	}
	return s.DB.Migrate(ctx)
}

// settle moves what a service before this one has left in the log to the
// database. Without it the log would go on behind transactions whose sync has
// failed before a crash: they can be read now, but may not be on the disk, and
// after a loss of power whatever follows them would be gone too.
func (s *Store) settle(ctx context.Context) error {
	var busy, frames, moved int
	row := s.write.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	if err := row.Scan(&busy, &frames, &moved); err != nil {
		return s.Fail(ctx, "settle the log", err)
	}
	return nil // a visitor may be reading: then the next checkpoint does it
}

// source is the driver's name for a file with what each connection is set to.
// FULL syncs the log at each commit. The journal's size is what a checkpoint
// leaves on the disk; pages is how much of the file a connection keeps in memory.
func source(path string, timeout time.Duration, pages, more string) string {
	settings := []string{
		busyTimeout(timeout),
		"_journal_mode=WAL",
		"_synchronous=FULL",
		"_foreign_keys=1",
		"_dqs=0",
		"_defensive=1",
		"_pragma=" + url.QueryEscape("page_size("+pageSize+")"),
		untrusted,
		"_pragma=" + url.QueryEscape("cache_size("+pages+")"),
		"_pragma=" + url.QueryEscape("journal_size_limit(67108864)"),
		more,
	}
	return address(path, settings)
}

func busyTimeout(t time.Duration) string { return "_busy_timeout=" + fmt.Sprint(t.Milliseconds()) }

// untrusted keeps what a schema says from calling functions.
const untrusted = "_pragma=trusted_schema(0)"

func address(path string, settings []string) string {
	name := (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // C:/…
	}
	return "file://" + name + "?" + strings.Join(settings, "&")
}

func dialect() sqldb.Dialect {
	steps, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the name is wrong, in every build
	}
	return sqldb.Dialect{
		SessionSize:   "COALESCE(octet_length(spec), 0) + octet_length(labels) + COALESCE(octet_length(grants), 0)",
		ApprovalSize:  "COALESCE(octet_length(request), 0) + octet_length(note)",
		Label:         "EXISTS (SELECT 1 FROM json_each(labels) WHERE key = ? AND value = ?)",
		Classify:      classify,
		InsertRecords: insertRecords,
		Prepared:      true,
		Pinned:        true,
		Migrations:    steps,
		HasVersion:    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'",
	}
}

// classify goes by the primary code, which is the lowest byte.
func classify(err error) sqldb.Class {
	var e interface {
		error
		Code() int
	} // the driver's, or a failure
	if !errors.As(err, &e) {
		return sqldb.Broken
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return sqldb.Taken
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_INTERRUPT,
		sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOLFS:
		return sqldb.Unavailable
	case sqlite3.SQLITE_TOOBIG:
		return sqldb.Invalid
	}
	return sqldb.Broken
}

// Wake is nil: SQLite cannot tell that another process has written.
func (s *Store) Wake() <-chan struct{} { return nil }

// Close gives back the file and its lock.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		err = s.DB.Close()
		s.lock.release()
	})
	return err
}
