package pattern

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
)

// Anchored reports whether a pattern begins at the root of the file system, so
// that links in it can lead elsewhere.
func (p Paths) Anchored() bool {
	for i := range p.rules {
		if p.rules[i].start != "" {
			return true
		}
	}
	return false
}

// Linked returns the list as it reads where the links are followed that its
// anchored patterns name before their first wildcard; resolve follows them, or
// returns "" for what it cannot. It reports whether any of them led elsewhere.
func (p Paths) Linked(resolve func(path string) string) (Paths, bool) {
	moved := false
	led := make([][]string, len(p.rules)) // by rule: the components before its first wildcard
	for i := range p.rules {
		start := p.rules[i].start
		if start == "" {
			continue
		}
		if to := resolve(start); to != "" && to != "/" && paths.Fold(to) != paths.Fold(start) {
			led[i], moved = split(paths.Fold(to), nil), true
		}
	}
	if !moved {
		return Paths{}, false
	}
	linked := Paths{literal: map[string][]int{}}
	for i, c := range p.rules {
		if led[i] != nil {
			rest := c.parts[strings.Count(c.start, "/"):]
			c.parts = append(led[i], rest...)
			c.prefix, c.suffix = surroundings(c.parts[0])
		}
		linked.add(c)
	}
	return linked, true
}

// literalPrefix is the path before the first component of an absolute pattern
// that holds a wildcard, without needless slashes; "" if there is none.
func literalPrefix(text string) string {
	prefix := ""
	for part := range strings.SplitSeq(text, "/") {
		switch {
		case strings.ContainsAny(part, meta):
			return prefix
		case part != "" && part != ".":
			prefix += "/" + part
		}
	}
	return prefix
}

const meta = "*?[]\\"

// surroundings is what a component has before and after its wildcards.
func surroundings(component string) (prefix, suffix string) {
	return component[:max(0, strings.IndexAny(component, meta))], component[strings.LastIndexAny(component, meta)+1:]
}
