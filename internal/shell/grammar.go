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
	open  int       // where the innermost construct begins that is not closed yet, and 1; 0: none
	docs  []hereDoc // those whose bodies begin on the next line

	dir      int16 // the directory that the next command runs in
	sure     bool  // it certainly runs there
	straight bool  // the next command runs once, in the shell itself
	forked   int   // inside how many subshells, substitutions and pipelines
	repeated int   // inside how many loops and conditions
	branches int   // inside how many branches of a case
	perhaps  int   // behind how many && and ||
	piped    bool

	compare    bool   // the text needs the second reader
	canon      []byte // canonical rendering, to compare with the second reader's
	bodiesRead []byte // those of here-documents, which stand apart from their commands
}

// fail ends the reading. Where the text has ended, what is told is where the
// construct begins that lacks its end.
func (r *reader) fail(why string) {
	switch {
	case r.why != "":
	case r.i >= len(r.text) && r.open > 0:
		r.failAt(why, r.open-1)
	default:
		r.why = why
		r.c.piece = piece(r.text, r.i)
	}
}

// failAt is fail for what begins at a place before r.i. The piece is so long that
// it stands nowhere else in the text, as far as that can be.
func (r *reader) failAt(why string, at int) {
	if r.why != "" {
		return
	}
	r.why = why
	text := r.text[at:]
	r.c.piece = piece(text, 0)
	for tries := 0; tries < 8 && len(r.c.piece) < longestPiece && len(r.c.piece) < len(text) && strings.Count(r.text, r.c.piece) > 1; tries++ {
		r.c.piece += piece(text, len(r.c.piece))
	}
}

const longestPiece = 40

// piece is the part of the text at which reading ended: up to the next blank,
// or the last few characters.
func piece(text string, at int) string {
	const most = longestPiece
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
		r.failAt("a here-document that does not end", r.docs[0].from)
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
		r.failAt("a here-document that does not end", r.docs[0].from)
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
		if r.why != "" || r.i == len(r.text) || r.text[r.i] == ')' || closers[r.bare()] || r.branches > 0 && strings.HasPrefix(r.text[r.i:], ";;") {
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
		from := r.i
		r.i += len(operator)
		r.noteText(operator)
		r.straight = false
		if !joined {
			joined = true
			r.perhaps++
		}
		r.c.Pipeline = false
		if r.newlines(); r.i == len(r.text) {
			r.failAt("nothing behind "+operator, from)
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
	case ";;":
		if r.note(';'); r.branches == 0 {
			r.fail("an operator that not all shells know (;;)")
		}
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
		from := r.i
		r.i++
		if r.blanks(); r.i == len(r.text) || r.bare() == "!" {
			r.failAt("nothing behind !", from)
			return
		}
	}
	dir, sure, straight := r.dir, r.sure, r.straight
	count := len(r.c.Simples)
	for n, before := 0, 0; r.why == ""; n++ {
		piped, first := r.piped, len(r.c.Simples)
		r.command()
		r.piped = piped
		feeder := before
		if before = 0; len(r.c.Simples) == first+1 && first < maxFeeder {
			before = first + 1
			r.c.Simples[first].feeder = int16(feeder)
		}
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
		from := r.i
		r.i++
		r.note('|')
		r.piped, r.straight = true, false
		r.dir, r.sure = dir, sure
		if r.newlines(); r.i == len(r.text) {
			r.failAt("nothing behind |", from)
		}
	}
}

// maxFeeder bounds the commands of which is known who reads their output.
const maxFeeder = 1000

var closers = wordSet("} then do done fi else elif esac")

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
