package policyfile

import (
	"fmt"
	"sort"
	"strings"
)

// Error is one thing wrong with a policy file.
type Error struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1; 0 if the error is about the file as a whole
	Column  int    `json:"column"` // from 1, in characters; 0 if unknown
	Key     string `json:"key"`
	Message string `json:"message"` // what is wrong, and what to write instead
}

// Error returns one line: "policy.yaml:12:3: allowed_domains[2]: …".
func (e Error) Error() string { return e.line("") }

// Warning is the line of a finding that does not spoil the policy.
func (e Error) Warning() string { return e.line("warning: ") }

func (e Error) line(sort string) string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Column > 0 {
		fmt.Fprintf(&b, ":%d", e.Column)
	}
	b.WriteString(": " + sort)
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	b.WriteString(e.Message)
	return b.String()
}

// Errors is everything wrong with a policy file, in the order of the lines.
type Errors []Error

// Error returns one line for each error.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i := range e {
		lines[i] = e[i].Error()
	}
	return strings.Join(lines, "\n")
}

// mostErrors bounds the report on a file that is no policy at all. More are
// kept than shown, because they are not always found in the order of the lines.
const (
	mostErrors = 100
	keptErrors = 10 * mostErrors
)

// collector gathers errors; a place is reported once, so that a value which was
// refused is not refused again by a later check.
type collector struct {
	file string
	list Errors
	more int // errors that were not kept
	seen map[[2]int]bool
}

// full reports whether details of a further error would be lost.
func (c *collector) full() bool { return len(c.list) >= keptErrors }

func (c *collector) add(line, column int, key, message string) {
	if c.full() {
		c.more++
		return
	}
	place := [2]int{line, column}
	if line > 0 && c.seen[place] {
		return
	}
	if c.seen == nil {
		c.seen = map[[2]int]bool{}
	}
	c.seen[place] = true
	c.list = append(c.list, Error{c.file, line, column, key, message})
}

func (c *collector) err() error {
	if len(c.list) == 0 {
		return nil
	}
	sort.SliceStable(c.list, func(i, j int) bool {
		a, b := c.list[i], c.list[j]
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	if more := len(c.list) + c.more - mostErrors; more > 0 {
		c.list = append(c.list[:mostErrors], Error{File: c.file, Message: fmt.Sprintf("%d more errors are not shown", more)})
	}
	return c.list
}

// quote shows a foreign text in a message: bounded, control characters escaped.
func quote(text string) string {
	const limit = 60
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}
