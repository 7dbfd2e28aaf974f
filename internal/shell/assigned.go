package shell

import "strings"

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
	s.renamed(&sets)
	if len(sets.Sets) > 0 || sets.cut {
		s.seen = append([]Seen{sets}, s.seen...)
	}
}

// renamed gives each of two names of a variable what the text sets either to.
func (s *scanner) renamed(sets *Seen) {
	var pairs [][2]string
	values := map[string][]string{}
	for _, seen := range s.seen {
		for _, w := range renames(seen.Words) {
			if name, other, is := strings.Cut(w, "="); is && isName(name) && isName(other) {
				pairs = append(pairs, [2]string{name, other})
				values[name], values[other] = nil, nil
			}
		}
	}
	if len(pairs) > maxBound {
		s.full = true
		return
	}
	if len(pairs) == 0 {
		return
	}
	for _, list := range [...][]Seen{s.seen, {*sets}} {
		for _, seen := range list {
			for _, set := range seen.Sets {
				name, value, _ := strings.Cut(set, "=")
				if _, paired := values[name]; paired {
					values[name] = append(values[name], value)
				}
			}
		}
	}
	for _, pair := range pairs {
		for i, name := range pair {
			if all := values[name]; len(all) <= maxBound {
				sets.set(pair[1-i], all)
			} else {
				s.full = true
			}
		}
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
	return reckoners[name] || declares[name] || name == "printf" && len(words) > 2 && words[1] == "-v"
}

var reckoners = wordSet("test [ [[ let unset read mapfile readarray wait getopts exit return shift break continue")

// subscripts reads what the words and values of a command run as expressions.
func (s *scanner) subscripts(seen Seen, depth int) {
	words := seen.Sets
	if reckons(seen.Words) {
		words = append(words[:len(words):len(words)], seen.Words[1:]...)
	}
	for _, w := range words {
		if text, ok := arithmetic(w); ok {
			s.scan(text, depth+1)
		}
	}
}

// tabled returns the command that a word stands for by an element of the arrays
// in which bash keeps its aliases and the places of programs.
func (s *scanner) tabled(set string) {
	name, value, ok := strings.Cut(set, "=")
	table, key, element := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	if ok && element && (commandTables[table] || table == "" && s.tables) {
		s.names(unquoted(key), value)
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
