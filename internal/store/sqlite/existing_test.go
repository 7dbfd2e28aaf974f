package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
)

func TestAVisitThatMakesNothing(t *testing.T) {
	for _, row := range []struct {
		name string
		make func(t *testing.T, path string)
	}{
		{"no directory", func(*testing.T, string) {}},
		{"no file", func(t *testing.T, path string) { mustMkdir(t, path) }},
		{"an empty file", func(t *testing.T, path string) {
			mustMkdir(t, path)
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"another program's database", func(t *testing.T, path string) {
			mustMkdir(t, path)
			execAt(t, path, "CREATE TABLE mine (n INTEGER)")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := place(t)
			row.make(t, path)
			before, _ := os.ReadFile(path)
			if s, err := Open(ctx, path, Options{Shared: true, Existing: true}); !errors.Is(err, store.ErrNotFound) {
				if err == nil {
					s.Close()
				}
				t.Fatalf("got %v, want ErrNotFound", err)
			}
			after, err := os.ReadFile(path)
			if err == nil && before == nil && row.name != "an empty file" {
				t.Error("a file was made")
			}
			if len(after) != len(before) {
				t.Errorf("the file had %d bytes and has %d", len(before), len(after))
			}
			if row.name == "no directory" {
				if _, err := os.Stat(filepath.Dir(path)); err == nil {
					t.Error("a directory was made")
				}
			}
		})
	}
	path := place(t)
	mustOpen(t, path, Options{}).Close()
	mustOpen(t, path, Options{Shared: true, Existing: true})
}

func mustMkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestASecondServiceIsToldWhoHasTheStore(t *testing.T) {
	path := place(t)
	first := mustOpen(t, path, Options{})
	_, err := Open(ctx, path, Options{})
	var taken *InUse
	if !errors.As(err, &taken) || taken.PID != os.Getpid() || !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("got %v", err)
	}
	first.Close()
	mustOpen(t, path, Options{})
}
