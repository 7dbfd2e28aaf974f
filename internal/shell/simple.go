package shell

import (
	"slices"
	"strings"
)

// simple reads assignments, words and redirections up to the command's end.
func (r *reader) simple() {
	s := Simple{Piped: r.piped, dir: r.dir, sure: r.sure, straight: r.straight}
	outer := r.first
	r.first = len(r.words)
	r.note('[')
	for r.blanks(); r.why == "" && r.i < len(r.text); r.blanks() {
		switch {
		case r.redirects():
			r.redirection(&s)
			continue
		case r.text[r.i] == '#':
			r.comment()
			continue
		case ends(r.text[r.i]):
		case len(r.words) == r.first && r.assigns():
			r.assignment(&s)
			continue
		default:
			w := r.readWord(false)
			if w.parts != nil {
				d := s.detail()
				d.open = append(d.open, open{word: len(r.words) - r.first, parts: w.parts})
			}
			r.words = append(r.words, w.text)
			continue
		}
		break
	}
	r.finish(&s)
	r.note(']')
	r.first = outer
}

func (r *reader) finish(s *Simple) {
	if r.why != "" {
		return
	}
	s.Words = r.words[r.first:len(r.words):len(r.words)]
	if len(s.Words) == 0 && s.more == nil {
		r.fail("a separator with no command before it")
		return
	}
	if r.i < len(r.text) && r.text[r.i] == '(' {
		r.fail("a subshell, a substitution or a function")
		return
	}
	if len(s.Words) > 0 {
		if why := cannotStart(s); why != "" {
			r.fail(why)
			return
		}
	}
	if len(r.c.Simples) == maxCommands {
		r.fail("more than 500 commands")
		return
	}
	r.c.Simples = append(r.c.Simples, *s)
	r.changeDir(s)
}

// cannotStart refuses a first word that is no program's name.
func cannotStart(s *Simple) string {
	word := s.Words[0]
	switch {
	case !s.Literal(0):
		return "a program name that the shell fills in"
	case word == "":
		return "an empty program name"
	case isAssignment(word):
		return "a program name that looks like an assignment"
	case evaluates[word] && !plainNames(s):
		return "a subscript or variable that the shell evaluates (" + word + ")"
	case runsOperand[word] && s.more != nil && len(s.more.open) > 0:
		return "a program name that the shell may fill in"
	case strings.IndexByte("-+%", word[0]) >= 0:
		// A shell that is given the text as an argument may read it as an
		// option of its own; zsh runs what follows a dash, bash a job behind %.
		return "a program name that begins with " + word[:1]
	}
	return ""
}

// evaluates are builtins that take a subscript in a name, such as a[$(rm x)],
// for an expression.
var evaluates = wordSet("test [ printf read unset declare typeset local readonly export let mapfile readarray getopts wait")

// runsOperand are builtins that run what their words name.
var runsOperand = wordSet("exec command builtin eval source . trap time coproc")

// plainNames reports whether no word of such a builtin can be a name with a
// subscript. The words of a test are texts where an operator that is written out
// says so, and those of printf behind a format that is.
func plainNames(s *Simple) bool {
	texts := false
	switch s.Words[0] {
	case "printf":
		texts = len(s.Words) > 1 && s.Literal(1) && !strings.HasPrefix(s.Words[1], "-v")
	case "test":
		texts = testTexts(s, len(s.Words))
	case "[":
		texts = testTexts(s, len(s.Words)-1)
	}
	for i := 1; i < len(s.Words); i++ {
		switch o := s.opened(i); {
		case o != nil && !(texts && quotedParts(o.parts)):
			return false
		case o == nil && !texts && (strings.Contains(s.Words[i], "[") || strings.HasPrefix(s.Words[i], "-v")):
			return false
		}
	}
	return true
}

var (
	unaryTests  = wordSet("-e -f -d -L -h -r -w -x -s -n -z -b -c -p -S -g -u -k -O -G -N")
	binaryTests = wordSet("= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef")
)

// testTexts reports whether the words up to end are one test with an operator
// that is written out, so that the others are only compared or looked up.
func testTexts(s *Simple, end int) bool {
	first := 1
	for first < end && s.Words[first] == "!" && s.Literal(first) {
		first++
	}
	switch end - first {
	case 2:
		return s.Literal(first) && unaryTests[s.Words[first]]
	case 3:
		return s.Literal(first+1) && binaryTests[s.Words[first+1]]
	default:
		return false
	}
}

// quotedParts reports whether the parts make exactly one word.
func quotedParts(parts []part) bool {
	for _, p := range parts {
		if p.kind == patternPart || (p.kind == variablePart || p.kind == commandPart) && !p.quoted {
			return false
		}
	}
	return true
}

// assigns reports whether an assignment stands at r.i.
func (r *reader) assigns() bool {
	n := nameLength(r.text[r.i:])
	return n > 0 && (strings.HasPrefix(r.text[r.i+n:], "=") || strings.HasPrefix(r.text[r.i+n:], "+="))
}

func (r *reader) assignment(s *Simple) {
	r.goBeyond("an assignment before the command")
	n := nameLength(r.text[r.i:])
	name := r.text[r.i : r.i+n]
	if r.i += n; r.text[r.i] != '=' {
		r.fail("an assignment that adds to a value (+=)")
		return
	}
	r.i++
	r.note('=')
	r.noteText(name)
	r.note(markClose)
	a := assignment{name: name}
	if r.i < len(r.text) && r.text[r.i] == '(' {
		r.fail("an array")
		return
	}
	if r.i < len(r.text) && !ends(r.text[r.i]) {
		a.value = r.readWord(true)
	} else {
		r.note(markEnd)
	}
	d := s.detail()
	d.sets = append(d.sets, a)
}

// changeDir follows a cd. Where it cannot be followed the reader remembers that
// the directory is lost, which is no reason to be opaque.
func (r *reader) changeDir(s *Simple) {
	if len(s.Words) == 0 {
		return
	}
	switch s.Words[0] {
	case "cd":
	case "pushd", "popd", "chdir":
		r.lose("the text changes the directory by " + s.Words[0])
		return
	default:
		if runsOperand[s.Words[0]] && slices.ContainsFunc(s.Words[1:], func(w string) bool { return w == "cd" || w == "pushd" || w == "popd" || w == "chdir" }) {
			r.lose("the text changes the directory by " + s.Words[0])
		}
		return
	}
	dir, ok := cdOperand(s)
	absolute := strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~")
	switch {
	case !ok:
		r.lose("the directory of a cd cannot be told")
	case r.repeated > 0 && !absolute:
		r.lose("a loop or condition changes the directory")
	case r.dir >= 0 && !absolute && !r.sure:
		r.lose("a cd depends on another one that may have failed")
	case climbsOut(dir), r.dir >= 0 && climbs(dir):
		// The shell goes back by the name, the file system by where a link led.
		r.lose("a cd climbs out of a directory that may be a link")
	}
	r.c.Changes = append(r.c.Changes, Change{From: int(r.dir), Dir: dir})
	r.dir, r.sure = int16(len(r.c.Changes)-1), true
}

func (r *reader) lose(why string) {
	if r.c.lost == "" {
		r.c.lost = why
	}
}

// cdOperand returns the directory that a cd names by its text alone.
func cdOperand(s *Simple) (string, bool) {
	if len(s.Words) != 2 || s.Words[1] == "" || s.Words[1][0] == '-' {
		return "", false
	}
	if o := s.opened(1); o != nil {
		// ~ and ~/x are the only open words that can be followed here;
		// variables are resolved later and lose the directory.
		if o.parts[0].kind != homePart || len(o.parts) > 2 || len(o.parts) == 2 && o.parts[1].kind != literalPart {
			return "", false
		}
	}
	return s.Words[1], true
}

func climbs(dir string) bool { return dir == ".." || strings.HasPrefix(dir, "../") }

// climbsOut reports whether ".." follows a name: a/.. may be anywhere.
func climbsOut(dir string) bool {
	named := false
	for part := range strings.SplitSeq(dir, "/") {
		if part == ".." && named {
			return true
		}
		named = named || part != ".." && part != "." && part != ""
	}
	return false
}

var reserved = wordSet("! { } [[ ]] case coproc do done elif else esac fi for function if in select then time until while")

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && isName(strings.TrimSuffix(name, "+"))
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		b := s[i]
		if !(b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || i > 0 && (b >= '0' && b <= '9' || b == '[' || b == ']')) {
			return false
		}
	}
	return s != ""
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}
