package shell

import (
	"strconv"
	"strings"
)

// assigned lists the variables that expansions of the text set, ${NAME:=VALUE},
// and those that a declaration makes another name of one, declare -n NAME=OTHER.
func (s *scanner) assigned(text string) {
	var sets Seen
	for at := 0; ; {
		next := strings.Index(text[at:], "${")
		if next < 0 {
			break
		}
		at += next + 2
		n := nameLength(text[at:])
		value, gives := strings.CutPrefix(strings.TrimPrefix(text[at+n:], ":"), "=")
		if n == 0 || !gives {
			continue
		}
		if end := closing(value, '}'); s.work+end <= s.most {
			s.work += end
			sets.set(text[at:at+n], []string{unquoted(value[:end])})
		} else {
			s.full = true
			return
		}
	}
	if tooMuch(text) { // for the reader that tells the elements of arrays
		s.elements(text, &sets)
	}
	s.renamed(&sets)
	if len(sets.Sets) > 0 || sets.cut {
		s.seen = append([]Seen{sets}, s.seen...)
	}
}

// elements lists those of NAME=(…), as far as blanks tell them.
func (s *scanner) elements(text string, sets *Seen) {
	for at := 0; ; {
		next := strings.Index(text[at:], "=(")
		if next < 0 {
			return
		}
		end := at + next
		at = end + len("=(")
		end = len(strings.TrimSuffix(text[:end], "+"))
		begin := end
		for begin > 0 && isWordByte(text[begin-1]) {
			begin--
		}
		inner := text[at:]
		inner = inner[:closing(inner, '$')]
		if s.work += len(inner); s.work > s.most {
			s.full = true
			return
		}
		words := strings.Fields(unquoted(inner))
		for i, w := range words[:min(len(words), maxBound)] {
			if key, value, ok := strings.Cut(w, "]="); ok && strings.HasPrefix(key, "[") {
				sets.set(text[begin:end]+key+"]", []string{value})
				continue
			}
			sets.set(text[begin:end]+"["+strconv.Itoa(i)+"]", []string{w})
		}
		sets.cut = sets.cut || len(words) > maxBound
	}
}

// renamed gives all names of a variable what the text sets any of them to.
func (s *scanner) renamed(sets *Seen) {
	group := map[string]int{} // of a name; names of one variable have the same
	groups := 0
	for _, seen := range s.seen {
		for _, w := range renames(seen.Words) {
			name, other, is := strings.Cut(w, "=")
			if !is || !isName(name) {
				continue
			}
			if inner := strings.Trim(other, "${}"); len(inner) < len(other) { // the name is in a variable
				sets.set(name, []string{"${!" + inner + "}"})
				continue
			}
			if groups++; groups > maxBound {
				s.full = true
				return
			}
			for _, member := range [...]string{name, other} {
				old := group[member]
				for known, g := range group {
					if old != 0 && g == old {
						group[known] = groups
					}
				}
				group[member] = groups
			}
		}
	}
	if groups == 0 {
		return
	}
	values := map[int][]string{}
	for _, list := range [...][]Seen{s.seen, {*sets}} {
		for _, seen := range list {
			for _, set := range seen.Sets {
				name, value, _ := strings.Cut(set, "=")
				if g := group[name]; g > 0 {
					values[g] = append(values[g], value)
				}
			}
		}
	}
	for name, g := range group {
		if len(values[g]) > maxBound {
			s.full = true
			return
		}
		sets.set(name, values[g])
	}
}

// renames returns the words behind a command that declares names of other
// variables.
func renames(words []string) []string {
	if len(words) < 2 || !declares[words[0]] {
		return nil
	}
	names := words[0] == "nameref"
	for i, w := range words[1:] {
		if !isOption(w) {
			if names {
				return words[1+i:]
			}
			return nil
		}
		names = names || w[0] == '-' && strings.Contains(w, "n")
	}
	return nil
}

// arithmetic returns what an expression runs where a word is one: what stands in
// the subscript of an array is expanded, whatever quotes are around it.
func arithmetic(w string) (text string, ok bool) {
	for at := 1; at < len(w); at++ {
		open := strings.IndexByte(w[at:], '[')
		if open < 0 {
			return "", false
		}
		if at += open; isWordByte(w[at-1]) {
			return w[at+1:], isSubstituted(w[at+1:])
		}
	}
	return "", false
}

// reckons reports whether the builtin may take words for expressions, or for
// names of variables with a subscript.
func reckons(words []string) bool {
	if len(words) == 0 {
		return false
	}
	name := words[0]
	return reckoners[name] || declares[name]
}

var reckoners = wordSet("test [ [[ let unset read mapfile readarray wait getopts exit return shift break continue printf")

// subscripts reads what the words and values of a command run as expressions.
func (s *scanner) subscripts(seen Seen, depth int) {
	for _, set := range seen.Sets { // another value may stand before the bracket
		if _, text, ok := strings.Cut(set, "["); ok {
			s.substitutions(text, depth)
		}
	}
	if !reckons(seen.Words) {
		return
	}
	for _, w := range seen.Words[1:] {
		if text, ok := arithmetic(w); ok {
			s.given(text, depth+1)
		}
	}
}

// substitutions reads the commands of $(…) and `…` in a text, and nothing else of it.
func (s *scanner) substitutions(text string, depth int) {
	for {
		at := strings.IndexAny(text, "$`")
		if at < 0 {
			return
		}
		open, skip := text[at], 1
		if open == '$' {
			skip = 2
		}
		text = text[at+1:]
		if open == '$' && !strings.HasPrefix(text, "(") {
			continue
		}
		inner := text[skip-1:]
		end := closing(inner, open)
		s.given(inner[:end], depth+1)
		text = inner[min(end+1, len(inner)):]
	}
}

// tabled notes what a word stands for by an element of the arrays in which bash
// keeps its aliases and the places of programs.
func (s *scanner) tabled(set string, depth int) {
	name, value, ok := strings.Cut(set, "=")
	table, key, element := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	if ok && element && (commandTables[table] || table == "" && s.tables) {
		s.names(unquoted(key), value)
		s.given(value, depth+1)
	}
}

// commandTables are arrays, of bash and of zsh, whose elements are commands by
// the word that stands for them.
var commandTables = wordSet("BASH_ALIASES BASH_CMDS aliases galiases saliases commands functions")

func mentionsTable(text string) bool {
	for name := range commandTables {
		if strings.Contains(text, name+"=") || strings.Contains(text, name+"[") || strings.Contains(text, name+"+=") {
			return true
		}
	}
	return false
}
