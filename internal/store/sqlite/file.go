package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// prepare makes the directory and an empty file, unless existing says that they
// must be there, or vets those that are there.
//
// An existing database is never opened here: closing any descriptor of the file
// would drop the locks that SQLite holds on it in this process.
func prepare(path string, existing bool) error {
	if !filepath.IsAbs(path) {
		return errors.New("the path is not absolute")
	}
	dir := filepath.Dir(path)
	if existing {
		// An empty file is what a start has left that came no further.
		switch info, err := os.Lstat(path); {
		case errors.Is(err, fs.ErrNotExist), err == nil && info.Mode().IsRegular() && info.Size() == 0:
			return store.ErrNotFound
		case err != nil:
			return unavailable(err)
		}
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return unavailable(err)
	}
	if err := vetDir(dir); err != nil {
		return err
	}
	for _, name := range filesOf(path) {
		if _, err := vetFile(name); err != nil {
			return err
		}
	}
	if existing {
		return nil
	}
	if err := create(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return unavailable(err)
	}
	return nil
}

// filesOf are a store's file and its companions.
func filesOf(path string) []string {
	return []string{path, path + "-wal", path + "-shm", path + "-journal", path + ".lock"}
}

// tighten takes from others what they may do with the files.
func tighten(path string) error {
	for _, name := range filesOf(path) {
		info, err := vetFile(name)
		if err != nil {
			return err
		}
		if !onlyOwner || info == nil || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(name, info.Mode().Perm()&0o700); err != nil {
			return unavailable(err)
		}
	}
	return nil
}

// create makes an empty file that only its owner can read; SQLite gives its
// companions the same mode.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func unavailable(err error) error { return fmt.Errorf("%w: %w", store.ErrUnavailable, err) }

// vetDir refuses a directory where others could replace the file.
func vetDir(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return unavailable(err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no directory", dir)
	}
	return vetOwner(dir, info, 0o022)
}

// vetFile refuses what is no plain file of one name. Without a file there is no
// info either.
func vetFile(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unavailable(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a link or no plain file", path)
	}
	return info, vetOwner(path, info, 0)
}

// A visitor that brings an old file up to date holds the lock for a moment.
const (
	lockTries = 20
	lockPause = 50 * time.Millisecond
)

// takeLock locks a file for this process, which the system undoes when it ends.
// nil if shared: a visitor holds no lock.
func takeLock(ctx context.Context, path string, shared bool) (*fileLock, error) {
	if shared {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|openNoFollow, 0o600)
	if err != nil {
		return nil, unavailable(err)
	}
	for range lockTries {
		if err = lockFile(f); err == nil {
			note(f)
			return &fileLock{f}, nil
		}
		if !isLocked(err) {
			break
		}
		select {
		case <-time.After(lockPause):
			continue
		case <-ctx.Done():
		}
		break
	}
	defer f.Close()
	if isLocked(err) {
		return nil, &InUse{PID: noted(f)}
	}
	return nil, unavailable(err)
}

// InUse says that another service has the store. It is a store.ErrUnavailable.
type InUse struct {
	PID int // of that service's process, where it has noted it; 0: unknown
}

func (e *InUse) Error() string {
	if e.PID == 0 {
		return "another service has it"
	}
	return fmt.Sprintf("another service has it, in process %d", e.PID)
}

func (e *InUse) Unwrap() error { return store.ErrUnavailable }

// note writes down who has the lock. It is for people, so that nothing depends on
// it: a disk that is full is no reason not to start.
func note(f *os.File) {
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt(strconv.AppendInt(nil, int64(os.Getpid()), 10), noteAt)
	}
}

// noted is the process that has the lock, or 0.
func noted(f *os.File) int {
	var text [20]byte
	n, err := f.ReadAt(text[:], noteAt)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0
	}
	pid, err := strconv.Atoi(string(text[:n]))
	if err != nil || pid <= 0 {
		return 0
	}
	return pid
}

// fileLock is a lock on an open file; nil is none.
type fileLock struct{ file *os.File }

// release gives the lock back. The file stays: removing it would let two
// processes lock two files of that name.
func (l *fileLock) release() {
	if l != nil {
		l.file.Close()
	}
}
