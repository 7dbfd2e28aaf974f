package inspect

import (
	"errors"

	"golang.org/x/sys/unix"
)

// xattr reads an attribute of the open object. It is nil and no error when the
// object has none. The descriptor was opened without the right to read, so the
// way leads through its name in /proc, which stands for the same object.
func (h *handle) xattr(magic, name string) ([]byte, error) {
	var space [1024]byte
	n, err := retry(func() (int, error) { return unix.Getxattr(magic, name, space[:]) })
	if errors.Is(err, unix.ERANGE) {
		big := make([]byte, maxXattr)
		n, err = retry(func() (int, error) { return unix.Getxattr(magic, name, big) })
		if err == nil {
			return big[:n], nil
		}
	}
	switch {
	case err == nil:
		return append([]byte(nil), space[:n]...), nil
	case errors.Is(err, unix.ENODATA), errors.Is(err, unix.EOPNOTSUPP):
		return nil, nil
	}
	return nil, err
}

const (
	xattrAccess     = "system.posix_acl_access"
	xattrDefault    = "system.posix_acl_default"
	xattrCapability = "security.capability"
)

// acl reads one of the two POSIX access lists. It is empty for an object that
// has none.
func (h *handle) acl(magic, name string) (PosixACL, error) {
	value, err := h.xattr(magic, name)
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
	return h.acl(h.magic(), xattrAccess)
}

// fillXattrs reads what extended attributes say.
func (h *handle) fillXattrs(f *Facts) {
	if h.isLink() {
		return // a link has none that decide about access
	}
	magic := h.magic()
	if acl, err := h.acl(magic, xattrAccess); err == nil {
		f.ACL, f.ExtendedACL, f.Provenance.ACL = acl, boolFact(acl.extended()), "getxattr"
	}
	if h.isDir() {
		if acl, err := h.acl(magic, xattrDefault); err == nil {
			f.DefaultACL = acl
		}
		return
	}
	if h.mode&typeMask != typeFile {
		return
	}
	value, err := h.xattr(magic, xattrCapability)
	if err != nil {
		return
	}
	if value == nil {
		f.Capabilities, f.Provenance.Capabilities = &noCapabilities, "getxattr"
		return
	}
	if c, err := ParseCapabilities(value); err == nil {
		f.Capabilities, f.Provenance.Capabilities = &c, "getxattr"
	}
}
