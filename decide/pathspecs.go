package decide

import (
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/shell"
)

// credentialNames are what files of the patterns for credentials may be called,
// for git: its own patterns match a leading dot and across directories.
func credentialNames(patterns []string) (names []string) {
	for _, p := range patterns {
		p = strings.TrimSuffix(strings.TrimSpace(p), "/")
		if p == "" || p[0] == '!' || p[0] == '/' || p[0] == '~' {
			continue
		}
		if !strings.ContainsAny(p, "*?[") {
			names = append(names, p, p+"/config")
			continue
		}
		for _, part := range [...]string{"local", "production", "server"} {
			names = append(names, strings.ReplaceAll(strings.ReplaceAll(p, "*", part), "?", part[:1]))
		}
	}
	return names
}

// gitPattern finds the file with credentials that a word of git may name by a
// pattern of git's own, in the word that the shell leaves alone.
func (f *facts) gitPattern(s *shell.Simple, j int, w string) (string, bool) {
	if s.Words[0] != "git" || gitTakesText[s.Words[j-1]] || grepExpression(s.Words, j) {
		return "", false
	}
	given := w
	w, excludes := withoutMagic(w)
	if excludes || len(w) > 256 {
		return "", false
	}
	if w != given {
		if rule, hit := f.matchCredential(&f.policy.credentials, w); hit {
			return rule, true
		}
	}
	return f.wildName(w)
}

// wildName finds the file with credentials that a pattern stands for whose stars
// match a leading dot and slashes. One for an ending alone is aimed at no file.
func (f *facts) wildName(w string) (string, bool) {
	if !strings.ContainsAny(w, `*?[\`) || strings.HasPrefix(w, "-") {
		return "", false
	}
	if ending := w[strings.LastIndexByte(w, '/')+1:]; strings.HasPrefix(ending, "*.") && strings.Trim(strings.TrimSuffix(w, ending), "*/") == "" && !strings.ContainsAny(ending[1:], `*?[\`) {
		return f.chosenName(ending)
	}
	if f.wildNames++; f.wildNames > maxWildNames {
		return tooMany, true
	}
	wilds := inAnyDirectory(strings.ToLower(w))
	for _, name := range f.policy.credentialNames {
		slashless := strings.ReplaceAll(strings.ToLower(name), "/", noSlash)
		if !slices.ContainsFunc(wilds, func(w paths.Wild) bool { return w.MayFill(slashless) }) {
			continue
		}
		// An operator may have taken the name back.
		if rule, hit := f.policy.credentials.Match(name); hit {
			return rule.Pattern, true
		}
	}
	return "", false
}

// maxWildNames bounds the patterns of git and find that are compared with the
// names of files that hold credentials.
const maxWildNames = 64

// grepExpression reports whether the word is what git grep looks for.
func grepExpression(words []string, j int) bool {
	if len(words) < 3 || words[1] != "grep" {
		return false
	}
	for i, w := range words[2:] {
		if !strings.HasPrefix(w, "-") {
			return i+2 == j
		}
		if w == "-e" || strings.HasPrefix(w, "-f") || w == "--" {
			return false
		}
	}
	return false
}

// gitTakesText are options of git that are followed by a text or an expression.
var gitTakesText = wordSet("-m --message -am -S -G -e --grep --author --committer --format --pretty --date --since --until --after --before --trailer -L -l --list")

// withoutMagic takes the magic off a pathspec; letter case is told nowhere.
// excludes says that it names what is left out.
func withoutMagic(w string) (rest string, excludes bool) {
	if magic, ok := strings.CutPrefix(w, ":("); ok {
		words, rest, _ := strings.Cut(magic, ")")
		if strings.Contains(words, "icase") {
			rest = strings.ToLower(rest)
		}
		return rest, strings.Contains(words, "exclude")
	}
	if rest, ok := strings.CutPrefix(w, ":"); ok {
		bare := strings.TrimLeft(rest, "/!^")
		return bare, strings.ContainsAny(rest[:len(rest)-len(bare)], "!^")
	}
	return w, false
}

// inAnyDirectory are the patterns of a name that a pattern of git's matches in some
// directory: its stars and classes match slashes, and names come without.
func inAnyDirectory(glob string) (wilds []paths.Wild) {
	for i := range len(glob) {
		if i == 0 || glob[i] == '*' || glob[i-1] == '/' || glob[i-1] == '*' {
			wilds = append(wilds, paths.NewWild(strings.ReplaceAll(paths.Lossy(glob[i:]), "/", noSlash)))
		}
	}
	return wilds
}

// noSlash stands for a slash that a star may match.
const noSlash = "\x01"
