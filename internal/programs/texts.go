package programs

import "strings"

// texts says which words of a program are a text that it never takes for the
// name of a file: an expression, a message, the characters of tr.
type texts struct {
	operands bool
	behind   bool                // options behind -- count as well: they are for another program
	options  map[string][]string // what their value begins with; nil: anything
}

// newTexts reads the words of a "texts" line. It returns the word that it
// cannot read, or "".
func newTexts(words []string) (*texts, string) {
	t := &texts{options: map[string][]string{}}
	for _, w := range words {
		name, values, guarded := strings.Cut(w, "?")
		switch {
		case w == "operands":
			t.operands = true
		case w == "behind-dashes":
			t.behind = true
		case len(name) < 2 || name[0] != '-' || guarded && values == "":
			return nil, w
		case guarded:
			t.options[name] = strings.Split(values, ",")
		default:
			t.options[name] = nil
		}
	}
	return t, ""
}

// Text reports whether the ith word is a text that the program never takes for
// the name of a file. Where that cannot be told it is none.
func (t *Table) Text(words []string, i int) bool {
	if i < 1 || i >= len(words) {
		return false
	}
	p, sub := t.here(words)
	return p != nil && p.texts.holds(words, i) || sub != nil && i > 1 && sub.texts.holds(words, i)
}

func (t *texts) holds(words []string, i int) bool {
	if t == nil {
		return false
	}
	w, dashes := words[i], 0
	for _, before := range words[1:i] {
		if before == "--" {
			dashes++
		}
	}
	if t.operands && (dashes > 0 || !isOption(w) || w[0] != '-') {
		return true
	}
	if dashes > 1 || dashes == 1 && !t.behind {
		return false
	}
	if value, known := t.attached(w); known {
		return value
	}
	begins, known := t.options[words[i-1]]
	return known && beginsWithOne(w, begins)
}

// attached looks at the value behind the sign, or behind the letter.
func (t *texts) attached(w string) (text, known bool) {
	if name, value, ok := strings.Cut(w, "="); ok {
		if begins, known := t.options[name]; known {
			return beginsWithOne(value, begins), true
		}
	}
	if len(w) > 2 && w[0] == '-' && w[1] != '-' {
		if begins, known := t.options[w[:2]]; known {
			return beginsWithOne(w[2:], begins), true
		}
	}
	return false, false
}

func beginsWithOne(value string, begins []string) bool {
	for _, b := range begins {
		if strings.HasPrefix(value, b) {
			return true
		}
	}
	return begins == nil
}
