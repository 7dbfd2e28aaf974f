package decide

import (
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/shell"
)

// wildcard is a pattern of a command, prepared to be compared with many paths.
type wildcard struct {
	braces string      // the word, until forms are needed
	forms  []*wildcard // what brace expansion makes of it, if that is known
	whole  paths.Wild  // with any text for the braces
	// What stands around the first ** that is a component of its own.
	before paths.Wild
	above  int // components of before
	behind *wildcard
	any    bool // more ** than are tried: it may become any path
}

// maxDeep bounds the ** of a pattern that are tried at every directory; more
// match anything.
const maxDeep = 3

// maxForms bounds the words of one brace expansion that are compared one by one.
const maxForms = 32

// oddInBraces may stand in a word of a brace expansion only with quotes around
// it, which are lost.
const oddInBraces = ",{} \t\n"

// newWildcard prepares a word as it was spelled. Braces that expand are taken
// for what they expand to; where that is not known, for any text.
func newWildcard(spelled string) *wildcard {
	f := newPattern(bracesToStars(prepared(spelled)))
	if strings.IndexByte(spelled, '{') >= 0 && !strings.Contains(spelled, "..") && !strings.Contains(spelled, "${") {
		f.braces = spelled
	}
	return f
}

func prepared(word string) string { return paths.Fold(paths.Loosen(paths.Lossy(word))) }

// expand prepares what brace expansion makes of the word.
func (f *wildcard) expand() {
	forms, all := shell.Braces(f.braces)
	f.braces = ""
	if !all || len(forms) > maxForms {
		return
	}
	for _, form := range forms {
		f.forms = append(f.forms, newPattern(prepared(form)))
	}
}

// acrossDirs returns what a word becomes if braces in it hold a slash: what lies
// in which directory is known only then. So it does with one that is too long for
// a name, but not what it becomes. Another word stays.
func acrossDirs(word string) []string {
	if !slashInBraces(word) && (len(word) <= longestName || !isLongPattern(word)) {
		return []string{word}
	}
	forms, all := shell.Braces(word)
	if !all {
		forms = append(forms, word)
	}
	return forms
}

// longestName is how many bytes the name of a file can have.
const longestName = 255

// isLongPattern reports whether a word that is too long for a name can be a pattern
// of a shorter one, and is not plainly a text or an address.
func isLongPattern(word string) bool {
	return strings.ContainsAny(word, "*?[{") && !strings.ContainsAny(word, " \t\n") && !strings.Contains(word, "://")
}

func newPattern(glob string) *wildcard {
	f := &wildcard{whole: paths.NewWild(glob)}
	before, behind, deep := strings.Cut(glob, "**/")
	if !deep || before != "" && !strings.HasSuffix(before, "/") {
		return f
	}
	if strings.Count(behind, "**/") > maxDeep {
		f.any = true
		return f
	}
	f.before = paths.NewWild(before)
	f.above = strings.Count(before, "/")
	f.behind = newPattern(behind)
	return f
}

// canBe reports whether the pattern can become the path, whatever its directories
// stand for.
func (f *wildcard) canBe(path string) bool {
	if f == nil || !f.fits(path) {
		return false
	}
	if f.braces != "" {
		f.expand()
	}
	if len(f.forms) == 0 || strings.ContainsAny(path, oddInBraces) {
		return true
	}
	return slices.ContainsFunc(f.forms, func(form *wildcard) bool { return form.canBe(path) })
}

// fits is canBe with any text for the braces.
func (f *wildcard) fits(path string) bool {
	if f.any {
		return true
	}
	if f.behind != nil {
		for at := range len(path) {
			if (at == 0 || path[at-1] == '/') && f.begins(path[:at]) && f.behind.canBe(path[at:]) {
				return true
			}
		}
	}
	return f.whole.MayFill(path)
}

// begins reports whether what stands before the ** can become the beginning of
// dir.
func (f *wildcard) begins(dir string) bool {
	if f.above == 0 {
		return true
	}
	n := f.above
	for at := range len(dir) {
		if dir[at] == '/' {
			if n--; n == 0 {
				return f.before.MayFill(dir[:at+1])
			}
		}
	}
	return false
}

// bracesToStars reads a brace expansion, and a variable that nobody knows, as
// any text within a component.
func bracesToStars(glob string) string {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == '{':
			if depth++; depth == 1 {
				b.WriteByte('*')
			}
		case c == '}' && depth > 0:
			depth--
		case depth > 0 && c != '/':
		default:
			depth = 0
			b.WriteByte(c)
		}
	}
	return b.String()
}
