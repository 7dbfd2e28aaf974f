package shell

import (
	"strings"
	"unicode/utf8"
)

// reader is the strict reader: a recursive descent over the part of the shell
// language that all shells read alike. What it does not know ends the reading
// (fail); what is more than plain words is noted (goBeyond), since strict
// matching honours plain words alone.
type reader struct {
	c    *Command
	text string
	i    int
	why  string // why the text is opaque; set once

	words []string // of all commands; a command's words are one run of it
	first int      // where the current command's words begin
	depth int
	docs  []hereDoc // those whose bodies begin on the next line

	dir      int16 // the directory that the next command runs in
	sure     bool  // it certainly runs there
	straight bool  // the next command runs once, in the shell itself
	forked   int   // inside how many subshells, substitutions and pipelines
	repeated int   // inside how many loops and conditions
	perhaps  int   // behind how many && and ||
	piped    bool

	compare    bool   // the text needs the second reader
	canon      []byte // canonical rendering, to compare with the second reader's
	bodiesRead []byte // those of here-documents, which stand apart from their commands
}

func (r *reader) fail(why string) {
	if r.why == "" {
		r.why = why
		r.c.piece = piece(r.text, r.i)
	}
}

// piece is the part of the text at which reading ended: up to the next blank,
// or the last few characters.
func piece(text string, at int) string {
	const most = 40
	at = min(at, len(text))
	end := at
	for end < len(text) && end-at < most && (end == at || strings.IndexByte(" \t\n", text[end]) < 0) {
		end++
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	if end == at {
		at = max(0, at-most)
		for at < end && !utf8.RuneStart(text[at]) {
			at++
		}
	}
	return text[at:end]
}

func (r *reader) goBeyond(what string) {
	if r.c.beyond == "" {
		r.c.beyond = what
		r.c.beyondPiece = piece(r.text, r.i)
	}
}

func (r *reader) run() {
	r.list()
	switch {
	case r.why != "":
	case r.i < len(r.text) && r.text[r.i] == ')':
		r.fail("a parenthesis that closes nothing")
	case r.i < len(r.text):
		r.fail("the shell's control flow (" + r.bare() + ")")
	case len(r.docs) > 0:
		r.fail("a here-document that does not end")
	}
}

// inner reads a list that a byte closes.
func (r *reader) inner(closer byte) {
	if r.depth++; r.depth > maxDepth {
		r.fail("constructs inside constructs, too deep to be read")
		return
	}
	dir, sure, piped, straight := r.dir, r.sure, r.piped, r.straight
	r.forked++
	r.piped = false
	before := len(r.c.Simples)
	r.list()
	switch {
	case r.why != "":
	case len(r.docs) > 0:
		r.fail("a here-document that does not end")
	case r.i == len(r.text) || r.text[r.i] != closer:
		r.fail("a parenthesis is not closed")
	case len(r.c.Simples) == before:
		r.fail("empty parentheses")
	default:
		r.i++
	}
	r.forked--
	r.depth--
	r.dir, r.sure, r.piped, r.straight = dir, sure, piped, straight
}

// list reads commands up to the end of the text or to what closes the list.
func (r *reader) list() {
	r.straight = r.forked+r.repeated+r.perhaps == 0
	for r.why == "" {
		r.newlines()
		if r.why != "" || r.i == len(r.text) || r.text[r.i] == ')' || closers[r.bare()] {
			return
		}
		r.chain()
	}
}

// chain reads pipelines joined by && and ||, and the separator behind them.
func (r *reader) chain() {
	dir, sure, first := r.dir, r.sure, len(r.c.Simples)
	joined := false
	if first > 0 {
		r.c.Pipeline = false
	}
	for r.why == "" {
		r.pipeline()
		r.blanks()
		operator := r.operator()
		if operator == "||" && r.dir != dir {
			r.sure = false // the next command runs if the cd failed
		}
		if operator != "&&" && operator != "||" {
			r.separator(operator, first)
			break
		}
		r.i += len(operator)
		r.noteText(operator)
		r.straight = false
		if !joined {
			joined = true
			r.perhaps++
		}
		r.c.Pipeline = false
		if r.newlines(); r.i == len(r.text) {
			r.fail("nothing behind " + operator)
		}
	}
	switch {
	case r.i > 0 && r.i <= len(r.text) && r.text[r.i-1] == '&': // it ran in a shell of its own
		r.dir, r.sure = dir, sure
	case r.dir != dir: // cd may have failed, and what follows runs all the same
		r.sure = false
	}
	if joined {
		r.perhaps--
	}
	r.straight = r.forked+r.repeated+r.perhaps == 0
}

// separator ends a chain whose commands begin at first.
func (r *reader) separator(operator string, first int) {
	switch operator {
	case "&":
		r.i++
		r.note('&')
		r.c.Pipeline = false
		for i := first; i < len(r.c.Simples); i++ {
			r.c.Simples[i].straight = false
		}
	case ";":
		r.i++
		r.note(';')
		r.c.Pipeline = false
	case "\n", "", ")":
		r.note(';')
	default:
		r.fail("an operator that not all shells know (" + operator + ")")
	}
}

// operator returns the operator at r.i.
func (r *reader) operator() string {
	rest := r.text[r.i:]
	for _, o := range [...]string{"&&", "||", "|&", "&|", "&>", ";;", ";&", ";|", "&", ";", "|", "\n", ")"} {
		if strings.HasPrefix(rest, o) {
			return o
		}
	}
	return ""
}

// pipeline reads commands joined by |.
func (r *reader) pipeline() {
	if r.bare() == "!" {
		r.goBeyond("the shell's control flow (!)")
		r.noteText("!")
		r.i++
		if r.blanks(); r.i == len(r.text) || r.bare() == "!" {
			r.fail("nothing behind !")
			return
		}
	}
	dir, sure, straight := r.dir, r.sure, r.straight
	count := len(r.c.Simples)
	for n := 0; r.why == ""; n++ {
		piped, first := r.piped, len(r.c.Simples)
		r.command()
		r.piped = piped
		for i := first; piped && i < len(r.c.Simples); i++ {
			r.c.Simples[i].fed = true
		}
		r.blanks()
		if r.operator() != "|" {
			break
		}
		if n == 0 {
			r.forked++
			defer func() {
				// Every part of a pipeline runs in a shell of its own.
				r.forked--
				r.piped = false
				r.dir, r.sure, r.straight = dir, sure, straight
				for i := count; i < len(r.c.Simples); i++ {
					r.c.Simples[i].straight = false
				}
			}()
		}
		r.i++
		r.note('|')
		r.piped, r.straight = true, false
		r.dir, r.sure = dir, sure
		if r.newlines(); r.i == len(r.text) {
			r.fail("nothing behind |")
		}
	}
}

var (
	closers    = wordSet("} then do done fi else elif")
	unreadable = wordSet("[[ ]] case coproc esac function in select until while")
)

// bare returns the reserved word at r.i, or "".
func (r *reader) bare() string {
	for end := r.i; ; end++ {
		if end < len(r.text) && !ends(r.text[end]) {
			if end-r.i > len("function") {
				return ""
			}
			continue
		}
		if word := r.text[r.i:end]; reserved[word] {
			return word
		}
		return ""
	}
}

// command reads one simple or compound command with its redirections.
func (r *reader) command() {
	if r.i < len(r.text) && r.text[r.i] == '(' {
		if strings.HasPrefix(r.text[r.i:], "((") {
			r.fail("arithmetic")
			return
		}
		first, dir := len(r.c.Simples), r.dir
		r.compound("a subshell")
		r.note('(')
		r.i++
		r.inner(')')
		r.note(')')
		r.compoundRedirections(first, dir)
		return
	}
	word := r.bare()
	switch {
	case word == "":
		r.simple()
	case word == "{":
		r.group()
	case word == "for":
		r.forLoop()
	case word == "if":
		r.condition()
	case word == "time":
		r.simple() // a program as well, with the same words behind it
	case unreadable[word] || closers[word] || word == "!":
		r.fail("the shell's control flow (" + word + ")")
	}
}

func (r *reader) compound(what string) {
	r.goBeyond(what)
	r.c.Pipeline = false
}

// block reads a list that a reserved word closes.
func (r *reader) block(closer string) {
	if r.depth++; r.depth > maxDepth {
		r.fail("constructs inside constructs, too deep to be read")
		return
	}
	before := len(r.c.Simples)
	r.list()
	switch {
	case r.why != "":
	case len(r.c.Simples) == before:
		r.fail("an empty block")
	case r.bare() != closer:
		r.fail("the shell's control flow: " + closer + " is missing")
	default:
		r.i += len(closer)
	}
	r.depth--
}

func (r *reader) group() {
	first, dir := len(r.c.Simples), r.dir
	r.compound("a group { …; }")
	r.note('{')
	r.i++
	r.block("}")
	r.note('}')
	r.compoundRedirections(first, dir)
}

// repeats reads a part of a loop or condition, which may run or not, or often:
// a directory that it changes to is not certain behind it.
func (r *reader) repeats(closer string) {
	r.repeated++
	dir := r.dir
	r.block(closer)
	if r.dir != dir {
		r.sure = false
	}
	r.repeated--
}

func (r *reader) forLoop() {
	r.compound("the shell's control flow (for)")
	r.i += len("for")
	r.blanks()
	n := nameLength(r.text[r.i:])
	l := loop{name: r.text[r.i : r.i+n]}
	r.noteText("for")
	r.noteText(l.name)
	r.note(markEnd)
	r.i += n
	r.blanks()
	if n == 0 || r.bare() != "in" {
		r.fail("the shell's control flow (for)")
		return
	}
	r.i += len("in")
	for r.blanks(); r.why == "" && r.i < len(r.text) && !ends(r.text[r.i]); r.blanks() {
		l.words = append(l.words, r.readWord(false))
	}
	if r.i < len(r.text) && r.text[r.i] == ';' {
		r.i++
	} else if r.i == len(r.text) || r.text[r.i] != '\n' {
		r.fail("the shell's control flow (for)")
	}
	if r.newlines(); r.why == "" && r.bare() != "do" {
		r.fail("the shell's control flow: do is missing")
	}
	if r.why != "" {
		return
	}
	r.i += len("do")
	r.noteText("do")
	l.from = len(r.c.Simples)
	dir := r.dir
	r.repeats("done")
	l.to = len(r.c.Simples)
	r.c.loops = append(r.c.loops, l)
	r.noteText("done")
	r.compoundRedirections(l.from, dir)
}

func (r *reader) condition() {
	first, dir := len(r.c.Simples), r.dir
	r.compound("the shell's control flow (if)")
	r.i += len("if")
	r.noteText("if")
	r.repeats("then")
	r.noteText("then")
	r.branch()
	r.noteText("fi")
	r.compoundRedirections(first, dir)
}

// branch reads the list behind then, and what follows it up to fi.
func (r *reader) branch() {
	for r.why == "" {
		before, dir := len(r.c.Simples), r.dir
		r.repeated++
		r.list()
		r.repeated--
		r.sure = r.sure && r.dir == dir
		if r.why == "" && len(r.c.Simples) == before {
			r.fail("an empty block")
			return
		}
		word := r.bare()
		r.i += len(word)
		switch word {
		case "fi":
			return
		case "else":
			r.noteText("else")
			r.repeats("fi")
			return
		case "elif":
			r.noteText("elif")
			r.repeats("then")
			r.noteText("then")
		default:
			r.fail("the shell's control flow: fi is missing")
		}
	}
}

// compoundRedirections reads what follows a compound command that begins with
// the command first, in the directory dir. It is kept as a command without
// words; what it feeds goes to every command inside.
func (r *reader) compoundRedirections(first int, dir int16) {
	if r.why != "" {
		return
	}
	around := Simple{dir: dir}
	for r.blanks(); r.why == "" && r.redirects(); r.blanks() {
		r.redirection(&around)
	}
	if r.why == "" && r.i < len(r.text) && !ends(r.text[r.i]) {
		r.fail("words behind a compound command")
	}
	if around.more == nil {
		return
	}
	for i := first; i < len(r.c.Simples); i++ {
		r.c.Simples[i].straight = false // if the redirection fails, nothing inside ran
	}
	for _, red := range around.more.redirs {
		for i := first; i < len(r.c.Simples) && strings.HasPrefix(red.Op, "<"); i++ {
			r.c.Simples[i].fed = true
		}
	}
	r.c.Simples = append(r.c.Simples, around)
}

// newlines skips blanks, line ends and comments between commands.
func (r *reader) newlines() {
	for r.blanks(); r.why == "" && r.i < len(r.text); r.blanks() {
		switch {
		case r.text[r.i] == '\n':
			r.i++
			r.bodies()
		case r.text[r.i] == '#':
			r.comment()
		default:
			return
		}
	}
}

// comment skips a comment. One that ends with a backslash goes on for some
// parsers and not for the shell.
func (r *reader) comment() {
	r.goBeyond("a comment")
	end := strings.IndexByte(r.text[r.i:], '\n')
	if end < 0 {
		end = len(r.text) - r.i
	}
	if strings.HasSuffix(r.text[r.i:r.i+end], `\`) {
		r.fail("a comment that ends with a backslash")
	}
	r.i += end
}

// blanks skips blanks, and line ends behind a backslash, which are blanks
// between words.
func (r *reader) blanks() {
	for r.i < len(r.text) {
		switch {
		case r.text[r.i] == ' ' || r.text[r.i] == '\t':
			r.i++
		case strings.HasPrefix(r.text[r.i:], "\\\n") && len(r.docs) == 0 && (r.i == 0 || strings.IndexByte(" \t\n;&|(", r.text[r.i-1]) >= 0):
			r.goBeyond("a line that goes on behind a backslash")
			r.i += 2
		default:
			return
		}
	}
}
