package programs

import "strings"

// Suggest returns how many words of the command make the shortest list entry
// that would vouch for it and is safe to grant: never one for an interpreter, a
// wrapper or a package runner, nor for a program of which a subcommand decides
// what it does without that subcommand.
func (t *Table) Suggest(words []string) (n int, ok bool) {
	name := t.Name(words[0])
	f := t.fact(words)
	switch {
	case f.suggest == 1, t.kinds[name] != Plain && t.facts[name].reading == nil:
		return 0, false
	case f.suggest > 1:
		n = f.suggest - 1
	case t.knows(name) && systemProgram(words[0]):
		n = 1
	case len(words) > 1 && subcommand(words[1]):
		n = 2 // of a program that nobody described, no more than what it was asked to do
	default:
		n = len(words)
	}
	if n > len(words) || n > maxSuggested {
		return 0, false
	}
	for _, w := range words[1:min(n, 3)] {
		if n <= 3 && !subcommand(w) && t.knows(name) {
			return 0, false
		}
	}
	_, ok = t.Vouch(words, n, Precise)
	return n, ok
}

const maxSuggested = 8

// subcommand reports whether a word looks like the name of a subcommand.
func subcommand(w string) bool {
	return w != "" && w[0] != '-' && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:") == ""
}
