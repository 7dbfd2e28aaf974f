package shell

import (
	"strconv"
	"strings"

	"github.com/agent-pdp/pdp/internal/programs"
)

// Matching says how much of the shell's language a list may vouch for.
type Matching = programs.Matching

const (
	// Strict honours plain words, and only where the original engine's textual
	// rule holds as well: no operator or expansion anywhere, quoted or not.
	Strict = programs.Strict
	// Precise lets the two readers alone decide.
	Precise = programs.Precise
)

// Coverage is what lists say of a whole text. The zero value covers nothing.
type Coverage struct {
	Covered bool
	Why     string   // why it is not covered
	Entries []string // for each simple command the entry that vouches for it; empty if none does or none is needed
	Missing []int    // the simple commands that nothing vouches for

	// Covered holds only if all of these lie below a root, which the caller can
	// tell.
	Changes []Change
	Inputs  []File
	// Outputs are files that redirections write; a list does not vouch for
	// them, so a text that has some is covered only if the caller says so.
	Outputs []File
	// Inner are the texts that shells are given, which were judged as well.
	Inner []*Command
}

// File is the target of a redirection, relative to a directory of the text.
type File struct {
	Name string
	From int // index into Changes; -1: where the text starts
}

// Lists are the allowlists that may vouch for a command, and the table that
// says what its words do.
type Lists struct {
	Table    *programs.Table
	Prefixes []Prefixes
}

// Cover asks the lists to vouch for every command of the text; only then may it
// run on their word.
func (c *Command) Cover(m Matching, lists Lists) Coverage {
	cov := coverer{Lists: lists, c: c, m: m}
	cov.Changes = c.Changes
	if c.dialect > Zsh && cov.names(c.Text) {
		cov.Covered = true
		return cov.Coverage
	}
	switch why := c.Opaque(m); {
	case why != "":
		cov.fail("no list can vouch for the command: " + why)
		return cov.Coverage
	case m == Strict && c.operator:
		cov.fail("no list can vouch for the command in strict matching: a quoted operator")
		return cov.Coverage
	case c.lost != "":
		cov.fail(c.lost)
	case c.compares != "":
		cov.fail("it compares the variable " + c.compares + ", whose name looks like a secret")
	}
	cov.Entries = make([]string, len(c.Simples))
	for i := range c.loops {
		if why := loopHarm(&c.loops[i]); why != "" {
			cov.fail(why)
		}
	}
	for i := range c.Simples {
		cov.near = ""
		entry, why := cov.simple(&c.Simples[i])
		if why == "" {
			cov.Entries[i] = entry
		} else {
			cov.Missing = append(cov.Missing, i)
			cov.fail(why)
		}
	}
	cov.Covered = cov.Why == ""
	return cov.Coverage
}

// names reports whether an entry is exactly the text of a shell that is not
// read, made of characters that mean themselves in every shell.
func (cov *coverer) names(text string) bool {
	const harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ./_-"
	words := strings.Fields(text)
	if len(words) == 0 || words[0][0] == '-' || strings.Trim(text, harmless) != "" {
		return false
	}
	for i := range cov.Prefixes {
		n := cov.Prefixes[i].root
		for j := 0; n != nil && j < len(words); j++ {
			n = n.next[words[j]]
		}
		if n != nil && n.entry == text {
			_, ok := cov.Table.Vouch(words, len(words), cov.m)
			return ok
		}
	}
	return false
}

type coverer struct {
	Coverage
	Lists
	c    *Command
	m    Matching
	near string // what an entry that names the beginning of a command does not cover
}

func (cov *coverer) fail(why string) {
	if cov.Why == "" {
		cov.Why = why
	}
}

// notListed says which command no entry vouches for.
func (cov *coverer) notListed(p phrase) string {
	const most = 60
	text := strings.Join(p.words, " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	text = "no list entry vouches for " + strconv.Quote(text)
	if cov.near != "" {
		text += ": " + cov.near
	}
	return text
}

// simple returns the entry that vouches for a command, or why nothing does.
func (cov *coverer) simple(s *Simple) (entry, why string) {
	if entry, why, ok := cov.given(s); ok {
		return entry, why
	}
	if s.fed && len(s.Words) > 0 && codeFromInput(s.Words) {
		return "", cov.inputHarm(s)
	}
	if cov.m == Strict {
		p := phrase{words: s.Words, simple: s}
		if entry, ok := cov.listed(p); ok {
			return entry, ""
		}
		return "", cov.notListed(p)
	}
	if s.passes {
		return "", ""
	}
	if why := cov.assignments(s); why != "" {
		return "", why
	}
	if why := cov.redirections(s); why != "" {
		return "", why
	}
	if len(s.Words) == 0 {
		return "", ""
	}
	return cov.phrase(phrase{words: s.Words, simple: s}, 0)
}

// phrase is a command or, behind a wrapper, the rest of one.
type phrase struct {
	words  []string
	simple *Simple
	offset int // of words[0] in the simple command
}

func (p phrase) opened(i int) *open { return p.simple.opened(p.offset + i) }

func (p phrase) literal(from, to int) bool {
	for i := from; i < to; i++ {
		if p.opened(i) != nil {
			return false
		}
	}
	return true
}

func (p phrase) behind(n int) phrase {
	return phrase{words: p.words[n:], simple: p.simple, offset: p.offset + n}
}

// maxWrappers bounds wrappers around wrappers.
const maxWrappers = 4

func (cov *coverer) phrase(p phrase, wrappers int) (entry, why string) {
	if harmlessBuiltin(p) {
		return "", ""
	}
	if why := revealed(p); why != "" {
		return "", why
	}
	if entry, ok := cov.listed(p); ok {
		return entry, ""
	}
	if entry, ok := cov.executed(p); ok {
		return entry, ""
	}
	if wrappers == maxWrappers {
		return "", cov.notListed(p)
	}
	if at, shell, ok := cov.Table.InlineText(p.words); ok && cov.systemProgram(p.words[0]) && p.literal(0, len(p.words)) {
		return cov.inline(p, at, shell)
	}
	if at, ok := cov.Table.Inner(p.words); ok && cov.systemProgram(p.words[0]) && !(p.words[0] == "time" && (at > 1 || isAssignment(p.words[at]))) && p.literal(0, at+1) && harmlessEnvironment(p.words[1:at]) {
		return cov.phrase(p.behind(at), wrappers+1)
	}
	return "", cov.notListed(p)
}

// systemProgram reports whether a first word names a program of the table that
// only the search path or the system's own directories provide, and by no other
// name: nobody vouches for a program that happens to be called sh0.
func (cov *coverer) systemProgram(word string) bool {
	at := strings.LastIndexByte(word, '/') + 1
	if word[at:] != cov.Table.Name(word) { // also another case, where names have one
		return false
	}
	switch word[:at] {
	case "", "/bin/", "/usr/bin/", "/usr/local/bin/":
		return true
	}
	return false
}

// harmlessEnvironment accepts the assignments of env, and whatever else stands
// between a wrapper and its program. To env any word with a = assigns, also
// where a shell knows no such name: BASH_FUNC_git%%=… is a function to bash.
func harmlessEnvironment(words []string) bool {
	for _, w := range words {
		if name, value, ok := strings.Cut(w, "="); ok && !strings.HasPrefix(w, "-") && !harmlessSetting(name, value) {
			return false
		}
	}
	return true
}

// inline judges the text that a shell is given.
func (cov *coverer) inline(p phrase, at int, shell string) (entry, why string) {
	dialect := map[string]Dialect{"bash": Bash, "sh": POSIX, "dash": POSIX, "zsh": Zsh, "ksh": POSIX}
	d, known := dialect[shell]
	if !known {
		return "", "the text of a shell that is not read"
	}
	if name := secretNamed(p.words[at]); name != "" && strings.Contains(p.words[at-1], "x") {
		return "", "-x prints the variable " + name + ", whose name looks like a secret"
	}
	inner := new(Command)
	inner.Parse(p.words[at], d)
	cov.Inner = append(cov.Inner, inner)
	got := inner.Cover(Precise, cov.Lists)
	base, from := len(cov.Changes), int(p.simple.dir)
	rebase := func(i int) int {
		if i < 0 {
			return from
		}
		return base + i
	}
	changes := append([]Change(nil), cov.Changes...)
	for _, ch := range got.Changes {
		changes = append(changes, Change{rebase(ch.From), ch.Dir})
	}
	cov.Changes = changes
	cov.Inner = append(cov.Inner, got.Inner...)
	for _, f := range got.Inputs {
		cov.Inputs = append(cov.Inputs, File{f.Name, rebase(f.From)})
	}
	for _, f := range got.Outputs {
		cov.Outputs = append(cov.Outputs, File{f.Name, rebase(f.From)})
	}
	return strings.Join(nonEmpty(got.Entries), ", "), got.Why
}

func nonEmpty(list []string) []string {
	var kept []string
	for _, s := range list {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// listed returns the longest entry of the first list that vouches for p.
func (cov *coverer) listed(p phrase) (entry string, ok bool) {
	if cov.Table.PrintsVariables(p.words) {
		return "", false
	}
	for i := range cov.Prefixes {
		n := cov.Prefixes[i].root
		for j := 0; n != nil && j < len(p.words); j++ {
			if n = n.next[p.words[j]]; n == nil || p.opened(j) != nil {
				break
			}
			if n.entry == "" {
				continue
			}
			if found, ok := cov.vouched(p, j+1); ok {
				entry = n.entry
			} else {
				cov.near = nearMiss(n.entry, p, found)
			}
		}
		if entry != "" {
			return entry, true
		}
	}
	if plainer, ok := p.withoutQuiet(); ok && cov.m == Precise {
		return cov.listed(plainer)
	}
	return "", false
}

// quietOptions of git change only how it shows what it does, so that an entry
// for the sub-command behind them stands for both spellings.
var quietOptions = wordSet("--no-pager --no-optional-locks")

// maxQuiet bounds such options.
const maxQuiet = 4

// withoutQuiet returns the phrase without such options in front.
func (p phrase) withoutQuiet() (phrase, bool) {
	n := 1
	for n < len(p.words) && n < maxQuiet && quietOptions[p.words[n]] {
		n++
	}
	if n == 1 || n == len(p.words) || p.words[0] != "git" || quietOptions[p.words[n]] || !p.literal(0, n+1) {
		return phrase{}, false
	}
	s := &Simple{Words: append([]string{"git"}, p.words[n:]...)}
	if p.simple.more != nil {
		for _, o := range p.simple.more.open {
			if o.word -= p.offset + n - 1; o.word > 0 {
				s.detail().open = append(s.detail().open, o)
			}
		}
	}
	return phrase{words: s.Words, simple: s}, true
}

// nearMiss says what an entry that begins like the command does not cover.
func nearMiss(entry string, p phrase, found programs.Finding) string {
	if found.Index <= 0 || found.Index >= len(p.words) {
		return ""
	}
	text := "the entry " + strconv.Quote(entry) + " does not cover " + strconv.Quote(p.words[found.Index])
	switch {
	case p.opened(found.Index) != nil:
		return text + ", which the shell fills in and which may become an option or another file"
	case found.Effect != programs.None:
		return text + ", which " + found.Effect.String()
	}
	return text
}

// assignments accepts variables that change nothing about what runs.
func (cov *coverer) assignments(s *Simple) string {
	if s.more == nil {
		return ""
	}
	for _, a := range s.more.sets {
		switch {
		case len(s.Words) > 0 && s.Words[0] == "read" && a.name == "IFS" && a.value.parts == nil: // for this line alone
		case len(s.Words) > 0 && (a.value.parts != nil || !harmlessSetting(a.name, a.value.text)):
			return "the assignment of " + a.name + " may change what the command does"
		case len(s.Words) == 0 && !inertVariable(a.name):
			return "the assignment of " + a.name + " may change what later commands do"
		case holdsSecret(a.value.parts):
			return "it copies a variable whose name looks like a secret"
		}
	}
	return ""
}

// redirections accepts what cannot write a file; files that are read, or would
// be written, are for the caller to judge.
func (cov *coverer) redirections(s *Simple) string {
	for _, red := range s.Redirections() {
		switch red.Op {
		case ">&", "<&":
		case "<", "<<":
			if len(s.Words) > 0 && !cov.takesData(s) {
				return cov.inputHarm(s)
			}
			if red.Op == "<" && !red.Literal {
				return "a redirection from a file that the text does not show"
			}
			if red.Op == "<" && red.Target != "/dev/null" {
				cov.Inputs = append(cov.Inputs, File{red.Target, int(s.dir)})
			}
		default:
			if red.Target == "/dev/null" {
				continue
			}
			if !red.Literal {
				return "a redirection to a file that the text does not show"
			}
			cov.Outputs = append(cov.Outputs, File{red.Target, int(s.dir)})
		}
	}
	return ""
}

// inputHarm says why what is fed to a command keeps it from running; that
// nothing vouches for the command itself comes first.
func (cov *coverer) inputHarm(s *Simple) string {
	p := phrase{words: s.Words, simple: s}
	if _, ok := cov.listed(p); !ok && !cov.Table.Wraps(s.Words[0]) {
		return cov.notListed(p)
	}
	if known.Name(s.Words[0]) == "tee" {
		return "tee writes its input to a file"
	}
	return "the input of " + s.Words[0] + " may be code"
}

func (cov *coverer) takesData(s *Simple) bool {
	p := phrase{words: s.Words, simple: s}
	return harmlessBuiltin(p) || cov.Table.StdinData(s.Words)
}
