package handlers

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-pdp/pdp/decide"
)

// unseen are code points that a person does not see, or that change how the
// text around them is shown: controls, direction marks, zero-width characters,
// line separators, tags, fillers. Whoever approves a call must see what will
// run.
var unseen = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0000, 0x001F, 1},
		{0x007F, 0x009F, 1},
		{0x00AD, 0x00AD, 1},
		{0x034F, 0x034F, 1},
		{0x061C, 0x061C, 1},
		{0x115F, 0x1160, 1},
		{0x17B4, 0x17B5, 1},
		{0x180B, 0x180F, 1},
		{0x200B, 0x200F, 1},
		{0x2028, 0x202E, 1},
		{0x2060, 0x206F, 1},
		{0x3164, 0x3164, 1},
		{0xFEFF, 0xFEFF, 1},
		{0xFFA0, 0xFFA0, 1},
		{0xFFF0, 0xFFFB, 1},
	},
	R32: []unicode.Range32{
		{0x1BCA0, 0x1BCA3, 1},
		{0x1D173, 0x1D17A, 1},
		{0xE0000, 0xE0FFF, 1},
	},
	LatinOffset: 3,
}

// visible writes unseen code points as \uXXXX, so that a sentence about
// foreign text shows what the text holds.
func visible(s string) string {
	first := strings.IndexFunc(s, isUnseen)
	if first < 0 {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:first])
	for _, r := range s[first:] {
		switch {
		case !isUnseen(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func isUnseen(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7F
	}
	return unicode.Is(unseen, r)
}

// hides reports whether any text within v, names included, has an unseen code
// point. Tabs and line ends are no surprise.
func hides(v decide.Value) bool {
	if text, ok := v.AsString(); ok {
		return textHides(text)
	}
	for _, m := range v.Members() {
		if textHides(m.Name) || hides(m.Value) {
			return true
		}
	}
	return false
}

func textHides(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if unicode.Is(unseen, r) {
				return true
			}
			i += size
			continue
		}
		i++
		switch {
		case c == '\n', c == '\t':
		case c == '\r' && i < len(s) && s[i] == '\n':
		case c < ' ', c == 0x7F:
			return true
		}
	}
	return false
}

// clip bounds a foreign text that an answer repeats.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

func joinList(words []string) string { return strings.Join(words, ", ") }
