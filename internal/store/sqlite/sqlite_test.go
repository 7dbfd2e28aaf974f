package sqlite

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/storetest"
)

var ctx = context.Background()

// place is a path for a store in a directory of its own.
func place(t testing.TB) string { return filepath.Join(t.TempDir(), "state", "pdp.db") }

func mustOpen(t testing.TB, path string, o Options) *Store {
	t.Helper()
	s, err := Open(ctx, path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.Database {
		path := filepath.Join(storetest.Memory(t), "state", "pdp.db")
		return storetest.Database{
			Open: func(t testing.TB) (store.Store, error) {
				s, err := Open(ctx, path, Options{})
				if err != nil {
					return nil, err
				}
				return s, nil
			},
			Exec: func(t testing.TB, statement string) { execAt(t, path, statement) },
		}
	})
}

// execAt runs a statement past the store.
func execAt(t testing.TB, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, statement); err != nil {
		t.Fatal(err)
	}
}
