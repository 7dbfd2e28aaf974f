package programs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// SpecError says what is wrong with a stanza; nothing of it was used.
type SpecError struct {
	Index     int    // of the stanza
	Program   string // that it is about; empty if it names none
	Attribute string // empty if it is about the names
	Item      int    // of the attribute's words or the names; -1: all of them
	Word      string
	Problem   string
}

func (e SpecError) Error() string {
	if e.Attribute == "" {
		return e.Detail()
	}
	return e.Attribute + ": " + e.Detail()
}

// Detail is the error for a reader who sees the attribute beside it.
func (e SpecError) Detail() string {
	text := e.Problem
	if e.Word != "" {
		text = fmt.Sprintf("%q %s", e.Word, text)
	}
	if e.Program != "" && e.Program != e.Word {
		text = "of " + e.Program + ": " + text
	}
	return text
}

// Pointer is the JSON pointer to what is wrong, within the list of stanzas.
func (e SpecError) Pointer() string {
	name := e.Attribute
	if name == "" {
		name = "names"
	}
	if e.Item < 0 {
		return fmt.Sprintf("/%d/%s", e.Index, name)
	}
	return fmt.Sprintf("/%d/%s/%d", e.Index, name, e.Item)
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
			err = trial.runners(spec)
		}
		if err.Problem == "" {
			err = trial.examples(spec)
		}
		if err.Problem != "" {
			bad = append(bad, err.placed(i, spec))
			continue
		}
		for _, full := range spec.Names {
			name, _, _ := strings.Cut(full, "/")
			if p := trial.names.find(name); base.names.find(name) == nil && p != nil {
				p.globs = true // what it does with a pattern was not said
			}
		}
		extended = trial
	}
	return extended, bad
}

// placed adds where in the stanzas the error is.
func (e SpecError) placed(index int, spec Spec) SpecError {
	list := spec.Names
	if e.Attribute != "" {
		list = spec.Attributes[e.Attribute]
	}
	e.Index = index
	e.Item = slices.IndexFunc(list, func(item string) bool { return e.Word != "" && item == e.Word })
	if e.Program == "" && len(spec.Names) > 0 {
		e.Program = spec.Names[0]
	}
	return e
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
	case len(name) > longestName:
		return "is longer than any program's name"
	case attribute == "" && name == "":
		return "is a path; write the program's plain name"
	case attribute == "" && strings.HasPrefix(name, "-"):
		return "is an option; write the program's plain name"
	case attribute == "" && bare != name:
		return "goes by another name here; write " + bare
	case known != nil && attribute != "" && !tightens[attribute]:
		return "cannot be said of a program that is known already; only restrictions can be added"
	}
	return ""
}

// add compiles a stanza. The table must be private to the caller; programs in
// it are replaced, never changed.
func (t *Table) add(spec Spec, may license) SpecError {
	if len(spec.Names) == 0 {
		return SpecError{Problem: "no program is named; write names: [acme]"}
	}
	for _, full := range spec.Names {
		name, under, _ := strings.Cut(full, "/")
		if problem := may(name, ""); problem != "" {
			return SpecError{Program: full, Word: full, Problem: problem}
		}
		changed := program{}
		if known := t.names.find(name); known != nil {
			changed = *known
		}
		changed.script, changed.harm, changed.secrets = scripts[name], scriptHarm(name), secrets[name]
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
				return SpecError{Program: full, Attribute: attribute, Problem: problem}
			}
			if word, problem := target.set(attribute, spec.Attributes[attribute]); problem != "" {
				return SpecError{Program: full, Attribute: attribute, Word: word, Problem: problem}
			}
		}
		target.writesInside(spec.Attributes["writes"], under != "")
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
		t.names.set(name, &changed)
	}
	return SpecError{}
}

// writesInside takes the options that ask only if their value leads out of the
// working directory for outputs as well: where else nothing may be written, the
// floors have to know the file. sub says that the program is a sub-command, whose
// outputs come besides those of its program.
func (p *program) writesInside(words []string, sub bool) {
	for _, w := range words {
		option, values, conditional := strings.Cut(w, "?")
		if !conditional || !strings.HasPrefix(option, "-") || values != "" && !strings.HasPrefix(values, "/dev/null") {
			continue
		}
		switch {
		case p.outputs != nil:
			p.outputs = maps.Clone(p.outputs)
		case sub:
			p.outputs = map[string]bool{}
		default:
			p.outputs = maps.Clone(usualOutputs)
		}
		p.outputs[option] = true
	}
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
			return nil, SpecError{Attribute: "options", Word: w, Problem: "is no way of writing options; write -x: or --long: for one with a value, or before-operands, one-dash-words, any-case"}
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
	case "globs":
		if len(words) == 0 {
			p.globs = true
		} else {
			p.globsBy = wordSet(strings.Join(words, " "))
		}
	case "harmless", "files", "prints", "code":
		*flags[attribute] = true
		if len(words) > 0 {
			return words[0], "is too much; write true"
		}
	case "kind":
		kind, ok := kinds[strings.Join(words, " ")]
		if !ok {
			return strings.Join(words, " "), "is no kind; write one of plain, wrapper, launcher, interpreter"
		}
		p.kind = kind
	case "wraps", "hands-over":
		h, bad := newHandover(words)
		if bad != "" {
			return bad, "means nothing here; write -x or --long, with a colon if a value follows, -NUM, operands=N, assignments, strict, package or appends"
		}
		if attribute == "wraps" {
			p.wraps = h
		} else {
			p.hands = h
		}
	case "reading":
		p.reading = wordSet(strings.Join(words, " "))
	case "stdin":
		p.dataIn, p.commandsIn = slices.Equal(words, []string{"data"}), slices.Contains(words, "commands")
		p.alone = p.commandsIn && slices.Equal(words, []string{"commands", "alone"})
		if !p.dataIn && (!p.commandsIn || len(words) > 1 && !p.alone) {
			return strings.Join(words, " "), "means nothing here; write data or commands"
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
	case "texts":
		texts, bad := newTexts(words)
		if bad != "" {
			return bad, "means nothing here; write -x or --long for options that are followed by a text, operands or behind-dashes"
		}
		p.texts = texts
	case "hosts":
		// Adds to what is known: a stricter answer is one with more hosts.
		p.hosts = p.hosts.with(words)
	case "suggest":
		if len(words) == 0 || len(words[0]) != 1 && words[0] != "never" || len(words) > 1 && words[1] != "listed" || len(words) > 2 {
			return strings.Join(words, " "), "is no count of words; write a digit, or never"
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

// runners refuses to say of a plain program where another one begins in its
// words: nothing would look there.
func (t *Table) runners(spec Spec) SpecError {
	for _, attribute := range []string{"wraps", "hands-over", "reading"} {
		if _, given := spec.Attributes[attribute]; !given {
			continue
		}
		for _, name := range spec.Names {
			if p := t.names.find(name); p != nil && p.kind == Plain {
				return SpecError{Program: name, Attribute: attribute, Problem: "says nothing of a plain program; add kind: wrapper, or kind: launcher"}
			}
		}
	}
	return SpecError{}
}

// examples tests a stanza's own.
func (t *Table) examples(spec Spec) SpecError {
	for _, row := range []struct {
		attribute string
		vouched   bool
		problem   string
	}{
		{"ok", true, "would ask under the entry %q"},
		{"ask", false, "would run under the entry %q"},
	} {
		for _, text := range spec.Attributes[row.attribute] {
			words := strings.Fields(text)
			if len(words) == 0 {
				continue
			}
			if !slices.ContainsFunc(spec.Names, func(name string) bool { return strings.HasPrefix(name+"/", t.Name(words[0])+"/") }) {
				return SpecError{Attribute: row.attribute, Word: text, Problem: "begins with no program of the stanza; write a whole command"}
			}
			if n, vouched := t.exampleVouched(spec, words); vouched != row.vouched {
				return SpecError{Attribute: row.attribute, Word: text, Problem: fmt.Sprintf(row.problem, strings.Join(words[:n], " "))}
			}
		}
	}
	return SpecError{}
}

// exampleVouched asks for the entry made of the program and, where the stanza
// is about one or the command only reads with one, the sub-command.
func (t *Table) exampleVouched(spec Spec, words []string) (n int, vouched bool) {
	n = 1
	if p := t.program(words[0]); p != nil {
		n = max(n, p.readingWords(words, len(words)))
	}
	if len(words) > 1 && slices.ContainsFunc(spec.Names, func(name string) bool {
		_, sub, _ := strings.Cut(name, "/")
		return sub == words[1]
	}) {
		n = max(n, 2)
	}
	_, vouched = t.Vouch(words, n, Precise)
	return n, vouched
}

// Attributes returns the names of what a stanza can say, in the order of the
// table's explanation.
func Attributes() []string {
	names := []string{"kind", "options"}
	for _, e := range effects[1:] {
		names = append(names, e.attribute)
	}
	return append(names, "wraps", "hands-over", "reading", "harmless", "files", "prints", "code", "globs", "stdin", "words", "operands", "outputs", "hosts", "suggest", "ok", "ask")
}

// TakesOneWord reports whether what an attribute says is a single word.
func TakesOneWord(attribute string) bool {
	return attribute == "kind" || attribute == "stdin" || attribute == "suggest"
}

// NeedsNoWords reports whether an attribute says something without a word.
func NeedsNoWords(attribute string) bool {
	return slices.Contains([]string{"harmless", "files", "prints", "wraps", "hands-over", "words"}, attribute)
}
