package decide

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/shell"
)

// sweeper says when a program reads everything below a directory that it is
// given: always, or with one of the letters or long options.
type sweeper struct {
	always  bool
	letters string
	long    []string // abbreviations count
}

var sweepers = map[string]sweeper{
	"rg": {always: true}, "ag": {always: true}, "ack": {always: true}, "ugrep": {always: true}, "tar": {always: true}, "rsync": {always: true},
	"grep": recursiveGrep, "egrep": recursiveGrep, "fgrep": recursiveGrep, "zgrep": recursiveGrep,
	"cp": {letters: "rRa", long: []string{"--recursive", "--archive"}}, "scp": {letters: "r"},
	"diff": {letters: "r", long: []string{"--recursive"}}, "zip": {letters: "r", long: []string{"--recurse-paths"}},
}

var recursiveGrep = sweeper{letters: "rRd", long: []string{"--recursive", "--dereference-recursive", "--directories"}}

func (s sweeper) sweeps(words []string) bool {
	return s.always || slices.ContainsFunc(words[1:], func(w string) bool {
		name, _, _ := strings.Cut(w, "=")
		switch {
		case len(w) < 2 || w[0] != '-':
			return false
		case w[1] != '-':
			return strings.ContainsAny(w, s.letters)
		default:
			return len(name) > 3 && slices.ContainsFunc(s.long, func(long string) bool { return strings.HasPrefix(long, name) })
		}
	})
}

// sweptFrom returns where in a command the words of a program stand that reads
// whole directories. handsOn says that names which the text lists are given to
// a program that may look into the files.
func (f *facts) sweptFrom(words []string, handsOn bool) (at int, ok bool) {
	for i, w := range f.policy.table.HandedOver(words) {
		switch name := f.policy.table.Name(w); {
		case name == "find":
			ok = handsOn
		case name == "git":
			ok = slices.Contains(words[i:], "--no-index")
		default:
			s, known := sweepers[name]
			ok = known && s.sweeps(words[i:])
		}
		if ok {
			return i, true
		}
	}
	return 0, false
}

// sweeps names a directory outside every root that a command reads whole,
// although credentials are kept below it. What lies below the roots is the
// project's; elsewhere a list that vouches for grep vouches for no search of
// the home directory.
func (f *facts) sweeps(c *shell.Command, dirs []string) (dir string, hit bool) {
	dirs = append([]string{f.session.place.Cwd}, dirs...)
	handsOn := f.passesOn(c)
	for i := range c.Simples {
		s := &c.Simples[i]
		at, ok := f.sweptFrom(s.Words, handsOn)
		for j := at + 1; ok && j < len(s.Words); j++ {
			if w := s.Words[j]; len(w) > 1 && w[0] == '-' || f.policy.table.Pattern(s.Words[at:], j-at) || f.policy.table.Text(s.Words[at:], j-at) {
				continue
			}
			texts, _ := s.Values(j)
			for _, w := range texts {
				if f.sweepsWord(w, dirs) {
					return w, true
				}
			}
		}
	}
	return "", false
}

func (f *facts) sweepsWord(w string, dirs []string) bool {
	hit, known := f.swept[w]
	switch {
	case known:
		return hit
	case len(f.swept) == maxShellWords:
		return true
	case f.swept == nil:
		f.swept = map[string]bool{}
	}
	forms, all := shell.Braces(w)
	hit = !all || slices.ContainsFunc(forms, func(form string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool {
			return slices.ContainsFunc(append(throughProcess(form, dir, dirs, nil), form), func(w string) bool { return f.aboveCredentials(w, dir) })
		})
	})
	f.swept[w] = hit
	return hit
}

// aboveCredentials reports whether credentials are kept below a directory that
// lies outside every root, or whether that cannot be told.
func (f *facts) aboveCredentials(w, dir string) bool {
	if strings.ContainsAny(w, "*?[") {
		if f.sweptPatterns++; f.sweptPatterns > maxSweptPatterns {
			return true
		}
		abs, err := f.placeAt(dir).Absolute(w)
		if err != nil {
			abs = refused(w)
		}
		_, inside := f.holder(beforePattern(abs))
		return !inside && f.keptBelow(abs)
	}
	t := f.locateAt(w, dir)
	switch {
	case errors.Is(t.err, errTooManyLookups):
		return true
	case t.err != nil:
		return f.keptBelow(refused(w))
	}
	if _, inside := f.holder(t.resolved.Path); inside {
		return false
	}
	return f.keptBelow(t.abs) || t.resolved.Path != t.abs && f.keptBelow(t.resolved.Path)
}

func (f *facts) keptBelow(dir string) bool {
	parts := components(dir)
	return begins(append(components(f.session.place.Home), "*"), parts) || f.policy.kept.below(parts)
}

func components(dir string) []string {
	return strings.FieldsFunc(strings.ToLower(dir), func(r rune) bool { return r == '/' })
}

// refused is a path that is not looked up, as those of a process, by its text.
func refused(w string) string { return path.Clean("/" + w) }

// maxSweptPatterns bounds the patterns for directories of one call that are
// compared with where credentials are kept.
const maxSweptPatterns = 64

// beforePattern is the directory in which what a pattern stands for begins.
func beforePattern(pattern string) string {
	return path.Dir(pattern[:strings.IndexAny(pattern, "*?[")] + "x")
}

// keptPlaces are the components of the places where credentials are kept.
type keptPlaces struct {
	rooted  [][]string            // from the root of the file system
	nested  map[string][][]string // below any directory, by the first component
	deepest int                   // components of the longest of those
}

// homes are directories that hold somebody's credentials, whoever it is.
var homes = []string{"/root/*", "/home/*/*", "/Users/*/*"}

func compileKept(more []string, home string) keptPlaces {
	files, _ := credentialPatterns(more)
	k := keptPlaces{nested: map[string][][]string{}}
	for _, p := range slices.Concat(files, homes) {
		p = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(p), "/"))
		if rest, ok := strings.CutPrefix(p, "~"); ok {
			p = strings.ToLower(home) + rest
		}
		parts := strings.Split(strings.Trim(p, "/"), "/")
		switch {
		case p == "" || p[0] == '!' || slices.Contains(files, "!"+p):
		case p[0] == '/':
			k.rooted = append(k.rooted, parts)
		case len(parts) > 1 && !strings.ContainsAny(parts[0], "*?["):
			k.nested[parts[0]] = append(k.nested[parts[0]], parts)
			k.deepest = max(k.deepest, len(parts))
		}
	}
	return k
}

// below reports whether credentials are kept below the directory of these
// components, which may be patterns.
func (k *keptPlaces) below(parts []string) bool {
	for _, rule := range k.rooted {
		if begins(rule, parts) {
			return true
		}
	}
	for from := max(0, len(parts)-k.deepest); from < len(parts); from++ {
		if !strings.ContainsAny(parts[from], "*?[") {
			if slices.ContainsFunc(k.nested[parts[from]], func(rule []string) bool { return begins(rule, parts[from:]) }) {
				return true
			}
			continue
		}
		for _, rules := range k.nested {
			if slices.ContainsFunc(rules, func(rule []string) bool { return begins(rule, parts[from:]) }) {
				return true
			}
		}
	}
	return false
}

// holds returns the place of credentials in the directory of these components that
// has such a name.
func (k *keptPlaces) holds(parts []string, name *paths.Wild) (string, bool) {
	for from := max(0, len(parts)-k.deepest); from < len(parts); from++ {
		dir := parts[from:]
		for _, rule := range k.nested[dir[0]] {
			if len(rule) == len(dir)+1 && begins(rule, dir) && name.MayFill(rule[len(dir)]) {
				return strings.Join(rule, "/"), true
			}
		}
	}
	return "", false
}

// begins reports whether a rule names something below a directory.
func begins(rule, dir []string) bool {
	if len(dir) >= len(rule) {
		return false
	}
	for i, part := range dir {
		if !mayStandFor(rule[i], part) {
			return false
		}
	}
	return true
}

// mayStandFor compares a component of a rule with one of a word. Both may be patterns.
func mayStandFor(rule, part string) bool {
	wild := strings.ContainsAny(part, "*?[")
	switch {
	case !wild && !strings.ContainsAny(rule, "*?["):
		return rule == part
	case !wild:
		ok, err := path.Match(rule, part)
		return ok || err != nil
	case strings.HasPrefix(rule, ".") && part[0] != '.':
		return false // no shell fills in a leading dot
	case strings.ContainsAny(rule, "*?["):
		return true
	}
	return paths.MayFill(paths.Lossy(part), rule)
}
