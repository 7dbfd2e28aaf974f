package shell

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agent-pdp/pdp/internal/programs"
)

func (s *Seen) set(name string, values []string) {
	s.cut = s.cut || len(values) > maxBound
	for _, v := range values[:min(len(values), maxBound)] {
		if len(s.Sets) >= maxSets {
			s.cut = true
			return
		}
		s.Sets = append(s.Sets, name+"="+v)
	}
}

// bind notes the variables that a builtin sets.
func (s *Seen) bind() {
	if len(s.Words) == 0 {
		return
	}
	switch name := s.Words[0]; {
	case declares[name]:
		for _, w := range s.Words[1:] {
			if isAssignment(w) {
				s.Sets = append(s.Sets, w)
			}
		}
	case name == "set":
		words := s.Words[1:]
		for len(words) > 0 && isOption(words[0]) {
			words = words[1:]
		}
		s.cut = s.cut || len(words) > maxBound
		if len(words) > 0 {
			s.positional(words, len(words))
		}
		s.set("@", words[:min(len(words), maxBound)])
	case name == "read" || name == "mapfile" || name == "readarray":
		s.readInto(s.Words[1:], s.Reads, s.separators())
	case name == "printf" && len(s.Words) > 3 && s.Words[1] == "-v":
		s.set(s.Words[2], append(output(append([]string{name}, s.Words[3:]...)), s.Words[3:]...))
	}
}

// separators are what the fields of a line are separated by.
func (s *Seen) separators() string {
	for _, set := range s.Sets {
		if value, ok := strings.CutPrefix(set, "IFS="); ok && value != "" {
			return value
		}
	}
	return " \t\n"
}

// readInto sets the variables that read is given: each to the whole of a text,
// and to the field that comes to it, the last one to the rest.
func (s *Seen) readInto(words, texts []string, separators string) {
	var names []string
	for _, w := range words {
		if isName(w) {
			names = append(names, w)
		}
	}
	if len(names) > maxBound {
		s.cut = true
		return
	}
	s.set("REPLY", texts[:min(len(texts), maxBound)]) // without a name
	s.set("MAPFILE", texts[:min(len(texts), maxBound)])
	array := slices.Contains(words, "-a")
	for _, text := range texts[:min(len(texts), maxBound)] {
		if array && len(names) == 1 {
			for i, field := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
				s.set(names[0]+"["+strconv.Itoa(i)+"]", []string{field})
			}
		}
		rest := text
		for i, name := range names {
			rest = strings.TrimLeft(rest, separators)
			field := rest
			if at := strings.IndexAny(rest, separators); at >= 0 && i+1 < len(names) {
				field, rest = rest[:at], rest[at:]
			} else {
				rest = ""
			}
			s.set(name, []string{text, field})
		}
	}
	s.cut = s.cut || len(texts) > maxBound
}

// positional sets $1, $2, … up to $most, and $@ to all of the words together.
func (s *Seen) positional(words []string, most int) {
	s.cut = s.cut || len(words) > maxBound
	for i := range min(max(most, 1), maxBound) {
		word := ""
		if i < len(words) {
			word = words[i]
		}
		s.set(strconv.Itoa(i+1), []string{word})
	}
	s.set("#", []string{strconv.Itoa(len(words))})
	together := strings.Join(words[:min(len(words), maxBound)], " ")
	s.set("@", []string{together})
	s.set("*", []string{together})
}

// defines notes a function whose name stands before text, which begins with a
// parenthesis.
func (s *scanner) defines(cmd *pending, text string) bool {
	if rest := strings.TrimLeft(text[1:], " \t"); !strings.HasPrefix(rest, ")") || len(cmd.Words) > 1 {
		return false
	}
	cmd.endWord()
	if len(cmd.Words) == 0 {
		return false
	}
	s.function(cmd.Words[len(cmd.Words)-1])
	*cmd = pending{word: cmd.word[:0]}
	return true
}

func (s *scanner) function(name string) {
	if s.functions == nil {
		s.functions = map[string]bool{}
	}
	s.functions[name] = true
}

// alias notes what an alias stands for, and reads a command that one names
// with its replacement as well.
func (s *scanner) alias(seen Seen, depth int) {
	if seen.Words[0] == "alias" {
		elsewhere := slices.Contains(seen.Words, "-s") || slices.Contains(seen.Words, "-g") // zsh's, by an ending or anywhere
		for _, w := range seen.Words[1:] {
			if name, value, ok := strings.Cut(w, "="); ok {
				s.names(name, value)
				if elsewhere {
					s.given(value, depth+1)
				}
			}
		}
		return
	}
	value, ok := s.aliases[seen.Words[0]]
	if !ok {
		return
	}
	if s.work += len(value) + len(seen.Words); s.work > s.most {
		s.full = true
		return
	}
	delete(s.aliases, seen.Words[0]) // an alias of itself ends there
	defer s.names(seen.Words[0], value)
	if strings.HasSuffix(value, " ") && len(seen.Words) > 1 && depth < maxScanDepth { // the next word may be one as well
		s.alias(Seen{Words: seen.Words[1:]}, depth+1)
	}
	inner := newScanner(value)
	inner.scan(value, depth+1)
	s.full = s.full || inner.full
	for _, other := range inner.seen {
		other.Words = append(slices.Clone(other.Words), seen.Words[1:]...)
		other.own = false
		if !s.list(other) {
			return
		}
		if len(other.Words) > 0 && depth < maxScanDepth {
			s.alias(other, depth+1)
		}
	}
}

// names notes what a word stands for where it names a command.
func (s *scanner) names(name, value string) {
	switch {
	case len(s.aliases) == maxBound:
		s.full = true
	case s.aliases == nil:
		s.aliases = map[string]string{name: value}
	default:
		s.aliases[name] = value
	}
}

// bindPositional lets $1 and $@ stand for the words behind a function's name and
// behind the text of a shell, and what xargs and read get from a pipe for every
// word that could come there: those that echo and printf print.
func (s *scanner) bindPositional(text string) {
	if s.full { // what it could add changes nothing
		return
	}
	var printed, found fewTexts
	var calls calls
	for _, seen := range s.seen {
		printed.add(seen.Reads) // a here-string, in the simplest case
		switch {
		case len(seen.Words) < 2:
		case found.named(seen.Words):
		case s.functions[seen.Words[0]]:
			calls.add("", seen.Words[1:])
		case seen.Words[0] == "echo" || seen.Words[0] == "printf":
			printed.add(seen.Words[1:])
		case len(seen.Words) > 3 && known.RunsText(seen.Words):
			if at := slices.IndexFunc(seen.Words, isText); at > 0 && at+1 < len(seen.Words) {
				calls.add(seen.Words[at+1], seen.Words[at+2:])
			}
		}
	}
	for _, seen := range s.seen {
		if at := slices.IndexFunc(seen.Words, isText); at > 0 && baseName(seen.Words[0]) == "xargs" && known.RunsText(seen.Words) {
			var outputs fewTexts
			for _, seen := range s.seen {
				outputs.add(seen.Prints())
				outputs.add(seen.Reads)
			}
			calls.cut = calls.cut || outputs.cut
			calls.fed(outputs.list)
			break
		}
	}
	if s.runPrinted(); s.full {
		return
	}
	var bound Seen
	if strings.Contains(text, "$") {
		given := calls.bound(strings.Contains(text, "shift"))
		s.full = s.full || calls.cut
		for _, call := range given {
			s.subscripts(call, 1)
		}
		s.seen = append(given, s.seen...)
	}
	room := maxFed
	var reads []Seen // one by what it sets and separates
	for i := range s.seen {
		words := s.seen[i].Words
		if len(words) == 0 {
			continue
		}
		switch baseName(words[0]) {
		case "xargs", "parallel":
			all, placed := fed(words, printed.list, found.list)
			behind, whole := behindColons(words)
			placed = append(placed, behind...)
			room -= len(all) + len(placed)*len(words)
			if printed.cut || found.cut || !whole || room < 0 || len(s.seen)+len(placed) > maxSeen {
				s.full = true
				break
			}
			s.seen[i].Words = all
			for _, words := range placed {
				s.list(Seen{Words: words})
			}
		case "read", "mapfile", "readarray":
			read := Seen{Words: words, Reads: []string{s.seen[i].separators()}}
			if slices.ContainsFunc(reads, func(known Seen) bool { return known.key() == read.key() }) {
				break
			}
			s.full = s.full || printed.cut || len(reads) >= maxBound
			reads = append(reads, read)
		}
		if s.full {
			return
		}
	}
	s.readLines(&bound, reads, printed.list)
	s.subscripts(bound, 1)
	if len(bound.Sets) > 0 {
		s.seen = append([]Seen{bound}, s.seen...)
	}
}

// readLines binds what the text prints to the variables of reads. What it prints
// of these variables themselves, as the body of a loop does, it makes of the
// other texts.
func (s *scanner) readLines(bound *Seen, reads []Seen, printed []string) {
	names := map[string]bool{"REPLY": true, "MAPFILE": true}
	for _, read := range reads {
		for _, w := range read.Words[1:] {
			names[w] = true
		}
	}
	var first, made fewTexts
	for _, text := range printed {
		if !mentionsAny(text, names) {
			first.add([]string{text})
		}
	}
	bind := func(texts []string) {
		for _, read := range reads {
			bound.readInto(read.Words[1:], texts, read.Reads[0])
		}
	}
	bind(first.list)
	if len(reads) == 0 || len(first.list) == len(printed) {
		return
	}
	set := valuesOf(append([]Seen{*bound}, s.seen...), &s.left)
	for _, text := range printed {
		for i := 0; mentionsAny(text, names) && i < len(set.rounds()); i++ {
			words, whole := set.filled([]string{text}, set.rounds()[i])
			s.full = s.full || !whole || s.left <= 0
			made.add([]string{strings.Join(words, " ")})
		}
	}
	s.full = s.full || made.cut
	bind(made.list)
}

// mentionsAny reports whether a text expands a variable of one of these names.
func mentionsAny(text string, names map[string]bool) bool {
	for {
		_, rest, ok := strings.Cut(text, "$")
		if !ok {
			return false
		}
		text = rest
		rest = strings.TrimLeft(rest, "{!#")
		if names[rest[:nameLength(rest)]] {
			return true
		}
	}
}

// maxFed bounds the words that programs are given by their input, in all.
const maxFed = 1 << 11

// fewTexts is a list without repetitions and with a bound.
type fewTexts struct {
	list []string
	cut  bool // there were more
}

func (l *fewTexts) add(texts []string) {
	for _, text := range texts {
		switch {
		case slices.Contains(l.list, text):
		case len(l.list) == maxBound:
			l.cut = true
			return
		default:
			l.list = append(l.list, text)
		}
	}
}

// calls are the words that functions and the texts of shells are given.
type calls struct {
	list [][]string // $0 first
	cut  bool       // there were more
}

func (c *calls) add(zero string, words []string) {
	words = append([]string{zero}, words[:min(len(words), maxBound)]...)
	switch {
	case slices.ContainsFunc(c.list, func(known []string) bool { return slices.Equal(known, words) }):
	case len(c.list) == maxBound:
		c.cut = true
	default:
		c.list = append(c.list, words)
	}
}

// fed adds the calls that xargs may make of what it is given: beginning with any
// word, since it may give so many at a time.
func (c *calls) fed(texts []string) {
	words := strings.Fields(strings.Join(texts, " "))
	c.cut = c.cut || len(words) > maxBound
	for at := range words[:min(len(words), maxBound)] {
		c.add(words[at], words[at+1:])
	}
}

// bound lists what each call sets, with the words that a shift leaves as well,
// and behind it single words in the place of $@: those of a loop.
func (c *calls) bound(shifts bool) (list []Seen) {
	most, all := 0, fewTexts{}
	for _, words := range c.list {
		most = max(most, len(words)-1)
		all.add(words[1:])
	}
	if shifts {
		for _, words := range c.list {
			for at := 2; at < len(words); at++ {
				c.add(words[0], words[at:])
			}
		}
	}
	for _, words := range c.list {
		var call Seen
		call.set("0", words[:1])
		call.positional(words[1:], most)
		list = append(list, call)
	}
	if len(all.list) > 0 {
		var single Seen
		c.cut = c.cut || all.cut || len(all.list)+len(c.list) > maxBound
		single.set("@", all.list[:min(len(all.list), max(0, maxBound-len(c.list)))])
		list = append(list, single)
	}
	return list
}

// named notes what a command prints the names of.
func (l *fewTexts) named(words []string) bool {
	found, ok := known.Found(words)
	if ok {
		l.add(found)
	}
	return ok
}

// behindColons lists the commands that parallel makes of the words behind its
// sign: each of them put in for {}, or behind the others.
// It is whole unless there are more than can be listed.
func behindColons(words []string) (commands [][]string, whole bool) {
	at := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, ":::") })
	switch {
	case at < 0:
		return nil, true
	case at > maxBetween:
		return nil, false
	}
	for i, given := range words[at+1:] {
		if i == maxBound {
			return commands, false
		}
		filled, placed := append([]string(nil), words[0]), false
		for _, w := range words[1:at] {
			placed = placed || strings.Contains(w, "{}")
			filled = append(filled, strings.Fields(strings.ReplaceAll(w, "{}", given))...)
		}
		if !placed {
			filled = append(filled, strings.Fields(given)...)
		}
		commands = append(commands, filled)
	}
	return commands, true
}

// fed returns the words of a program that is given further ones by its input:
// what the text prints, or the names of the files that it looks for. If neither
// is known they are any files of the directory.
// Where a mark stands for what is given, placed are the commands that come of it.
func fed(words, printed, found []string) (all []string, placed [][]string) {
	given := append(slices.Clone(printed), found...)
	if len(given) == 0 {
		given = []string{programs.Below(".", "")}
	}
	all = append(slices.Clone(words), given...)
	for i, w := range words { // the text that a printed word replaces
		mark := ""
		switch name, value, _ := strings.Cut(w, "="); {
		case (w == "-I" || w == "--replace") && i+1 < len(words):
			mark = words[i+1]
		case w == "-i" || w == "--replace":
			mark = "{}"
		case name == "--replace":
			mark = value
		case strings.HasPrefix(w, "-I") || strings.HasPrefix(w, "-i"):
			mark = w[2:]
		}
		if mark == "" {
			continue
		}
		for _, other := range words[i+1:] {
			for _, g := range given {
				if other != mark && strings.Contains(other, mark) {
					all = append(all, strings.ReplaceAll(other, mark, g))
				}
			}
		}
		rest := words[i+1:]
		if w == "-I" || w == "--replace" {
			rest = words[min(i+2, len(words)):]
		}
		for _, g := range given {
			if len(rest) > maxBetween {
				break
			}
			filled := append([]string(nil), words[0])
			for _, other := range rest {
				filled = append(filled, strings.ReplaceAll(other, mark, g))
			}
			placed = append(placed, filled)
		}
		break
	}
	return all, placed
}

// declares are the builtins whose operands set variables.
var declares = wordSet("export declare typeset local readonly nameref")
