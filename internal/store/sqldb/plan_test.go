package sqldb_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/agent-pdp/pdp/internal/store/postgres"
	"github.com/agent-pdp/pdp/internal/store/postgres/pgtest"
	"github.com/agent-pdp/pdp/internal/store/sqldb"
	"github.com/agent-pdp/pdp/internal/store/sqlite"
)

// A session that is in no memory is answered for with one read of an index, by
// either engine; its grants come with it.
func TestASessionIsOneIndexedRead(t *testing.T) {
	ctx := context.Background()
	t.Run("sqlite", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "state", "pdp.db")
		s, err := sqlite.Open(ctx, file, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		db, err := sql.Open("sqlite", file)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var plan string
		var ignored int
		if err := db.QueryRowContext(ctx, "EXPLAIN QUERY PLAN "+sqldb.SelectSession, "x").Scan(&ignored, &ignored, &ignored, &plan); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`^SEARCH sessions USING .*(INDEX|PRIMARY KEY).* \(id=\?\)$`).MatchString(plan) {
			t.Errorf("the plan is %q", plan)
		}
	})
	t.Run("postgres", func(t *testing.T) {
		url := pgtest.Place(t)
		s, err := postgres.Open(ctx, url, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		// An empty table is read whole, unless that costs something.
		if _, err := conn.Exec(ctx, "SET enable_seqscan = off; SET enable_bitmapscan = off"); err != nil {
			t.Fatal(err)
		}
		var plan string
		if err := conn.QueryRow(ctx, "EXPLAIN "+strings.ReplaceAll(sqldb.SelectSession, "?", "'x'")).Scan(&plan); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(plan, "Index Scan using sessions_pkey on sessions") {
			t.Errorf("the plan is %q", plan)
		}
	})
}
