package paths

import (
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

var localWalk = walk{
	os:       POSIX,
	look:     lookNative,
	readlink: readlinkNative,
	magic:    isProcessDir,
}

// isProcessDir reports a directory of one process in a proc file system. The
// links there are magic: the kernel follows them to an open file, and the text
// that it shows for them is only a description.
func isProcessDir(dir string) bool {
	for name := range strings.SplitSeq(dir, "/") {
		if isNumber(name) {
			var st unix.Statfs_t
			return unix.Statfs(dir, &st) != nil || st.Type == unix.PROC_SUPER_MAGIC
		}
	}
	return false
}

// slowOnly is set for good once the kernel, a seccomp filter or a missing
// /proc has refused the fast way.
var slowOnly atomic.Bool

// scratch is what the kernel reads and writes. It is pooled because it is too
// large to be cleared on each call.
type scratch struct {
	name [maxPath + 1]byte // a path and its NUL
	text [maxPath]byte     // what a link says
	proc [32]byte          // /proc/self/fd/N
	how  unix.OpenHow
	stat unix.Stat_t
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// maxMissing is how many missing names at the end of a path the fast way
// takes, one openat2 each.
const maxMissing = 8

// resolveFast lets the kernel do the walk, in one openat2. It answers only
// where that is sure to be what the walk by steps would say, a swap by another
// process in between aside; in all other cases the walk decides.
func resolveFast(abs string) (Resolved, bool) {
	if slowOnly.Load() || abs == "" || abs[0] != '/' || len(abs) >= maxPath {
		return Resolved{}, false
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	r, errno := s.existing(abs)
	for end, n := len(abs), 0; errno == unix.ENOENT && n < maxMissing; n++ {
		end = strings.LastIndexByte(abs[:end], '/')
		if end < 0 || path.Clean(abs[end:]) != abs[end:] {
			return Resolved{}, false
		}
		r, errno = s.missing(abs, end)
	}
	switch errno {
	case 0:
		return r, r.Path != "" && !isProcessPlace(r.Path)
	case unix.ENOSYS, unix.EPERM:
		slowOnly.Store(true)
	}
	return Resolved{}, false
}

// existing answers for a path that is there.
func (s *scratch) existing(abs string) (Resolved, unix.Errno) {
	fd, errno := s.open(abs, unix.O_PATH|unix.O_CLOEXEC)
	if errno != 0 {
		return Resolved{}, errno
	}
	defer unix.Close(fd)
	text, errno := s.where(fd)
	if errno != 0 {
		return Resolved{}, errno
	}
	if unix.Fstat(fd, &s.stat) != nil {
		return Resolved{}, unix.EAGAIN
	}
	n := nodeOf(&s.stat)
	p := abs
	if string(text) != abs {
		p = string(text)
	}
	return Resolved{Path: p, Exists: true, Dir: n.dir, Regular: n.regular, Links: n.links, ID: n.id}, 0
}

// missing answers for a path whose part before the slash at end is there, and
// whose next name is not; the rest has to be clean. ENOENT says that the first
// part is not there either.
func (s *scratch) missing(abs string, end int) (Resolved, unix.Errno) {
	fd, errno := s.open(abs[:max(1, end)], unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY)
	if errno != 0 {
		return Resolved{}, errno
	}
	defer unix.Close(fd)
	tail := abs[end+1:]
	name, _, _ := strings.Cut(tail, "/")
	if s.readlinkat(fd, name) != unix.ENOENT {
		return Resolved{}, unix.EAGAIN // a dangling link, or the name came up just now
	}
	text, errno := s.where(fd)
	if errno != 0 {
		return Resolved{}, errno
	}
	if len(text)+1+len(tail) > maxPath {
		return Resolved{}, unix.EAGAIN
	}
	if len(text) == 1 {
		text = text[:0] // the root brings its own slash
	}
	if string(text) == abs[:end] {
		return Resolved{Path: abs}, 0
	}
	out := append(append(text, '/'), tail...) // within the scratch, which has the room
	return Resolved{Path: string(out)}, 0
}

func (s *scratch) open(name string, flags uint64) (int, unix.Errno) {
	s.setName(name)
	s.how = unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	fd, _, errno := unix.Syscall6(unix.SYS_OPENAT2, atCwd, uintptr(unsafe.Pointer(&s.name)),
		uintptr(unsafe.Pointer(&s.how)), unix.SizeofOpenHow, 0, 0)
	return int(fd), errno
}

// atCwd is AT_FDCWD; with an absolute path the kernel does not look at it.
const atCwd = ^uintptr(99)

func (s *scratch) setName(name string) {
	n := copy(s.name[:], name)
	s.name[n] = 0
}

// where is the path of an open file. It lies in s.text.
func (s *scratch) where(fd int) ([]byte, unix.Errno) {
	b := append(s.proc[:0], "/proc/self/fd/"...)
	b = appendInt(b, fd)
	b = append(b, 0)
	n, _, errno := unix.Syscall6(unix.SYS_READLINKAT, atCwd, uintptr(unsafe.Pointer(&b[0])),
		uintptr(unsafe.Pointer(&s.text)), uintptr(len(s.text)), 0, 0)
	if errno != 0 {
		slowOnly.CompareAndSwap(false, errno == unix.ENOENT) // no /proc here
		return nil, unix.EAGAIN
	}
	text := s.text[:n]
	if n == 0 || int(n) == len(s.text) || text[0] != '/' || hasSuffix(text, " (deleted)") {
		return nil, unix.EAGAIN
	}
	return text, 0
}

func hasSuffix(b []byte, suffix string) bool {
	return len(b) >= len(suffix) && string(b[len(b)-len(suffix):]) == suffix
}

func appendInt(b []byte, n int) []byte {
	if n >= 10 {
		b = appendInt(b, n/10)
	}
	return append(b, byte('0'+n%10))
}

// readlinkat reports why name, in the directory fd, is not a link; 0 is a link.
func (s *scratch) readlinkat(fd int, name string) unix.Errno {
	s.setName(name)
	_, _, errno := unix.Syscall6(unix.SYS_READLINKAT, uintptr(fd), uintptr(unsafe.Pointer(&s.name)),
		uintptr(unsafe.Pointer(&s.text)), uintptr(len(s.text)), 0, 0)
	return errno
}

// passesMagicLink asks the kernel about a path that the walk by steps could
// resolve: only a magic link makes it see a loop there.
func passesMagicLink(abs string) bool {
	if slowOnly.Load() || len(abs) >= maxPath {
		return false
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	fd, errno := s.open(abs, unix.O_PATH|unix.O_CLOEXEC)
	if errno == 0 {
		unix.Close(fd)
	}
	return errno == unix.ELOOP
}
