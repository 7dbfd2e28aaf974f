package decide

import (
	"path"
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/shell"
)

// shellWord is a word of a command that may be a path, as the shell would open
// it from one of the directories that the text may be in.
type shellWord struct {
	target
	spelled string // absolute, cleaned by text alone; may still hold patterns
	pattern bool   // the shell would still fill in the word
	role    shell.Role
}

// maxShellWords bounds the file system calls that one command can cause.
const maxShellWords = 256

// shellPaths locates every word of the command that may be a path.
func (f *facts) shellPaths() []target {
	var list []target
	for _, w := range f.shellWords() {
		list = append(list, w.target)
	}
	return list
}

func (f *facts) shellWords() []shellWord {
	if !f.wordsRead {
		f.wordsRead = true
		f.words = f.readShellWords(func(shell.Role) bool { return true })
	}
	return f.words
}

// shellWrites locates the words that the command plainly writes to:
// redirections, and the operands of programs known to write.
func (f *facts) shellWrites() []shellWord {
	if !f.wordsWriteRead {
		f.wordsWriteRead = true
		for _, c := range f.commands() {
			if c.Writer() {
				f.wordsWrite = f.readShellWords(shell.Role.Writes)
				break
			}
		}
	}
	return f.wordsWrite
}

func (f *facts) readShellWords(wanted func(shell.Role) bool) []shellWord {
	var list []shellWord
	vars := map[string]string{"HOME": f.session.place.Home, "PWD": f.session.place.Cwd}
	dirs := []string{f.session.place.Cwd} // that the text may be in
	for _, c := range f.commands() {
		for _, set := range c.Sets {
			name, value, _ := strings.Cut(set, "=")
			vars[name] = expand(value, vars)
		}
		for word, role := range c.PathWords() {
			if !wanted(role) || len(list) >= maxShellWords {
				continue
			}
			word = expand(word, vars)
			for _, dir := range dirs {
				list = append(list, f.shellWord(word, dir, role))
				if strings.HasPrefix(word, "/") || strings.HasPrefix(word, "~") {
					break
				}
			}
		}
		if dir, ok := c.ChangesTo(); ok && len(dirs) < 8 {
			if abs, err := f.placeAt(dirs[len(dirs)-1]).Absolute(expand(dir, vars)); err == nil {
				dirs = append(dirs, abs)
			}
		}
	}
	return list
}

func (f *facts) placeAt(dir string) paths.Place {
	place := f.session.place
	place.Cwd = dir
	return place
}

func (f *facts) shellWord(word, dir string, role shell.Role) shellWord {
	w := shellWord{role: role, pattern: strings.ContainsAny(word, "*?[{$`")}
	w.given = word
	if rest, ok := strings.CutPrefix(word, "~+"); ok {
		word = dir + rest
	}
	w.abs, w.err = f.placeAt(dir).Absolute(word)
	if w.err != nil {
		return w
	}
	w.spelled = paths.Clean(w.abs, f.session.place.OS)
	if !w.pattern {
		w.resolved, w.err = f.resolver().Resolve(w.abs)
	}
	return w
}

// expand fills in variables whose value the text itself shows, and the home
// directory's; others stay as they are.
func expand(word string, vars map[string]string) string {
	const most = 4096
	for range 8 {
		at := strings.IndexByte(word, '$')
		if at < 0 || len(word) > most {
			break
		}
		name, rest := variable(word[at+1:])
		value, known := vars[name]
		if !known {
			break
		}
		word = word[:at] + value + rest
	}
	return word
}

func variable(s string) (name, rest string) {
	if braced, ok := strings.CutPrefix(s, "{"); ok {
		name, rest, _ = strings.Cut(braced, "}")
		return name, rest
	}
	i := 0
	for i < len(s) && (s[i] == '_' || s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z') {
		i++
	}
	return s[:i], s[i:]
}

// matches reports whether the shell could fill the word in so that it names
// the path.
func (w *shellWord) matches(folded string) bool {
	if !w.pattern || w.spelled == "" {
		return false
	}
	ok, err := path.Match(bracesToStars(paths.Fold(w.spelled)), folded)
	return ok && err == nil
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

// shellURLs returns the addresses that words of the command spell out.
func (f *facts) shellURLs() []hostname.URL {
	var list []hostname.URL
	for _, c := range f.commands() {
		for _, w := range c.Words {
			if at := strings.Index(w, "://"); at > 0 {
				if u, err := hostname.Parse(w[strings.LastIndexAny(w[:at], "=@ ")+1:]); err == nil {
					list = append(list, u)
				}
			} else if u, err := hostname.Parse(w); err == nil {
				list = append(list, u)
			}
		}
	}
	return list
}
