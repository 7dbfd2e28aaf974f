package decide

import (
	"errors"
	"path"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/pattern"
	"github.com/agent-pdp/pdp/internal/shell"
)

// forms returns what brace expansion makes of a word that the shell would still
// fill in. Beyond the bound of a call, braces stand for any text, which finds files
// that are there, and says little of others: the command counts as not seen whole.
func (f *facts) forms(w *shellWord) []string {
	if !w.pattern || w.spelled == "" {
		return nil
	}
	key := formsKey{w.spelled, w.filler}
	forms, known := f.formsOf[key]
	if !known {
		if w.filler == byProgram {
			forms = f.givenForms(w.spelled)
		} else {
			forms = f.expandForms(w.spelled)
		}
		if f.formsOf == nil {
			f.formsOf = map[formsKey][]string{}
		}
		f.formsOf[key] = forms
	}
	return forms
}

// formsKey is a word that was expanded, and for whom.
type formsKey struct {
	spelled string
	filler  filler
}

// givenForms returns what a program may make of the braces in a pattern of its
// own. Those that it cannot expand are a part of an expression or of data.
func (f *facts) givenForms(spelled string) []string {
	if f.expanded > maxFormed {
		f.seenAll = false
		return []string{bracesToStars(spelled)}
	}
	forms, all := shell.Braces(spelled)
	f.expanded += len(forms)
	if !all {
		forms = append(forms, bracesToStars(spelled))
	}
	return forms
}

func (f *facts) expandForms(spelled string) []string {
	if strings.IndexByte(spelled, '{') < 0 {
		return []string{spelled}
	}
	var forms []string
	if room := maxFormed - f.expanded; room > 0 {
		plain, all := shell.Braces(spelled)
		for _, form := range plain {
			if len(forms) > room {
				break
			}
			if !strings.Contains(form, "..") {
				forms = append(forms, form)
				continue
			}
			ranged, whole := shell.Ranges(form, room-len(forms))
			if !whole {
				ranged, all = []string{bracesToStars(form)}, false
			}
			forms = append(forms, ranged...)
		}
		if f.expanded += len(forms); len(forms) <= room {
			f.seenAll = f.seenAll && all
			return forms
		}
	}
	// Quotes are lost, so that nobody knows which braces belong together.
	at, end := strings.IndexByte(spelled, '{'), strings.LastIndexByte(spelled, '}')
	if end < at {
		return []string{spelled}
	}
	f.seenAll = false
	return []string{spelled[:at] + "*" + spelled[end+1:]}
}

// slashInBraces reports whether braces may decide in which directory a word is.
func slashInBraces(word string) bool {
	at, end := strings.IndexByte(word, '{'), strings.LastIndexByte(word, '}')
	return at >= 0 && end > at && strings.IndexByte(word[at:end], '/') >= 0
}

// mayName reports which rule the shell could hit by filling the word in: by its
// form, or by the files that are there.
func (f *facts) mayName(w *shellWord, rules *pattern.Paths) (pattern.Rule, bool) {
	if w.filler == byNobody {
		return f.names(w, rules)
	}
	for _, form := range f.forms(w) {
		if rule, hit := rules.Match(form); hit {
			return rule, true
		}
		if isPlainName(form) {
			continue // all that it can be was matched
		}
		if f.looked++; f.looked > maxLooked || !f.spend(patternSteps) {
			f.seenAll = false
			return pattern.Rule{}, false
		}
		if rule, hit := rules.Overlaps(form); hit {
			return rule, true
		}
		if f.session.pathsMode == PathsLexical || !strings.ContainsAny(form, "*?[") {
			continue
		}
		names, all := f.find(form)
		for _, name := range names {
			if rule, hit := rules.Match(name); hit {
				return rule, true
			}
		}
		if !all && (w.filler == byShell || !unclosedSet(form)) {
			return pattern.Rule{Pattern: "of " + form + ", which has too many files to look at"}, true
		}
	}
	return pattern.Rule{}, false
}

// inside returns the rule of whatever a directory holds, if the program takes all
// of it: DIR/** is a rule of what is below, and the command names DIR.
func (w *shellWord) inside(rules *pattern.Paths) (pattern.Rule, bool) {
	if !w.takes || w.pattern || w.err != nil {
		return pattern.Rule{}, false
	}
	if rule, hit := rules.Match(w.spelled + anyName); hit {
		return rule, true
	}
	return rules.Match(w.resolved.Path + anyName)
}

// anyName is a file of a name that no rule spells out.
const anyName = "/\u2042"

// names reports which rule a word hits that nobody fills in, by itself or by
// where it leads.
func (f *facts) names(w *shellWord, rules *pattern.Paths) (pattern.Rule, bool) {
	if w.spelled == "" {
		return pattern.Rule{}, false
	}
	if rule, hit := rules.Match(w.spelled); hit {
		return rule, true
	}
	resolved, err := f.resolveWord(w.spelled)
	if err != nil {
		f.seenAll = f.seenAll && !errors.Is(err, errTooManyLookups)
		return pattern.Rule{}, false
	}
	return rules.Match(resolved.Path)
}

// unclosedSet reports whether a component of a pattern begins a set that does not
// end: programs that glob by themselves find nothing by it.
func unclosedSet(form string) bool {
	for part := range strings.SplitSeq(form, "/") {
		if strings.IndexByte(part, '[') >= 0 && strings.IndexByte(part, ']') < 0 {
			return true
		}
	}
	return false
}

// isPlainName reports whether a word stands for itself alone, however it is read.
func isPlainName(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r >= 0x80 || strings.ContainsRune("*?[]{}$`\\", r) })
}

// maxFormed bounds what the braces of one call become.
const maxFormed = 256

// maxLooked bounds the patterns of one call that are compared with patterns.
const maxLooked = 128

// matches reports whether the shell could fill the word in so that it names
// the path, or whether that is among the files that the word stands for.
func (w *shellWord) matches(folded string) bool {
	if w.name != "" && folded != "" {
		dir, base := path.Split(folded)
		if w.base.MayFill(base) && (w.err != nil || w.pattern && w.above(dir) || !w.pattern && paths.Contains(w.folded, dir)) {
			return true
		}
	}
	return w.wild != nil && folded != "" && w.wild.canBe(folded)
}

// above reports whether the shell could fill the word in so that it names a
// directory above, or the directory itself.
func (w *shellWord) above(dir string) bool {
	for dir = strings.TrimSuffix(dir, "/"); dir != ""; dir = dir[:strings.LastIndexByte(dir, '/')] {
		if w.wild.canBe(dir) {
			return true
		}
	}
	return false
}
