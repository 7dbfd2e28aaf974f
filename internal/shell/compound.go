package shell

import "strings"

// command reads one simple or compound command with its redirections.
func (r *reader) command() {
	word := r.bare()
	if word == "" && (r.i == len(r.text) || r.text[r.i] != '(') || word == "time" { // time is a program as well, with the same words behind it
		r.simple()
		return
	}
	outer := r.open
	r.open = r.i + 1
	r.compoundCommand(word)
	r.open = outer
}

func (r *reader) compoundCommand(word string) {
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
	switch {
	case word == "{":
		r.group()
	case word == "for":
		r.forLoop()
	case word == "if":
		r.condition()
	case word == "while" || word == "until":
		r.whileLoop(word)
	case word == "case":
		r.choice()
	case word == "[[" && r.c.dialect == Bash:
		r.test()
	default:
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
	case len(r.c.Simples) == before && r.i < len(r.text):
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

// whileLoop reads a loop that a list ends, which runs as often as the body.
func (r *reader) whileLoop(word string) {
	first, dir := len(r.c.Simples), r.dir
	r.compound("the shell's control flow (" + word + ")")
	r.i += len(word)
	r.noteText(word)
	r.repeats("do")
	r.noteText("do")
	r.repeats("done")
	r.noteText("done")
	r.compoundRedirections(first, dir)
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
		if r.why == "" && len(r.c.Simples) == before && r.i < len(r.text) {
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

// choice reads a case with plain branches: WORD in PATTERN | PATTERN) LIST ;;
// each of them may run or not.
func (r *reader) choice() {
	first, dir := len(r.c.Simples), r.dir
	r.compound("the shell's control flow (case)")
	r.i += len("case")
	r.noteText("case")
	if r.blanks(); !r.wordHere("case") {
		return
	}
	r.comparesSecret(r.readWord(true))
	if r.blanks(); r.why == "" && r.bare() != "in" {
		r.fail("the shell's control flow (case)")
	}
	if r.why != "" {
		return
	}
	r.i += len("in")
	r.noteText("in")
	branches := 0
	for r.newlines(); r.why == "" && r.bare() != "esac"; r.newlines() {
		if branches++; r.i == len(r.text) {
			r.fail("the shell's control flow (case): esac is missing")
		} else {
			r.chosen()
		}
	}
	switch {
	case r.why != "":
		return
	case branches == 0:
		r.fail("an empty block")
		return
	}
	r.i += len("esac")
	r.noteText("esac")
	r.compoundRedirections(first, dir)
}

// wordHere fails where no word begins at r.i.
func (r *reader) wordHere(construct string) bool {
	if r.why == "" && (r.i == len(r.text) || ends(r.text[r.i])) {
		r.fail("the shell's control flow (" + construct + "): a word is missing")
	}
	return r.why == ""
}

// chosen reads one branch of a case, up to what ends it.
func (r *reader) chosen() {
	for {
		if r.blanks(); !r.wordHere("case") {
			return
		}
		r.comparesSecret(r.readWord(true))
		if r.blanks(); r.why != "" || r.i == len(r.text) || r.text[r.i] != '|' {
			break
		}
		r.note('|')
		r.i++
	}
	if r.why == "" && (r.i == len(r.text) || r.text[r.i] != ')') {
		r.fail("the shell's control flow (case): a pattern that is not closed")
	}
	if r.why != "" {
		return
	}
	r.i++
	r.note(')')
	if r.depth++; r.depth > maxDepth {
		r.fail("constructs inside constructs, too deep to be read")
		return
	}
	r.repeated++
	r.branches++
	dir := r.dir
	r.list()
	r.sure = r.sure && r.dir == dir
	r.branches--
	r.repeated--
	r.depth--
	rest := r.text[r.i:]
	switch {
	case r.why != "":
	case strings.HasPrefix(rest, ";;") && !strings.HasPrefix(rest, ";;&"):
		r.i += len(";;")
		fallthrough
	case r.bare() == "esac":
		r.noteText(";;")
	default:
		if r.i == len(r.text) {
			r.fail("the shell's control flow (case): esac is missing")
		}
		r.fail("the shell's control flow (case): a branch that does not end")
	}
}

var (
	fileTests = wordSet("-e -f -d -L -h -r -w -x -s -n -z")
	textTests = wordSet("= == !=")
)

// test reads [[ … ]] with tests that only look and compare, joined by && and ||.
// Those that evaluate arithmetic or subscripts may run commands.
func (r *reader) test() {
	r.compound("the shell's control flow ([[)")
	s := Simple{Piped: r.piped, dir: r.dir, sure: r.sure, straight: r.straight, tests: true}
	outer := r.first
	r.first = len(r.words)
	r.i += len("[[")
	r.words = append(r.words, "[[")
	r.noteText("[[")
	for r.why == "" {
		if r.tested(&s); r.why != "" {
			break
		}
		r.blanks()
		if r.bare() == "]]" {
			break
		}
		if r.i == len(r.text) {
			r.fail("the shell's control flow ([[): ]] is missing")
			break
		}
		joint := r.text[r.i:min(r.i+2, len(r.text))]
		if joint != "&&" && joint != "||" {
			r.fail("the shell's control flow ([[): a test of a kind that is not read")
			break
		}
		r.i += len(joint)
		r.noteText(joint)
		r.words = append(r.words, joint)
	}
	if r.why == "" {
		r.i += len("]]")
		r.noteText("]]")
		r.words = append(r.words, "]]")
		if len(r.c.Simples) == maxCommands {
			r.fail("more than 500 commands")
		}
	}
	if r.why == "" {
		s.Words = r.words[r.first:len(r.words):len(r.words)]
		r.c.Simples = append(r.c.Simples, s)
	}
	r.first = outer
}

// tested reads one test: an operator and a word, or two words around one.
func (r *reader) tested(s *Simple) {
	for r.blanks(); r.bare() == "!"; r.blanks() {
		r.i++
		r.note('!')
		r.words = append(r.words, "!")
	}
	if operator := r.raw(); fileTests[operator] {
		r.i += len(operator)
		r.noteText(operator)
		r.words = append(r.words, operator)
		r.testedWord(s)
		return
	}
	left := r.testedWord(s)
	r.blanks()
	operator := r.raw()
	if r.why == "" && !textTests[operator] {
		r.fail("the shell's control flow ([[): a test of a kind that is not read")
	}
	if r.why != "" {
		return
	}
	r.i += len(operator)
	r.noteText(operator)
	r.words = append(r.words, operator)
	right := r.testedWord(s)
	if left.parts != nil && right.text != "" || right.parts != nil && left.text != "" {
		r.comparesSecret(left)
		r.comparesSecret(right)
	}
}

// comparesSecret notes that a word is compared which holds a secret: a pattern
// for each letter would tell it.
func (r *reader) comparesSecret(w word) {
	if name := secretOf(w.parts); name != "" && r.c.compares == "" {
		r.c.compares = name
	}
}

// raw returns the text at r.i up to the next blank.
func (r *reader) raw() string {
	rest := r.text[r.i:]
	if end := strings.IndexAny(rest, " \t\n"); end >= 0 {
		rest = rest[:end]
	}
	return rest
}

// testedWord reads a word of a test, which cannot be taken for an operator.
func (r *reader) testedWord(s *Simple) (w word) {
	if r.blanks(); !r.wordHere("[[") {
		return w
	}
	if c := r.text[r.i]; c == '-' || c == '!' || c == '=' || c == ']' {
		r.fail("the shell's control flow ([[): a test of a kind that is not read")
		return w
	}
	w = r.readWord(true)
	if w.parts != nil {
		d := s.detail()
		d.open = append(d.open, open{word: len(r.words) - r.first, parts: w.parts})
	}
	r.words = append(r.words, w.text)
	return w
}
