//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	onlyOwner    = true
	openNoFollow = unix.O_NOFOLLOW
	noteAt       = 0
)

// vetOwner refuses what belongs to another user (root may visit), has more than
// one name, or gives others one of the bits.
func vetOwner(path string, info fs.FileInfo, bits fs.FileMode) error {
	if info.Mode().Perm()&bits != 0 {
		return fmt.Errorf("others may write to %s (mode %04o): use a directory that is writable for its owner alone", path, info.Mode().Perm())
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if euid := os.Geteuid(); euid != 0 && int(stat.Uid) != euid {
		return fmt.Errorf("%s belongs to another user", path)
	}
	if !info.IsDir() && stat.Nlink > 1 {
		return fmt.Errorf("%s has more than one name", path)
	}
	return nil
}

func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

func isLocked(err error) bool { return errors.Is(err, unix.EWOULDBLOCK) }

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
