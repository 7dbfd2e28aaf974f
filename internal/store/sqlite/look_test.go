package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// What is refused is as it was: its journal, its rights, what lies beside it.
func TestAnotherProgramsFileIsLeftAlone(t *testing.T) {
	for _, file := range []struct{ name, schema string }{
		{"a table", "CREATE TABLE mine (n INTEGER)"},
		{"a view alone", "CREATE VIEW mine AS SELECT 1"},
		{"versions of its own", "CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (1)"},
		{"sessions of its own", "CREATE TABLE schema_version (version INTEGER); CREATE TABLE sessions (id TEXT)"},
	} {
		for _, how := range []struct {
			name string
			o    Options
		}{
			{"a service", Options{}},
			{"a visit", Options{Shared: true}},
			{"a visit that makes nothing", Options{Shared: true, Existing: true}},
		} {
			t.Run(file.name+", "+how.name, func(t *testing.T) {
				path := place(t)
				mustMkdir(t, path)
				execAt(t, path, file.schema)
				if err := os.Chmod(path, 0o644); err != nil {
					t.Fatal(err)
				}
				before := snapshot(t, path)
				s, err := Open(ctx, path, how.o)
				if err == nil {
					s.Close()
				}
				if !errors.Is(err, ErrForeign) || how.o.Existing != errors.Is(err, store.ErrNotFound) {
					t.Fatalf("got %v", err)
				}
				after := snapshot(t, path)
				if len(after) != 1 || !bytes.Equal(after["pdp.db"].bytes, before["pdp.db"].bytes) || after["pdp.db"].mode != before["pdp.db"].mode {
					t.Errorf("there is %d files, the first with the mode %v", len(after), after["pdp.db"].mode)
				}
			})
		}
	}
}

// Texts are bound as UTF-8 where they are: in another encoding SQLite would take
// those of the first row for all.
func TestOtherEncodingsAreRefused(t *testing.T) {
	for _, encoding := range []string{"UTF-16le", "UTF-16be"} {
		path := place(t)
		mustMkdir(t, path)
		execAt(t, path, "PRAGMA encoding='"+encoding+"'; CREATE TABLE gone (n INTEGER); DROP TABLE gone")
		before := snapshot(t, path)
		for _, o := range []Options{{}, {Shared: true}, {Shared: true, Existing: true}} {
			s, err := Open(ctx, path, o)
			if err == nil {
				s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), encoding) {
				t.Errorf("%s, %+v: %v", encoding, o, err)
			}
		}
		if after := snapshot(t, path); len(after) != 1 || !bytes.Equal(after["pdp.db"].bytes, before["pdp.db"].bytes) {
			t.Errorf("%s: the file was changed", encoding)
		}
	}
}

// A process that was killed in the middle of a transaction, before the file had the
// store's kind of journal, has left that transaction to roll back.
func TestATransactionThatWasLeftIsRolledBack(t *testing.T) {
	for _, o := range []Options{{}, {Shared: true}} {
		whole, killed := place(t), place(t)
		mustMkdir(t, whole)
		mustMkdir(t, killed)
		execAt(t, whole, "CREATE TABLE gone (n INTEGER); DROP TABLE gone")
		db, err := sql.Open("sqlite", whole+"?_pragma=cache_size(2)")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		if _, err := tx.Exec("CREATE TABLE half (b BLOB); INSERT INTO half WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 200) SELECT zeroblob(4000) FROM n"); err != nil {
			t.Fatal(err)
		}
		for _, end := range []string{"", "-journal"} {
			text, err := os.ReadFile(whole + end)
			if err != nil || len(text) == 0 {
				t.Fatalf("%s has %d bytes: %v", end, len(text), err)
			}
			if err := os.WriteFile(killed+end, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := findIn(ctx, killed, time.Second, "mode=ro"); err == nil {
			t.Fatal("there is nothing to roll back")
		}
		s := mustOpen(t, killed, o)
		if _, err := s.Revision(ctx); err != nil {
			t.Error(err)
		}
		s.Close()
	}
}

// A file keeps the size of its pages; new ones and copies have the store's.
func TestSizesOfPages(t *testing.T) {
	for want, prepared := range map[string]func(path string){
		"8192": func(string) {},
		"4096": func(path string) {
			mustMkdir(t, path)
			first, err := migrations.ReadFile("migrations/0001_first.sql")
			if err != nil {
				t.Fatal(err)
			}
			execAt(t, path, "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; BEGIN; "+string(first)+"UPDATE schema_version SET version = 1; COMMIT")
		},
	} {
		path := place(t)
		prepared(path)
		s := mustOpen(t, path, Options{})
		var got string
		if err := s.write.QueryRowContext(ctx, "PRAGMA page_size").Scan(&got); err != nil || got != want {
			t.Errorf("pages of %s bytes, want %s: %v", got, want, err)
		}
		copied := filepath.Join(t.TempDir(), "copy", "pdp.db")
		mustMkdir(t, copied)
		if err := s.Backup(ctx, copied); err != nil {
			t.Fatal(err)
		}
		s.Close()
		mustOpen(t, path, Options{Shared: true, Existing: true}).Close()
		s = mustOpen(t, copied, Options{Shared: true, Existing: true})
		if err := s.write.QueryRowContext(ctx, "PRAGMA page_size").Scan(&got); err != nil || got != pageSize {
			t.Errorf("the copy has pages of %s bytes: %v", got, err)
		}
	}
}

type found struct {
	bytes []byte
	mode  fs.FileMode
}

func snapshot(t *testing.T, path string) map[string]found {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]found{}
	for _, e := range entries {
		name := filepath.Join(filepath.Dir(path), e.Name())
		text, err := os.ReadFile(name)
		info, statErr := os.Stat(name)
		if err := errors.Join(err, statErr); err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = found{text, info.Mode()}
	}
	return all
}
