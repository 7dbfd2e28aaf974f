package shell

import (
	"slices"
	"strings"
)

// Indirect reports whether a program of the text is given a command line as one
// argument, runs another program, or sets what a later command uses, or a
// variable ends where its name does only because of a quote, so that the words
// alone do not show what runs.
func (c *Command) Indirect() bool {
	if c.glued {
		return true
	}
	for i := range c.Simples {
		s := &c.Simples[i]
		words := s.Words
		if slices.ContainsFunc(s.Sets(), func(set string) bool { name, _, _ := strings.Cut(set, "="); return runs(name) }) {
			return true
		}
		if c.usesPrinted(s) {
			return true
		}
		if len(words) == 0 {
			continue
		}
		if (s.fed || s.more != nil && len(s.more.redirs) > 0) && known.ScriptProgram(words) != "" { // its input may hold command lines
			return true
		}
		if texts, all := known.Embedded(words); len(texts) > 0 || !all || known.Wraps(words[0]) || slices.ContainsFunc(words[1:], isText) && known.RunsText(words) {
			return true
		}
	}
	return c.makesItself() // what takes longest
}

// makesItself reports whether the text runs a file that it writes.
func (c *Command) makesItself() bool {
	if len(c.Simples) < 2 || !slices.ContainsFunc(c.Simples, func(s Simple) bool { return s.more != nil && len(s.more.redirs) > 0 || known.Writer(s.Words) }) {
		return false
	}
	list, whole := c.Seen(make([]Seen, 0, len(c.Simples)))
	left := MaxFilled
	m := makes(list, new(inputRunners), &left)
	return !whole || m.cut || m.itself() || len(m.makers(list)) > 0
}

// isText reports whether a word could be a command line rather than a word of
// one.
func isText(w string) bool { return strings.ContainsAny(w, " \t\n;&|`$(<>\"'\\") }
