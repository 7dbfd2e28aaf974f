package decide

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/programs"
	"github.com/agent-pdp/pdp/internal/shell"
)

// chosenName finds the file with credentials for which a pattern looks that is
// compared with the names of files alone: a star matches a leading dot, no
// slash. A pattern for an ending looks for what is called no more than that.
func (f *facts) chosenName(pattern string) (string, bool) {
	forms, all := shell.Braces(strings.ToLower(pattern))
	if f.wildNames += len(forms); !all || f.wildNames > maxWildNames {
		return tooMany, true
	}
	for _, form := range forms {
		for part := range strings.SplitSeq(form, "/") {
			if rule, hit := f.chosenPart(part); hit {
				return rule, true
			}
		}
	}
	return "", false
}

// chosenBelow finds the file with credentials that is looked for by its name where it
// is kept: find .git -name config.
func (f *facts) chosenBelow(words []string, pattern string) (string, bool) {
	if f.policy.table.Name(words[0]) != "find" || strings.Trim(pattern, "*") == "" {
		return "", false
	}
	var name *paths.Wild
	for i, w := range words[1:] {
		switch {
		case i == maxSearched:
			return tooMany, true
		case w == "-H" || w == "-L" || w == "-P":
			continue
		case w != "" && strings.IndexByte("-(!", w[0]) >= 0:
			return "", false
		case name == nil:
			wild := paths.NewWild(paths.Lossy(strings.ToLower(pattern)))
			name = &wild
		}
		if rule, hit := f.policy.kept.holds(components(w), name); hit {
			return rule, true
		}
	}
	return "", false
}

// maxSearched bounds the directories at which a search by name may begin.
const maxSearched = 64

func (f *facts) chosenPart(part string) (string, bool) {
	if strings.Trim(part, "*") == "" {
		return "", false // everything, which nobody chose
	}
	if sought[part] {
		return part, true
	}
	matches := func(name string) bool { return name == part }
	if ending, ok := strings.CutPrefix(part, "*."); ok && !strings.ContainsAny(ending, `*?[\`) {
		matches = func(name string) bool { return name == "."+ending }
	} else if strings.ContainsAny(part, `*?[\`) {
		wild := paths.NewWild(paths.Lossy(part))
		matches = func(name string) bool { return name[0] == '.' && wild.MayFill(name) }
	}
	for _, name := range f.policy.credentialNames {
		if strings.Contains(name, "/") || !matches(strings.ToLower(name)) {
			continue
		}
		// An operator may have taken the name back.
		if rule, hit := f.policy.credentials.Match(name); hit {
			return rule.Pattern, true
		}
	}
	return "", false
}

// sought are names of files with credentials that stand in directories of their
// own, and that hardly any other file has.
var sought = wordSet("credentials credentials.toml shadow gshadow sudoers opasswd krb5.keytab chap-secrets pap-secrets")

// filteredNames finds the file with credentials that a grep picks from a list of
// names for xargs. Whoever looks for other files passes on files that are called
// like it as well, env.go for one.
func (f *facts) filteredNames(c *shell.Command) (string, bool) {
	var filters []programs.Filter
	for i := range c.Simples {
		if words := c.Simples[i].Words; len(words) == 0 || f.policy.table.Name(words[0]) != "xargs" {
			continue
		}
		first := len(filters)
		feeders := c.Feeders(i)
		for j, s := range feeders {
			if j == len(feeders)-1 || len(s.Words) == 0 { // the first one lists the names
				continue
			}
			filter, known := f.policy.table.NameFilter(s.Words)
			if !known || len(filters) == maxFilters {
				return tooMany, true
			}
			filters = append(filters, filter)
		}
		if rule, hit := f.picked(filters[first:], feeders); hit {
			return rule, true
		}
	}
	return "", false
}

// maxFilters bounds the filters for lists of names of one text.
const maxFilters = 32

func (f *facts) picked(filters []programs.Filter, feeders []*shell.Simple) (string, bool) {
	if !slices.ContainsFunc(filters, func(filter programs.Filter) bool { return filter != programs.Filter{} }) {
		return "", false
	}
	passes := func(name string) bool {
		return !slices.ContainsFunc(filters, func(filter programs.Filter) bool { return !filter.Passes(name) })
	}
	dirs := []string{"", "src/", "./"}
	lister := f.policy.table.Name(feeders[len(feeders)-1].Words[0])
	switch lister {
	case "ls":
		dirs = dirs[:1]
	case "git":
		dirs = dirs[:2]
	}
	somewhere := func(name string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return passes(dir + name) })
	}
	for _, name := range f.policy.credentialNames {
		if strings.Contains(name, "/") || !somewhere(name) || slices.ContainsFunc(namesakes(name, lister == "ls"), somewhere) {
			continue
		}
		if rule, hit := f.policy.credentials.Match(name); hit {
			return rule.Pattern, true
		}
	}
	return "", false
}

// namesakes are ordinary files that are called like one with credentials, or in
// one directory just ordinary files.
func namesakes(name string, flat bool) (list []string) {
	bare, ending := strings.TrimPrefix(name, "."), ""
	switch {
	case flat:
		bare = "main"
	case bare == name:
		if ending = path.Ext(name); ending != "" && !slices.Contains(strings.Fields(".pem .key .p12 .pfx .jks .keystore .kdbx .keyring .tfstate .tfvars .backup"), ending) {
			return []string{"other" + ending}
		}
		if bare = strings.TrimPrefix(ending, "."); bare == "" {
			bare = "main" // id_rsa, which nothing else is called
		}
	}
	for _, ending := range [...]string{".go", ".ts", ".py", ".md", ".json", ".txt"} {
		list = append(list, bare+ending)
	}
	return list
}
