package inspect

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// handle holds one object open without the right to read it (O_PATH): opening
// neither blocks on a FIFO nor touches a device, and everything that is asked
// afterwards is about this object, whatever its name comes to mean.
type handle struct {
	object
	fd int
}

const (
	openPath   = unix.O_PATH | unix.O_CLOEXEC
	statxWants = unix.STATX_BASIC_STATS | unix.STATX_BTIME | unix.STATX_MNT_ID | unix.STATX_MNT_ID_UNIQUE
)

// openObject opens what path names, a link itself.
func openObject(path string) (handle, error) { return openIn(unix.AT_FDCWD, path, unix.O_NOFOLLOW) }

// openTarget opens what path leads to.
func openTarget(path string) (handle, error) { return openIn(unix.AT_FDCWD, path, 0) }

// child opens an entry of a directory, a link itself.
func (h *handle) child(name string) (handle, error) { return openIn(h.fd, name, unix.O_NOFOLLOW) }

func openIn(dir int, name string, flags int) (handle, error) {
	h := handle{fd: -1}
	fd, err := unix.Openat(dir, name, openPath|flags, 0)
	for err == unix.EINTR { // network mounts allow signals to interrupt
		fd, err = unix.Openat(dir, name, openPath|flags, 0)
	}
	if err != nil {
		return h, err
	}
	h.fd = fd
	if err := statInto(&h.object, fd, "", unix.AT_EMPTY_PATH); err != nil {
		h.close()
		return handle{fd: -1}, err
	}
	return h, nil
}

func (h *handle) close() {
	if h.fd >= 0 {
		_ = unix.Close(h.fd) // O_PATH descriptors have nothing to flush
		h.fd = -1
	}
}

// statOf examines a name with one call. The last link is not followed unless
// follow is set.
func statOf(path string, follow bool) (object, error) {
	flags := unix.AT_SYMLINK_NOFOLLOW
	if follow {
		flags = 0
	}
	var o object
	err := statInto(&o, unix.AT_FDCWD, path, flags)
	return o, err
}

// childStat is stat for an entry of an open directory.
func (h *handle) childStat(name string) (object, error) {
	var o object
	err := statInto(&o, h.fd, name, unix.AT_SYMLINK_NOFOLLOW)
	return o, err
}

func statInto(o *object, dir int, name string, flags int) error {
	var raw unix.Statx_t
	// Without NO_AUTOMOUNT a question would mount what nobody asked for.
	err := unix.Statx(dir, name, flags|unix.AT_NO_AUTOMOUNT, statxWants, &raw)
	for err == unix.EINTR {
		err = unix.Statx(dir, name, flags|unix.AT_NO_AUTOMOUNT, statxWants, &raw)
	}
	if err != nil {
		return err
	}
	o.mode, o.uid, o.gid, o.hasOwner = uint32(raw.Mode), raw.Uid, raw.Gid, true
	o.links, o.inode, o.device = uint64(raw.Nlink), raw.Ino, unix.Mkdev(raw.Dev_major, raw.Dev_minor)
	if raw.Mask&unix.STATX_BTIME != 0 {
		o.birthSec, o.birthNsec, o.hasBirth = raw.Btime.Sec, raw.Btime.Nsec, true
	}
	o.uniqueID = raw.Mask&unix.STATX_MNT_ID_UNIQUE != 0
	o.hasMountID = o.uniqueID || raw.Mask&unix.STATX_MNT_ID != 0
	o.mountID = raw.Mnt_id
	o.immutable = attribute(&raw, unix.STATX_ATTR_IMMUTABLE)
	o.appendOnly = attribute(&raw, unix.STATX_ATTR_APPEND)
	o.mountRoot = raw.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
	return nil
}

// attribute is nil where the file system has no such attribute to tell of.
func attribute(raw *unix.Statx_t, bit uint64) *bool {
	if raw.Attributes_mask&bit == 0 {
		return nil
	}
	return boolFact(raw.Attributes&bit != 0)
}

// link reads where an open link points.
func (h *handle) link() (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(h.fd, "", buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

// magic is the name under which the kernel reaches what a descriptor holds.
func (h *handle) magic() string { return "/proc/self/fd/" + strconv.Itoa(h.fd) }

// unopened is an object that is only described.
func unopened(o object) handle { return handle{object: o, fd: -1} }

const (
	statCall  = "statx"
	walkCalls = "openat, statx"
)
