package pattern

import (
	"path"
	"slices"
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
	var folded, given [maxComponents]string
	var buf [maxComponents]globPart
	// Loosened first: folded, the range from A to e would be that from a to e.
	parts := globParts(split(paths.Fold(paths.Loosen(paths.Lossy(glob))), folded[:0]), split(glob, given[:0]), buf[:0])
	if len(parts) > maxGlobParts {
		return p.any()
	}
	for at, part := range parts {
		hit := -1
		look := func(r int) bool {
			c := &p.rules[r]
			if !c.negated && (at == 0 || !c.anchored) && overlapping(c.parts, parts[at:]) {
				hit = r
			}
			return hit < 0
		}
		if part.plain {
			p.begin(part.folded, look)
			if at == 0 && hit < 0 {
				for _, r := range p.rooted.first[part.folded] {
					if !look(r) {
						break
					}
				}
			}
		} else {
			shape := shapeOf(part.folded)
			for r, rule := range p.shapes {
				if !rule.differs(shape) && (!part.vague || rule.deep) && !look(r) {
					break
				}
			}
		}
		if hit >= 0 {
			return p.rules[hit].Rule, true
		}
	}
	return Rule{}, false
}

// maxGlobParts bounds the components that are compared. Nobody writes more, so more
// hit any rule.
const maxGlobParts = 256

// any is a rule that does not take back.
func (p Paths) any() (Rule, bool) {
	i := slices.IndexFunc(p.rules, func(c compiled) bool { return !c.negated })
	if i < 0 {
		return Rule{}, false
	}
	return p.rules[i].Rule, true
}

// special are the characters that may mean something else than themselves.
const special = `*?[\`

// globPart is a component of the shell's pattern.
type globPart struct {
	folded string
	given  string // as the shell was given it
	run    string // the longest text that is in every name of it
	plain  bool   // it is its own only name
	vague  bool   // it has no literal character, and says nothing about what it names
}

func globParts(folded, given []string, parts []globPart) []globPart {
	for i, part := range folded {
		vague := given[i] != "**" && strings.Trim(given[i], "*?") == ""
		parts = append(parts, globPart{part, given[i], literalRun(part), !strings.ContainsAny(part, special), vague})
	}
	return parts
}

// literalRun is the longest text between the special characters of a pattern;
// none if it has sets, whose brackets may be quoted.
func literalRun(part string) (run string) {
	if strings.ContainsAny(part, `[]\`) {
		return ""
	}
	for text := range strings.FieldsFuncSeq(part, func(r rune) bool { return r == '*' || r == '?' }) {
		if len(text) > len(run) {
			run = text
		}
	}
	return run
}

// overlapping compares the components.
func overlapping(pattern []string, parts []globPart) bool {
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
		if len(parts) == 0 {
			return false
		}
		if parts[0].given == "**" { // what it can be besides nothing, it does not say
			parts = parts[1:]
			continue
		}
		if !parts[0].overlaps(pattern[0]) {
			return false
		}
		pattern, parts = pattern[1:], parts[1:]
	}
	return true
}

func (g *globPart) overlaps(rule string) bool {
	// *.o shares no literal character with lefthook.*, and says nothing about it.
	if g.vague || g.given[0] == '*' && strings.HasSuffix(rule, "*") || endsOf(rule).differ(endsOf(g.folded)) {
		return false
	}
	if (g.plain || g.run != "") && !strings.ContainsAny(rule, special) {
		if g.plain {
			return rule == g.folded
		}
		if !strings.Contains(rule, g.run) {
			return false
		}
	}
	return overlap(rule, g.folded, g.given[0] != '\\')
}

// overlap reports whether some name matches both patterns. b is the shell's: at
// the start of a name its wildcards do not match a dot.
func overlap(a, b string, start bool) bool {
	var usual [16]uint64
	m := meeting{a: a, b: b, start: start, seen: usual[:]}
	if need := (len(a)+1)*(len(b)+1)/64 + 1; need > len(usual) {
		m.seen = make([]uint64, need)
	}
	return m.from(0, 0)
}

// meeting is the comparison of two patterns.
type meeting struct {
	a, b  string
	start bool
	seen  []uint64 // a bit for each pair of places that was looked at
}

// from reports whether what is left of a at i and of b at j has a name in
// common; false as well if that was asked before.
func (m *meeting) from(i, j int) bool {
	at := i*(len(m.b)+1) + j
	if m.seen[at/64]&(1<<(at%64)) != 0 {
		return false
	}
	m.seen[at/64] |= 1 << (at % 64)
	a, b := m.a, m.b
	atStart := m.start && i == 0
	switch {
	case i < len(a) && a[i] == '*':
		if m.from(i+1, j) {
			return true
		}
		return j < len(b) && m.from(i, j+element(b, j))
	case j < len(b) && b[j] == '*':
		if m.from(i, j+1) {
			return true
		}
		return i < len(a) && !(atStart && a[i] == '.') && m.from(i+element(a, i), j)
	case i == len(a) || j == len(b):
		return i == len(a) && j == len(b)
	}
	x, y := a[i:i+element(a, i)], b[j:j+element(b, j)]
	if atStart && x == "." && y != "." {
		return false
	}
	if y == "?" && x[0] >= utf8.RuneSelf && m.from(i, j+1) {
		return true // for some locales it is several characters
	}
	return common(x, y) && m.from(i+len(x), j+len(y))
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
