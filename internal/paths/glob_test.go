package paths

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.go", "b.go", ".env", "sub/c.go", "sub/.x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		pattern, want string
		most          int
		ok            bool
	}{
		{"*.go", "a.go b.go", 100, true},
		{"*", "a.go b.go sub", 100, true},
		{".e*", ".env", 100, true},
		{"*/*.go", "sub/c.go", 100, true},
		{"[!a].go", "b.go", 100, true},
		{"none/*", "", 100, true},
		{"*", "", 1, false},
		{"*/[", "", 100, false},
	} {
		names, ok := Glob(dir+"/"+row.pattern, row.most)
		for i := range names {
			names[i] = strings.TrimPrefix(names[i], dir+"/")
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); ok != row.ok || ok && got != row.want {
			t.Errorf("%s: %q %v", row.pattern, got, ok)
		}
	}
}
