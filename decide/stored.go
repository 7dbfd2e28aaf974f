package decide

import (
	"slices"

	"github.com/agent-pdp/pdp/internal/hostname"
)

// StoredSpec is a session that the service keeps: the context as it was last
// written, and what people have allowed since.
type StoredSpec struct {
	Context ContextSpec // its Grants are not read
	// Trust says which parts of the context were written by somebody who may
	// give, and not only take away.
	Trust Trust
	// Outer are roots that hold a path too, or it lies in no root: whoever
	// narrows the roots later cannot lead out of them, by no link. nil: none.
	Outer         []RootSpec
	StandingRules map[string][]string // minted by people: tool → targets
	Grants        []GrantSpec
}

// Trust names the parts of a context that may give.
type Trust struct {
	Mode  bool `json:"mode,omitzero"`  // the mode may exceed the policy's max_mode
	Roots bool `json:"roots,omitzero"` // the roots may lie outside the policy's
	Lists bool `json:"lists,omitzero"` // the lists that allow, the rules and milder overrides count
}

// GrantKind says what a grant allows.
type GrantKind string

const (
	GrantTool     GrantKind = "tool"               // every call of a tool
	GrantCommand  GrantKind = "command"            // exactly one command line
	GrantDomain   GrantKind = "domain"             // a domain with its subdomains
	GrantReadOnly GrantKind = "read_only_commands" // commands that only read, below the roots
)

// GrantKinds returns all kinds, in the order of the contract.
func GrantKinds() []GrantKind {
	return []GrantKind{GrantTool, GrantCommand, GrantDomain, GrantReadOnly}
}

// GrantSpec is one thing that a person allowed for a session, with what it is
// bound to.
type GrantSpec struct {
	Kind       GrantKind         `json:"kind"`
	Value      string            `json:"value"`
	Definition string            `json:"definition,omitzero"` // of the tool, when it was granted
	Files      map[string]string `json:"files,omitzero"`      // that the command runs: resolved path → digest
}

// Stored compiles a stored session under the policy as it is now. Where the
// policy has become stricter than the session, the policy counts.
func (p *Policy) Stored(spec StoredSpec) (Session, error) {
	context := spec.Context
	context.Grants = GrantsSpec{}
	capped := ""
	if !spec.Trust.Mode && context.Mode != nil {
		if mode, err := ParseMode(*context.Mode); err == nil && mode.Exceeds(p.maxMode) {
			limit := p.maxMode.String()
			capped, context.Mode = *context.Mode, &limit
		}
	}
	compiled, err := p.compile(context, spec.Trust)
	if err != nil {
		return Session{}, err
	}
	s := compiled.state
	f := &findings{warnings: slices.Clip(s.warnings)}
	if capped != "" {
		f.warn("mode", "%s lets through more than the policy's max_mode, so the session is judged as %s", capped, s.mode)
	}
	if spec.Outer != nil {
		s.outer = compileRoots(f, s.place, spec.Outer)
	}
	s.allow.rules = mergeRules(s.allow.rules, compileRules(spec.StandingRules))
	s.compileGrants(f, spec.Grants)
	if err := f.err(); err != nil {
		return Session{}, err
	}
	s.warnings = f.warnings
	return compiled, nil
}

// compileGrants reads what people allowed; a grant that means nothing safe
// allows nothing.
func (s *session) compileGrants(f *findings, list []GrantSpec) {
	g := grants{tools: map[string]toolGrant{}, commands: map[string]commandGrant{}}
	var domains []string
	for _, one := range list {
		switch one.Kind {
		case GrantTool:
			bound := g.tools[one.Value]
			bound.definitions = append(bound.definitions, one.Definition)
			g.tools[one.Value] = bound
		case GrantCommand:
			bound := g.commands[one.Value]
			bound.versions = append(bound.versions, one.Files)
			g.commands[one.Value] = bound
		case GrantDomain:
			domains = append(domains, one.Value)
		case GrantReadOnly:
			g.readOnlyCommands = true
		}
	}
	if len(domains) > 0 {
		g.domains = compileDomains("/grants/domains", domains, hostname.ParseGrant, f, f.warn)
	}
	s.grants = g
}

func mergeRules(a, b map[string]map[string]bool) map[string]map[string]bool {
	if len(a) == 0 {
		return b
	}
	for tool, targets := range b {
		if a[tool] == nil {
			a[tool] = map[string]bool{}
		}
		for target := range targets {
			a[tool][target] = true
		}
	}
	return a
}

// Mode is how much the session may do without asking.
func (s Session) Mode() Mode {
	if s.state == nil {
		return Discuss
	}
	return s.state.mode
}

// Withdrawn is the session without what was given to it: its lists, rules and
// grants, and a mode beyond interactive. It is for a service that cannot know
// whether they still hold. What restricts the session stays.
func (s Session) Withdrawn() Session {
	if s.state == nil {
		return s
	}
	bare := *s.state
	bare.allow, bare.grants = allowLists{}, grants{}
	bare.bounded, bare.tighten = true, true
	if bare.mode != Interactive && !bare.mode.ReadOnly() {
		bare.mode = Interactive
	}
	return Session{&bare}
}

// With is the session with one more grant, as if a person had just made it.
func (s Session) With(g GrantSpec) Session {
	if s.state == nil {
		return s
	}
	more := *s.state
	more.compileGrants(&findings{}, []GrantSpec{g})
	return Session{&more}
}

// WithRule is the session with one more standing rule.
func (s Session) WithRule(tool, target string) Session {
	if s.state == nil {
		return s
	}
	more := *s.state
	more.allow.rules = map[string]map[string]bool{tool: {target: true}}
	return Session{&more}
}

// Holds reports whether everything in a root lies in the session's own roots
// now, and may be written there if the root says writable. It does not where the
// file system does not answer in time.
func (s Session) Holds(r RootSpec) bool {
	if s.state == nil {
		return false
	}
	holds := false
	late := s.state.policy.see(func() { holds = s.state.holds(r) })
	return late == nil && holds
}

func (s *session) holds(r RootSpec) bool {
	f := facts{policy: s.policy, session: s}
	t := f.locate(r.Path)
	if t.err != nil {
		return false
	}
	held, ok := f.holder(t.resolved.Path)
	return ok && (held.writable || !r.Writable)
}
