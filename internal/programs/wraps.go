package programs

import (
	"fmt"
	"slices"
	"strings"
)

// wraps says how the words of a transparent wrapper end.
type wraps struct {
	flags    []string // without a value
	valued   []string // with a value in the next word, or behind =
	operands int
	assigns  bool
}

func parseWraps(words []string) (wraps, error) {
	var w wraps
	for _, word := range words {
		switch {
		case word == "assignments":
			w.assigns = true
		case strings.HasPrefix(word, "operands=") && len(word) == len("operands=N"):
			w.operands = int(word[len(word)-1] - '0')
		case strings.HasPrefix(word, "-") && strings.HasSuffix(word, ":"):
			w.valued = append(w.valued, strings.TrimSuffix(word, ":"))
		case strings.HasPrefix(word, "-"):
			w.flags = append(w.flags, word)
		default:
			return w, fmt.Errorf("wraps: %q is neither an option nor operands=N", word)
		}
	}
	return w, nil
}

// Inner returns the index of the program that a transparent wrapper runs. ok is
// true only if every word before it was understood; the wrapper must be the
// system's own, not a file of that name somewhere else.
func (t *Table) Inner(words []string) (at int, ok bool) {
	if len(words) < 2 || !systemProgram(words[0]) {
		return 0, false
	}
	w := t.facts[t.Name(words[0])].wraps
	if w == nil || t.Name(words[0]) == "command" && isOption(words[1]) {
		return 0, false
	}
	operands := w.operands
	for i := 1; i < len(words); i++ {
		word := words[i]
		name, _, attached := strings.Cut(word, "=")
		switch {
		case !isOption(word) && operands > 0:
			if strings.Trim(word, "0123456789.smhd") != "" {
				return 0, false
			}
			operands--
		case !isOption(word) && w.assigns && attached:
		case !isOption(word):
			return i, true
		case slices.Contains(w.flags, word), attached && slices.Contains(w.valued, name):
		case slices.Contains(w.valued, word):
			i++
		case len(word) > 2 && word[1] != '-' && slices.Contains(w.valued, word[:2]): // -n5, -oL
		default:
			return 0, false
		}
	}
	return 0, false
}

// systemProgram reports whether a first word names a program that only the
// system's own directories or the search path provide.
func systemProgram(word string) bool {
	dir := word[:strings.LastIndexByte(word, '/')+1]
	return dir == "" || dir == "/bin/" || dir == "/usr/bin/" || dir == "/usr/local/bin/"
}

// inlineShells are those whose -c text can be read.
var inlineShells = wordSet("sh bash dash zsh")

// InlineText recognises a shell that is given a command line and nothing else:
// bash -lc 'TEXT'. It returns the index of the text and the shell's name.
func (t *Table) InlineText(words []string) (at int, shell string, ok bool) {
	last := len(words) - 1
	if last < 2 || !systemProgram(words[0]) || !inlineShells[BaseName(words[0])] {
		return 0, "", false
	}
	for i, w := range words[1:last] {
		letters := strings.TrimPrefix(w, "-")
		if letters == w || letters == "" || strings.Trim(letters, "celu") != "" || strings.Contains(letters, "c") != (i == last-2) {
			return 0, "", false
		}
	}
	return last, BaseName(words[0]), true
}
