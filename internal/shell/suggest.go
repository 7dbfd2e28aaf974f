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

// Unsuggested says why Suggest has no entries for the text: for each of the
// first few commands that has none. It is empty if the text cannot be read, which
// is a reason of its own.
func (c *Command) Unsuggested(m Matching, lists Lists) string {
	const most = 3
	if c.Opaque(m) != "" {
		return ""
	}
	cov := coverer{Lists: lists, c: c, m: m}
	var reasons, entries []string
	for i := range c.Simples {
		s := &c.Simples[i]
		if _, why := cov.simple(s); why == "" || len(s.Words) == 0 {
			continue
		}
		if entry, ok := cov.suggestion(phrase{words: s.Words, simple: s}, 0); ok {
			entries = append(entries, entry)
			continue
		}
		if reason := cov.unsuggested(phrase{words: s.Words, simple: s}); !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
		if len(reasons) == most {
			break
		}
	}
	if len(reasons) == 0 {
		extra, _ := CompilePrefixes(entries)
		why := c.Cover(m, Lists{lists.Table, append(append([]Prefixes(nil), lists.Prefixes...), extra)}).Why
		if _, near, ok := strings.Cut(why, ": the entry "); ok { // the beginning is told anyway
			return "the entry " + near
		}
		return why
	}
	return strings.Join(reasons, "; ")
}

// unsuggested says why a command has no entry; behind wrappers, the command that
// they run.
func (cov *coverer) unsuggested(p phrase) string {
	for range maxWrappers {
		at, ok := cov.Table.Inner(p.words)
		if cov.m != Precise || !ok || !cov.systemProgram(p.words[0]) || !p.literal(0, at+1) {
			break
		}
		p = p.behind(at)
	}
	if _, shell, ok := cov.Table.InlineText(p.words); ok {
		return "for the text that " + shell + " is given no entries are worked out"
	}
	// An entry has so few words that what stands behind does not matter.
	words := append([]string(nil), p.words[:min(len(p.words), 16)]...)
	for i, w := range words {
		if len(w) > longestTold {
			words[i] = strings.ToValidUTF8(w[:longestTold], "") + "…"
		}
	}
	if reason := cov.Table.Unsuggested(words); reason != "" {
		return reason
	}
	return "the shell fills in a word that an entry would name, or more stands behind it than an entry vouches for"
}

// longestTold is how much of a word is told.
const longestTold = 60

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
