package paths

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLoosen(t *testing.T) {
	for _, row := range []struct{ glob, want string }{
		{"/w/*.go", "/w/*.go"},
		{"/w/[ab]x", "/w/[ab]x"},
		{"/w/[a-z0-9_]x", "/w/[a-z0-9_]x"},
		{"/w/[!a]x", "/w/[^a]x"},
		{"/w/[^a]x", "/w/*x"}, // for some shells a hat is a member
		{"/w/.e[[:alpha:]]v", "/w/.e*v"},
		{"/w/.e[[.n.]]v", "/w/.e*v"},
		{"/w/.e[[=n=]]v", "/w/.e*v"},
		{"/w/.e[]n]v", "/w/.e*v"},
		{"/w/.e[n-]v", "/w/.e*v"},
		{"/w/.e[z-a]v", "/w/.e*v"},
		{"/w/.e[A-z]v", "/w/.e*v"},
		{"/w/.e[a-n-z]v", "/w/.e*v"},
		{"/w/.e[!-a]v", "/w/.e*v"},
		{"/w/.e[é]v", "/w/.e*v"},
		{`/w/.e[\!n]v`, "/w/.e*v"},
		{`/w/\.env`, "/w/*env"},
		{"/w/[^]x", "/w/*x"},
		{"/w/[a/b]x", "/w/?a/b]x"}, // a slash closes nothing
		{"/w/[a", "/w/?a"},
		{"/w/[a-", "/w/*"},
	} {
		if got := Loosen(row.glob); got != row.want {
			t.Errorf("%s: %s, want %s", row.glob, got, row.want)
		}
	}
	if got := Loosen(Lossy("/w/[!a]x")); got != "/w/*x" {
		t.Errorf("a set whose quotes are lost is %s", got)
	}
}

// wildAlphabet are pieces that patterns are put together from.
var wildAlphabet = []string{
	"a", "b", "n", ".", "-", "!", "^", "A", "é", "[", "]", "[", "]", "*", "?", `\`, "[:alpha:]", "[:digit:]", "[.n.]", "[=n=]", "[a-n]", "[!a]", "[^b]", "[]a]", "[!]]", "[A-z]", "[b-a]",
}

// TestWhateverShellsFind puts files where shells look for random patterns: what
// one of them finds, Glob finds.
func TestWhateverShellsFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	dir := t.TempDir()
	names := []string{".", "[n]", "]", "[", "!", "^", "-", `\`, "é", ".a", ".n", ".én", "..a", "[a]b", `a\n`, "a-b", "a!b"}
	letters := []string{"a", "n", "A", "é", "-", "!"}
	for _, x := range letters {
		names = append(names, "."+x, x, x+x)
		for _, y := range letters {
			names = append(names, x+y, "."+x+y, x+"."+y, x+y+"n")
		}
	}
	for _, name := range names[1:] {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var patterns []string
	for range 1000 {
		var b strings.Builder
		for range 1 + rng.IntN(5) {
			b.WriteString(wildAlphabet[rng.IntN(len(wildAlphabet))])
		}
		// Quotes at a word's end would reach for what follows.
		patterns = append(patterns, strings.TrimRight(b.String(), `\`))
	}
	for _, sh := range []struct{ name, locale string }{{"bash", "C.UTF-8"}, {"bash", "C"}, {"dash", "C"}, {"zsh", "C.UTF-8"}} {
		path, err := exec.LookPath(sh.name)
		if err != nil {
			t.Logf("%s is not installed, so it was not compared with", sh.name)
			continue
		}
		t.Run(sh.name+" "+sh.locale, func(t *testing.T) { compareFound(t, path, sh.locale, dir, patterns) })
	}
}

func compareFound(t *testing.T, shell, locale, dir string, patterns []string) {
	t.Helper()
	var script strings.Builder
	for _, p := range patterns {
		script.WriteString("printf '%s\\0' ./" + p + "\nprintf '\\n\\0'\n")
	}
	cmd := exec.Command(shell)
	if strings.HasSuffix(shell, "zsh") {
		cmd.Args = append(cmd.Args, "-f", "+o", "nomatch", "+o", "badpattern")
	}
	cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(script.String()), []string{"LC_ALL=" + locale, "PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := bytes.Split(out, []byte("\n\x00"))
	if len(found) != len(patterns)+1 {
		t.Fatalf("%d answers to %d patterns", len(found)-1, len(patterns))
	}
	matched := 0
	for i, p := range patterns {
		unquoted := Lossy(strings.ReplaceAll(p, `\`, ""))
		for name := range strings.SplitSeq(strings.TrimSuffix(string(found[i]), "\x00"), "\x00") {
			name = strings.TrimPrefix(name, "./")
			if _, err := os.Lstat(filepath.Join(dir, name)); err != nil || name == "" {
				continue // the pattern itself, since nothing matches
			}
			matched++
			for _, ours := range []string{p, unquoted} {
				if !strings.ContainsAny(ours, `*?[\`) && ours == name {
					continue
				}
				if names, ok := Glob(dir+"/"+ours, 10000); ok && !slices.Contains(names, filepath.Join(dir, name)) {
					t.Errorf("%q (%q) finds %q, we find %d others", p, ours, name, len(names))
				}
			}
		}
	}
	t.Logf("%d files found", matched)
}
