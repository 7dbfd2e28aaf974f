package inspect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func benchFile(b *testing.B) string {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "a", "b")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "key")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// ratio runs two functions in turns and compares the best turn of each: what
// else the machine does only ever makes a turn slower.
func ratio(b *testing.B, ours, bare func()) {
	b.Helper()
	const turn = 50
	best := [2]time.Duration{time.Hour, time.Hour}
	b.ReportAllocs()
	for b.Loop() {
		for i, f := range []func(){ours, bare} {
			start := time.Now()
			for range turn {
				f()
			}
			best[i] = min(best[i], time.Since(start))
		}
	}
	b.ReportMetric(float64(best[0])/float64(best[1]), "ratio")
	b.ReportMetric(float64(best[0].Nanoseconds())/turn, "ns/report")
	b.ReportMetric(float64(best[1].Nanoseconds())/turn, "ns/calls")
}

// BenchmarkPlain compares the report of the mode bits with two statx calls.
func BenchmarkPlain(b *testing.B) {
	path := benchFile(b)
	var raw unix.Statx_t
	ratio(b, func() { Path(path, Options{Plain: true}) }, func() {
		for range 2 {
			_ = unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS, &raw)
		}
	})
}

// BenchmarkFacts compares the report with everything in it with the system calls
// that it makes, made bare.
func BenchmarkFacts(b *testing.B) {
	path := benchFile(b)
	ratio(b, func() { Path(path, Options{}) }, bareCalls(b, path))
}

// bareCalls makes the calls of one report of a file in a private directory
// without looking at the answers.
func bareCalls(b *testing.B, path string) func() {
	b.Helper()
	names := []string{}
	for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
		names = append([]string{filepath.Base(dir)}, names...)
	}
	var raw unix.Statx_t
	var fs unix.Statfs_t
	space := make([]byte, 1024)
	mount := make([]byte, 2048)
	stat := func(fd int, name string, flags int) {
		_ = unix.Statx(fd, name, flags, statxWants, &raw)
	}
	return func() {
		_ = unix.Geteuid()
		fd, _ := unix.Openat(unix.AT_FDCWD, path, openPath|unix.O_NOFOLLOW, 0)
		stat(fd, "", unix.AT_EMPTY_PATH)
		_, _ = unix.Listxattr("/proc/self/fd/"+strconv.Itoa(fd), space)
		_ = unix.Fstatfs(fd, &fs)
		req := statmountRequest{size: 24, id: raw.Mnt_id, param: statmountWants}
		_, _, _ = unix.Syscall6(unix.SYS_STATMOUNT, uintptr(unsafe.Pointer(&req)), uintptr(unsafe.Pointer(&mount[0])), uintptr(len(mount)), 0, 0, 0)
		dir, _ := unix.Openat(unix.AT_FDCWD, "/", openPath|unix.O_NOFOLLOW, 0)
		stat(dir, "", unix.AT_EMPTY_PATH)
		for _, name := range names {
			next, _ := unix.Openat(dir, name, openPath|unix.O_NOFOLLOW, 0)
			stat(next, "", unix.AT_EMPTY_PATH)
			_ = unix.Close(dir)
			dir = next
		}
		stat(dir, filepath.Base(path), unix.AT_SYMLINK_NOFOLLOW)
		_ = unix.Close(dir)
		_ = unix.Close(fd)
	}
}

// BenchmarkBatch reports on 10,000 files in 100 directories, and how much memory
// stays in use beside the reports.
func BenchmarkBatch(b *testing.B) {
	for _, count := range []int{10_000, 100_000} {
		paths := manyFiles(b, count)
		for _, plain := range []bool{false, true} {
			b.Run(fmt.Sprintf("paths=%d/plain=%t", count, plain), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					DefaultPool.Batch(context.Background(), paths, BatchOptions{Options: Options{Plain: plain}})
				}
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapInuse)/(1<<20), "MiB-kept")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(paths)), "ns/path")
			})
		}
	}
}

// manyFiles are 10,000 files, named again and again up to count.
func manyFiles(b *testing.B, count int) []string {
	b.Helper()
	base := b.TempDir()
	var files, paths []string
	for i := range 100 {
		dir := filepath.Join(base, strconv.Itoa(i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		for k := range 100 {
			path := filepath.Join(dir, strconv.Itoa(k))
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				b.Fatal(err)
			}
			files = append(files, path)
		}
	}
	for len(paths) < count {
		paths = append(paths, files...)
	}
	return paths[:count]
}
