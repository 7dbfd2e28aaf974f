package inspect

import (
	"strconv"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// procDir is the directory of the own descriptors. To hold it open spares many
// reports the way through /proc, which is half of what a list of attributes costs.
type procDir struct {
	many   bool // worth to be opened
	opened bool
	fd     int
}

// noListAt remembers that the system has no listxattrat (Linux before 6.13), or a
// sandbox that forbids it.
var noListAt atomic.Bool

// open returns the directory, below 0 when there is none to use.
func (p *procDir) open() int {
	if !p.many || noListAt.Load() {
		return -1
	}
	if !p.opened {
		p.opened = true
		fd, err := unix.Open("/proc/self/fd", openPath|unix.O_DIRECTORY, 0)
		if err != nil {
			fd = -1
		}
		p.fd = fd
	}
	return p.fd
}

func (p *procDir) close() {
	if p.opened && p.fd >= 0 {
		_ = unix.Close(p.fd)
	}
	p.opened = false
}

// listXattrs names the attributes of the open object.
func (h *handle) listXattrs(proc *procDir, into []byte) (int, error) {
	dir := proc.open()
	if dir < 0 {
		return unix.Listxattr(h.magic(), into)
	}
	name, err := unix.BytePtrFromString(strconv.Itoa(h.fd))
	if err != nil {
		return 0, err
	}
	n, _, errno := unix.Syscall6(unix.SYS_LISTXATTRAT, uintptr(dir), uintptr(unsafe.Pointer(name)), 0,
		uintptr(unsafe.Pointer(unsafe.SliceData(into))), uintptr(len(into)), 0)
	switch errno {
	case 0:
		return int(n), nil
	case unix.ENOSYS, unix.EPERM:
		noListAt.Store(true)
		return unix.Listxattr(h.magic(), into)
	}
	return 0, errno
}
