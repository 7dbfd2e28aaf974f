package shell

import (
	"slices"
	"strings"
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
	maxHanded    = 1 << 13   // words behind programs behind wrappers: see programs.Table.HandedWork
)

// Scan lists every command that text might run: what a tolerant reader sees
// and what the second reader of the dialect adds. The tolerant one respects
// quotes, looks into substitutions and into the text that a shell is given
// (sh -c, eval), skips control words, follows loops, positional parameters and
// aliases, and splits here-document bodies as if they were commands. ok is
// false if the text was too much to read whole; a list that restricts must then
// count as hit.
func Scan(text string, dialect Dialect) (seen []Seen, ok bool) {
	if len(text) > MaxScanned {
		return nil, false
	}
	s := newScanner(text)
	s.prompts = strings.Contains(text, "@P}") || strings.Contains(text, "${(") // zsh's flags may expand a value again
	s.tables = mentionsTable(text)
	s.scan(text, 0)
	s.endedEarly(text, dialect)
	if dialect == Zsh {
		s.zsh(text, 0)
	}
	s.bindPositional(text)
	s.assigned(text)
	s.seen = secondSeen(text, dialect, s.seen, true)
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
	return s.seen, !s.full && !slices.ContainsFunc(s.seen, isCut)
}

type scanner struct {
	seen      []Seen
	work      int
	most      int // of work
	handed    int // of maxHanded
	full      bool
	changes   []Seen // the commands of those put together that change the directory
	made      made
	functions map[string]bool
	aliases   map[string]string
	tables    bool // the text sets elements of arrays that hold commands
	within    int  // inside how many texts that commands are given
	prompts   bool // the text expands a value as a prompt is, which runs what is in it
}

// newScanner reads parts of the text again as far as its length allows.
func newScanner(text string) scanner {
	return scanner{most: min(2*len(text)+readAgain, maxScanWork)}
}

// pending is a command under construction.
type pending struct {
	Seen
	word     []byte
	inWord   bool
	redirect byte     // '>' or '<' if the next word is a redirection's target
	text     bool     // that word is the input itself
	ends     []string // delimiters of the here-documents that begin on the next line
}

// given scans a text that is not the text's own: a command is given it.
func (s *scanner) given(text string, depth int) {
	s.within++
	s.scan(text, depth)
	s.within--
}

func (s *scanner) scan(text string, depth int) {
	s.work += len(text)
	if len(text) > MaxScanned || len(s.seen) > maxSeen || s.work > s.most || depth > maxScanDepth {
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
		case b == '$' && nameLength(text[i+1:]) > 0:
			name := text[i+1 : i+1+nameLength(text[i+1:])]
			i += len(name)
			cmd.word = append(cmd.word, unquotedName(name, text[i+1:])...)
			cmd.inWord = true
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
			s.end(&cmd, depth)
			i = s.hereDocuments(text, i, depth, ends)
		case b == '(' && s.defines(&cmd, text[i:]):
			i += strings.IndexByte(text[i:], ')')
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
			s.given(plain, depth+1)
		}
	}
	return min(i, len(text)-1)
}

// list adds a command to the list. Of one that cannot be handled any word may be a
// file that is removed.
func (s *scanner) list(seen Seen) bool {
	if !s.handles(seen) {
		s.seen = append(s.seen, seen.anything())
		return false
	}
	s.seen = append(s.seen, seen)
	return true
}

// anything is a command that does the most that the command could do with a file.
func (s Seen) anything() Seen {
	words := []string{"rm", "--"}
	for _, w := range s.Words {
		if !isOption(w) {
			words = append(words, w)
		}
	}
	return Seen{Words: words, Writes: s.Writes, Reads: s.Reads}
}

// handles reports whether a command names no more programs behind a wrapper than
// can be looked at; else the text is not read whole.
func (s *scanner) handles(seen Seen) bool {
	s.handed += known.HandedWork(seen.Words)
	s.full = s.full || s.handed > maxHanded
	return s.handed <= maxHanded
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
		if c.text {
			c.Input = word
		}
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
	if len(seen.Words) > 1 && seen.Words[0] == "function" {
		s.function(seen.Words[1])
	}
	*cmd = pending{word: cmd.word[:0], ends: cmd.ends}
	if slices.Contains(seen.Words, "[[") {
		s.subscripts(Seen{Words: seen.Words[slices.Index(seen.Words, "[["):]}, depth)
		s.behindTests(seen.Words, depth)
	}
	if len(seen.Words) > 1 && seen.Words[0] == "print" && slices.ContainsFunc(seen.Words, func(w string) bool { return isOption(w) && strings.Contains(w, "P") }) {
		for _, w := range seen.Words[1:] { // as a prompt
			s.substitutions(w, depth)
		}
	}
	seen.dropControl()
	if len(seen.Words)+len(seen.Sets)+len(seen.Writes)+len(seen.Reads) == 0 {
		return
	}
	seen.bind()
	seen.own = s.within == 0
	if seen.logsIn() {
		s.seen = append(s.seen, Seen{Words: []string{"cd", "~"}})
	}
	if !s.list(seen) {
		return
	}
	for _, set := range seen.Sets {
		if name, value, _ := strings.Cut(set, "="); runs(name) || s.prompts {
			s.given(value, depth+1)
		}
		if name, value, _ := strings.Cut(set, "="); optionsOf[name] != "" {
			s.given(optionsOf[name]+" "+value, depth+1)
		}
		s.tabled(set, depth)
	}
	s.subscripts(seen, depth)
	if len(seen.Words) == 0 {
		return
	}
	if s.tables {
		for _, w := range seen.Words {
			s.tabled(w, depth)
		}
	}
	for _, w := range seen.Words {
		if name, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(name, "BASH_FUNC_") { // a function that bash takes from there
			s.given(value, depth+1)
		}
	}
	s.alias(seen, depth)
	if known.RunsText(seen.Words) {
		s.texts(seen, depth)
	}
	texts, all := known.Embedded(seen.Words)
	s.full = s.full || !all
	for _, text := range texts {
		s.given(text, depth+1)
	}
}

// behindTests reads what stands behind each test of a command, up to the next one:
// zsh's if [[ … ]] { …
func (s *scanner) behindTests(words []string, depth int) {
	for {
		end := slices.Index(words, "]]")
		if end < 0 {
			return
		}
		words = words[end+1:]
		behind := words
		if next := slices.Index(words, "]]"); next >= 0 {
			behind = words[:next]
		}
		if len(behind) > 0 {
			s.end(&pending{Seen: Seen{Words: slices.Clone(behind)}}, depth)
		}
	}
}

// dropControl removes control words and leading assignments.
func (s *Seen) dropControl() {
	for len(s.Words) > 0 && (isAssignment(s.Words[0]) || reserved[s.Words[0]]) {
		named := 1
		switch word := s.Words[0]; {
		case word == "time" && len(s.Words) > 1 && isOption(s.Words[1]) && s.Words[1] != "-p": // the program of that name
			return
		case !reserved[word]:
			s.Sets = append(s.Sets, word)
		case (word == "for" || word == "select") && len(s.Words) > 2 && s.Words[2] == "in":
			s.set(s.Words[1], s.Words[3:])
			named = len(s.Words)
		case word == "for" && len(s.Words) == 2: // of the positional parameters
			s.set(s.Words[1], []string{"$@"})
			named = 2
		case word == "function" && len(s.Words) > 1:
			named = 2 // the name of the function is no command
		case word == "coproc" && len(s.Words) > 2 && s.Words[2] == "{":
			named = 3 // coproc NAME { …
		}
		s.Words = s.Words[named:]
	}
}

// texts reads the words of a command that may be command lines.
func (s *scanner) texts(seen Seen, depth int) {
	for _, w := range seen.Reads { // <<< 'TEXT'
		if isText(w) {
			s.given(w, depth+1)
		}
	}
	inZsh := slices.ContainsFunc(seen.Words, func(w string) bool { return known.Name(w) == "zsh" })
	for _, w := range seen.Words[1:] {
		if !isText(w) {
			continue
		}
		s.given(w, depth+1)
		if inZsh {
			s.zsh(w, depth+1)
		}
		if _, value, ok := strings.Cut(w, "="); ok { // alias.x=!TEXT, --exec=TEXT
			s.given(strings.TrimPrefix(value, "!"), depth+1)
		}
	}
}

// Indirect reports whether a program of the text is given a command line as one
// argument, runs another program, or sets what a later command uses, or a
// variable ends where its name does only because of a quote, so that the words
// alone do not show what runs.
func (c *Command) Indirect() bool {
	if c.glued {
		return true
	}
	for i := range c.Simples {
		s := &c.Simples[i]
		words := s.Words
		if slices.ContainsFunc(s.Sets(), func(set string) bool { name, _, _ := strings.Cut(set, "="); return runs(name) }) {
			return true
		}
		if c.usesPrinted(s) {
			return true
		}
		if len(words) == 0 {
			continue
		}
		if (s.fed || s.more != nil && len(s.more.redirs) > 0) && known.ScriptProgram(words) != "" { // its input may hold command lines
			return true
		}
		if texts, all := known.Embedded(words); len(texts) > 0 || !all || known.Wraps(words[0]) || slices.ContainsFunc(words[1:], isText) && known.RunsText(words) {
			return true
		}
	}
	return c.makesItself() // what takes longest
}

// makesItself reports whether the text runs a file that it writes.
func (c *Command) makesItself() bool {
	if len(c.Simples) < 2 || !slices.ContainsFunc(c.Simples, func(s Simple) bool { return s.more != nil && len(s.more.redirs) > 0 || known.Writer(s.Words) }) {
		return false
	}
	list, whole := c.Seen(nil)
	m := makes(list)
	return !whole || m.itself() || len(m.makers(list)) > 0
}

// isText reports whether a word could be a command line rather than a word of
// one.
func isText(w string) bool { return strings.ContainsAny(w, " \t\n;&|`$(<>\"'\\") }
