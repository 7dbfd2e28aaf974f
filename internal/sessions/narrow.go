package sessions

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/decide"
)

// onlyTakes refuses a context that gives something to a runtime's session.
func onlyTakes(p *decide.Policy, c decide.ContextSpec) error {
	for _, list := range []struct {
		name    string
		present bool
	}{
		{"allowed_commands", len(c.AllowedCommands) > 0},
		{"allowed_domains", len(c.AllowedDomains) > 0},
		{"auto_allow_tools", len(c.AutoAllowTools) > 0},
		{"standing_rules", len(c.StandingRules) > 0},
	} {
		if list.present {
			return forbid("%s: a runtime can only take away; this needs an approver", list.name)
		}
	}
	if c.Mode != nil {
		if mode, err := decide.ParseMode(*c.Mode); err == nil && mode.Exceeds(p.MaxMode()) {
			return forbid("mode: %s lets through more than the policy's max_mode, %s; this needs an approver", mode, p.MaxMode())
		}
	}
	s, err := p.Stored(decide.StoredSpec{Context: c})
	if err != nil {
		return err
	}
	return held(s, c.Roots)
}

func held(s decide.Session, roots []decide.RootSpec) error {
	for _, r := range roots {
		if !s.Holds(r) {
			return forbid("roots: %q is wider than what the session may use; this needs an approver", r.Path)
		}
	}
	return nil
}

// narrows reports how a context would widen a session that a runtime wrote.
func (k *Keeper) narrows(before *document, c *decide.ContextSpec) error {
	if before.Context.Home != c.Home || before.Context.OS != c.OS || before.Context.Shell != c.Shell {
		return forbid("home, os and shell of a session stay as they are; this needs an approver")
	}
	s, err := k.Policy().Stored(before.spec(nil, k.now()))
	if err != nil {
		return err
	}
	if err := lowers(s, k.modeOf(c.Mode)); err != nil {
		return err
	}
	roots := c.Roots
	if roots == nil {
		roots = []decide.RootSpec{{Path: c.WorkspaceRoot, Writable: true}}
	}
	if err := held(s, roots); err != nil {
		return err
	}
	was := &before.Context
	for _, list := range []struct {
		name        string
		before, now []string
	}{
		{"protected_paths", was.ProtectedPaths, c.ProtectedPaths},
		{"deny.tools", was.Deny.Tools, c.Deny.Tools},
		{"deny.commands", was.Deny.Commands, c.Deny.Commands},
		{"deny.domains", was.Deny.Domains, c.Deny.Domains},
		{"deny.paths", was.Deny.Paths, c.Deny.Paths},
		{"ask.tools", was.Ask.Tools, c.Ask.Tools},
		{"ask.commands", was.Ask.Commands, c.Ask.Commands},
		{"ask.domains", was.Ask.Domains, c.Ask.Domains},
		{"ask.paths", was.Ask.Paths, c.Ask.Paths},
	} {
		for _, entry := range list.before {
			if !slices.Contains(list.now, entry) {
				return forbid("%s: %s is missing; a runtime cannot take a restriction back", list.name, entry)
			}
		}
	}
	for _, list := range []struct {
		name        string
		before, now []string
	}{
		{"deny.paths", was.Deny.Paths, c.Deny.Paths},
		{"ask.paths", was.Ask.Paths, c.Ask.Paths},
	} {
		if entry, ok := takesBack(list.before, list.now); ok {
			return forbid("%s: %s is new or in another place; a runtime cannot take a restriction back", list.name, entry)
		}
	}
	// The weightiest override counts alone, so one more may undo another.
	if len(was.RiskOverrides) > 0 && !slices.Equal(encoded(was.RiskOverrides), encoded(c.RiskOverrides)) {
		return forbid("risk_overrides of a session stay as they are; this needs an approver")
	}
	return nil
}

// takesBack returns a pattern that begins with "!" and may take back more than it
// did: the last pattern that names a path decides. With such a one the list stays in
// its order; further plain patterns may stand anywhere.
func takesBack(left, now []string) (entry string, ok bool) {
	negated := func(entry string) bool { return strings.HasPrefix(strings.TrimSpace(entry), "!") }
	for _, next := range now {
		switch {
		case len(left) > 0 && left[0] == next:
			left = left[1:]
			if negated(next) {
				entry = next
			}
		case negated(next):
			return next, true
		}
	}
	return entry, entry != "" && len(left) > 0
}

func encoded(values []decide.Value) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		raw, _ := json.Marshal(v) // what was read can be written
		texts[i] = string(raw)
	}
	return texts
}

func (k *Keeper) modeOf(name *string) decide.Mode {
	if name == nil {
		return k.Policy().Mode()
	}
	mode, err := decide.ParseMode(*name)
	if err != nil {
		return decide.Discuss // the compiler has the words for it
	}
	return mode
}

func lowers(s decide.Session, next decide.Mode) error {
	// Modes of one rank let different things through.
	if next != s.Mode() && (next.Exceeds(s.Mode()) || !s.Mode().Exceeds(next) && !next.ReadOnly()) {
		return forbid("mode: from %s to %s is no narrowing; this needs an approver", s.Mode(), next)
	}
	return nil
}

// narrowing refuses what a runtime may not change.
func narrowing(s decide.Session, doc *document, p Patch) error {
	if p.Mode != nil {
		mode, err := decide.ParseMode(*p.Mode)
		if err != nil {
			return &InvalidError{"/mode", err.Error()}
		}
		if err := lowers(s, mode); err != nil {
			return err
		}
	}
	if err := held(s, p.Roots); err != nil {
		return err
	}
	rules := doc.allRules()
	for tool, targets := range p.StandingRules {
		for _, target := range targets {
			if !slices.Contains(rules[tool], target) {
				return forbid("standing_rules: %s → %s is new; this needs an approver", tool, target)
			}
		}
	}
	return nil
}

// outer are the roots that whoever narrows the session cannot lead out of.
func (d *document) outer() []decide.RootSpec {
	switch {
	case d.Outer != nil:
		return d.Outer
	case d.Context.Roots != nil:
		return d.Context.Roots
	default:
		return []decide.RootSpec{{Path: d.Context.WorkspaceRoot, Writable: true}}
	}
}
