//go:build unix && !linux

package inspect

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// handle names one object. Nothing is held open here: what is asked after each
// other may be about different objects if the name is given to another.
type handle struct {
	object
	path string
}

func openObject(path string) (handle, error) { return openNamed(path, false) }
func openTarget(path string) (handle, error) { return openNamed(path, true) }

func openNamed(path string, follow bool) (handle, error) {
	o, err := statOf(path, follow)
	return handle{object: o, path: path}, err
}

func (h *handle) child(name string) (handle, error) { return openObject(filepath.Join(h.path, name)) }

func (h *handle) childStat(name string) (object, error) {
	return statOf(filepath.Join(h.path, name), false)
}

func (h *handle) close() {}

func (h *handle) link() (string, error) {
	buf := make([]byte, 4096)
	n, err := unix.Readlink(h.path, buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

func statOf(path string, follow bool) (object, error) {
	var raw unix.Stat_t
	call := unix.Lstat
	if follow {
		call = unix.Stat
	}
	if err := call(path, &raw); err != nil {
		return object{}, err
	}
	o := object{
		mode: uint32(raw.Mode), uid: raw.Uid, gid: raw.Gid, hasOwner: true,
		links: uint64(raw.Nlink), inode: raw.Ino, device: uint64(raw.Dev),
	}
	fillFlags(&o, &raw)
	return o, nil
}

// unopened is an object that is only described.
func unopened(o object) handle { return handle{object: o} }

const (
	statCall  = "stat"
	walkCalls = "lstat"
)
