package decide

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/pattern"
	"github.com/agent-pdp/pdp/internal/programs"
	"github.com/agent-pdp/pdp/internal/shell"
)

// shellWord is a word of a command that may be a path, as the shell would open
// it from one of the directories that the text may be in.
type shellWord struct {
	target
	spelled string // absolute, cleaned by text alone; may still hold patterns
	folded  string // where the path leads
	glob    string // spelled, folded, where pattern holds
	name    string // folded pattern of a file's name, anywhere below the directory that the word is
	pattern bool   // the shell would still fill in the word
	role    shell.Role
}

// maxShellWords bounds the file system calls that one command can cause.
const maxShellWords = 256

// shellWords locates every word of the command that may be a path.
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

// readShellWords locates the wanted words. Where a bound is met the command
// counts as not seen whole, which floors ask about and lists that restrict take
// for a hit.
func (f *facts) readShellWords(wanted func(shell.Role) bool) []shellWord {
	var list []shellWord
	vars := newVariables(f.session.place)
	dirs := []string{f.session.place.Cwd} // that the text may be in
	var known map[wordKey]bool
	for _, c := range f.commands() {
		for _, set := range c.Sets {
			name, value, _ := strings.Cut(set, "=")
			if longer, adds := strings.CutSuffix(name, "+"); adds {
				name, value = longer, "${"+longer+"}"+value
			}
			vars.set(name, vars.expand(value))
		}
		tree, at := c.MovesTrees(), dirs
		for _, dir := range c.WorksIn() {
			for _, dir := range vars.expand(dir) {
				if abs, err := f.placeAt(dirs[len(dirs)-1]).Absolute(dir); err == nil && len(at) < 2*maxDirs {
					at = append(at[:len(at):len(at)], abs)
				}
			}
		}
		for word, role := range c.PathWords() {
			if !wanted(role) {
				continue
			}
			for _, word := range vars.expand(word) {
				for _, dir := range at {
					if len(list) >= fewWords { // a long list often repeats itself
						if known == nil {
							known = map[wordKey]bool{}
						}
						key := wordKey{word, dir, role, tree}
						if known[key] {
							continue
						}
						known[key] = true
					}
					if len(list) == maxShellWords {
						f.seenAll = false
						return list
					}
					w := f.shellWord(word, dir, role)
					w.tree = tree && (role == shell.Filled || role == shell.Landed)
					list = append(list, w)
					if strings.HasPrefix(word, "/") || strings.HasPrefix(word, "~") {
						break
					}
				}
			}
		}
		if dir, ok := c.ChangesTo(); ok {
			for _, dir := range vars.expand(dir) {
				abs, err := f.placeAt(dirs[len(dirs)-1]).Absolute(dir)
				switch {
				case err != nil || slices.Contains(dirs, abs):
				case len(dirs) == maxDirs:
					f.seenAll = false
				default:
					dirs = append(dirs, abs)
				}
			}
		}
	}
	f.seenAll = f.seenAll && !vars.over
	return list
}

type wordKey struct {
	word, dir string
	role      shell.Role
	tree      bool
}

// fewWords is how many words are worth no bookkeeping.
const fewWords = 32

// maxDirs bounds the directories that a text may be in.
const maxDirs = 16

func (f *facts) placeAt(dir string) paths.Place {
	place := f.session.place
	place.Cwd = dir
	return place
}

func (f *facts) shellWord(word, dir string, role shell.Role) shellWord {
	given := word
	word, name, below := programs.CutBelow(word)
	w := shellWord{role: role, pattern: strings.ContainsAny(word, "*?[{$`")}
	w.given = given
	if below {
		w.name = paths.Fold(name)
	}
	if rest, ok := strings.CutPrefix(word, "~+"); ok {
		word = dir + rest
	}
	w.abs, w.err = f.placeAt(dir).Absolute(word)
	if w.err != nil {
		return w
	}
	w.spelled = paths.Clean(w.abs, f.session.place.OS)
	if !w.pattern {
		w.resolved, w.err = f.resolveWord(w.abs)
		w.folded = paths.Fold(w.resolved.Path)
	} else {
		w.glob = bracesToStars(paths.Fold(w.spelled))
	}
	return w
}

// variables are the values that the text itself shows: a loop gives its
// variable several.
type variables struct {
	values map[string][]string
	left   int  // bytes that may still be put together
	over   bool // a bound was met, so that values are missing
}

const (
	maxVariable = 64      // values of one variable
	maxExpanded = 4096    // bytes of one word
	maxFilled   = 1 << 17 // bytes of all words
)

func newVariables(place paths.Place) *variables {
	return &variables{values: map[string][]string{"HOME": {place.Home}, "PWD": {place.Cwd}}, left: maxFilled}
}

func (v *variables) set(name string, values []string) {
	for _, value := range values {
		switch {
		case slices.Contains(v.values[name], value):
		case len(v.values[name]) == maxVariable:
			v.over = true
			return
		default:
			v.values[name] = append(v.values[name], value)
		}
	}
}

// expand fills in variables whose value the text shows, and the home
// directory's; others stay as they are.
func (v *variables) expand(word string) []string {
	if strings.IndexByte(word, '$') < 0 {
		return []string{word}
	}
	words := []string{word}
	for range 8 {
		var next []string
		changed := false
		for _, w := range words {
			filled := v.once(w)
			changed = changed || len(filled) != 1 || filled[0] != w
			if next = append(next, filled...); len(next) > maxVariable {
				v.over = true
				return next[:maxVariable]
			}
		}
		if words = next; !changed {
			break
		}
	}
	return words
}

// once fills in the first variable that is known.
func (v *variables) once(word string) []string {
	for at := 0; ; at++ {
		found := strings.IndexByte(word[at:], '$')
		if found < 0 {
			return []string{word}
		}
		at += found
		name, rest := variable(word[at+1:])
		values := v.values[name]
		if len(values) == 0 {
			plain, otherwise := defaulted(name)
			values = v.values[plain]
			if len(values) == 0 && otherwise != "" {
				values = []string{otherwise}
			}
		}
		if len(values) == 0 {
			continue
		}
		words := make([]string, 0, len(values))
		for _, value := range values {
			size := at + len(value) + len(rest)
			if size > maxExpanded || size > v.left {
				v.over = true
				return []string{word}
			}
			v.left -= size
			words = append(words, word[:at]+value+rest)
		}
		return words
	}
}

// defaulted splits ${NAME:-TEXT} and its like.
func defaulted(name string) (plain, otherwise string) {
	at := strings.IndexAny(name, ":-=+?%#/")
	if at < 0 {
		return name, ""
	}
	plain = name[:at]
	otherwise = strings.TrimPrefix(name[at:], ":")
	if otherwise == "" || strings.IndexByte("-=+", otherwise[0]) < 0 {
		return plain, ""
	}
	return plain, otherwise[1:]
}

func variable(s string) (name, rest string) {
	if braced, ok := strings.CutPrefix(s, "{"); ok {
		name, rest, _ = strings.Cut(braced, "}")
		return name, rest
	}
	if s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '@' || s[0] == '*') {
		return s[:1], s[1:]
	}
	i := 0
	for i < len(s) && (s[i] == '_' || s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z') {
		i++
	}
	return s[:i], s[i:]
}

// forms returns what brace expansion makes of a word that the shell would still
// fill in.
func (f *facts) forms(w *shellWord) []string {
	if !w.pattern || w.spelled == "" {
		return nil
	}
	forms, all := shell.Braces(w.spelled)
	f.seenAll = f.seenAll && all
	return forms
}

// mayName reports which rule the shell could hit by filling the word in: by its
// form, or by the files that are there.
func (f *facts) mayName(w *shellWord, rules *pattern.Paths) (pattern.Rule, bool) {
	for _, form := range f.forms(w) {
		if rule, hit := rules.Match(form); hit {
			return rule, true
		}
		if f.looked++; f.looked > maxLooked {
			f.seenAll = false
			return pattern.Rule{}, false
		}
		if rule, hit := rules.Overlaps(form); hit {
			return rule, true
		}
		if f.session.pathsMode == PathsLexical || !strings.ContainsAny(form, "*?[") {
			continue
		}
		names, all := f.lookups.glob(form)
		for _, name := range names {
			if rule, hit := rules.Match(name); hit {
				return rule, true
			}
		}
		if !all {
			return pattern.Rule{Pattern: "of " + form + ", which has too many files to look at"}, true
		}
	}
	return pattern.Rule{}, false
}

// maxLooked bounds the patterns of one call that are compared with patterns.
const maxLooked = 200

// matches reports whether the shell could fill the word in so that it names
// the path, or whether that is among the files that the word stands for.
func (w *shellWord) matches(folded string) bool {
	if w.name != "" && folded != "" {
		dir, base := path.Split(folded)
		if ok, err := path.Match(w.name, base); (ok || err != nil) && (w.err != nil || w.pattern && w.above(dir) || !w.pattern && paths.Contains(w.folded, dir)) {
			return true
		}
	}
	if w.glob == "" || folded == "" {
		return false
	}
	ok, err := path.Match(w.glob, folded)
	return ok && err == nil
}

// above reports whether the shell could fill the word in so that it names a
// directory above, or the directory itself.
func (w *shellWord) above(dir string) bool {
	for dir = strings.TrimSuffix(dir, "/"); dir != ""; dir = dir[:strings.LastIndexByte(dir, '/')] {
		if ok, err := path.Match(w.glob, dir); ok || err != nil {
			return true
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

// shellURLs returns the addresses that the command names.
func (f *facts) shellURLs() []hostname.URL {
	var list []hostname.URL
	for _, c := range f.commands() {
		list = append(list, f.urlsOf(c)...)
	}
	return list
}

// urlsOf returns what words of a command spell out as a URL, and what its
// programs take for a host.
func (f *facts) urlsOf(c shell.Seen) []hostname.URL {
	var list []hostname.URL
	words := append(append([]string(nil), c.Words...), c.Sets...)
	for _, w := range words {
		at := strings.Index(w, "://")
		if at > 0 {
			w = w[strings.LastIndexAny(w[:at], "=@ ")+1:]
		}
		if u, err := hostname.Parse(w); err == nil {
			list = append(list, u)
		} else if at > 0 {
			list = appendHost(list, authority(w))
		}
	}
	for _, path := range append(append([]string(nil), c.Reads...), c.Writes...) {
		if host, ok := programs.DeviceHost(path); ok {
			list = appendHost(list, host)
		}
	}
	for _, h := range f.policy.table.Hosts(c.Words) {
		if u, err := hostname.Parse(h); err == nil {
			list = append(list, u)
		} else if u, err := hostname.Parse("https://" + h + "/"); err == nil {
			list = append(list, u)
		}
	}
	return list
}

// authority returns the host of an address that is no proper one, as a lenient
// program would read it: behind user and password, of any scheme.
func authority(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	if end := strings.IndexAny(rest, "/?#\\"); end >= 0 {
		rest = rest[:end]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if at := strings.LastIndexByte(rest, ':'); at >= 0 && !strings.HasSuffix(rest, "]") {
		rest = rest[:at]
	}
	return rest
}

func appendHost(list []hostname.URL, host string) []hostname.URL {
	if u, err := hostname.Parse("https://" + host + "/"); err == nil {
		return append(list, u)
	}
	return list
}

func (f *facts) hostsOf(c shell.Seen) []string {
	var hosts []string
	for _, u := range f.urlsOf(c) {
		hosts = append(hosts, u.Host)
	}
	return hosts
}
