package pattern

import (
	"errors"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
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
func alternatives(text string) (done []string, err error) {
	for todo := []string{text}; len(todo) > 0; {
		next := todo[0]
		todo = todo[1:]
		if words := paths.Braces(next, true); words != nil {
			todo = append(words, todo...)
		} else if holdsRange(next) {
			return nil, errBraces
		} else {
			done = append(done, next)
		}
		if len(done)+len(todo) > maxAlternatives {
			return nil, errBraces
		}
	}
	return done, nil
}

// holdsRange reports braces of another kind: {1..3}.
func holdsRange(text string) bool {
	for {
		_, behind, found := strings.Cut(text, "{")
		if !found {
			return false
		}
		inner, _, closed := strings.Cut(behind, "}")
		if closed && strings.Contains(inner, "..") && strings.IndexByte(inner, '/') < 0 {
			return true
		}
		text = behind
	}
}
