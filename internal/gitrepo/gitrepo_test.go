package gitrepo

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

func hooksPaths(text string) (paths []string) {
	settings(text, func(s setting) {
		if s.section == "core" && s.subsection == "" && s.name == "hookspath" {
			paths = append(paths, s.value)
		}
	})
	return paths
}

func TestSettings(t *testing.T) {
	for _, row := range []struct {
		text string
		want []string
	}{
		{"[core]\n\thooksPath = .husky\n", []string{".husky"}},
		{"[CORE]\nHOOKSPATH=.husky", []string{".husky"}},
		{"[core] hooksPath = a b  # not this\n", []string{"a b"}},
		{"[core]\nhooksPath = \"a # b\" ; c\n", []string{"a # b"}},
		{"[core]\nhooksPath = a\\\n b\n", []string{"a b"}},
		{"[core]\r\nhooksPath = a\r\n[x]\r\n", []string{"a"}},
		{"[core]\nhooksPath = a\nbare\nhooksPath = b\n", []string{"a", "b"}},
		{"[core]\nhooksPath\n", []string{""}},
		{"[core \"x\"]\nhooksPath = a\n", nil},
		{"[core \"]\"]\nhooksPath = a\n[core]\nhooksPath = b\n", []string{"b"}},
		{"# [core]\n;hooksPath = a\n[remote \"o\"]\nhooksPath = x\n", nil},
		{"[core]\n# c\nhooksPath = a\\\"b\\tc\n", []string{"a\"b\tc"}},
		{"[core\nhooksPath = a\n", []string{"a"}}, // git refuses the file
	} {
		if got := hooksPaths(row.text); !slices.Equal(got, row.want) {
			t.Errorf("%q: got %q, want %q", row.text, got, row.want)
		}
	}
}

// TestGitReadsNoMore compares with git itself: whatever it finds, so do we.
func TestGitReadsNoMore(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{
		"[core]", "[core \"x\"]", "[CORE]\n", "[core.x]", "[other]\n", "hooksPath", "HooksPath=", "hooksPath = ", " = ", "a", ".husky", "b c", "\"", "\"d # e\"", "\\", "\\\n", "\\n",
		"#", ";", " ", "\t", "\n", "\n", "\n\n", "\r\n", "[", "]", "bare", "x = y\n",
	}
	file := filepath.Join(t.TempDir(), "config")
	found := 0
	for range 200 {
		var b strings.Builder
		b.WriteString([]string{"", "[core]\n", "[core]\nhooksPath = "}[rng.IntN(3)])
		for range rng.IntN(10) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git", "config", "--file", file, "--null", "--get-all", "core.hooksPath")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1"}
		out, err := cmd.Output()
		if err != nil {
			continue // not there, or a file that git refuses
		}
		got := hooksPaths(b.String())
		for value := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
			found++
			if !slices.Contains(got, string(value)) {
				t.Errorf("%q: git finds %q, not in %q", b.String(), value, got)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d values: the generator is no use", found)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, name) }
	write(t, at("home/.gitconfig"), "[core]\nhooksPath = ~/hooks\n")
	write(t, at("plain/.git/config"), "[core]\nhooksPath = .husky\n[include]\npath = ../more\n")
	write(t, at("plain/more"), "[core]\nhooksPath = /srv/hooks\n[includeIf \"gitdir:x\"]\npath = more\n")
	write(t, at("main/.git/config"), "[core]\nhooksPath = tools/hooks\n")
	write(t, at("main/.git/worktrees/w/commondir"), "../..\n")
	write(t, at("w/.git"), "gitdir: "+at("main/.git/worktrees/w")+"\n")
	write(t, at("split/.git"), "gitdir: ../store\n")
	write(t, at("store/config"), "")
	if err := os.MkdirAll(at("plain/a/b"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r, _ := Find(at("plain"), at("home")); !slices.Equal(r.Files, []string{at("plain/more")}) {
		t.Errorf("included: %q", r.Files)
	}
	for _, row := range []struct {
		dir   string
		dirs  []string
		hooks []string
	}{
		{"plain", []string{"plain/.git"}, []string{"plain/.husky", "home/hooks", "/srv/hooks"}},
		{"plain/a/b", []string{"plain/.git"}, []string{"plain/.husky", "home/hooks", "/srv/hooks"}},
		{"w", []string{"main/.git/worktrees/w", "main/.git"}, []string{"w/tools/hooks", "home/hooks"}},
		{"split", []string{"store"}, []string{"home/hooks"}},
	} {
		r, ok := Find(at(row.dir), at("home"))
		named := func(list []string) []string {
			out := slices.Clone(list)
			for i := range out {
				if !filepath.IsAbs(out[i]) {
					out[i] = at(out[i])
				}
			}
			return out
		}
		if !ok || !slices.Equal(r.Dirs, named(row.dirs)) || !slices.Equal(r.Hooks, named(row.hooks)) {
			t.Errorf("%s: found %v, %v, %v", row.dir, ok, r.Dirs, r.Hooks)
		}
	}
	if r, ok := Find(at("home"), at("home")); ok && strings.HasPrefix(r.Top, base) {
		t.Errorf("found %v", r)
	}
}

func TestFresh(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".git/config"), "[core]\n")
	r, _ := Find(dir, "")
	if got, changed := r.Fresh(""); changed || len(got.Hooks) != 0 {
		t.Errorf("hooks %v, changed %v", got.Hooks, changed)
	}
	write(t, filepath.Join(dir, ".git/config"), "[core]\nhooksPath = x\n")
	if got, changed := r.Fresh(""); !changed || len(got.Hooks) != 1 {
		t.Errorf("hooks %v, changed %v", got.Hooks, changed)
	}
}

func FuzzSettings(f *testing.F) {
	for _, text := range []string{"[core]\nhooksPath = .husky\n", "[a \"b\\\"c\"] d = \"e # f\" \\\n g ; h", "[a.b]\nc", "\uFEFF[core]\nx=\\", "[", "[a \"", "=\n=\\"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		settings(text, func(s setting) {
			n++
			if len(s.value) > len(text) || s.name != strings.ToLower(s.name) {
				t.Errorf("%q: %+v", text, s)
			}
		})
		if n > 2*len(text)+2 {
			t.Errorf("%q: %d settings", text, n)
		}
	})
}
