package main

import (
	"fmt"
	"io"
	"strings"
)

// wrappedColumn is a column of a table whose cells go on below themselves where a
// line would be longer than the terminal.
type wrappedColumn struct {
	name  string
	least int // how narrow the column may get; 0: not narrower than it is
}

// writeTable writes safe texts in columns. The last of the columns that may give
// way gives first. Where lines have no end (columns is 0) each row is one line.
func writeTable(to io.Writer, columns int, head []wrappedColumn, rows [][]string) error {
	widths := make([]int, len(head))
	over := -2 - columns
	for c := range head {
		widths[c] = cells(head[c].name)
		for _, texts := range rows {
			widths[c] = max(widths[c], cells(texts[c]))
		}
		over += widths[c] + 2
	}
	for c := len(head) - 1; c >= 0 && columns > 0 && over > 0; c-- {
		if least := max(head[c].least, cells(head[c].name)); head[c].least > 0 && widths[c] > least {
			less := min(over, widths[c]-least)
			widths[c] -= less
			over -= less
		}
	}
	var b strings.Builder
	names := make([]string, len(head))
	for c := range head {
		names[c] = head[c].name
	}
	for _, texts := range append([][]string{names}, rows...) {
		writeRow(&b, widths, texts)
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// writeRow writes cells on as many lines as the longest takes.
func writeRow(b *strings.Builder, widths []int, texts []string) {
	lines := make([][]string, len(texts))
	most := 1
	for c, text := range texts {
		lines[c] = wrap(text, widths[c])
		most = max(most, len(lines[c]))
	}
	for i := range most {
		var line strings.Builder
		for c := range lines {
			text := ""
			if i < len(lines[c]) {
				text = lines[c][i]
			}
			line.WriteString(text + strings.Repeat(" ", max(0, widths[c]-cells(text))+2))
		}
		fmt.Fprintln(b, strings.TrimRight(line.String(), " "))
	}
}

// leastHanging is how much room a text needs beside what stands before it, to be
// broken there.
const leastHanging = 16

// hang writes a text behind a head. On a terminal of so many columns it goes on
// below its own beginning; 0 columns are without an end.
func (p palette) hang(w io.Writer, columns int, head, text span) {
	lines := []string{text.text}
	if text.text == "" {
		text.colour = "" // of nothing
	} else if room := columns - cells(head.text); room >= leastHanging {
		lines = wrap(text.text, room)
	}
	for i, line := range lines {
		before := head
		if i > 0 {
			before = blank(cells(head.text))
		}
		var b strings.Builder
		row{before, {text.colour, line}}.paint(&b, p)
		_, _ = io.WriteString(w, b.String())
	}
}
