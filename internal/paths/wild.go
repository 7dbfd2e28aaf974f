package paths

import (
	"path"
	"strings"
	"unicode/utf8"
)

// Lossy marks the sets of a word whose quotes are lost: whether a set lists what
// it matches or what it does not depends on a character that may have been quoted.
func Lossy(word string) string {
	if strings.IndexByte(word, '[') < 0 {
		return word
	}
	return strings.ReplaceAll(word, "[!", "[[!")
}

// Loosen rewrites a shell's pattern so that path.Match reads it and matches at
// least what any shell does. Shells agree about sets of letters and digits and
// about their complements, which stay. Classes, and quotes inside of sets, they
// read differently, so those become any text.
func Loosen(glob string) string {
	if !strings.ContainsAny(glob, `[\`) {
		return glob
	}
	parts := strings.Split(glob, "/")
	for i, part := range parts {
		parts[i] = loosened(part)
	}
	return strings.Join(parts, "/")
}

func loosened(part string) string {
	var b strings.Builder
	lastClosed := strings.LastIndexByte(part, ']')
	for i := 0; i < len(part); i++ {
		last := -1
		switch part[i] {
		case '[':
			if end := plainSet(part[i:]); end > 0 {
				b.WriteString(strings.Replace(part[i:i+end], "[!", "[^", 1))
				i += end - 1
				continue
			}
			last = lastClosed
			if last < i && strings.HasSuffix(part, "-") { // dash takes the end of the text for that of the range
				last = len(part) - 1
			}
		case '\\':
			last = min(max(strings.LastIndexByte(part, '\\')+1, lastClosed), len(part)-1)
		}
		switch {
		case last > i:
			b.WriteByte('*')
			i = last
		case part[i] == '[' || part[i] == '\\': // nothing closes it
			b.WriteByte('?')
		default:
			b.WriteByte(part[i])
		}
	}
	return b.String()
}

// plainSet returns the length of the set at the start of s if all shells read
// it alike.
func plainSet(s string) int {
	end := strings.IndexByte(s, ']')
	if end < 2 {
		return 0
	}
	body := s[1:end]
	if body[0] == '!' {
		if body = body[1:]; body == "" {
			return 0
		}
	}
	for i := 0; i < len(body); i++ {
		switch {
		case body[i] != '-':
			if setMember(body[i]) == 0 {
				return 0
			}
		case i == 0 || i+1 == len(body):
			return 0
		default:
			low, high := body[i-1], body[i+1]
			if setMember(low) < 2 || setMember(low) != setMember(high) || low > high || i > 1 && body[i-2] == '-' {
				return 0
			}
		}
	}
	return end + 1
}

// setMember tells characters apart between which a range means the same
// everywhere; 0 is a character that may mean something in a set.
func setMember(c byte) int {
	switch {
	case c >= 'a' && c <= 'z':
		return 2
	case c >= 'A' && c <= 'Z':
		return 3
	case c >= '0' && c <= '9':
		return 4
	case strings.IndexByte("_.,+@% ~", c) >= 0:
		return 1
	}
	return 0
}

// MayFill reports whether some shell may fill a pattern in with a path: both of
// the same number of components. A leading dot is a character like others here.
func MayFill(glob, name string) bool {
	w := NewWild(glob)
	return w.MayFill(name)
}

// Wild is a shell's pattern, prepared to be compared with many paths.
type Wild struct {
	loose      string // what path.Match reads
	quoted     string // the same if the brackets were quoted; empty if there are none
	head, tail string // how whatever it matches begins and ends
	slashes    int    // in whatever it matches
	least      int    // bytes of whatever it matches
	plain      bool   // it matches its own text alone
	broken     bool   // nobody can say what it matches
}

// NewWild prepares a pattern.
func NewWild(glob string) Wild {
	if !strings.ContainsAny(glob, wildBytes) {
		return Wild{loose: glob, plain: true}
	}
	w := Wild{loose: Loosen(glob)}
	if strings.IndexByte(glob, '[') >= 0 {
		w.quoted = strings.ReplaceAll(w.loose, "[", `\[`)
	}
	w.broken = broken(w.loose) || broken(w.quoted)
	w.slashes = strings.Count(w.loose, "/")
	w.least = leastBytes(w.loose)
	if at := strings.IndexAny(w.loose, wildBytes); at >= 0 {
		w.head = w.loose[:at]
		w.tail = w.loose[strings.LastIndexAny(w.loose, wildBytes)+1:]
	}
	return w
}

// leastBytes is the length of the shortest name that a loosened pattern matches,
// or less.
func leastBytes(loose string) (n int) {
	for i := 0; i < len(loose); i++ {
		switch loose[i] {
		case '*':
			continue
		case '[':
			i += max(0, strings.IndexByte(loose[i:], ']'))
		case '\\':
			i++
		}
		n++
	}
	return n
}

// wildBytes may stand for another text than themselves in a loosened pattern.
const wildBytes = `*?[]\`

func broken(glob string) bool {
	_, err := path.Match(glob, "")
	return err != nil
}

// Selective reports whether most names are told apart by their beginning.
func (w *Wild) Selective() bool { return w.head != "" && !w.broken }

// MayFill is [MayFill] for a prepared pattern.
func (w *Wild) MayFill(name string) bool {
	if w.plain {
		return name == w.loose
	}
	if w.broken {
		return true
	}
	if len(name) < w.least || !strings.HasPrefix(name, w.head) || !strings.HasSuffix(name, w.tail) || strings.Count(name, "/") != w.slashes {
		return false
	}
	if matches(w.loose, name) {
		return true
	}
	// Brackets may have been quoted, and for some locales each byte is a character.
	if w.quoted != "" && matches(w.quoted, name) {
		return true
	}
	return !ascii(name) && matches(latin1(w.loose), latin1(name))
}

func matches(glob, name string) bool {
	ok, err := path.Match(glob, name)
	return ok || err != nil
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// latin1 gives each byte a character of its own.
func latin1(s string) string {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}
