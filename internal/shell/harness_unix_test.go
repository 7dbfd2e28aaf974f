//go:build unix

package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestComparisonComplains hands the comparison analyses of its own: it must be
// content with the right ones and complain about each kind of wrong one.
func TestComparisonComplains(t *testing.T) {
	box := newSandbox(t)
	w := box.worker(t, 1)
	box.offerAll([]string{"git ls rm cat head bash timeout x status"})
	for _, row := range []struct {
		wrong    string
		text     string
		commands string // joined by " / "; words in <> are not literal
		opaque   bool
		covering string // entries that the analysis takes for enough
		want     string
	}{
		{"", "git status && rm x", "git status / rm x", false, "git status;rm", ""},
		{"a command is left out", "git status && rm x", "git status", false, "", `ran ["rm" "x"], which is not listed`},
		{"a word differs", "git status x", "git status y", false, "", `ran ["git" "status" "x"], which is not listed`},
		{"a word is left out", "git status x", "git status", false, "", "not listed"},
		{"a word too many", "git status", "git status x", false, "", "not listed"},
		{"a blank lost", "git 'a b'", "git a b", false, "", "not listed"},
		{"", "ls f*", "ls <f*>", false, "ls", ""},
		{"a pattern taken for a word", "ls f*", "ls f*", false, "", `ran ["ls" "f1" "f2"], which is not listed`},
		{"", "for f in a b; do cat \"$f\"; done", "cat <$f>", false, "cat", ""},
		{"", "ls $(git log)", "ls <> / git log", false, "ls;git", ""},
		{"a substitution is left out", "ls $(git log)", "ls <>", false, "ls", `ran ["git" "log"]`},
		{"a comment that goes on", "git status # c\\\nrm x", "git status", false, "git", `ran ["rm" "x"]`},
		{"a command that only fails over to", "git status || rm x", "git status", false, "git", `ran ["rm" "x"]`},
		{"one in the background", "{ git status; rm x; } >/dev/null 2>&1 &", "git status", false, "", `ran ["rm" "x"]`},
		{"", "rm x", "", true, "", ""},
		{"a list that covers too much", "rm x", "rm x", false, "git", `which the list ["git"] that covers it`},
		{"a list that covers the wrapper only", "timeout 5 rm x", "timeout 5 rm x", false, "git", "which the list"},
		{"", "timeout 5 rm x", "timeout 5 rm x", false, "rm", ""},
		{"a list that covers the shell's option only", "bash -lc 'git status; rm x'", "bash -lc 'git status; rm x'", false, "git", "which the list"},
		{"", "bash -lc 'git status; rm x'", "bash -lc 'git status; rm x'", false, "git;rm", ""},
		{"a shell in a shell", `bash -c 'sh -c "rm x"'`, `bash -c 'sh -c "rm x"'`, false, "git", "which the list"},
		{"a list that covers what is opaque", "rm $x", "rm <x>", true, "rm", "covered although opaque"},
		{"a list that covers a command by another's name", "git status; rm x", "git status / rm x", false, "git", "covered although"},
		{"a list that covers what is not literal", "$x status", "<$x> status", false, "git", "covered although"},
		{"a program found on the way", "unoffered x", "git", false, "", `ran ["unoffered" "x"]`},
		{"a read back command", "$(git status) y", "git status", false, "", `ran ["rm" "printed" "--output=x"`},
		{"a file that is no program", ". ./f1", "git status", false, "", `ran ["rm" "read"]`},
		{"a program of the directory", "./local x", "git x", false, "", `ran ["./local" "x"]`},
	} {
		for _, sh := range realShells {
			sh, ok := findShell(t, sh)
			if !ok || sh.vouchedOnly && strings.ContainsAny(row.text, "f$.") {
				continue // zsh is asked about plain words only
			}
			a := handmade(row.commands, row.opaque)
			a.covered = func(Matching, []string) bool { return row.covering != "" }
			var entries []string
			if row.covering != "" {
				entries = strings.Split(row.covering, ";")
			}
			c := comparison{t: t, w: w, sh: sh, text: row.text, a: a, seen: &tally{}}
			all := c.judge([]list{{Precise, entries}}[:min(1, len(entries))])
			if why := a.uncovered(Precise, entries); why != "" {
				all = append(all, why)
			}
			got := fmt.Sprint(all)
			if len(all) == 0 && row.want != "" || len(all) > 0 && row.want == "" || !strings.Contains(got, row.want) {
				t.Errorf("%s: %s: %q listed as %v: %s, want %q", sh.name, row.wrong, row.text, a.commands, got, row.want)
			}
		}
	}
}

// TestExactComparisonComplains: plain words run exactly as listed.
func TestExactComparisonComplains(t *testing.T) {
	box := newSandbox(t)
	w := box.worker(t, 1)
	box.offerAll([]string{"git ls rm"})
	for _, row := range []struct{ text, commands, want string }{
		{"git status; ls", "git status / ls", ""},
		{"git status || ls", "git status / ls", ""},
		{"ls; ls", "ls / ls", ""},
		{"ls; ls", "ls", "more than listed"},
		{"ls", "ls / ls", "did not run"},
		{"ls", "ls / rm x", "did not run"},
		{"ls a", "ls b", "did not run"},
		{"ls f*", "ls <f*>", "is not literal"},
	} {
		sh, ok := findShell(t, realShells[1])
		if !ok {
			return
		}
		a := handmade(row.commands, false)
		a.opaque[Strict] = ""
		c := comparison{t: t, w: w, sh: sh, text: row.text, a: a, seen: &tally{}}
		if got := fmt.Sprint(c.judge(nil)); (got != "[]") != (row.want != "") || !strings.Contains(got, row.want) {
			t.Errorf("%q listed as %v: %s, want %q", row.text, a.commands, got, row.want)
		}
	}
}

// handmade is an analysis of the commands given, understood precisely only.
func handmade(commands string, opaque bool) analysis {
	a := analysis{opaque: map[Matching]string{Strict: "by hand"}}
	if opaque {
		a.opaque[Precise] = "by hand"
	}
	for command := range strings.SplitSeq(commands, " / ") {
		words, _ := Split(command)
		p := pattern{words: words}
		for _, word := range words {
			p.literal = append(p.literal, word[0] != '<')
		}
		if len(words) > 0 {
			a.commands = append(a.commands, p)
		}
	}
	return a
}

// TestSandboxHolds: what a text could do to the machine ends with its
// directory.
func TestSandboxHolds(t *testing.T) {
	box := newSandbox(t)
	w := box.worker(t, 1)
	sh, ok := findShell(t, realShells[1])
	if !ok {
		return
	}
	if r := w.run(t, sh, "ls & ls & ls", 0); len(r.ran) != 3 || r.killed {
		t.Errorf("did not wait for what runs in the background: %+v", r)
	}
	if r := w.run(t, sh, "while echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; do :; done > big", 0); r.killed {
		t.Errorf("a file could grow until the time was up: %+v", r)
	}
	if info, err := os.Stat(filepath.Join(w.home(), "big")); err != nil || info.Size() > 1<<20 {
		t.Errorf("a file could grow: %v %v", info, err)
	}
	if r := w.run(t, sh, "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaa; exit; done | while read l; do ls \"$l\"; done", 0); len(r.ran) != 1 {
		t.Errorf("%+v", r)
	}
	if r := w.run(t, sh, "ls > a; ls", 0); len(r.ran) != 2 {
		t.Errorf("%+v", r)
	}
	w.run(t, sh, "ls", 0)
	if raw, err := os.ReadFile(filepath.Join(w.home(), "a")); err != nil || string(raw) != "rm read\n" {
		t.Errorf("a changed file was not made anew: %q %v", raw, err)
	}
	if box.owned {
		must(t, os.Symlink(box.names(0), filepath.Join(w.home(), "out", "link")))
		w.run(t, sh, "echo > out/link/planted", 0)
		if _, err := os.Lstat(filepath.Join(box.names(0), "planted")); err == nil {
			t.Error("a text could write outside its directory")
		}
	}
}
