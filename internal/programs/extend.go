package programs

import (
	"fmt"
	"slices"
	"strings"
)

// SpecError says what is wrong with a stanza; nothing of it was used.
type SpecError struct {
	Index     int    // of the stanza
	Attribute string // empty if it is about the names
	Word      string
	Problem   string
}

func (e SpecError) Error() string {
	switch {
	case e.Attribute == "":
		return fmt.Sprintf("%q %s", e.Word, e.Problem)
	case e.Word == "":
		return e.Attribute + " " + e.Problem
	default:
		return fmt.Sprintf("%s: %q %s", e.Attribute, e.Word, e.Problem)
	}
}

// Extend returns a table that also knows the stanzas. They may say anything of
// new programs, but only add restrictions to those that t knows. Stanzas that
// mean nothing, or whose examples do not hold, are left out and reported.
func (t *Table) Extend(specs []Spec) (*Table, []SpecError) {
	extended, base := t.clone(), t
	if base == nil {
		base = &Table{}
	}
	var bad []SpecError
	for i, spec := range specs {
		trial := extended.clone()
		err := trial.add(spec, base.check)
		if err.Problem == "" {
			err = trial.examples(spec)
		}
		if err.Problem != "" {
			err.Index = i
			bad = append(bad, err)
			continue
		}
		extended = trial
	}
	return extended, bad
}

// license says what may not be said of a program. It returns the problem, or "".
type license func(name, attribute string) string

func freely(string, string) string { return "" }

// tightens are the attributes that can only make a known program's answers
// stricter.
var tightens = func() map[string]bool {
	set := wordSet("options hosts code ok ask")
	for _, e := range effects[1:] {
		set[e.attribute] = true
	}
	return set
}()

// check is the license of extensions.
func (t *Table) check(name, attribute string) string {
	bare, known := t.lookup(name)
	switch {
	case strings.ContainsAny(name, " \t\n"):
		return "is more than one name; write each as an entry of its own"
	case attribute == "" && (bare != name || name == "" || strings.HasPrefix(name, "-")):
		return "is no name of the table; write the program's plain name, or " + bare
	case known != nil && attribute != "" && !tightens[attribute]:
		return "cannot be said of a program that is known already; only restrictions can be added"
	}
	return ""
}

// add compiles a stanza. The table must be private to the caller; programs in
// it are replaced, never changed.
func (t *Table) add(spec Spec, may license) SpecError {
	if len(spec.Names) == 0 {
		return SpecError{Problem: "names no program"}
	}
	for _, full := range spec.Names {
		name, under, _ := strings.Cut(full, "/")
		if problem := may(name, ""); problem != "" {
			return SpecError{Word: full, Problem: problem}
		}
		changed := program{}
		if known := t.programs[name]; known != nil {
			changed = *known
		}
		changed.script, changed.secrets = scripts[name], secrets[name]
		target := &changed
		if under != "" {
			sub := program{}
			if known := changed.subs[under]; known != nil {
				sub = *known
			}
			target = &sub
		}
		for _, attribute := range attributeNames(spec) {
			if problem := may(name, attribute); problem != "" {
				return SpecError{Attribute: attribute, Problem: problem}
			}
			if word, problem := target.set(attribute, spec.Attributes[attribute]); problem != "" {
				return SpecError{Attribute: attribute, Word: word, Problem: problem}
			}
		}
		r, bad := newRule(spec, under)
		if bad.Problem != "" {
			return bad
		}
		if r != nil {
			changed.rules = append(slices.Clip(changed.rules), *r)
		}
		if under != "" {
			changed.subs = withSub(changed.subs, under, target)
		}
		t.programs[name] = &changed
	}
	return SpecError{}
}

func withSub(subs map[string]*program, name string, sub *program) map[string]*program {
	changed := map[string]*program{name: sub}
	for other, p := range subs {
		if other != name {
			changed[other] = p
		}
	}
	return changed
}

// attributeNames lists the stanza's attributes in a fixed order, so that the
// same stanza always gives the same error.
func attributeNames(spec Spec) []string {
	names := make([]string, 0, len(spec.Attributes))
	for name := range spec.Attributes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// newRule collects the asking words of a stanza; nil if it has none.
func newRule(spec Spec, under string) (*rule, SpecError) {
	r, asks := &rule{under: under}, false
	for _, w := range spec.Attributes["options"] {
		if !r.setOption(w) {
			return nil, SpecError{Attribute: "options", Word: w, Problem: "is no way of writing options"}
		}
	}
	for effect := Runs; int(effect) < len(effects); effect++ {
		attribute := effects[effect].attribute
		words := spec.Attributes[attribute]
		asks = asks || len(words) > 0
		if bad := r.addEffect(effect, words); bad != "" {
			return nil, SpecError{Attribute: attribute, Word: bad, Problem: "is not understood"}
		}
	}
	if !asks {
		return nil, SpecError{}
	}
	return r, SpecError{}
}

// set reads what is not about asking words. It returns a word and a problem.
func (p *program) set(attribute string, words []string) (word, problem string) {
	flags := map[string]*bool{"harmless": &p.harmless, "files": &p.files, "prints": &p.prints, "code": &p.code}
	switch attribute {
	case "options", "ok", "ask", "runs", "writes", "reads", "sends", "destroys", "publishes", "moves", "configures", "reveals":
		return "", "" // read by newRule and examples
	case "harmless", "files", "prints", "code":
		*flags[attribute] = true
		if len(words) > 0 {
			return words[0], "says nothing; the attribute has no words"
		}
	case "kind":
		kind, ok := kinds[strings.Join(words, " ")]
		if !ok {
			return strings.Join(words, " "), "is none of plain, wrapper, launcher, interpreter"
		}
		p.kind = kind
	case "wraps", "hands-over":
		h, bad := newHandover(words)
		if bad != "" {
			return bad, "is not understood"
		}
		if attribute == "wraps" {
			p.wraps = h
		} else {
			p.hands = h
		}
	case "reading":
		p.reading = wordSet(strings.Join(words, " "))
	case "stdin":
		p.dataIn = slices.Equal(words, []string{"data"})
		if !p.dataIn {
			return strings.Join(words, " "), `is not "data"`
		}
	case "words":
		p.says = append([]string{}, words...)
	case "operands":
		o, bad := newOperandRule(words)
		if bad != "" {
			return bad, "is not understood"
		}
		p.operands = o
	case "outputs":
		p.outputs = map[string]bool{}
		for _, w := range words {
			if w != "none" {
				p.outputs[w] = true
			}
		}
	case "hosts":
		// Adds to what is known: a stricter answer is one with more hosts.
		p.hosts = p.hosts.with(words)
	case "suggest":
		if len(words) == 0 || len(words[0]) != 1 && words[0] != "never" || len(words) > 1 && words[1] != "listed" || len(words) > 2 {
			return strings.Join(words, " "), "is neither a number of words nor never"
		}
		p.least, p.listed = int(words[0][0]-'0'), len(words) > 1
		if words[0] == "never" {
			p.least = never
		}
	default:
		return "", "is no attribute"
	}
	return "", ""
}

// examples tests a stanza's own.
func (t *Table) examples(spec Spec) SpecError {
	for _, row := range []struct {
		attribute string
		vouched   bool
		problem   string
	}{
		{"ok", true, "is not vouched for by the stanza's name"},
		{"ask", false, "is vouched for by the stanza's name"},
	} {
		for text := range strings.SplitSeq(strings.Join(spec.Attributes[row.attribute], " "), "|") {
			words := strings.Fields(text)
			if len(words) > 0 && t.exampleVouched(spec, words) != row.vouched {
				return SpecError{Attribute: row.attribute, Word: strings.TrimSpace(text), Problem: row.problem}
			}
		}
	}
	return SpecError{}
}

// exampleVouched asks for the entry made of the program and, where the stanza
// is about one or the command only reads with one, the sub-command.
func (t *Table) exampleVouched(spec Spec, words []string) bool {
	n := 1
	if p := t.program(words[0]); p != nil {
		n = max(n, p.readingWords(words, len(words)))
	}
	if len(words) > 1 && slices.ContainsFunc(spec.Names, func(name string) bool {
		_, sub, _ := strings.Cut(name, "/")
		return sub == words[1]
	}) {
		n = max(n, 2)
	}
	_, ok := t.Vouch(words, n, Precise)
	return ok
}

// Attributes returns the names of what a stanza can say, in the order of the
// table's explanation.
func Attributes() []string {
	names := []string{"kind", "options"}
	for _, e := range effects[1:] {
		names = append(names, e.attribute)
	}
	return append(names, "wraps", "hands-over", "reading", "harmless", "files", "prints", "code", "stdin", "words", "operands", "outputs", "hosts", "suggest", "ok", "ask")
}
