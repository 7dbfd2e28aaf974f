package pattern

import (
	"errors"
	"strings"
)

// What other tools would read in a pattern and this one would not. A list that
// restricts nothing without saying so is worse than an error.
var (
	errForeign  = errors.New("holds a [set] that would match less than it says; write [^a] for all but a, and [0-9] for a class")
	errVariable = errors.New(`holds a variable, which is not expanded; write the path itself, ~/ for the home directory, or \$ and \% for the signs`)
	errHome     = errors.New("names the home directory of a user, which is not looked up; write its path")
	errAddress  = errors.New("is an address; write the path alone")
	errWindows  = errors.New("is a path with backslashes, which take the meaning from the next character; write slashes")
	errGroup    = errors.New("holds a group such as @(a|b); write {a,b}")
	errBraces   = errors.New("holds braces with too many alternatives, or a range; write several patterns")
)

// maxAlternatives bounds what the braces of one pattern expand to.
const maxAlternatives = 64

// foreign is the first of those errors.
func foreign(text string) error {
	if strings.HasPrefix(text, "~") && text != "~" && !strings.HasPrefix(text, "~/") && strings.Contains(text, "/") {
		return errHome
	}
	if scheme, _, ok := strings.Cut(text, "://"); ok && scheme != "" && strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+.-") == "" {
		return errAddress
	}
	if len(text) > 2 && text[1] == ':' && text[2] == '\\' && isLetter(text[0]) || strings.HasPrefix(text, `\\`) {
		return errWindows
	}
	for i := 0; i < len(text); i++ {
		rest := text[i+1:]
		switch text[i] {
		case '\\':
			i++
		case '[':
			if rest != "" && strings.IndexByte("!:.=[", rest[0]) >= 0 {
				return errForeign
			}
		case '$':
			if rest != "" && (rest[0] == '{' || rest[0] == '(' || rest[0] == '_' || isLetter(rest[0])) {
				return errVariable
			}
		case '%':
			if name, _, ok := strings.Cut(rest, "%"); ok && name != "" && !strings.ContainsAny(name, "/ ") && isLetter(name[0]) {
				return errVariable
			}
		case '@', '?', '*', '+', '!':
			if strings.HasPrefix(rest, "(") && strings.Contains(rest, ")") {
				return errGroup
			}
		}
	}
	return nil
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// alternatives expands the braces of a pattern: *.{key,pem}, {a,b{c,d}}. Braces
// without a comma stay, and so do those behind a backslash.
func alternatives(text string) ([]string, error) {
	done, todo := []string(nil), []string{text}
	for len(todo) > 0 {
		next := todo[0]
		todo = todo[1:]
		words, isRange := expand(next)
		switch {
		case isRange:
			return nil, errBraces
		case words == nil:
			done = append(done, next)
		default:
			todo = append(words, todo...)
		}
		if len(done)+len(todo) > maxAlternatives {
			return nil, errBraces
		}
	}
	return done, nil
}

// expand expands the first braces that hold a comma. isRange reports some that
// hold a range instead, {1..3}.
func expand(text string) (words []string, isRange bool) {
	type group struct {
		open   int
		commas []int
	}
	var groups []group
	for i := 0; i < len(text); i++ {
		last := len(groups) - 1
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '{':
			groups = append(groups, group{open: i})
		case last < 0:
		case c == ',':
			groups[last].commas = append(groups[last].commas, i)
		case c == '}':
			g := groups[last]
			groups = groups[:last]
			if len(g.commas) == 0 {
				if strings.Contains(text[g.open:i], "..") && !strings.Contains(text[g.open:i], "/") {
					return nil, true
				}
				continue
			}
			from := g.open + 1
			for _, to := range append(g.commas, i) {
				words = append(words, text[:g.open]+text[from:to]+text[i+1:])
				from = to + 1
			}
			return words, false
		}
	}
	return nil, false
}
