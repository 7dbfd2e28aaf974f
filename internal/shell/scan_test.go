package shell

import (
	"slices"
	"strings"
	"testing"
)

// The list restricts rm, "git push" and Del: each text must be a hit.
func TestRestrictionsSeeThrough(t *testing.T) {
	list, bad := CompileRestrictions([]string{"rm", "git push", "Del"})
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	for _, text := range []string{
		// separators and control flow
		"rm x", "ls; rm x", "ls && rm x", "ls || rm x", "ls | rm x", "ls & rm x", "ls\nrm x", "ls;rm x", "(rm x)", "{ rm x; }", "! rm x",
		"if true; then rm x; fi", "while ls; do rm x; done", "for i in 1; do rm $i; done", "case x in x) rm a;; esac", "f() { rm a; }; f",
		"ls # c\\\nrm x", "ls 2>/dev/null; rm x", "time rm x", "coproc rm x",
		// substitutions, expansions, here-documents
		"ls $(rm x)", "ls `rm x`", `ls "$(rm x)"`, "ls \"`rm x`\"", "ls <(rm x)", "ls > >(rm x)", "echo ${u:-$(rm x)}", "cat <<A\n$(rm x)\nA", "cat <<< \"$(rm x)\"",
		"A=$(rm x) ls", "ls $((a[$(rm x)]))", `ls "$(echo "$(rm x)")"`,
		// quoting
		`r''m x`, `r"m" x`, `\rm x`, "r\\\nm x", `'rm' x`, `$'rm' x`, `$'\x72m' x`, `$'r\155' x`, `$'\u0072m' x`, `$"rm" x`, `r$'m' x`,
		// expansions that can give the name
		`r${u}m x`, `r$()m x`, "r`true`m x", `r$@m x`, `/bin/r? x`, `/bin/r[m] x`, `r* x`, `{rm,-rf,x}`, `{rm,x}`, `r{m,} x`, `bin=rm; $bin x`, `bin=rm; "${bin}" x`, `x="rm y"; $x`, `${u:-rm} x`,
		// assignments and directories
		"A=1 rm x", "A=1 B=2 rm x", "/bin/rm x", "../bin/rm x", "RM x", "rm.exe x", "del x", "DEL x",
		// wrappers
		"sudo rm x", "sudo -u root rm x", "env rm x", "env A=1 rm x", "nice -n 5 rm x", "timeout 5 rm x", "timeout 5 nice -n 3 env A=1 rm x", "xargs rm", "find . -exec rm {} +", "find . -execdir rm {} ;",
		"command rm x", "builtin command rm x", "exec -a n rm x", "busybox rm x", "watch rm x", "setsid rm x", "parallel rm ::: x", "ionice -c3 rm x", "strace -f rm x",
		// texts inside texts
		"bash -c 'rm x'", `sh -c "rm x"`, "bash -lc 'ls; rm x'", "eval 'rm x'", "eval rm x", "trap 'rm x' EXIT", "env -S 'rm x'", "su -c 'rm x'", "ssh host 'rm x'", `sh -c 'bash -c "rm x"'`, "watch 'rm x'",
		"git -c alias.x='!rm y' x", "xargs sh -c 'rm x'", "find . -exec sh -c 'rm x' ;", "git rebase -x 'rm x' main",
		"git-push", "/usr/lib/git-core/git-push origin", "$(git --exec-path)/git-push", "sudo git-push", "git pu*", "git pus[h]", "git -C x p?sh",
		"/usr/bin/time -f x git push", "time -f x git push", "time -p git push", "parallel git ::: push", "parallel git {} ::: status push", "parallel ::: 'git push'", "parallel git push ::: a",
		// programs that run what their script or input says
		`node -e 'require("child_process").spawnSync("git",["push"])'`, `node -e 'spawnSync("git", [ "push" ])'`, "ed <<< '!git push'", "ed a <<E\n!git push\nE", "echo '!git push' | ed a", "bash -c \"ed <<< '!git push'\"",
		"m4 <<< \"syscmd(\\`git push')\"", "m4 <<'E'\nsyscmd(`git push')\nE", "socat - EXEC:'git push'", "socat - 'system:git push,pty'", "expect -c 'spawn git push'", "expect <<E\nspawn git push\nE",
		// a here-document inside a substitution that bash ends early
		"echo \"$(cat <<'E'\nx\nE)\"\nrm x\nE\n)\"", "echo \"$(cat <<'E'\n(\nE)\"\nrm x\nE\n)\"", "echo \"$(cat <<E\nx\nE )\"; rm x; echo \"\nE\n)\"",
		"x=$(cat <<E\n(\nE\t)\nrm x\nE\n)", "echo `cat <<E\n(\nE`\nrm x\nE\n`", "cat <(cat <<-E\n(\n\tEE)\nrm x\nE\n)", "echo \"$(cat <<E\n'(\nE)\"; git push; echo \"\nE\n)\"",
		// options between the words of an entry
		"git push", "git push origin main", "git -C sub push", "git --no-pager push", "git -c a.b=c push", "/usr/bin/git push", "sudo git -C x push",
	} {
		seen, _ := scannedText(text, Bash)
		if _, hit := matches(list, seen); !hit {
			t.Errorf("%q is no hit: %v", text, seen)
		}
	}
}

// A restriction that hits what it does not name would make people remove it.
func TestRestrictionsLeaveAlone(t *testing.T) {
	list, _ := CompileRestrictions([]string{"rm", "git push"})
	for _, text := range []string{
		"ls", "echo rm x", "grep rm f", "ls rm", "git status", "git log push", "git commit -m 'rm the push'", `echo "git push"`, "cat rm.txt", "npm rm", "docker-rm x", "git stash pop", "echo 'a; rm x'",
		"ls git-push", "cat git-push.md", "git log pu*", "git -C pus* status", "time git status", "ed a <<< 'p'", `node -e 'f("git", ["status"])'`,
		`echo "$HOME"`, "ls *.rm", "$PYTHON x.py", "cat r*", "./run x", "echo {rm,x}",
	} {
		seen, _ := scannedText(text, Bash)
		if entry, hit := matches(list, seen); hit {
			t.Errorf("%q is a hit of %q: %v", text, entry, seen)
		}
	}
}

func TestScanSeparatesWhatIsWritten(t *testing.T) {
	for _, row := range []struct{ text, words, sets, writes, reads string }{
		{"ls -la", "ls -la", "", "", ""},
		{"A=1 B=2 ls", "ls", "A=1 B=2", "", ""},
		{"echo x > f", "echo x", "", "f", ""},
		{"echo x >f 2>>g", "echo x", "", "f g", ""},
		{"echo x >| f", "echo x", "", "f", ""},
		{"echo x &> f", "echo x", "", "", ""}, // see the next command: & ends one
		{"> f echo x", "echo x", "", "f", ""},
		{"cat < f", "cat", "", "", "f"},
		{"cat <> f", "cat", "", "f", ""},
		{"echo 2>f", "echo", "", "f", ""},
		{"echo '>' f", "echo > f", "", "", ""},
		{`echo "a b" c\ d`, "echo a b c d", "", "", ""},
	} {
		seen, ok := scannedText(row.text, Bash)
		if !ok || len(seen) == 0 {
			t.Errorf("%q: %v %v", row.text, seen, ok)
			continue
		}
		s := seen[0]
		if got := strings.Join(s.Words, " "); got != row.words || strings.Join(s.Sets, " ") != row.sets || strings.Join(s.Writes, " ") != row.writes || strings.Join(s.Reads, " ") != row.reads {
			t.Errorf("%q: words %q sets %q writes %q reads %q", row.text, s.Words, s.Sets, s.Writes, s.Reads)
		}
	}
	seen, _ := scannedText("echo x &> f", Bash)
	if !slices.ContainsFunc(seen, func(s Seen) bool { return slices.Equal(s.Writes, []string{"f"}) }) {
		t.Errorf("&> is not seen as a write: %v", seen)
	}
}

func TestScanIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"depth":    strings.Repeat("$(", 50_000),
		"parens":   strings.Repeat("(", 100_000),
		"ticks":    strings.Repeat("`", 100_001),
		"commands": strings.Repeat("a;", 100_000),
		"nested":   strings.Repeat("$(a ", 5_000) + strings.Repeat(")", 5_000),
		"quotes":   strings.Repeat(`sh -c "`, 5_000),
		"braces":   strings.Repeat("{a,", 20_000) + strings.Repeat("}", 20_000) + " x",
		"escapes":  strings.Repeat(`$'\'`, 20_000),
		"bodies":   strings.Repeat("a <<'\n", 20_000),
		"here":     strings.Repeat("a <<b", 3_000) + "\n" + strings.Repeat("'\n", 3_000),
		"params":   strings.Repeat("${a:-", 20_000),
	} {
		seen, _ := scannedText(text, Bash)
		if len(seen) > 2*maxSeen {
			t.Errorf("%s: %d commands", name, len(seen))
		}
	}
	if _, ok := scannedText(strings.Repeat("x", MaxScanned+1), Bash); ok {
		t.Error("a text that is too long was called read")
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range []string{"ls; rm x", "a $(b `c`) > d", "sh -c 'x; y'", "A=1 b <<E\nx\nE", `"${u:-$(a)}"`, `$'\x72m'`, "{a,b} r?", "`", "$(", "\\", "'", "<(", ">&", "é\x00\xff"} {
		f.Add(text)
	}
	list, _ := CompileRestrictions([]string{"rm", "git push"})
	f.Fuzz(func(t *testing.T, text string) {
		seen, ok := scannedText(text, Bash)
		matches(list, seen)
		if len(seen) > 2*maxSeen {
			t.Fatalf("%d commands", len(seen))
		}
		for _, s := range seen {
			for range s.PathWords() {
			}
			s.Writer()
			s.RunsFile()
			s.MayRun()
			s.ChangesTo()
		}
		// What the strict reader understands, the tolerant one sees as well.
		var c Command
		if c.Parse(text, Bash); c.Opaque(Strict) != "" || !ok || len(c.Simples) > 50 {
			return
		}
		for _, simple := range c.Simples {
			if !slices.ContainsFunc(seen, func(s Seen) bool { return hasSuffix(simple.Words, s.Words) }) {
				t.Fatalf("%q: %q is not among %v", text, simple.Words, seen)
			}
		}
	})
}

// hasSuffix allows for the control words that Scan skips, such as time.
func hasSuffix(words, end []string) bool {
	return len(end) <= len(words) && slices.Equal(words[len(words)-len(end):], end) && len(words)-len(end) <= strings.Count(strings.Join(words, " "), "time")
}

// scannedText is Scan with all that a reading may put together.
func scannedText(text string, dialect Dialect) ([]Seen, bool) {
	left := MaxFilled
	seen, _, ok := Scan(text, dialect, &left)
	return seen, ok
}

func matches(list Restrictions, seen []Seen) (entry string, hit bool) {
	left := MaxFilled
	return list.Matches(seen, &left)
}
