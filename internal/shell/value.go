package shell

import (
	"slices"
	"strings"
)

// open is a word that the shell still fills in.
type open struct {
	word   int // index into Words
	parts  []part
	values []value // all that the word can be; nil if the text does not tell
}

// value is one text that a word can be.
type value struct {
	text string
	// pattern is set if the shell matches the text against file names, so that
	// the word becomes any number of names of that form.
	pattern bool
}

const (
	maxValues    = 64
	maxParts     = 64
	maxValueText = 4096
)

// resolve works out what open words can be: from variables that the text sets
// to literal texts, from the words of loops, and from here-documents that cat
// only passes on. Words that turn out to be one literal text are closed.
func (c *Command) resolve() {
	vars := c.variables()
	for i := range c.Simples {
		s := &c.Simples[i]
		if s.more == nil {
			continue
		}
		s.more.open = slices.DeleteFunc(s.more.open, func(o open) bool {
			text, exact := c.exact(o.parts, i, vars)
			if exact {
				s.Words[o.word] = text
			}
			return exact
		})
		for j := range s.more.open {
			o := &s.more.open[j]
			o.values = c.values(o.parts, i, vars)
		}
		if len(s.Words) == 0 {
			c.assign(s, i, vars)
		}
	}
}

// variables returns the state of variables before the first command: nil for
// names whose value the text does not show at every point.
func (c *Command) variables() map[string]*string {
	vars := map[string]*string{}
	for i := range c.Simples {
		s := &c.Simples[i]
		if s.more != nil {
			for _, a := range s.more.sets {
				// A redirection that fails keeps some shells from assigning.
				if !s.straight || len(s.Words) > 0 || len(s.more.redirs) > 0 {
					vars[a.name] = nil
				}
				c.markSet(a.name)
			}
		}
		c.setByBuiltin(s)
	}
	for _, l := range c.loops {
		vars[l.name] = nil
		c.markSet(l.name)
	}
	return vars
}

// markSet counts how often the text sets a variable.
func (c *Command) markSet(name string) {
	if c.sets == nil {
		c.sets = map[string]int{}
	}
	c.sets[name]++
}

// setByBuiltin notes that a command may set variables, and which: the loop
// variable that a read inside the loop fills in holds no word of the loop.
func (c *Command) setByBuiltin(s *Simple) {
	at := slices.IndexFunc(s.Words, func(w string) bool { return setters[w] })
	if at < 0 {
		return
	}
	c.setsVars = true
	if name := s.Words[at]; name == "set" || name == "printf" && at+1 < len(s.Words) && s.opened(at+1) == nil && !strings.HasPrefix(s.Words[at+1], "-v") {
		return // positional parameters, and a text
	}
	for i, w := range s.Words[at:] {
		c.setsAny = c.setsAny || codeBuiltins[w] || s.opened(at+i) != nil
		if n := nameLength(w); n > 0 {
			c.markSet(w[:n])
		}
	}
}

// codeBuiltins may set any variable.
var codeBuiltins = wordSet("eval source .")

// setters are builtins that may set variables.
var setters = wordSet("read export declare typeset local readonly unset printf mapfile readarray getopts let eval source . set")

func (c *Command) assign(s *Simple, i int, vars map[string]*string) {
	for _, a := range s.more.sets {
		if _, poisoned := vars[a.name]; poisoned && vars[a.name] == nil {
			continue
		}
		text, exact := a.value.text, a.value.parts == nil
		if !exact {
			text, exact = c.exact(a.value.parts, i, vars)
		}
		if !exact || len(text) > maxValueText {
			vars[a.name] = nil
			continue
		}
		vars[a.name] = &text
	}
}

// exact returns the one text that the parts stand for, if there is one.
func (c *Command) exact(parts []part, i int, vars map[string]*string) (string, bool) {
	var b strings.Builder
	for _, p := range parts {
		switch p.kind {
		case literalPart:
			b.WriteString(p.text)
		case variablePart:
			text := vars[p.text]
			if text == nil || c.setsVars || c.loopOf(p.text, i) != nil || !p.quoted && (splits(*text) || c.sets["IFS"] > 0) {
				return "", false
			}
			b.WriteString(*text)
		case commandPart:
			body, ok := c.passedOn(p)
			if !ok || !p.quoted && splits(body) {
				return "", false
			}
			b.WriteString(body)
		default:
			return "", false
		}
		if b.Len() > maxValueText {
			return "", false
		}
	}
	return b.String(), true
}

// splits reports whether an unquoted text may become other words.
func splits(text string) bool { return text == "" || strings.ContainsAny(text, " \t\n*?[\\") }

// passedOn returns the text of "$(cat <<'EOF' … EOF)".
func (c *Command) passedOn(p part) (string, bool) {
	if p.to-p.from != 1 {
		return "", false
	}
	s := &c.Simples[p.from]
	if len(s.Words) != 1 || s.Words[0] != "cat" || s.more == nil || len(s.more.sets) > 0 || len(s.more.redirs) != 1 || s.more.redirs[0].Op != "<<" || s.more.redirs[0].FD > 0 {
		return "", false
	}
	s.passes = true
	return strings.TrimRight(s.more.redirs[0].Text, "\n"), true
}

func (c *Command) loopOf(name string, i int) *loop {
	for j := range c.loops {
		if l := &c.loops[j]; l.name == name && l.from <= i && i < l.to {
			return l
		}
	}
	return nil
}

// values returns everything that the parts can stand for, or nil.
func (c *Command) values(parts []part, i int, vars map[string]*string) []value {
	list := []value{{}}
	for n, p := range parts {
		next := c.partValues(p, i, vars)
		if next == nil || len(list)*len(next) > maxValues || n == maxParts {
			return nil
		}
		joined := make([]value, 0, len(list)*len(next))
		for _, a := range list {
			for _, b := range next {
				if len(a.text)+len(b.text) > maxValueText {
					return nil
				}
				joined = append(joined, value{a.text + b.text, a.pattern || b.pattern})
			}
		}
		list = joined
	}
	return list
}

func (c *Command) partValues(p part, i int, vars map[string]*string) []value {
	switch p.kind {
	case literalPart:
		return []value{{text: p.text}}
	case patternPart:
		return []value{{p.text, true}}
	case homePart:
		return []value{{text: "~"}}
	case numberPart:
		return []value{{text: "0"}}
	case commandPart:
		if body, ok := c.passedOn(p); ok && (p.quoted || !splits(body)) {
			return []value{{text: body}}
		}
		return nil
	}
	if l := c.loopOf(p.text, i); l != nil && c.sets[l.name] == 1 && !c.setsAny {
		return c.loopValues(l, p, vars)
	}
	if c.setsVars {
		return nil
	}
	if text := vars[p.text]; text != nil {
		if p.quoted || !splits(*text) {
			return []value{{text: *text}}
		}
		return nil
	}
	if _, set := vars[p.text]; !set {
		// The runtime's own; the directory that the text starts in is ".".
		switch {
		case p.text == "HOME":
			return []value{{text: "~"}}
		case p.text == "PWD" && len(c.Changes) == 0:
			return []value{{text: "."}}
		}
	}
	return nil
}

func (c *Command) loopValues(l *loop, p part, vars map[string]*string) []value {
	var list []value
	for _, w := range l.words {
		values := []value{{text: w.text}}
		if w.parts != nil {
			// At an index before every loop: a loop's words are those of before it,
			// and what another loop gives is not followed.
			values = c.values(w.parts, -1, vars)
		}
		if values == nil || len(list)+len(values) > maxValues {
			return nil
		}
		for _, v := range values {
			if !p.quoted && (v.pattern || splits(v.text)) {
				return nil // a file's name may hold blanks, and so become several words
			}
			list = append(list, v)
		}
	}
	return list
}

// Values returns every text that the ith word can be, file name patterns as
// they are written; ok is false if the text does not tell.
func (s *Simple) Values(i int) (texts []string, ok bool) {
	o := s.opened(i)
	if o == nil {
		return []string{s.Words[i]}, true
	}
	for _, v := range o.values {
		texts = append(texts, v.text)
	}
	return texts, o.values != nil
}
