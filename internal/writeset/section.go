package writeset

import "slices"

// section is what is known of one file's part of a diff. Names are kept until
// its end, since what happens to them may be said further down.
type section struct {
	names []Path

	git         bool // below "diff --git "
	change      bool // a git header line that is a change by itself
	minus, plus bool // a "--- ", a "+++ " line was seen
	minusFile   bool // and it names a file
	plusFile    bool
	hunk        bool // a hunk or a binary body was seen
	indented    bool // a header that only patch(1) takes for one

	created, deleted, mode, link bool

	target  string // of a link: the first added line
	targets int    // added lines
}

// add appends a name; a section is small unless it is hostile, and then
// the collector removes what is double.
func (s *section) add(text string, op Op) {
	p := Path{Text: text, Op: op}
	if len(s.names) < 32 && slices.Contains(s.names, p) {
		return
	}
	s.names = append(s.names, p)
}

// added takes the text of an added line, which is where a link points.
func (s *section) added(text string) {
	if s.targets == 0 {
		s.target = text
	}
	s.targets++
}

// whole reports whether the section is a change that an applier can make: a
// new name; or an old name and a deletion with a body; or a git header with a
// line that says what happens. Headers that not every applier sees do not count:
// what they name is judged, but they do not make a text readable.
func (s *section) whole() bool {
	switch {
	case len(s.names) == 0 || s.indented:
		return false
	case s.plusFile:
		return true
	case s.plus && s.minusFile:
		return s.hunk || s.git && s.deleted
	}
	return s.git && s.change
}

// op is what happens to the names that do not say it themselves.
func (s *section) op() Op {
	switch {
	case s.deleted:
		return Delete
	case s.link:
		return Link
	case s.created:
		return Create
	case s.mode && !s.hunk && !s.plus:
		return Mode
	}
	return Write
}

// flush ends the section: its names go to the set, and the next one starts.
func (d *differ) flush() {
	s := &d.sec
	d.whole = d.whole || s.whole()
	if s.git && len(s.names) == 0 {
		d.unsure(unsureGitNames)
	}
	op := s.op()
	target := ""
	if op == Link {
		target = s.target
		if s.targets > 1 {
			d.unsure(unsureLink)
		}
	}
	for _, p := range s.names {
		if p.Op == Write || op == Link {
			p.Op = op
			p.Target = target
		}
		d.collector.add(p)
	}
	*s = section{names: s.names[:0]}
}
