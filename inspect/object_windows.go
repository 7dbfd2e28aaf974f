package inspect

import (
	"io/fs"
	"os"
)

const (
	statCall  = "GetFileInformationByHandleEx"
	walkCalls = fromUnknown
)

// statOf examines a name. The permission bits only mirror the read-only
// attribute and say nothing about access.
func statOf(path string, follow bool) (object, error) {
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	info, err := stat(path)
	if err != nil {
		return object{}, err
	}
	o := object{mode: uint32(info.Mode().Perm()), links: 1}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		o.mode |= typeLink
	case info.IsDir():
		o.mode |= typeDir
	default:
		o.mode |= typeFile
	}
	return o, nil
}
