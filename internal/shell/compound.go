package shell

import "strings"

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
