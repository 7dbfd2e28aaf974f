package paths

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bothWays resolves by the kernel and by steps, and wants one answer.
func bothWays(t *testing.T, abs string) {
	t.Helper()
	if checkResolvable(abs) != nil {
		return // neither is asked
	}
	quick, err := Local{}.Resolve(abs)
	quickKind := kindIn(t, err)
	slow, slowKind := localWalk.resolve(abs)
	if quick.Dir && slow.Dir { // other processes make directories in shared ones
		quick.Links, slow.Links = 0, 0
	}
	if quick != slow || quickKind != slowKind {
		t.Errorf("%q\n leads the kernel to %+v %s\n and the steps to %+v %s", abs, quick, quickKind, slow, slowKind)
	}
	if quickKind == "" && !isClean(quick.Path) {
		t.Errorf("%q leads to %q", abs, quick.Path)
	}
}

// plant grows a tree below dir out of the numbers that next gives; it returns
// the words that paths in it are made of. Links may lead out of dir, so the
// tree is planted through an os.Root, which does not.
func plant(t testing.TB, dir string, size int, next func(n int) int) []string {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	words := []string{"a", "b", "c", "d", "..", ".", "", "none", "e (deleted)"}
	pick := func() string {
		names := make([]string, 1+next(4))
		for i := range names {
			names[i] = words[next(len(words))]
		}
		return strings.Join(names, "/")
	}
	place := func() string { return filepath.Clean("./" + pick()) }
	for range size {
		at := place()
		root.MkdirAll(filepath.Dir(at), 0o755) // fails where a file or a link is in the way
		switch next(6) {
		case 0, 1:
			root.Mkdir(at, 0o755)
		case 2:
			root.WriteFile(at, nil, 0o644)
		case 3:
			root.Symlink(pick(), at)
		case 4:
			root.Symlink(dir+"/"+pick(), at)
		case 5:
			root.Link(place(), at)
		}
	}
	return words
}

func TestKernelAndStepsAgree(t *testing.T) {
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		root := t.TempDir()
		words := plant(t, root, 60, rnd.IntN)
		for range 300 {
			names := make([]string, 1+rnd.IntN(7))
			for i := range names {
				names[i] = words[rnd.IntN(len(words))]
			}
			bothWays(t, root+"/"+strings.Join(names, "/"))
		}
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

func FuzzResolve(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09"), "a/b/../c")
	f.Add([]byte("aaaabbbbccccdddd"), "a/./../none/..")
	f.Add([]byte{3, 1, 0, 0, 3, 3, 0, 1, 0, 4}, "/b/x/y/z")
	f.Fuzz(func(t *testing.T, tree []byte, path string) {
		if len(tree) > 400 {
			return
		}
		root := t.TempDir()
		r := bytes.NewReader(tree)
		plant(t, root, len(tree)/6, func(n int) int {
			b, _ := r.ReadByte()
			return int(b) % n
		})
		bothWays(t, root+"/"+path)
		bothWays(t, path)
	})
}

func TestKernelAndStepsAgreeOnThisMachine(t *testing.T) {
	dir := t.TempDir()
	link := func(name, target string) string {
		t.Helper()
		if err := os.Symlink(target, dir+"/"+name); err != nil {
			t.Fatal(err)
		}
		return dir + "/" + name
	}
	open, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	for _, abs := range []string{
		"/", "//", "/..", "/none", "/none/x/y", "/none/../etc/passwd", "/etc/passwd", "/etc/passwd/", "/etc/passwd/x",
		"/etc/passwd/../hostname", "/dev/null", "/dev/tty", "/tmp", "/bin/sh", "/usr/../bin/sh", "/proc", "/proc/cpuinfo",
		"/proc/sys/kernel/hostname", "/sys/class", "/lib64", "/var/run",
		link("self", "/proc/self"), link("cwd", "/proc/self/cwd"), dir + "/cwd/x", dir + "/self/root/etc", dir + "/self/../../etc/passwd",
		dir + "/self/fd", link("fd", fmt.Sprintf("/proc/self/fd/%d", open.Fd())), dir + "/fd/x",
		link("std", "/dev/stdin"), link("devfd", "/dev/fd"), dir + "/devfd/3", link("mounts", "/proc/mounts"),
		link("exe", "/proc/thread-self/exe"),
		dir + strings.Repeat("/none", 12), dir + strings.Repeat("/x", 2000), "/" + strings.Repeat("/", 4000),
		"/" + strings.Repeat("./", 2047), "/" + strings.Repeat("../", 1365),
	} {
		bothWays(t, abs)
	}
	for _, name := range []string{"cwd", "cwd/x", "self", "self/root/etc", "fd", "fd/x", "std", "devfd/3", "mounts", "exe"} {
		_, err := Local{}.Resolve(dir + "/" + name)
		if kind := kindIn(t, err); kind != ProcessRelative {
			t.Errorf("%s leads into a process, and is %q", name, kind)
		}
	}
}

// A path near the limit through links into deep directories.
func TestKernelAndStepsAgreeInTheDeep(t *testing.T) {
	dir := t.TempDir()
	deep := dir
	for range 15 {
		deep += "/" + strings.Repeat("d", 250)
	}
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(deep, dir+"/link"); err != nil {
		t.Fatal(err)
	}
	for _, tail := range []string{"", "/none", "/..", "/" + strings.Repeat("x", 255), "/" + strings.Repeat("x", 200) + "/" + strings.Repeat("y", 200)} {
		bothWays(t, dir+"/link"+tail)
		bothWays(t, deep+tail)
	}
}

func TestHardLinksShareAnID(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/a", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(dir+"/a", dir+"/b"); err != nil {
		t.Fatal(err)
	}
	a, errA := Local{}.Resolve(dir + "/a")
	b, errB := Local{}.Resolve(dir + "/b")
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if a.ID != b.ID || !a.ID.Valid() || a.Links != 2 || !a.Regular || a.Path == b.Path {
		t.Errorf("%+v and %+v", a, b)
	}
}

func TestWithoutTheFastWay(t *testing.T) {
	defer slowOnly.Store(slowOnly.Load())
	slowOnly.Store(true)
	dir := t.TempDir()
	if err := os.Symlink("/proc/self/cwd", dir+"/cwd"); err != nil {
		t.Fatal(err)
	}
	if _, err := (Local{}).Resolve(dir + "/cwd"); kindIn(t, err) != ProcessRelative {
		t.Errorf("a link to the own directory: %v", err)
	}
	if r, err := (Local{}).Resolve("/dev/../dev/null"); err != nil || r.Path != "/dev/null" || !r.Exists || r.Regular {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestResolveAllocatesLittle(t *testing.T) {
	if _, ok := resolveFast("/"); !ok {
		t.Log("this kernel has no openat2: only the walk by steps is tested")
		return
	}
	dir := t.TempDir()
	if err := os.Symlink(dir, dir+"/link"); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		path string
		max  float64
	}{
		{dir, 0},
		{dir + "/none", 0},
		{dir + "/none/x", 0},
		{dir + "/link", 1},
		{dir + "/link/none", 1},
	} {
		got := testing.AllocsPerRun(200, func() { Local{}.Resolve(row.path) })
		if got > row.max+0.5 { // the pool may be emptied in between
			t.Errorf("%q: %v allocations, want %v", row.path, got, row.max)
		}
	}
}

func benchTree(b *testing.B) string {
	dir := b.TempDir() + "/proj/internal/paths"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(dir+"/file.go", nil, 0o644); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	return dir
}

func benchResolve(b *testing.B, path string) {
	for b.Loop() {
		if _, err := (Local{}).Resolve(path); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResolveExisting(b *testing.B)     { benchResolve(b, benchTree(b)+"/file.go") }
func BenchmarkResolveMissingLeaf(b *testing.B)  { benchResolve(b, benchTree(b)+"/none.go") }
func BenchmarkResolveMissingThree(b *testing.B) { benchResolve(b, benchTree(b)+"/x/y/none.go") }

func BenchmarkResolveBySteps(b *testing.B) {
	path := benchTree(b) + "/file.go"
	for b.Loop() {
		localWalk.resolve(path)
	}
}

// BenchmarkRawTrio is the least that an answer costs: the system calls alone.
func BenchmarkRawTrio(b *testing.B) {
	name := append([]byte(benchTree(b)+"/file.go"), 0)
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	empty := []byte{0}
	var text [maxPath]byte
	var stat unix.Statx_t
	var link [32]byte
	for b.Loop() {
		fd, _, errno := unix.Syscall6(unix.SYS_OPENAT2, atCwd, uintptr(unsafe.Pointer(&name[0])),
			uintptr(unsafe.Pointer(&how)), unix.SizeofOpenHow, 0, 0)
		if errno != 0 {
			b.Skip("no openat2 here")
		}
		proc := append(appendInt(append(link[:0], "/proc/self/fd/"...), int(fd)), 0)
		unix.Syscall6(unix.SYS_READLINKAT, atCwd, uintptr(unsafe.Pointer(&proc[0])),
			uintptr(unsafe.Pointer(&text)), uintptr(len(text)), 0, 0)
		unix.Syscall6(unix.SYS_STATX, fd, uintptr(unsafe.Pointer(&empty[0])), unix.AT_EMPTY_PATH,
			unix.STATX_BASIC_STATS, uintptr(unsafe.Pointer(&stat)), 0)
		unix.Syscall(unix.SYS_CLOSE, fd, 0, 0)
	}
}
