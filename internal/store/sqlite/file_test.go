//go:build unix

package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agent-pdp/pdp/internal/store"
)

func TestFilesAreTheOwners(t *testing.T) {
	old := unix.Umask(0)
	defer unix.Umask(old)
	path := place(t)
	s := mustOpen(t, path, Options{})
	if err := s.Backup(ctx, path+".copy"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{
		filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + ".lock": 0o600, path + ".copy": 0o600,
	} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %04o, want %04o", filepath.Base(name), got, want)
		}
	}
}

func TestModesAreTakenBack(t *testing.T) {
	path := place(t)
	mustOpen(t, path, Options{}).Close()
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, path, Options{})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func TestPlacesThatAreRefused(t *testing.T) {
	link := func(t *testing.T, path string) {
		t.Helper()
		target := filepath.Join(t.TempDir(), "target")
		if err := os.WriteFile(target, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		name string
		make func(t *testing.T, path string)
		why  string
	}{
		{"a link for the file", func(t *testing.T, path string) { link(t, path) }, "a link"},
		{"a link for the log", func(t *testing.T, path string) { link(t, path+"-wal") }, "a link"},
		{"a link for the index of the log", func(t *testing.T, path string) { link(t, path+"-shm") }, "a link"},
		{"a link for a journal", func(t *testing.T, path string) { link(t, path+"-journal") }, "a link"},
		{"a link for the lock", func(t *testing.T, path string) { link(t, path+".lock") }, "a link"},
		{"a link that leads nowhere", func(t *testing.T, path string) {
			if err := os.Symlink(filepath.Join(t.TempDir(), "none"), path); err != nil {
				t.Fatal(err)
			}
		}, "a link"},
		{"a directory", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "no plain file"},
		{"a pipe", func(t *testing.T, path string) {
			if err := unix.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "no plain file"},
		{"a second name", func(t *testing.T, path string) {
			if err := os.WriteFile(path+"2", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Link(path+"2", path); err != nil {
				t.Fatal(err)
			}
		}, "more than one name"},
		{"a directory where others may write", func(t *testing.T, path string) {
			if err := os.Chmod(filepath.Dir(path), 0o777|os.ModeSticky); err != nil {
				t.Fatal(err)
			}
		}, "others may write"},
		{"a directory where the group may write", func(t *testing.T, path string) {
			if err := os.Chmod(filepath.Dir(path), 0o770); err != nil {
				t.Fatal(err)
			}
		}, "others may write"},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := place(t)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			row.make(t, path)
			s, err := Open(ctx, path, Options{})
			if err == nil {
				s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), row.why) {
				t.Errorf("error is %v, want one with %q", err, row.why)
			}
		})
	}
	if _, err := Open(ctx, "pdp.db", Options{}); err == nil {
		t.Error("a path that is not absolute")
	}
}

func TestOneServiceAtATime(t *testing.T) {
	path := place(t)
	first := mustOpen(t, path, Options{})
	if _, err := Open(ctx, path, Options{}); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "another service") {
		t.Fatalf("a second service: %v", err)
	}
	// A visitor is let in, writes, and is seen.
	visitor := mustOpen(t, path, Options{Shared: true})
	if err := visitor.AddToken(ctx, store.Token{ID: "t", Name: "n", Role: "admin"}); err != nil {
		t.Fatal(err)
	}
	if list, err := first.ListTokens(ctx); err != nil || len(list) != 1 {
		t.Fatalf("%v %v", list, err)
	}
	// It stays when the service ends, and does not keep the next one out.
	first.Close()
	second := mustOpen(t, path, Options{})
	if err := visitor.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := second.ListTokens(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestAVisitorMakesTheFirstStore(t *testing.T) {
	path := place(t)
	visitor := mustOpen(t, path, Options{Shared: true})
	mustOpen(t, path, Options{})
	if _, err := visitor.ListTokens(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestAVisitorDoesNotMigrateUnderAService(t *testing.T) {
	path := place(t)
	mustOpen(t, path, Options{})
	execAt(t, path, "UPDATE schema_version SET version = 0")
	if _, err := Open(ctx, path, Options{Shared: true}); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "older version") {
		t.Fatalf("%v", err)
	}
}

func TestNamesOfFiles(t *testing.T) {
	for _, name := range []string{"a b", "100%", "a%41", "q?x=1", "h#x", "ü", "a&b", "new\nline"} {
		path := filepath.Join(t.TempDir(), name, name+".db")
		mustOpen(t, path, Options{})
		if _, err := os.Stat(path + "-wal"); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}
