package inspect

import (
	"errors"
	"syscall"
)

// extendedACL looks for a POSIX access list. A file system without such lists
// has none for certain.
func extendedACL(path string, kind Kind) *bool {
	if kind != KindFile && kind != KindDirectory {
		return nil
	}
	size, err := syscall.Getxattr(path, "system.posix_acl_access", nil)
	switch {
	case err == nil:
		return known(size > 0)
	case errors.Is(err, syscall.ENODATA), errors.Is(err, syscall.ENOTSUP):
		return known(false)
	}
	return nil
}
