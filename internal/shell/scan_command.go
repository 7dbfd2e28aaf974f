package shell

import (
	"slices"
	"strings"
)

// list adds a command to the list. Of one that cannot be handled any word may be a
// file that is removed.
func (s *scanner) list(seen Seen) bool {
	s.steps += stepsOfCommand + seen.Handed()
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
	if c.bare {
		c.splits = append(c.splits, word)
	}
	c.word, c.inWord, c.bare = c.word[:0], false, false
	switch c.redirect {
	case '>':
		c.Writes = append(c.Writes, word)
	case '<':
		c.Reads = append(c.Reads, word)
		if c.text {
			c.Input = word
		}
	default:
		if c.Words == nil {
			c.Words = make([]string, 0, 4) // as most commands have
		}
		c.Words = append(c.Words, word)
	}
	c.redirect = 0
}

// end closes a command: leading assignments and control words are dropped, and
// the text that a shell would be given is read in its turn.
func (s *scanner) end(cmd *pending, depth int) {
	cmd.endWord()
	seen, from := cmd.Seen, cmd.sources
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
	tests := s.tests(seen.Words)
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
	s.rewritten(&seen, from, tests)
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
	s.Words = behindDash(s.Words)
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
		s.Words = behindDash(s.Words[named:])
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
		argument := s.argument
		s.argument = argument || whole(w) // where it is one, the command shows that
		s.given(w, depth+1)
		s.argument = argument
		if inZsh {
			s.zsh(w, depth+1)
			s.evaluated(w, depth+1)
		}
		if _, value, ok := strings.Cut(w, "="); ok { // alias.x=!TEXT, --exec=TEXT
			s.given(strings.TrimPrefix(value, "!"), depth+1)
		}
	}
}
