package shell

import (
	"errors"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/programs"
)

// Restrictions is a compiled list of command prefixes for a list that denies
// or asks. The zero value matches nothing.
type Restrictions struct{ root *node }

// CompileRestrictions compiles a list; the program's name is matched without
// regard to letter case. Entries that mean nothing are reported.
func CompileRestrictions(entries []string) (Restrictions, []EntryError) {
	root, bad := compileEntries(entries, strings.ToLower)
	for i, entry := range entries {
		words, err := entryWords(entry)
		if err == nil && slices.ContainsFunc(words, glued) {
			bad = append(bad, EntryError{i, entry, errGlued})
		}
	}
	return Restrictions{root}, bad
}

var errGlued = errors.New("holds a * or an operator of the shell, and would restrict nothing; write the words that the command begins with")

// glued reports whether a word of an entry can be no word of a command: a
// restriction that matches nothing must not look like one.
func glued(w string) bool { return w == "*" || strings.HasSuffix(w, ";") || strings.HasSuffix(w, "&") }

// Empty reports whether the list has no usable entry.
func (r Restrictions) Empty() bool { return r.root == nil || len(r.root.next) == 0 }

// Matches reports whether an entry names one of the commands, also behind a
// wrapper (sudo, env, xargs, find -exec …), under a directory (/bin/rm), and
// with options between the entry's words.
// left is how many words may be put together for it; if they do not do, that is a
// hit without an entry.
func (r Restrictions) Matches(seen []Seen, left *int) (entry string, ok bool) {
	if r.Empty() {
		return "", false
	}
	v := valuesOf(seen, left)
	v.configured(seen)
	m := newMatcher(r.root)
	for _, s := range seen {
		if entry, ok := m.words(s.Words); ok {
			return entry, true
		}
		for _, words := range v.variants(s) {
			if entry, ok := m.words(words); ok {
				return entry, true
			}
		}
	}
	return "", *left <= 0 // there may be more
}

// MatchesPlain is Matches without what the shell may make of the words.
func (r Restrictions) MatchesPlain(seen []Seen) (entry string, ok bool) {
	if r.Empty() {
		return "", false
	}
	m := newMatcher(r.root)
	for _, s := range seen {
		if entry, ok := m.words(s.Words); ok {
			return entry, true
		}
	}
	return "", false
}

// matcher compares the commands of one text with a list. A text that would take
// it more than the bound is a hit without an entry.
type matcher struct {
	root  *node
	left  int                    // steps
	wilds map[string]*paths.Wild // the words that are patterns
}

const (
	// maxSteps bounds the words that are compared with the list.
	maxSteps = 1 << 13
	// maxBetween bounds the words between two words of an entry; nobody writes
	// more, so more is a hit.
	maxBetween = 200
	// What costs about as much as a step: names to compare with the beginning of a
	// pattern, and bytes of a pattern to prepare. Comparing the whole costs more.
	namesOfStep, bytesOfStep, stepsOfMatch = 8, 16, 4
)

func newMatcher(root *node) *matcher { return &matcher{root: root, left: maxSteps} }

func (m *matcher) words(words []string) (entry string, ok bool) {
	for start, w := range known.Programs(words) {
		if entry, ok := m.program(w, words[start+1:]); ok {
			return entry, true
		}
	}
	if !slices.ContainsFunc(words, isGlob) {
		return "", false
	}
	for at := range known.Run(words) { // its name may be filled in from file names
		if isGlob(words[at]) {
			if entry, ok := m.filledIn(m.root, baseName(words[at]), words[at+1:]); ok {
				return entry, true
			}
		}
	}
	return "", false
}

func isGlob(w string) bool { return strings.ContainsAny(w, "*?[") }

func (m *matcher) program(w string, rest []string) (string, bool) {
	if m.left -= 1 + len(w)/bytesOfStep; m.left <= 0 {
		return "", true
	}
	for _, name := range [...]string{strings.ToLower(w), baseName(w), known.Name(w)} {
		if child := m.root.next[name]; child != nil {
			if entry, ok := m.restricts(child, rest); ok {
				return entry, true
			}
		}
	}
	return "", false
}

// restricts walks the list with the words behind the program; options, and
// what may be their values, may stand between the words of an entry.
func (m *matcher) restricts(n *node, words []string) (string, bool) {
	if n.entry != "" {
		return n.entry, true
	}
	for i, w := range words {
		if m.left--; m.left <= 0 || i == maxBetween || w == anyWord {
			return "", true
		}
		if child := n.next[w]; child != nil {
			if entry, ok := m.restricts(child, words[i+1:]); ok {
				return entry, true
			}
		}
		value := i > 0 && strings.HasPrefix(words[i-1], "-")
		if !value && isGlob(w) {
			if entry, ok := m.filledIn(n, w, words[i+1:]); ok {
				return entry, true
			}
		}
		if !value && !strings.HasPrefix(w, "-") {
			break
		}
	}
	return "", false
}

// filledIn matches a word that the shell fills in from file names.
func (m *matcher) filledIn(n *node, w string, rest []string) (string, bool) {
	wild := m.wilds[w]
	if wild == nil {
		m.left -= len(w) / bytesOfStep
		prepared := paths.NewWild(paths.Lossy(w))
		wild = &prepared
		if m.wilds == nil {
			m.wilds = map[string]*paths.Wild{}
		}
		m.wilds[w] = wild
	}
	if names := len(n.next); wild.Selective() {
		m.left -= names / namesOfStep
	} else {
		m.left -= names * stepsOfMatch
	}
	if m.left <= 0 {
		return "", true
	}
	for name, child := range n.next {
		if wild.MayFill(name) {
			if entry, ok := m.restricts(child, rest); ok {
				return entry, true
			}
		}
	}
	return "", false
}

// known is the table that lists and floors which restrict look words up in. An
// operator's own additions are about what may be vouched for.
var known = programs.Builtin()
