package inspect

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// fuseMount serves a directory in which every name is an open file, but for
// "hang", about which it never answers: what a dead network mount does. It
// returns the directory and a function that lets all waiting calls fail.
func fuseMount(t *testing.T) (dir string, release func()) {
	t.Helper()
	needRoot(t)
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no FUSE here: %v", err)
	}
	dir = privateDir(t)
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd)
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
	return dir, release
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
		answer, errno := fuseAnswer(opcode, node)
		out := make([]byte, 16, 16+len(answer))
		binary.LittleEndian.PutUint32(out, uint32(16+len(answer)))
		binary.LittleEndian.PutUint32(out[4:], uint32(-int32(errno)))
		binary.LittleEndian.PutUint64(out[8:], unique)
		_, _ = unix.Write(fd, append(out, answer...))
	}
}

func fuseAnswer(opcode uint32, node uint64) ([]byte, unix.Errno) {
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
		binary.LittleEndian.PutUint64(b, 2)
		return append(b, fuseAttr(2)...), 0
	case fuseStatfs:
		return make([]byte, 80), 0
	}
	return nil, unix.ENOSYS
}

func fuseAttr(node uint64) []byte {
	b := make([]byte, 88)
	binary.LittleEndian.PutUint64(b, node)
	mode := typeFile | 0o666
	if node == 1 {
		mode = typeDir | 0o755
	}
	binary.LittleEndian.PutUint32(b[60:], mode)
	binary.LittleEndian.PutUint32(b[64:], 1)
	return b
}

func TestFUSE(t *testing.T) {
	dir, _ := fuseMount(t)
	r := Path(dir+"/file", Options{})
	if m := r.Facts.Mount; !r.OK || m == nil || !is(m.FUSE) || m.Type != "fuse.pdptest" || m.Network != nil || m.SyntheticModes != nil {
		t.Errorf("%+v %+v", r, r.Facts.Mount)
	}
}

// One path on a mount that does not answer costs its own report and nothing else.
func TestHungMount(t *testing.T) {
	dir, release := fuseMount(t)
	file := makeObject(t, KindFile, 0o600)
	pool := &Pool{Workers: 2, MaxStuck: 3}
	paths := []string{file, dir + "/hang", file, dir + "/hang", dir + "/hang", file, file, dir + "/file"}
	opts := BatchOptions{PathTimeout: 20 * time.Millisecond, Timeout: 10 * time.Second}
	for i, r := range pool.Batch(context.Background(), paths, opts) {
		hangs := strings.HasSuffix(paths[i], "hang")
		if r.OK == hangs || hangs && !strings.Contains(r.Error, "timed out after 20ms") && r.Error != errStuck.Message {
			t.Errorf("%d %s: %+v", i, paths[i], r.Error)
		}
	}
	// With all of its workers given up the pool takes no more, rather than hang.
	for !pool.full() {
		pool.Batch(context.Background(), []string{dir + "/hang"}, opts)
	}
	if r := pool.Batch(context.Background(), []string{file}, opts)[0]; r.OK || r.Error != errStuck.Message {
		t.Errorf("a full pool: %+v", r)
	}
	if err := pool.Run(context.Background(), time.Second, func(func() bool) {}); err != errStuck {
		t.Errorf("a full pool runs: %v", err)
	}
	release()
	for pool.Stuck() > 0 {
		runtime.Gosched() // the kernel lets the calls fail
	}
	if r := pool.Batch(context.Background(), []string{file}, opts)[0]; !r.OK {
		t.Errorf("after the mount has gone: %+v", r.Error)
	}
}
