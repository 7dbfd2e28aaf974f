package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqldb"
)

// ErrForeign says that a file is the database of another program.
var ErrForeign = errors.New("it is another program's database")

// look reads what tables a file has, before anything is done to it: a connection of
// the store switches the file to its own kind of journal.
func look(ctx context.Context, path string, o Options) error {
	ours, tables, err := tablesOf(ctx, path, o.Timeout, "mode=ro")
	var e *sqlite.Error
	if errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_READONLY || e.Code()&0xff == sqlite3.SQLITE_CANTOPEN) {
		// A crash has left a transaction to roll back, which any reader must do first.
		ours, tables, err = tablesOf(ctx, path, o.Timeout, "mode=rw")
	}
	switch {
	case err != nil:
		return sqldb.New(nil, nil, dialect(), o.Timeout).Fail(ctx, "look at the file", err)
	case ours:
		return nil
	case o.Existing && tables > 0:
		return fmt.Errorf("%w: %w", store.ErrNotFound, ErrForeign)
	case o.Existing:
		return store.ErrNotFound
	case tables > 0:
		return ErrForeign
	}
	return nil
}

// Other programs have a schema_version too.
const countTables = "SELECT count(*), count(*) FILTER (WHERE type = 'table' AND name IN ('schema_version', 'writers', 'checkpoints')) FROM sqlite_master"

func tablesOf(ctx context.Context, path string, timeout time.Duration, mode string) (ours bool, tables int, err error) {
	db, err := sql.Open("sqlite", address(path, []string{mode, busyTimeout(timeout), "_query_only=1", untrusted}))
	if err != nil {
		return false, 0, err
	}
	defer db.Close()
	known := 0
	err = db.QueryRowContext(ctx, countTables).Scan(&tables, &known)
	return known == 3, tables, err
}
