package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// group writes a pattern's group, as some shells know it, as braces and stars
// that match at least as much: @(a|b) as {a,b}.
func group(op syntax.GlobOperator, body string) string {
	if strings.ContainsAny(body, "(){},") {
		return "*"
	}
	alternatives := strings.Split(body, "|")
	switch op {
	case syntax.GlobZeroOrOne:
		alternatives = append(alternatives, "")
	case syntax.GlobZeroOrMore:
		return oneOf(append(alternatives, "")) + "*"
	case syntax.GlobOneOrMore:
		return oneOf(alternatives) + "*"
	case syntax.GlobExcept:
		return "*"
	}
	return oneOf(alternatives)
}

func oneOf(alternatives []string) string {
	if len(alternatives) == 1 {
		return alternatives[0]
	}
	return "{" + strings.Join(alternatives, ",") + "}"
}

// bareGroup reads zsh's groups without an operator. At the end of a word it may
// be a condition, which matches by itself nothing.
func bareGroup(s string) string {
	open := strings.IndexByte(s, '(')
	end := strings.LastIndexByte(s, ')')
	if open < 0 || end < open || open > 0 && s[open-1] == '\\' {
		return s
	}
	body := s[open+1 : end]
	switch {
	case strings.ContainsAny(body, "()") && strings.Contains(body, "|"): // groups in groups, or several
		return s[:open] + "*" + s[end+1:]
	case strings.ContainsAny(body, `()\|`):
	case end+1 == len(s):
		return s[:open]
	case strings.HasPrefix(body, "#"): // a flag, such as that letter case does not count
		return s[:open] + s[end+1:]
	}
	return s[:open] + group(syntax.GlobOne, body) + s[end+1:]
}

// starGroups writes braces, or a star, for every group that is part of a word, as zsh reads
// them: the second reader knows no groups inside of groups.
func starGroups(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '(' {
			b.WriteByte(text[i])
			continue
		}
		end := i + 1 + closing(text[i+1:], '$')
		if end >= len(text) || !strings.Contains(text[i:end], "|") || !(i > 0 && inWord(text[i-1]) || end+1 < len(text) && inWord(text[end+1])) {
			b.WriteByte(text[i])
			continue
		}
		b.WriteString(group(syntax.GlobOne, text[i+1:end]))
		i = end
	}
	return b.String()
}

func inWord(b byte) bool { return strings.IndexByte(" \t\n;&|()<>$=`\"'", b) < 0 }

// maxGroups bounds the groups of a text, for each of which its end is looked for.
const maxGroups = 256

// zsh reads a text with its groups, once more.
func (s *scanner) zsh(text string, depth int) {
	switch groups := strings.Count(text, "("); {
	case groups == 0 || len(s.seen) >= maxSeen:
		return
	case groups > maxGroups:
		s.full = true
		return
	}
	if starred := starGroups(text); starred != text {
		s.given(starred, depth)
	}
	s.seen = secondSeen(text, Zsh, s.seen, false)
}

// evaluated reads what zsh alone makes a command of: the program behind =NAME, the
// code of a pattern's qualifier, *(e:CODE:), and texts that a flag expands once more,
// ${(e)…} and ${(%)…}.
func (s *scanner) evaluated(text string, depth int) {
	for _, c := range s.seen[:len(s.seen):len(s.seen)] {
		if !slices.ContainsFunc(c.Words, isEquals) {
			continue
		}
		words := slices.Clone(c.Words)
		for i, w := range words {
			if isEquals(w) {
				words[i] = w[1:]
			}
		}
		c.Words = words
		if s.list(c); s.full {
			return
		}
	}
	if strings.Contains(text, "${(") {
		s.given(unquoted(text), depth+1)
	}
	groups := 0
	for at := strings.IndexByte(text, '('); at >= 0 && !s.full; groups++ {
		if groups > maxGroups {
			s.full = true
			return
		}
		inner := text[at+1:]
		inner = inner[:closing(inner, '$')]
		if s.work += len(inner); s.work > s.most {
			s.full = true
			return
		}
		for i := range inner {
			if inner[i] == ' ' || inner[i] == '\n' { // of a sub-shell
				break
			}
			if code, ok := qualifierCode(inner[i:]); ok {
				s.given(unquoted(code), depth+1)
				break
			}
		}
		next := strings.IndexByte(text[at+1:], '(')
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// isEquals reports whether a word may be =NAME, the path of a program.
func isEquals(w string) bool { return len(w) > 1 && w[0] == '=' && isWordByte(w[1]) }

// qualifierCode returns the code behind e and a character that it ends with as well,
// or the bracket that closes it.
func qualifierCode(text string) (code string, ok bool) {
	if len(text) < 3 || text[0] != 'e' || isWordByte(text[1]) || strings.IndexByte(" \t\n).-/", text[1]) >= 0 {
		return "", false
	}
	end := text[1]
	if at := strings.IndexByte("([{<", end); at >= 0 {
		end = ")]}>"[at]
	}
	code, _, ok = strings.Cut(text[2:], string(end))
	return code, ok
}
