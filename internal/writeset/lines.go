package writeset

import (
	"strings"
	"unicode/utf8"
)

// nextLine splits text at its first LF; the line has no LF.
func nextLine(text string) (line, rest string) {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

// isBlank is the union of what Python, Rust and JavaScript trim: Unicode white
// space, the four information separators, and the byte order mark.
func isBlank(r rune) bool { return r == 0xFEFF || isPythonSpace(r) }

// isPythonSpace is str.isspace. unicode.IsSpace lacks U+001C to U+001F.
func isPythonSpace(r rune) bool {
	switch {
	case r >= 0x09 && r <= 0x0D, r >= 0x1C && r <= 0x20:
		return true
	case r < 0x80:
		return false
	case r == 0x85, r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A:
		return true
	}
	return r == 0x2028 || r == 0x2029 || r == 0x202F || r == 0x205F || r == 0x3000
}

// separator finds the first character of s, other than LF, at which Python's
// str.splitlines ends a line, and its width. at is -1 when there is none.
func separator(s string) (at, width int) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\r', '\v', '\f', 0x1C, 0x1D, 0x1E:
			return i, 1
		case 0xC2:
			if strings.HasPrefix(s[i:], "\u0085") {
				return i, 2
			}
		case 0xE2:
			if strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029") {
				return i, 3
			}
		}
	}
	return -1, 0
}

// leadingRune is the first character of s, or utf8.RuneError for none.
func leadingRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
