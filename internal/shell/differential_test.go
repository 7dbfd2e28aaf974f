package shell

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// TestUnderstoodTextsRunAsListed runs every text that Parse understood in real
// shells whose PATH holds only programs that log their words: what ran must be
// what Parse listed, word for word.
func TestUnderstoodTextsRunAsListed(t *testing.T) {
	if runtime.GOOS == "windows" || testing.Short() {
		t.Skip("compares with bash and dash on a system of their own, which takes half a minute")
	}
	texts := append(adversarialTexts(t), grammarTexts(700)...)
	for _, name := range []string{"bash", "dash"} {
		shell, err := exec.LookPath(name)
		if err != nil {
			t.Logf("%s is not installed: its half of the comparison is left out", name)
			continue
		}
		t.Run(name, func(t *testing.T) { compareWith(t, shell, texts) })
	}
}

func compareWith(t *testing.T, shell string, texts []string) {
	dir := t.TempDir()
	shims(t, dir)
	compared, work := 0, make(chan string)
	var workers sync.WaitGroup
	for i := range 4 {
		home := filepath.Join(dir, fmt.Sprint("home", i))
		fixture(t, home)
		workers.Go(func() {
			for text := range work {
				compare(t, shell, dir, home, text)
			}
		})
	}
	for _, text := range texts {
		if _, ok := listed(text); ok {
			compared++
			work <- text
		}
	}
	close(work)
	workers.Wait()
	if compared < 300 {
		t.Errorf("only %d of %d texts were compared", compared, len(texts))
	}
	t.Logf("%d of %d texts compared", compared, len(texts))
}

// compare runs a text twice, with programs that succeed and with programs that
// fail, so that each side of && and || runs once.
func compare(t *testing.T, shell, dir, home, text string) {
	want, _ := listed(text)
	var ran []string
	broken := false
	statuses := []string{"0"}
	if strings.Contains(text, "||") {
		statuses = append(statuses, "1")
	}
	for _, status := range statuses {
		log, complaint := run(t, shell, dir, home, text, status)
		broken = broken || strings.Contains(strings.ToLower(complaint), "syntax error")
		if extra := missing(log, want); len(extra) > 0 {
			t.Errorf("%q ran %q, which Parse did not list: %q", text, extra, want)
		}
		ran = append(ran, missing(log, ran)...)
	}
	// A text with a mistake in it may run in part.
	if rest := missing(want, ran); len(rest) > 0 && !broken {
		t.Errorf("%q did not run %q", text, rest)
	}
}

// missing returns the items of list that are not in other, counting.
func missing(list, other []string) (rest []string) {
	left := map[string]int{}
	for _, s := range other {
		left[s]++
	}
	for _, s := range list {
		if left[s]--; left[s] < 0 {
			rest = append(rest, s)
		}
	}
	return rest
}

// listed returns the commands of an understood text in the log's spelling,
// without those of the shell itself, and false if a text cannot be compared:
// it is opaque, or has a builtin that runs or changes something, or a path.
func listed(text string) ([]string, bool) {
	var c Command
	if c.Parse(text, Bash); c.Opaque() != "" {
		return nil, false
	}
	var list []string
	for _, s := range c.Simples {
		name := s.Words[0]
		switch {
		case quiet[name] && slices.Contains(s.Words, "-v"): // evaluates the name that follows
			return nil, false
		case strings.ContainsAny(name, "/\n") || name == "." || name == ".." || len(name) > 200 || classes[name] != plain || acts[name]:
			return nil, false
		case !quiet[name]:
			list = append(list, fmt.Sprintf("%q", s.Words))
		}
	}
	return list, true
}

var (
	quiet = wordSet("cd echo test [ printf pwd true false : type umask times jobs")
	acts  = wordSet("exit return break continue shift logout suspend wait kill disown fg bg getopts ulimit caller dirs help hash")
)

// shims puts one logging program under every name that the texts use, whether
// as a program or as an argument.
func shims(t *testing.T, dir string) {
	t.Helper()
	bin := filepath.Join(dir, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nprintf '%s\\0' \"$#\" \"${0##*/}\" \"$@\" >>\"$SHIM_LOG\"\nexit \"$SHIM_STATUS\"\n"
	shim := filepath.Join(bin, "shim")
	if err := os.WriteFile(shim, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, text := range append(adversarialTexts(t), grammarTexts(700)...) {
		var c Command
		c.Parse(text, Bash)
		for _, s := range c.Simples {
			for _, w := range s.Words {
				names[w] = true
			}
		}
		for _, w := range strings.Fields(text) {
			names[strings.Trim(w, "'\"\\;|&")] = true
		}
	}
	for w := range names {
		if w != "" && w != "." && w != ".." && w != "shim" && len(w) < 200 && !strings.ContainsAny(w, "/\x00") {
			_ = os.Symlink(shim, filepath.Join(bin, w)) // a name that the disk refuses cannot run either
		}
	}
}

// fixture fills a directory so that a pattern that is not refused would match.
func fixture(t *testing.T, home string) {
	t.Helper()
	for _, name := range []string{"a", "b", "ab", "f1", "f2", "-delete", "sub/x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func run(t *testing.T, shell, dir, home, text, status string) (log []string, complaint string) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	logFile := filepath.Join(home, ".log")
	_ = os.Remove(logFile)
	cmd := exec.CommandContext(ctx, shell, "-c", text)
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + filepath.Join(dir, "bin"), "HOME=" + home, "SHIM_LOG=" + logFile, "SHIM_STATUS=" + status}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	// Every command inherits this pipe, also one whose own output goes elsewhere;
	// its end says that the last of them, in the background or not, has ended.
	alive, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	cmd.ExtraFiles = []*os.File{held}
	_ = cmd.Run()
	held.Close()
	if err := alive.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := alive.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("%q left a command behind: %v", text, err)
	}
	if ctx.Err() != nil {
		t.Errorf("%q did not end", text)
	}
	raw, _ := os.ReadFile(logFile)
	return readLog(t, raw), out.String()
}

func readLog(t *testing.T, raw []byte) (log []string) {
	fields := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
	for i := 0; i < len(fields) && len(raw) > 0; {
		n := 0
		if _, err := fmt.Sscan(fields[i], &n); err != nil || i+1+n >= len(fields) {
			t.Errorf("the log is torn: %q", raw)
			return log
		}
		log = append(log, fmt.Sprintf("%q", fields[i+1:i+2+n]))
		i += n + 2
	}
	return log
}

func adversarialTexts(t *testing.T) (texts []string) {
	t.Helper()
	f, err := os.Open("testdata/strings.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var row struct {
			ID     string `json:"id"`
			Text   string `json:"text"`
			Base64 string `json:"base64"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Base64 != "" {
			raw, err := base64.StdEncoding.DecodeString(row.Base64)
			if err != nil {
				t.Fatal(err)
			}
			row.Text = string(raw)
		}
		texts = append(texts, row.Text)
	}
	return texts
}

// grammarTexts builds texts from the pieces that shells treat in special ways;
// the same ones on every run.
func grammarTexts(n int) []string {
	random := rand.New(rand.NewPCG(7, 11))
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	programs := strings.Split(`ls rm git 'a' "b" l\s é c,d e% f@ g+h r''m {x x} u^`, " ")
	plain := strings.Split(`a b f1 -x --y=z é % , : @ + ^ } = - . .. a:b 1 in do a#b x~ 'a b' "a b" 'a;b' "a|b" \  \; \# \~ \' \" "\"" "\\" "\a" '\' '#' "~" '*' "{a,b}" '' "" a'b'c "a"~ '='~ ! ]] fi time`, " ")
	pieces := strings.Split(`a b ls rm git -x --y=z f1 é % , : @ + ! ^ { } ] = - . .. # ~ a=b a:b 1 in do [ * ? {a {b,c} 'a b' "a b" 'a;b' "a|b" \  \; \# \~ \' \" "\"" "\\" "\a" '\' '#' "~" '*' "{a,b}" '' "" a'b'c "a"~ '='~ x\=~ $ ! ]] }} fi time`, " ")
	separators := []string{" ", "\t", ";", "; ", " && ", "&&", " || ", " | ", "|", "&", " & ", "\n", " |& ", ";\n", "|\n", "&&\n", ";;", " ; ; "}
	texts := make([]string, 0, n)
	for len(texts) < n {
		var b strings.Builder
		odd := len(texts)%3 == 0 // may hold what makes a text opaque
		for range 1 + random.IntN(4) {
			b.WriteString(pick(programs))
			for range random.IntN(4) {
				b.WriteString(" ")
				for range 1 + random.IntN(2) {
					if odd {
						b.WriteString(pick(pieces))
					} else {
						b.WriteString(pick(plain))
					}
				}
			}
			b.WriteString(pick(separators))
		}
		texts = append(texts, b.String())
	}
	return slices.Compact(texts)
}
