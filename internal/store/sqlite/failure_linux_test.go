package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agent-pdp/pdp/internal/store"
)

// A test that runs this binary again names the store that the child serves here.
const childVariable = "PDP_TEST_SQLITE_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		os.Exit(serveChild(path))
	}
	os.Exit(m.Run())
}

// tiny mounts a file system of 1 MiB, or skips the test and says why.
func tiny(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m,mode=0700"); err != nil {
		t.Skipf("no small file system to fill: mount tmpfs: %v (needs root)", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// fill appends records until that fails, and returns how many were acknowledged.
func fill(t *testing.T, s *Store, from int64) (int64, error) {
	t.Helper()
	for n := from; n < from+100_000; n++ {
		err := s.Append(ctx, []store.Record{numbered(n)}, nil)
		if err != nil {
			return n - 1, err
		}
	}
	t.Fatal("the disk never filled")
	return 0, nil
}

func numbered(n int64) store.Record {
	return store.Record{
		Writer: "w", Seq: n, ID: fmt.Sprintf("%09d", n), Session: "x", Content: []byte(strings.Repeat("c", 1000)),
		Hash: []byte(strconv.FormatInt(n, 10)),
	}
}

// intact checks that a chain has each number up to the last once and whole.
func intact(t *testing.T, s *Store, last int64) {
	t.Helper()
	var at int64
	err := s.WalkRecords(ctx, "w", 0, func(r store.Record) error {
		if at++; r.Seq != at || string(r.Hash) != strconv.FormatInt(at, 10) || len(r.Content) != 1000 {
			return fmt.Errorf("record %d is %+v", at, r)
		}
		return nil
	})
	if err != nil || at != last {
		t.Fatalf("%d records, want %d: %v", at, last, err)
	}
}

func opened(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.OpenWriter(ctx, store.Writer{ID: "w"}); err != nil {
		t.Fatal(err)
	}
	_, err := s.ChangeSession(ctx, "x", func(*store.Session) (*store.Session, error) {
		return &store.Session{ID: "x", Owner: "ann"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFullDisk(t *testing.T) {
	dir := tiny(t)
	path := filepath.Join(dir, "pdp.db")
	s := mustOpen(t, path, Options{})
	opened(t, s)
	last, err := fill(t, s, 1)
	if !errors.Is(err, store.ErrUnavailable) || last == 0 {
		t.Fatalf("after %d records: %v", last, err)
	}
	t.Logf("%d records, then: %v", last, err)

	// Every change fails and leaves nothing behind; reads go on.
	for range 20 {
		_, err = s.ChangeSession(ctx, "x", func(x *store.Session) (*store.Session, error) {
			x.Spec = make([]byte, 100_000)
			return x, nil
		})
		if !errors.Is(err, store.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	if x, err := s.Session(ctx, "x"); err != nil || x.Owner != "ann" || len(x.Spec) != 0 {
		t.Fatalf("%+v %v", x, err)
	}
	intact(t, s, last)

	// The same store goes on when there is space again.
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=4m,mode=0700"); err != nil {
		t.Fatal(err)
	}
	more, err := fill(t, s, last+1)
	if !errors.Is(err, store.ErrUnavailable) || more <= last {
		t.Fatalf("after %d records: %v", more, err)
	}
	intact(t, s, more)

	// What was acknowledged is there for the next service too, even on a full disk
	// that lets it open at all.
	if err := s.Close(); err != nil && !errors.Is(err, store.ErrUnavailable) {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=8m,mode=0700"); err != nil {
		t.Fatal(err)
	}
	intact(t, mustOpen(t, path, Options{}), more)
}

// Of a batch that the disk has no room for nothing stays, wherever in it that was.
func TestAFullDiskWithinABatch(t *testing.T) {
	dir := tiny(t)
	path := filepath.Join(dir, "pdp.db")
	s := mustOpen(t, path, Options{})
	opened(t, s)
	var last int64
	for size := range 4 { // in MiB, and one more each time
		if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, fmt.Sprintf("size=%dm,mode=0700", size+1)); err != nil {
			t.Fatal(err)
		}
		for full := false; !full; {
			batch := make([]store.Record, manyRows+rowsAtOnce/2)
			for i := range batch {
				batch[i] = numbered(last + int64(i) + 1)
			}
			switch err := s.Append(ctx, batch, nil); {
			case err == nil:
				last += int64(len(batch))
			case errors.Is(err, store.ErrUnavailable):
				full = true
			default:
				t.Fatalf("after %d records: %v", last, err)
			}
		}
		intact(t, s, last)
	}
	if last == 0 {
		t.Fatal("no batch was stored")
	}
	t.Logf("%d records", last)
}

func TestNoSpaceToBeginWith(t *testing.T) {
	dir := tiny(t)
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(f, io.LimitReader(zeros{}, 1<<21))
	f.Close()
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "pdp.db")
	if _, err := Open(ctx, path, Options{}); !errors.Is(err, store.ErrUnavailable) {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "filler")); err != nil {
		t.Fatal(err)
	}
	opened(t, mustOpen(t, path, Options{}))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestAReadOnlyDisk(t *testing.T) {
	dir := tiny(t)
	path := filepath.Join(dir, "pdp.db")
	s := mustOpen(t, path, Options{})
	opened(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	remount := func(flags uintptr) {
		t.Helper()
		if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT|flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	remount(unix.MS_RDONLY)
	for _, o := range []Options{{}, {Shared: true}} {
		s, err := Open(ctx, path, o)
		if err == nil {
			_, err = s.ChangeSession(ctx, "x", func(*store.Session) (*store.Session, error) { return nil, nil })
			s.Close()
		}
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("shared %v: %v", o.Shared, err)
		}
	}
	remount(0)
	if x, err := mustOpen(t, path, Options{}).Session(ctx, "x"); err != nil || x.Owner != "ann" {
		t.Errorf("%+v %v", x, err)
	}
}

// batchSize is how many records a batch has. They are more than the connection keeps
// in memory, so that it writes before it commits.
const batchSize = 4000

// serveChild opens a store and does what it is told on standard input, one word a
// line, and answers with one line each.
func serveChild(path string) int {
	s, err := Open(ctx, path, Options{Timeout: 20 * time.Second})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	head, err := s.OpenWriter(ctx, store.Writer{ID: "w"})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	next := head.Seq + 1
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		switch in.Text() {
		case "append":
			if err = s.Append(ctx, []store.Record{numbered(next)}, nil); err == nil {
				next++
			}
		case "batch":
			batch := make([]store.Record, batchSize)
			for i := range batch {
				batch[i] = numbered(next + int64(i))
			}
			if err = s.Append(ctx, batch, nil); err == nil {
				next += batchSize
			}
		case "look":
			// What a caller does that does not know whether its change has happened.
			if head, err = s.OpenWriter(ctx, store.Writer{ID: "w"}); err == nil {
				next = head.Seq + 1
			}
		case "read":
			err = s.WalkRecords(ctx, "w", 0, func(store.Record) error { return nil })
		}
		switch {
		case err == nil:
			fmt.Println("done", next-1)
		case errors.Is(err, store.ErrUnavailable):
			fmt.Println("unavailable", strings.ReplaceAll(err.Error(), "\n", " "))
		default:
			fmt.Println("broken", strings.ReplaceAll(err.Error(), "\n", " "))
		}
	}
	if err := s.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// child is another process that has a store open.
type child struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startChild(t *testing.T, path string) *child {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	c := &child{t: t, cmd: cmd, in: in, out: bufio.NewScanner(out)}
	if got := c.line(); got != "ready" {
		t.Fatalf("the child says %q", got)
	}
	return c
}

func (c *child) line() string {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatalf("the child is gone: %v", c.out.Err())
	}
	return c.out.Text()
}

func (c *child) say(word string) string {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, word); err != nil {
		c.t.Fatal(err)
	}
	return c.line()
}

// expect says a word and checks how the answer begins.
func (c *child) expect(word, want string) {
	c.t.Helper()
	if got := c.say(word); !strings.HasPrefix(got, want) {
		c.t.Errorf("%s: %q, want %q", word, got, want)
	}
}

// inject lets a system call of the child fail until the function that it returns
// is called.
func (c *child) inject(call string) func() {
	c.t.Helper()
	strace := exec.Command("strace", "-f", "-o", "/dev/null", "-e", "trace=%desc", "-e", "inject="+call, "-p", strconv.Itoa(c.cmd.Process.Pid))
	messages, err := strace.StderrPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := strace.Start(); err != nil {
		c.t.Fatal(err)
	}
	lines := bufio.NewScanner(messages)
	for lines.Scan() && !strings.Contains(lines.Text(), "attached") {
		if strings.Contains(lines.Text(), "ptrace") || strings.Contains(lines.Text(), "invalid") {
			c.t.Skipf("strace cannot attach: %s", lines.Text())
		}
	}
	go func() { _, _ = io.Copy(io.Discard, messages) }()
	var done bool
	end := func() {
		if !done {
			done = true
			_ = strace.Process.Signal(os.Interrupt) // it lets go of the child
			_ = strace.Wait()
		}
	}
	c.t.Cleanup(end)
	return end
}

func TestADiskThatFails(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace to let system calls fail")
	}
	for _, row := range []struct {
		call string
		read string // what a read answers meanwhile
	}{
		{"fsync:error=EIO", "done"},
		{"pwrite64:error=EIO", "done"},
		{"pwrite64:error=ENOSPC", "done"},
		{"pwrite64:error=EROFS", "done"},
	} {
		t.Run(row.call, func(t *testing.T) {
			path := place(t)
			c := startChild(t, path)
			for range 3 {
				c.expect("append", "done")
			}
			end := c.inject(row.call)
			for range 3 {
				c.expect("append", "unavailable")
				c.expect("read", row.read)
			}
			end()
			// The same process goes on with the same store.
			c.expect("look", "done")
			c.expect("append", "done")
			last := c.say("append")
			c.in.Close()
			if err := c.cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			n, err := strconv.ParseInt(strings.TrimPrefix(last, "done "), 10, 64)
			if err != nil || n < 5 {
				t.Fatalf("%q", last)
			}
			intact(t, mustOpen(t, path, Options{}), n)
		})
	}
}

// Of a batch that cannot be written nothing stays, whether that shows at a row, as it
// goes beyond what is kept in memory, or at the commit.
func TestADiskThatFailsWithinABatch(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace to let system calls fail")
	}
	for _, call := range []string{
		"fsync:error=EIO", "pwrite64:error=EIO", "pwrite64:error=ENOSPC", "pwrite64:error=EIO:when=50", "pwrite64:error=EIO:when=200+", "pwrite64:error=ENOSPC:when=700+",
	} {
		t.Run(call, func(t *testing.T) {
			path := place(t)
			c := startChild(t, path)
			c.expect("batch", "done "+strconv.Itoa(batchSize))
			end := c.inject(call)
			c.expect("batch", "unavailable")
			end()
			told := c.say("look")
			last, err := strconv.ParseInt(strings.TrimPrefix(told, "done "), 10, 64)
			if err != nil || last%batchSize != 0 {
				t.Fatalf("after the failure: %q", told)
			}
			if call != "fsync:error=EIO" && last != batchSize {
				t.Errorf("%d records stay of what was refused", last-batchSize)
			}
			c.expect("batch", "done "+strconv.FormatInt(last+batchSize, 10))
			c.in.Close()
			if err := c.cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			intact(t, mustOpen(t, path, Options{}), last+batchSize)
		})
	}
}

func TestKilledWhileTheDiskFails(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("no strace to let system calls fail")
	}
	path := place(t)
	c := startChild(t, path)
	for range 3 {
		c.expect("append", "done")
	}
	end := c.inject("fsync:error=EIO")
	c.expect("append", "unavailable")
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait()
	end()
	// The fourth may have happened; the log is empty before the next one is written.
	s := mustOpen(t, path, Options{})
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() != 0 {
		t.Errorf("%d bytes are left in the log", info.Size())
	}
	head, err := s.OpenWriter(ctx, store.Writer{ID: "w"})
	if err != nil || head.Seq < 3 {
		t.Fatalf("%+v %v", head, err)
	}
	intact(t, s, head.Seq)
}
