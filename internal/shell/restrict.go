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
func (r Restrictions) Matches(seen []Seen) (entry string, ok bool) {
	if r.Empty() {
		return "", false
	}
	v := valuesOf(seen)
	v.configured(seen)
	for _, s := range seen {
		if entry, ok := r.words(s.Words); ok {
			return entry, true
		}
		for _, words := range v.variants(s) {
			if entry, ok := r.words(words); ok {
				return entry, true
			}
		}
	}
	if v.left <= 0 { // there may be more
		return r.root.anyEntry(), true
	}
	return "", false
}

// MatchesPlain is Matches without what the shell may make of the words.
func (r Restrictions) MatchesPlain(seen []Seen) (entry string, ok bool) {
	if r.Empty() {
		return "", false
	}
	for _, s := range seen {
		if entry, ok := r.words(s.Words); ok {
			return entry, true
		}
	}
	return "", false
}

func (r Restrictions) words(words []string) (entry string, ok bool) {
	for start, w := range known.Programs(words) {
		if entry, ok := r.program(w, words[start+1:]); ok {
			return entry, true
		}
		if start == 0 {
			if entry, ok := r.pattern(w, words[1:]); ok {
				return entry, true
			}
		}
	}
	return "", false
}

func (r Restrictions) program(w string, rest []string) (string, bool) {
	for _, name := range [...]string{strings.ToLower(w), baseName(w), known.Name(w)} {
		if child := r.root.next[name]; child != nil {
			if entry, ok := child.restricts(rest); ok {
				return entry, true
			}
		}
	}
	return "", false
}

// pattern matches a program's name that the shell fills in from file names.
func (r Restrictions) pattern(w string, rest []string) (string, bool) {
	if !strings.ContainsAny(w, "*?[") {
		return "", false
	}
	return r.root.filledIn(baseName(w), rest)
}

// maxBetween bounds the words between two words of an entry; nobody writes
// more, so more is a hit.
const maxBetween = 200

// restricts walks the list with the words behind the program; options, and
// what may be their values, may stand between the words of an entry.
func (n *node) restricts(words []string) (string, bool) {
	if n.entry != "" {
		return n.entry, true
	}
	for i, w := range words {
		if i == maxBetween {
			return n.anyEntry(), true
		}
		if w == anyWord {
			return n.anyEntry(), true
		}
		if child := n.next[w]; child != nil {
			if entry, ok := child.restricts(words[i+1:]); ok {
				return entry, true
			}
		}
		if strings.ContainsAny(w, "*?[") && (i == 0 || !strings.HasPrefix(words[i-1], "-")) {
			if entry, ok := n.filledIn(w, words[i+1:]); ok {
				return entry, true
			}
		}
		if !strings.HasPrefix(w, "-") && (i == 0 || !strings.HasPrefix(words[i-1], "-")) {
			break
		}
	}
	return "", false
}

// filledIn matches a word that the shell fills in from file names.
func (n *node) filledIn(w string, rest []string) (string, bool) {
	wild := paths.NewWild(paths.Lossy(w))
	for name, child := range n.next {
		if entry, ok := child.restricts(rest); ok && wild.MayFill(name) {
			return entry, true
		}
	}
	return "", false
}

func (n *node) anyEntry() string {
	for n.entry == "" {
		for _, child := range n.next {
			n = child
			break
		}
	}
	return n.entry
}

// known is the table that lists and floors which restrict look words up in. An
// operator's own additions are about what may be vouched for.
var known = programs.Builtin()
