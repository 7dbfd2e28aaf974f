package inspect

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// xattr reads an attribute of the open object. It is nil and no error when the
// object has none. The descriptor was opened without the right to read, so the
// way leads through its name in /proc, which stands for the same object.
func xattr(magic, name string) ([]byte, error) {
	var space [512]byte
	n, err := getxattr(magic, name, space[:])
	if err == unix.ERANGE {
		big := make([]byte, maxXattr)
		if n, err = getxattr(magic, name, big); err == nil {
			return big[:n], nil
		}
	}
	switch err {
	case nil:
		return append([]byte(nil), space[:n]...), nil
	case unix.ENODATA, unix.EOPNOTSUPP:
		return nil, nil
	}
	return nil, err
}

func getxattr(magic, name string, into []byte) (int, error) {
	n, err := unix.Getxattr(magic, name, into)
	for err == unix.EINTR {
		n, err = unix.Getxattr(magic, name, into)
	}
	return n, err
}

// listsAll are the file systems that name every attribute when asked for the
// list; one call then often replaces three. Others may have what they do not
// list.
var listsAll = map[string]bool{"ext4": true, "ext3": true, "ext2": true, "xfs": true, "btrfs": true, "tmpfs": true}

// attributes tells which attributes an object can have.
type attributes struct {
	listed bool
	names  []byte
}

func (a *attributes) mayHave(name string) bool {
	if !a.listed {
		return true
	}
	for rest := a.names; len(rest) > 0; {
		end := bytes.IndexByte(rest, 0)
		if end < 0 {
			return true
		}
		if string(rest[:end]) == name {
			return true
		}
		rest = rest[end+1:]
	}
	return false
}

const (
	xattrAccess     = "system.posix_acl_access"
	xattrDefault    = "system.posix_acl_default"
	xattrCapability = "security.capability"
)

// readACL reads one of the two POSIX access lists. It is empty for an object that
// has none.
func readACL(magic, name string) (PosixACL, error) {
	value, err := xattr(magic, name)
	if err != nil {
		return nil, err
	}
	if value == nil {
		return PosixACL{}, nil
	}
	return ParsePosixACL(value)
}

// accessACL is the list that decides about the object itself.
func (h *handle) accessACL() (PosixACL, error) {
	if h.isLink() {
		return PosixACL{}, nil
	}
	return readACL(h.magic(), xattrAccess)
}

// fillXattrs reads what extended attributes say. The mount of the object is
// known by now.
func (h *handle) fillXattrs(f *Facts, proc *procDir) {
	if h.isLink() {
		return // a link has none that decide about access
	}
	var space [512]byte
	var a attributes
	if f.Mount != nil && listsAll[f.Mount.Type] {
		if n, err := h.listXattrs(proc, space[:]); err == nil {
			a = attributes{true, space[:n]}
		}
	}
	if acl, err := a.acl(h, xattrAccess); err == nil {
		f.ACL, f.ExtendedACL, f.Provenance.ACL = acl, boolFact(acl.extended()), "getxattr"
	}
	if h.isDir() {
		if acl, err := a.acl(h, xattrDefault); err == nil {
			f.DefaultACL = acl
		}
		return
	}
	if h.mode&typeMask == typeFile {
		f.fillCapabilities(&a, h)
	}
}

func (a *attributes) acl(h *handle, name string) (PosixACL, error) {
	if !a.mayHave(name) {
		return PosixACL{}, nil
	}
	return readACL(h.magic(), name)
}

func (f *Facts) fillCapabilities(a *attributes, h *handle) {
	var value []byte
	var err error
	if a.mayHave(xattrCapability) {
		value, err = xattr(h.magic(), xattrCapability)
	}
	c := noCapabilities
	if err == nil && value != nil {
		c, err = ParseCapabilities(value)
	}
	if err == nil {
		f.Capabilities, f.Provenance.Capabilities = &c, "getxattr"
	}
}
