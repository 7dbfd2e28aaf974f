package main

import "strings"

// markedLine is a line of the command; its columns from..to are marked.
type markedLine struct {
	row      row
	from, to int
	goesOn   bool // the line before was too long
}

// guarded puts a bar in front of each of several lines: a command may hold a
// line that looks like a verdict.
func guarded(lines []markedLine) []markedLine {
	if len(lines) == 1 {
		return lines
	}
	for i := range lines {
		l := &lines[i]
		bar := "│ "
		if l.goesOn {
			bar = "┆ "
		}
		l.row = append(row{{faint, bar}}, l.row...)
		if l.from < l.to {
			l.from, l.to = l.from+barWidth, l.to+barWidth
		}
	}
	return lines
}

const barWidth = 2

const maxShownLines = 24

// markedLines shows a text, line for line, with the bytes from..to marked.
// Lines that are too long go on in the next.
func markedLines(text string, from, to, columns int) []markedLine {
	var lines []markedLine
	var l markedLine
	at := 0 // column
	done := func() {
		lines = append(lines, l)
		l, at = markedLine{}, 0
	}
	columns -= barWidth
	for i, r := range text {
		if r == '\n' {
			done()
			continue
		}
		piece := string(r)
		if r < ' ' || r > '~' { // most of a text that is long needs no second look
			piece = shown(piece)
		}
		n := cells(piece)
		if at+n > columns {
			done()
			l.goesOn = true
		}
		colour := ""
		if from <= i && i < to {
			colour = red + ";" + underlined
			if l.from == l.to {
				l.from = at
			}
			l.to = at + n
		}
		if last := len(l.row) - 1; last >= 0 && l.row[last].colour == colour {
			l.row[last].text += piece
		} else {
			l.row = append(l.row, span{colour, piece})
		}
		at += n
	}
	done()
	return guarded(lines)
}

const underlined = "4"

// locate finds the piece of a text at which reading ended. The same characters
// may stand elsewhere too: such a piece ends where a word ends, if it is a name
// it begins where a word begins, and nothing within single quotes stops a reader.
func locate(text, piece string) (from, to int) {
	trimmed := strings.TrimLeft(piece, " \t\n")
	if trimmed == "" {
		return 0, 0
	}
	const most = 256 // each costs as much as the text before it is long
	first := -1
	for at, tries := 0, 0; tries < most; at, tries = at+1, tries+1 {
		next := strings.Index(text[at:], trimmed)
		if next < 0 {
			break
		}
		at += next
		if first < 0 {
			first = at
		}
		if likely(text, at, at+len(trimmed)) {
			first = at
			break
		}
	}
	if first < 0 {
		return 0, 0
	}
	return first, first + len(trimmed)
}

func likely(text string, from, to int) bool {
	const long = 40 // a piece is cut there, within a word
	ends := to == len(text) || to-from >= long || strings.IndexByte(" \t\n", text[to]) >= 0
	begins := from == 0 || !isName(text[from]) || strings.IndexByte(" \t\n;&|(){}`!", text[from-1]) >= 0
	return ends && begins && !inSingleQuotes(text[:from])
}

func isName(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func inSingleQuotes(before string) bool {
	single, double := false, false
	for i := 0; i < len(before); i++ {
		switch c := before[i]; {
		case c == '\\' && !single:
			i++
		case c == '\'' && !double:
			single = !single
		case c == '"' && !single:
			double = !double
		}
	}
	return single
}
