package storetest

import (
	"os"
	"testing"
)

// Memory is a directory for a test that is not about disks: in memory, where
// there is such a place, since each commit waits for the disk otherwise.
func Memory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "pdp-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
