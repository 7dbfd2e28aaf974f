package sqlite

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

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

// A first start that was killed while it switched the journal of the empty file
// has left a transaction to roll back.
func TestAFirstStartThatWasKilled(t *testing.T) {
	path := place(t)
	mustMkdir(t, path)
	execAt(t, path, "CREATE TABLE mine (n INTEGER); DROP TABLE mine; PRAGMA journal_mode = DELETE")
	for _, o := range []Options{{}, {Shared: true, Existing: true}} {
		mustOpen(t, path, o).Close()
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
