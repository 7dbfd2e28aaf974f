package paths

import (
	"os"

	"golang.org/x/sys/windows"
)

// lookNative takes junctions for links: os.Lstat calls them irregular, like
// other entries that lead elsewhere. One that cannot be read is refused when
// the walk follows it.
func lookNative(path string) (node, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return node{}, err
	}
	if info.Mode()&(os.ModeSymlink|os.ModeIrregular) != 0 {
		return node{link: true}, nil
	}
	n := node{dir: info.IsDir(), regular: info.Mode().IsRegular()}
	n.links, n.id = identify(path)
	return n, nil
}

func readlinkNative(path string) (string, error) { return os.Readlink(path) }

// identify leaves the answer zero, unknown, where the file cannot be opened.
func identify(path string) (uint64, FileID) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, FileID{}
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	const flags = windows.FILE_FLAG_BACKUP_SEMANTICS | windows.FILE_FLAG_OPEN_REPARSE_POINT
	h, err := windows.CreateFile(name, 0, share, nil, windows.OPEN_EXISTING, flags, 0)
	if err != nil {
		return 0, FileID{}
	}
	defer windows.CloseHandle(h)
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &info); err != nil {
		return 0, FileID{}
	}
	return uint64(info.NumberOfLinks), FileID{
		Dev: uint64(info.VolumeSerialNumber),
		Ino: uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow),
	}
}
