package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

func parsed(t *testing.T, text string, dialect Dialect) *Command {
	t.Helper()
	c := &Command{}
	c.Parse(text, dialect)
	return c
}

// lists compiles one list for the table that comes with the product.
func lists(t testing.TB, entries ...string) Lists {
	t.Helper()
	p, bad := CompilePrefixes(entries)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	return Lists{Table: programs.Builtin(), Prefixes: []Prefixes{p}}
}

// covers asks about a text under a list, with entries separated by commas.
func covers(t *testing.T, m Matching, entries, text string) Coverage {
	t.Helper()
	return parsed(t, text, Bash).Cover(m, lists(t, strings.Split(entries, ",")...))
}

// show writes the commands of a text, a dot between their words.
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
		{"a|b | c|d", "a ; |b ; |c ; |d"},
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
		{"[ -f x ]", "[·-f·x·]"},
		{"'if' a", "if·a"},
		{`find . -exec id {} \;`, "find·.·-exec·id·{}·;"},
		{"echo é 100%.txt a=b -x --y=z @ , : + ^ ] }", "echo·é·100%.txt·a=b·-x·--y=z·@·,·:·+·^·]·}"},
		{"ls in do done", "ls·in·do·done"},
		{"git log ; ", "git·log"},
		{"git commit -m 'a & b'", "git·commit·-m·a & b"},
		{"time go test", "time·go·test"},
	} {
		for _, dialect := range []Dialect{Bash, POSIX} {
			if c := parsed(t, row.text, dialect); c.Opaque(Strict) != "" || c.show() != row.want {
				t.Errorf("%q: %s (%s), want %s", row.text, c.show(), c.Opaque(Strict), row.want)
			}
		}
	}
}

func TestParseIsOpaque(t *testing.T) {
	for why, texts := range map[string][]string{
		"there is no command":        {"", " ", "\n", "# x", "#"},
		"a separator with no":        {";", "&&", "\t;\n", "| a", "a | | b", "a; ; b", "a && && b", "& a"},
		"nothing behind":             {"a &&", "a |", "a ||\n", "a | \n"},
		"an operator that not all":   {"a |& b", "a ;; b", "a ;& b", "a &| b", "a ;| b"},
		"an expansion ($)":           {"echo $x", "echo a$", "echo ${x}", "echo $'a'", `echo $"a"`},
		"an expansion inside double": {`echo "$x"`, "echo \"`ls`\"", `echo "a$"`},
		"a program name that the":    {"$x", "$(ls)", "{a,b}", "*", "~", "a*"},
		"arithmetic":                 {"echo $((1))", "((1))", "echo \"$((1))\""},
		"a command substitution":     {"echo `ls`", "`ls`"},
		"a redirection":              {"a > b", "a >b", "a 2>&1", "a < b", "a <<E\nE", "a <<< b", ">b", "a >| b", "a <(b)"},
		"a subshell":                 {"(a)", "a() b", "a (b)"},
		"a parenthesis that":         {"a )", ")"},
		"a file name pattern":        {"ls *", "ls a?", "ls [ab]"},
		"a brace expansion":          {"ls {a,b}", "ls {1..3}", "ls a{b,c}d", "ls {a,'b'}"},
		"a home directory":           {"ls ~", "ls ~/x", "ls ~u", "ls a=~", "ls a:~/b", "ls ~+/x"},
		"a comment":                  {"ls # x", "ls;#x", "ls\n#x"},
		"a line that goes on":        {"ls \\\nx", "ls a\\\nb", "\"a\\\nb\""},
		"a backslash at the end":     {"ls \\", "\\"},
		"a quote is not closed":      {"ls 'a", `ls "a`, `ls "a\"`, "'"},
		"the shell's control flow":   {"if a; then b; fi", "! a", "while a; do b; done", "a; done", "case a in b; esac", "function f", "coproc a", "a | ! b", "for i in a; do b; done"},
		"a group":                    {"{ a; }"},
		"an assignment":              {"A=1 ls", "A=1", "A+=1 ls", "ls; B=2 ls", "_a9=x y"},
		"an empty program name":      {"'' a", `""`, "ls | ''"},
		"a program name that begins": {"-x", "+x a", "%1", "ls; %1", "- ls", "'-x'"},
		"the text is not valid":      {"ls \xff", "\xc0\xaf"},
		"a carriage return":          {"ls\rrm", "a\r\nb"},
		"a control character":        {"ls\x00", "ls\x0brm", "ls\x1b[0m", "ls\x7f"},
		"an invisible character":     {"ls\u00a0x", "ls \u202ex", "ls\u2028rm", "l\u200bs", "ls\u3000x", "ls \ufeff", "ls\u0085x"},
		"the text is longer than":    {"ls " + strings.Repeat("a", MaxText)},
	} {
		for _, text := range texts {
			for _, dialect := range []Dialect{Bash, POSIX, Zsh} {
				c := parsed(t, text, dialect)
				if c.Opaque(Strict) == "" || !strings.Contains(c.Opaque(Strict), why) && dialect != Zsh {
					t.Errorf("%.40q: %q, want %q", text, c.Opaque(Strict), why)
				}
				if vouchedFor(c) {
					t.Errorf("%.40q is vouched for although it is opaque", text)
				}
			}
		}
	}
}

var everything = func() Lists {
	p, _ := CompilePrefixes([]string{"ls", "a", "b", "echo", "if", "-x", "%1", "A=1", "#", "rm", "[", "case", "!", "git", "cat", "time"})
	return Lists{Table: programs.Builtin(), Prefixes: []Prefixes{p}}
}()

// vouchedFor reports whether anything in strict matching would let c run.
func vouchedFor(c *Command) bool {
	return c.Cover(Strict, everything).Covered || c.ReadOnly(everything.Table)
}

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
		if c := parsed(t, row.text, row.dialect); (c.Opaque(Strict) != "") != row.opaque {
			t.Errorf("%d %q: %q", row.dialect, row.text, c.Opaque(Strict))
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
	for _, m := range []Matching{Strict, Precise} {
		if c.Opaque(m) == "" || c.Cover(m, everything).Covered || c.Cover(m, Lists{}).Covered || c.ReadOnly(everything.Table) {
			t.Error("the zero command is vouched for")
		}
	}
	if (Coverage{}).Covered {
		t.Error("the zero coverage covers")
	}
}

func TestPipeline(t *testing.T) {
	for text, want := range map[string]bool{
		"a": true, "a | b": true, "a | b | c": true, "a b | c": true,
		"a; b": false, "a && b": false, "a || b": false, "a & b": false, "a &": false, "a\nb": false, "a;": false,
		"a | b &": false, "a |\nb": true, "a\n": true, "\na": true, "(a)": false, "{ a; }": false, "if a; then b; fi": false, "for i in x; do a; done": false,
	} {
		if c := parsed(t, text, Bash); c.Pipeline != want || c.Opaque(Precise) != "" {
			t.Errorf("%q: pipeline %v %s", text, c.Pipeline, c.Opaque(Precise))
		}
	}
}

// The original engine's rule does not see quotes, and strict matching holds
// nothing that it would not.
func TestQuotedOperators(t *testing.T) {
	for text, want := range map[string]bool{
		"echo a": true, "echo 'a b'": true, "echo '{a}'": true, "echo a; echo b": true,
		"echo 'a;b'": false, `echo "a|b"`: false, "echo 'a&b'": false, "echo '$'": false, "echo '>'": false, `echo \<`: false, "echo '('": false, "echo '`'": false, `echo "\$"`: false, "echo 'a\nb'": false,
	} {
		if got := parsed(t, text, Bash).Cover(Strict, everything); got.Covered != want {
			t.Errorf("%q in strict matching: %v %s", text, got.Covered, got.Why)
		}
		if got := parsed(t, text, Bash).Cover(Precise, everything); !got.Covered {
			t.Errorf("%q in precise matching: %s", text, got.Why)
		}
	}
}

func TestParseIsBounded(t *testing.T) {
	for _, piece := range []string{
		"a;", "'a'", "a ", "|", "\\a", `"a"`, "{", "a|b&&", "=", "\n", "(", ")", "$(", "{ ", "a=", "$a", `"$a"`, "*", "[", "{a,b}", "2>&1 ", "<<a\n", "if a;then ", "for i in a;do ", "! ", "time ", "~", "#", "\\\n", "(a;", "$(a ",
	} {
		text := strings.Repeat(piece, MaxText/len(piece))
		c := parsed(t, text, Bash)
		if len(c.Simples) > len(text) {
			t.Errorf("%q: %d commands", piece, len(c.Simples))
		}
		parsed(t, strings.Repeat(piece, 1<<20/len(piece)), Bash)
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
			if dialect > Zsh {
				continue // an entry may be the whole text: TestWholeTexts
			}
			if c.Opaque(Strict) != "" && vouchedFor(&c) {
				t.Fatalf("%q is opaque and vouched for", text)
			}
			cov := c.Cover(Precise, everything)
			if c.Opaque(Precise) != "" {
				if cov.Covered || len(c.Suggest(Precise, everything)) > 0 {
					t.Fatalf("%q is opaque and vouched for", text)
				}
				continue
			}
			if cov.Covered != (cov.Why == "") {
				t.Fatalf("%q: covered %v, because %q", text, cov.Covered, cov.Why)
			}
			checkUnderstood(t, text, &c)
		}
	})
}

var adversarialSeeds = []string{
	"", "git status", "a && b || c; d | e & f\ng", "'a b' \"c d\" e\\ f", "a{b,c}", "~", "#", "a#b", "echo 'x\\' ; y", "a\\\nb", "$x", "`a`", "(a)", "A=1 b", "if a", "é \u202e", "a\rb", "\xff",
	"a |& b", "a ;; b", "&&", "''", `"\$"`, "-x",
	"x=a; ls $x \"$x\" ${x}", "for i in a b*; do ls \"$i\"; done", "ls \"$(cat <<'E'\nx\nE\n)\" 2>&1 >f", "if a; then b; elif c; then d; else e; fi", "{ cd a; ls; } < f", "! a | time b", "bash -c 'ls; a'", "a \\\nb # c\nd",
}

// checkUnderstood compares with the plain reading: no word holds what the text
// does not, and where there are only separators the words are those of Split.
func checkUnderstood(t *testing.T, text string, c *Command) {
	t.Helper()
	if len(text) > MaxText || len(c.Simples) > len(text) {
		t.Fatalf("%d commands of a text of %d bytes were read", len(c.Simples), len(text))
	}
	var words []string
	for i := range c.Simples {
		s := &c.Simples[i]
		if len(s.Words) > 0 && s.Words[0] == "" {
			t.Fatalf("%q: a command without a name: %q", text, c.show())
		}
		if int(s.dir) >= len(c.Changes) {
			t.Fatalf("%q: a command runs in directory %d of %d", text, s.dir, len(c.Changes))
		}
		for j, w := range s.Words {
			if at := strings.IndexFunc(w, func(r rune) bool { return !strings.ContainsRune(text, r) }); at >= 0 {
				t.Fatalf("%q: %q is nothing that the text holds", text, w)
			}
			if values, _ := s.Values(j); len(values) > maxValues {
				t.Fatalf("%q: %d values", text, len(values))
			}
		}
		words = append(words, s.Words...)
	}
	if c.ReadOnly(everything.Table) {
		c.Reads(everything.Table)
	}
	c.Indirect()
	c.Seen(nil)
	if c.beyond != "" || c.operator {
		return
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
}
