package programs

import "strings"

// awkHarmless refuses what could run a program, write, or read a file that the
// words do not name: ARGV and its like can be assigned.
func awkHarmless(words []string) bool {
	printed := false // several words may make one script
	for _, w := range words {
		if strings.ContainsAny(strings.ReplaceAll(w, "||", ""), "|@`") || mentions(w, "system", "getline", "ENVIRON", "ARGV", "ARGC", "SYMTAB", "PROCINFO") ||
			printed && strings.Contains(w, ">") || awkRedirects(w) {
			return false
		}
		printed = printed || strings.Contains(w, "print")
	}
	return true
}

// awkRedirects reports whether a > of a script may be a redirection: one that
// stands behind print, in the same statement and outside its parentheses. Any
// other compares. Where a slash may begin an expression, which may hold
// anything, or a comment is there, each one behind print counts.
func awkRedirects(script string) bool {
	first := strings.Index(script, "print")
	last := strings.LastIndexByte(script, '>')
	if first < 0 || last < first {
		return false
	}
	if strings.ContainsAny(script, "/#") {
		return true
	}
	printing, depth, before := false, 0, byte(0)
	for i := 0; i < len(script); i++ {
		switch b := script[i]; b {
		case '"':
			for i++; i < len(script) && script[i] != '"'; i++ {
				if script[i] == '\\' {
					i++
				}
			}
		case '(':
			depth++
		case ')':
			depth--
		case ';', '}':
			printing = false
		case '\n': // a statement goes on behind these
			printing = printing && strings.IndexByte(",\\&|", before) >= 0
		case '>':
			if printing && depth <= 0 {
				return true
			}
		case 'p':
			if strings.HasPrefix(script[i:], "print") {
				printing, depth = true, 0
			}
		}
		if b := script[min(i, len(script)-1)]; b != ' ' && b != '\t' {
			before = b
		}
	}
	return false
}
