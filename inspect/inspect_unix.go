//go:build unix

package inspect

import (
	"errors"
	"io/fs"
	"syscall"
)

const (
	namespaceAliases = false
	walksDirectories = true
)

func verify(_ string, r Report) Report { return withModeBits(r) }

func fillStat(st *Stat, info fs.FileInfo) {
	raw, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	st.Mode = known(uint32(raw.Mode))
	st.UID = known(raw.Uid)
	st.GID = known(raw.Gid)
	st.links = known(uint64(raw.Nlink))
	st.identity = &Identity{Device: uint64(raw.Dev), Inode: uint64(raw.Ino)}
}

// readOnly asks the kernel whether the object's file system takes changes. Only
// files and directories answer for their file system.
func readOnly(path string, kind Kind) *bool {
	if kind != KindFile && kind != KindDirectory {
		return nil
	}
	const writable = 2
	return known(errors.Is(syscall.Access(path, writable), syscall.EROFS))
}
