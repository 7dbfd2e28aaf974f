package decide

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// A text that is not read whole is a hit of any list that restricts, whatever
// the list names.
func TestUnreadTextIsAHit(t *testing.T) {
	text := strings.Repeat("ls; ", 2000)
	for name, list := range map[string]ListsSpec{
		"commands": {Commands: []string{"denied"}},
		"paths":    {Paths: []string{"secret"}},
		"domains":  {Domains: []string{"denied.example"}},
	} {
		spec := PolicySpec{InlineContext: "trust", AllowedCommands: []string{"ls"}}
		p := policyOf(t, spec)
		s, err := p.Session(ContextSpec{Mode: new("bypass-approvals"), WorkspaceRoot: "/w"})
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Decide(s, shellCall(text)); d.Code == CodeDeniedByPolicy || d.Code == CodeAskByPolicy {
			t.Errorf("%s: without a list: %s", name, d.Code)
		}
		for _, row := range []struct {
			lists [2]ListsSpec
			want  Code
		}{
			{[2]ListsSpec{list, {}}, CodeDeniedByPolicy},
			{[2]ListsSpec{{}, list}, CodeApprovalRequired}, // a floor asks before the list does
		} {
			spec.Deny, spec.Ask = row.lists[0], row.lists[1]
			p := policyOf(t, spec)
			s, err := p.Session(ContextSpec{Mode: new("bypass-approvals"), WorkspaceRoot: "/w"})
			if err != nil {
				t.Fatal(err)
			}
			if d := p.Decide(s, shellCall(text)); d.Code != row.want || d.Outcome.Allowed() {
				t.Errorf("%s: %s, want %s: %s", name, d.Code, row.want, d.Reason)
			}
		}
	}
}

// chain sets variables that name one another.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "x%d=$x%d; ", i+1, i)
	}
	return b.String()
}

// What is appended to itself is no chain, and no long text without blanks but a
// pattern may name a file.
func TestOrdinaryTextsAreNoHits(t *testing.T) {
	p := policyOf(t, PolicySpec{InlineContext: "trust", Home: "/home/me", Deny: ListsSpec{Commands: []string{"dd"}, Paths: []string{"secret"}}})
	s, err := p.Session(ContextSpec{Mode: new("bypass-approvals"), WorkspaceRoot: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"touch x{1..100}", "rm -f a{1..20}{a..c}.o", "PATH=$PATH:/opt/bin; x=a; ls $x", "x=${x:-a}; y=$x; ls $y", "for i in a b; do x=$i; ls $x; done", "cd -; ls", "cd; ls",
		"curl -s 'https://h.example/x?q=" + strings.Repeat("a*", 300) + "'", "git commit -m '" + strings.Repeat("fix *? ", 100) + "'",
		"timeout 60 prettier --check" + strings.Repeat(" src/a.ts", 900),
		"echo '" + strings.Repeat("abc", 200) + "'", `curl -d '{"a":"` + strings.Repeat("b", 300) + `","c":{"d":"e"}}' https://h.example/`,
	} {
		if d := p.Decide(s, shellCall(text)); !d.Outcome.Allowed() {
			t.Errorf("%.60s: %s: %s", text, d.Code, d.Reason)
		}
	}
}

// What lies behind a bound may be what a list names.
func TestBoundsAreHits(t *testing.T) {
	many := func(text string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(text, "#", strconv.Itoa(i)))
		}
		return b.String()
	}
	for name, row := range map[string]struct {
		list ListsSpec
		text string
	}{
		"many hosts":              {ListsSpec{Domains: []string{"denied.example"}}, "curl" + many(" h#.example", 300) + " denied.example"},
		"words behind a wrapper":  {ListsSpec{Commands: []string{"git push"}}, "timeout 5 env" + many(" a", 1100) + " git push"},
		"programs behind another": {ListsSpec{Domains: []string{"denied.example"}}, "timeout 5" + many(" curl -o", 500) + " denied.example"},
		"words of an alternative": {ListsSpec{Commands: []string{"git push"}}, "git {" + many("-c,a=b,", 300) + "-c,a=b} push"},
		"a long word":             {ListsSpec{Commands: []string{"git push"}}, "git -c a=$x" + strings.Repeat("y", 5000) + " push"},
		"patterns of programs":    {ListsSpec{Commands: []string{"git push"}}, "/usr/bin/" + strings.Repeat("[a-z]", 1900) + "; g?t push"},
		"behind a wrapper":        {ListsSpec{Commands: []string{"git push"}}, "sudo -u x /usr/bin/g?t push"},
		"behind find":             {ListsSpec{Commands: []string{"rm"}}, "find . -exec /bin/r[m] {} +"},
		"behind xargs":            {ListsSpec{Commands: []string{"rm"}}, "ls | xargs -n 1 /bin/r?"},
		"behind two":              {ListsSpec{Commands: []string{"rm"}}, "timeout 5 env A=b /bin/r[m] x"},
		"a chain of variables":    {ListsSpec{Commands: []string{"rm"}}, `x=rm; y="$x"; z="$y"; w=$z; $w q`},
		"a longer chain":          {ListsSpec{Commands: []string{"rm"}}, "x0=rm; " + chain(40) + "$x40 q"},
		"a value in parts":        {ListsSpec{Commands: []string{"rm"}}, "x=r; x+=m; $x q"},
		"home":                    {ListsSpec{Paths: []string{"~/private"}}, "cd; cat private/x"},
		"home with options":       {ListsSpec{Paths: []string{"~/private"}}, "(cd -P --; cat private/x)"},
		"more than a name":        {ListsSpec{Paths: []string{"secret"}}, "cat {" + many("f#,", 70) + "secret}"},
		"braces for a new file":   {ListsSpec{Paths: []string{"secret"}}, "touch {se,b,c}{c,e,f}{r,h,i}{e,k,l}{t,n,o}"},
		"ranges for a new file":   {ListsSpec{Paths: []string{"zx"}}, "touch {a..z}{a..z}"},
		"a host for any program":  {ListsSpec{Domains: []string{"denied.example"}}, "acme denied.example"},
		"stars of more":           {ListsSpec{Paths: []string{"secret"}}, "cat s" + strings.Repeat("*", 300) + "ecret"},
		"git behind git":          {ListsSpec{Commands: []string{"rm"}}, many("git ", 300) + "-c alias.x='!rm y' x"},
		"values behind a name":    {ListsSpec{Paths: []string{"denied"}}, many("a#=x; r=a#; ", 70) + "cat ${!r}"},
		"texts in code":           {ListsSpec{Commands: []string{"rm"}}, "python3 -c 'import os; " + many(`os.system("a#"); `, 70) + `os.system("rm y")'`},
		"texts behind marks":      {ListsSpec{Commands: []string{"rm"}}, "vim -c '" + many(`!a#|`, 70) + `!rm y'`},
		"options of git":          {ListsSpec{Commands: []string{"rm"}}, "git clone" + many(" -u a#", 70) + " -u 'rm y' z"},
		"options of other uses":   {ListsSpec{Commands: []string{"rm"}}, "sudo" + many(" git grep -O", 20) + "'rm y' z"},
		"a program as an option":  {ListsSpec{Commands: []string{"rm"}}, "sudo" + many(" git grep -O", 20) + "rm z"},
		"settings of git":         {ListsSpec{Commands: []string{"rm"}}, "git" + many(" -c core.pager=a#", 70) + " -c core.pager='rm y' log"},
		"groups of zsh":           {ListsSpec{Commands: []string{"rm"}}, "zsh -c '" + many("(a#) ", 300) + "; (r|x)m y'"},
		"links behind programs":   {ListsSpec{Paths: []string{"~/private"}}, "sudo" + many(" cp", 100) + " -s /home/me/private z; cat z/x"},
		"long words":              {ListsSpec{Commands: []string{"rm"}}, many("echo "+strings.Repeat("x", 4000)+"; ", 2) + "sudo" + many(" $y", 100) + "; eval eval rm x"},
		"ranges behind others":    {ListsSpec{Commands: []string{"rm"}}, "/{bin}/../bin/r{m..n} y"},
		"braces of many":          {ListsSpec{Paths: []string{"/w/x98z"}}, "cat" + many(" y#{1..99}{a..c}", 20) + " x{1..99}{a..z}"},
	} {
		spec := PolicySpec{InlineContext: "trust", Home: "/home/me", Deny: row.list}
		p := policyOf(t, spec)
		s, err := p.Session(ContextSpec{Mode: new("bypass-approvals"), WorkspaceRoot: "/w"})
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Decide(s, shellCall(row.text)); d.Code != CodeDeniedByPolicy {
			t.Errorf("%s: %s: %s", name, d.Code, d.Reason)
		}
	}
}

// More patterns than are compared with the names of credentials may be one.
func TestManyPatternsMayBeCredentials(t *testing.T) {
	p := policyOf(t, PolicySpec{InlineContext: "trust", CommandMatching: "precise", AllowedCommands: []string{"cat"}})
	s, err := p.Session(ContextSpec{WorkspaceRoot: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		word string
		n    int
		runs bool
	}{{" a#*.go", 10, true}, {" a#*.go", 300, false}, {" a#{b,c,d,e,f,g}{b,c,d,e,f,g}.go", 10, true}, {" a#{b,c,d,e,f,g}{b,c,d,e,f,g}*.go", 40, false}} {
		var text strings.Builder
		text.WriteString("cat")
		for i := range row.n {
			text.WriteString(strings.ReplaceAll(row.word, "#", strconv.Itoa(i)))
		}
		if d := p.Decide(s, shellCall(text.String())); d.Outcome.Allowed() != row.runs {
			t.Errorf("%d of%s: %s: %s", row.n, row.word, d.Code, d.Reason)
		}
	}
}

// Whoever repeats a name, or writes to many files, hides no file behind them.
func TestNoFileIsHiddenBehindOthers(t *testing.T) {
	p := policyOf(t, PolicySpec{InlineContext: "trust"})
	s, err := p.Session(ContextSpec{Mode: new("bypass-approvals"), WorkspaceRoot: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ begin, piece, end string }{
		{"cp", " a", " x/.envrc ."},
		{"cp", " a#", " x/.envrc ."},
		{"sed", " -e 's/a/b/w a'", " -e 's/a/b/w .envrc' x"},
		{"sed", " -e 's/a/b/w a#'", " -e 's/a/b/w .envrc' x"},
		{"awk '", `{print > "a"} `, `{print > ".envrc"}'`},
		{"awk '", `{print > "a#"} `, `{print > ".envrc"}'`},
		{"gunzip", " a", " .envrc.gz"},
		{"gunzip", " a#", " .envrc.gz"},
		{"sqlite3 x '", ".output a\n", ".output .envrc'"},
		{"sqlite3 x '", ".output a#\n", ".output .envrc'"},
		{"curl -O https://h.example/.envrc", " https://h.example/a", ""},
		{"curl -O", " https://h.example/a#", " https://h.example/.envrc"},
	} {
		text := hostile(row.begin, row.piece, row.end, len(row.begin)+len(row.end)+320*(len(row.piece)+2))
		if d := p.Decide(s, shellCall(text)); d.Outcome.Allowed() {
			t.Errorf("%s…%s: %s: %s", text[:40], row.end, d.Code, d.Reason)
		}
	}
}

// A text that comes near to several bounds counts as not seen whole.
func TestEffortHasABound(t *testing.T) {
	p := policyOf(t, PolicySpec{InlineContext: "trust", Deny: ListsSpec{Commands: []string{"denied"}}})
	s, err := p.Session(ContextSpec{Mode: new("bypass-approvals"), WorkspaceRoot: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	half := hostile("", "a=b; test -f x# && ls ", ";", 5000)
	prose := "cat > notes.md <<'E'\n" + hostile("", "- item # of src/a#.go: \"fix\" it, then run the tests\n", "", 9800) + "E"
	code := "python3 - <<'E'\n" + hostile("", "x# = open('data/f#.txt').read().split(', ')\n", "", 3000) + "E"
	for text, runs := range map[string]bool{
		prose: true, code: true,
		half: true,
		half + " cat" + hostile("", " d#/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u", "", 4900): true,
		half + "; " + hostile("", "a=b; test -f y# && rm ", ";", 4900):                 false,
	} {
		if d := p.Decide(s, shellCall(text)); d.Outcome.Allowed() != runs {
			t.Errorf("%.40s… of %d bytes: %s: %s", text, len(text), d.Code, d.Reason)
		}
	}
}
