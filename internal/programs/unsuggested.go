package programs

import (
	"fmt"
	"strings"
)

// Unsuggested says why Suggest has no entry for a command, for a person who
// wonders; empty if it has one.
func (t *Table) Unsuggested(words []string) string {
	if len(words) == 0 {
		return ""
	}
	if _, ok := t.Suggest(words); ok {
		return ""
	}
	name := words[0]
	p, sub := t.here(words)
	switch {
	case strings.Contains(name, "/"):
		return "an entry with a path would vouch for whatever lies there"
	case p == nil:
		return "nothing is known of what " + name + " does"
	case p.kind == Interpreter:
		return name + " runs code, and an entry would vouch for any"
	case p.kind != Plain:
		return name + " runs another program, and an entry would vouch for any"
	}
	n := max(p.least, 1)
	if sub != nil && sub.least != 0 {
		n = sub.least
		name += " " + words[1]
	}
	switch {
	case p.least == never || n == never:
		return "an entry for " + name + " is never suggested: it would vouch for more than is safe to allow once and for all"
	case len(words) > 1 && n > 1 && isOption(words[1]):
		return fmt.Sprintf("an option stands where an entry for %s names what it is to do", words[0])
	case len(words) < n:
		return fmt.Sprintf("an entry of %q alone would vouch for all that it can do; one that names what it is to do as well has %d words", strings.Join(words, " "), n)
	}
	for _, command := range [][]string{words, words[:n]} { // the second is an entry that would ask by itself
		found, ok := t.Vouch(command, 1, Precise)
		if ok || found.Index <= 0 || found.Index >= len(command) {
			continue
		}
		if found.Effect == None {
			return fmt.Sprintf("an entry for %s does not vouch for %q", words[0], command[found.Index])
		}
		return fmt.Sprintf("an entry for %s does not vouch for %q, which %s", words[0], command[found.Index], found.Effect)
	}
	return "an entry for " + name + " would not vouch for all of it"
}
