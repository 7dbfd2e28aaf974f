package paths

// Braces returns what the first {a,b} of a word that expands makes of it, from
// the outermost; nothing if none does. Shells and lists of path patterns expand
// them alike. With escapes, a backslash takes the meaning from what follows.
func Braces(word string, escapes bool) []string {
	type group struct {
		open   int
		commas []int
	}
	var few [4]group
	groups := few[:0] // that are open, from the outermost
	first, end := group{open: len(word)}, 0
	for at := 0; at < len(word); at++ {
		switch last := len(groups) - 1; {
		case escapes && word[at] == '\\':
			at++
		case word[at] == '{':
			groups = append(groups, group{open: at})
		case last < 0:
		case word[at] == ',':
			groups[last].commas = append(groups[last].commas, at)
		case word[at] == '}':
			if g := groups[last]; len(g.commas) > 0 && g.open < first.open {
				first, end = g, at
			}
			groups = groups[:last]
		}
		if end > 0 && len(groups) == 0 {
			break
		}
	}
	if end == 0 {
		return nil
	}
	words := make([]string, 0, len(first.commas)+1)
	from := first.open + 1
	for _, to := range append(first.commas, end) {
		words = append(words, word[:first.open]+word[from:to]+word[end+1:])
		from = to + 1
	}
	return words
}
