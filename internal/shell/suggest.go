package shell

import (
	"slices"
	"strings"
)

// Suggest returns the shortest prefixes that would vouch for the parts of the
// text that the lists do not vouch for, as list entries. It returns none unless
// all of them together would let the whole text run: a person who is offered
// "always" must not be asked again, nor grant more than it takes.
func (c *Command) Suggest(m Matching, lists Lists) []string {
	if c.Opaque(m) != "" {
		return nil
	}
	cov := coverer{Lists: lists, c: c, m: m}
	var entries []string
	for i := range c.Simples {
		s := &c.Simples[i]
		if _, why := cov.simple(s); why == "" || len(s.Words) == 0 {
			continue
		}
		entry, ok := cov.suggestion(phrase{words: s.Words, simple: s}, 0)
		if !ok {
			return nil
		}
		if !slices.Contains(entries, entry) {
			entries = append(entries, entry)
		}
	}
	if len(entries) == 0 {
		return nil
	}
	extra, bad := CompilePrefixes(entries)
	if len(bad) > 0 || !c.Cover(m, Lists{lists.Table, append(append([]Prefixes(nil), lists.Prefixes...), extra)}).Covered {
		return nil
	}
	return entries
}

func (cov *coverer) suggestion(p phrase, wrappers int) (string, bool) {
	if cov.m == Precise && wrappers < maxWrappers {
		if at, ok := cov.Table.Inner(p.words); ok && cov.systemProgram(p.words[0]) && p.literal(0, at+1) {
			return cov.suggestion(p.behind(at), wrappers+1)
		}
	}
	n, ok := cov.Table.Suggest(p.words)
	if !ok || !p.literal(0, n) {
		return "", false
	}
	return quoteEntry(p.words[:n]), true
}

// quoteEntry writes words as a list entry, which is split by the rules of Split.
func quoteEntry(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.ContainsAny(w, " \t\r\n'\"\\;|&<>") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
