package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Seen is one command that a text might run, for lists and floors that
// restrict: seeing too much is no harm to them.
type Seen struct {
	Words  []string // program and arguments, quotes removed
	Sets   []string // assignments before the program: NAME=value; a name may have several
	Writes []string // targets of output redirections
	Reads  []string // targets of input redirections
	Input  string   // here-document, if it is known

	here   bool     // a here-document is its input
	piped  bool     // so may be what another command prints: <(…)
	own    bool     // it stands in the text itself, not in what one of its commands is given
	cut    bool     // there is more than is listed
	quotes bool     // it is known which words the shell leaves alone: all but open
	open   []string // what the shell fills in, and what it may become
	splits []string // words with an expansion outside quotes
}

// Splits reports whether the word, or what it is a part of, becomes several where
// the values of its variables hold blanks.
func (s *Seen) Splits(word string) bool {
	return slices.ContainsFunc(s.splits, func(w string) bool { return strings.Contains(w, word) })
}

// Exact reports whether the program gets a word of the command, or what may be
// a path in it, as it stands: a pattern in it is one to the program, if to anybody.
func (s Seen) Exact(word string) bool {
	return s.quotes && !slices.ContainsFunc(s.open, func(o string) bool { return strings.Contains(o, word) })
}

// NoteQuotes tells the commands of an understood text apart by their words, and
// notes of those that other readers saw alike what the shell leaves alone. A command
// of a text that another one is given may have the same words without the quotes.
func (c *Command) NoteQuotes(list []Seen) {
	known := map[string]Seen{}
	for i := range c.Simples {
		s := &c.Simples[i]
		key := strings.Join(s.Words, "\x00")
		open, ok := s.openTexts()
		if other, again := known[key]; again {
			if ok = ok && other.quotes && len(open)+len(other.open) <= maxOpen; ok {
				open = append(open, other.open...)
			}
		}
		known[key] = Seen{open: open, quotes: ok}
	}
	for i := range list {
		if of, ok := known[strings.Join(list[i].Words, "\x00")]; ok && list[i].own {
			list[i].open, list[i].quotes = append(append(of.open, list[i].Writes...), list[i].Reads...), of.quotes
		}
	}
}

// maxOpen bounds the open words that others are compared with.
const maxOpen = 16

func isCut(s Seen) bool { return s.cut }

// Seen lists the commands of an understood text, with what its words can be.
// It appends to list; ok is false if there were too many to list.
func (c *Command) Seen(list []Seen) (seen []Seen, ok bool) {
	for i := range c.loops {
		l := &c.loops[i]
		values := c.loopValues(l, part{quoted: true}, nil)
		for _, v := range values {
			list = append(list, Seen{Sets: []string{l.name + "=" + v.text}})
		}
		if values == nil {
			list = append(list, l.seen())
		}
	}
	for i := range c.Simples {
		if list = c.Simples[i].appendSeen(list); len(list) >= maxSeen {
			return list, false
		}
	}
	return list, !slices.ContainsFunc(list, isCut)
}

// appendSeen appends the command, and what its words can be.
func (s *Simple) appendSeen(list []Seen) []Seen {
	seen := Seen{Words: behindDash(s.Words), Sets: s.Sets()}
	seen.open, seen.quotes = s.openTexts()
	seen.splits = s.splitWords()
	for _, red := range s.Redirections() {
		switch red.Op {
		case "<":
			seen.Reads = append(seen.Reads, red.Target)
		case "<<":
			seen.Input = red.Text
		case ">&", "<&":
		default:
			seen.Writes = append(seen.Writes, red.Target)
		}
	}
	seen.bind()
	return s.alternatives(append(list, seen), seen)
}

// SeenAlone lists, of one command of the text, what it runs, and what the text
// runs that it is given. It is to tell which command of a text a list is about,
// not to judge by: what the other commands make of it is not looked at.
func (c *Command) SeenAlone(i int) []Seen {
	s := &c.Simples[i]
	list := s.appendSeen(nil)
	if !c.Indirect() {
		return list
	}
	words := make([]string, len(s.Words))
	for j, w := range s.Words {
		words[j] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	left := MaxFilled
	inside, _, _ := Scan(strings.Join(words, " "), c.dialect, &left)
	return append(list, inside...)
}

// behindDash leaves out a dash before the program: zsh runs what is behind it.
func behindDash(words []string) []string {
	for len(words) > 1 && words[0] == "-" {
		words = words[1:]
	}
	return words
}

// openTexts are the words and targets that the shell still fills in, and all that
// they can be; ok is false if there are many.
func (s *Simple) openTexts() (texts []string, ok bool) {
	if s.more == nil {
		return nil, true
	}
	for _, o := range s.more.open {
		if len(texts) > maxOpen {
			return nil, false
		}
		texts = append(texts, s.Words[o.word])
		for _, v := range o.values {
			texts = append(texts, v.text)
		}
	}
	for _, red := range s.more.redirs {
		texts = append(texts, red.Target)
	}
	return texts, len(texts) <= maxOpen
}

// splitWords are the words with a variable outside quotes.
func (s *Simple) splitWords() (words []string) {
	if s.more == nil {
		return nil
	}
	for _, o := range s.more.open {
		if slices.ContainsFunc(o.parts, func(p part) bool { return p.kind == variablePart && !p.quoted }) {
			words = append(words, s.Words[o.word])
		}
	}
	return words
}

// seen is a loop whose values are not all known: the words as they are written.
func (l *loop) seen() (s Seen) {
	words := make([]string, len(l.words))
	for i, w := range l.words {
		words[i] = w.text
	}
	s.set(l.name, words)
	return s
}

// alternatives appends the command once for each text that one of its open
// words can be.
func (s *Simple) alternatives(list []Seen, seen Seen) []Seen {
	if s.more == nil {
		return list
	}
	for _, o := range s.more.open {
		for _, v := range o.values {
			if v.text == s.Words[o.word] {
				continue
			}
			if len(list) >= maxSeen {
				return list
			}
			other := seen
			other.Words = slices.Clone(s.Words)
			other.Words[o.word] = v.text
			other.Words = behindDash(other.Words)
			list = append(list, other)
		}
	}
	return list
}

// secondSeen lists what the second reader sees that is not in list already; own
// says that it is the text itself.
func secondSeen(text string, dialect Dialect, list []Seen, own bool) []Seen {
	if dialect > Zsh || tooMuch(text) || len(list) >= maxSeen {
		return list
	}
	return seenIn(secondReading(text, dialect), text, list, own)
}

// seenIn lists what a reading holds that is not in list already.
func seenIn(file *syntax.File, text string, list []Seen, own bool) []Seen {
	if file == nil {
		return list
	}
	known := map[string]bool{}
	for _, s := range list {
		known[s.key()] = true
	}
	var arrays Seen // first, since only this reader tells their elements
	syntax.Walk(file, func(n syntax.Node) bool {
		if a, ok := n.(*syntax.Assign); ok && a.Array != nil && len(arrays.Sets) < maxSeen {
			arrays.Sets = append(arrays.Sets, setTexts(text, a)...)
			arrays.cut = arrays.cut || len(a.Array.Elems) > maxBound
		}
		if stmt, ok := n.(*syntax.Stmt); ok && len(list) < maxSeen {
			if s := seenStmt(text, stmt); !known[s.key()] {
				known[s.key()] = true
				s.own = own
				list = append(list, s)
			}
		}
		return true
	})
	if len(arrays.Sets) > 0 {
		list = append([]Seen{arrays}, list...)
	}
	return list
}

// same reports whether two commands have the same key.
func (s Seen) same(other Seen) bool {
	return slices.Equal(s.Words, other.Words) && slices.Equal(s.Writes, other.Writes) && slices.Equal(s.Sets, other.Sets) && slices.Equal(s.Reads, other.Reads)
}

func (s Seen) key() string {
	return strings.Join(s.Words, "\x00") + "\x01" + strings.Join(s.Writes, "\x00") + "\x01" + strings.Join(s.Sets, "\x00") + "\x01" + strings.Join(s.Reads, "\x00")
}

func seenStmt(text string, stmt *syntax.Stmt) Seen {
	var s Seen
	switch cmd := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		s.Words = make([]string, 0, len(cmd.Args))
		for _, w := range cmd.Args {
			s.Words = append(s.Words, wordText(text, w))
		}
		s.Words = behindDash(s.Words)
		for _, a := range cmd.Assigns {
			s.Sets = append(s.Sets, setTexts(text, a)...)
		}
	case *syntax.DeclClause:
		s.Words = append(s.Words, cmd.Variant.Value)
		for _, a := range cmd.Args {
			if !a.Naked {
				s.Sets = append(s.Sets, setTexts(text, a)...)
			}
		}
	}
	for _, red := range stmt.Redirs {
		if red.Word == nil || red.Op == syntax.Hdoc || red.Op == syntax.DashHdoc {
			s.here = s.here || red.Word != nil
			continue
		}
		target := wordText(text, red.Word)
		if (red.Op == syntax.DplOut || red.Op == syntax.DplIn) && descriptor(target) == len(target) {
			continue // 2>&1 names no file
		}
		if red.Op == syntax.RdrIn || red.Op == syntax.WordHdoc {
			s.Reads = append(s.Reads, target)
			if red.Op == syntax.WordHdoc {
				s.Input = target
			}
		} else {
			s.Writes = append(s.Writes, target)
		}
	}
	return s
}

// setTexts are the values of an assignment: of an array, all elements together
// and each one's.
func setTexts(text string, a *syntax.Assign) []string {
	if a.Array == nil || a.Name == nil {
		return []string{setText(text, a)}
	}
	var sets, all []string
	for i, e := range a.Array.Elems[:min(len(a.Array.Elems), maxBound)] {
		if e.Value != nil {
			value := wordText(text, e.Value)
			sets, all = append(sets, a.Name.Value+"="+value, a.Name.Value+"["+strconv.Itoa(i)+"]="+value), append(all, value)
		}
	}
	if a.Append && len(all) > 0 { // behind the others
		sets = append(sets, a.Name.Value+"+= "+strings.Join(all, " "))
	}
	if together := strings.Join(all, " "); len(all) > 1 && len(together) <= maxValueText {
		sets = append([]string{a.Name.Value + "=" + together}, sets...)
	}
	return sets
}

func setText(text string, a *syntax.Assign) string {
	value := ""
	if a.Value != nil {
		value = wordText(text, a.Value)
	}
	if a.Name == nil {
		return value
	}
	return a.Name.Value + "=" + value
}

// wordText is the word without its quotes; what is expanded stays as written.
func wordText(text string, w *syntax.Word) string {
	var b strings.Builder
	var add func(parts []syntax.WordPart, quoted bool)
	add = func(parts []syntax.WordPart, quoted bool) {
		for _, p := range parts {
			switch p := p.(type) {
			case *syntax.Lit:
				value := p.Value
				if !quoted {
					value = bareGroup(value)
				}
				b.WriteString(unescaped(value, quoted))
			case *syntax.ExtGlob:
				b.WriteString(group(p.Op, p.Pattern.Value))
			case *syntax.SglQuoted:
				b.WriteString(p.Value)
			case *syntax.DblQuoted:
				add(p.Parts, true)
			default:
				from, to := int(p.Pos().Offset()), int(p.End().Offset())
				if from > to || to > len(text) {
					continue
				}
				shown := text[from:to]
				if n := nameLength(shown[min(1, len(shown)):]); n > 0 && shown[0] == '$' && n+1 == len(shown) {
					shown = unquotedName(shown[1:], text[to:])
				}
				b.WriteString(shown)
			}
		}
	}
	add(w.Parts, false)
	return b.String()
}

func unescaped(s string, quoted bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	r := renderer{}
	if quoted {
		r.quotedLiteral(s)
		return string(r.out)
	}
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		r.out = append(r.out, s[i])
	}
	return string(r.out)
}

// tooMuch reports whether the second reader should not be given the text.
func tooMuch(text string) bool { return len(text) > MaxText || tooDeep(text) }

// tooDeep reports whether brackets and backticks are nested more deeply than
// the second reader should be given, counted without regard to quotes.
func tooDeep(text string) bool {
	depth, ticks := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth = max(0, depth-1)
		case '`':
			ticks++
		}
		if depth > maxDepth || ticks > 2*maxDepth {
			return true
		}
	}
	// Pipes and chains nest to the left; if, for and while without brackets.
	if strings.Count(text, "|")+strings.Count(text, "&&") > 2*maxCommands {
		return true
	}
	return strings.Count(text, "if ")+strings.Count(text, "do ")+strings.Count(text, "case ") > 4*maxDepth
}
