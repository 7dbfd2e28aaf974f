// Package suffix knows the Public Suffix List: the names, such as com, co.uk and
// github.io, under which strangers hold neighbouring names.
//
// It reads the list itself because the packages that do so bring net/http with
// them, and an engine that decides must not. The list is a copy; a suffix that is
// younger than the copy is not known.
package suffix

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed list.txt
var list string

// kind is what the list says of a name.
type kind uint8

const (
	plain     kind = 1 << iota // the name is a suffix
	wildcard                   // each of its children is one
	exception                  // it is none, although its parent says so
)

var rules = sync.OnceValue(func() map[string]kind {
	table := make(map[string]kind, 12_000)
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case strings.HasPrefix(line, "*."):
			table[line[2:]] |= wildcard
		case strings.HasPrefix(line, "!"):
			table[line[1:]] |= exception
		default:
			table[line] |= plain
		}
	}
	return table
})

// Is reports whether a lower-case host of A-labels is a listed public suffix, or
// the parent of a listed wildcard, all of whose children belong to strangers.
func Is(host string) bool {
	table := rules()
	k := table[host]
	if k&exception != 0 {
		return false
	}
	if k&(plain|wildcard) != 0 {
		return true
	}
	_, parent, ok := strings.Cut(host, ".")
	return ok && table[parent]&wildcard != 0
}
