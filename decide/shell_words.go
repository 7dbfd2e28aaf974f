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
	guessed bool   // it is absolute only if a variable is empty
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
	r := wordReader{f: f, wanted: wanted, vars: newVariables(f.session.place), dirs: []string{f.session.place.Cwd}}
	for _, c := range f.commands() {
		if !r.command(c) {
			f.seenAll = false
			return r.list
		}
	}
	f.seenAll = f.seenAll && !r.vars.over
	return r.list
}

type wordReader struct {
	f      *facts
	wanted func(shell.Role) bool
	list   []shellWord
	vars   *variables
	dirs   []string // that the text may be in
	links  []madeLink
	known  map[wordKey]bool
}

// madeLink is a link that the text makes: spelled paths.
type madeLink struct{ name, target string }

// command reads one command; it is false if a bound was met.
func (r *wordReader) command(c shell.Seen) bool {
	for _, set := range c.Sets {
		name, value, _ := strings.Cut(set, "=")
		if longer, adds := strings.CutSuffix(name, "+"); adds {
			name, value = longer, "${"+longer+"}"+value
		}
		r.vars.set(name, r.vars.expand(value))
	}
	at := r.dirs
	for _, dir := range c.WorksIn() {
		for _, dir := range r.vars.expand(dir) {
			if abs, err := r.f.placeAt(r.dirs[len(r.dirs)-1]).Absolute(dir); err == nil && len(at) < 2*maxDirs {
				at = append(at[:len(at):len(at)], abs)
			}
		}
	}
	tree := c.MovesTrees()
	for word, role := range c.PathWords() {
		if !r.wanted(role) {
			continue
		}
		for _, word := range r.vars.expand(word) {
			if !r.word(word, at, role, tree) {
				return false
			}
		}
	}
	return r.makes(c, at) && r.changes(c)
}

// word adds a word from every directory, and what it is where variables that
// nobody knows are empty. A word that is absolute only then is a guess.
func (r *wordReader) word(word string, at []string, role shell.Role, tree bool) bool {
	guessed := false
	for {
		for _, dir := range at {
			if !r.add(word, dir, role, tree, guessed) {
				return false
			}
			if strings.HasPrefix(word, "/") || strings.HasPrefix(word, "~") {
				break
			}
		}
		if strings.IndexByte(word, '$') < 0 && strings.IndexByte(word, '`') < 0 {
			return true
		}
		empty, named := shell.Emptied(word)
		guessed = strings.HasPrefix(empty, "/") && !strings.HasPrefix(word, "/")
		if empty == word || empty == "" || strings.ContainsAny(empty, "$`") || guessed && (!named || len(empty) == 1 || strings.ContainsAny(empty, "*?[{")) {
			return true
		}
		word = empty
	}
}

func (r *wordReader) add(word, dir string, role shell.Role, tree, guessed bool) bool {
	if len(r.list) >= fewWords { // a long list often repeats itself
		if r.known == nil {
			r.known = map[wordKey]bool{}
		}
		key := wordKey{word, dir, role, tree}
		if r.known[key] {
			return true
		}
		r.known[key] = true
	}
	if len(r.list) == maxShellWords {
		return false
	}
	w := r.f.shellWord(word, dir, role)
	w.tree = tree && (role == shell.Filled || role == shell.Landed)
	w.guessed = guessed
	r.list = append(r.list, w)
	return r.through(w, 0)
}

// maxMadeLinks bounds the links that the text makes, and how many of them one
// path leads through.
const maxMadeLinks = 32

// through adds the word as it is once the text has made its links.
func (r *wordReader) through(w shellWord, depth int) bool {
	for _, l := range r.links {
		rest, ok := behindLink(&w, l.name)
		if !ok || rest == "" && w.role == shell.Deleted { // that removes the link
			continue
		}
		if len(r.list) == maxShellWords || depth == maxMadeLinks {
			return false
		}
		word := strings.TrimSuffix(l.target, "/") + rest
		if word == "" {
			word = "/"
		}
		if w.name != "" {
			word = programs.Below(word, w.name)
		}
		other := r.f.shellWord(word, "/", w.role)
		other.given, other.tree, other.guessed = w.given, w.tree, w.guessed
		r.list = append(r.list, other)
		if other.spelled != w.spelled && !r.through(other, depth+1) {
			return false
		}
	}
	return true
}

// behindLink returns what of the word lies behind the link, if it leads through
// it; a pattern may become the link's name.
func behindLink(w *shellWord, name string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(w.spelled, name); ok && (rest == "" || rest[0] == '/') {
		return rest, true
	}
	if !w.pattern {
		return "", false
	}
	end := 0
	for range strings.Count(name, "/") {
		next := strings.IndexByte(w.spelled[end:], '/')
		if next < 0 {
			return "", false
		}
		end += next + 1
	}
	if next := strings.IndexByte(w.spelled[end:], '/'); next >= 0 {
		end += next
	} else {
		end = len(w.spelled)
	}
	hit, err := path.Match(bracesToStars(w.spelled[:end]), name)
	return w.spelled[end:], hit && err == nil
}

// makes notes the links that the command makes.
func (r *wordReader) makes(c shell.Seen, at []string) bool {
	for _, link := range c.Links() {
		for _, dir := range at {
			for _, name := range r.vars.expand(link.Name) {
				abs, err := r.f.placeAt(dir).Absolute(name)
				if err != nil {
					continue
				}
				abs = paths.Clean(abs, r.f.session.place.OS)
				for _, target := range r.vars.expand(link.Target) {
					from := []string{dir}
					if link.Beside {
						from = append(from, path.Dir(abs))
					}
					for _, dir := range from {
						to, err := r.f.placeAt(dir).Absolute(target)
						if err != nil || slices.Contains(r.links, madeLink{abs, to}) || paths.Contains(abs, to) {
							continue
						}
						if len(r.links) == maxMadeLinks {
							return false
						}
						r.links = append(r.links, madeLink{abs, paths.Clean(to, r.f.session.place.OS)})
					}
				}
			}
		}
	}
	return true
}

// changes notes the directory that the command changes to.
func (r *wordReader) changes(c shell.Seen) bool {
	dir, ok := c.ChangesTo()
	if !ok {
		return true
	}
	for _, dir := range r.vars.expand(dir) {
		abs, err := r.f.placeAt(r.dirs[len(r.dirs)-1]).Absolute(dir)
		switch {
		case err != nil || slices.Contains(r.dirs, abs):
		case len(r.dirs) == maxDirs:
			r.f.seenAll = false
		default:
			r.dirs = append(r.dirs, abs)
		}
	}
	return true
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
	if array, index, ok := strings.Cut(name, "["); ok && isVariable(array) { // any element
		_, rest, _ := strings.Cut(index, "]")
		name = array + rest
	}
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

func isVariable(s string) bool {
	name, rest := variable(s)
	return name != "" && rest == ""
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
	if !strings.Contains(w.spelled, "..") {
		return forms
	}
	var ranged []string
	for _, form := range forms {
		for _, form := range shell.Ranges(form) {
			if strings.Contains(form, "{") && strings.Contains(form, "..") {
				form = bracesToStars(form)
			}
			if len(ranged) == maxLooked {
				f.seenAll = false
				return ranged
			}
			ranged = append(ranged, form)
		}
	}
	return ranged
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

// hostsOf returns the hosts that a command names to people: not every word that
// could be one, such as a file's name.
func (f *facts) hostsOf(c shell.Seen) (hosts []string) {
	named := c
	named.Words, named.Sets = nil, nil
	for _, w := range append(append([]string(nil), c.Words...), c.Sets...) {
		if strings.Contains(w, "://") {
			named.Sets = append(named.Sets, w)
		}
	}
	for _, u := range f.urlsOf(named) {
		hosts = append(hosts, u.Host)
	}
	for _, h := range f.policy.table.Hosts(c.Words) {
		if !strings.Contains(h, "://") {
			h = "https://" + h + "/"
		}
		if u, err := hostname.Parse(h); err == nil {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}
