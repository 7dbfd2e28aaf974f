package sqldb_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/store/sqldb"
	"github.com/agent-pdp/pdp/internal/store/sqlite"
)

// What is asked of the audit log is answered with an index, however long it is.
func TestRecordsAreFoundWithAnIndex(t *testing.T) {
	ctx := context.Background()
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
	const read = "SELECT " + sqldb.RecordFields
	for _, row := range []struct{ name, query, want string }{
		{"one record", read + " WHERE r.id = 'x'", "SEARCH r USING INDEX sqlite_autoindex_records_1 (id=?)"},
		{"a page of all", read + " WHERE r.id < 'x' AND r.kind = 'decision' ORDER BY r.id DESC LIMIT 9", "SEARCH r USING INDEX sqlite_autoindex_records_1 (id<?)"},
		{"the newest page", read + " ORDER BY r.id DESC LIMIT 9", "SCAN r USING INDEX sqlite_autoindex_records_1"},
		{"a page of a session", read + " WHERE r.session = 's' AND r.session <> '' AND r.id < 'x' ORDER BY r.id DESC LIMIT 9", "SEARCH r USING INDEX records_session (session=? AND id<?)"},
		{"a walk along a chain", read + " WHERE w.id = 'w' AND r.seq > 7 AND r.seq <= 99 ORDER BY r.seq LIMIT 9", "SEARCH r USING INDEX records_chain (writer=? AND seq>? AND seq<?)"},
		{"the end of a chain", "SELECT seq, hash FROM records WHERE writer = 1 ORDER BY seq DESC LIMIT 1", "SEARCH records USING INDEX records_chain (writer=?)"},
		{"retention", "DELETE FROM records WHERE writer = 1 AND seq <= 7", "SEARCH records USING INDEX records_chain (writer=? AND seq<?)"},
		{"erasure", "UPDATE records SET content = NULL, salt = NULL WHERE session = 's' AND session <> '' AND id > 'x'", "SEARCH records USING INDEX records_session (session=? AND id>?)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			plan := explain(t, db, row.query)
			if !strings.Contains(plan, row.want+"\n") || strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("the plan is\n%s", plan)
			}
		})
	}
}

func explain(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var ignored int
		var line string
		if err := rows.Scan(&ignored, &ignored, &ignored, &line); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}
