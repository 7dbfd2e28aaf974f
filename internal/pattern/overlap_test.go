package pattern

import (
	"math/rand/v2"
	"testing"
)

// Rows are: a rule, a path as a shell would fill it in, whether some file of
// that form hits the rule.
func TestOverlaps(t *testing.T) {
	for _, row := range []struct {
		rule, glob string
		want       bool
	}{
		{".env", "/w/.en?", true},
		{".env", "/w/.e*", true},
		{".env", "/w/.[a-f]nv", true},
		{".env", "/w/.[!a]nv", true},
		{".env", "/w/.[x-z]nv", false},
		{".env", "/w/?env", false}, // the shell's wildcards skip a leading dot
		{".env", "/w/*env", false},
		{".env", "/w/*", false}, // says nothing: the caller has to look
		{".env.*", "/w/.env*", true},
		{"*.pem", "/w/*.pem", true},
		{"*.pem", "/w/key*", true},
		{"*.pem", "/w/*.ts", false},
		{"lefthook.*", "/w/*.o", false},
		{"lefthook.*", "/w/left*", true},
		{"id_rsa", "/h/.ssh/id_*", true},
		{".ssh", "/h/.ss*/id", true},
		{".ssh/id_rsa", "/h/.ss?/id*", true},
		{"/etc/shadow", "/et?/sha*", true},
		{"/etc/shadow", "/w/etc/sha*", false},
		{"secrets/**", "/w/secr*/x", true},
		{"**/deep/x", "/w/a/de*/x", true},
		{"!x", "/w/x?", false},
		{"[ab]x", "/w/[bc]x", true},
		{".env", "/w/.e[[:alpha:]]v", true},
		{".env", "/w/.e[[.n.]]v", true},
		{".env", "/w/.e[[=n=]]v", true},
		{".env", "/w/.e[^[:digit:]]v", true},
		{".env", "/w/.e[!n]v", true}, // the ! may have been quoted
		{".env", "/w/.e[]n]v", true},
		{".env", "/w/.e[n-]v", true},
		{".env", "/w/.e[A-z]v", true},
		{".env", `/w/.e[x\n]v`, true},
		{".env", `/w/\.e?v`, true},
		{".env", "/w/[[:punct:]]env", false}, // no shell's set matches a leading dot
		{"id_rsa", "/h/id[A-z]rsa", true},
		{"lefthook.*", "/w/[[:alpha:]]efthook.yml", true},
		{"/etc/shadow", "/etc/shad[[:alpha:]]w", true},
		{".env.*", "/w/[[:lower:]]*.go", false},
		{"/etc/shadow", "/etc/**/shad?w", true},
		{".ssh", "/h/.ss[[:alpha:]]/*", true},
		{"café", "/w/caf?", true},
		{"café", "/w/caf??", true}, // where each byte is a character
		{"?x", "/w/éx*", true},
	} {
		p, bad := CompilePaths([]Rule{{Pattern: row.rule}}, "/h")
		if len(bad) > 0 {
			t.Fatal(bad)
		}
		if _, got := p.Overlaps(row.glob); got != row.want {
			t.Errorf("%s and %s: got %v", row.rule, row.glob, got)
		}
	}
}

func TestOverlapsIsNotExponential(t *testing.T) {
	rule := ""
	for range 100 {
		rule += "*a"
	}
	p, _ := CompilePaths([]Rule{{Pattern: rule}}, "/h")
	p.Overlaps("/w/" + rule + "b")
}

func TestAimed(t *testing.T) {
	for _, row := range []struct {
		rule, glob string
		want       bool
	}{
		{"secret.txt", "/w/secre[t].txt", true},
		{"secret.txt", "/w/secre[tx].txt", true},
		{"secret.txt", "/w/SECRE[T].txt", true},
		{"secret.txt", "/w/secre?.txt", true},
		{"secret.txt", "/w/**/secret*", true},
		{"secret.txt", "/w/*ecret*", true},
		{"secret.txt", "/w/s*.txt", true},
		{"secret.txt", "/w/[a-z]*.txt", false},
		{"secret.txt", "/w/*.txt", false},
		{"secret.txt", "/w/**", false},
		{"secret.txt", "/w/??????.???", true},
		{"secret.txt", "/w/public*", false},
		{"*.pem", "/w/*.pem", true},
		{"*.pem", "/w/*.pe[m]", true},
		{"*.pem", "/w/server.pe[m]", true},
		{"*.pem", "/w/config*", false},
		{".env*", "/w/.en[v].local", true},
		{".env*", "/w/*", false},
		{"keys", "/w/key[s]/*.go", true},
		{"/etc/shadow", "/etc/shado[w]", true},
		{"/etc/shadow", "/w/shado[w]", false},
		{"dir/**/k", "/w/dir/a/[k]", true},
		{"!secret.txt", "/w/secre[t].txt", false},
	} {
		p, bad := CompilePaths([]Rule{{Pattern: row.rule}}, "/home/me")
		if len(bad) > 0 {
			t.Fatal(bad)
		}
		if _, got := p.Aimed(row.glob); got != row.want {
			t.Errorf("%s is aimed at %s: %v, want %v", row.glob, row.rule, got, row.want)
		}
	}
}

// What shapes tell apart has no name in common, as the comparison finds.
func TestShapesAgainstComparison(t *testing.T) {
	letters := []string{"a", "b", ".", "*", "?", "[ab]", "[!a]", "[", "]", `\`, `\a`, "é", "-"}
	r := rand.New(rand.NewPCG(1, 2))
	component := func() (s string) {
		for range r.IntN(6) {
			s += letters[r.IntN(len(letters))]
		}
		return s
	}
	apart := 0
	for range 200_000 {
		rule, part := component(), component()
		if !shapeOf(rule).differs(shapeOf(part)) {
			continue
		}
		apart++
		if rule == part || overlap(rule, part, false) {
			t.Fatalf("%q and %q have a name in common", rule, part)
		}
	}
	if apart < 50_000 {
		t.Errorf("only %d of 200,000 pairs were told apart", apart)
	}
}
