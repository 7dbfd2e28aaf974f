package shell

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func parsed(t *testing.T, text string, dialect Dialect) *Command {
	t.Helper()
	c := &Command{}
	c.Parse(text, dialect)
	return c
}

func (c *Command) show() string {
	var list []string
	for _, s := range c.Simples {
		piped := ""
		if s.Piped {
			piped = "|"
		}
		list = append(list, piped+strings.Join(s.Words, "·"))
	}
	return strings.Join(list, " ; ")
}

func TestParseUnderstands(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"ls", "ls"},
		{"git status", "git·status"},
		{"  git \t status  ", "git·status"},
		{"a && b || c; d & e\nf", "a ; b ; c ; d ; e ; f"},
		{"a|b |& c | d", "a ; |b ; |c ; |d"},
		{"a |\nb", "a ; |b"},
		{"a;b", "a ; b"},
		{"a 'b c' \"d e\" f\\ g", "a·b c·d e·f g"},
		{"g''it st\"at\"us", "git·status"},
		{`echo "a\"b\\c\d"`, `echo·a"b\c\d`},
		{`echo 'a\' b`, `echo·a\·b`},
		{`echo "" ''`, "echo··"},
		{"echo a#b", "echo·a#b"},
		{"echo '#' \\# \"#\"", "echo·#·#·#"},
		{"echo a~ '~' \\~", "echo·a~·~·~"},
		{"echo {} {a} a{b", "echo·{}·{a}·a{b"},
		{`echo '$x' '*' "*" \* '{a,b}'`, "echo·$x·*·*·*·{a,b}"},
		{"find . -name '*.go'", "find·.·-name·*.go"},
		{`find . -exec id {} \;`, "find·.·-exec·id·{}·;"},
		{"echo é 100%.txt a=b -x --y=z @ , : + ^ ] }", "echo·é·100%.txt·a=b·-x·--y=z·@·,·:·+·^·]·}"},
		{"ls in do done", "ls·in·do·done"},
		{"git log ; ", "git·log"},
		{"git commit -m 'a & b'", "git·commit·-m·a & b"},
		{"time go test", "time·go·test"},
	} {
		for _, dialect := range []Dialect{Bash, POSIX} {
			if c := parsed(t, row.text, dialect); c.Opaque() != "" || c.show() != row.want {
				t.Errorf("%q: %s (%s), want %s", row.text, c.show(), c.Opaque(), row.want)
			}
		}
	}
}

func TestParseIsOpaque(t *testing.T) {
	for why, texts := range map[string][]string{
		"there is no command":        {"", " ", "\n", ";", "&&", "\t;\n"},
		"an expansion ($)":           {"echo $x", "echo a$", "$x", "echo ${x}", "echo $((1))", "echo $'a'", `echo $"a"`, "$(ls)"},
		"an expansion inside double": {`echo "$x"`, "echo \"`ls`\"", `echo "a$"`},
		"a command substitution":     {"echo `ls`", "`ls`"},
		"a redirection":              {"a > b", "a >b", "a 2>&1", "a < b", "a <<E\nE", "a <<< b", "a &> b", ">b", "a >| b", "a <(b)"},
		"a subshell":                 {"(a)", "a() b", "a )"},
		"a file name pattern":        {"ls *", "ls a?", "ls [ab]", "[ -f x ]"},
		"a brace expansion":          {"ls {a,b}", "ls {1..3}", "{a,b}", "ls a{b,c}d", "ls {a,'b'}"},
		"a home directory":           {"ls ~", "ls ~/x", "ls ~u", "ls a=~", "ls a:~/b", "ls ~+/x"},
		"a comment":                  {"ls # x", "# x", "ls;#x", "ls\n#x", "#"},
		"a line that goes on":        {"ls \\\nx", "ls a\\\nb", "\"a\\\nb\""},
		"a backslash at the end":     {"ls \\", "\\"},
		"a quote is not closed":      {"ls 'a", `ls "a`, `ls "a\"`, "'"},
		"the shell's control flow":   {"if a; then b; fi", "! a", "{ a; }", "while a; do b; done", "a; done", "case a in b; esac", "function f", "coproc a", "a | ! b", "'if' a"},
		"an assignment":              {"A=1 ls", "A=1", "A+=1 ls", "ls; B=2 ls", "_a9=x y"},
		"an empty program name":      {"'' a", `""`, "ls | ''"},
		"a program name that begins": {"-x", "+x a", "%1", "ls; %1", "- ls", "'-x'"},
		"the text is not valid":      {"ls \xff", "\xc0\xaf"},
		"a control character":        {"ls\rrm", "ls\x00", "ls\x0brm", "ls\x1b[0m", "ls\x7f", "a\r\nb"},
		"an invisible character":     {"ls\u00a0x", "ls \u202ex", "ls\u2028rm", "l\u200bs", "ls\u3000x", "ls \ufeff", "ls\u0085x"},
		"the text is too long":       {"ls " + strings.Repeat("a", MaxText)},
	} {
		for _, text := range texts {
			for _, dialect := range []Dialect{Bash, POSIX, Zsh} {
				c := parsed(t, text, dialect)
				if c.Opaque() == "" || !strings.Contains(c.Opaque(), why) && dialect != Zsh {
					t.Errorf("%.40q: %q, want %q", text, c.Opaque(), why)
				}
				if c.Cover(everything) || c.ReadOnly() {
					t.Errorf("%.40q is vouched for although it is opaque", text)
				}
			}
		}
	}
}

var everything = func() Prefixes {
	p, _ := CompilePrefixes([]string{"ls", "a", "b", "echo", "if", "-x", "%1", "A=1", "#", "rm", "[", "case", "!", "git"})
	return p
}()

func TestDialects(t *testing.T) {
	for _, row := range []struct {
		dialect Dialect
		text    string
		opaque  bool
	}{
		{Zsh, "git status && ls -la | head", false},
		{Zsh, "echo x=y", true}, // =y is a path in zsh
		{Zsh, "ls 'a'", true},
		{Zsh, "ls =ls", true},
		{Zsh, "ls a^b", true},
		{Zsh, "- ls", true},
		{PowerShell, "ls", true},
		{Cmd, "dir", true},
		{POSIX, "ls", false},
		{Dialect(99), "ls", true},
	} {
		if c := parsed(t, row.text, row.dialect); (c.Opaque() != "") != row.opaque {
			t.Errorf("%d %q: %q", row.dialect, row.text, c.Opaque())
		}
	}
	for i, name := range DialectNames() {
		if d, ok := ParseDialect(name); !ok || int(d) != i {
			t.Errorf("%s: %d %v", name, d, ok)
		}
	}
	for _, name := range []string{"", "BASH", "fish", "bash "} {
		if _, ok := ParseDialect(name); ok {
			t.Errorf("%q is a dialect", name)
		}
	}
}

func TestZeroCommandIsOpaque(t *testing.T) {
	var c Command
	if c.Opaque() == "" || c.Cover(everything) || c.ReadOnly() || c.Cover() {
		t.Error("the zero command is vouched for")
	}
}

func TestPipeline(t *testing.T) {
	for text, want := range map[string]bool{
		"a": true, "a | b": true, "a | b | c": true, "a b | c": true,
		"a |& b": false, "a; b": false, "a && b": false, "a || b": false, "a & b": false, "a &": false, "a\nb": false, "a;": false,
		"a | b &": false, "| a": false, "a |": false, "a | | b": false, "a\n": false, "a |\nb": false,
	} {
		if c := parsed(t, text, Bash); c.Pipeline != want || c.Opaque() != "" {
			t.Errorf("%q: pipeline %v %s", text, c.Pipeline, c.Opaque())
		}
	}
}

// Textual is what the original engine's rule passes: it does not see quotes.
func TestTextual(t *testing.T) {
	for text, want := range map[string]bool{
		"echo a": true, "echo 'a b'": true, "echo '{a}'": true, "a; b": true,
		"echo 'a;b'": false, `echo "a|b"`: false, "echo 'a&b'": false, "echo '$'": false, "echo '>'": false, `echo \<`: false, "echo '('": false, "echo '`'": false, `echo "\$"`: false, "echo 'a\nb'": false,
	} {
		if c := parsed(t, text, Bash); c.Textual != want || c.Opaque() != "" {
			t.Errorf("%q: textual %v %s", text, c.Textual, c.Opaque())
		}
	}
}

func TestParseIsBounded(t *testing.T) {
	for _, piece := range []string{"a;", "'a'", "a ", "|", "\\a", `"a"`, "{", "a|b&&", "=", "\n"} {
		text := strings.Repeat(piece, MaxText/len(piece))
		c := parsed(t, text, Bash)
		if len(c.Simples) > len(text) {
			t.Errorf("%q: %d commands", piece, len(c.Simples))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range adversarialSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, dialect := range []Dialect{Bash, POSIX, Zsh, PowerShell} {
			var c Command
			c.Parse(text, dialect)
			if c.Opaque() != "" {
				if c.Cover(everything) || c.ReadOnly() {
					t.Fatalf("%q is opaque and vouched for", text)
				}
				continue
			}
			checkUnderstood(t, text, &c)
		}
	})
}

var adversarialSeeds = []string{
	"", "git status", "a && b || c; d | e & f\ng", "'a b' \"c d\" e\\ f", "a{b,c}", "~", "#", "a#b", "echo 'x\\' ; y", "a\\\nb", "$x", "`a`", "(a)", "A=1 b", "if a", "é \u202e", "a\rb", "\xff",
	"a |& b", "a ;; b", "&&", "''", `"\$"`, "-x",
}

// checkUnderstood compares with the plain reading: between the separators the
// words are those of Split.
func checkUnderstood(t *testing.T, text string, c *Command) {
	t.Helper()
	if len(text) > MaxText {
		t.Fatalf("a text of %d bytes was read", len(text))
	}
	var words []string
	for _, s := range c.Simples {
		if len(s.Words) == 0 || s.Words[0] == "" {
			t.Fatalf("%q: a command without a name: %q", text, c.show())
		}
		words = append(words, s.Words...)
	}
	if !c.Textual || strings.ContainsAny(text, "$`") {
		return // Split reads backslashes before these in its own way
	}
	var plain []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(";&|\n", r) }) {
		w, err := Split(part)
		if err != nil {
			t.Fatalf("%q is understood, but its part %q: %v", text, part, err)
		}
		plain = append(plain, w...)
	}
	if !slices.Equal(words, plain) {
		t.Fatalf("%q: %q, but plainly %q", text, words, plain)
	}
	c.Reads()
	c.ChangesTo()
	c.RunsText()
	for i := range c.Simples {
		_ = fmt.Sprint(c.Vouched(i, everything))
		for j := range c.Simples[i].Words[1:] {
			c.Simples[i].IsPattern(j + 1)
		}
	}
}
