package paths

import (
	"strings"
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
			return foldUnicode(path)
		}
	}
	return lowerASCII(path)
}

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
