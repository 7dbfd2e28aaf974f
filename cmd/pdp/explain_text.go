package main

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// span is a text of one colour that is safe to print; row is a line of them.
type (
	span struct{ colour, text string }
	row  []span
)

func blank(n int) span { return span{text: strings.Repeat(" ", n)} }

func (r row) width() int {
	n := 0
	for _, s := range r {
		n += cells(s.text)
	}
	return n
}

// cut shortens a row to so many columns.
func (r row) cut(columns int) row {
	if r.width() <= columns {
		return r
	}
	var short row
	for _, s := range r {
		if n := cells(s.text); n < columns {
			short, columns = append(short, s), columns-n
			continue
		}
		return append(short, span{s.colour, cut(s.text+"…", columns)})
	}
	return short
}

func (r row) paint(b *strings.Builder, p palette) {
	for _, s := range r {
		if s.colour == "" {
			b.WriteString(s.text)
		} else {
			b.WriteString(p.paint(s.colour, s.text))
		}
	}
	b.WriteByte('\n')
}

// sheet collects rows. What stands beside something starts in one column.
type sheet struct {
	columns int
	at      int // where the second column starts
	rows    []row
}

const (
	leastNote = 32 // columns that stay for the second column
	leastLeft = 16
	keyWidth  = 10
)

// gauge puts the second column behind the longest that stands in the first, as
// long as something of the width is left.
func (s *sheet) gauge(text []markedLine, commands []drawn) {
	most := max(s.columns-leastNote-2, leastLeft)
	longest := 0
	if len(text) == 1 && text[0].row.width() <= most {
		longest = text[0].row.width()
	}
	longest = max(longest, treeWidth(commands))
	s.at = min(longest, most) + 2
}

func treeWidth(commands []drawn) int {
	n := 0
	for _, c := range commands {
		if len(c.note) > 0 {
			n = max(n, branchWidth+c.words.width())
		}
		n = max(n, branchWidth+treeWidth(c.inside))
	}
	return n
}

const branchWidth = 3

// fits reports whether one row holds both, in columns or not.
func (s *sheet) fits(left, right row) bool {
	return max(s.at, left.width()+2)+right.width() <= s.columns
}

func (s *sheet) add(r row) { s.rows = append(s.rows, r) }

func (s *sheet) pair(left, right row) {
	line := append(append(row{}, left...), blank(max(s.at-left.width(), 2)))
	s.add(append(line, right...))
}

// fact adds a text under a name, on as many lines as it takes; of nothing,
// none.
func (s *sheet) fact(name, text string) {
	for i, line := range wrap(shown(text), s.columns-keyWidth) {
		if i > 0 {
			name = ""
		}
		s.add(row{{faint, fmt.Sprintf("%-*s", keyWidth, name)}, {text: line}})
	}
}

func (s *sheet) paint(p palette) string {
	var b strings.Builder
	for _, r := range s.rows {
		r.paint(&b, p)
	}
	return b.String()
}

// wrap breaks a text between words, and within those that fill a line.
func wrap(text string, columns int) []string {
	if text == "" {
		return nil
	}
	var lines []string
	words := strings.Split(text, " ")
	line := words[0]
	for _, word := range words[1:] {
		if cells(line)+1+cells(word) <= columns {
			line += " " + word
			continue
		}
		lines, line = fill(lines, line, columns)
		lines, line = append(lines, line), word
	}
	lines, line = fill(lines, line, columns)
	return append(lines, line)
}

// fill takes whole lines off a text that is longer than one.
func fill(lines []string, text string, columns int) (filled []string, rest string) {
	for cells(text) > columns {
		head := prefix(text, columns)
		lines, text = append(lines, head), text[len(head):]
	}
	return lines, text
}

// cut shortens a text to so many columns.
func cut(text string, columns int) string {
	if cells(text) <= columns {
		return text
	}
	return prefix(text, max(columns-1, 0)) + "…"
}

// prefix returns as much of a text as fits.
func prefix(text string, columns int) string {
	n := 0
	for i, r := range text {
		if n += cellsOf(r); n > columns {
			return text[:i]
		}
	}
	return text
}

// cells is how many columns of a terminal a text takes.
func cells(text string) int {
	n := 0
	for _, r := range text {
		n += cellsOf(r)
	}
	return n
}

func cellsOf(r rune) int {
	switch {
	case r < 0x7F:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// shown makes a foreign text safe to print, and also shows the characters that
// count as visible and yet are not, and spaces that no shell takes for one.
func shown(text string) string {
	text = plain(text)
	if strings.IndexFunc(text, blankOnly) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !blankOnly(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func blankOnly(r rune) bool {
	const brailleBlank = 0x2800
	return r > 0x7F && (r == brailleBlank || unicode.In(r, unicode.Zs, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector))
}
