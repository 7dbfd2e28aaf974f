//go:build unix

package decide

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// maze is a temporary tree full of links: to files, to directories, out of the
// roots and back in, dangling, in circles, relative and absolute.
type maze struct {
	*rand.Rand
	base  string
	dirs  []string // directories, below base
	names []string // of links and directories
}

func newMaze(t *testing.T, seed uint64) *maze {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &maze{Rand: rand.New(rand.NewPCG(seed, 7)), base: base, dirs: []string{"in", "out"}}
	for range 10 {
		dir := filepath.Join(m.pick(m.dirs), m.pick([]string{"a", "b", "c", "..x", "d d"}))
		m.dirs = append(m.dirs, dir)
	}
	for _, dir := range m.dirs {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 24 {
		name := fmt.Sprintf("l%d", i%8)
		m.names = append(m.names, name)
		_ = os.Symlink(m.target(), filepath.Join(base, m.pick(m.dirs), name))
	}
	m.names = append(m.names, "a", "b", "c", "..x", "d d", "in", "out", "f", "new")
	for range 4 {
		_ = os.WriteFile(filepath.Join(base, m.pick(m.dirs), "f"), []byte("x"), 0o600)
	}
	return m
}

func (m *maze) pick(list []string) string { return list[m.IntN(len(list))] }

// target is where a link leads.
func (m *maze) target() string {
	switch m.IntN(6) {
	case 0:
		return filepath.Join(m.base, m.pick(m.dirs))
	case 1:
		return filepath.Join(m.base, m.pick(m.dirs), "gone")
	case 2:
		return fmt.Sprintf("l%d", m.IntN(8))
	case 3:
		return m.pick([]string{"..", "../..", "../out", "../in", ".", "../../out/a", "f", "../f"})
	}
	return strings.Repeat("../", m.IntN(4)) + m.pick(m.dirs)
}

// path is what an agent asks for.
func (m *maze) path() string {
	var parts []string
	for range 1 + m.IntN(5) {
		parts = append(parts, m.pick([]string{"..", ".", "", m.pick(m.names), m.pick(m.names), m.pick(m.names), m.pick(m.names)}))
	}
	path := strings.Join(parts, "/") + m.pick([]string{"", "/", "/new", "/new/er"})
	if m.IntN(4) == 0 {
		return filepath.Join(m.base, m.pick(m.dirs)) + "/" + path
	}
	return strings.TrimPrefix(path, "/")
}

// TestAllowedWritesLandInARoot creates the file of each allowed write through
// the answer's resolved path, as the obligation says: without following a link.
// It must be the file that the tool would have opened, and lie in a writable
// root once everything is resolved.
func TestAllowedWritesLandInARoot(t *testing.T) {
	trees, paths := uint64(40), 150
	if os.Getenv("PDP_NIGHTLY") != "" {
		trees = 1000
	}
	policy, err := Compile(PolicySpec{InlineContext: "trust"})
	if err != nil {
		t.Fatal(err)
	}
	allowed, created, throughLinks := 0, 0, 0
	for seed := range trees {
		m := newMaze(t, seed)
		mode, cwd := "bypass-approvals", filepath.Join(m.base, "in")
		roots := []RootSpec{{Path: cwd, Writable: true}}
		for range m.IntN(3) {
			roots = append(roots, RootSpec{Path: filepath.Join(m.base, m.pick(m.dirs), m.pick([]string{"", "l1", "l2"})), Writable: m.IntN(2) == 0})
		}
		session, err := policy.Session(ContextSpec{WorkspaceRoot: cwd, Mode: &mode, Roots: roots})
		if err != nil {
			t.Fatal(err)
		}
		for range paths {
			given := m.path()
			d := policy.Decide(session, Call{Tool: "write_file", Arguments: NewObject(Member{"path", Text(given)})})
			if d.Outcome != Allow {
				continue
			}
			allowed++
			resolved := d.Paths[0].Resolved
			if d.Obligations[0] != NoFollowBeneathRoot || d.Paths[0].Root == "" {
				t.Fatalf("%q: %v, root %q", given, d.Obligations, d.Paths[0].Root)
			}
			if !create(t, resolved) {
				continue // a directory, or below a file
			}
			created++
			if m.landed(t, roots, given, resolved) {
				throughLinks++
			}
			if t.Failed() {
				t.Fatalf("seed %d, roots %+v", seed, roots)
			}
		}
	}
	t.Logf("%d allowed, %d created, %d of them under another path than given", allowed, created, throughLinks)
	if created < 200 || throughLinks < 50 {
		t.Error("the maze is no use")
	}
}

// create makes the file by its resolved path, following no link.
func create(t *testing.T, resolved string) bool {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(resolved), 0o755); err != nil {
		return false
	}
	f, err := os.OpenFile(resolved, os.O_CREATE|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		if errors.Is(err, syscall.ELOOP) {
			t.Errorf("%q is a link", resolved)
		}
		return false
	}
	f.Close()
	return true
}

// landed checks where the file is, and reports whether it took another path
// than the one that was asked for.
func (m *maze) landed(t *testing.T, roots []RootSpec, given, resolved string) bool {
	t.Helper()
	real, err := filepath.EvalSymlinks(resolved)
	if err != nil || real != resolved {
		t.Errorf("%q: resolved as %q, which is %q (%v)", given, resolved, real, err)
	}
	narrowest, writable := "", false
	for _, r := range roots {
		root, err := filepath.EvalSymlinks(r.Path)
		if err != nil || real != root && !strings.HasPrefix(real, root+"/") {
			continue
		}
		switch {
		case len(root) > len(narrowest):
			narrowest, writable = root, r.Writable
		case root == narrowest:
			writable = writable && r.Writable
		}
	}
	if !writable {
		t.Errorf("%q: %q was created, in no writable root", given, real)
	}
	opened := given
	if !filepath.IsAbs(given) {
		opened = filepath.Join(m.base, "in") + "/" + given
	}
	mine, err1 := os.Stat(resolved)
	tools, err2 := os.Stat(opened)
	if err1 == nil && err2 == nil && !os.SameFile(mine, tools) {
		t.Errorf("%q: judged %q, but a tool opens another file", given, resolved)
	}
	return filepath.Clean(opened) != resolved
}
