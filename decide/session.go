package decide

import (
	"errors"
	"strings"

	"github.com/agent-pdp/pdp/internal/hostname"
	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/shell"
)

// ErrInlineContext says that the policy refuses contexts in requests.
var ErrInlineContext = errors.New("the policy accepts no inline context")

// Session is a context compiled under a policy: an immutable value. What a
// person grants later makes a new one. The zero Session is denied everything.
type Session struct{ state *session }

type session struct {
	policy    *Policy
	mode      Mode
	place     paths.Place
	roots     []root
	outer     []root // hold a path too, or it lies in no root; nil: there are none
	bounded   bool   // the policy's roots, if it names any, restrict as well
	tighten   bool   // overrides only tighten
	allow     allowLists
	grants    grants
	deny, ask restrictLists
	protected []protectedPath // the policy's too
	overrides overrides
	dialect   shell.Dialect
	pathsMode PathsMode
	warnings  []string

	repositories *repositories
}

// grants is what a person allowed during the session. They skip nothing in a
// mode that does not honour them.
type grants struct {
	tools            map[string]toolGrant
	commands         map[string]commandGrant
	domains          hostname.Set
	readOnlyCommands bool
}

// Session compiles an inline context. The error is ErrInlineContext, a *SpecError
// whose pointers are relative to the context, or a *LateError.
func (p *Policy) Session(spec ContextSpec) (Session, error) {
	switch p.inline {
	case denyContext:
		return Session{}, ErrInlineContext
	case trustContext:
		return p.compile(spec, Trust{Mode: true, Roots: true, Lists: true})
	default:
		return p.compile(spec, Trust{})
	}
}

func (p *Policy) compile(spec ContextSpec, t Trust) (Session, error) {
	f := &findings{}
	s := &session{policy: p, bounded: !t.Roots, tighten: !t.Lists, pathsMode: p.pathsMode, repositories: &repositories{}}
	s.mode = p.mode
	if spec.Mode != nil {
		s.mode = compileMode(f, "/mode", *spec.Mode)
	}
	if !t.Mode && s.mode.Exceeds(p.maxMode) {
		f.issue("/mode", "%s lets through more than the policy's max_mode, %s", s.mode, p.maxMode)
	}
	s.compilePlace(f, spec)
	s.compileRoots(f, spec)
	var late error
	if s.bounded && p.roots != nil && len(f.issues) == 0 {
		inside := false
		late = p.see(func() { inside = s.startsInside() })
		if late == nil && !inside {
			field := "/cwd"
			if spec.Cwd == "" {
				field = "/workspace_root"
			}
			f.issue(field, "lies in no root of the policy")
		}
	}
	if t.Lists {
		s.compileAllowances(f, spec)
	} else {
		warnIgnored(f, spec)
	}
	s.deny = compileRestrictions("/deny", spec.Deny, s.place.Home, f)
	s.ask = compileRestrictions("/ask", spec.Ask, s.place.Home, f)
	s.protected = p.protected
	if len(spec.ProtectedPaths) > 0 {
		own := compileProtected(f, s.place, spec.ProtectedPaths)
		s.protected = append(own, p.protected...)
	}
	s.overrides = compileOverrides("/risk_overrides", spec.RiskOverrides, f, f.warn)
	if err := f.err(); err != nil {
		return Session{}, err
	}
	s.warnings = f.warnings
	if late != nil {
		return Session{}, &LateError{Cause: late, session: s}
	}
	return Session{s}, nil
}

// compilePlace reads where the runtime runs its tools. Where its paths are
// written in another grammar than this machine's, only their text can be read.
func (s *session) compilePlace(f *findings, spec ContextSpec) {
	s.place = paths.Place{Home: spec.Home, OS: paths.Native()}
	if spec.OS != "" {
		os, ok := paths.ParseOS(spec.OS)
		if !ok {
			f.issue("/os", "%q is unknown; use linux, darwin or windows", clip(spec.OS))
		}
		s.place.OS = os
	}
	if (s.place.OS == paths.Windows) != (paths.Native() == paths.Windows) {
		s.pathsMode = PathsLexical
	}
	if spec.Home == "" {
		s.place.Home = s.policy.home
	} else if _, err := absolute(s.place, spec.Home); err != nil || strings.HasPrefix(spec.Home, "~") {
		f.issue("/home", "must be an absolute path")
	}
	s.place.Cwd = s.absolute(f, "/workspace_root", spec.WorkspaceRoot)
	if spec.Cwd != "" {
		s.place.Cwd = s.absolute(f, "/cwd", spec.Cwd)
	}
	if spec.Shell != "" {
		dialect, ok := shell.ParseDialect(spec.Shell)
		if !ok {
			f.issue("/shell", "%q is unknown; use one of %s", clip(spec.Shell), strings.Join(shell.DialectNames(), ", "))
		}
		s.dialect = dialect
	}
}

// startsInside reports whether the directory that tools start in lies in a root
// of the policy. Where it leads later is looked at in each call.
func (s *session) startsInside() bool {
	f := facts{policy: s.policy, session: s}
	at, err := f.resolver().Resolve(s.place.Cwd)
	if err != nil {
		return false
	}
	_, inside := narrowest(f.resolveRoots(s.policy.roots, nil), at.Path, s.place.OS)
	return inside
}

func (s *session) absolute(f *findings, pointer, text string) string {
	abs, err := absolute(s.place, text)
	if err != nil {
		f.issue(pointer, "%v", err)
	}
	return abs
}

// compileRoots reads the context's roots: absent, the workspace is the only
// one; an empty list is none at all.
func (s *session) compileRoots(f *findings, spec ContextSpec) {
	if spec.Roots != nil {
		s.roots = compileRoots(f, s.place, spec.Roots)
		return
	}
	workspace, err := absolute(s.place, spec.WorkspaceRoot)
	if err == nil { // an error was reported with the place
		s.roots = []root{{workspace, true}}
	}
}

func (s *session) compileAllowances(f *findings, spec ContextSpec) {
	s.allow = allowLists{
		commands: s.policy.compileCommands(spec.AllowedCommands, f.warn, f.warn),
		domains:  compileDomains("/allowed_domains", spec.AllowedDomains, hostname.ParseEntry, f, f.warn),
		tools:    nameSet(spec.AutoAllowTools),
		rules:    compileRules(spec.StandingRules),
	}
	s.grants = grants{
		tools:            unboundTools(spec.Grants.Tools),
		commands:         unboundCommands(spec.Grants.Commands),
		domains:          compileDomains("/grants/domains", spec.Grants.Domains, hostname.ParseGrant, f, f.warn),
		readOnlyCommands: spec.Grants.ReadOnlyCommands,
	}
}

// warnIgnored names the allowances that a narrowing policy does not honour.
func warnIgnored(f *findings, spec ContextSpec) {
	g := spec.Grants
	for _, list := range []struct {
		name    string
		present bool
	}{
		{"allowed_commands", len(spec.AllowedCommands) > 0},
		{"allowed_domains", len(spec.AllowedDomains) > 0},
		{"auto_allow_tools", len(spec.AutoAllowTools) > 0},
		{"standing_rules", len(spec.StandingRules) > 0},
		{"grants", len(g.Tools)+len(g.Commands)+len(g.Domains) > 0 || g.ReadOnlyCommands},
	} {
		if list.present {
			f.warn(list.name, "ignored: under inline_context: narrow a context can only take away")
		}
	}
}
