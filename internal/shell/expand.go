package shell

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-pdp/pdp/internal/paths"
)

// expanded returns the words that a word may become, as far as the text itself
// shows: variables that it sets, defaults, braces. What it does not show is
// taken for empty, since r${unset}m is rm. A word without expansions gives none.
// whole is false if a bound was met.
func expanded(word string, known map[string]string) (words []string, whole bool) {
	const most = 4096
	if !strings.ContainsAny(word, "$`{") {
		return nil, true
	}
	if len(word) > most {
		return nil, false
	}
	var b strings.Builder
	separators := known["IFS"]
	for i := 0; i < len(word) && b.Len() < most; {
		switch c := word[i]; {
		case c == '`':
			i += closing(word[i+1:], '`') + 2
		case c == '$':
			value, length := parameter(word[i+1:], known)
			if separators != "" && value != "" && !strings.Contains(word[i:i+1+length], "*") && strings.ContainsAny(value, separators) {
				value = strings.Join(strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(separators, r) }), " ")
			}
			b.WriteString(value)
			i += 1 + length
		default:
			b.WriteByte(c)
			i++
		}
	}
	words, whole = strings.Fields(b.String()), b.Len() < most
	if strings.IndexByte(b.String(), '{') < 0 {
		return words, whole
	}
	words, all := unbraced(words)
	return words, whole && all
}

// Ranges expands the ranges in a word, if they become at most so many words and
// all of them can be read.
func Ranges(word string, most int) (words []string, ok bool) {
	words = []string{""}
	done := 0 // of the word, in words
	for at := 0; at < len(word); {
		end := strings.IndexByte(word[at:], '}')
		if end < 0 {
			break
		}
		end += at
		at = end + 1
		open := strings.LastIndexByte(word[done:end], '{')
		if open < 0 {
			continue
		}
		open += done
		if !strings.Contains(word[open:end], "..") {
			continue
		}
		values := ranged(word[open+1 : end])
		if values == nil || len(words)*len(values) > most {
			return nil, false
		}
		words = product(words, word[done:open], values)
		done = end + 1
	}
	words = product(words, word[done:], []string{""})
	last := words[len(words)-1]
	return words, !strings.Contains(last, "..") || !strings.Contains(last, "{")
}

// product appends the text and each of the values to every word.
func product(words []string, text string, values []string) []string {
	all := make([]string, 0, len(words)*len(values))
	for _, w := range words {
		for _, v := range values {
			all = append(all, w+text+v)
		}
	}
	return all
}

// unbraced expands all braces of words. whole is false if there are more words
// than it returns.
func unbraced(words []string) (all []string, whole bool) {
	const most = 1 << 15        // bytes read
	todo := slices.Clone(words) // the next one is the last
	slices.Reverse(todo)
	for read := 0; len(todo) > 0; {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if strings.IndexByte(next, '{') < 0 {
			all = append(all, next)
			continue
		}
		expanded := paths.Braces(next, false)
		if expanded == nil { // ranges wait until no others are left
			expanded = rangeWords(next)
		}
		expanded = slices.DeleteFunc(expanded, func(w string) bool { return w == "" })
		read += len(next) * max(1, len(expanded))
		switch {
		case expanded == nil:
			all = append(all, next)
		case read > most || len(all)+len(todo)+len(expanded) > maxBraces:
			return all, false
		default:
			slices.Reverse(expanded)
			todo = append(todo, expanded...)
		}
	}
	return all, true
}

// Emptied returns a word without the variables and substitutions in it, which
// is what it is where they are empty. named says that the first thing to go was
// a variable of a name that no environment has.
func Emptied(word string) (empty string, named bool) {
	var b strings.Builder
	for i := 0; i < len(word); {
		switch c := word[i]; {
		case c == '`':
			i += closing(word[i+1:], '`') + 2
		case c == '$':
			_, length := parameter(word[i+1:], nil)
			name := strings.TrimPrefix(word[i+1:min(i+1+length, len(word))], "{")
			if length > 0 && i == 0 {
				named = name != "" && name[0] >= 'a' && name[0] <= 'z'
			}
			i += 1 + length
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String(), named
}

// otherwiseKey is set where variables that the text does not set count as set.
const otherwiseKey = "+"

// parameter reads what follows a dollar sign and returns its value and length.
func parameter(s string, known map[string]string) (value string, length int) {
	switch {
	case strings.HasPrefix(s, "("):
		return "", min(closing(s[1:], '$')+2, len(s))
	case strings.HasPrefix(s, "{"):
		end := strings.IndexByte(s, '}')
		if end < 0 {
			end = len(s) - 1
		}
		inner := strings.Trim(s[1:end+1], "}")
		if pointer, ok := strings.CutPrefix(inner, "!"); ok { // the variable that it names
			name, _ := Operation(pointer)
			if pointer == "#" {
				name = pointer
			}
			return known[known[name]], end + 1
		}
		name, operation := Operation(inner)
		if name == "IFS" {
			return " ", end + 1
		}
		value = known[name]
		if index := strings.TrimSuffix(inner, operation); len(index) > len(name) {
			if element, ok := known[index]; ok {
				value = element
			}
		}
		operation, told := Numbered(operation, func(name string) string { return known[name] })
		switch text, sign := Otherwise(operation); {
		case !told && value != "":
			value = "*" // any part of it
		case sign == 0:
			value = Expansion(inner, value, operation, known["IFS"])
		case sign == '+' && (value != "" || known[otherwiseKey] != ""), sign != '+' && value == "":
			value = text
		}
		return value, end + 1
	case s != "" && strings.IndexByte("@*#?$!-0123456789", s[0]) >= 0:
		return Expansion(s[:1], known[s[:1]], "", known["IFS"]), 1
	}
	n := nameLength(s)
	if s[:n] == "IFS" { // where it is set, the text that it separates is as well
		return " ", n
	}
	return known[s[:n]], n
}

func nameLength(s string) int {
	n := 0
	for n < len(s) && (isWordByte(s[n]) && (n > 0 || s[n] < '0' || s[n] > '9')) {
		n++
	}
	return n
}

// escapes reads the text behind $' and returns the index of the closing quote.
// A shell that does not know this kind of quote ends it at the first one, also
// behind a backslash, so the rest is read that way as well.
func (s *scanner) escapes(text string, i, depth int, cmd *pending) int {
	cmd.inWord = true
	for ; i < len(text) && text[i] != '\''; i++ {
		if text[i] != '\\' || i+1 == len(text) {
			cmd.add(text[i])
			continue
		}
		if i++; text[i] == '\'' {
			s.given(text[i+1:], depth+1)
		}
		length := s.escape(text[i:], cmd)
		i += length - 1
	}
	return i
}

// escape adds what the escape at the start of text stands for and returns its
// length without the backslash.
func (s *scanner) escape(text string, cmd *pending) int {
	digits, base := 0, 16
	switch c := text[0]; {
	case c == 'x':
		digits = 2
	case c == 'u':
		digits = 4
	case c == 'U':
		digits = 8
	case c >= '0' && c <= '7':
		digits, base = 3, 8
	default:
		if at := strings.IndexByte("abefnrtvE", c); at >= 0 {
			c = "\a\b\x1b\f\n\r\t\v\x1b"[at]
		}
		cmd.add(c)
		return 1
	}
	from := 0
	if base == 16 {
		from = 1
	}
	end := from
	for end < len(text) && end < from+digits && isDigit(text[end], base) {
		end++
	}
	n, err := strconv.ParseUint(text[from:end], base, 32)
	if err != nil {
		cmd.add(text[0])
		return 1
	}
	if digits <= 3 {
		cmd.add(byte(n))
	} else {
		cmd.word = utf8.AppendRune(cmd.word, rune(n))
	}
	return end
}

func isDigit(b byte, base int) bool {
	_, err := strconv.ParseUint(string(rune(b)), base, 8)
	return err == nil
}

// Braces returns the words that brace expansions make of a word; not every
// shell expands them, and then the word is a name that says so itself. Ranges
// are left alone. ok is false if there are too many words, or an expansion of a
// kind that is not read, so that words are missing.
func Braces(word string) (words []string, ok bool) {
	if strings.IndexByte(word, '{') < 0 {
		return []string{word}, true
	}
	todo := append([]string{word}, quotedBraces(word)...)
	for read := 0; len(todo) > 0; {
		next := todo[0]
		todo = todo[1:]
		var expanded []string
		for _, w := range paths.Braces(next, false) {
			expanded = append(expanded, strings.Fields(w)...)
		}
		if len(expanded) > 0 {
			todo = append(todo, expanded...)
		} else {
			if open := strings.IndexByte(next, '{'); open >= 0 && strings.Contains(next[open:], ",") && strings.Contains(next[open:], "}") {
				return append(words, next), false
			}
			words = append(words, next)
		}
		if read += len(next); len(words)+len(todo) > maxBraces || read > maxBraceText {
			return append(words, todo...), false
		}
	}
	return words, true
}

// quotedBraces returns what a word with several braces may become if some had
// quotes around them, which are lost.
func quotedBraces(word string) (words []string) {
	open, end := strings.IndexByte(word, '{'), strings.LastIndexByte(word, '}')
	if end < open || strings.Count(word, "{") == 1 && strings.Count(word, "}") == 1 {
		return nil
	}
	for part := range strings.SplitSeq(word[open+1:end], ",") {
		if len(words) > maxBraces {
			break // more than is read
		}
		words = append(words, word[:open]+part+word[end+1:])
	}
	if len(words) == 1 {
		return nil
	}
	return words
}

const (
	maxBraces    = 512     // words that one word becomes
	maxBraceText = 1 << 16 // bytes read for it
)

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
