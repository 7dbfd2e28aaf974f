package inspect

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/cases"
	utf "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/language"
)

// The facts of this package come from programs that trim, lower-case and cut
// text by the rules of ECMAScript. Go's own functions differ on a handful of
// characters, and a principal or a SID that is read differently here and there
// is a hole; so the rules are repeated exactly.

// trim removes ECMAScript white space: every Unicode space separator, the line
// separators and U+FEFF, but not U+0085, which Go would remove.
func trim(s string) string { return strings.TrimFunc(s, isSpace) }

func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', '\u2028', '\u2029', '\ufeff':
		return true
	}
	return unicode.Is(unicode.Zs, r)
}

// lower maps to lower case with the full, language-neutral rules: a final sigma
// becomes U+03C2 and U+0130 becomes two characters.
func lower(s string) string {
	if !strings.ContainsAny(s, "\u0130\u03a3") {
		return strings.ToLower(s) // the same, and much faster
	}
	return cases.Lower(language.Und).String(s)
}

// units counts UTF-16 code units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// headUnits returns the first n UTF-16 code units. A pair that is cut in half
// leaves U+FFFD, since a Go string cannot hold the lone half.
func headUnits(s string, n int) string {
	at, half := cutUnits(s, n)
	if half {
		return s[:at] + "\ufffd"
	}
	return s[:at]
}

// dropUnits returns s without its first n UTF-16 code units.
func dropUnits(s string, n int) string {
	at, half := cutUnits(s, n)
	if half {
		_, size := utf8.DecodeRuneInString(s[at:])
		return "\ufffd" + s[at+size:]
	}
	return s[at:]
}

// cutUnits finds the byte offset of the nth code unit; half says that the unit
// is the second one of the character at that offset.
func cutUnits(s string, n int) (at int, half bool) {
	for i, r := range s {
		if n <= 0 {
			return i, false
		}
		width := max(1, utf16.RuneLen(r))
		if width > n {
			return i, true
		}
		n -= width
	}
	return len(s), false
}

func validUTF8(s string) bool { return utf8.ValidString(s) }

func runeWidth(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	return size
}

// isHidden reports whether a character does not show as itself: controls, format
// characters such as bidirectional overrides, and what is not a character.
func isHidden(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	return isControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// decode makes text of bytes: each maximal ill-formed run becomes one U+FFFD.
func decode(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	text, err := utf.UTF8.NewDecoder().String(s)
	if err != nil {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return text
}
