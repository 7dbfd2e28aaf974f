// Package postgres keeps the store in PostgreSQL, for several replicas of the
// service that share it.
//
// # What is promised
//
// A change is answered when the server has committed it, with
// synchronous_commit at least on; what the server's own settings (fsync, full
// page writes, replication) give away, this package cannot give back.
//
// When the server cannot be reached, is stopped, full, read-only or too slow,
// calls answer store.ErrUnavailable within their deadline. The store connects
// again by itself. A replica that is cut off holds locks for Options.Timeout at
// most, then the server ends its transaction.
//
// It needs connections that are its own: not a pooler that hands out another
// server connection for each transaction.
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqldb"
)

//go:embed migrations
var migrations embed.FS

// Options of a store. The zero value is a service's.
type Options struct {
	// Timeout bounds calls whose context has no deadline, and each attempt to
	// connect; 0: sqldb.DefaultTimeout.
	Timeout time.Duration
	// Connections is how many calls can run at the same time; 0: 10. One more
	// listens for changes.
	Connections int
	// Existing makes no tables: they must be there.
	Existing bool
}

// Store is a PostgreSQL database, or a schema in one.
type Store struct {
	*sqldb.DB
	db       *sql.DB
	listener *listener
	closing  sync.Once
}

var _ store.Store = (*Store)(nil)

// Open connects to the database that a URL (postgres://…) names, and makes or
// updates the tables in the first schema of its search path; replicas that start
// together wait for each other. It fails with store.ErrUnavailable if the
// database cannot be reached, with store.ErrNotFound if Options.Existing is set and
// there are no tables, and with store.ErrNewerSchema if a newer program has
// written it.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	if o.Timeout <= 0 {
		o.Timeout = sqldb.DefaultTimeout
	}
	if o.Connections <= 0 {
		o.Connections = 10
	}
	config, err := configure(url, o)
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(durable))
	db.SetMaxOpenConns(o.Connections)
	db.SetMaxIdleConns(o.Connections)
	db.SetConnMaxLifetime(time.Hour)
	s := &Store{DB: sqldb.New(db, db, dialect(), o.Timeout), db: db}
	if o.Existing {
		if made, err := s.Made(ctx); err != nil || !made {
			s.DB.Close()
			return nil, fmt.Errorf("open the store: %w", cmp.Or(err, store.ErrNotFound))
		}
	}
	if err := s.DB.Migrate(ctx); err != nil {
		s.DB.Close()
		return nil, fmt.Errorf("open the store: %w", err)
	}
	s.listener = listen(config, o.Timeout)
	return s, nil
}

// configure reads a URL and adds the bounds that it does not set itself. The
// server's own clock ends what a client that was cut off has begun.
func configure(url string, o Options) (*pgx.ConnConfig, error) {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if strings.Count(rest, "@") > 1 {
		// The end of a password would be taken for a host's name, and printed as one.
		return nil, errors.New("the address has more than one @; write those in a user's name or password as %40")
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New(err.Error()) // it leaves out the password
	}
	if config.ConnectTimeout <= 0 {
		config.ConnectTimeout = o.Timeout
	}
	milliseconds := func(d time.Duration) string { return strconv.FormatInt(max(d.Milliseconds(), 1), 10) }
	for name, value := range map[string]string{
		"application_name":                    "pdp",
		"lock_timeout":                        milliseconds(o.Timeout),
		"idle_in_transaction_session_timeout": milliseconds(o.Timeout),
		"statement_timeout":                   milliseconds(max(10*o.Timeout, time.Minute)),
	} {
		if _, set := config.RuntimeParams[name]; !set {
			config.RuntimeParams[name] = value
		}
	}
	// Row locks are what the statements rely on.
	config.RuntimeParams["default_transaction_isolation"] = "read committed"
	return config, nil
}

// durable overrules a server that answers commits before they are on its disk.
func durable(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'")
	return err
}

// channel is where changes are announced. A schema has its own.
const channel = "'pdp_' || md5(current_schema())"

func dialect() sqldb.Dialect {
	steps, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the name is wrong, in every build
	}
	return sqldb.Dialect{
		Numbered:      true,
		Lock:          " FOR UPDATE",
		LockFree:      " FOR UPDATE SKIP LOCKED",
		SessionSize:   "COALESCE(octet_length(spec), 0) + octet_length(labels::text) + COALESCE(octet_length(grants), 0)",
		ApprovalSize:  "COALESCE(octet_length(request), 0) + octet_length(note)",
		Label:         "labels ->> CAST(? AS TEXT) = ?",
		Notify:        "SELECT pg_notify(" + channel + ", '')",
		Classify:      classify,
		InsertRecords: insertRecords,
		Migrations:    steps,
		HasVersion:    "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_version'",
		// The first number is this program's.
		MigrationLock: "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;" +
			" SELECT pg_advisory_xact_lock(1885630464, hashtext(current_schema()))",
	}
}

// classes are codes, or the two characters that they begin with. See the
// appendix on error codes of PostgreSQL's manual.
var classes = map[string]sqldb.Class{
	"08": sqldb.Unavailable, // connection
	"28": sqldb.Unavailable, // login
	"3D": sqldb.Unavailable, // no such database
	"53": sqldb.Unavailable, // disk full, too many connections
	"55": sqldb.Unavailable, // locked, not ready
	"57": sqldb.Unavailable, // canceled, shut down, starting up
	"58": sqldb.Unavailable, // input or output error

	"25006": sqldb.Unavailable, // read-only
	"25P03": sqldb.Unavailable, // idle in a transaction for too long

	"40":    sqldb.Again,       // lost against another, deadlock
	"40003": sqldb.Unavailable, // nobody knows whether it was committed
	"0A000": sqldb.Again,       // a table has changed under a prepared statement

	"23505": sqldb.Taken,
	"22021": sqldb.Invalid, // bytes that are no text
	"22P05": sqldb.Invalid, // characters that the database's encoding lacks
	"54000": sqldb.Invalid, // too long for an index
}

func classify(err error) sqldb.Class {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		if class, ok := classes[e.Code]; ok {
			return class
		}
		if len(e.Code) == 5 {
			return classes[e.Code[:2]] // zero is Broken
		}
		return sqldb.Broken
	}
	var network net.Error
	var connect *pgconn.ConnectError
	if errors.As(err, &network) || errors.As(err, &connect) || pgconn.Timeout(err) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		strings.Contains(err.Error(), "conn closed") {
		return sqldb.Unavailable
	}
	return sqldb.Broken
}

const insertRecord = "INSERT INTO records (" + sqldb.RecordColumns + ") SELECT * FROM unnest(" +
	"$1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[]," +
	" $11::bytea[], $12::bytea[], $13::bytea[], $14::bytea[])"

// insertRecords sends a batch column by column, in one statement.
func insertRecords(ctx context.Context, tx sqldb.Transaction, writers []int64, records []store.Record) error {
	number := func(of func(r *store.Record) int64) []int64 { return column(records, of) }
	text := func(of func(r *store.Record) string) []string { return column(records, of) }
	bytes := func(of func(r *store.Record) []byte) [][]byte {
		return column(records, func(r *store.Record) []byte { return sqldb.Bytes(of(r)) })
	}
	result, err := tx.ExecContext(ctx, insertRecord,
		text(func(r *store.Record) string { return r.ID }),
		writers,
		number(func(r *store.Record) int64 { return r.Seq }),
		number(func(r *store.Record) int64 { return sqldb.Micros(r.Time) }),
		text(func(r *store.Record) string { return r.Kind }),
		text(func(r *store.Record) string { return r.Session }),
		text(func(r *store.Record) string { return r.Caller }),
		text(func(r *store.Record) string { return r.Tool }),
		text(func(r *store.Record) string { return r.Outcome }),
		text(func(r *store.Record) string { return r.Code }),
		bytes(func(r *store.Record) []byte { return r.Content }),
		bytes(func(r *store.Record) []byte { return r.Salt }),
		bytes(func(r *store.Record) []byte { return r.ContentHash }),
		bytes(func(r *store.Record) []byte { return r.Hash }),
	)
	if err != nil {
		return err
	}
	stored, err := result.RowsAffected()
	if err != nil {
		return err
	}
	return sqldb.AllStored(stored, int64(len(records)))
}

func column[T any](records []store.Record, of func(*store.Record) T) []T {
	values := make([]T, len(records))
	for i := range records {
		values[i] = of(&records[i])
	}
	return values
}

// Wake returns a channel that receives when this or another replica has changed
// something, and after the connection that listens was made anew.
func (s *Store) Wake() <-chan struct{} { return s.listener.wake }

// Backup is left to pg_dump and the server's own archiving.
func (s *Store) Backup(context.Context, string) error {
	return fmt.Errorf("back up: %w", store.ErrUnsupported)
}

// Close ends all connections.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		s.listener.stop()
		err = s.DB.Close()
	})
	return err
}
