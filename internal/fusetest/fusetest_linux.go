package fusetest

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Shared are the options of a mount that root serves for everybody.
const Shared = "user_id=0,group_id=0,allow_other"

// Mount serves a directory in which every name is a file, but for "dir", and for
// "hang", about which it never answers: what a dead network mount does. Release
// lets all waiting calls fail; the end of the test does, too. The test is skipped
// where nothing can be mounted.
func Mount(t testing.TB, dir, options string) (release func()) {
	t.Helper()
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no FUSE here: %v", err)
	}
	options = fmt.Sprintf("fd=%d,rootmode=40000,", fd) + options
	if err := unix.Mount("pdp-test", dir, "fuse.pdptest", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		_ = unix.Close(fd)
		t.Skipf("cannot mount FUSE: %v", err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		serveFuse(fd)
	}()
	done := false
	release = func() {
		if done {
			return
		}
		done = true
		_ = unix.Unmount(dir, unix.MNT_FORCE|unix.MNT_DETACH) // aborts what waits
		<-served
		_ = unix.Close(fd)
	}
	t.Cleanup(release)
	pollOnce(dir)
	return release
}

// pollOnce lets the kernel learn that nothing can be polled here. Otherwise it asks
// when package os opens a file, which waits without leaving the processor to others:
// if the garbage collector then stops all goroutines, the one that serves the
// directory cannot answer, and the process hangs for good.
func pollOnce(dir string) {
	fd, err := unix.Open(dir+"/file", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return // then nobody else in this process can open one
	}
	defer unix.Close(fd)
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
}

const (
	fuseLookup  = 1
	fuseForget  = 2
	fuseGetattr = 3
	fuseStatfs  = 17
	fuseInit    = 26
	fuseBatch   = 42
)

func serveFuse(fd int) {
	buf := make([]byte, 1<<17)
	for {
		n, err := unix.Read(fd, buf)
		if err == unix.EINTR || err == unix.ENOENT || err == unix.EAGAIN {
			continue
		}
		if err != nil || n < 40 {
			return
		}
		opcode, unique := binary.LittleEndian.Uint32(buf[4:]), binary.LittleEndian.Uint64(buf[8:])
		node, body := binary.LittleEndian.Uint64(buf[16:]), string(buf[40:n])
		if opcode == fuseForget || opcode == fuseBatch || opcode == fuseLookup && strings.HasPrefix(body, "hang\x00") {
			continue
		}
		found := uint64(fuseFileNode)
		if strings.HasPrefix(body, "dir\x00") {
			found = fuseDirNode
		}
		answer, errno := fuseAnswer(opcode, node, found)
		out := make([]byte, 16, 16+len(answer))
		binary.LittleEndian.PutUint32(out, uint32(16+len(answer)))
		binary.LittleEndian.PutUint32(out[4:], uint32(-int32(errno)))
		binary.LittleEndian.PutUint64(out[8:], unique)
		_, _ = unix.Write(fd, append(out, answer...))
	}
}

const (
	fuseDirNode  = 2
	fuseFileNode = 3
)

func fuseAnswer(opcode uint32, node, found uint64) ([]byte, unix.Errno) {
	switch opcode {
	case fuseInit:
		b := make([]byte, 64)
		binary.LittleEndian.PutUint32(b, 7)
		binary.LittleEndian.PutUint32(b[4:], 31)
		binary.LittleEndian.PutUint32(b[12:], 1<<18) // one lookup need not wait for another
		binary.LittleEndian.PutUint32(b[20:], 4096)
		return b, 0
	case fuseGetattr:
		return append(make([]byte, 16), fuseAttr(node)...), 0
	case fuseLookup:
		b := make([]byte, 40)
		binary.LittleEndian.PutUint64(b, found)
		return append(b, fuseAttr(found)...), 0
	case fuseStatfs:
		return make([]byte, 80), 0
	}
	return nil, unix.ENOSYS
}

func fuseAttr(node uint64) []byte {
	b := make([]byte, 88)
	binary.LittleEndian.PutUint64(b, node)
	mode := uint32(0o100000 | 0o644)
	if node != fuseFileNode {
		mode = 0o040000 | 0o755
	}
	binary.LittleEndian.PutUint32(b[60:], mode)
	binary.LittleEndian.PutUint32(b[64:], 1)
	return b
}
