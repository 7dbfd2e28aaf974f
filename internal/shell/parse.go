package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxText is the longest text, in bytes, that Parse reads. No person writes a
// longer command, and nobody who is asked about one would see its end.
const MaxText = 10_000

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

// Simple is one simple command: its words after quote removal.
type Simple struct {
	Words []string
	// Piped is set if the command reads the previous one's output.
	Piped bool
}

// Command is what the strict reader understood. The zero value is opaque.
type Command struct {
	Text    string
	Simples []Simple
	// Pipeline is set if there is one command, or several joined by plain pipes.
	Pipeline bool
	// Textual is set if the original engine's textual rule holds as well: no
	// operator or expansion character anywhere, quoted or not.
	Textual bool

	chained    bool // all separators are &&
	opaque     string
	understood bool
	dialect    Dialect
	buf        [4]Simple
	words      [24]string
}

// Opaque says why the text cannot be understood; it is empty if it was.
func (c *Command) Opaque() string {
	switch {
	case c.understood:
		return ""
	case c.opaque != "":
		return c.opaque
	default:
		return "there is no command"
	}
}

// Parse reads text into c. It never fails: what it does not understand is
// opaque, and an opaque command is covered by nothing. c must not be copied
// afterwards, its slices point into it.
func (c *Command) Parse(text string, dialect Dialect) {
	*c = Command{Text: text, Pipeline: true, Textual: true, dialect: dialect}
	if c.opaque = unreadable(text); c.opaque != "" {
		return
	}
	if dialect > Zsh {
		c.opaque = "commands of this shell are not read"
		return
	}
	if dialect == Zsh && strings.ContainsFunc(text, notPlain) {
		c.opaque = "zsh is read only where every word is plain"
		return
	}
	p := parser{c: c, text: text}
	p.words, c.chained = c.words[:0], true
	c.Simples = c.buf[:0]
	if c.opaque = p.run(); c.opaque == "" && len(c.Simples) > 0 {
		c.understood = true
	}
}

// unreadable refuses what two shells, or a shell and a person, would read
// differently.
func unreadable(text string) string {
	if len(text) > MaxText {
		return "the text is too long"
	}
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case r == utf8.RuneError && size == 1:
			return "the text is not valid UTF-8"
		case r == ' ' || r == '\t' || r == '\n':
		case r < ' ' || r == 0x7f:
			return "the text holds a control character"
		case r >= utf8.RuneSelf && !unicode.IsPrint(r):
			return "the text holds an invisible character or an unusual blank"
		}
		i += size
	}
	return ""
}

func notPlain(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" \n;&|_./:,@%+-", r))
}

// parser is the strict reader. It stays one function per construct: this is
// the whole grammar.
type parser struct {
	c     *Command
	text  string
	i     int
	words []string // of all commands; a command's words are a run of it
	first int      // where the current command's words begin
	piped bool     // the current command follows a pipe
}

// run reads the whole text and returns why it is opaque, if it is.
func (p *parser) run() string {
	for p.i < len(p.text) {
		switch b := p.text[p.i]; b {
		case ' ', '\t':
			p.i++
		case '\n', ';', '&', '|':
			if why := p.separator(); why != "" {
				return why
			}
		default:
			if why := p.word(); why != "" {
				return why
			}
		}
	}
	if p.piped && len(p.words) == p.first {
		p.c.Pipeline = false // nothing behind the last pipe
	}
	return p.endCommand(false)
}

func (p *parser) separator() string {
	pipe := p.text[p.i] == '|'
	plainPipe := pipe
	if !strings.HasPrefix(p.text[p.i:], "&&") {
		p.c.chained = false
	}
	p.i++
	if p.i < len(p.text) && strings.IndexByte("&|", p.text[p.i]) >= 0 {
		pipe = pipe && p.text[p.i] == '&'
		plainPipe = false
		p.i++
	}
	if !plainPipe || len(p.words) == p.first {
		p.c.Pipeline = false
	}
	return p.endCommand(pipe)
}

func (p *parser) endCommand(pipe bool) string {
	words := p.words[p.first:len(p.words):len(p.words)]
	if len(words) > 0 {
		if why := cannotStart(words[0]); why != "" {
			return why
		}
		p.c.Simples = append(p.c.Simples, Simple{Words: words, Piped: p.piped})
		p.piped = false
	}
	p.piped = p.piped || pipe
	p.first = len(p.words)
	return ""
}

// word reads one word. Bytes that the shell would expand or act upon make the
// text opaque; the word may be longer than its pieces only through quoting.
func (p *parser) word() string {
	start, plain := p.i, true
	var buf []byte
	brace := false
	for p.i < len(p.text) {
		b := p.text[p.i]
		switch b {
		case ' ', '\t', '\n', ';', '&', '|':
			return p.endWord(start, plain, buf, brace)
		case '\'', '"', '\\':
			if plain {
				buf, plain = append(buf, p.text[start:p.i]...), false
			}
			var why string
			if buf, why = p.quoting(buf); why != "" {
				return why
			}
			continue
		case '#':
			if p.i == start {
				return "a comment"
			}
		case '~':
			if p.i == start || p.text[p.i-1] == ':' || p.text[p.i-1] == '=' {
				return "a home directory that the shell fills in (~)"
			}
		case '{':
			brace = true
		default:
			if why := expands(b); why != "" {
				return why
			}
		}
		if !plain {
			buf = append(buf, b)
		}
		p.i++
	}
	return p.endWord(start, plain, buf, brace)
}

func (p *parser) endWord(start int, plain bool, buf []byte, brace bool) string {
	raw := p.text[start:p.i]
	if brace && (strings.Contains(raw, ",") || strings.Contains(raw, "..")) {
		return "a brace expansion"
	}
	word := raw
	if !plain {
		word = string(buf)
	}
	p.words = append(p.words, word)
	return ""
}

// quoting reads '…', "…" or a backslash and the byte behind it.
func (p *parser) quoting(buf []byte) ([]byte, string) {
	quote := p.text[p.i]
	p.i++
	if quote == '\\' {
		return p.escaped(buf)
	}
	for p.i < len(p.text) {
		b := p.text[p.i]
		p.i++
		switch {
		case b == quote:
			return buf, ""
		case quote == '"' && (b == '$' || b == '`'):
			return buf, "an expansion inside double quotes"
		case quote == '"' && b == '\\' && p.i < len(p.text) && strings.IndexByte("\"\\$`\n", p.text[p.i]) >= 0:
			if p.text[p.i] == '\n' {
				return buf, "a line that goes on behind a backslash"
			}
			b = p.text[p.i]
			p.i++
		}
		p.noteOperator(b)
		buf = append(buf, b)
	}
	return buf, "a quote is not closed"
}

func (p *parser) escaped(buf []byte) ([]byte, string) {
	if p.i == len(p.text) {
		return buf, "a backslash at the end"
	}
	b := p.text[p.i]
	if b == '\n' {
		return buf, "a line that goes on behind a backslash"
	}
	p.i++
	p.noteOperator(b)
	return append(buf, b), ""
}

// noteOperator marks a text whose quoted part the textual rule would not pass.
func (p *parser) noteOperator(b byte) {
	if strings.IndexByte("`$><(;&|\n", b) >= 0 {
		p.c.Textual = false
	}
}

func expands(b byte) string {
	switch b {
	case '$':
		return "an expansion ($)"
	case '`':
		return "a command substitution (`)"
	case '>', '<':
		return "a redirection"
	case '(', ')':
		return "a subshell, a substitution or a function"
	case '*', '?', '[':
		return "a file name pattern that the shell fills in"
	default:
		return ""
	}
}

var reserved = wordSet("! { } [[ ]] case coproc do done elif else esac fi for function if in select then time until while")

// cannotStart refuses a first word that is no program: control flow, or an
// assignment, which changes what the program behind it does.
func cannotStart(word string) string {
	if reserved[word] && word != "time" { // time is a program as well, with the same words behind it
		return "the shell's control flow (" + word + ")"
	}
	if isAssignment(word) {
		return "an assignment before the command"
	}
	switch {
	case word == "":
		return "an empty program name"
	case strings.IndexByte("-+%", word[0]) >= 0:
		// A shell that is given the text as an argument may read it as an
		// option of its own; zsh runs what follows a dash, bash a job behind %.
		return "a program name that begins with " + word[:1]
	}
	return ""
}

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
