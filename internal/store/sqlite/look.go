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
	found, err := findIn(ctx, path, o.Timeout, "mode=ro")
	var e *sqlite.Error
	if errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_READONLY || e.Code()&0xff == sqlite3.SQLITE_CANTOPEN) {
		// A crash has left a transaction to roll back, which any reader must do first.
		found, err = findIn(ctx, path, o.Timeout, "mode=rw")
	}
	switch {
	case err != nil:
		return sqldb.New(nil, nil, dialect(), o.Timeout).Fail(ctx, "look at the file", err)
	case found.tables > 0 && !found.ours && o.Existing:
		return fmt.Errorf("%w: %w", store.ErrNotFound, ErrForeign)
	case found.tables > 0 && !found.ours:
		return ErrForeign
	case found.encoding != "UTF-8":
		return fmt.Errorf("its texts are kept as %s, which this program does not do", found.encoding)
	case o.Existing && !found.ours:
		return store.ErrNotFound
	}
	return nil
}

// finding is what a look tells of a file.
type finding struct {
	ours   bool
	tables int
	// encoding is that of texts. They are written as UTF-8 where SQLite reads them,
	// see direct: for another encoding it would copy them, and not see the next one.
	encoding string
}

// Other programs have a schema_version too.
const countTables = "SELECT count(*), count(*) FILTER (WHERE type = 'table' AND name IN ('schema_version', 'writers', 'checkpoints')) FROM sqlite_master"

func findIn(ctx context.Context, path string, timeout time.Duration, mode string) (finding, error) {
	db, err := sql.Open("sqlite", address(path, []string{mode, busyTimeout(timeout), "_query_only=1", untrusted}))
	if err != nil {
		return finding{}, err
	}
	defer db.Close()
	var found finding
	known := 0
	if err := db.QueryRowContext(ctx, countTables).Scan(&found.tables, &known); err != nil {
		return finding{}, err
	}
	found.ours = known == 3
	err = db.QueryRowContext(ctx, "PRAGMA encoding").Scan(&found.encoding)
	return found, err
}
