package sessions

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// Bounds of a session.
const (
	DefaultTTL = 24 * time.Hour
	minTTL     = time.Second
	maxTTL     = 90 * 24 * time.Hour
	maxLabels  = 32
	maxLabel   = 256
)

var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$`)

// Spec is what a caller writes: a context, how long the session lives unused,
// and labels. Grants in the context are not read.
type Spec struct {
	Context decide.ContextSpec
	TTL     time.Duration // 0: the default
	Labels  map[string]string
}

// Patch is a change of some parts; nil leaves a part as it is.
type Patch struct {
	Mode          *string
	Roots         []decide.RootSpec
	StandingRules map[string][]string
	TTL           *time.Duration
	Labels        map[string]string
}

func (s *Spec) check(id string) error {
	if !names.MatchString(id) {
		return &InvalidError{"", "a session's id has up to 128 letters, digits and . _ : @ + -, and begins with a letter or digit"}
	}
	if s.TTL == 0 {
		s.TTL = DefaultTTL
	}
	return checkLife(s.TTL, s.Labels)
}

func checkLife(ttl time.Duration, labels map[string]string) error {
	if ttl < minTTL || ttl > maxTTL {
		return &InvalidError{"/ttl_seconds", "must be from 1 second to 90 days"}
	}
	if len(labels) > maxLabels {
		return &InvalidError{"/labels", "there may be 32 labels"}
	}
	for name, value := range labels {
		if name == "" || len(name) > maxLabel || len(value) > maxLabel {
			return &InvalidError{"/labels", "names and values have up to 256 bytes, and a name is not empty"}
		}
	}
	return nil
}

// Put creates or replaces a session. What was granted stays only if the
// session stays in the same place: a grant was made for that.
func (k *Keeper) Put(ctx context.Context, c auth.Caller, id string, spec Spec) (v View, created bool, err error) {
	if !may(c, keep) {
		return View{}, false, forbid("the role %q keeps no sessions", c.Role)
	}
	if err := spec.check(id); err != nil {
		return View{}, false, err
	}
	spec.Context.Grants = decide.GrantsSpec{}
	doc := document{Context: spec.Context}
	gives := may(c, give)
	if gives {
		doc.Trust = decide.Trust{Mode: true, Roots: true, Lists: true}
	} else if err := onlyTakes(k.Policy(), spec.Context); err != nil {
		return View{}, false, err
	}
	if _, err := k.Policy().Stored(doc.spec(nil, k.now())); err != nil {
		return View{}, false, err
	}
	s, err := k.change(ctx, id, func(old *store.Session) (*store.Session, error) {
		now := k.now()
		if old != nil && k.ended(old, now) {
			old = nil // what was asked and allowed in it is bound to it; see placeOf
		}
		next := store.Session{
			ID: id, Labels: spec.Labels, TTL: spec.TTL, Created: now, Updated: now, Expires: now.Add(spec.TTL), Widened: gives,
		}
		if !gives {
			next.Owner = c.ID
		}
		doc := doc
		created = old == nil
		if old != nil {
			if err := k.replaces(c, old, &next, &doc); err != nil {
				return nil, err
			}
		}
		next.Spec, err = doc.encode()
		return &next, err
	})
	if err != nil {
		return View{}, false, err
	}
	v, err = viewOf(s)
	return v, created, err
}

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

// replaces carries over what stays of a session that is written anew. A
// runtime may only narrow it.
func (k *Keeper) replaces(c auth.Caller, old, next *store.Session, doc *document) error {
	before, err := decodeDocument(old.Spec)
	if err != nil {
		return err
	}
	next.Created, next.Owner = old.Created, old.Owner
	if !may(c, give) {
		if old.Owner != c.ID {
			if old.Owner == "" {
				return forbid("an approver wrote this session; a runtime can narrow it with PATCH")
			}
			return forbid("the name is taken by another caller's session")
		}
		if old.Widened {
			return forbid("an approver has widened this session; a runtime can narrow it with PATCH")
		}
		if err := k.narrows(before, &doc.Context); err != nil {
			return err
		}
		doc.Outer = before.outer()
	}
	if samePlace(&before.Context, &doc.Context) {
		next.Grants, doc.Rules = old.Grants, before.Rules
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

func samePlace(a, b *decide.ContextSpec) bool {
	return a.WorkspaceRoot == b.WorkspaceRoot && a.Cwd == b.Cwd && a.Home == b.Home && a.OS == b.OS && a.Shell == b.Shell
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
	// The weightiest override counts alone, so one more may undo another.
	if len(was.RiskOverrides) > 0 && !slices.Equal(encoded(was.RiskOverrides), encoded(c.RiskOverrides)) {
		return forbid("risk_overrides of a session stay as they are; this needs an approver")
	}
	return nil
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

// Patch changes parts of a session.
func (k *Keeper) Patch(ctx context.Context, c auth.Caller, id string, p Patch) (View, error) {
	if _, err := k.lookup(ctx, c, id, keep); err != nil {
		return View{}, err
	}
	s, err := k.change(ctx, id, func(old *store.Session) (*store.Session, error) {
		switch {
		case old == nil || k.ended(old, k.now()):
			return nil, store.ErrNotFound
		case !owns(c, old):
			return nil, &ForeignError{id}
		}
		next := *old
		doc, err := decodeDocument(old.Spec)
		if err != nil {
			return nil, err
		}
		if err := k.patch(c, &next, doc, p); err != nil {
			return nil, err
		}
		if _, err := k.Policy().Stored(doc.spec(next.Grants, k.now())); err != nil {
			return nil, err
		}
		next.Spec, err = doc.encode()
		return &next, err
	})
	if err != nil {
		return View{}, err
	}
	return viewOf(s)
}

func (k *Keeper) patch(c auth.Caller, next *store.Session, doc *document, p Patch) error {
	now := k.now()
	gives := may(c, give)
	if !gives {
		s, err := k.Policy().Stored(doc.spec(next.Grants, now))
		if err != nil {
			return err
		}
		if err := narrowing(s, doc, p); err != nil {
			return err
		}
		if p.TTL != nil && writtenByApprover(next) {
			return forbid("ttl_seconds: an approver wrote this session; a runtime cannot end what may restrict it")
		}
		if p.Labels != nil && next.Owner == "" {
			return forbid("labels: an approver wrote this session; this needs an approver")
		}
	}
	if p.Mode != nil {
		doc.Context.Mode = p.Mode
		doc.Trust.Mode = doc.Trust.Mode || gives
	}
	if p.Roots != nil {
		if !gives {
			doc.Outer = doc.outer()
		} else {
			doc.Outer, doc.Trust.Roots = nil, true
		}
		doc.Context.Roots = p.Roots
	}
	if p.StandingRules != nil {
		doc.Context.StandingRules, doc.Rules = nil, p.StandingRules
	}
	if p.TTL != nil {
		next.TTL = *p.TTL
	}
	if p.Labels != nil {
		next.Labels = p.Labels
	}
	next.Widened = next.Widened || gives && (p.Mode != nil || p.Roots != nil || p.StandingRules != nil)
	next.Updated, next.Expires = now, now.Add(next.TTL)
	return checkLife(next.TTL, next.Labels)
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

// change stores a change, and lets this replica's next read see it.
func (k *Keeper) change(ctx context.Context, id string, f func(*store.Session) (*store.Session, error)) (store.Session, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	turn, deleted := k.cache.now(), false
	s, err := k.Store.ChangeSession(ctx, id, func(old *store.Session) (*store.Session, error) {
		next, err := f(old)
		deleted = err == nil && next == nil
		if err != nil || deleted {
			return nil, err
		}
		return next, fits(next)
	})
	if err != nil || deleted {
		k.cache.forget(id) // a change that failed may have happened all the same
		return s, err
	}
	e, err := k.live(s)
	if err != nil {
		k.cache.forget(id)
		return store.Session{}, err
	}
	k.cache.wrote(e, turn)
	return s, nil
}

// Get reads a session.
func (k *Keeper) Get(ctx context.Context, c auth.Caller, id string) (View, error) {
	e, err := k.lookup(ctx, c, id, read)
	if err != nil {
		return View{}, err
	}
	s := e.stored
	s.Expires = time.Unix(0, e.expires.Load())
	s.Labels = maps.Clone(s.Labels)
	return viewOf(s)
}

// writtenByApprover reports whether an approver made the session or changed what
// it may do: a runtime that ended it could make one of that name that may do more.
func writtenByApprover(s *store.Session) bool { return s.Owner == "" || s.Widened }

// Delete ends a session, with everything that was granted to it.
func (k *Keeper) Delete(ctx context.Context, c auth.Caller, id string) error {
	if _, err := k.lookup(ctx, c, id, keep); err != nil {
		return err
	}
	_, err := k.change(ctx, id, func(old *store.Session) (*store.Session, error) {
		switch {
		case old == nil:
			return nil, store.ErrNotFound
		case !owns(c, old):
			return nil, &ForeignError{id}
		case writtenByApprover(old) && !may(c, give):
			return nil, forbid("an approver wrote this session; a runtime cannot end what may restrict it")
		}
		return nil, nil
	})
	return err
}

// List reads a page of sessions that the caller may see, by name.
func (k *Keeper) List(ctx context.Context, c auth.Caller, after string, labels map[string]string, limit int) ([]View, error) {
	if !may(c, read) {
		return nil, forbid("the role %q may not do this", c.Role)
	}
	q := store.SessionQuery{Alive: k.now(), After: after, Labels: labels, Limit: limit}
	if !may(c, listAll) {
		q.Owner = c.ID
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	page, err := k.Store.ListSessions(ctx, q)
	if err != nil {
		return nil, err
	}
	views := make([]View, len(page))
	for i, s := range page {
		if views[i], err = viewOf(s); err != nil {
			return nil, err
		}
	}
	return views, nil
}
