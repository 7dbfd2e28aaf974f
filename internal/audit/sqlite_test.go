package audit

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqlite"
)

func openSQLite(tb testing.TB) (db *sqlite.Store, file string) {
	tb.Helper()
	file = filepath.Join(tb.TempDir(), "pdp.db")
	db, err := sqlite.Open(ctx, file, sqlite.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db, file
}

func TestSQLiteGivesBackWhatWasWritten(t *testing.T) {
	db, _ := openSQLite(t)
	w, err := Open(ctx, Options{Log: db, Identity: testIdentity(t), Settings: Settings{Sync: true}})
	if err != nil {
		t.Fatal(err)
	}
	ev := testEvent(1)
	ev.ID = "01900000-0000-7000-8000-000000000001"
	if err := w.Write(ctx, ev); err != nil {
		t.Fatal(err)
	}
	stored, err := db.Record(ctx, ev.ID)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Decode(stored)
	if err != nil {
		t.Fatal(err)
	}
	if e.Writer != w.ID() || e.Seq != 1 || e.Kind != DecisionMade || e.Session != "s1" || e.Outcome != "allow" ||
		e.Caller.ID != "token:a" || e.Decision == nil || e.Decision.Reason != "it only reads" ||
		!strings.Contains(string(e.Call.Arguments), "git status 1") {
		t.Errorf("read back %+v", e)
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	marks, err := db.ListCheckpoints(ctx, w.ID())
	if err != nil || len(marks) != 2 || marks[1].Kind != "shutdown" || !signedBy(w.identity.Public(), &marks[1]) {
		t.Errorf("checkpoints %+v (%v)", marks, err)
	}
	if page, _, _, err := db.ListRecords(ctx, store.RecordQuery{Session: "s1", Limit: 5}); err != nil || len(page) != 1 {
		t.Errorf("the session has %d records (%v)", len(page), err)
	}
}
