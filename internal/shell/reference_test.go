package shell

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The reference is what the package must agree with, in the slowest and
// simplest form: lists of words, no tries, no tables of the package.

// analysis is what the package says about a text.
type analysis struct {
	opaque   map[Matching]string
	commands []pattern
	covered  func(Matching, []string) bool
}

// pattern is a listed command; the shell may put any words, or none, in the
// place of a word that is not literal.
type pattern struct {
	words   []string
	literal []bool
}

func (p pattern) String() string {
	var b strings.Builder
	for i, w := range p.words {
		if p.literal[i] {
			fmt.Fprintf(&b, " %q", w)
		} else {
			fmt.Fprintf(&b, " <%s>", w)
		}
	}
	return "[" + strings.TrimSpace(b.String()) + "]"
}

var bothModes = []Matching{Strict, Precise}

// analyse asks the package.
func analyse(text string, dialect Dialect) analysis {
	c := &Command{}
	c.Parse(text, dialect)
	a := analysis{opaque: map[Matching]string{}}
	for _, m := range bothModes {
		a.opaque[m] = c.Opaque(m)
	}
	a.covered = func(m Matching, entries []string) bool {
		list, _ := CompilePrefixes(entries)
		return c.CoveredBy(m, list)
	}
	for _, s := range c.Simples {
		p := pattern{words: s.Words}
		for i := range s.Words {
			p.literal = append(p.literal, s.Literal(i))
		}
		a.commands = append(a.commands, p)
	}
	return a
}

func (a analysis) understood(m Matching) bool { return a.opaque[m] == "" }

// gives reports whether the pattern may become exactly these words.
func (p pattern) gives(words []string) bool {
	at := make([]bool, len(words)+1) // how many words the pattern so far may have become
	at[0] = true
	for i, w := range p.words {
		next := make([]bool, len(at))
		for n := range at {
			if p.literal[i] {
				next[n] = n > 0 && at[n-1] && words[n-1] == w
			} else {
				next[n] = at[n] || n > 0 && next[n-1]
			}
		}
		at = next
	}
	return at[len(words)]
}

func (p pattern) from(i int) pattern { return pattern{p.words[i:], p.literal[i:]} }

// lists reports whether a program that ran with these words was listed, by
// itself or behind a builtin that runs what follows its options.
func (a analysis) lists(ran []string) bool {
	return slices.ContainsFunc(a.commands, func(p pattern) bool { return p.runs(ran) })
}

func (p pattern) runs(ran []string) bool {
	return slices.ContainsFunc(programAt(p.known()), func(i int) bool { return p.from(i).gives(ran) })
}

// programAt returns where the program may begin: at the first word, or behind
// builtins that pass on to it. Shells do not agree on which options those have,
// and only where time is a reserved word may assignments follow it.
func programAt(words []string) []int {
	all := []int{0}
	for i := 0; i+1 < len(words) && passesOn[words[i]]; {
		builtin := words[i]
		i++
		all = append(all, i)
		for i+1 < len(words) && (strings.HasPrefix(words[i], "-") || builtin == "time" && strings.Contains(words[i], "=")) {
			if words[i] == "-a" && i+2 < len(words) {
				i++ // the name that the program is told
			}
			i++
			all = append(all, i)
		}
	}
	return all
}

var (
	// passesOn are builtins that run the program named behind them.
	passesOn = wordSet("exec command builtin time noglob nocorrect")
	// acts are builtins that run text, or change what later words mean; the
	// list of commands does not show that, so only lists of prefixes are
	// judged for a text that has one.
	acts = wordSet(`eval . source trap alias unalias hash enable set shopt setopt unsetopt emulate coproc mapfile readarray
		compgen complete bind fc declare typeset local read let unset getopts export readonly wait autoload functions
		bindkey sched zle zparseopts vared repeat foreach r - integer float print`)
	// refEnds are builtins after which the rest may not run.
	refEnds = wordSet("exit return break continue logout exec bye shift getopts ulimit times limit suspend disown fg bg caller dirs help hash kill wait")
	// refNamesVariable are builtins whose -v takes a name, with an index to evaluate.
	refNamesVariable = wordSet("test [ printf")
	// choosing are builtins with a status of their own.
	choosing = wordSet("cd test [ printf false type umask times jobs")
	// silent are builtins, which no shim can log.
	silent = wordSet("cd echo test [ printf pwd true false : type umask times jobs")
)

// has reports whether a command of the text is in the set, also behind
// builtins that pass on to it.
func (a analysis) has(set map[string]bool) bool {
	return slices.ContainsFunc(a.commands, func(p pattern) bool {
		for i, w := range p.words {
			if set[w] {
				return true
			}
			if !passesOn[w] && !(i > 0 && strings.HasPrefix(w, "-")) {
				break
			}
		}
		return false
	})
}

// evaluates reports whether a builtin runs what is in its words, so that the
// list of commands cannot show what runs.
func (a analysis) evaluates() bool {
	return a.has(acts) || slices.ContainsFunc(a.commands, func(p pattern) bool {
		return slices.Contains(p.words, "-v") && a.has(refNamesVariable)
	})
}

// covers is the rule of a list of prefixes: a command is covered if
//   - an entry is the beginning of its words, all of them certain; or
//   - it is harmless by itself; or
//   - it only passes on, after options and what belongs to them, operands of its
//     own and harmless assignments, to a command that is covered; or
//   - it is xargs, which hands names to a program that only looks at files and is
//     covered, or to echo if none is named; or
//   - it is git with an option in front that only changes how output is shown, and
//     is covered without it; or
//   - it is a shell with a text, and what that text runs is covered.
func refCovers(entries []string, words []string, runsCovered func(shell, text string) bool) bool {
	for _, entry := range entries {
		want, err := Split(entry)
		for _, i := range programAt(want) { // the log shows the program behind a builtin
			if err == nil && i < len(want) && len(want)-i <= len(words) && slices.Equal(want[i:], words[:len(want)-i]) {
				return true
			}
		}
	}
	if len(words) == 1 && words[0] == "cat" {
		return true // it only passes its input on
	}
	if harmless[words[0]] && (!slices.Contains([]string{"exit", "return", "break", "continue"}, words[0]) || len(words) < 3) {
		return true
	}
	if words[0] == "read" && readLine.MatchString(strings.Join(words, " ")) {
		return true // of a line into variables
	}
	name := refName(words[0])
	if name == "xargs" {
		rest := words[feeding.own(words):]
		if len(rest) == 0 {
			rest = []string{"echo"}
		}
		return onlyLooks[refName(rest[0])] && refCovers(entries, rest, nil)
	}
	if words[0] == "git" && len(words) > 2 && (words[1] == "--no-pager" || words[1] == "--no-optional-locks") {
		return refCovers(entries, append([]string{"git"}, words[2:]...), nil)
	}
	if isWrapper(name) {
		rest := words[wrapping[name].own(words):]
		return len(rest) > 0 && refCovers(entries, rest, runsCovered)
	}
	if passesOn[name] {
		for i := 1; i < len(words); i++ {
			if refCovers(entries, words[i:], runsCovered) {
				return true
			}
			if !passable(words[i]) {
				return false
			}
		}
	}
	return runsCovered != nil && len(words) == 3 && shells[name] != "" && givesText(words[1]) &&
		runsCovered(shells[name], words[2])
}

var (
	readLine = regexp.MustCompile(`^read( -r)?( [A-Za-z_][A-Za-z0-9_]*)+$`)
	harmless = wordSet("cd pwd true false : exit return break continue [ [[ test")
	wrapping = map[string]wrapper{
		"timeout": {valued: "-k -s --kill-after --signal", operands: 1}, "nice": {valued: "-n --adjustment"},
		"env": {valued: "-u --unset"}, "stdbuf": {valued: "-i -o -e --input --output --error"}, "nohup": {}, "setsid": {},
		"ionice": {valued: "-c -n --class --classdata"}, "chrt": {operands: 1}, "taskset": {operands: 1}, "ccache": {},
		"caffeinate": {valued: "-t"}, "chronic": {}, "catchsegv": {}, "unbuffer": {}, "fakeroot": {}, "linux32": {}, "linux64": {},
	}
	// feeding is xargs, as its manual has it.
	feeding   = wrapper{valued: "-n -P -L -d -s -I --max-args --max-procs --max-lines --delimiter --max-chars"}
	onlyLooks = wordSet(`echo basename dirname grep egrep fgrep wc ls stat file du realpath readlink cksum
		md5sum sha1sum sha224sum sha256sum sha384sum sha512sum`)
	shells   = map[string]string{"sh": "dash", "dash": "dash", "bash": "bash", "zsh": "zsh", "ksh": "dash", "mksh": "dash", "ash": "dash"}
	settable = wordSet("LC_ALL LANG TZ NO_COLOR CI")
)

// refName is a program's name where only the system keeps programs.
func refName(word string) string {
	for _, dir := range []string{"/bin/", "/usr/bin/", "/usr/local/bin/"} {
		if name, ok := strings.CutPrefix(word, dir); ok && !strings.Contains(name, "/") {
			return name
		}
	}
	return word
}

// wrapper says what belongs to a wrapper, as its manual has it: options that a
// word follows as their value, and operands before the program.
type wrapper struct {
	valued   string
	operands int
}

func isWrapper(word string) bool {
	_, ok := wrapping[refName(word)]
	return ok
}

// own counts the words that are the wrapper's own.
func (w wrapper) own(words []string) int {
	valued, i := wordSet(w.valued), 1
	for ; i < len(words) && len(words[i]) > 1 && words[i][0] == '-'; i++ {
		if words[i] == "--" {
			i++
			break
		}
		at := 1
		for at < len(words[i]) && words[i][1] != '-' && !valued["-"+words[i][at:at+1]] {
			at++ // the value of an option may be the rest of a cluster
		}
		if valued[words[i]] || words[i][1] != '-' && at == len(words[i])-1 {
			i++
		}
	}
	i += w.operands
	for i < len(words) && passable(words[i]) && strings.Contains(words[i], "=") {
		i++
	}
	return min(i, len(words))
}

// givesText reports whether a shell takes its option for "run the text that
// follows": a cluster of c with letters that change nothing about what runs.
func givesText(option string) bool {
	letters, ok := strings.CutPrefix(option, "-")
	return ok && strings.Count(letters, "c") == 1 && strings.Trim(letters, "celux") == ""
}

// readAs says how a shell's text is read.
var readAs = map[string]Dialect{"bash": Bash, "dash": POSIX, "zsh": Zsh}

// passable are the words between a wrapper and its program.
func passable(word string) bool {
	if name, _, ok := strings.Cut(word, "="); ok && settable[name] {
		return true
	}
	return strings.HasPrefix(word, "-") || strings.Trim(word, "0123456789.smhd") == "" && word != ""
}

// known returns the words of a pattern up to the first that is not certain.
func (p pattern) known() []string {
	n := slices.Index(p.literal, false)
	if n < 0 {
		n = len(p.words)
	}
	return p.words[:n]
}

// uncovered says which listed command a list does not cover, though the
// package said that it covers the text.
func (a analysis) uncovered(m Matching, entries []string) string {
	if !a.covered(m, entries) {
		return ""
	}
	if why := a.opaque[m]; why != "" {
		return "covered although opaque: " + why
	}
	for _, p := range a.commands {
		if len(p.words) == 0 {
			continue
		}
		known := p.known()
		if len(known) == 0 || !refCovers(entries, known, func(shell, text string) bool {
			return analyse(text, readAs[shell]).covered(m, entries)
		}) {
			return fmt.Sprintf("covered although %s is not in %q", p, entries)
		}
	}
	return ""
}

func TestReference(t *testing.T) {
	yes := func(string, string) bool { return true }
	for _, row := range []struct {
		entries string
		words   string
		want    bool
	}{
		{"git log", "git log -1", true},
		{"git log", "git", false},
		{"git log", "git logs", false},
		{"git", "rm git", false},
		{"", "cd sub", true},
		{"", "exit 1", true},
		{"rm", "timeout 5 rm x", true},
		{"git", "timeout 5 rm git", false},
		{"git", "timeout -k 1 5s nice -n 5 git log", true},
		{"git", "env CI=1 git log", true},
		{"git", "env PATH=. git log", false},
		{"exec git log", "git log", true},
		{"exec -c git log", "git log", true},
		{"exec -a rm git log", "rm git log", false},
		{"", "bash -lc x", true},
		{"", "bash -x -c x", false},
		{"", "sh -xc x", true},
		{"", "sh -cc x", false},
		{"", "sh -ic x", false},
		{"", "sh -c x y", false},
		{"rm", "timeout A rm", true},
		{"A", "timeout A rm", false},
		{"git", "timeout 5 CI=1 git", true},
		{"git", "nice -n A git log", true},
		{"A", "nice -n A git log", false},
		{"git", "nice -5 A git log", false},
		{"git", "stdbuf -oL git log", true},
		{"git", "env -iu A git log", true},
		{"git", "env -uA git log", true},
		{"A", "env -uA A", true},
		{"rm", "env -- rm", true},
		{"git", "/usr/bin/timeout 5 git log", true},
		{"git", "./timeout 5 git log", false},
		{"grep", "xargs grep a", true},
		{"grep", "xargs -0 -n 1 grep a", true},
		{"grep", "xargs -I A grep A x", true},
		{"echo", "xargs", true},
		{"grep", "xargs", false},
		{"rm", "xargs rm", false},
		{"cat", "xargs cat", false},
		{"grep", "xargs rm grep", false},
		{"grep", "xargs timeout 5 grep", false},
		{"grep", "./xargs grep a", false},
		{"xargs rm", "xargs rm", true},
		{"git log", "git --no-pager log -1", true},
		{"git log", "git --no-pager push", false},
		{"git log", "git -p log", false},
		{"git", "git --no-pager log", true},
	} {
		if got := refCovers(strings.Split(row.entries, ";"), strings.Fields(row.words), yes); got != row.want {
			t.Errorf("%q covers %q: %v", row.entries, row.words, got)
		}
	}
	for _, row := range []struct {
		pattern string // a word with a star is not literal
		ran     string
		want    bool
	}{
		{"git log", "git log", true},
		{"git log", "git log x", false},
		{"git *", "git", true},
		{"git * x", "git a b x", true},
		{"git * x", "git a b", false},
		{"exec git log", "git log", true},
		{"timeout git log", "git log", false},
	} {
		var p pattern
		for _, w := range strings.Fields(row.pattern) {
			p.words, p.literal = append(p.words, w), append(p.literal, !strings.Contains(w, "*"))
		}
		if got := (analysis{commands: []pattern{p}}).lists(strings.Fields(row.ran)); got != row.want {
			t.Errorf("%s gives %q: %v", p, row.ran, got)
		}
	}
}
