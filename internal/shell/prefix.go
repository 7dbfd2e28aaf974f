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
