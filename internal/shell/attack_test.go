package shell

import (
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
)

// Riders on covered commands: each text would make the shell, or a program
// that the list names, do what no entry vouches for. Rows are: the list, a
// text that must not run on its word.
func TestRiders(t *testing.T) {
	for _, row := range [][2]string{
		// a loop's variable is a variable of the shell, and may be an exported one
		{"git status", "for PATH in /tmp/evil; do git status; done"},
		{"git status", "for HOME in /tmp/evil; do git status; done"},
		{"git diff", "for GIT_EXTERNAL_DIFF in ./evil; do git diff; done"},
		{"git status", "for LD_PRELOAD in ./evil.so; do git status; done"},
		{"git status", "for BASH_ENV in ./evil; do bash -c 'git status'; done"},
		{"git log", "for IFS in x; do git log; done"},
		{"git status", "for CDPATH in /etc; do git status; done; cd ssh && git status"},
		// and it changes inside the loop
		{"git log", `for i in HEAD; do i=--output=f; git log "$i"; done`},
		{"git log", `for i in HEAD; do for i in --output=f; do :; done; git log "$i"; done`},
		{"git log", `for i in HEAD; do if true; then i=--output=f; fi; git log "$i"; done`},
		{"git log,cat", `j=$(cat f); for i in "$j"; do for j in HEAD; do git log "$i"; done; done`},
		// an assignment that does not happen leaves the value before it
		{"git log", "x=--output=f; false && { x=HEAD; }; git log $x"},
		{"git log", "x=--output=f; true || { x=HEAD; }; git log $x"},
		{"git log", "x=--output=f; false && { { x=HEAD; }; }; git log $x"},
		{"git log", "sh -c 'x=--output=f; x=HEAD 2>&9; git log $x'"},
		{"git log", "sh -c 'x=--output=f; x=HEAD <nope; git log $x'"},
		// bash ends a here-document inside a substitution at a line that begins with the delimiter
		{"git commit,cat", "git commit -m \"$(cat <<'EOF'\nfix\nEOF)\"\nrm y\nEOF\n)\""},
		{"git commit,cat", "git commit -m \"$(cat <<'EOF'\nfix\nEOF )\"\nrm y\nEOF\n)\""},
		{"git commit,cat", "git commit -m \"$(cat <<EOF\nfix\nEOF\t)\"\nrm y\nEOF\n)\""},
		{"git commit,cat", "git commit -m \"$(cat <<'EOF'\nfix\nEOFx)\"\nrm y\nEOF\n)\""},
		{"git commit,cat", "x=$(cat <<'EOF'\nfix\nEOF)\nrm y\nEOF\n)\ngit commit -m \"$x\""},
		{"git commit,cat", "bash -c \"git commit -m \\\"\\$(cat <<'EOF'\nfix\nEOF)\\\"\nrm y\nEOF\n)\\\"\""},
		// braces become words, and words may be options
		{"git diff", "git diff {--output=f,HEAD}"},
		{"git diff", "git diff {HEAD,--output=f}"},
		{"git diff", "git diff {,--output=f}"},
		{"git diff", "git diff {,-}-output=f"},
		{"sort", "sort {-ofile,a}"},
		{"wc", "wc {--files0-from=f,a}"},
		{"pytest", "pytest {-o,x}=y"},
		{"eslint", "eslint {--rulesdir=/tmp/x,b}"},
		{"prettier", "prettier {--write,a}"},
		{"git log", `for i in {--output=f,HEAD}; do git log "$i"; done`},
		// the words of test and printf decide what they do
		{"cat", "x=$(cat f); [ $x ]"},
		{"cat", "[ $(cat f) ]"},
		{"cat", `[ "$(cat f)" "$(cat g)" ]`},
		{"cat", `test "$(cat f)" "$(cat g)"`},
		{"printf,cat,git status", `x=$(cat f); printf "$x" /tmp/evil; git status`},
		{"printf,cat", `printf "$(cat f)" x`},
		// -m is no message everywhere
		{"git log,cat", `git log -m "$(cat f)"`},
		{"git show,cat", `git show -m "$(cat f)"`},
		{"git diff,cat", `git diff -m "$(cat f)"`},
		{"git format-patch,cat", `git format-patch -m "$(cat f)"`},
		// what a substitution prints may be an option, several words, or code
		{"git log,git branch", `git log "$(git branch --show-current)"`},
		{"git log,git rev-parse", `git log "$(git rev-parse --abbrev-ref HEAD)"`},
		{"kubectl get,git branch", `kubectl get "$(git branch --show-current)"`},
		{"npm,git branch", `npm "$(git branch --show-current)"`},
		{"go,git branch", `go "$(git branch --show-current)" x`},
		{"jq,git branch", `jq -n "$(git branch --show-current)"`},
		{"awk,git branch", `awk "BEGIN{$(git branch --show-current)(\"id\")}"`},
		{"git log,mkdir", "mkdir 'a --output=f' && cd 'a --output=f' && git log $(pwd)"},
		{"git log,git rev-parse", "git log $(git rev-parse --show-toplevel)"},
		{"sort,date", `sort a "$(TZ='<-of>0' date +%Z)"`},
		{"sed", "sed s,a,*, f"},
		{"git stash", "git stash d*"},
		// cat does not read descriptor 3
		{"git log,echo", "echo --output=f | git log \"$(cat 3<<'EOF'\nHEAD\nEOF\n)\""},
		// env takes names that no shell would assign to
		{"git status", "env 'BASH_FUNC_git%%=() { id; }' bash -c 'git status'"},
		// the input of a group is the input of each command in it
		{"sqlite3,cat", "{ sqlite3 x.db; cat; } <<'EOF'\n.shell id\nEOF"},
		{"sqlite3,cat", "for i in a; do sqlite3 x.db; cat; done < f"},
		{"sqlite3,cat", "(sqlite3 x.db; cat) < f"},
		{"sqlite3,cat", "if sqlite3 x.db; then cat; fi < f"},
		{"sqlite3,cat", "{ sqlite3 x.db | cat; } < f"},
		{"sqlite3", "bash -c 'sqlite3 x.db' < f"},
		{"sqlite3", "bash -c 'sqlite3 x.db' <<'EOF'\n.shell id\nEOF"},
		// and so is a pipe
		{"sqlite3,echo", "echo '.shell id' | sqlite3 x.db"},
		{"sqlite3,cat", "cat f | sqlite3 x.db"},
		{"sqlite3,cat", "cat f | { sqlite3 x.db; }"},
		// a secret by another name
		{"echo", `x=$API_TOKEN; echo "$x"`},
		{"echo", `x="a $API_TOKEN"; echo "$x"`},
		{"echo", `for t in "$API_TOKEN"; do echo "$t"; done`},
		{"echo", `echo "$DB_PASS"`},
		{"echo", `echo "$PASS"`},
		{"echo", `echo "$JWT"`},
		{"echo", `echo "$SLACK_WEBHOOK_URL"`},
		// lower-case names that a package manager exports and reads
		{"npm test", "npm_config_script_shell=./evil; npm test"},
	} {
		if got := covers(t, Precise, row[0], row[1]); got.Covered {
			t.Errorf("%s covers %q", row[0], row[1])
		}
	}
}

// No grant that a person is offered may let a program remove or overwrite
// work, or run whatever comes next.
func TestNoSuggestion(t *testing.T) {
	for _, text := range []string{"uv run rm x", "poetry run bash x", "bundle exec rm x", "git restore x", "git checkout x", "git checkout ."} {
		if got := parsed(t, text, Bash).Suggest(Precise, lists(t)); len(got) > 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Texts that end in the middle of something are opaque, and no more.
func TestCutShort(t *testing.T) {
	whole := "x=a;for i in b {c,d} *;do if ! e \\\n $x \"${i} $(f <<'E'\ng\nE\n)\" 2>&1 >h;then (i<~/j)|k 'l' \\m [n] $?;elif o;then p # q\nelse { r <<\"S\"&& t;}\nu\nS\nfi;done"
	for i := range len(whole) + 1 {
		for _, end := range []string{"", "'", "\"", "\\", "$", "<", "<<", "<<'", "<<\"E", ">", ">&", "2", "(", "$(", "${", "{", "[", "~", "#", "\n", "&", "|", ";", "!", "=", "x="} {
			text := whole[:i] + end
			func() {
				defer func() {
					if cause := recover(); cause != nil {
						t.Errorf("%q: %v", text, cause)
					}
				}()
				parsed(t, text, Bash)
				scannedText(text, Bash)
			}()
		}
	}
	if c := parsed(t, whole, Bash); c.Opaque(Precise) != "" {
		t.Errorf("the whole text is opaque: %s at %q", c.Opaque(Precise), c.Piece(Precise))
	}
}

// A compound command's redirection is opened where the command begins.
func TestRedirectionsOpenOutside(t *testing.T) {
	for _, row := range []struct{ text, inputs, outputs string }{
		{"(cd a/b && cat) < f > g", "f<-1", "g<-1"},
		{"{ cd a/b; cat; } < ../f", "../f<-1", ""},
		{"cd a && { cd b && cat; } < ../f", "../f<0", ""},
	} {
		got := covers(t, Precise, "cat", row.text)
		if files(got.Inputs) != row.inputs || files(got.Outputs) != row.outputs {
			t.Errorf("%q: inputs %v, outputs %v", row.text, got.Inputs, got.Outputs)
		}
	}
}

// Working out what a word can be costs no more than the text is worth.
func TestValuesAreBounded(t *testing.T) {
	doubling, last := "for v in xx;do ", "v"
	for range 16 {
		doubling += "for " + last + "v in \"$" + last + "$" + last + "\";do "
		last += "v"
	}
	for name, text := range map[string]string{
		"doubling": doubling + "a \"$" + last + "\";" + strings.Repeat("done;", 17),
		"parts":    "for a in " + strings.Repeat("y", 500) + ";do b \"" + strings.Repeat("$a", 500) + "\";done",
	} {
		c := parsed(t, text, Bash)
		if c.Opaque(Precise) != "" {
			t.Errorf("%s: %s", name, c.Opaque(Precise))
			continue
		}
		for _, s := range c.Simples {
			for i := range s.Words {
				texts, _ := s.Values(i)
				for _, text := range texts {
					if len(text) > maxValueText {
						t.Errorf("%s: a word of %d bytes", name, len(text))
					}
				}
			}
		}
	}
}

// A loop over its own variable takes that of before the loop. The texts are
// read in a process of their own, which a recursion without end would stop.
func TestLoopsOverThemselves(t *testing.T) {
	const given = "PDP_TEST_TEXT"
	if text := os.Getenv(given); text != "" {
		debug.SetMaxStack(1 << 20)
		parsed(t, text, Bash).Cover(Precise, everything)
		return
	}
	for _, text := range []string{
		`for i in $i; do a "$i"; done`,
		`for i in "$i"; do for j in "$i"; do a "$j"; done; done`,
		`for i in $j; do for j in $i; do a "$j"; done; done`,
		`for i in a; do for i in "$i"; do a "$i"; done; done`,
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLoopsOverThemselves$")
		cmd.Env = append(os.Environ(), given+"="+text)
		if cmd.Run() != nil {
			t.Errorf("%q stops the process", text)
		}
	}
}

// Behind the keyword, an assignment is none of the words of a program.
func TestAssignmentBehindTime(t *testing.T) {
	for _, row := range [][2]string{{"LD_PRELOAD=a", "time LD_PRELOAD=a make"}, {"make", "time LD_PRELOAD=a make"}, {"A=1", "time A=1 make"}} {
		if got := covers(t, Precise, row[0], row[1]); got.Covered {
			t.Errorf("%s covers %q", row[0], row[1])
		}
	}
}

// A line that is read can set what later commands depend on.
func TestReadsIntoVariables(t *testing.T) {
	for _, row := range []struct {
		text    string
		covered bool
	}{
		{"ls | while read -r l; do echo \"$l\"; done", true},
		{"ls | while read l m; do echo \"$m\"; done", true},
		{"while IFS= read -r l; do echo a; done < f", true},
		{"while IFS=: read -r l; do echo a; done < f", true},
		{"ls | while read -r PATH; do ls; done", false},
		{"ls | while read -r LD_PRELOAD; do ls; done", false},
		{"ls | while read -r IFS; do ls; done", false},
		{"ls | while read -r http_proxy; do ls; done", false},
		{"ls | while read -r git_dir; do ls; done", false},
		{"ls | while read -r 'a[$(rm x)]'; do ls; done", false},
		{"ls | while read -r l[0]; do ls; done", false},
		{"ls | while read -ra l; do ls; done", false},
		{"ls | while read -u 3 l; do ls; done", false},
		{"ls | while read -p x l; do ls; done", false},
		{"ls | while read; do ls; done", false},
		{"ls | while read $x; do ls; done", false},
		{"ls | while IFS=$(rm x) read l; do ls; done", false},
		{"ls | while PATH=. read l; do ls; done", false},
		{"ls | while IFS=x ls; do ls; done", false},
		{"ls | while read -r l; do $l; done", false},
		{"ls | while read -r l; do ls \"$l\"; done", false},
		{"ls | while read -r l; do echo a > \"$l\"; done", false},
		{"ls | while read -r l; do cd \"$l\"; done", false},
		{"ls | while read -r l; do sh; done", false},
		{"ls=--x; ls | while read -r ls; do git log \"$ls\"; done", false},
		{"ls | timeout 5 read -r l", false},
		{"while ls; do rm x; done", false},
		{"until rm x; do ls; done", false},
		{"while ls; do cd a; done; ls", false},
		{"while ls; do ls; done > x", true}, // the caller judges the output
		{"x=a; while ls \"$x\"; do x=--color; done", false},
		{"x=HEAD; while git log \"$x\"; do x=--output=f; done", false},
		// a loop's variable that something else in the loop sets
		{"for l in a b; do while read -r l; do git log \"$l\"; done; done < f", false},
		{"ls | for l in a b; do read -r m l; git log \"$l\"; done", false},
		{"for l in a b; do export l=--output=f; git log \"$l\"; done", false},
		{"for l in a b; do eval \"$x\"; git log \"$l\"; done", false},
		{"for l in a b; do printf -v l %s --output=f; git log \"$l\"; done", false},
		{"for l in a b; do while read -r m; do git log \"$l\"; done; done < f", true},
		{"set -euo pipefail; for l in a b; do git log \"$l\"; printf '%s' l; done", true},
	} {
		if got := covers(t, Precise, "ls,echo,git log,printf,export,eval", row.text); got.Covered != row.covered {
			t.Errorf("%q: covered %v: %s", row.text, got.Covered, got.Why)
		}
	}
}

// Whether a secret is there may be asked; what it is, no test may tell, nor the
// message of one that takes it for a number.
func TestSecretsAreNotCompared(t *testing.T) {
	for _, row := range []struct {
		text    string
		covered bool
	}{
		{`[[ -n $API_TOKEN ]] && ls`, true},
		{`[[ $API_TOKEN != "" ]] && ls`, true},
		{`[[ "" == "$API_TOKEN" ]] && ls`, true},
		{`[ -z "$API_TOKEN" ] && exit 1`, true},
		{`test -n "$API_TOKEN" && ls`, true},
		{`bash -xc 'ls "$HOME"'`, true},
		{`bash -c 'test -n "$API_TOKEN"'`, true},
		{`[[ $API_TOKEN == a* ]] && ls`, false},
		{`[[ -f x && a != "$API_TOKEN" ]] && ls`, false},
		{`case $API_TOKEN in a*) ls;; esac`, false},
		{`case a in b|"$API_TOKEN") ls;; esac`, false},
		{`for c in a b; do [[ $API_TOKEN == $c* ]] && ls "$c"; done`, false},
		{`[ "$API_TOKEN" -eq 1 ]`, false},
		{`[ -z $API_TOKEN ]`, false},
		{`test "$API_TOKEN" '>' m && ls`, false},
		{`test "$API_TOKEN" = a`, false},
		{`bash -xc 'test -n "$API_TOKEN"'`, false},
		{`bash -cx 'case ${API_TOKEN} in *) ls;; esac'`, false},
	} {
		if got := covers(t, Precise, "ls", row.text); got.Covered != row.covered {
			t.Errorf("%q: covered %v: %s", row.text, got.Covered, got.Why)
		}
	}
}
