package pattern

import (
	"path"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
)

// Overlaps returns a rule that some path of the form of glob hits. glob is an
// absolute path whose components may hold * ? and [set], as a shell fills them
// in from file names. A component without any literal character says nothing
// about what it names and does not count: a caller that can see the files has
// to look. Patterns that take back are ignored.
func (p Paths) Overlaps(glob string) (Rule, bool) {
	var buf [maxComponents]string
	parts := split(paths.Fold(glob), buf[:0])
	for i := range p.rules {
		c := &p.rules[i]
		if c.negated {
			continue
		}
		for at := range parts {
			if (at == 0 || !c.anchored) && overlapping(c.parts, parts[at:]) {
				return c.Rule, true
			}
		}
	}
	return Rule{}, false
}

func overlapping(pattern, parts []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			if len(pattern) == 1 {
				return len(parts) > 0
			}
			for i := range parts {
				if overlapping(pattern[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 || vague(pattern[0], parts[0]) || !overlap(pattern[0], parts[0], true) {
			return false
		}
		pattern, parts = pattern[1:], parts[1:]
	}
	return true
}

// vague reports whether a component says nothing about what it names: it has no
// literal character, or it shares none with the rule's, as *.o and lefthook.*.
func vague(rule, part string) bool {
	return strings.Trim(part, "*?") == "" || strings.HasPrefix(part, "*") && strings.HasSuffix(rule, "*")
}

// overlap reports whether some name matches both patterns. b is the shell's: at
// the start of a name its wildcards do not match a dot.
func overlap(a, b string, start bool) bool {
	type pair struct{ a, b int }
	seen := map[pair]bool{}
	var meet func(i, j int) bool
	meet = func(i, j int) bool {
		if seen[pair{i, j}] {
			return false
		}
		seen[pair{i, j}] = true
		atStart := start && i == 0 && j == 0
		switch {
		case i < len(a) && a[i] == '*':
			if meet(i+1, j) {
				return true
			}
			return j < len(b) && meet(i, j+element(b, j))
		case j < len(b) && b[j] == '*':
			if meet(i, j+1) {
				return true
			}
			return i < len(a) && !(atStart && a[i] == '.') && meet(i+element(a, i), j)
		case i == len(a) || j == len(b):
			return i == len(a) && j == len(b)
		}
		x, y := a[i:i+element(a, i)], b[j:j+element(b, j)]
		if atStart && x == "." && y != "." {
			return false
		}
		return common(x, y) && meet(i+len(x), j+len(y))
	}
	return meet(0, 0)
}

// element returns the length of the pattern element at s[i]: a set, an escaped
// character, or one byte.
func element(s string, i int) int {
	switch s[i] {
	case '[':
		if end := strings.IndexByte(s[min(i+2, len(s)):], ']'); end >= 0 {
			return end + 3
		}
	case '\\':
		return min(2, len(s)-i)
	}
	return 1
}

// common reports whether two elements that are not * can match one character.
func common(x, y string) bool {
	set := func(s string) bool { return s == "?" || len(s) > 1 && s[0] == '[' }
	switch {
	case set(x) && set(y):
		return true
	case set(x):
		return matchesOne(x, y)
	case set(y):
		return matchesOne(y, x)
	default:
		return strings.TrimPrefix(x, `\`) == strings.TrimPrefix(y, `\`)
	}
}

func matchesOne(set, char string) bool {
	if strings.HasPrefix(set, "[!") {
		set = "[^" + set[2:]
	}
	ok, err := path.Match(set, strings.TrimPrefix(char, `\`))
	return ok || err != nil
}
