package paths

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold gives one text to all spellings of a path that some file system takes
// for the same file: it folds case, composes accents, and drops the characters
// that nobody sees. It merges more than any one system does, so it serves
// refusals only; to permit by it would permit other files.
func Fold(path string) string {
	for i := 0; i < len(path); i++ {
		if path[i] >= utf8.RuneSelf {
			return foldLetters(path)
		}
	}
	return lowerASCII(path)
}

// foldLetters folds letter by letter as long as none has to do with the one before it.
func foldLetters(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			b.WriteByte(c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		folded, alone := foldAlone(r, s[i:i+size])
		if !alone {
			return foldUnicode(s)
		}
		b.WriteString(folded)
		i += size
	}
	return b.String()
}

// foldedAlone remembers the folds of the letters that most alphabets have: each
// is worth a pass over five tables.
var foldedAlone [0x3100]atomic.Pointer[string]

// notAlone stands for letters that may have to do with the one before.
var notAlone = "\x00"

// foldAlone returns the fold of a letter as it is spelled; alone is false if what stands before
// it may change that, or if nobody has looked.
func foldAlone(r rune, spelled string) (folded string, alone bool) {
	switch {
	case r == utf8.RuneError:
		return "\ufffd", true // also for bytes that are not UTF-8
	case '\u4e00' <= r && r <= '\u9fff', '\U0001f300' <= r && r <= '\U0001faff':
		return spelled, true // ideographs and pictures have neither case nor accents
	}
	if int(r) >= len(foldedAlone) {
		return "", false
	}
	known := foldedAlone[r].Load()
	if known == nil {
		known = &notAlone
		if folded := foldUnicode(spelled); begins(spelled) && (folded == "" || begins(folded)) {
			known = &folded
		}
		foldedAlone[r].Store(known)
	}
	return *known, known != &notAlone
}

// begins reports whether a text's first letter has nothing to do with one before it.
func begins(s string) bool { return norm.NFC.PropertiesString(s).BoundaryBefore() }

func foldUnicode(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(ignorable, r) {
			return -1
		}
		return r
	}, s)
	// Decomposed first: the fold of a composed letter and that of its parts
	// in another order would differ.
	s = cases.Fold().String(norm.NFD.String(s))
	return norm.NFC.String(strings.Map(foldRune, s))
}

// foldRune gives one letter to both cases of a letter. The fold of the cases
// package knows letters that become two, but it swaps the cases of Cherokee.
func foldRune(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }

// lowerASCII leaves all other bytes alone, also those that are not UTF-8.
func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return lowerFrom(s, i)
		}
	}
	return s
}

func lowerFrom(s string, i int) string {
	b := []byte(s)
	for ; i < len(b); i++ {
		if 'A' <= b[i] && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// ignorable is Unicode's Default_Ignorable_Code_Point. HFS+ skips a part of
// it when it compares names, which once let ".g\u200cit" pass for ".git".
var ignorable = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1},
		{Lo: 0x034f, Hi: 0x034f, Stride: 1},
		{Lo: 0x061c, Hi: 0x061c, Stride: 1},
		{Lo: 0x115f, Hi: 0x1160, Stride: 1},
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
		{Lo: 0x180b, Hi: 0x180f, Stride: 1},
		{Lo: 0x200b, Hi: 0x200f, Stride: 1},
		{Lo: 0x202a, Hi: 0x202e, Stride: 1},
		{Lo: 0x2060, Hi: 0x206f, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1},
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1},
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
		{Lo: 0xfff0, Hi: 0xfff8, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1bca0, Hi: 0x1bca3, Stride: 1},
		{Lo: 0x1d173, Hi: 0x1d17a, Stride: 1},
		{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1},
	},
	LatinOffset: 1,
}
