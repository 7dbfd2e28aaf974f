package shell

import (
	"fmt"
	"strings"
	"testing"
)

// shown writes everything that precise reading understands of a text: what the
// shell fills in stands in ‹›, then come the redirections.
func (c *Command) shown() string {
	var list []string
	for i := range c.Simples {
		s := &c.Simples[i]
		var words []string
		if s.Piped {
			words = append(words, "|")
		}
		for _, set := range s.Sets() {
			words = append(words, "="+set)
		}
		for j, w := range s.Words {
			if !s.Literal(j) {
				w = "‹" + w + "›"
			}
			words = append(words, w)
		}
		for _, red := range s.Redirections() {
			words = append(words, red.shown())
		}
		list = append(list, strings.Join(words, "·"))
	}
	return strings.Join(list, " ; ")
}

func (red *Redirection) shown() string {
	fd, target := "", red.Target
	if red.FD >= 0 {
		fd = fmt.Sprint(red.FD)
	}
	if !red.Literal {
		target = "‹" + target + "›"
	}
	if red.Op == "<<" {
		target += fmt.Sprintf("%q", red.Text)
	}
	return fd + red.Op + target
}

func TestPreciseReads(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		// redirections
		{"a > f", "a·>f"},
		{"a >f b", "a·b·>f"},
		{"> f a", "a·>f"},
		{"> f", ">f"},
		{"a 2>&1", "a·2>&1"},
		{"a >&2", "a·>&2"},
		{"a <&0", "a·<&0"},
		{"a 2> /dev/null >> f < g", "a·2>/dev/null·>>f·<g"},
		{"a2>f", "a2·>f"},
		{"a 2 >f", "a·2·>f"},
		{"a > 'b c'", "a·>b c"},
		{`a > "$x"`, "a·>‹$x›"},
		{"a > b*", "a·>‹b*›"},
		{"a > ~/x", "a·>~/x"},
		{"a > ~", "a·>‹~›"},
		{"a > b | c", "a·>b ; |·c"},
		// pipes, groups, subshells
		{"a | b |\nc", "a ; |·b ; |·c"},
		{"{ a; b; }", "a ; b"},
		{"{ a; } | { b; c; }", "a ; |·b ; |·c"},
		{"(a; b)", "a ; b"},
		{"( (a) )", "a"},
		{"(a) > f", "a ; >f"},
		{"{ a; } 2>&1", "a ; 2>&1"},
		{"{\na\n}\nb", "a ; b"},
		{"! a", "a"},
		{"! a && ! b | c", "a ; b ; |·c"},
		{"time a", "time·a"},
		{"a | time b", "a ; |·time·b"},
		// loops and conditions
		{"for i in x y; do a; done", "a"},
		{"for i in x *.go\ndo\na \"$i\"\nb\ndone", "a·‹$i› ; b"},
		{"for i in; do a; done", "a"},
		{"for i in a; do b; done | c", "b ; |·c"},
		{"for i in a; do b; done > f", "b ; >f"},
		{"if a; then b; fi", "a ; b"},
		{"if a; then b; elif c; then d; else e; fi", "a ; b ; c ; d ; e"},
		{"if ! a | b\nthen c\nfi", "a ; |·b ; c"},
		{"a $((1+2)) \"$(( (10 - 4) * 3 ))\"", "a·3·18"},
		{"a $((7/2))$((7%4))x $((3-5))", "a·33x·-2"},
		{"while a; do b; done", "a ; b"},
		{"until ! a; do b\nc; done < f", "a ; b ; c ; <f"},
		{"a | while read -r b; do c; done", "a ; |·read·-r·b ; |·c"},
		{"case a in b) c;; esac", "c"},
		{"case $x in b|c*) d;; *) e; f;; esac", "d ; e ; f"},
		{"case \"$(a)\" in b)\nc\n;;\n'd e') f & ;;\ng) ;; h) i\nesac; j", "a ; c ; f ; i ; j"},
		{"case a in b) case c in d) e;; esac;; esac", "e"},
		{"case a in b) (c);; esac > f", "c ; >f"},
		{"if a; then for i in x; do { b; }; done; fi; c", "a ; b ; c"},
		{"echo if then fi } done", "echo·if·then·fi·}·done"},
		// comments and lines
		{"# x\na", "a"},
		{"a # x\nb # '", "a ; b"},
		{"a;# x", "a"},
		{"a#b #c", "a#b"},
		{"a \\\n  b", "a·b"},
		{"a && \\\nb", "a ; b"},
		{"a |\\\nb", "a ; |·b"},
		{"\\\na", "a"},
		// words that the shell fills in
		{"a *", "a·‹*›"},
		{"a b?c [d]e", "a·‹b?c›·‹[d]e›"},
		{"a [ b", "a·[·b"},
		{"[ -f b ]", "[·-f·b·]"},
		{`a '*' \? "[x]"`, "a·*·?·[x]"},
		{"a {b,c} {1..3}", "a·‹{b,c}›·‹{1..3}›"},
		{"a {} {b} b{ }", "a·{}·{b}·b{·}"},
		{"a HEAD@{1} {x}y", "a·HEAD@{1}·{x}y"},
		{"a ~ ~/b b~", "a·‹~›·‹~/b›·b~"},
		{`a $x ${x} "$x" "a${x}b"`, "a·‹$x›·‹${x}›·‹$x›·‹a${x}b›"},
		{`a $? "$#" $$`, "a·‹$?›·‹$#›·‹$$›"},
		{`a $ b$ "$" "$ " $/x`, "a·$·b$·$·$ ·$/x"},
		{`a '$x' \$x`, "a·$x·$x"},
		// substitutions: the inner commands stand first
		{"a $(b c) d", "b·c ; a·‹$(b c)›·d"},
		{`a "$(b | c)"`, "b ; |·c ; a·‹$(b | c)›"},
		{`a "x $(b "$(c)") y"`, `c ; b·‹$(c)› ; a·‹x $(b "$(c)") y›`},
		{"a $(b; c) $(d)", "b ; c ; d ; a·‹$(b; c)›·‹$(d)›"},
		{"x=$(b)", "b ; =x=$(b)"},
		// here-documents
		{"a <<E\nx y\nE", `a·<<E"x y\n"`},
		{"a <<'E' b\n$x `y` \\\nE\nc", "a·b·<<E\"$x `y` \\\\\\n\" ; c"},
		{"a <<\"E\"\n'\nE", `a·<<E"'\n"`},
		{"a <<E\nE\n", `a·<<E""`},
		{"a <<E | b && c\n E\nE", `a·<<E" E\n" ; |·b ; c`},
		{"{ a; } <<E\nx\nE", `a ; <<E"x\n"`},
		{"a \"$(cat <<'E'\nx > y\nE\n)\"", `cat·<<E"x > y\n" ; a·x > y`},
		// assignments, and the words that they make exact
		{"A=1 a b=c", "=A=1·a·b=c"},
		{"A= a", "=A=·a"},
		{"A='b c' B=$x a", "=A=b c·=B=$x·a"},
		{`x=b; a $x "$x" ${x}c`, "=x=b ; a·b·b·bc"},
		{`x='b c'; a "$x"`, "=x=b c ; a·b c"},
		{"x='b c'; a $x", "=x=b c ; a·‹$x›"},
		{"x=b\ny=$x.c\na $y", "=x=b ; =y=$x.c ; a·b.c"},
		{"x=b; x=c; a $x", "=x=b ; =x=c ; a·c"},
		{"x=*; a $x", "=x=* ; a·‹$x›"},
		{`x=; a $x "$x"`, "=x= ; a·‹$x›·"},
	} {
		for _, dialect := range []Dialect{Bash, POSIX} {
			c := parsed(t, row.text, dialect)
			if c.Opaque(Precise) != "" || c.shown() != row.want {
				t.Errorf("%q: %s (%s), want %s", row.text, c.shown(), c.Opaque(Precise), row.want)
			}
		}
	}
}

func TestOpaqueInPreciseToo(t *testing.T) {
	nested := func(open, inner, end string) string {
		return strings.Repeat(open, maxDepth+1) + inner + strings.Repeat(end, maxDepth+1)
	}
	for why, texts := range map[string][]string{
		"a comment that ends with a backslash": {"git status # c\\\nrm x", "# \\\nrm x", "a # \\"},
		"redirection": {
			"git log <&---output=f", "git log >&-x", "a <&-", "a >&-", "a >&2-", "a >&$x", "a >&f", "a <&f", "a <<<x", "a <<< x", "a <<-E\nx\nE", "a >| f", "a <> f", "a 2>&1>f", "a >", "a > ;", "a 2>&12",
			"a <(b)", "a >(b)", "a > >(b)", "a < <(b)",
		},
		"${…}": {
			`a "${u:-'$(rm x)'}"`, "a ${u:->(rm x)}", "a ${x:-y}", "a ${x:=y}", "a ${x#y}", "a ${#x}", "a ${!x}", "a ${x[0]}", "a ${x/y/z}", "a ${x^}", "a ${x@P}", `a "${x:-y}"`, "a ${1}", "a ${", "a ${}", "a ${x",
		},
		"an expansion":                      {"a $'b'", `a $"b"`, `a $'a\'; rm x; #'`, "x=$'a\\'; rm x; #'", "a $\\\n\"rm\" x", "a $@", "a $*", "a $1", "a $!", "a $-", "a $[1]", `a "$@"`, `a "$1"`, "a $'", "$\\\n\"rm\" x"},
		"a command substitution":            {"a `b`", "a b`c`d", "x=`a`"},
		"an expansion inside double quotes": {"a \"`b`\""},
		"arithmetic":                        {"a $((x))", "a $((x+1))", "a $(($x+1))", "a $((1/0))", "a $((010))", "a $((0x1))", "a $((-1))", "a $((1++1))", "a $((2**3))", "a $((1<2))", "a $((1)+(2))", "a $((1,2))", "a $((1=2))", "a $((99999999999))", "a $((999999999*999999999))", "a $(())", "a $((1)", "a $((1 2))", "a $((((((1))))", "a $((1\n+2))", "((a))", `a "$((b[$(c)]))"`, "((x=1))", "a $(( b ) )", "a $((b); c)"},
		"an array":                          {"x=(a b)", "x=() a"},
		"adds to a value":                   {"x+=a", "x+=(a)", "PATH+=:/x a"},
		"a subshell, a substitution or a":   {"f() { a; }", "f () a", "a (b)", "a b(c)", "a @(b|c)", "a !(b)", "time (a)"},
		"control flow (function)":           {"function f { a; }"},
		"control flow (case)":               {"case a in (b) c;; esac", "case a in b) c;;& d) e;; esac", "case a b) c;; esac", "case a in b c;; esac", "case a in b) c;;", "case a in b) c", "case a"},
		"control flow (select)":             {"select x in a; do b; done"},
		"control flow (coproc)":             {"coproc a"},
		"control flow ([[)":                 {"if [[ a ]]; then b; fi", "[[ -v a ]]", "[[ -v a[$(b)] ]]", "[[ a -eq 1 ]]", "[[ a[$(b)] -eq 1 ]]", "[[ a =~ b ]]", "[[ a < b ]]", "[[ ( a == b ) ]]", "[[ -n x", "[[ -n x ] ]", "[[ -o a ]]", "[[ -R a ]]", "[[ a == -n ]]", "[[ -f -f ]]", "[[ -n\nx ]]", "[[ a == b || c ]]"},
		"control flow (for)":                {"for i; do a; done", "for ((;;)); do a; done", "for i do a; done", "for in a; do b; done", "for $i in a; do b; done", "for i in a & do b; done", "for"},
		"control flow (})":                  {"}", "a; }", "time { a; }"},
		"control flow (done)":               {"done", "a; done"},
		"control flow: do is missing":       {"while", "until", "while a; b; done", "until a; { b; }", "while a; done", "for i in a; b; done", "for i in a; { b; }"},
		"control flow: done is missing":     {"while a; do b", "until a; do b; fi", "for i in a; do b", "for i in a; do b; }"},
		"control flow: } is missing":        {"case a in b) { c;; } esac", "{ a; ", "{ a; done"},
		"control flow: then is missing":     {"if a; b; fi"},
		"control flow: fi is missing":       {"if a; then b", "if a; then b; done"},
		"an empty block":                    {"while do a; done", "while a; do done", "{ }", "for i in a; do done", "if then a; fi", "if a; then fi"},
		"empty parentheses":                 {"()", "( )", "a $()", `a "$( )"`},
		"words behind a compound command":   {"(a) b", "{ a; } b", "if a; then b; fi c", "for i in a; do b; done c"},
		"is not closed":                     {"(a", "a $(b", `a "$(b"`, "(a }"},
		"a parenthesis that closes nothing": {"a )", "a; )", ")"},
		"not all shells know":               {"a |& b", "a ;; b", "a ;& b"},
		"brace expansion of a kind":         {"a {b,'c'}", "a {b,{c,d}}", "a {b,$x}", "a {a..$x}", "a {'a',b}", `a {b,\c}`},
		"home directory":                    {"a ~b", "a ~+", "a ~-", "a x=~", "a x=~/y", "a b:~/c", "x=~b a", "a ~'b'", "a ~$x"},
		"that goes on behind a backslash":   {"a b\\\nc", "a \"b\\\nc\"", "g\\\nit x", "a x\\\ny"},
		"here-document": {
			"a <<E\nx", "a <<E", "a <<E\n$x\nE", "a <<E\n`x`\nE", "a <<E\n\\\nE", "a <<E <<F\nx\nE\ny\nF", "a <<$x\ny\n$x", "a <<\\E\nx\nE", "a <<'E F'\nx\nE F", "a <<E$x\nE",
			"a <<E 'b\nc'\nE", "(a <<E)\nx\nE", "a <<E $(b\n)\nE", "a <<''\n\n", "a <<'E\nx\nE", "a <<E\nx\nE b", "a <<E\nx\n E",
		},
		"a carriage return":               {"a\rb", "a\r\nb", "a 'b\rc'", "a <<E\r\nE\r\n", "# \r"},
		"a control character":             {"a\x00b", "a '\x00'", "a\x0bb", "a\x07", "a\x7f", "a\x01"},
		"an invisible character":          {"a\u00a0b", "a\u200bb", "a\u202eb", "a\u2028b", "a\ufeff", "a\u0085b", "a \u00a0", "'\u2029'"},
		"the text is not valid UTF-8":     {"a\xff", "a '\xc3'"},
		"the text is longer":              {strings.Repeat("(", 1<<20), strings.Repeat("a", MaxText+1), "a '" + strings.Repeat(" ", MaxText) + "'"},
		"too deep":                        {nested("( ", "a", " )"), nested("{ ", "a", "; }"), "a " + nested("$(a ", "", ")"), nested("if ", "a", "; then a; fi"), nested("for i in a; do ", "a", "; done"), strings.Repeat("( ", 5000)},
		"a program name that the shell":   {"$x", `"$x" a`, "$(a)", "a; *", "~/x", "{a,b}", "a | $b", "x=ls; $x", "a?", "r${u}m x", "x[0]=a", "x[$(b)]=c"},
		"a program name that looks":       {"'A=1' a", `A\=1`, `a; "PATH=x" b`, "'a[0]=1'"},
		"a program name that begins with": {"-a", "+b", "%1", "a | -b", "'-'"},
		"an empty program name":           {"''", `"" a`, "A=1 ''"},
		"a second reader refuses":         {"time ! a"},
		"two readers take":                {"a 10>f", "a {x}>f"},
	} {
		for _, text := range texts {
			c := parsed(t, text, Bash)
			if got := c.Opaque(Precise); !strings.Contains(got, why) {
				t.Errorf("%.60q: %q, want %q (%s)", text, got, why, c.shown())
			}
			for _, dialect := range []Dialect{Bash, POSIX, Zsh, PowerShell, Cmd} {
				c := parsed(t, text, dialect)
				if c.Opaque(Precise) == "" && (dialect == Bash || dialect == Zsh) {
					t.Errorf("%.60q is understood as %s: %s", text, dialect, c.shown())
				}
				if c.Opaque(Precise) != "" && (c.Cover(Precise, everything).Covered || vouchedFor(c)) {
					t.Errorf("%.60q is vouched for as %s although it is opaque", text, dialect)
				}
			}
		}
	}
}

// What only bash knows is read only where bash runs the text.
func TestTestsOfBash(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"[[ -n x ]]", "[[·-n·x·]]"},
		{"[[ -f $x && ! -d \"a b\" || c == d* ]] && e", "[[·-f·‹$x›·&&·!·-d·a b·||·c·==·d*·]] ; e"},
		{"if [[ $(a) = b ]]; then c; fi", "a ; [[·‹$(a)›·=·b·]] ; c"},
		{"[[ ! -z a ]] | b", "[[·!·-z·a·]] ; |·b"},
	} {
		if c := parsed(t, row.text, Bash); c.Opaque(Precise) != "" || c.shown() != row.want {
			t.Errorf("%q: %s (%s), want %s", row.text, c.shown(), c.Opaque(Precise), row.want)
		}
		for _, dialect := range []Dialect{POSIX, Zsh} {
			if c := parsed(t, row.text, dialect); c.Opaque(Precise) == "" {
				t.Errorf("%q is understood as %s", row.text, dialect)
			}
		}
	}
	// A program of that name is no test.
	for _, text := range []string{"'[[' -n x ]]", "timeout 5 [[ -n x ]]", "env [[ x", "\\[[ x"} {
		if got := parsed(t, text, Bash).Cover(Precise, Lists{Table: known}); got.Covered {
			t.Errorf("%q is covered", text)
		}
	}
	if got := parsed(t, "[[ -n x ]]", Bash).Cover(Precise, Lists{Table: known}); !got.Covered {
		t.Errorf("a test is not covered: %s", got.Why)
	}
}

// At the bound a text is still read.
func TestDepth(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("( ", maxDepth) + "a" + strings.Repeat(" )", maxDepth),
		strings.Repeat("{ ", maxDepth) + "a" + strings.Repeat("; }", maxDepth),
		"a " + strings.Repeat("$(a ", maxDepth) + strings.Repeat(")", maxDepth),
		"a '" + strings.Repeat("(", 5000) + "'",
	} {
		if c := parsed(t, text, Bash); c.Opaque(Precise) != "" && !strings.Contains(text, "$(a )") {
			t.Errorf("%.40q: %s", text, c.Opaque(Precise))
		}
	}
}

// Rows are: a text, and for each word behind its last command's program what
// the word can be.
func TestValues(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"a b", "b"},
		{"a $x", "?"},
		{`a ~/x $HOME/y "$HOME"`, "~/x ~/y ~"},
		{`a "$PWD/x"`, "./x"},
		{`cd b; a "$PWD/x"`, "?"},
		{`for i in b c; do a "$i.go"; done`, "b.go,c.go"},
		{`for i in b c; do for j in d e; do a "$i$j"; done; done`, "bd,be,cd,ce"},
		{`for i in b *.x; do a "$i"; done`, "b,*.x"},
		{"for i in b *.x; do a $i; done", "?"},
		{`for i in $x; do a "$i"; done`, "?"},
		{`for i in b; do :; done; a "$i"`, "?"},
		{`x=b; for i in $x "c d"; do a "$i"; done`, "b,c d"},
		{"x=b | a; a $x", "?"},
		{"(x=b); a $x", "?"},
		{"x=b & a $x", "?"},
		{"a && x=b; a $x", "?"},
		{"a || x=b; a $x", "?"},
		{"if a; then x=b; fi; a $x", "?"},
		{"for i in c; do x=b; done; a $x", "?"},
		{"x=c; y=$(x=b); a $x", "?"},
		{"x=b a $x", "?"},
		{"x=b; read x; a $x", "?"},
		{"x=b; export x=c; a $x", "?"},
		{"x=b; read x; a $x", "?"},
		{`x=b; unset x; a "$x"`, "?"},
		{"x=b; eval x=c; a $x", "?"},
		{"x=b; . c; a $x", "?"},
		{`x=$y; a "$x"`, "?"},
		{`x=$(b); a "$x"`, "?"},
		{"a $?", "0"},
		{"for i in " + strings.Repeat("b ", maxValues+1) + "; do a \"$i\"; done", "?"},
	} {
		c := parsed(t, row.text, Bash)
		if c.Opaque(Precise) != "" {
			t.Errorf("%q: %s", row.text, c.Opaque(Precise))
			continue
		}
		s := &c.Simples[len(c.Simples)-1]
		var got []string
		for i := 1; i < len(s.Words); i++ {
			texts, ok := s.Values(i)
			if !ok {
				texts = []string{"?"}
			}
			got = append(got, strings.Join(texts, ","))
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%q: %q, want %q", row.text, got, row.want)
		}
	}
}
