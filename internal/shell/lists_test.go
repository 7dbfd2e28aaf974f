package shell

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// whole is the list that names every command of a text in full.
func (a analysis) whole() (entries []string) {
	for _, p := range a.commands {
		entries = append(entries, beginnings(p.known())...)
	}
	return entries
}

// beginnings are the list entries that a command may fall under: its own words
// and those behind a wrapper, whole and short.
func beginnings(words []string) (entries []string) {
	for first := range min(len(words), 5) {
		if first > 0 && !isWrapper(words[0]) && !passesOn[words[0]] {
			break
		}
		rest := words[first:]
		if at := slices.IndexFunc(rest, func(w string) bool { return acts[w] }); at >= 0 {
			rest = rest[:at+1] // more words would vouch for a text that the reference does not read
		}
		entries = append(entries, entry(rest))
		for n := min(len(rest)-1, 4); n > 0; n-- {
			entries = append(entries, entry(rest[:n]))
		}
	}
	return entries
}

// entry writes words as an entry that is split into the same ones.
func entry(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
	}
	return strings.Join(quoted, " ")
}

var noise = []string{"git", "ls", "cat", "git status", "git log", "echo", "grep", "head", "timeout", "bash", "nice", "env", "x", "sh -c"}

// randomEntries draws an allowlist: for most commands of the text an entry, short
// or long, now and then for all but one, and some that have to do with nothing.
func (a analysis) randomEntries(random *rand.Rand, text string) (entries []string) {
	left := -1
	if random.IntN(2) == 0 && len(a.commands) > 0 {
		left = random.IntN(len(a.commands))
	}
	for i, p := range a.commands {
		if i == left || len(p.known()) == 0 {
			continue
		}
		all := beginnings(p.known())
		if isWrapper(p.words[0]) && random.IntN(2) == 0 {
			entries = append(entries, all...)
		}
		entries = append(entries, all[random.IntN(len(all))])
		if random.IntN(2) == 0 {
			entries = append(entries, entry(p.words[:1]))
		}
	}
	if len(a.commands) == 0 || random.IntN(3) == 0 {
		for w := range slices.Values(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(blanksAndOperators, r) })) {
			if random.IntN(3) == 0 && !acts[w] {
				entries = append(entries, entry([]string{w}))
			}
		}
	}
	if random.IntN(3) == 0 {
		entries = append(entries, noise[random.IntN(len(noise))])
	}
	return entries
}
