package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// MaxScanned is the longest text, in bytes, that Scan looks at.
const MaxScanned = 64 << 10

const (
	maxSeen      = 600       // commands; a text with more is not read to its end
	maxScanWork  = 128 << 10 // bytes read in all, since parts are read more than once
	readAgain    = 16 << 10  // bytes that are read again, besides the text once more
	maxScanDepth = 4         // of texts inside texts: sh -c "sh -c …"
	maxBound     = 64        // values of one variable, loop or alias
	maxSets      = 512       // variables that one command sets, with their values
	maxHanded    = 1 << 12   // words behind programs behind wrappers: see programs.Table.HandedWork
	maxListed    = 2400      // steps: see scanner.steps
)

const stepsOfCommand = 3

// Scan lists every command that text might run: what a tolerant reader sees
// and what the second reader of the dialect adds. The tolerant one respects
// quotes, looks into substitutions and into the text that a shell is given
// (sh -c, eval), skips control words, follows loops, positional parameters and
// aliases, and splits here-document bodies as if they were commands. ok is
// false if the text was too much to read whole; a list that restricts must then
// count as hit.
//
// left is how many words may be put together for it; read is how many bytes it read
// in all, some of them more than once.
func Scan(text string, dialect Dialect, left *int) (seen []Seen, read int, ok bool) {
	return scanned(text, dialect, nil, left)
}

// Scan is [Scan] of the command's text, of which less is read again.
func (c *Command) Scan(left *int) (seen []Seen, read int, ok bool) {
	return scanned(c.Text, c.dialect, c.second, left)
}

func scanned(text string, dialect Dialect, second *syntax.File, left *int) (seen []Seen, read int, ok bool) {
	if len(text) > MaxScanned {
		return nil, 0, false
	}
	s := newScanner(text)
	s.left = *left
	defer func() { *left = s.left }()
	s.prompts = strings.Contains(text, "@P}") || strings.Contains(text, "${(") // zsh's flags may expand a value again
	s.tables = mentionsTable(text)
	s.scan(text, 0)
	s.endedEarly(text, dialect)
	if dialect == Zsh {
		s.zsh(text, 0)
		s.evaluated(text, 0)
	}
	s.bindPositional(text)
	s.assigned(text)
	if second != nil && len(s.seen) < maxSeen {
		s.seen = seenIn(second, text, s.seen, true)
	} else {
		s.seen = secondSeen(text, dialect, s.seen, true)
	}
	s.handed = 0
	for i, c := range s.seen {
		if !s.handles(c) {
			s.seen[i] = c.anything()
		}
	}
	s.rebuild()
	s.otherNames()
	if len(s.changes) > 0 { // what stands behind them was seen before
		s.seen = append(s.changes, s.seen...)
	}
	return s.seen, s.work, !s.full && !slices.ContainsFunc(s.seen, isCut)
}

type scanner struct {
	seen      []Seen
	work      int
	most      int // of work
	left      int // words that may still be put together from what the shell fills in
	handed    int // of maxHanded
	steps     int // what the commands take that were listed, with each word that may be a program behind another
	full      bool
	changes   []Seen // the commands of those put together that change the directory
	made      made
	functions map[string]bool
	aliases   map[string]string
	tables    bool            // the text sets elements of arrays that hold commands
	within    int             // inside how many texts that commands are given
	unknown   map[string]bool // variables that hold what a program made of a text
	followed  int             // commands that were asked whether they rewrite
	rewriters []int           // 1 more than the indices of those that do
	testing   bool            // a test has begun and not ended
	loose     bool            // what is read is no text of a shell's own, or without its quotes
	argument  bool            // what is read is one word, which may be no command line
	prompts   bool            // the text expands a value as a prompt is, which runs what is in it
}

// newScanner reads parts of the text again as far as its length allows.
func newScanner(text string) scanner {
	const bytesOfCommand = 32 // often more
	return scanner{
		seen: make([]Seen, 0, min(1+len(text)/bytesOfCommand, maxSeen)),
		most: min(2*len(text)+readAgain, maxScanWork), left: MaxFilled,
	}
}

// pending is a command under construction.
type pending struct {
	Seen
	word     []byte
	inWord   bool
	bare     bool     // the word has an expansion outside quotes
	redirect byte     // '>' or '<' if the next word is a redirection's target
	text     bool     // that word is the input itself
	ends     []string // delimiters of the here-documents that begin on the next line
	sources           // where the commands began whose output it is given
}

// given scans a text that is not the text's own: a command is given it.
func (s *scanner) given(text string, depth int) {
	s.within++
	s.scan(text, depth)
	s.within--
}

func (s *scanner) scan(text string, depth int) {
	s.work += len(text)
	if len(text) > MaxScanned || s.crowded() || s.work > s.most || depth > maxScanDepth {
		s.full = true
		return
	}
	var pipes pipes
	cmd := pending{sources: pipes.begin(s)}
	quote, opened := byte(0), 0
	for i := 0; i < len(text); i++ {
		b := text[i]
		switch {
		case quote == '\'':
			if b == '\'' {
				quote = 0
			} else {
				cmd.add(b)
			}
		case b == '\\' && i+1 < len(text):
			if i++; text[i] != '\n' {
				if quote == '"' && strings.IndexByte("\"\\$`", text[i]) < 0 {
					cmd.add('\\')
				}
				cmd.add(text[i])
			}
		case b == '"':
			cmd.inWord = true
			if quote == '"' {
				quote = 0
			} else {
				quote, opened = '"', i
			}
		case b == '`', b == '$' && i+1 < len(text) && text[i+1] == '(':
			i = s.substitution(text, i, depth, &cmd)
		case b == '$' && nameLength(text[i+1:]) > 0:
			name := text[i+1 : i+1+nameLength(text[i+1:])]
			i += len(name)
			cmd.word = append(cmd.word, unquotedName(name, text[i+1:])...)
			cmd.inWord, cmd.bare = true, cmd.bare || quote == 0 && !s.loose
		case quote == '"':
			cmd.add(b)
		case b == '$' && i+1 < len(text) && text[i+1] == '"': // a translated text
		case b == '$' && i+1 < len(text) && text[i+1] == '\'':
			i = s.escapes(text, i+2, depth, &cmd)
		case b == '\'':
			quote, cmd.inWord, opened = '\'', true, i
		case b == '#' && !cmd.inWord:
			// A comment: quotes and backslashes in it mean nothing.
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case b == ' ' || b == '\t' || b == '\r':
			cmd.endWord()
		case b == '>' || b == '<':
			i = s.redirection(text, i, depth, &cmd)
		case b == '\n' && len(cmd.ends) > 0:
			ends := cmd.ends
			cmd.ends = nil
			pipes.ending(&cmd)
			s.end(&cmd, depth)
			loose, argument := s.loose, s.argument // only a shell splits and runs what stands in one
			s.loose = loose || !slices.ContainsFunc(s.seen[min(pipes.line-1, len(s.seen)):], func(c Seen) bool { return len(c.Words) > 0 && takesProgram(c.Words) })
			s.argument = argument || s.loose
			i = s.hereDocuments(text, i, depth, ends)
			s.loose, s.argument = loose, argument
			cmd.sources = pipes.next(s, text, i)
		case b == '(' && s.defines(&cmd, text[i:]):
			i += strings.IndexByte(text[i:], ')')
		case strings.IndexByte("\n;&|()", b) >= 0:
			pipes.ending(&cmd)
			s.end(&cmd, depth)
			cmd.sources = pipes.next(s, text, i)
		default:
			cmd.bare = cmd.bare || b == '$' && !s.loose
			cmd.add(b)
		}
		if s.crowded() {
			s.full = true
			return
		}
	}
	s.end(&cmd, depth)
	if quote != 0 { // a quote that never closes may hide commands from a laxer reader
		s.scan(unquoted(text[opened+1:]), depth+1)
	}
}

// crowded reports whether the list holds more commands than are looked at.
func (s *scanner) crowded() bool { return len(s.seen) > maxSeen || s.steps > maxListed }

func unquoted(text string) string { return noQuotes.Replace(text) }

var noQuotes = strings.NewReplacer("'", "", `"`, "")

// substitution reads `…` or $(…) as commands of their own, and keeps its text
// in the word so that the word is not mistaken for a shorter one.
func (s *scanner) substitution(text string, i, depth int, cmd *pending) int {
	open, skip := text[i], 1
	if open == '$' {
		skip = 2
	}
	end := closing(text[i+skip:], open)
	s.scan(text[i+skip:i+skip+end], depth+1)
	stop := min(i+skip+end, len(text)-1)
	for _, b := range []byte(text[i : stop+1]) {
		cmd.add(b)
	}
	return stop
}

// closing finds where a substitution ends: at the matching parenthesis or brace,
// at the next backtick, or at the end of the text.
func closing(text string, open byte) int {
	level := 1
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '\\':
			i++
		case open == '`' && b == '`':
			return i
		case open == '$' && b == '(':
			level++
		case open == '$' && b == ')':
			if level--; level == 0 {
				return i
			}
		case open == '}' && b == '{':
			level++
		case open == '}' && b == '}':
			if level--; level == 0 {
				return i
			}
		}
	}
	return len(text)
}

func (s *scanner) redirection(text string, i, depth int, cmd *pending) int {
	b := text[i]
	// A descriptor number before the operator is no argument.
	if cmd.inWord && strings.Trim(string(cmd.word), "0123456789") == "" {
		cmd.word, cmd.inWord = cmd.word[:0], false
	}
	cmd.endWord()
	for i+1 < len(text) && strings.IndexByte("><|&!", text[i+1]) >= 0 {
		if i++; text[i] == '>' {
			b = '>' // <> opens for writing as well
		}
	}
	if n := descriptor(text[i+1:]); text[i] == '&' && n > 0 { // 2>&1 names no file
		return i + n
	}
	if i+1 < len(text) && text[i+1] == '(' { // process substitution
		cmd.piped = true
		end := closing(text[i+2:], '$')
		s.scan(text[i+2:i+2+end], depth+1)
		return min(i+2+end, len(text)-1)
	}
	if strings.HasSuffix(text[:i+1], "<<") && !strings.HasSuffix(text[:i+1], "<<<") {
		cmd.here = true
		if len(cmd.ends) < maxBound {
			cmd.ends = append(cmd.ends, delimiter(text[i+1:]))
		} else {
			s.full = true
		}
	}
	cmd.redirect, cmd.text = b, strings.HasSuffix(text[:i+1], "<<<")
	return i
}

// descriptor returns the length of a descriptor's number, or of "-", that is a
// word of its own.
func descriptor(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	if n == 0 && strings.HasPrefix(text, "-") {
		n = 1
	}
	if n < len(text) && strings.IndexByte(" \t\n;&|<>()", text[n]) < 0 {
		return 0
	}
	return n
}

// delimiter reads the word that ends a here-document.
func delimiter(text string) string {
	text = strings.TrimLeft(strings.TrimPrefix(text, "-"), " \t")
	if at := strings.IndexAny(text, " \t\n;&|<>()"); at >= 0 {
		text = text[:at]
	}
	return strings.ReplaceAll(unquoted(text), `\`, "")
}

// hereDocuments reads the bodies that begin behind the newline text[i] and
// returns the index of the newline that ends the last one. A body is read as
// if it were commands, with its quotes and without: a shell may be given it,
// and a substitution in it runs whatever quotes stand around.
func (s *scanner) hereDocuments(text string, i, depth int, ends []string) int {
	for _, end := range ends {
		begin, last := i+1, 0
		for i < len(text) {
			line, _, _ := strings.Cut(text[i+1:], "\n")
			last = i + 1
			i += 1 + len(line)
			if strings.TrimLeft(line, "\t") == end || i >= len(text) {
				break
			}
		}
		body := text[min(begin, len(text)):min(i, len(text))]
		s.seen = append(s.seen, Seen{Input: text[min(begin, len(text)):min(max(begin, last), len(text))]})
		s.given(body, depth+1)
		if plain := unquoted(body); plain != body {
			loose := s.loose
			s.loose = true
			s.given(plain, depth+1)
			s.loose = loose
		}
	}
	return min(i, len(text)-1)
}
