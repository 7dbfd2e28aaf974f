package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Dialect is the shell that will run the text.
type Dialect uint8

const (
	Bash Dialect = iota
	POSIX
	Zsh
	PowerShell
	Cmd
)

var dialects = []string{Bash: "bash", POSIX: "posix", Zsh: "zsh", PowerShell: "powershell", Cmd: "cmd"}

// DialectNames returns the names that ParseDialect reads, in order.
func DialectNames() []string { return append([]string(nil), dialects...) }

// ParseDialect reads a dialect's exact name.
func ParseDialect(name string) (Dialect, bool) {
	for i, n := range dialects {
		if n == name {
			return Dialect(i), true
		}
	}
	return 0, false
}

func (d Dialect) String() string { return dialects[d] }

// Command is what both readers understood of a text. The zero value is opaque.
type Command struct {
	Text string
	// Simples are all simple commands, in the order in which the text closes
	// them: one inside a substitution stands before the command around it.
	Simples []Simple
	// Changes are the directories that the text changes to, in order.
	Changes []Change
	// Pipeline is set if there is one command, or several joined by plain pipes.
	Pipeline bool

	dialect     Dialect
	understood  bool
	opaque      string // why the text is not understood
	piece       string // where in the text
	beyond      string // the first thing that is more than plain words
	beyondPiece string // where in the text
	lost        string // why the directory of some command cannot be told
	operator    bool   // a quoted operator: the original engine would split there
	glued       bool   // without its quotes, a variable would have a longer name
	loops       []loop
	sets        map[string]int // how often the text sets each variable
	setsVars    bool           // some command may set variables in a way that the text does not show
	second      *syntax.File   // what the second reader made of the text; nil: it was not asked, or refused
	setsAny     bool           // nor which
	compares    string         // a variable whose name looks like a secret, which the text compares with others

	buf   [4]Simple
	words [24]string
}

// Simple is one simple command.
type Simple struct {
	// Words are the program and its arguments after quote removal. What the
	// shell would still fill in stands as it is written; see Literal.
	Words []string
	// Piped is set if the command reads the previous one's output.
	Piped bool

	sure     bool  // it runs in the directory of its Change, and not in an earlier one
	straight bool  // it runs once, in the shell itself, if the one before it ran
	dir      int16 // index into Changes of the directory it runs in; -1: where the text starts
	feeder   int16 // 1 + index of the one command whose output it reads; 0 if that cannot be told
	fed      bool  // its input comes from a pipe or a redirection around it
	tests    bool  // it is a [[ … ]], of which the reader takes only what looks and compares
	passes   bool  // it only passes a here-document on, as a word's text
	more     *details
}

// details are what few simple commands have.
type details struct {
	sets   []assignment
	redirs []Redirection
	open   []open
}

type assignment struct {
	name  string
	value word
}

// Redirection is one redirection of a command.
type Redirection struct {
	Op      string // ">", ">>", "<", ">&", "<<" …
	FD      int    // the descriptor in front; -1 if none is written
	Target  string // file, descriptor or, for a here-document, its delimiter
	Text    string // a here-document's body
	Literal bool   // the target is exactly what is opened
}

// Change is a directory that a cd of the text leads to.
type Change struct {
	From int    // index of the Change that it is relative to; -1: where the text starts
	Dir  string // as given; ~ and ~/x stand for the home directory
}

// loop is a for loop: within the commands from..to its variable has one of the
// values that the words give.
type loop struct {
	name     string
	words    []word
	from, to int
}

// Literal reports whether the program gets the ith word exactly as it stands.
// If not, the shell may make any number of words of it.
func (s *Simple) Literal(i int) bool { return s.opened(i) == nil }

func (s *Simple) opened(i int) *open {
	if s.more == nil {
		return nil
	}
	for j := range s.more.open {
		if s.more.open[j].word == i {
			return &s.more.open[j]
		}
	}
	return nil
}

// Redirections returns the command's redirections in order.
func (s *Simple) Redirections() []Redirection {
	if s.more == nil {
		return nil
	}
	return s.more.redirs
}

// Sets returns the assignments before the program, as they are written.
func (s *Simple) Sets() []string {
	if s.more == nil {
		return nil
	}
	var list []string
	for _, a := range s.more.sets {
		list = append(list, a.name+"="+a.value.text)
	}
	return list
}

func (s *Simple) detail() *details {
	if s.more == nil {
		s.more = &details{}
	}
	return s.more
}

// Opaque says why the text cannot be understood as far as m asks for; it is
// empty if it was. Nothing vouches for an opaque text.
func (c *Command) Opaque(m Matching) string {
	switch {
	case !c.understood && c.opaque != "":
		return c.opaque
	case !c.understood:
		return "there is no command"
	case m == Strict:
		return c.beyond
	default:
		return ""
	}
}

// Piece returns the part of the text that Opaque is about; it is empty if the
// whole text is meant.
func (c *Command) Piece(m Matching) string {
	if c.understood && m == Strict {
		return c.beyondPiece
	}
	return c.piece
}

// Parse reads text into c. It never fails: what it does not understand is
// opaque. c must not be copied afterwards, its slices point into it.
func (c *Command) Parse(text string, dialect Dialect) {
	*c = Command{Text: text, Pipeline: true, dialect: dialect}
	plain := false
	if plain, c.opaque = readable(text); c.opaque != "" {
		return
	}
	if dialect > Zsh {
		c.opaque = "commands of this shell are not read"
		return
	}
	if dialect == Zsh && (!plain || strings.Contains(text, "=")) { // =name is a program's path
		c.opaque = "zsh is read only where every word is plain"
		return
	}
	r := reader{c: c, text: text, words: c.words[:0], dir: -1, sure: true, compare: !plain}
	c.Simples = c.buf[:0]
	if r.run(); r.why != "" {
		c.opaque = r.why
		return
	}
	if len(c.Simples) == 0 {
		return
	}
	handed := 0
	for i := range c.Simples {
		if handed += known.HandedWork(c.Simples[i].Words); handed > maxHanded {
			c.opaque = "more programs behind others than can be looked at"
			return
		}
	}
	// Texts of plain words and separators are read alike by every parser, which
	// FuzzSecondReader holds; only others need the second reading.
	if r.compare {
		c.second = secondReading(text, dialect)
		if c.opaque = disagreement(c.second, r.canon, r.bodiesRead); c.opaque != "" {
			return
		}
	}
	c.understood = true
	if c.beyond != "" {
		c.resolve()
	}
}
