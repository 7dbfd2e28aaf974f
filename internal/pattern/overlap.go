package pattern

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/agent-pdp/pdp/internal/paths"
)

// Overlaps returns a rule that some path of the form of glob hits. glob is an
// absolute path whose components may hold * ? and [set], as a shell fills them
// in from file names; where shells read it differently, as any of them does. A
// component without any literal character says nothing
// about what it names and does not count: a caller that can see the files has
// to look. Patterns that take back are ignored.
func (p Paths) Overlaps(glob string) (Rule, bool) {
	var buf [maxComponents]string
	// Loosened first: folded, the range from A to e would be that from a to e.
	parts := split(paths.Fold(paths.Loosen(paths.Lossy(glob))), buf[:0])
	given := split(glob, nil)
	for i := range p.rules {
		c := &p.rules[i]
		if c.negated {
			continue
		}
		for at := range parts {
			if (at == 0 || !c.anchored) && overlapping(c.parts, parts[at:], given[at:]) {
				return c.Rule, true
			}
		}
	}
	return Rule{}, false
}

// overlapping compares the components; given are the parts as the shell was
// given them.
func overlapping(pattern, parts, given []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			if len(pattern) == 1 {
				return len(parts) > 0
			}
			for i := range parts {
				if overlapping(pattern[1:], parts[i:], given[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if given[0] == "**" { // what it can be besides nothing, it does not say
			parts, given = parts[1:], given[1:]
			continue
		}
		if vague(pattern[0], given[0]) || !overlap(pattern[0], parts[0], given[0][0] != '\\') {
			return false
		}
		pattern, parts, given = pattern[1:], parts[1:], given[1:]
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
		atStart := start && i == 0
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
		if y == "?" && x[0] >= utf8.RuneSelf && meet(i, j+1) {
			return true // for some locales it is several characters
		}
		return common(x, y) && meet(i+len(x), j+len(y))
	}
	return meet(0, 0)
}

// element returns the length of the pattern element at s[i], as path.Match
// reads it: a set, an escaped character, or a character.
func element(s string, i int) int {
	switch s[i] {
	case '[':
		for end := i + 1; end < len(s); end++ {
			if s[end] == ']' {
				return end + 1 - i
			}
			if s[end] == '\\' {
				end++
			}
		}
	case '\\':
		if i+1 < len(s) {
			_, size := utf8.DecodeRuneInString(s[i+1:])
			return 1 + size
		}
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return size
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
	char = strings.TrimPrefix(char, `\`)
	// A range between letters holds accented ones in some locales.
	if char == "" || char[0] >= utf8.RuneSelf {
		return true
	}
	ok, err := path.Match(set, char)
	return ok || err != nil
}
