package shell

import (
	"slices"
	"strings"
)

// Seen is one command that a text might run, as the tolerant reader saw it.
type Seen struct {
	Words  []string // program and arguments, quotes removed
	Sets   []string // assignments before the program: NAME=value
	Writes []string // targets of output redirections
	Reads  []string // targets of input redirections
}

const (
	maxSeen      = 2000 // commands; a text with more is not read to its end
	maxScanText  = 1 << 20
	maxScanWork  = 4 << 20 // bytes read in all, since parts are read more than once
	maxScanDepth = 4       // of texts inside texts: sh -c "sh -c …"
)

// Scan lists every command that text might run. It respects quotes, looks into
// substitutions and into the text that a shell is given (sh -c, eval), skips
// leading assignments and control words, and splits here-document bodies as if
// they were commands. ok is false if the text was too much to read whole; a
// list that restricts must then count as hit.
func Scan(text string) (seen []Seen, ok bool) {
	s := scanner{}
	s.scan(text, 0)
	return s.seen, !s.full
}

type scanner struct {
	seen []Seen
	work int
	full bool
}

// pending is a command under construction.
type pending struct {
	Seen
	word     []byte
	inWord   bool
	redirect byte     // '>' or '<' if the next word is a redirection's target
	ends     []string // delimiters of the here-documents that begin on the next line
}

func (s *scanner) scan(text string, depth int) {
	s.work += len(text)
	if len(text) > maxScanText || len(s.seen) > maxSeen || s.work > maxScanWork || depth > maxScanDepth {
		s.full = true
		return
	}
	var cmd pending
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
			s.end(&cmd, depth)
			i = s.hereDocuments(text, i, depth, ends)
		case strings.IndexByte("\n;&|()", b) >= 0:
			s.end(&cmd, depth)
		default:
			cmd.add(b)
		}
		if len(s.seen) > maxSeen {
			s.full = true
			return
		}
	}
	s.end(&cmd, depth)
	if quote != 0 { // a quote that never closes may hide commands from a laxer reader
		s.scan(unquoted(text[opened+1:]), depth+1)
	}
}

func unquoted(text string) string { return strings.NewReplacer("'", "", `"`, "").Replace(text) }

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

// closing finds where a substitution ends: at the matching parenthesis or the
// next backtick, or at the end of the text.
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
		i++
	}
	if i+1 < len(text) && text[i+1] == '(' { // process substitution
		end := closing(text[i+2:], '$')
		s.scan(text[i+2:i+2+end], depth+1)
		return min(i+2+end, len(text)-1)
	}
	if strings.HasSuffix(text[:i+1], "<<") && !strings.HasSuffix(text[:i+1], "<<<") {
		cmd.ends = append(cmd.ends, delimiter(text[i+1:]))
	}
	cmd.redirect = b
	return i
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
		begin := i + 1
		for i < len(text) {
			line, _, _ := strings.Cut(text[i+1:], "\n")
			i += 1 + len(line)
			if strings.TrimLeft(line, "\t") == end || i >= len(text) {
				break
			}
		}
		body := text[min(begin, len(text)):min(i, len(text))]
		s.scan(body, depth+1)
		if plain := unquoted(body); plain != body {
			s.scan(plain, depth+1)
		}
	}
	return min(i, len(text)-1)
}

func (c *pending) add(b byte) { c.word, c.inWord = append(c.word, b), true }

func (c *pending) endWord() {
	if !c.inWord {
		return
	}
	word := string(c.word)
	c.word, c.inWord = c.word[:0], false
	switch c.redirect {
	case '>':
		c.Writes = append(c.Writes, word)
	case '<':
		c.Reads = append(c.Reads, word)
	default:
		c.Words = append(c.Words, word)
	}
	c.redirect = 0
}

// end closes a command: leading assignments and control words are dropped, and
// the text that a shell would be given is read in its turn.
func (s *scanner) end(cmd *pending, depth int) {
	cmd.endWord()
	seen := cmd.Seen
	*cmd = pending{word: cmd.word[:0]}
	for len(seen.Words) > 0 && (isAssignment(seen.Words[0]) || reserved[seen.Words[0]]) {
		named := 1
		switch word := seen.Words[0]; {
		case !reserved[word]:
			seen.Sets = append(seen.Sets, word)
		case word == "function" && len(seen.Words) > 1:
			named = 2 // the name of the function is no command
		}
		seen.Words = seen.Words[named:]
	}
	if len(seen.Words) > 0 && declares[seen.Words[0]] {
		for _, w := range seen.Words[1:] {
			if isAssignment(w) {
				seen.Sets = append(seen.Sets, w)
			}
		}
	}
	if len(seen.Words)+len(seen.Sets)+len(seen.Writes)+len(seen.Reads) == 0 {
		return
	}
	s.seen = append(s.seen, seen)
	if len(seen.Words) == 0 {
		return
	}
	if !runsText(seen.Words) {
		return
	}
	for _, w := range seen.Reads { // <<< 'TEXT'
		if isText(w) {
			s.scan(w, depth+1)
		}
	}
	for _, w := range seen.Words[1:] {
		if !isText(w) {
			continue
		}
		s.scan(w, depth+1)
		if _, value, ok := strings.Cut(w, "="); ok { // alias.x=!TEXT, --exec=TEXT
			s.scan(strings.TrimPrefix(value, "!"), depth+1)
		}
	}
}

// declares are the builtins whose operands set variables.
var declares = wordSet("export declare typeset local readonly")

// RunsText reports whether a program of the text is given a command line as
// one argument, so that the words alone do not show what runs.
func (c *Command) RunsText() bool {
	for i := range c.Simples {
		words := c.Simples[i].Words
		if slices.ContainsFunc(words[1:], isText) && runsText(words) {
			return true
		}
	}
	return false
}

// takesCommand are the options and subcommands of otherwise plain programs
// that are followed by a command line.
var takesCommand = map[string]map[string]bool{
	"git":  wordSet("-c --config-env rebase foreach bisect filter-branch difftool mergetool"),
	"find": wordSet("-exec -execdir -ok -okdir"),
	"fd":   wordSet("-x -X --exec --exec-batch"),
	"tar":  wordSet("-I --to-command"),
}

// isText reports whether a word could be a command line rather than a word of
// one.
func isText(w string) bool { return strings.ContainsAny(w, " \t\n;&|`$(<>\"'\\") }

// runsText reports whether some word of the command is a shell or another
// program that takes a command line as one argument.
func runsText(words []string) bool {
	options := map[string]bool{} // those of all programs in the command
	for _, w := range words {
		name := programName(w)
		if classes[name] != plain {
			return true
		}
		for o := range takesCommand[name] {
			options[o] = true
		}
	}
	return len(options) > 0 && slices.ContainsFunc(words, func(w string) bool { return options[w] })
}
