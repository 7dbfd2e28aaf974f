//go:build unix

package paths

import (
	"os"

	"golang.org/x/sys/unix"
)

func lookNative(path string) (node, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return node{}, err
	}
	return nodeOf(&st), nil
}

func nodeOf(st *unix.Stat_t) node {
	format := uint32(st.Mode) & unix.S_IFMT
	return node{
		link:    format == unix.S_IFLNK,
		dir:     format == unix.S_IFDIR,
		regular: format == unix.S_IFREG,
		links:   uint64(st.Nlink),
		id:      FileID{Dev: uint64(st.Dev), Ino: st.Ino},
	}
}

func readlinkNative(path string) (string, error) { return os.Readlink(path) }
