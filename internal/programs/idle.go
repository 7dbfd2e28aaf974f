package programs

import (
	"fmt"
	"slices"
)

// Idle says what an entry of an allowlist does not vouch for, although its
// author may think so: the bare name of a program that runs others, or words
// that no list lets pass. It is "" for an entry that does what it seems to. It
// is advice: no answer depends on it.
func (t *Table) Idle(words []string, m Matching) string {
	p := t.program(words[0])
	switch {
	case !t.reaches(words):
		names := "the program"
		if p.kind == Interpreter {
			names = "the script or module"
		}
		return fmt.Sprintf("vouches for next to nothing: the words behind %s decide what runs; add them, up to the name of %s", words[0], names)
	case t.usable(words, m):
		return ""
	case m == Strict && t.usable(words, Precise):
		return "vouches for nothing in strict matching, but would with command_matching: precise"
	default:
		return "vouches for nothing: no list lets these words pass"
	}
}

// usable reports whether some command is vouched for on the word of an entry.
func (t *Table) usable(words []string, m Matching) bool {
	if _, ok := t.Vouch(words, len(words), m); ok {
		return true
	}
	// It means something to every program: a script of sed or awk, or a file.
	const argument = "p"
	_, ok := t.Vouch(append(slices.Clip(words), argument), len(words), m)
	return ok
}

// reaches reports whether an entry names what its program goes on to run: a
// program behind a wrapper, a script of an interpreter.
func (t *Table) reaches(words []string) bool {
	name, p := t.lookup(words[0])
	last := words[len(words)-1]
	switch {
	case p == nil || p.kind == Plain || versionOnly[last] || onlyLooksUp(words, len(words)):
		return true
	case p.kind == Interpreter:
		return script(name, words) < len(words)
	case p.readingWords(words, len(words)) > 0:
		return true
	}
	h := p.wraps
	if h == nil {
		h = p.hands
	}
	if h == nil {
		return len(words) > 1
	}
	at, ok := h.inner(words)
	return ok && t.reaches(words[at:])
}
