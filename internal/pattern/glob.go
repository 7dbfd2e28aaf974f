// Package pattern matches tool names and file paths against the patterns of a
// policy: plain globs for names, gitignore-like patterns for paths.
package pattern

import "unicode/utf8"

// Glob matches a whole text: "*" is any text, "?" any character, "[ab]" and
// "[a-z]" a set, "[!ab]" its complement; an unclosed "[" is itself. Unlike a
// path pattern, "*" crosses slashes and line ends. The time is bounded by the
// product of both lengths.
type Glob string

// Match reports whether the glob matches text.
func (g Glob) Match(text string) bool {
	pattern := string(g)
	star, resume := -1, 0 // where to go back to: behind the last star, and in text
	p, t := 0, 0
	for t < len(text) {
		if p < len(pattern) && pattern[p] == '*' {
			p++
			star, resume = p, t
			continue
		}
		r, size := utf8.DecodeRuneInString(text[t:])
		if next, ok := matchOne(pattern, p, r); ok {
			p, t = next, t+size
			continue
		}
		if star < 0 {
			return false
		}
		_, size = utf8.DecodeRuneInString(text[resume:])
		resume += size
		p, t = star, resume
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// Weight orders globs that match the same text: the more a glob spells out,
// the more it weighs, and one without wildcards weighs most.
func (g Glob) Weight() int {
	weight, wild := 0, false
	for _, r := range string(g) {
		switch r {
		case '*', '?', '[':
			wild = true
		case ']':
		default:
			weight++
		}
	}
	if !wild {
		weight += 1000
	}
	return weight
}

// matchOne matches one character at pattern[p:] and returns the index behind
// what it used.
func matchOne(pattern string, p int, r rune) (int, bool) {
	if p >= len(pattern) {
		return p, false
	}
	switch pattern[p] {
	case '?':
		return p + 1, true
	case '[':
		if end := classEnd(pattern, p); end > 0 {
			return end + 1, inClass(pattern[p+1:end], r)
		}
	}
	want, size := utf8.DecodeRuneInString(pattern[p:])
	return p + size, want == r
}

// classEnd returns the index of the bracket that closes the set at pattern[p],
// or 0; a "]" that stands first is a member.
func classEnd(pattern string, p int) int {
	i := p + 1
	if i < len(pattern) && pattern[i] == '!' {
		i++
	}
	if i < len(pattern) && pattern[i] == ']' {
		i++
	}
	for ; i < len(pattern); i++ {
		if pattern[i] == ']' {
			return i
		}
	}
	return 0
}

func inClass(class string, r rune) bool {
	negated := false
	if class != "" && class[0] == '!' {
		negated, class = true, class[1:]
	}
	members := []rune(class)
	found := false
	for i := 0; i < len(members); i++ {
		if i+2 < len(members) && members[i+1] == '-' {
			found = found || members[i] <= r && r <= members[i+2]
			i += 2
			continue
		}
		found = found || members[i] == r
	}
	return found != negated
}
