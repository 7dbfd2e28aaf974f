package shell

import (
	"slices"
	"strings"
	"testing"
)

// compared reads a text with both readers, also where Parse does without the
// second one. ok is false if the strict reader alone refuses it.
func compared(text string, dialect Dialect) (why string, ok bool) {
	c := Command{Text: text, dialect: dialect}
	r := reader{c: &c, text: text, words: c.words[:0], dir: -1, sure: true, compare: true}
	c.Simples = c.buf[:0]
	if r.run(); r.why != "" || len(c.Simples) == 0 {
		return "", false
	}
	return disagreement(secondReading(text, dialect), r.canon, r.bodiesRead), true
}

// Texts that shells run in another way than a parser of others reads them, or
// than a plain reading of the text would have it.
func TestReadersDisagree(t *testing.T) {
	for _, text := range []string{
		"git status # c\\\nrm x",
		"git log <&---output=f",
		"git log >&-x",
		`git log "${u:-'$(rm x)'}"`,
		"git log ${u:->(rm x)}",
		"git log $\\\n\"rm\" x",
		"git log\rrm x",
		"git log\r\nrm x",
		`x=$'a\'; rm x; #'`,
		"git log 10>f",
		"git log {fd}>f",
		"git log a=(b)",
		"git log a[$(rm x)]=b\\\nc",
		"git log $[1]",
		"time ! git log",
		"time { git log; }",
		"coproc git log",
		"git log &> f; x=1 &>> g &| h",
		"for i in a; { git log; }",
		"git log @(a|b)",
		"git log <(a)",
	} {
		for _, dialect := range []Dialect{Bash, POSIX} {
			c := parsed(t, text, dialect)
			if c.Opaque(Precise) == "" && !(dialect == POSIX && posixReadsPlainly[text]) {
				t.Errorf("%q is understood as %s: %s", text, dialect, c.shown())
			}
		}
	}
	// The keyword of one shell is a program of the other, with the same words.
	if c := parsed(t, "a | time rm x", Bash); c.shown() != "a ; |·time·rm·x" {
		t.Errorf("%s", c.shown())
	}
}

// posixReadsPlainly are texts that are special to bash alone.
var posixReadsPlainly = map[string]bool{
	"git log {fd}>f": true, "time ! git log": true,
}

// What only one reader refuses is refused.
func TestSecondReaderRefuses(t *testing.T) {
	for _, row := range []struct {
		canon  string
		text   string
		agrees bool
	}{
		{"[a\x05];", "a", true},
		{"[a\x05];", "b", false},
		{"[a\x05];", "a b", false},
		{"[a\x05];", "a;", true},
		{"[a\x05]&", "a &", true},
		{"[a\x05];", "a &", false},
		{"[a\x05];", "'a'", true},
		{"[a\x05];", "a)", false},
		{"[a\x05];", "a # b", true},
	} {
		if got := disagreement(secondReading(row.text, Bash), []byte(row.canon), nil) == ""; got != row.agrees {
			t.Errorf("%q as %q: %v", row.text, row.canon, got)
		}
	}
}

// Parse leaves the second reader out where a text is made of plain words and
// separators; this holds that it would agree.
func FuzzSecondReader(f *testing.F) {
	for _, text := range []string{
		"", "a", "a b;c&d|e&&f||g\nh", "a=b c=d", "A=1 a", "a &", "a;\nb", "time a | time -p b", "for i in a b; do c; done", "if a; then b; elif c; then d; else e; fi",
		"export a=b c", "declare -x a=b", "local a", "readonly -p", "typeset a=b", "nameref a=b", "nameref 0=", "let a=1", "eval a=b", "time", "time -p", "time;a", "a | time", "in do", "a 1 2", "a, .b @c %d +e :f",
		"time A=1 a", "time a=b", "a=b;", "for a in;do b;done", "export -a a=", "time -- a", "time -x a", "if a;then b;fi|c", "a\n\n\nb", "a|\nb", "a&&\nb", "=a", "a==b", "1=a", "a-b=c", "a.b=c", "-a", "%a", "select a", "function a", "coproc a", "let a", "let", "let a+=1", "a+=1 b", "@", "+", "a:=b",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain, why := readable(text)
		if !plain || why != "" {
			return
		}
		for _, dialect := range []Dialect{Bash, POSIX, Zsh} {
			if dialect == Zsh && strings.Contains(text, "=") {
				continue
			}
			var c Command
			if c.Parse(text, dialect); c.Opaque(Precise) != "" || slices.ContainsFunc(c.Simples, ownGrammar) {
				continue
			}
			if why, ok := compared(text, dialect); !ok || why != "" {
				t.Fatalf("%q is read without the second reader as %s, which finds %q (%v): %s", text, dialect, why, ok, c.shown())
			}
		}
	})
}

// ownGrammar reports whether a command is one that the second reader alone
// takes for a construct: let, whose words it reads as arithmetic, and time
// before an assignment, neither of which a list vouches for, and declarations of
// names that no variable can have.
func ownGrammar(s Simple) bool {
	if len(s.Words) == 0 {
		return false
	}
	at := slices.IndexFunc(s.Words, func(w string) bool { return w != "time" && w != "-p" })
	return at >= 0 && (s.Words[at] == "let" || declares[s.Words[at]] && slices.ContainsFunc(s.Words, oddName) || at > 0 && isAssignment(s.Words[at]))
}

// oddName reports whether a word assigns to what is no plain name, which fails
// when it runs.
func oddName(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && nameLength(name) != len(name) || strings.HasPrefix(w, "=")
}
