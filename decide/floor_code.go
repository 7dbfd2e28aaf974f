package decide

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/pattern"
	"github.com/agent-pdp/pdp/internal/shell"
)

// maxNamesInCode bounds the names in all code of a command that are compared
// with rules by their text.
const maxNamesInCode = 1024

// maxCodeNames bounds the names in one text of code that are looked up.
const maxCodeNames = 64

// protectedInCode looks for the names of protected files in the code that a
// command gives to an interpreter: as a path from one of the directories that
// the text may be in, or beside the name of their directory.
func (f *facts) protectedInCode(text string) string {
	if len(f.codeCommands()) == 0 {
		return ""
	}
	dirs := f.textDirs()
	lower := lowerASCII(text)
	looked := 0
	for _, g := range f.guards() {
		base := path.Base(g.folded)
		for at := strings.Index(lower, base); at >= 0 && looked < maxCodeNames; looked++ {
			name := pathAround(text, at, len(base))
			if strings.HasSuffix(lowerASCII(name), base) && f.leadsTo(&g, name, dirs) || name == text[at:at+len(base)] && isSpelledOut(lower, path.Base(path.Dir(g.folded))) {
				return g.path
			}
			next := strings.Index(lower[at+len(base):], base)
			if next < 0 {
				break
			}
			at += len(base) + next
		}
	}
	return f.treeInCode(text, lower, dirs)
}

// treeInCode looks for code that removes or renames a directory above a protected
// file.
func (f *facts) treeInCode(text, lower string, dirs []string) string {
	named := func(word string) bool { return strings.Contains(lower, word) }
	removes, renames := slices.ContainsFunc(treeRemovers, named), slices.ContainsFunc(treeRenamers, named)
	if !removes && !renames {
		return ""
	}
	looked := 0
	for at, name := range namesIn(text) {
		behind := func(word string) bool { return strings.HasSuffix(lower[:at-1], word) }
		if !removes && (at == 0 || !slices.ContainsFunc(treeRenamers, behind)) {
			continue
		}
		if looked++; looked > maxCodeNames {
			break
		}
		for _, dir := range dirs {
			abs, err := f.placeAt(dir).Absolute(name)
			if err != nil {
				continue
			}
			above := paths.Fold(paths.Clean(abs, f.session.place.OS))
			for _, g := range f.guards() {
				if above != g.folded && paths.Contains(above, g.folded) {
					return g.path
				}
			}
		}
	}
	return ""
}

var (
	treeRemovers = strings.Fields("rmtree rm_r rm_rf removedirs remove_dir_all removeall rimraf fs.rm rmdir rmsync deltree remove_tree")
	treeRenamers = strings.Fields("rename( renamesync( move( replace( mv(")
)

// codeCommands are the commands that run a program which is given code.
func (f *facts) codeCommands() []shell.Seen {
	if !f.codeRead {
		f.codeRead = true
		for _, c := range f.commands() {
			if c.HoldsCode() {
				f.code = append(f.code, c)
			}
		}
	}
	return f.code
}

// textDirs returns the directories that the text may be in, as far as it says so
// by itself.
func (f *facts) textDirs() []string {
	dirs := []string{f.session.place.Cwd}
	for _, c := range f.commands() {
		if dir, ok := c.ChangesTo(); ok && len(dirs) < maxDirs {
			if abs, err := f.placeAt(dirs[len(dirs)-1]).Absolute(dir); err == nil {
				dirs = append(dirs, abs)
			}
		}
	}
	return dirs
}

// namedInCode reports which rule names a path that stands in code which the text
// gives to an interpreter. The path is read as it is spelled: what the code makes
// of its own texts nobody knows.
func (f *facts) namedInCode(rules *pattern.Paths) (pattern.Rule, bool) {
	return f.namedInCodeThat(rules, func(string) bool { return true })
}

// writtenInCode reports which rule names a path in code that may write.
func (f *facts) writtenInCode(rules *pattern.Paths) (pattern.Rule, bool) {
	return f.namedInCodeThat(rules, mayWrite)
}

// mayWrite reports whether a text is code, rather than the name of a file, and
// holds a word with which code writes, moves, links or removes files.
func mayWrite(code string) bool {
	if !strings.ContainsAny(code, " \t\n(!") {
		return false
	}
	code = "\n" + lowerASCII(code)
	if strings.Contains(code, "\nw ") || strings.Contains(code, ";w ") { // of an editor
		return true
	}
	return slices.ContainsFunc(writingWords, func(word string) bool { return strings.Contains(code, word) })
}

var writingWords = strings.Fields(`write output append dump save create copy cp( move rename link symlink unlink remove rmtree mkdir install extract truncate chmod touch spit put
	print> printf> > 'w 'a 'x 'r+ "w "a "x "r+ w! sav wq :w exec system spawn popen qx sh(`)

func (f *facts) namedInCodeThat(rules *pattern.Paths, wanted func(text string) bool) (pattern.Rule, bool) {
	code := f.codeCommands()
	if len(code) == 0 {
		return pattern.Rule{}, false
	}
	dirs, looked := f.textDirs(), make(map[string]bool)
	code = slices.Clip(code) // others hold it
	most := max(maxEffort, f.effort+unreadEffort/2)
	for _, c := range f.commands() { // the texts of here-documents stand apart
		if len(c.Words) == 0 && c.Input != "" {
			code = append(code, c)
		}
	}
	for _, c := range code {
		for _, text := range append(c.Words[min(1, len(c.Words)):len(c.Words):len(c.Words)], c.Input) {
			if !wanted(text) {
				continue
			}
			for _, name := range namesIn(text) {
				if looked[name] {
					continue
				}
				looked[name] = true
				if len(looked) > maxNamesInCode {
					f.seenAll = false
				}
				if !f.spend(ruleSteps*len(dirs)) && (len(looked) > unreadWords || f.effort > most) {
					return pattern.Rule{}, false
				}
				for _, dir := range dirs {
					abs, err := f.placeAt(dir).Absolute(name)
					if err != nil {
						continue
					}
					if rule, hit := rules.Match(abs); hit {
						return rule, true
					}
				}
			}
		}
	}
	return pattern.Rule{}, false
}

// namesIn yields what may be a path in code, and where: what holds a slash, what
// begins with a dot, and what begins a text or is an argument with a dot in it.
func namesIn(code string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at := 0; at < len(code); at++ {
			if !isPathByte(code[at]) {
				continue
			}
			name := pathAround(code, at, 0)
			text := at > 0 && (strings.IndexByte("'\"`<>", code[at-1]) >= 0 || code[at-1] == '(' && strings.IndexByte(name, '.') > 0)
			if (text || name[0] == '.' || strings.IndexByte(name, '/') >= 0) && !yield(at, name) {
				return
			}
			at += len(name)
		}
	}
}

// leadsTo reports whether a name is a protected path from one of the directories.
func (f *facts) leadsTo(g *guarded, name string, dirs []string) bool {
	for _, dir := range dirs {
		t := f.locateAt(name, dir)
		if hit := f.protects(&t); hit == g.path {
			return true
		}
	}
	return false
}

// pathAround returns what may be a path around the name at text[at].
func pathAround(text string, at, length int) string {
	from, to := at, at+length
	for from > 0 && isPathByte(text[from-1]) {
		from--
	}
	for to < len(text) && isPathByte(text[to]) {
		to++
	}
	return text[from:to]
}

func isPathByte(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 || strings.IndexByte("_-./~", c) >= 0
}

// isSpelledOut reports whether the text holds a name as a text or a component of its own.
func isSpelledOut(text, name string) bool {
	const around = "'\"`/"
	for at := 0; name != "" && name != "/" && name != "."; {
		next := strings.Index(text[at:], name)
		if next < 0 {
			return false
		}
		from, to := at+next, at+next+len(name)
		if from > 0 && to < len(text) && strings.IndexByte(around, text[from-1]) >= 0 && strings.IndexByte(around, text[to]) >= 0 {
			return true
		}
		at = to
	}
	return false
}

// lowerASCII keeps the length of the text.
func lowerASCII(text string) string {
	lower := []byte(text)
	for i, b := range lower {
		if b >= 'A' && b <= 'Z' {
			lower[i] = b + 'a' - 'A'
		}
	}
	return string(lower)
}
