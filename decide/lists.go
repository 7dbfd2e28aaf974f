package decide

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/agent-pdp/pdp/internal/hostname"
	"github.com/agent-pdp/pdp/internal/pattern"
	"github.com/agent-pdp/pdp/internal/shell"
)

// allowLists is what somebody vouches for in advance.
type allowLists struct {
	commands shell.Prefixes
	domains  hostname.Set
	tools    map[string]bool            // that run in custom mode
	rules    map[string]map[string]bool // standing rules: tool → targets
}

// restrictLists is what a floor refuses or asks about.
type restrictLists struct {
	tools    []pattern.Glob
	commands shell.Restrictions
	domains  hostname.Set
	paths    pattern.Paths
}

// report tells of an entry that means nothing safe: an issue in a policy, a
// warning in a context.
type report func(pointer, format string, args ...any)

func compileDomains(pointer string, entries []string, parse func(string) (hostname.Entry, error), f *findings, bad report) hostname.Set {
	if len(entries) == 0 {
		return hostname.Set{}
	}
	parsed := make([]hostname.Entry, 0, len(entries))
	for i, text := range entries {
		entry, err := parse(text)
		if err != nil {
			tell := bad
			if damaged(text, err) {
				tell = f.issue
			}
			tell(fmt.Sprintf("%s/%d", pointer, i), "%v", err)
			continue
		}
		parsed = append(parsed, entry)
	}
	return hostname.NewSet(parsed)
}

// damaged reports whether an entry is so far from a host that the list it
// stands in may not be what its author wrote: unbalanced brackets, or letters
// that turn into a part of a URL when they are normalised.
func damaged(text string, err error) bool {
	var invalid hostname.InvalidError
	if !errors.As(err, &invalid) {
		return false
	}
	switch invalid.Kind {
	case hostname.KindIPv6:
		return !strings.Contains(text, "[v")
	case hostname.KindIDN:
		return delimiters(norm.NFKC.String(text)) > delimiters(text)
	default:
		return false
	}
}

func delimiters(s string) int {
	n := 0
	for _, d := range "/?#@:" {
		n += strings.Count(s, string(d))
	}
	return n
}

func nameSet(names []string) map[string]bool {
	if len(names) == 0 {
		return nil
	}
	set := make(map[string]bool, len(names))
	for _, name := range names {
		if name != "" {
			set[name] = true
		}
	}
	return set
}

func compileRules(rules map[string][]string) map[string]map[string]bool {
	if len(rules) == 0 {
		return nil
	}
	compiled := make(map[string]map[string]bool, len(rules))
	for name, targets := range rules {
		compiled[name] = nameSet(targets)
	}
	return compiled
}

// compileRestrictions compiles a deny or ask list. An entry that cannot be
// used is always an issue: a restriction must not get lost.
func compileRestrictions(pointer string, spec ListsSpec, home string, f *findings) restrictLists {
	r := restrictLists{}
	for i, name := range spec.Tools {
		if strings.TrimSpace(name) == "" {
			f.issue(fmt.Sprintf("%s/tools/%d", pointer, i), "is blank; write a tool's name or a glob such as mcp__db__*")
			continue
		}
		r.tools = append(r.tools, pattern.Glob(foldGlob(name)))
	}
	if len(spec.Commands) > 0 {
		commands, errs := shell.CompileRestrictions(spec.Commands)
		for _, e := range errs {
			f.issue(fmt.Sprintf("%s/commands/%d", pointer, e.Index), "%q %v", clip(e.Entry), e.Err)
		}
		r.commands = commands
	}
	r.domains = compileDomains(pointer+"/domains", spec.Domains, hostname.ParseEntry, f, f.issue)
	if len(spec.Paths) > 0 {
		rules := make([]pattern.Rule, len(spec.Paths))
		for i, text := range spec.Paths {
			rules[i].Pattern = text
		}
		r.paths = compilePatterns(pointer+"/paths", rules, home, f.issue)
	}
	return r
}

func compilePatterns(pointer string, rules []pattern.Rule, home string, bad report) pattern.Paths {
	compiled, errs := pattern.CompilePaths(rules, home)
	for i := range rules {
		if err := errs[i]; err != nil {
			bad(fmt.Sprintf("%s/%d", pointer, i), "%q %v", clip(rules[i].Pattern), err)
		}
	}
	return compiled
}

// foldGlob folds the letters of a glob as tool names are folded; sets such as
// [A-Z] keep their meaning for the folded name.
func foldGlob(glob string) string { return foldName(glob) }

// tool returns the glob that names a tool.
func (r *restrictLists) tool(folded string) (string, bool) {
	for _, g := range r.tools {
		if g.Match(folded) {
			return string(g), true
		}
	}
	return "", false
}

func (r *restrictLists) looksAtCommands() bool {
	return !r.commands.Empty() || r.domains.Len() > 0 || !r.paths.Empty()
}

// overrides are the operator's risk classes by tool glob.
type overrides []overrideRule

type overrideRule struct {
	glob   pattern.Glob
	weight int
	risk   Risk
}

// compileOverrides reads {pattern, risk} rules. One that is malformed is
// reported; a class that does not exist is an issue.
func compileOverrides(pointer string, rules []Value, f *findings, bad report) overrides {
	var compiled overrides
	for i, rule := range rules {
		at := fmt.Sprintf("%s/%d", pointer, i)
		glob, hasGlob := rule.Get("pattern").AsString()
		class, hasClass := rule.Get("risk").AsString()
		if !hasGlob || !hasClass || glob == "" {
			bad(at, "is no override; write {pattern: <tool glob>, risk: <class>}")
			continue
		}
		risk, err := ParseRisk(class)
		if err != nil {
			f.issue(at+"/risk", "%v", err)
			continue
		}
		g := pattern.Glob(glob)
		compiled = append(compiled, overrideRule{g, g.Weight(), risk})
	}
	return compiled
}

// find returns the class of the weightiest rule for a tool; the earlier one
// wins a tie.
func (o overrides) find(name string) Risk {
	best, risk := -1, Unclassified
	for i := range o {
		if o[i].weight > best && o[i].glob.Match(name) {
			best, risk = o[i].weight, o[i].risk
		}
	}
	return risk
}
