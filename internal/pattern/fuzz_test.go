package pattern

import (
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/paths"
)

// FuzzPaths compares the indexed look-up of one rule with trying it at each
// component, and checks that a rule which takes back undoes it.
func FuzzPaths(f *testing.F) {
	for _, seed := range []struct{ pattern, path string }{
		{".git/hooks/", "/w/.git/hooks/x"},
		{"*.pem", "/w/a.PEM"},
		{"/etc/**", "/etc/passwd"},
		{"/etc/ssh/*_key", "//ETC//ssh/a_key/x"},
		{"~/.aws", "/home/me/.AWS/x"},
		{"a/**/b", "/a/x/y/b"},
		{"[a-c]*.txt", "/b.txt"},
		{`\*`, "/*"},
		{"~/.ssh", "/home/me/.ssh/x"},
		{"**/x", "/x"},
		{"é*", "/w/e\u0301x"},
		{"*", "/"},
		{"?", "/\xff"},
		{"[", "/["},
		{"İ*", "/i̇x"},
		{"{0,}0", "0"},
	} {
		f.Add(seed.pattern, seed.path)
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(path) > 300 || len(pattern) > 100 {
			return
		}
		p, bad := CompilePaths([]Rule{{Pattern: pattern}}, "/home/me")
		if len(bad) > 0 {
			if _, hit := p.Match(path); hit || !p.Empty() {
				t.Fatalf("%q was refused and yet matches", pattern)
			}
			return
		}
		slow := false // of each spelling that the pattern's braces stand for
		parts := split(paths.Fold(path), nil)
		for _, c := range p.rules {
			for i := range parts {
				slow = slow || !c.negated && (i == 0 || !c.anchored) && covers(c.parts, parts[i:])
			}
		}
		if _, hit := p.Match(path); hit != slow {
			t.Fatalf("%q on %q: %v, slowly %v", pattern, path, hit, slow)
		}
		if _, hit := p.Match(strings.ToUpper(path)); slow && !hit && isASCII(path) {
			t.Fatalf("%q matches %q, but not in capital letters", pattern, path)
		}
		if strings.HasPrefix(strings.TrimSpace(pattern), "!") {
			return
		}
		both, bad := CompilePaths([]Rule{{Pattern: pattern}, {Pattern: "!" + strings.TrimSpace(pattern)}}, "/home/me")
		if _, hit := both.Match(path); hit && len(bad) == 0 {
			t.Fatalf("%q matches %q although it was taken back", pattern, path)
		}
	})
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}
