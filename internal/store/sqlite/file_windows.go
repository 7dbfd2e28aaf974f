package sqlite

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// On Windows a file takes its rights from the directory.
const (
	onlyOwner    = false
	openNoFollow = 0
	// Others cannot read the byte that is locked, which is the first.
	noteAt = 1
)

func vetOwner(string, fs.FileInfo, fs.FileMode) error { return nil }

func lockFile(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
}

func isLocked(err error) bool { return errors.Is(err, windows.ERROR_LOCK_VIOLATION) }

// Windows has no sync of directories.
func syncDir(string) error { return nil }
