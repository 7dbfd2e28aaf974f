package shell

import (
	"slices"

	"github.com/agent-pdp/pdp/internal/programs"
)

// given judges what xargs runs. What it adds does not stand in the text, so the
// program must be one that does no harm to any file, and if it looks into files
// they must be those that a command of the text finds: such a search could be
// made without xargs as well. ok is false if it is judged like any other command.
func (cov *coverer) given(s *Simple) (entry, why string, ok bool) {
	if cov.m != Precise || len(s.Words) == 0 || !s.settled() || !cov.systemProgram(s.Words[0]) {
		return "", "", false
	}
	inner, mark, ok := cov.Table.Given(s.Words)
	switch {
	case !ok || !cov.systemProgram(inner[0]):
		return "", "", false
	case !cov.Table.TakesAnyNames(inner[0]) && !(cov.Table.TakesFoundNames(inner[0]) && programs.WholeNames(inner, mark) && cov.foundFor(s)):
		return "", "", false
	}
	if entry, ok = cov.listed(phrase{words: inner, simple: &Simple{Words: inner}}); !ok {
		return "", "", false
	}
	return entry, cov.redirections(s), true
}

// settled reports whether the text shows every word, and the command is given
// nothing but what a pipe brings.
func (s *Simple) settled() bool {
	return s.more == nil || len(s.more.open) == 0 && len(s.more.sets) == 0 && !slices.ContainsFunc(s.more.redirs, func(r Redirection) bool {
		return r.Op != ">" && r.Op != ">>" && r.Op != ">&"
	})
}

// foundFor reports whether all that a command reads are names of files that
// another command of the text finds.
func (cov *coverer) foundFor(s *Simple) bool {
	for s.feeder > 0 {
		s = &cov.c.Simples[s.feeder-1]
		switch {
		case len(s.Words) == 0 || !cov.systemProgram(s.Words[0]):
			return false
		case cov.Table.ListsFiles(s.Words):
			return s.settledOutput()
		case !s.settled() || !cov.Table.PassesNames(s.Words):
			return false
		}
	}
	return false
}

// Feeders are the commands whose output reaches the ith one through pipes, from
// the nearest to the first, as far as that can be told.
func (c *Command) Feeders(i int) (list []*Simple) {
	for s := &c.Simples[i]; s.feeder > 0 && len(list) < maxCommands; {
		s = &c.Simples[s.feeder-1]
		list = append(list, s)
	}
	return list
}

// settledOutput reports whether words that the shell fills in are at most
// patterns for the names of files.
func (s *Simple) settledOutput() bool {
	return s.more == nil || len(s.more.sets) == 0 && !slices.ContainsFunc(s.more.open, func(o open) bool { return o.values == nil })
}

// executed judges the commands that find runs for what it comes across, as given
// does those of xargs.
func (cov *coverer) executed(p phrase) (entry string, ok bool) {
	if cov.m != Precise || !p.literal(0, len(p.words)) || !cov.systemProgram(p.words[0]) {
		return "", false
	}
	rest, inner, ok := cov.Table.Executed(p.words)
	if !ok || !cov.Table.ListsFiles(rest) {
		return "", false
	}
	if entry, ok = cov.listed(phrase{words: rest, simple: &Simple{Words: rest}}); !ok {
		return "", false
	}
	for _, words := range inner {
		if !cov.systemProgram(words[0]) || !cov.Table.TakesFoundNames(words[0]) || !programs.WholeNames(words, "{}") {
			return "", false
		}
		if _, ok := cov.listed(phrase{words: words, simple: &Simple{Words: words}}); !ok {
			return "", false
		}
	}
	return entry, true
}
