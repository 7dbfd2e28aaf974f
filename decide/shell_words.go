package decide

import (
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/programs"
	"github.com/agent-pdp/pdp/internal/shell"
)

// shellWord is a word of a command that may be a path, as the shell would open
// it from one of the directories that the text may be in.
type shellWord struct {
	target
	spelled string     // absolute, cleaned by text alone; may still hold patterns
	folded  string     // where the path leads
	wild    *wildcard  // of spelled, folded, where pattern holds
	name    string     // folded pattern of a file's name, anywhere below the directory that the word is
	base    paths.Wild // of name
	pattern bool       // the shell would still fill in the word
	takes   bool       // its program takes a directory with all that is below it
	guessed bool       // it is absolute only if a variable is empty
	filler  filler     // who fills in the pattern
	role    shell.Role
}

// filler says who may take a word for a pattern.
type filler uint8

const (
	byShell   filler = iota
	byProgram        // the shell leaves it alone, the program may fill it in
	byNobody
)

// maxShellWords bounds the file system calls that one command can cause.
const maxShellWords = 256

// unreadWords is how many words are located of a command that is not seen whole:
// somebody is asked about it whatever they are.
const unreadWords = 64

// shellWords locates every word of the command that may be a path.
func (f *facts) shellWords() []shellWord {
	if !f.wordsRead {
		f.wordsRead = true
		f.words, f.wordsWhole = f.readShellWords(func(shell.Role) bool { return true })
	}
	return f.words
}

// shellWrites locates the words that the command plainly writes to:
// redirections, and the operands of programs known to write.
func (f *facts) shellWrites() []shellWord {
	if !f.wordsWriteRead {
		f.wordsWriteRead = true
		for _, c := range f.commands() {
			if _, applies := c.Patches(); applies || c.Writer() {
				f.wordsWrite = f.writesAmong()
				break
			}
		}
	}
	return f.wordsWrite
}

// writesAmong takes the written words from those that were located, if that are
// all; else it looks for them alone, within bounds of their own.
func (f *facts) writesAmong() []shellWord {
	if !f.wordsRead || !f.wordsWhole {
		words, _ := f.readShellWords(shell.Role.Writes)
		return words
	}
	var words []shellWord
	for i := range f.words {
		if f.words[i].role.Writes() {
			words = append(words, f.words[i])
		}
	}
	return words
}

// readShellWords locates the wanted words. Where a bound is met the command
// counts as not seen whole, which floors ask about and lists that restrict take
// for a hit; whole is false then.
func (f *facts) readShellWords(wanted func(shell.Role) bool) (words []shellWord, whole bool) {
	r := wordReader{f: f, wanted: wanted, vars: newVariables(f.session.place), dirs: []string{f.session.place.Cwd}}
	commands := f.commands()
	most := max(maxEffort, f.effort+unreadEffort)
	for _, c := range commands {
		before := r.vars.left
		whole = r.command(c)
		f.spend(seekSteps + len(c.Words)/wordsPassed + (before-r.vars.left)/bytesFilled)
		if !whole || f.effort > most {
			f.seenAll = false
			return r.list, false
		}
	}
	f.seenAll = f.seenAll && !r.vars.over
	return r.list, !r.vars.over
}

type wordReader struct {
	f      *facts
	wanted func(shell.Role) bool
	list   []shellWord
	vars   *variables
	dirs   []string // that the text may be in
	opened []string // files and directories that the text reads from
	links  []madeLink
	known  map[wordKey]bool
	takes  bool   // the command takes directories with all that is below them
	fills  filler // of the words that are offered
	globs  filler // of the command's words that its shell hands over as they are; byShell until it is asked
	tried  int    // words that were offered to the list
}

// command reads one command; it is false if a bound was met.
func (r *wordReader) command(c shell.Seen) bool {
	for _, set := range c.Sets {
		name, value, _ := strings.Cut(set, "=")
		if longer, adds := strings.CutSuffix(name, "+"); adds {
			name, value = longer, "${"+longer+"}"+value
		}
		r.vars.assign(name, value)
	}
	at := r.dirs
	for _, dir := range c.WorksIn() {
		for _, dir := range r.vars.expand(dir) {
			if abs, err := r.f.placeAt(r.dirs[len(r.dirs)-1]).Absolute(dir); err == nil && len(at) < 2*maxDirs {
				at = append(at[:len(at):len(at)], abs)
			}
		}
	}
	for _, read := range c.Reads {
		for _, read := range r.vars.expand(read) {
			if abs, err := r.f.placeAt(r.dirs[len(r.dirs)-1]).Absolute(read); err == nil && len(r.opened) < maxDirs {
				r.opened = append(r.opened, abs)
			}
		}
	}
	tree := c.MovesTrees()
	r.takes, r.globs = c.TakesTrees(), byShell
	for word, role := range c.PathWords() {
		if !r.wanted(role) {
			continue
		}
		for _, value := range r.vars.expand(word) {
			forms := []string{value}
			if r.fills = r.fillerOf(&c, word, value); r.fills != byNobody {
				forms = acrossDirs(value)
			}
			if value != word && c.Splits(word) {
				forms = append(forms, r.fields(value)...)
			}
			for _, form := range forms {
				if !r.word(form, at, role, tree) {
					return false
				}
			}
		}
	}
	r.fills = byShell
	return r.unpacks(c, at) && r.addresses(c, at) && r.patches(c, at) && r.makes(c, at) && r.changes(c)
}

// fields are the words that a value becomes where no quotes are around it, if it
// becomes several.
func (r *wordReader) fields(value string) []string {
	separators := " \t\n" + strings.Join(r.vars.values["IFS"], "")
	if !strings.ContainsAny(value, separators) {
		return nil
	}
	return strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(separators, c) })
}

// fillerOf tells who may fill in a word of the command, which variables may have
// changed.
func (r *wordReader) fillerOf(c *shell.Seen, word, value string) filler {
	if word != value || !strings.ContainsAny(word, "*?[{") || !c.Exact(word) {
		return byShell
	}
	if r.globs == byShell {
		r.globs = byNobody
		if r.f.policy.table.Globs(c.Words) {
			r.globs = byProgram
		}
	}
	return r.globs
}

// unpacks adds the directories that the files of an archive land in. The one
// that the session is in counts for nothing: it is what it is to be filled.
func (r *wordReader) unpacks(c shell.Seen, at []string) bool {
	if len(at) < 2 && at[0] == r.f.session.place.Cwd || !r.wanted(shell.Landed) || !c.Unpacks() {
		return true
	}
	for _, dir := range at {
		if dir != r.f.session.place.Cwd && !r.add(".", dir, shell.Landed, true, false) {
			return false
		}
	}
	return true
}

// addresses adds the files that are named as addresses.
func (r *wordReader) addresses(c shell.Seen, at []string) bool {
	if !r.wanted(shell.Named) {
		return true
	}
	for _, w := range c.Words {
		if len(w) < len("file:/x") || !strings.Contains(w, ":") {
			continue
		}
		for _, w := range r.vars.expand(w) {
			address, ok := fileInWord(w)
			if path := filePath(address); ok && path != address && !r.word(path, at, shell.Named, false) {
				return false
			}
		}
	}
	return true
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
			for _, through := range r.throughProcess(word, dir, at) {
				if !r.add(through, "/", role, tree, guessed) {
					return false
				}
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
	if r.tried++; r.tried > maxTried {
		return false
	}
	long := len(word) >= longWord
	if long || len(r.list) >= fewWords { // a long list often repeats itself
		if r.known == nil {
			r.known = map[wordKey]bool{}
		}
		key := wordKey{word, dir, role, r.fills, tree, r.takes}
		if r.known[key] {
			return true
		}
		r.known[key] = true
	}
	if long {
		r.tried += len(word) / bytesOfTry
	}
	if len(r.list) == maxShellWords || !r.f.seenAll && len(r.list) > unreadWords {
		return false
	}
	w := r.f.shellWord(word, dir, role, r.fills)
	w.tree = tree && (role == shell.Filled || role == shell.Landed)
	w.guessed, w.takes = guessed, r.takes
	r.list = append(r.list, w)
	return r.through(w, 0)
}

// changes notes the directory that the command changes to.
func (r *wordReader) changes(c shell.Seen) bool {
	dir, ok := c.ChangesTo()
	if !ok {
		return true
	}
	for _, dir := range r.searched(r.vars.expand(dir)) {
		for _, through := range r.throughProcess(dir, r.dirs[len(r.dirs)-1], r.dirs) {
			if len(r.dirs) == maxDirs {
				r.f.seenAll = false
			} else if through = paths.Clean(through, r.f.session.place.OS); !slices.Contains(r.dirs, through) {
				r.dirs = append(r.dirs, through)
			}
		}
		abs, err := r.f.placeAt(r.dirs[len(r.dirs)-1]).Absolute(dir)
		if err != nil && strings.HasPrefix(dir, "/") { // what is below may be read all the same
			abs, err = paths.Clean(dir, r.f.session.place.OS), nil
		}
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

// searched adds the directories in which cd looks for a relative one by CDPATH.
func (r *wordReader) searched(dirs []string) []string {
	places := r.vars.values["CDPATH"]
	if len(places) == 0 {
		return dirs
	}
	for _, dir := range dirs[:len(dirs):len(dirs)] {
		if dir == "" || strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~") || strings.HasPrefix(dir, "./") || strings.HasPrefix(dir, "../") {
			continue
		}
		for _, list := range places {
			for place := range strings.SplitSeq(list, ":") {
				if place != "" && len(dirs) < 2*maxDirs {
					dirs = append(dirs, strings.TrimRight(place, "/")+"/"+dir)
				}
			}
		}
	}
	return dirs
}

type wordKey struct {
	word, dir string
	role      shell.Role
	fills     filler
	tree      bool
	takes     bool
}

// maxTried bounds the words with their repetitions.
const maxTried = 6 * maxShellWords

// Bytes of a long word cost as much as further words: so many as another one.
const (
	longWord   = 256
	bytesOfTry = 16
)

// fewWords is how many words are worth no bookkeeping.
const fewWords = 32

// maxDirs bounds the directories that a text may be in.
const maxDirs = 16

func (f *facts) placeAt(dir string) paths.Place {
	place := f.session.place
	place.Cwd = dir
	return place
}

func (f *facts) shellWord(word, dir string, role shell.Role, fills filler) shellWord {
	given := word
	word, name, below := programs.CutBelow(word)
	w := shellWord{role: role, filler: fills, pattern: strings.ContainsAny(word, "*?[{$`")}
	f.spend(wordSteps + len(word)/bytesOfStep)
	w.given = given
	if below {
		w.name = paths.Fold(paths.Loosen(paths.Lossy(name)))
		w.base = paths.NewWild(w.name)
	}
	if rest, ok := strings.CutPrefix(word, "~+"); ok {
		word = dir + rest
	}
	w.abs, w.err = f.placeAt(dir).Absolute(word)
	if w.err != nil {
		f.seenAll = f.seenAll && !(fills != byNobody && len(word) > longestName && isLongPattern(word))
		return w
	}
	w.spelled = paths.Clean(w.abs, f.session.place.OS)
	if !w.pattern {
		w.resolved, w.err = f.resolveWord(w.abs)
		w.folded = paths.Fold(w.resolved.Path)
	} else {
		f.spend(patternSteps)
		w.wild = newWildcard(w.spelled)
	}
	return w
}
