package shell

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/programs"
)

// ReadOnly reports whether the text is a pipeline of programs that only read
// and print; what they read is another question ([Command.Reads]).
func (c *Command) ReadOnly(t *programs.Table) bool {
	if !c.understood || c.beyond != "" || !c.Pipeline || strings.ContainsAny(c.Text, "#`$\n") {
		return false
	}
	for i := range c.Simples {
		if !t.ReadOnly(c.Simples[i].Words) {
			return false
		}
	}
	return true
}

// Reads returns every word that a read-only text may open as a file, relative
// ones as given. The current directory is always among them, since most of
// these programs fall back to it.
func (c *Command) Reads(t *programs.Table) []string {
	targets := []string{"."}
	for i := range c.Simples {
		targets = append(targets, t.Reads(c.Simples[i].Words)...)
	}
	return targets
}
