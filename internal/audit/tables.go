package audit

import "strings"

// A table of Markdown, or as psql and mysql print one, has its names in a line, a
// line of hyphens below, and the values in the lines that follow.

// ruleBytes are those of the line between.
var ruleBytes = byteSet("|+-: \t")

// tableBehind looks whether a table's line of hyphens begins here, and has the cells
// below the names of secrets hidden.
func (t *scanner) tableBehind(at int) {
	s := t.s
	end := runOf(s, at, ruleBytes)
	if at < t.table || end == at || end < len(s) && s[end] != '\n' && s[end] != '\r' || !strings.Contains(s[at:end], "--") {
		return
	}
	head := strings.TrimRight(s[:at-1], "\r")
	head = head[strings.LastIndexByte(head, '\n')+1:]
	if len(head) > lookahead || strings.IndexByte(head, '|') < 0 {
		return
	}
	table := tableShape{barred: strings.HasPrefix(strings.TrimLeft(head, " \t"), "|")}
	any := false
	table.cells(head, func(column, from, to int) {
		name := strings.Trim(head[from:to], "*`\"")
		if len(name) <= maxNameRead && meaningOf(name) == secret {
			table.secret[column], any = true, true
		}
	})
	if !any {
		return
	}
	for end < len(s) {
		line := end + strings.IndexByte(s[end:], '\n') + 1
		if line <= end {
			break
		}
		end = upTo(s, line, newlines)
		row := s[line:end]
		if strings.IndexByte(row, '|') < 0 {
			if end == line || runOf(row, 0, ruleBytes) < len(row) {
				break
			}
			continue // another line of hyphens
		}
		table.cells(row, func(column, from, to int) {
			value := row[from:to]
			if table.secret[column] && strings.Trim(value, "-: ") != "" && !isReference(value) && !isConstant(value) {
				t.hideLater(line+from, line+to)
			}
		})
	}
	t.table = end
}

// tableShape is what the first line of a table says of the others.
type tableShape struct {
	barred bool // lines begin with a bar
	secret [16]bool
}

// cells visits the cells of a line, as far as there are columns, without the blanks
// around them.
func (t *tableShape) cells(row string, visit func(column, from, to int)) {
	at := 0
	if t.barred {
		if at = runOf(row, 0, blanks); at < len(row) && row[at] == '|' {
			at++
		}
	}
	for column := range t.secret {
		end := at
		for end < len(row) && row[end] != '|' {
			if row[end] == '\\' && end+1 < len(row) {
				end++ // an escaped bar is part of the cell
			}
			end++
		}
		from, to := at, end
		for from < to && wordEnds[row[from]] {
			from++
		}
		for to > from && wordEnds[row[to-1]] {
			to--
		}
		visit(column, from, to)
		if end == len(row) {
			return
		}
		at = end + 1
	}
}

var (
	newlines = byteSet("\n")
	blanks   = byteSet(" \t")
)
