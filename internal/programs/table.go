package programs

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

//go:embed programs.txt
var builtinText string

var builtin = func() *Table {
	t := &Table{}
	for names, attributes := range stanzas(builtinText) {
		if err := t.add(names, attributes); err != nil {
			panic("programs.txt: " + err.Error())
		}
	}
	return t
}()

// Builtin returns the table that comes with the product.
func Builtin() *Table { return builtin }

// Table says what programs do with their words. It is immutable and safe for
// concurrent use.
type Table struct {
	kinds map[string]Kind
	harms map[string][]harm
	facts map[string]fact // by PROGRAM or PROGRAM/SUB
}

// Kind says how much the words behind a program's name matter.
type Kind uint8

const (
	Plain       Kind = iota // its words are arguments, apart from those that the table lists
	Wrapper                 // runs another program, named in its words
	Launcher                // the same, and one that strict matching never vouches for
	Interpreter             // runs code: inline, from a file or from its input
)

var kindNames = map[string]Kind{"plain": Plain, "wrapper": Wrapper, "launcher": Launcher, "interpreter": Interpreter}

// fact is what else is known of a program or subcommand.
type fact struct {
	harmless, files, prints, stdin bool

	words   []string // operands with which it prints plain words
	reading []string // subcommands that run and change nothing
	wraps   *wraps
	suggest int // words of a safe grant plus one; 1: none is safe; 0: not said
}

// Spec adds to the table what an operator knows of programs. The words are
// those of programs.txt, which explains them.
type Spec struct {
	Names   []string // PROGRAM or PROGRAM/SUBCOMMAND
	Kind    string   // plain (default), wrapper, launcher, interpreter
	Options []string // how its options are written
	// Words that ask, by what they make of the program.
	Runs, Writes, Reads, Sends, Destroys, Publishes, Moves, Configures, Reveals []string

	Files, Stdin, Harmless bool
}

func (s *Spec) attributes() map[string][]string {
	m := map[string][]string{}
	for key, words := range map[string][]string{
		"options": s.Options, "runs": s.Runs, "writes": s.Writes, "reads": s.Reads, "sends": s.Sends, "destroys": s.Destroys,
		"publishes": s.Publishes, "moves": s.Moves, "configures": s.Configures, "reveals": s.Reveals,
	} {
		if len(words) > 0 {
			m[key] = words
		}
	}
	if s.Kind != "" {
		m["kind"] = []string{s.Kind}
	}
	for key, set := range map[string]bool{"files": s.Files, "stdin": s.Stdin, "harmless": s.Harmless} {
		if set {
			m[key] = nil
		}
	}
	return m
}

// SpecError says what is wrong with one Spec.
type SpecError struct {
	Index int
	Err   error
}

func (e SpecError) Error() string { return e.Err.Error() }

func (e SpecError) Unwrap() error { return e.Err }

var (
	errNoNames = errors.New("names no program")
	errNothing = errors.New("says nothing about the program; write which of its words ask, such as writes: [--output]")
)

// Extend returns a table with more in it. About a program that the table knows,
// only what makes it ask more often is accepted.
func (t *Table) Extend(specs []Spec) (*Table, []SpecError) {
	if len(specs) == 0 {
		return t, nil
	}
	more := &Table{kinds: maps.Clone(t.kinds), harms: maps.Clone(t.harms), facts: maps.Clone(t.facts)}
	var bad []SpecError
	for i, spec := range specs {
		if err := more.extend(t, spec); err != nil {
			bad = append(bad, SpecError{i, err})
		}
	}
	return more, bad
}

func (t *Table) extend(known *Table, spec Spec) error {
	if len(spec.Names) == 0 {
		return errNoNames
	}
	attributes := spec.attributes()
	if len(attributes) == 0 {
		return errNothing
	}
	for _, name := range spec.Names {
		program, _, _ := strings.Cut(name, "/")
		if program == "" || strings.ContainsAny(name, " \t\n") {
			return fmt.Errorf("%q is no program's name; write NAME or NAME/SUBCOMMAND", name)
		}
		for attribute := range attributes {
			if known.knows(program) && effects[attribute] == None && attribute != "options" {
				return fmt.Errorf("%s is known already; about it, only the words that ask can be added, not %s", program, attribute)
			}
		}
	}
	return t.add(spec.Names, attributes)
}

// knows reports whether the table has anything about a program.
func (t *Table) knows(program string) bool {
	_, kind := t.kinds[program]
	_, fact := t.facts[program]
	return kind || fact || t.harms[program] != nil
}

// stanzas yields the names and attributes of each stanza of a table's text.
func stanzas(text string) func(yield func([]string, map[string][]string) bool) {
	return func(yield func([]string, map[string][]string) bool) {
		var names []string
		attributes := map[string][]string{}
		for line := range strings.Lines(text + "\n\n") {
			switch {
			case strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "  "):
				key, words, _ := strings.Cut(strings.TrimSpace(line), ":")
				attributes[key] = append(attributes[key], strings.Fields(words)...)
			default:
				if len(names) > 0 && !yield(names, attributes) {
					return
				}
				names, attributes = strings.Fields(line), map[string][]string{}
			}
		}
	}
}

// add reads one stanza.
func (t *Table) add(names []string, attributes map[string][]string) error {
	if t.kinds == nil {
		t.kinds, t.harms, t.facts = map[string]Kind{}, map[string][]harm{}, map[string]fact{}
	}
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		words := attributes[key]
		effect := effects[key]
		switch {
		case effect != None:
			if err := t.addHarm(names, effect, words, attributes["options"]); err != nil {
				return err
			}
		case key == "options" || key == "ok" || key == "ask":
		case key == "kind":
			kind, known := kindNames[strings.Join(words, " ")]
			if !known {
				return fmt.Errorf("%q is no kind of program", strings.Join(words, " "))
			}
			for _, name := range names {
				t.kinds[name] = kind
			}
		default:
			for _, name := range names {
				f := t.facts[name]
				if err := f.set(key, words); err != nil {
					return err
				}
				t.facts[name] = f
			}
		}
	}
	return nil
}

func (f *fact) set(key string, words []string) error {
	switch key {
	case "harmless":
		f.harmless = true
	case "files":
		f.files = true
	case "prints":
		f.prints = true
	case "stdin":
		f.stdin = true
	case "words":
		f.words = words
	case "reading":
		f.reading = words
	case "wraps":
		w, err := parseWraps(words)
		f.wraps = &w
		return err
	case "suggest":
		n, err := strconv.Atoi(strings.Join(words, " "))
		if err != nil || n < 0 {
			return fmt.Errorf("suggest: %q is no number of words", strings.Join(words, " "))
		}
		f.suggest = n + 1
	default:
		return fmt.Errorf("%q is no attribute", key)
	}
	return nil
}

// addHarm adds the words of one effect.
func (t *Table) addHarm(names []string, effect Effect, words, options []string) error {
	h := harm{effect: effect}
	for _, w := range options {
		if w == "" || keywords[w] == nil && (w[0] != '-' || !strings.HasSuffix(w, ":")) {
			return fmt.Errorf("options: %q is neither -x: nor one of before-operands, one-dash-words, any-case", w)
		}
		h.add(w)
	}
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n") {
			return fmt.Errorf("%q is no single word", w)
		}
		if strings.HasPrefix(w, "reads=") && (len(w) != len("reads=1") || w[6] < '0' || w[6] > '9') {
			return fmt.Errorf("%q: write reads=N with one digit", w)
		}
		h.add(w)
	}
	for _, name := range names {
		program, under, _ := strings.Cut(name, "/")
		h.under = under
		t.harms[program] = append(slices.Clip(t.harms[program]), h)
	}
	return nil
}

// Name reduces a command's first word to the name that the table uses: the last
// path component in lower case, without a Windows extension or a version.
func (t *Table) Name(word string) string {
	name := BaseName(word)
	for _, ext := range []string{".exe", ".cmd", ".bat", ".com", ".ps1"} {
		name = strings.TrimSuffix(name, ext)
	}
	if t.knows(name) {
		return name
	}
	if bare := strings.TrimRight(name, "0123456789.-"); bare != "" && bare != name {
		if t.kinds[bare] == Interpreter || t.harms[bare] != nil {
			return bare
		}
	}
	// macOS has the GNU programs under names such as gsort.
	if bare, ok := strings.CutPrefix(name, "g"); ok && (t.harms[bare] != nil || t.kinds[bare] != Plain) {
		return bare
	}
	return name
}

// BaseName returns the last component of a program's path in lower case.
func BaseName(word string) string {
	word = strings.TrimRight(word, "/")
	return strings.ToLower(word[strings.LastIndexByte(word, '/')+1:])
}

// Kind returns the kind of the program that a command's first word names.
func (t *Table) Kind(word string) Kind { return t.kinds[t.Name(word)] }

// fact returns what is known of a command: of its subcommand, and else of its
// program.
func (t *Table) fact(words []string) fact {
	name := t.Name(words[0])
	f := t.facts[name]
	if len(words) < 2 || isOption(words[1]) {
		return f
	}
	sub, ok := t.facts[name+"/"+words[1]]
	if !ok {
		return f
	}
	if sub.suggest == 0 {
		sub.suggest = f.suggest
	}
	sub.stdin = sub.stdin || f.stdin
	return sub
}

// Harmless reports whether no option of the program does harm, so that a name
// that the shell fills in and that turns into an option does none either.
func (t *Table) Harmless(words []string) bool { return t.fact(words).harmless }

// Files reports whether the command's operands are files or names, of which
// the shell may fill in any number.
func (t *Table) Files(words []string) bool { return t.fact(words).files }

// Prints reports whether the operands are text to print.
func (t *Table) Prints(words []string) bool { return t.fact(words).prints }

// StdinData reports whether what the command reads from its input is only
// data. Of most programs that is not known.
func (t *Table) StdinData(words []string) bool { return t.fact(words).stdin }

// PlainWords reports whether the command prints plain words, none of which can
// be taken for an option.
func (t *Table) PlainWords(words []string) bool {
	f := t.fact(words)
	operands := words[1:]
	if _, sub := t.facts[t.Name(words[0])+"/"+strings.Join(words[1:min(2, len(words))], "")]; sub && len(words) > 1 {
		operands = words[2:]
	}
	return f.words != nil && all(operands, func(w string) bool {
		return slices.ContainsFunc(f.words, func(begins string) bool {
			return w == begins || begins == "+" && strings.HasPrefix(w, "+") && !strings.ContainsAny(w, " \t\n")
		})
	})
}

func all(words []string, ok func(string) bool) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !ok(w) })
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
