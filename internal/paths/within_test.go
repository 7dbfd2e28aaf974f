package paths

import (
	"os"
	"path/filepath"
	"testing"
)

func TestResolveIn(t *testing.T) {
	if localWalk.os == Windows {
		t.Skip("Windows always resolves whole paths")
	}
	root, err := Local{}.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"dir", "dir/below"} {
		if err := os.Mkdir(filepath.Join(root.Path, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root.Path, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "dir", "dangling": "nowhere", "dir/up": ".."} {
		if err := os.Symlink(to, filepath.Join(root.Path, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		dir, name string
		want      bool
	}{
		{"", "file", true},
		{"", "dir", true},
		{"dir", "below", true},
		{"", "missing", true},
		{"missing", "below", true},
		{"missing/more", "below", true},
		{"file", "below", true},
		{"", "link", false},
		{"", "dangling", false},
		{"dir", "up", false},
		{"link", "below", true},
		{"", ".", false},
		{"", "..", false},
		{"missing", "..", false},
		{"", "", false},
		{"", "dir/below", false},
		{"", "a\x00b", false},
	} {
		dir, err := Local{}.Resolve(filepath.Join(root.Path, row.dir))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := Local{}.ResolveIn(dir, row.name)
		if ok != row.want {
			t.Errorf("%q in %q: %v", row.name, row.dir, ok)
		}
		if want, err := (Local{}).Resolve(root.Path + "/" + row.dir + "/" + row.name); ok && (err != nil || got != want) {
			t.Errorf("%q in %q: %+v, want %+v, %v", row.name, row.dir, got, want, err)
		}
	}
	for dir, name := range map[string]string{"/proc": "self", "/dev": "fd"} {
		if _, ok := (Local{}).ResolveIn(Resolved{Path: dir, Exists: true, Dir: true}, name); ok {
			t.Errorf("%s/%s is another place for each process", dir, name)
		}
	}
}
