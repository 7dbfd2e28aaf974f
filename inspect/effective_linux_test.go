package inspect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	someone = 31001
	another = 31002
	team    = 31100
)

// become gives the thread the file system rights of a user and its groups. The
// thread ends with the test.
func become(t *testing.T, who Subject) {
	t.Helper()
	groups := append([]uint32{}, who.GIDs...)
	_, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(unsafe.SliceData(groups))), 0)
	if errno != 0 {
		t.Skipf("cannot change the groups of a thread: %v", errno)
	}
	_, _, _ = unix.RawSyscall(unix.SYS_SETFSGID, uintptr(who.GIDs[0]), 0, 0)
	_, _, _ = unix.RawSyscall(unix.SYS_SETFSUID, uintptr(who.UID), 0, 0)
}

func root() {
	_, _, _ = unix.RawSyscall(unix.SYS_SETFSUID, 0, 0, 0)
	_, _, _ = unix.RawSyscall(unix.SYS_SETFSGID, 0, 0, 0)
}

// What is computed is what the kernel does: for trees of any mode, owner and
// list, the user tries to read, write, pass and replace.
func TestEffectiveAccessIsTheKernels(t *testing.T) {
	needRoot(t)
	runtime.LockOSThread()
	who := Subject{UID: someone, GIDs: []uint32{someone, team}}
	rng := rand.New(rand.NewPCG(7, 11))
	top := t.TempDir()
	for _, dir := range []string{filepath.Dir(top), top} {
		must(t, os.Chmod(dir, 0o755))
	}
	rounds := 400
	for round := range rounds {
		base := filepath.Join(top, fmt.Sprint(round))
		must(t, os.Mkdir(base, 0o755))
		names := randomTree(t, rng, base)
		object := names[len(names)-1]
		e := Path(object, Options{EffectiveFor: &who}).Effective
		if e == nil {
			t.Fatalf("%s: no answer", object)
		}
		become(t, who)
		actual := tryAccess(names)
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
			if row.computed == nil || *row.computed != *row.got {
				t.Errorf("round %d: %s of %s: computed %v, the kernel says %v\n%s", round, row.name, object, known3(row.computed), *row.got, describeTree(names))
			}
		}
	}
}

func known3(v *bool) string {
	if v == nil {
		return "unknown"
	}
	return strconv.FormatBool(*v)
}

func describeTree(names []string) string {
	text := ""
	for _, name := range names {
		r := Path(name, Options{})
		text += fmt.Sprintf("%s %o %d:%d %v\n", name, *r.Mode, r.Facts.Owner.UID, r.Facts.Owner.GID, r.Facts.ACL)
	}
	return text
}

// randomTree makes two directories and an object in them.
func randomTree(t *testing.T, rng *rand.Rand, base string) []string {
	t.Helper()
	names := []string{base + "/a", base + "/a/b", base + "/a/b/c"}
	for i, name := range names {
		if i < 2 || rng.IntN(2) == 0 {
			must(t, os.Mkdir(name, 0o700))
		} else {
			must(t, os.WriteFile(name, nil, 0o600))
		}
	}
	owners, groups := []int{0, someone, another}, []int{0, someone, team, 31999}
	for _, name := range names {
		must(t, os.Chown(name, owners[rng.IntN(3)], groups[rng.IntN(4)]))
		mode := uint32(rng.IntN(0o1000))
		if rng.IntN(2) == 0 {
			mode |= 0o011 // else nothing is ever reached
		}
		if rng.IntN(3) == 0 {
			mode |= bitSticky
		}
		must(t, unix.Chmod(name, mode))
		if rng.IntN(2) == 0 {
			p := func() Perms { return Perms(rng.IntN(8)) }
			list := []ACLEntry{user(another, p()), group(31999, p())}
			if rng.IntN(2) == 0 {
				list = append(list, user(someone, p()))
			}
			if rng.IntN(2) == 0 {
				list = append(list, group(team, p()))
			}
			setACL(t, name, xattrAccess, sortACL(Perms(mode>>6)&7, p(), p(), Perms(mode)&7, list))
		}
	}
	return names
}

// sortACL puts named entries in the order that the kernel demands.
func sortACL(owner, grp, mask, other Perms, named []ACLEntry) []ACLEntry {
	for i := range named {
		for k := i + 1; k < len(named); k++ {
			if named[k].Tag == named[i].Tag && *named[k].ID < *named[i].ID {
				named[i], named[k] = named[k], named[i]
			}
		}
	}
	return base(owner, grp, mask, other, named...)
}

// tryAccess does what the report says may be done, and undoes it.
func tryAccess(names []string) EffectiveAccess {
	object := names[len(names)-1]
	can := func(err error) *bool { return boolFact(err == nil) }
	var e EffectiveAccess
	var st unix.Stat_t
	lookErr := unix.Lstat(object, &st)
	isDir := lookErr == nil && st.Mode&typeMask == typeDir
	e.Read = can(tryOpen(object, unix.O_RDONLY))
	e.Traverse = boolFact(lookErr == nil)
	if isDir {
		e.Traverse = can(unix.Lstat(object+"/.", &st))
		probe := object + "/probe"
		err := unix.Mkdir(probe, 0o700)
		if err == nil {
			_ = unix.Rmdir(probe)
		}
		e.Write = can(err)
	} else {
		e.Write = can(tryOpen(object, unix.O_WRONLY))
	}
	replaced := false
	for _, name := range names {
		if unix.Rename(name, name+".moved") == nil {
			replaced = true
			_ = unix.Rename(name+".moved", name)
		}
	}
	e.Replace = boolFact(replaced)
	return e
}

func tryOpen(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}
