package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/store"
)

// tailColumn is a column of the table of records. least is how far it gives way
// where a line is too long for the terminal, in the order of give: 1 gives first.
type tailColumn struct {
	name        string
	least, give int
	cell        func(*audit.Entry) string
}

// tailColumns say the least important last: what it tells is cut, and stands whole
// in the output as JSON.
var tailColumns = []tailColumn{
	{"TIME", 20, 0, func(e *audit.Entry) string { return utc(e.Time) }},
	{"KIND", 11, 4, func(e *audit.Entry) string { return string(e.Kind) }},
	{"OUTCOME", 10, 5, func(e *audit.Entry) string { return e.Outcome }},
	{"SESSION", 8, 3, func(e *audit.Entry) string { return e.Session }},
	{"CALLER", 8, 2, callerCell},
	{"ABOUT", 28, 1, aboutCell},
}

// mostCell bounds a cell before the last on lines without an end.
const mostCell = 32

// utc is a time for a table, with its zone.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

func callerCell(e *audit.Entry) string {
	if e.Caller.Name != "" {
		return e.Caller.Name
	}
	return e.Caller.ID
}

// aboutCell says which token, grant, policy or call a record is about, and why.
func aboutCell(e *audit.Entry) string {
	if e.Erased {
		return "(erased)"
	}
	var facts map[string]any
	_ = json.Unmarshal(e.Details, &facts) // none are as good as none that can be read
	fact := func(name string) string {
		text, _ := facts[name].(string)
		return text
	}
	switch e.Kind {
	case audit.DecisionMade:
		if e.Decision != nil && e.Call != nil {
			return joined(": ", joined(" ", e.Call.Tool, target(e.Call)), e.Decision.Reason)
		}
	case audit.TokenChanged:
		if fact("token_role") == "" {
			return fact("token_id")
		}
		return fmt.Sprintf("%s %s (%s)", fact("token_id"), fact("token_name"), fact("token_role"))
	case audit.Granted, audit.Revoked:
		return joined(" ", fact("value"), fact("id"))
	case audit.PolicyChanged:
		if problems, ok := facts["problems"].([]any); ok && len(problems) > 0 {
			return fmt.Sprint(problems[0])
		}
		if fact("name") == fact("revision") {
			return fact("name")
		}
		return joined(" ", fact("name"), fact("revision"))
	case audit.SessionChanged:
		if context, ok := facts["context"].(map[string]any); ok {
			root, _ := context["workspace_root"].(string)
			return root
		}
	case audit.ApprovalOpened, audit.ApprovalResolved:
		tool := ""
		if e.Call != nil {
			tool = e.Call.Tool
		}
		return joined(": ", joined(" ", tool, e.Approval), e.Note)
	}
	return joined(" ", e.Note, string(e.Details))
}

// target is what a person knows a call by, as far as it is in the record.
func target(c *audit.Call) string {
	var arguments map[string]any
	_ = json.Unmarshal(c.Arguments, &arguments) // then there is none
	for _, name := range []string{"command", "path", "file_path", "url"} {
		if text, ok := arguments[name].(string); ok {
			return text
		}
	}
	return ""
}

func joined(between string, texts ...string) string {
	var some []string
	for _, text := range texts {
		if text != "" {
			some = append(some, text)
		}
	}
	return strings.Join(some, between)
}

// tailTable writes records as lines for a person. Widths are those of the first
// page: what follows must not wait for what comes later.
type tailTable struct {
	to      io.Writer
	palette palette
	columns int // of the terminal; 0: lines have no end
	widths  []int
}

// begin writes the head for a page. A column that is empty in it is left out if
// nothing follows.
func (t *tailTable) begin(page []store.Record, follows bool) error {
	t.widths = make([]int, len(tailColumns))
	filled := make([]bool, len(tailColumns))
	for i := range page {
		for c, text := range cellsFor(&page[i]) {
			t.widths[c] = max(t.widths[c], min(cells(text), mostCell))
			filled[c] = filled[c] || text != ""
		}
	}
	names := make([]string, len(tailColumns))
	for c, column := range tailColumns {
		names[c] = column.name
		switch {
		case follows:
			t.widths[c] = max(t.widths[c], column.least)
		case len(page) > 0 && !filled[c]:
			t.widths[c] = 0
			continue
		}
		t.widths[c] = max(t.widths[c], len(column.name))
	}
	t.fit()
	return t.line(names)
}

// fit narrows columns until a line fits.
func (t *tailTable) fit() {
	last := len(tailColumns) - 1
	t.widths[last] = tailColumns[last].least
	if t.columns == 0 {
		return
	}
	over := -2 - t.columns
	for _, width := range t.widths {
		if width > 0 {
			over += width + 2
		}
	}
	for turn := 2; turn <= last && over > 0; turn++ {
		for c, column := range tailColumns {
			if column.give == turn && t.widths[c] > column.least {
				less := min(over, t.widths[c]-column.least)
				t.widths[c] -= less
				over -= less
			}
		}
	}
	for _, c := range firstToGo {
		if t.widths[last]-over >= leastAbout {
			break
		}
		if t.widths[c] > 0 {
			over -= t.widths[c] + 2
			t.widths[c] = 0
		}
	}
	t.widths[last] = max(t.widths[last]-over, 1)
}

// On a terminal that is too narrow for all columns, these go: the session, the
// caller, the kind.
var firstToGo = []int{3, 4, 1}

// leastAbout is how much of a record's subject there must be room for.
const leastAbout = 12

func (t *tailTable) show(r *store.Record) error { return t.line(cellsFor(r)) }

// cellsFor is a record as safe texts.
func cellsFor(r *store.Record) []string {
	e, err := audit.Decode(*r)
	if err != nil {
		e = audit.Entry{Time: r.Time, Kind: audit.Kind(r.Kind), Outcome: r.Outcome, Session: r.Session}
		e.Caller.ID = r.Caller
	}
	texts := make([]string, len(tailColumns))
	for c, column := range tailColumns {
		texts[c] = shown(column.cell(&e))
	}
	if err != nil {
		texts[len(texts)-1] = shown(err.Error())
	}
	return texts
}

var outcomeColour = map[string]string{"allow": green, "ask": yellow, "deny": red}

func (t *tailTable) line(texts []string) error {
	var b strings.Builder
	last := len(texts) - 1
	for c, text := range texts {
		if t.widths[c] == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("  ")
		}
		if c < last || t.columns > 0 {
			text = cutText(text, t.widths[c])
		}
		end := ""
		if c < last {
			end = strings.Repeat(" ", t.widths[c]-cells(text))
		}
		if colour := outcomeColour[text]; colour != "" && tailColumns[c].name == "OUTCOME" {
			text = t.palette.paint(colour, text)
		}
		b.WriteString(text + end)
	}
	_, err := fmt.Fprintln(t.to, strings.TrimRight(b.String(), " "))
	return err
}

// cutText shortens a safe text to so many columns.
func cutText(text string, columns int) string {
	if cells(text) <= columns {
		return text
	}
	var b strings.Builder
	used := 1 // for the mark at the end
	for _, r := range text {
		if used += cellsOf(r); used > columns {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}
