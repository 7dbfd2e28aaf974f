package shell

import (
	"path"
	"slices"
	"strings"
)

// rebuild appends the commands that the text puts together: from a variable or
// a substitution where a program stands, from the separator of words, and from
// what a substitution prints. Their words have roles like any others.
func (s *scanner) rebuild() {
	if s.full {
		return
	}
	seen := s.seen
	var sets Seen
	var before []Seen
	for _, c := range seen {
		before = append(before, s.redirected(c)...)
		if s.full = s.full || len(before) > maxSeen; s.full {
			return
		}
		for _, set := range c.Sets {
			name, value, _ := strings.Cut(set, "=")
			if isSubstituted(value) && len(sets.Sets) < maxSeen {
				sets.set(name, s.printed(value))
			}
		}
	}
	if len(sets.Sets) > 0 {
		before = append(before, sets)
	}
	if len(before) > 0 {
		seen = append(before, seen...)
	}
	set := valuesOf(seen, &s.left)
	s.seen = seen
	for i := range seen {
		words := seen[i].Words
		if !slices.ContainsFunc(words, isFilled) {
			continue
		}
		if slices.ContainsFunc(words, isSubstituted) {
			if words = s.allPrinted(words); !slices.Equal(words, seen[i].Words) {
				s.again(words)
			}
		}
		if len(words) == 0 || !isFilled(words[0]) && !known.RunsText(words) && !slices.ContainsFunc(words, separated) {
			continue
		}
		last := words
		for _, picked := range set.rounds() {
			next, whole := set.filled(words, picked)
			if !whole || s.left <= 0 {
				s.full = true
				return
			}
			if !slices.Equal(next, last) {
				s.again(next)
			}
			if last = next; s.full {
				return
			}
		}
	}
}

// redirected lists, of a command, its redirections to what substitutions print,
// and the cd to what one prints, which comes before the commands behind it.
func (s *scanner) redirected(c Seen) (list []Seen) {
	var files Seen
	for _, w := range c.Writes {
		if isSubstituted(w) {
			files.Writes = append(files.Writes, s.printed(w)...)
		}
	}
	for _, w := range c.Reads {
		if isSubstituted(w) {
			files.Reads = append(files.Reads, s.printed(w)...)
		}
	}
	if len(files.Writes)+len(files.Reads) > 0 {
		list = append(list, files)
	}
	if dir, ok := c.ChangesTo(); ok && isSubstituted(dir) {
		for _, dir := range s.printed(dir) {
			list = append(list, Seen{Words: []string{"cd", dir}})
		}
	}
	return list
}

// again adds a command that was put together, and reads it as a text where eval
// would find more in it.
func (s *scanner) again(words []string) {
	if len(words) == 0 {
		return
	}
	if len(s.seen) >= maxSeen || s.crowded() {
		s.full = true
		return
	}
	rebuilt := Seen{Words: words}
	rebuilt.dropControl()
	rebuilt.bind()
	if !s.list(rebuilt) {
		return
	}
	if _, ok := rebuilt.ChangesTo(); ok {
		s.changes, s.full = append(s.changes, rebuilt), s.full || len(s.changes) >= maxBound
	}
	if len(rebuilt.Words) > 0 && known.RunsText(rebuilt.Words) {
		s.texts(rebuilt, 1)
	}
	if slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, ";&|<>()\n'\"\\") }) {
		s.given(strings.Join(words, " "), 1)
	}
}

func isFilled(w string) bool { return strings.IndexByte(w, '$') >= 0 || strings.IndexByte(w, '`') >= 0 }

func isSubstituted(w string) bool { return strings.Contains(w, "$(") || strings.IndexByte(w, '`') >= 0 }

func separated(w string) bool { return strings.Contains(w, "IFS") }

// allPrinted returns the words with what their substitutions print.
func (s *scanner) allPrinted(words []string) (all []string) {
	for _, w := range words {
		if isSubstituted(w) {
			all = append(all, s.printed(w)...)
		} else {
			all = append(all, w)
		}
		if len(all) > maxBetween {
			s.full = true
			break
		}
	}
	return all
}

// copiedOfRead is how many bytes that are copied cost as much as one that is read.
const copiedOfRead = 8

// printed returns the words that a word becomes by what its substitutions print;
// one whose output the text does not show stays.
func (s *scanner) printed(word string) []string {
	texts := []string{""}
	for i := 0; i < len(word); {
		for _, text := range texts { // is copied
			s.work += len(text) / copiedOfRead
		}
		if s.work > s.most {
			s.full = true
			break
		}
		skip := 0
		switch {
		case word[i] == '`':
			skip = 1
		case strings.HasPrefix(word[i:], "$("):
			skip = 2
		default:
			next := strings.IndexAny(word[i+1:], "$`")
			if next < 0 {
				next = len(word) - i - 1
			}
			for j := range texts {
				texts[j] += word[i : i+1+next]
			}
			i += 1 + next
			continue
		}
		inner := word[i+skip:]
		end := closing(inner, word[i])
		stop := min(i+skip+end+1, len(word))
		values := s.prints(inner[:end])
		if len(values) == 0 {
			values = []string{word[i:stop]}
		}
		var joined []string
		for _, text := range texts {
			for _, value := range values {
				if len(joined) == maxBound || len(text)+len(value) > maxFormatted {
					s.full = true
					break
				}
				joined = append(joined, text+value)
			}
		}
		texts, i = joined, stop
	}
	if slices.ContainsFunc(texts, isSubstituted) {
		return texts
	}
	return strings.Fields(strings.Join(texts, " "))
}

// prints lists what the commands of a substitution may print.
func (s *scanner) prints(text string) (texts []string) {
	if s.work += len(text); s.work > s.most {
		s.full = true
		return nil
	}
	inner := newScanner(text)
	inner.scan(text, maxScanDepth)
	at := "."
	for _, c := range inner.seen {
		if len(c.Words) > 0 && c.Input != "" && passers[baseName(c.Words[0])] {
			texts = append(texts, c.Input)
		}
		if dir, ok := c.ChangesTo(); ok {
			at = dir
		}
		if len(c.Words) > 0 && c.Words[0] == "pwd" {
			texts = append(texts, at)
		}
		if len(c.Words) < 2 {
			continue
		}
		name := baseName(c.Words[0])
		switch {
		case printers[name]:
			texts = append(texts, output(c.Words)...)
		case finders[name]:
			texts = append(texts, c.Words[len(c.Words)-1])
		case name == "cat" && s.made.written[baseName(c.Words[len(c.Words)-1])]:
			for _, seen := range s.seen {
				texts = append(texts, seen.Prints()...)
				if len(texts) > maxBound {
					break
				}
			}
		case name == "dirname":
			texts = append(texts, path.Dir(c.Words[len(c.Words)-1]))
		case name == "git":
			texts = append(texts, gitPlaces(c.Words)...)
		case !printsLines(c.Words):
			found, _ := known.Found(c.Words)
			texts = append(texts, found...)
		}
	}
	s.full = s.full || len(texts) > maxBound
	return texts[:min(len(texts), maxBound)]
}

// printsLines reports whether a grep prints lines of its one file, and no names.
func printsLines(words []string) bool {
	if name := baseName(words[0]); name != "grep" && name != "egrep" && name != "fgrep" {
		return false
	}
	operands := 0
	for _, w := range words[1:] {
		switch {
		case !isOption(w):
			operands++
		case strings.HasPrefix(w, "--") || strings.Trim(w[1:], "oEFPiwxhsnvm0123456789") != "":
			return false
		}
	}
	return operands == 2
}

// passers print a here-string as it is. The lines of a here-document are read as
// commands anyhow.
var passers = wordSet("cat tac head tail sort uniq tee grep egrep fgrep")

// finders print where the program of their last word is, or that word.
var finders = wordSet("which command type whence where hash realpath readlink basename")

// gitPlaces lists what git rev-parse prints of where the repository is, which is
// taken to be the one of the directory.
func gitPlaces(words []string) (places []string) {
	if !slices.Contains(words, "rev-parse") {
		return nil
	}
	for i, w := range words {
		switch {
		case w == "--git-dir" || w == "--git-common-dir" || w == "--absolute-git-dir":
			places = append(places, ".git")
		case w == "--show-toplevel":
			places = append(places, ".")
		case w == "--git-path" && i+1 < len(words):
			places = append(places, ".git/"+words[i+1])
		}
	}
	return places
}

// shows reports whether the text shows what a command prints.
func shows(words []string) bool {
	if len(words) < 2 {
		return len(words) == 1 && words[0] == "pwd"
	}
	name := baseName(words[0])
	return printers[name] || finders[name] || name == "dirname" || name == "cat" || name == "git" && len(gitPlaces(words)) > 0
}

// printedParts reports whether a word holds what another command of the text
// plainly prints.
func (c *Command) printedParts(parts []part) bool {
	for _, p := range parts {
		if p.kind == commandPart && slices.ContainsFunc(c.Simples[p.from:p.to], func(s Simple) bool { return shows(s.Words) }) {
			return true
		}
	}
	return false
}

// usesPrinted reports whether a command is given what another one of the text
// prints: as a word, as a variable, or as the target of a redirection.
func (c *Command) usesPrinted(s *Simple) bool {
	if s.more == nil {
		return false
	}
	return slices.ContainsFunc(s.more.sets, func(a assignment) bool { return c.printedParts(a.value.parts) }) ||
		slices.ContainsFunc(s.more.redirs, func(red Redirection) bool { return red.Op != "<<" && isSubstituted(red.Target) }) ||
		len(s.Words) > 0 && !known.Prints(s.Words) && slices.ContainsFunc(s.more.open, func(o open) bool { return c.printedParts(o.parts) })
}
