package inspect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// hardTree is a way with everything on it that the mode bits do not tell: links,
// attributes, read-only mounts, objects that are no files.
type hardTree struct {
	path    string   // what is inspected
	entries []string // every name on the way, without links before it
	undo    []func()
}

// What is computed is what the kernel does also where links, attributes, mounts
// and special files are on the way.
func TestEffectiveAccessOnHardWays(t *testing.T) {
	inMountNamespace(t)
	who := Subject{UID: someone, GIDs: []uint32{someone, team}}
	rng := rand.New(rand.NewPCG(3, 5))
	top := t.TempDir()
	for _, dir := range []string{filepath.Dir(top), top} {
		must(t, os.Chmod(dir, 0o755))
	}
	refused, admitted := 0, 0
	for round := range 300 {
		base := filepath.Join(top, fmt.Sprint(round))
		must(t, os.Mkdir(base, 0o755))
		tree := makeHardTree(t, rng, base)
		r := Path(tree.path, Options{EffectiveFor: &who})
		if e := r.Effective; e != nil {
			become(t, who)
			actual := tryHard(tree)
			root()
			for _, row := range []struct {
				name          string
				computed, got *bool
			}{
				{"read", e.Read, actual.Read},
				{"write", e.Write, actual.Write},
				{"traverse", e.Traverse, actual.Traverse},
				{"replace", e.Replace, actual.Replace},
			} {
				if is(row.got) {
					admitted++
				} else {
					refused++
				}
				if row.computed == nil || *row.computed != *row.got {
					t.Errorf("round %d: %s of %s %s: computed %s, the kernel says %v\n%s\n%v", round, row.name, r.Facts.Kind, tree.path,
						known3(row.computed), *row.got, describeTree(tree.entries), e.Why)
				}
			}
		} else if r.OK {
			t.Fatalf("round %d: no answer", round)
		}
		for i := len(tree.undo) - 1; i >= 0; i-- {
			tree.undo[i]()
		}
	}
	if refused < 100 || admitted < 100 {
		t.Errorf("a test of little: %d refused, %d admitted", refused, admitted)
	}
}

func makeHardTree(t *testing.T, rng *rand.Rand, base string) *hardTree {
	t.Helper()
	tree := &hardTree{}
	dir, inner := base+"/dir", base+"/dir/inner"
	must(t, os.Mkdir(dir, 0o755))
	mounted := rng.IntN(4) == 0
	if mounted {
		mountOrSkip(t, "none", dir, "tmpfs", []uintptr{0, unix.MS_NODEV}[rng.IntN(2)], "mode=755")
		tree.undo = append(tree.undo, func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	}
	must(t, os.Mkdir(inner, 0o755))
	object := inner + "/object"
	makeSpecial(t, rng.IntN(5), object)
	tree.entries = []string{dir, inner, object}
	tree.path = object
	links := base + "/links"
	if rng.IntN(2) == 0 {
		must(t, os.Mkdir(links, 0o755))
		target := []string{object, inner, "../dir/inner/object", "../links/../dir/inner"}[rng.IntN(4)]
		must(t, os.Symlink(target, links+"/link"))
		tree.path = links + "/link"
		if filepath.Base(target) == "inner" {
			tree.path += "/object"
		}
		tree.entries = append(tree.entries, links, links+"/link")
	}
	owners, groups := []int{0, someone, another}, []int{0, someone, team, 31999}
	for _, name := range tree.entries {
		must(t, os.Lchown(name, owners[rng.IntN(3)], groups[rng.IntN(4)]))
		if filepath.Base(name) == "link" {
			continue
		}
		mode := uint32(rng.IntN(0o1000))
		switch rng.IntN(4) {
		case 0:
			mode = 0o1777
		case 1:
			mode |= 0o011
		case 2:
			mode = 0o755
		}
		must(t, unix.Chmod(name, mode))
	}
	for _, name := range []string{dir, inner, object} {
		if rng.IntN(6) == 0 {
			tree.mark(name, []int{unix.STATX_ATTR_IMMUTABLE, unix.STATX_ATTR_APPEND}[rng.IntN(2)])
		}
	}
	if rng.IntN(4) == 0 { // of the same file system, read-only from here on
		must(t, unix.Mount(dir, dir, "", unix.MS_BIND, ""))
		must(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""))
		tree.undo = append(tree.undo, func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	}
	return tree
}

// mark sets an attribute of chattr, where there is one.
func (tree *hardTree) mark(name string, flag int) {
	var st unix.Stat_t
	if unix.Lstat(name, &st) != nil || st.Mode&typeMask != typeFile && st.Mode&typeMask != typeDir {
		return
	}
	file, err := os.Open(name)
	if err != nil {
		return
	}
	if unix.IoctlSetPointerInt(int(file.Fd()), unix.FS_IOC_SETFLAGS, flag) != nil {
		_ = file.Close()
		return
	}
	tree.undo = append(tree.undo, func() {
		_ = unix.IoctlSetPointerInt(int(file.Fd()), unix.FS_IOC_SETFLAGS, 0)
		_ = file.Close()
	})
}

func makeSpecial(t *testing.T, which int, path string) {
	t.Helper()
	switch which {
	case 0:
		must(t, os.Mkdir(path, 0o700))
	case 1:
		must(t, unix.Mknod(path, unix.S_IFIFO|0o600, 0))
	case 2:
		must(t, unix.Mknod(path, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))))
	default:
		must(t, os.WriteFile(path, nil, 0o600))
	}
}

// tryHard does what the report says may be done, and undoes it.
func tryHard(tree *hardTree) EffectiveAccess {
	var st unix.Stat_t
	can := func(err error) *bool { return boolFact(err == nil) }
	e := EffectiveAccess{}
	lookErr := unix.Stat(tree.path, &st)
	e.Traverse = can(lookErr)
	readErr := tryOpen(tree.path, unix.O_RDONLY)
	e.Read = can(readErr)
	if lookErr == nil && st.Mode&typeMask == typeDir {
		e.Traverse = can(unix.Lstat(tree.path+"/.", &st))
		probe := tree.path + "/probe"
		err := unix.Mkdir(probe, 0o700)
		if err == nil {
			_ = unix.Rmdir(probe)
		}
		e.Write = can(err)
	} else {
		err := tryOpen(tree.path, unix.O_WRONLY|unix.O_APPEND)
		e.Write = boolFact(err == nil || err == unix.ENXIO) // a FIFO that nobody reads
	}
	replaced := false
	for _, name := range tree.entries {
		if unix.Rename(name, name+".moved") == nil {
			replaced = true
			_ = unix.Rename(name+".moved", name)
		}
	}
	e.Replace = boolFact(replaced)
	return e
}
