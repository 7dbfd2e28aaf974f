//go:build unix

package shell

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sandbox is where texts run: PATH holds only programs that log their words.
// A worker owns a directory, and as far as the test may choose, a user of its
// own who can write nowhere else and signal nobody else.
type sandbox struct {
	workers atomic.Int64
	dir     string // shared: names0 and names1 hold the programs that succeed and that fail
	owned   bool   // runs texts as users of their own
}

// What a shim prints is read back by substitutions and pipes: words that are
// a command, an option and a pattern. Only cat without operands does what it
// really does, since the package relies on that for here-documents.
const shimScript = `#!/bin/sh
case $0 in */bin?/*) d=${0%%/bin?/*} n=${0##*/} ;; *) d=%s n=$0 ;; esac
printf '%%s\0' "$#" "$n" "$@" >>"$d/log"
case $n$# in cat0) /bin/cat ;; *) printf 'rm printed --output=x *\n' ;; esac 2>/dev/null
exit %d
`

// limit bounds the processes of each user that the test runs texts as. The
// limit is this process's own, and one that no person reaches.
func limit(t *testing.T) {
	t.Helper()
	for which, most := range map[int]uint64{unix.RLIMIT_NPROC: 4000, unix.RLIMIT_CORE: 0} {
		var was unix.Rlimit
		must(t, unix.Getrlimit(which, &was))
		must(t, unix.Setrlimit(which, &unix.Rlimit{Cur: min(most, was.Max), Max: was.Max}))
		t.Cleanup(func() { must(t, unix.Setrlimit(which, &was)) })
	}
}

// command starts a shell; one that may write files through another, which
// bounds their size. A text without that needs no second program.
func (sh shell) command(text string) *exec.Cmd {
	words := slices.Concat([]string{sh.path}, sh.options, []string{"-c", text})
	if strings.Contains(text, ">") {
		words = append([]string{"/bin/sh", "-c", `ulimit -f 256; exec "$@"`, "sh"}, words...)
	}
	return exec.Command(words[0], words[1:]...)
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	// Other users cannot enter the directories that t.TempDir makes.
	dir, err := os.MkdirTemp("", "shells")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	limit(t)
	s := &sandbox{dir: dir, owned: os.Geteuid() == 0}
	for status := range 2 {
		must(t, os.Mkdir(s.names(status), 0o755))
		must(t, os.WriteFile(s.shim(status), fmt.Appendf(nil, shimScript, "/nowhere", status), 0o755))
	}
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *sandbox) names(status int) string { return filepath.Join(s.dir, fmt.Sprint("names", status)) }

func (s *sandbox) shim(status int) string { return filepath.Join(s.dir, fmt.Sprint("shim", status)) }

// offer puts a program under a name, unless the name is no file name.
func (s *sandbox) offer(name string) bool {
	if name == "" || name == "." || name == ".." || len(name) > 200 || strings.ContainsAny(name, "/\x00") {
		return false
	}
	err := os.Symlink(s.shim(0), filepath.Join(s.names(0), name))
	if err == nil {
		err = os.Symlink(s.shim(1), filepath.Join(s.names(1), name))
	}
	return err == nil
}

var pieces = regexp.MustCompile(`[^\s;&|<>(){}'"$\x60\\]+`)

// offerAll puts a program under every word that a text may run.
func (s *sandbox) offerAll(texts []string) {
	for _, text := range texts {
		var c Command
		c.Parse(text, Bash)
		for _, simple := range c.Simples {
			for _, w := range simple.Words {
				s.offer(w)
			}
		}
		for _, p := range pieces.FindAllString(text, -1) {
			s.offer(p)
		}
		for _, w := range strings.Fields(text) {
			s.offer(strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(w))
		}
	}
}

// worker runs one text at a time.
type worker struct {
	*sandbox
	dir   string
	uid   uint32
	dirty bool // the fixture is not there or not whole
}

func (s *sandbox) worker(t *testing.T, n int) *worker {
	t.Helper()
	w := &worker{s, filepath.Join(s.dir, fmt.Sprint("worker", n)), uint32(61700 + n), true}
	must(t, os.Mkdir(w.dir, 0o755))
	for status := range 2 {
		must(t, os.Symlink(s.names(status), filepath.Join(w.dir, fmt.Sprint("bin", status))))
	}
	must(t, os.WriteFile(filepath.Join(w.dir, "local"), fmt.Appendf(nil, shimScript, w.dir, 0), 0o755))
	w.own(t, w.dir)
	return w
}

func (w *worker) own(t *testing.T, name string) {
	t.Helper()
	if w.owned {
		must(t, os.Lchown(name, int(w.uid), int(w.uid)))
	}
}

func (w *worker) home() string { return filepath.Join(w.dir, "home") }

// The fixture has something for every pattern, and names that a program would
// take for an option.
var fixture = []string{
	"a", "b", "ab", "f1", "f2", "a b", "a.go", "-la", "-delete", "--output=x", "*", "[x]", "a;rm x", "$(rm x)",
	"sub/a", "sub/x", "sub/-x", "out/x", "proj/a",
}

// fill makes the fixture anew if the last text may have changed it.
func (w *worker) fill(t *testing.T, text string) {
	t.Helper()
	dirty := w.dirty
	if w.dirty = strings.Contains(text, ">"); !dirty {
		return
	}
	must(t, os.RemoveAll(w.home()))
	for _, dir := range []string{"", "sub", "out", "proj"} {
		must(t, os.Mkdir(filepath.Join(w.home(), dir), 0o755))
		w.own(t, filepath.Join(w.home(), dir))
	}
	for _, name := range fixture {
		must(t, os.WriteFile(filepath.Join(w.home(), name), []byte("rm read\n"), 0o644))
		w.own(t, filepath.Join(w.home(), name))
	}
	for _, name := range []string{"local", "sc", "sub/tool"} {
		must(t, os.Symlink(filepath.Join(w.dir, "local"), filepath.Join(w.home(), name)))
	}
}

// result is what one run did.
type result struct {
	ran    [][]string
	output string
	killed bool // it did not end by itself
}

// runTimeout only has to be longer than a busy machine needs.
const runTimeout = 8 * time.Second

var notFound = regexp.MustCompile(`(?m)(?:^|: )(?:command not found: (.+)|([^:\n]+): (?:command )?not found)$`)

// run runs a text until it has found every program that it looks for.
func (w *worker) run(t *testing.T, sh shell, text string, status int) result {
	t.Helper()
	for range 3 {
		r := w.runOnce(t, sh, text, status)
		offered := false
		for _, m := range notFound.FindAllStringSubmatch(r.output, -1) {
			offered = w.offer(m[1]+m[2]) || offered
		}
		if !offered {
			return r
		}
	}
	return w.runOnce(t, sh, text, status)
}

func (w *worker) runOnce(t *testing.T, sh shell, text string, status int) result {
	t.Helper()
	if !contained(text) {
		t.Fatalf("%q must not run", text)
	}
	w.fill(t, text)
	logFile := filepath.Join(w.dir, "log")
	_ = os.Remove(logFile)
	cmd := sh.command(text)
	cmd.Dir = w.home()
	cmd.Env = []string{"PATH=" + filepath.Join(w.dir, fmt.Sprint("bin", status)), "HOME=" + w.home(), "TMPDIR=" + w.home() + "/out"}
	if len(text)%2 == 0 { // either way of reading bytes
		cmd.Env = append(cmd.Env, "LC_ALL=C.UTF-8")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if w.owned {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: w.uid, Gid: w.uid}
	}
	out := &head{left: 1 << 16}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = runTimeout
	// Every command inherits this pipe, also one whose own output goes elsewhere;
	// its end says that the last of them, in the background or not, has ended.
	alive, held, err := os.Pipe()
	must(t, err)
	defer alive.Close()
	cmd.ExtraFiles = []*os.File{6: held} // descriptor 9, which no text names
	must(t, cmd.Start())
	held.Close()
	must(t, alive.SetReadDeadline(time.Now().Add(runTimeout)))
	_, err = io.Copy(io.Discard, alive)
	// The group outlives its leader until it is waited for, so the id is not
	// another's yet.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	raw, _ := os.ReadFile(logFile)
	r := result{output: out.String(), killed: err != nil}
	r.ran, err = readLog(raw)
	if err != nil && !r.killed && len(raw) < 100_000 {
		t.Errorf("%q: %v", text, err)
	}
	return r
}

// head keeps the first bytes that are written to it.
type head struct {
	bytes.Buffer
	left int
}

func (h *head) Write(p []byte) (int, error) {
	kept := p[:min(len(p), h.left)]
	h.left -= len(kept)
	h.Buffer.Write(kept)
	return len(p), nil
}

// readLog returns the commands of a log; a torn one ends the list.
func readLog(raw []byte) (ran [][]string, err error) {
	fields := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
	for i := 0; i < len(fields) && len(raw) > 0; {
		n := 0
		if _, err := fmt.Sscan(fields[i], &n); err != nil || i+1+n >= len(fields) {
			return ran, fmt.Errorf("the log is torn: %.200q", raw)
		}
		ran = append(ran, fields[i+1:i+2+n])
		i += n + 2
	}
	return ran, nil
}
