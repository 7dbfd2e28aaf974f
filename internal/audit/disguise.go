package audit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A name can be written so that it reads as another and means the same to who
// takes it: p\u0061ssword in JSON, pass%77ord in a form, wide letters, letters of
// another alphabet that look alike, signs without width between them.

// disguised reports whether a text may hold such a name.
func disguised(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			return true
		case c == '\\' || c == '%':
			if _, n := unescape(s[i:]); n > 0 {
				return true
			}
		}
	}
	return false
}

// unescape reads %77, \x77 and \u0077 at the start of a text, where they stand
// for a byte of a name, or for what joins it and its value. Others stay as they
// are: what they stand for would end a value early.
func unescape(s string) (c byte, size int) {
	var digits string
	switch {
	case s[0] == '%' && len(s) >= 3:
		digits, size = s[1:3], 3
	case s[0] != '\\':
		return 0, 0
	default:
		n := 1
		for n < min(len(s), 4) && s[n] == '\\' {
			n++ // of a text within a text
		}
		switch {
		case len(s) >= n+5 && s[n] == 'u' && s[n+1] == '0' && s[n+2] == '0':
			digits, size = s[n+3:n+5], n+5
		case len(s) >= n+3 && s[n] == 'x':
			digits, size = s[n+1:n+3], n+3
		default:
			return 0, 0
		}
	}
	high, low := hexDigit(digits[0]), hexDigit(digits[1])
	if high < 0 || low < 0 {
		return 0, 0
	}
	if c = byte(high<<4 | low); nameBytes[c] || c == '=' || c == ':' || c == '/' || c == '@' {
		return c, size
	}
	return 0, 0
}

// escapeTail is how many bytes behind a % or backslash belong to an escape, so
// that what follows it is read from its beginning: %26sig, \u0026sig.
func escapeTail(s string) int {
	switch {
	case s[0] == '%' && len(s) >= 3 && hexDigit(s[1]) >= 0 && hexDigit(s[2]) >= 0:
		return 2
	case s[0] == '\\' && len(s) >= 6 && s[1] == 'u' && hexDigit(s[2]) >= 0 && hexDigit(s[3]) >= 0 && hexDigit(s[4]) >= 0 && hexDigit(s[5]) >= 0:
		return 5
	case s[0] == '\\' && len(s) >= 4 && s[1] == 'x' && hexDigit(s[2]) >= 0 && hexDigit(s[3]) >= 0:
		return 3
	}
	return 0
}

func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// splitWord reports whether a word may be written in parts, which a shell puts
// together: gh"p_"…, PASS\WORD=….
func splitWord(s string) bool {
	for i := 1; i < len(s)-1; i++ {
		if c := s[i]; (c == '"' || c == '\'' || c == '\\') && joined(s, i) > 0 {
			return true
		}
	}
	return false
}

// joined is how many quotes and backslashes stand there between two bytes of one word.
func joined(s string, i int) (n int) {
	if c := s[i]; c != '"' && c != '\'' && c != '\\' || i == 0 || !nameBytes[s[i-1]] {
		return 0
	}
	for n < 8 && i+n < len(s) && (s[i+n] == '"' || s[i+n] == '\'') {
		n++
	}
	if n == 0 && i+1 < len(s) && s[i] == '\\' && !strings.ContainsRune("nrtuxabfv0", rune(s[i+1])) {
		n = 1 // what is left out is an escape of JSON or of a program's text
	}
	if i+n >= len(s) || !tokenBytes[s[i+n]] && s[i+n] != '.' {
		return 0
	}
	return n
}

// joinWords returns the text with such words in one piece, and where each of its
// bytes, and its end, stood.
func joinWords(s string) (plain string, at []int32) {
	out := make([]byte, 0, len(s))
	at = make([]int32, 0, len(s)+1)
	for i := 0; i < len(s); i++ {
		if n := joined(s, i); n > 0 {
			i += n
		}
		out = append(out, s[i])
		at = append(at, int32(i))
	}
	return string(out), append(at, int32(len(s)))
}

// lookalikes are letters that are drawn like a Latin one.
var lookalikes = func() map[rune]byte {
	const (
		others = "аеорсхуіѕјһԁԛԝктнмвгпАВЕКМНОРСТХУІЅЈοαερτκνιυωςΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɑɡſƽօսհոցԍ"
		latin  = "aeopcxyisjhdqwktHmBrnABEKMHOPCTXYISJoaeptkviuwcABEZHIKMNOPTYXiagssouhngG"
	)
	table := map[rune]byte{}
	i := 0
	for _, r := range others {
		table[r] = latin[i]
		i++
	}
	return table
}()

// plainRune returns the byte of a name that a character stands for: 0 for none,
// with drop for one that is not seen.
func plainRune(r rune) (c byte, drop bool) {
	if c, ok := lookalikes[r]; ok {
		return c, false
	}
	if unicode.In(r, unicode.Cf, unicode.Mn, unicode.Variation_Selector) || r == '\u3164' || r == '\uffa0' || r == '\u115f' {
		return 0, true
	}
	var buf [utf8.UTFMax]byte
	d := norm.NFKD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition()
	if len(d) == 0 {
		return 0, false
	}
	if c = d[0]; nameBytes[c] || c == '=' || c == ':' {
		return c, false
	}
	if first, _ := utf8.DecodeRune(d); lookalikes[first] != 0 {
		return lookalikes[first], false
	}
	return 0, false
}

// undisguise returns the text without disguises, and where each of its bytes,
// and its end, stood.
func undisguise(s string) (plain string, at []int32) {
	out := make([]byte, 0, len(s))
	at = make([]int32, 0, len(s)+1)
	for i := 0; i < len(s); {
		size, keep := 1, s[i:i+1]
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			size, keep = n, s[i:i+n]
			if plain, drop := plainRune(r); drop {
				keep = ""
			} else if plain != 0 {
				keep = string([]byte{plain})
			}
		case c == '\\' || c == '%':
			if plain, n := unescape(s[i:]); n > 0 {
				size, keep = n, string([]byte{plain})
			}
		}
		for range len(keep) {
			at = append(at, int32(i))
		}
		out = append(out, keep...)
		i += size
	}
	return string(out), append(at, int32(len(s)))
}
