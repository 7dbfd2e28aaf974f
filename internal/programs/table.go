package programs

import (
	"slices"
	"strings"
)

// Table says what programs do with their words. It is immutable and safe for
// concurrent use. A nil or zero Table knows nothing and vouches for nothing.
type Table struct {
	names names
}

// program is what the table knows of one program, or of one sub-command.
type program struct {
	kind       Kind
	rules      []rule
	script     func(words []string) bool // the words behind the name can do no more than transform text
	harm       Effect                    // what another script does
	secrets    func(words []string) int  // the index of a word that reveals secrets, or 0
	wraps      *handover                 // transparent
	hands      *handover                 // only for an entry that names the inner program
	reading    map[string]bool
	harmless   bool
	files      bool
	prints     bool
	code       bool
	globs      bool
	globsBy    map[string]bool // options with which it does
	dataIn     bool
	commandsIn bool     // its input is command lines
	alone      bool     // unless its words name what to run
	says       []string // the words with which the output is plain; nil: it never is
	operands   *operandRule
	outputs    map[string]bool // nil: the usual ones
	texts      *texts
	hosts      *hostRule
	least      int // words of an entry worth granting; never: none is
	listed     bool
	subs       map[string]*program
}

// Kind says how much the words behind a program's name matter.
type Kind uint8

// The kinds of programs.
const (
	Plain       Kind = iota // its words are arguments, apart from those that the table lists
	Wrapper                 // runs another program, named in its words
	Launcher                // a wrapper that strict matching never vouches for
	Interpreter             // runs code: inline, from a file or from its input
)

var kinds = map[string]Kind{"plain": Plain, "wrapper": Wrapper, "launcher": Launcher, "interpreter": Interpreter}

// Kind returns the kind of the program that a first word names; a program that
// the table does not know is Plain.
func (t *Table) Kind(word string) Kind {
	if p := t.program(word); p != nil {
		return p.kind
	}
	return Plain
}

// Name reduces a first word to the name that the table uses: the last path
// component in lower case, without a Windows extension or a version.
func (t *Table) Name(word string) string {
	name, _ := t.lookup(word)
	return name
}

func (t *Table) program(word string) *program {
	_, p := t.lookup(word)
	return p
}

// longestName bounds the names of programs.
const longestName = 128

func (t *Table) lookup(word string) (string, *program) {
	if t != nil {
		if p := t.names.find(word); p != nil { // as most words that name one do
			return word, p
		}
	}
	name := lastComponent(word)
	if len(name) > longestName {
		return name, nil // no table has it
	}
	if name = strings.ToLower(name); t == nil {
		return name, nil
	}
	if p := t.names.find(name); p != nil {
		return name, p
	}
	if strings.IndexByte(name, '.') > 0 {
		for _, ext := range [...]string{".exe", ".cmd", ".bat", ".com", ".ps1"} {
			name = strings.TrimSuffix(name, ext)
		}
		if p := t.names.find(name); p != nil {
			return name, p
		}
	}
	if bare := withoutVersion(name); bare != "" && bare != name {
		if p := t.names.find(bare); p != nil && (p.kind == Interpreter || len(p.rules) > 0) {
			return bare, p
		}
	}
	// macOS has the GNU programs under names such as gsort.
	if bare, ok := strings.CutPrefix(name, "g"); ok {
		if p := t.names.find(bare); p != nil && (p.kind != Plain || len(p.rules) > 0 || p.operands != nil) {
			return bare, p
		}
	}
	if bare, ok := strings.CutPrefix(name, "zf_"); ok { // zsh's own: zf_rm
		return bare, t.names.find(bare)
	}
	return name, nil
}

// withoutVersion cuts what is behind the last letter of a name such as python3.12.
func withoutVersion(name string) string {
	end := len(name)
	for end > 0 && (name[end-1]-'0' < 10 || name[end-1] == '.' || name[end-1] == '-') {
		end--
	}
	return name[:end]
}

// lastComponent is what stands behind the last slash of a word, whatever slashes
// it ends with; of one that is longer than any file's name, the word as it is.
func lastComponent(word string) string {
	for word != "" && word[len(word)-1] == '/' {
		word = word[:len(word)-1]
	}
	const longest = 256
	end := word[max(0, len(word)-longest):]
	if at := strings.LastIndexByte(end, '/'); at >= 0 {
		return end[at+1:]
	}
	return word
}

// here returns what the table says of the command's program and, if its next
// word is a sub-command with a stanza of its own, of that.
func (t *Table) here(words []string) (p, sub *program) {
	if len(words) == 0 {
		return nil, nil
	}
	if p = t.program(words[0]); p != nil && len(words) > 1 {
		sub = p.subs[words[1]]
	}
	return p, sub
}

func (t *Table) says(words []string, is func(*program) bool) bool {
	p, sub := t.here(words)
	return p != nil && is(p) || sub != nil && is(sub)
}

// Harmless reports whether no option of the program does harm, so that a name
// filled in by the shell that turns into an option does none either.
func (t *Table) Harmless(words []string) bool {
	return t.says(words, func(p *program) bool { return p.harmless })
}

// Files reports whether the operands are files, any number of them, so that
// names which the shell fills in may stand among them. Unless the program is
// also harmless, such a name must not be able to begin with a dash. A pattern
// or script that comes first is no file ([Table.Pattern]).
func (t *Table) Files(words []string) bool {
	return t.says(words, func(p *program) bool { return p.files }) && (t.Name(words[0]) != "jq" || filterFirst(words))
}

// filterFirst reports whether the filter of jq plainly stands before everything
// that a name could be filled in for: nothing before it has a value.
func filterFirst(words []string) bool {
	for _, w := range words[1:] {
		if !isOption(w) {
			return true
		}
		if strings.Trim(w, "-rcesSnMCaj") != "" || strings.HasPrefix(w, "--") {
			return false
		}
	}
	return false
}

// Prints reports whether the operands are text to print, not paths.
func (t *Table) Prints(words []string) bool {
	return t.says(words, func(p *program) bool { return p.prints })
}

// Globs reports whether the command may take a word for a pattern itself, or for
// a text in which there is one: nothing is known of the program, it runs others
// or code, or the table says so.
func (t *Table) Globs(words []string) bool {
	if len(words) == 0 || !t.alone(words) {
		return true
	}
	name, p := t.lookup(words[0])
	_, sub := t.here(words)
	return p == nil || p.kind != Plain || p.globs || sub != nil && sub.globs || p.globsWith(words[1:]) || embeds(name, p) && !filters[name]
}

// globsWith reports whether one of the words may be an option with which the
// program fills in patterns.
func (p *program) globsWith(words []string) bool {
	return len(p.globsBy) > 0 && slices.ContainsFunc(words, func(w string) bool {
		name, _, _ := strings.Cut(w, "=")
		switch {
		case !isOption(w):
			return false
		case strings.HasPrefix(w, "--"):
			for option := range p.globsBy { // abbreviated
				if len(name) > 3 && strings.HasPrefix(option, name) {
					return true
				}
			}
			return false
		}
		for i := 1; i < len(w); i++ { // in a cluster
			if p.globsBy["-"+w[i:i+1]] {
				return true
			}
		}
		return false
	})
}

// filters are programs whose scripts open no files and run nothing.
var filters = wordSet("jq gojq")

// Code returns where the program of a command stands whose operands are code, or
// directories of code, which it runs: a test runner or a compiler, also behind
// wrappers and interpreters. A caller tests that the operands ([Table.Operand])
// lie where the project does.
func (t *Table) Code(words []string) (at int, ok bool) {
	isCode := func(p *program) bool { return p.code }
	if t.alone(words) {
		return 0, t.says(words, isCode)
	}
	for i := range t.HandedOver(words) {
		if t.says(words[i:], isCode) {
			return i, true
		}
	}
	return 0, false
}

// Operand reports whether a word is no option of the program; go's operands
// without a slash or a dot are names of its own packages.
func (t *Table) Operand(program, word string) bool {
	switch t.Name(program) {
	case "dotnet":
		return !isOption(word) && !isSwitch(word)
	case "go":
		return !isOption(word) && strings.ContainsAny(word, "./")
	}
	return !isOption(word)
}

// isSwitch reports whether a word is an option of MSBuild: /p:NAME=VALUE.
func isSwitch(w string) bool {
	name, _, ok := strings.Cut(strings.TrimPrefix(w, "/"), ":")
	return ok && strings.HasPrefix(w, "/") && !strings.Contains(name, "/")
}

// StdinData reports whether the program's input is only data, never code or a
// list of files to work on.
func (t *Table) StdinData(words []string) bool {
	return t.says(words, func(p *program) bool { return p.dataIn })
}

// PlainWords reports whether the command's output, taken as one word, cannot
// begin with a dash.
func (t *Table) PlainWords(words []string) bool {
	p, sub := t.here(words)
	switch {
	case p == nil:
		return false
	case sub != nil && sub.says != nil:
		return len(words) > 2 && all(words[2:], sub.plain)
	default:
		return p.says != nil && all(words[1:], p.plain) || t.Name(words[0]) == "date" && len(words) == 2 && plainDate(words[1])
	}
}

func (p *program) plain(w string) bool {
	for _, said := range p.says {
		begins, any := strings.CutSuffix(said, "*")
		if w == said || any && strings.HasPrefix(w, begins) || said == "NUM" && w != "" && strings.Trim(w, "0123456789") == "" {
			return true
		}
	}
	return false
}

// plainDate reports whether a date's format begins with a field that is never
// negative, and goes on in one line.
func plainDate(format string) bool {
	rest, ok := strings.CutPrefix(format, "+%")
	return ok && rest != "" && strings.IndexByte("YmdHMSFTsyjBbAaCGuVD", rest[0]) >= 0 &&
		!strings.ContainsAny(rest, " \t\n") && !strings.Contains(rest, "%n") && !strings.Contains(rest, "%t")
}

// Suggest returns the number of words of the shortest entry that is safe to
// grant and vouches for the command in precise matching. ok is false if none
// is: for what destroys or publishes, for code, and for unknown programs.
func (t *Table) Suggest(words []string) (n int, ok bool) {
	p, sub := t.here(words)
	if p == nil {
		return 0, false
	}
	if n := p.readingWords(words, len(words)); n > 0 {
		_, ok := t.Vouch(words, n, Precise)
		return n, ok
	}
	n = max(p.least, 1)
	if sub != nil && sub.least != 0 {
		n = sub.least
	}
	if p.kind != Plain || p.least == never || n == never || len(words) < n || n > 1 && isOption(words[1]) || strings.Contains(words[0], "/") {
		return 0, false
	}
	if found, ok := t.Vouch(words[:n], 1, Precise); !ok && (p.listed || found.Effect != Runs) {
		return 0, false
	}
	_, ok = t.Vouch(words, n, Precise)
	return n, ok
}

const never = -1
