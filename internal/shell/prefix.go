package shell

import (
	"errors"
	"strings"
)

// Prefixes is a compiled list of command prefixes. A lookup costs the length
// of the command, not of the list. The zero value matches nothing.
type Prefixes struct{ root *node }

type node struct {
	next  map[string]*node
	entry string // the list entry that ends here; empty if none does
}

// EntryError says why a list entry means nothing safe.
type EntryError struct {
	Index int
	Entry string
	Err   error
}

func (e EntryError) Error() string { return e.Err.Error() }

var (
	errBlank    = errors.New("is blank; write the words that the command begins with, such as git status")
	errCompound = errors.New("holds an operator of the shell and can match no single command; list each command by itself")
)

// CompilePrefixes compiles a list. Entries that mean nothing safe are left out
// and reported.
func CompilePrefixes(entries []string) (Prefixes, []EntryError) {
	root, bad := compileEntries(entries, func(program string) string { return program })
	return Prefixes{root}, bad
}

// compileEntries builds the trie of a list; key is how a program's name is
// looked up.
func compileEntries(entries []string, key func(program string) string) (*node, []EntryError) {
	root := &node{}
	var bad []EntryError
	for i, entry := range entries {
		words, err := entryWords(entry)
		if err != nil {
			bad = append(bad, EntryError{i, entry, err})
			continue
		}
		words[0] = key(words[0])
		root.add(words, entry)
	}
	return root, bad
}

func entryWords(entry string) ([]string, error) {
	words, err := Split(entry)
	switch {
	case err != nil:
		return nil, err
	case len(words) == 0 || words[0] == "":
		return nil, errBlank
	case isOperator(words):
		return nil, errCompound
	}
	return words, nil
}

func isOperator(words []string) bool {
	for _, w := range words {
		if w != "" && strings.Trim(w, ";|&<>") == "" {
			return true
		}
	}
	return false
}

func (n *node) add(words []string, entry string) {
	for _, w := range words {
		if n.next == nil {
			n.next = map[string]*node{}
		}
		child := n.next[w]
		if child == nil {
			child = &node{}
			n.next[w] = child
		}
		n = child
	}
	if n.entry == "" {
		n.entry = entry
	}
}

// Empty reports whether the list has no usable entry.
func (p Prefixes) Empty() bool { return p.root == nil || len(p.root.next) == 0 }

// vouch returns the longest entry that vouches for the command, and whether
// one does.
func (p Prefixes) vouch(words []string) (string, bool) {
	n, found := p.root, ""
	if n == nil {
		return "", false
	}
	for i, w := range words {
		if n = n.next[w]; n == nil {
			break
		}
		if n.entry != "" && vouches(words, i+1) {
			found = n.entry
		}
	}
	return found, found != ""
}

// Cover reports whether every simple command is vouched for by an entry of one
// of the lists; only then may the text run on their word.
func (c *Command) Cover(lists ...Prefixes) bool {
	if !c.understood || !c.Textual {
		return false
	}
	for i := range c.Simples {
		if c.Vouched(i, lists...) == "" {
			return false
		}
	}
	return true
}

// Vouched returns the entry that vouches for the ith simple command, or "".
func (c *Command) Vouched(i int, lists ...Prefixes) string {
	for j := range lists {
		if entry, ok := lists[j].vouch(c.Simples[i].Words); ok {
			return entry
		}
	}
	return ""
}

// ChangesTo returns the directories that cd commands of the text name, and
// false if one cannot be told: cd without an operand, cd -, an option; a second
// relative cd that may run although the first one failed; and a cd that climbs
// out of a directory that may be a link, where the shell and the file system
// disagree on the parent.
func (c *Command) ChangesTo() (dirs []string, ok bool) {
	for i := range c.Simples {
		words := c.Simples[i].Words
		if words[0] != "cd" {
			continue
		}
		if len(words) != 2 || strings.HasPrefix(words[1], "-") || words[1] == "" || climbsOut(words[1]) {
			return nil, false
		}
		last := i == len(c.Simples)-1 // nothing runs there
		if len(dirs) > 0 && !strings.HasPrefix(words[1], "/") && !last && (!c.chained || climbs(words[1])) {
			return nil, false
		}
		dirs = append(dirs, words[1])
	}
	return dirs, true
}

func climbs(dir string) bool { return dir == ".." || strings.HasPrefix(dir, "../") }

// climbsOut reports whether ".." follows a name: a/.. may be anywhere.
func climbsOut(dir string) bool {
	named := false
	for part := range strings.SplitSeq(dir, "/") {
		if part == ".." && named {
			return true
		}
		named = named || part != ".." && part != "." && part != ""
	}
	return false
}
