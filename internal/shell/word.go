package shell

import (
	"strings"
)

// word is one word as it was read.
type word struct {
	text  string // after quote removal; what is open as it is written
	parts []part // nil if the text is all there is
}

// part is a piece of a word that is not all literal.
type part struct {
	kind     partKind
	text     string // literal text, pattern character, name, or the substitution as written
	quoted   bool
	from, to int // the commands of a substitution
}

type partKind uint8

const (
	literalPart  partKind = iota
	patternPart           // * ? [
	homePart              // ~
	numberPart            // $? $# $$: digits
	variablePart          // $name
	commandPart           // $(…)
)

// Markers in the canonical rendering; no readable text holds these bytes.
const (
	markPattern  = 1
	markVariable = 2
	markOpen     = 3
	markClose    = 4
	markEnd      = 5
	markQuoted   = 6
	markHome     = 7
)

// builder puts a word together.
type builder struct {
	buf   []byte
	from  int // where the current literal run begins in buf
	parts []part
}

func (b *builder) add(p part, shown string) {
	b.flush()
	b.parts = append(b.parts, p)
	b.buf = append(b.buf, shown...)
	b.from = len(b.buf)
}

func (b *builder) flush() {
	if len(b.buf) > b.from {
		b.parts = append(b.parts, part{text: string(b.buf[b.from:])})
		b.from = len(b.buf)
	}
}

func (b *builder) word() word {
	if b.parts == nil {
		return word{text: string(b.buf)}
	}
	b.flush()
	return word{text: string(b.buf), parts: b.parts}
}

func (r *reader) note(bytes ...byte) {
	if r.compare {
		r.canon = append(r.canon, bytes...)
	}
}

func (r *reader) noteText(s string) {
	if r.compare {
		r.canon = append(r.canon, s...)
	}
}

// ends reports whether b ends an unquoted word. A parenthesis does too, but
// stands there only where a list ends.
// maxWordParts bounds what one word is put together from.
const maxWordParts = 500

func ends(b byte) bool { return wordEnds[b] }

var wordEnds = func() (set [256]bool) {
	for _, b := range []byte(" \t\n;&|<>()") {
		set[b] = true
	}
	return set
}()

// simplest holds the bytes that mean themselves anywhere in a word.
var simplest = func() (set [256]bool) {
	for i := range set {
		set[i] = true
	}
	for _, b := range []byte(" \t\n;&|<>()'\"\\$`*?[{~#") {
		set[b] = false
	}
	return set
}()

// readWord reads one word at r.i, which is not a word's end. value says that
// the word is the value of an assignment, where nothing becomes several words.
func (r *reader) readWord(value bool) word {
	start := r.i
	for r.i < len(r.text) && simplest[r.text[r.i]] {
		r.i++
	}
	if r.i == len(r.text) || ends(r.text[r.i]) {
		r.noteText(r.text[start:r.i])
		r.note(markEnd)
		return word{text: r.text[start:r.i]}
	}
	b := builder{buf: append([]byte(nil), r.text[start:r.i]...)}
	r.noteText(r.text[start:r.i])
	brace := false
	for r.i < len(r.text) && r.why == "" && !ends(r.text[r.i]) {
		if len(b.parts) > maxWordParts {
			r.fail("a word of more than 500 parts")
		}
		switch c := r.text[r.i]; c {
		case '\'', '"', '\\':
			r.quoting(&b)
		case '$':
			r.dollar(&b, false)
		case '`':
			r.fail("a command substitution (`)")
		case '*', '?', '[':
			r.pattern(&b, value)
		case '~':
			r.tilde(&b, start)
		case '#':
			if r.i == start {
				r.fail("a comment inside a command")
			}
			r.literal(&b, c)
		case '{':
			brace = r.brace(&b, value) || brace
		default:
			r.literal(&b, c)
		}
	}
	if raw := r.text[start:r.i]; brace && (strings.Contains(raw, ",") || strings.Contains(raw, "..")) {
		r.fail("a brace expansion of a kind that is not read")
	}
	r.note(markEnd)
	return b.word()
}

func (r *reader) literal(b *builder, c byte) {
	b.buf = append(b.buf, c)
	r.note(c)
	r.i++
}

// pattern reads a character that the shell matches against file names. A
// bracket that nothing closes is one only for some shells' wildest readings.
func (r *reader) pattern(b *builder, value bool) {
	c := r.text[r.i]
	r.note(markPattern)
	if value || c == '[' && !r.bracketCloses() {
		r.literal(b, c)
		return
	}
	r.goBeyond("a file name pattern that the shell fills in")
	r.note(c)
	b.add(part{kind: patternPart, text: string(c)}, string(c))
	r.i++
}

// brace reads {a,b} and {1..5}, which some shells expand and others do not: a
// pattern of the words that it may become. It reports whether the brace is of
// neither form and yet may belong to one, through quotes or nesting.
func (r *reader) brace(b *builder, value bool) (unsure bool) {
	end := r.i + 1
	for end < len(r.text) && r.text[end] != '}' && (simplest[r.text[end]] || r.text[end] == '#') {
		end++
	}
	if value || end == len(r.text) || r.text[end] != '}' {
		r.literal(b, '{')
		return !value
	}
	whole := r.text[r.i : end+1]
	r.i = end + 1
	r.noteText(whole)
	if !strings.Contains(whole, ",") && !strings.Contains(whole, "..") {
		b.buf = append(b.buf, whole...)
		return false
	}
	r.goBeyond("a brace expansion")
	b.add(part{kind: patternPart, text: whole}, whole)
	return false
}

func (r *reader) bracketCloses() bool {
	for i := r.i + 1; i < len(r.text) && !ends(r.text[i]); i++ {
		if r.text[i] == ']' {
			return true
		}
	}
	return false
}

// tilde reads a home directory at a word's start; others are not understood.
func (r *reader) tilde(b *builder, start int) {
	before := byte(0)
	if r.i > start {
		before = r.text[r.i-1]
	}
	switch {
	case r.i > start && before != ':' && before != '=':
		r.literal(b, '~')
	case r.i == start && (r.i+1 == len(r.text) || r.text[r.i+1] == '/' || ends(r.text[r.i+1])):
		r.goBeyond("a home directory that the shell fills in (~)")
		r.note(markHome)
		b.add(part{kind: homePart, text: "~"}, "~")
		r.i++
	default:
		r.fail("a home directory that the shell fills in (~)")
	}
}

// quoting reads '…', "…", or a backslash and what it quotes.
func (r *reader) quoting(b *builder) {
	quote := r.text[r.i]
	r.i++
	switch quote {
	case '\\':
		r.escaped(b)
	case '\'':
		end := strings.IndexByte(r.text[r.i:], '\'')
		if end < 0 {
			r.failAt("a quote is not closed", r.i-1)
			return
		}
		inner := r.text[r.i : r.i+end]
		r.quotedText(b, inner)
		r.i += end + 1
	default:
		r.doubleQuoted(b)
	}
}

func (r *reader) quotedText(b *builder, inner string) {
	if strings.ContainsAny(inner, "`$><(;&|\n") {
		r.c.operator = true
	}
	if len(r.docs) > 0 && strings.Contains(inner, "\n") {
		r.fail("a here-document that begins inside a quoted text")
	}
	b.buf = append(b.buf, inner...)
	r.noteText(inner)
}

func (r *reader) escaped(b *builder) {
	if r.i == len(r.text) {
		r.fail("a backslash at the end")
		return
	}
	if r.text[r.i] == '\n' {
		r.fail("a line that goes on behind a backslash inside a word")
		return
	}
	r.quotedText(b, r.text[r.i:r.i+1])
	r.i++
}

func (r *reader) doubleQuoted(b *builder) {
	from := r.i - 1
	for r.why == "" && r.i < len(r.text) {
		switch c := r.text[r.i]; {
		case c == '"':
			r.i++
			return
		case c == '`':
			r.fail("an expansion inside double quotes")
		case c == '$':
			r.dollar(b, true)
		case c == '\\' && r.i+1 < len(r.text) && strings.IndexByte("\"\\$`\n", r.text[r.i+1]) >= 0:
			if r.text[r.i+1] == '\n' {
				r.fail("a line that goes on behind a backslash inside a word")
				return
			}
			r.quotedText(b, r.text[r.i+1:r.i+2])
			r.i += 2
		default:
			r.quotedText(b, r.text[r.i:r.i+1])
			r.i++
		}
	}
	if r.why == "" {
		r.failAt("a quote is not closed", from)
	}
}

// dollar reads what a dollar sign begins.
func (r *reader) dollar(b *builder, quoted bool) {
	switch {
	case strings.HasPrefix(r.text[r.i:], "$(("):
		r.goBeyond("arithmetic")
	case quoted:
		r.goBeyond("an expansion inside double quotes")
	default:
		r.goBeyond("an expansion ($)")
	}
	next := byte(0)
	if r.i+1 < len(r.text) {
		next = r.text[r.i+1]
	}
	switch {
	case next == '(' && strings.HasPrefix(r.text[r.i:], "$(("):
		r.sum(b)
	case next == '(':
		r.substitution(b, quoted)
	case next == '?' || next == '#' || next == '$':
		r.variable(b, numberPart, r.text[r.i+1:r.i+2], r.text[r.i:r.i+2], quoted)
	case nameLength(r.text[r.i+1:]) > 0:
		n := nameLength(r.text[r.i+1:])
		r.variable(b, variablePart, r.text[r.i+1:r.i+1+n], r.text[r.i:r.i+1+n], quoted)
	case next == '{':
		r.bracedVariable(b, quoted)
	case next == 0 || strings.IndexByte(" \t\n/.:,;|)&%=+]^", next) >= 0 || quoted && next == '"':
		r.literal(b, '$')
	default:
		r.fail("an expansion ($)")
	}
}

func (r *reader) bracedVariable(b *builder, quoted bool) {
	n := nameLength(r.text[r.i+2:])
	if end := r.i + 2 + n; n > 0 && end < len(r.text) && r.text[end] == '}' {
		r.variable(b, variablePart, r.text[r.i+2:end], r.text[r.i:end+1], quoted)
		return
	}
	if name := statusName(r.text[r.i+2:]); name != "" && (name == "?" || r.c.dialect == Bash) {
		r.variable(b, numberPart, name, r.text[r.i:r.i+len("${}")+len(name)], quoted)
		return
	}
	r.fail("an expansion of a variable that changes its value (${…})")
}

// statusName returns what the text in braces names if that is the status of a
// command, which is a number or nothing: ${?}, or bash's ${PIPESTATUS[N]}.
func statusName(text string) string {
	const one = len("PIPESTATUS[0]")
	switch {
	case strings.HasPrefix(text, "?}"):
		return "?"
	case len(text) > one && text[one] == '}' && isPipeStatus(text[:one]):
		return text[:one]
	}
	return ""
}

func isPipeStatus(name string) bool {
	digit, ok := strings.CutPrefix(name, "PIPESTATUS[")
	return ok && len(digit) == 2 && digit[0] >= '0' && digit[0] <= '9' && digit[1] == ']'
}

func (r *reader) variable(b *builder, kind partKind, name, shown string, quoted bool) {
	r.note(markVariable)
	r.noteQuoted(quoted)
	r.noteText(name)
	r.note(markClose)
	b.add(part{kind: kind, text: name, quoted: quoted}, shown)
	r.i += len(shown)
	if shown == "$"+name && unquotedName(name, r.text[r.i:]) != shown {
		r.c.glued = true
	}
}

// unquotedName writes the variable $name so that it ends where it does also when
// the quotes are gone with which the text goes on.
func unquotedName(name, rest string) string {
	if behind := strings.TrimLeft(rest, "'\"\\"); len(behind) < len(rest) && behind != "" && isWordByte(behind[0]) {
		return "${" + name + "}"
	}
	return "$" + name
}

func (r *reader) noteQuoted(quoted bool) {
	if quoted {
		r.note(markQuoted)
	}
}

// substitution reads $(…) as a list of its own.
func (r *reader) substitution(b *builder, quoted bool) {
	start := r.i
	if len(r.docs) > 0 {
		r.fail("a here-document that begins inside a substitution")
		return
	}
	r.note(markOpen)
	r.noteQuoted(quoted)
	// The words of the command around it are set aside, since every command's
	// words are one run of the same slice.
	words, first := r.words, r.first
	r.words, r.first = nil, 0
	from := len(r.c.Simples)
	outer := r.open
	r.open = start + 1
	r.i += len("$(")
	r.inner(')')
	r.open = outer
	r.words, r.first = words, first
	if r.why != "" {
		return
	}
	r.note(markClose)
	shown := r.text[start:r.i]
	b.add(part{kind: commandPart, text: shown, quoted: quoted, from: from, to: len(r.c.Simples)}, shown)
}
