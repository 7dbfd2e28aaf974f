package sessions

import (
	"context"
	"fmt"
	"regexp"
	"time"

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
		if wrong := controls(name, lines); wrong != "" {
			return &InvalidError{"/labels", fmt.Sprintf("the name %q %s", name, wrong)}
		}
		if wrong := controls(value, lines); wrong != "" {
			return &InvalidError{"/labels", fmt.Sprintf("the value of %q %s", name, wrong)}
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
	s, err := k.prepare(ctx, c, id, func(old *store.Session) (*store.Session, error) {
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

func samePlace(a, b *decide.ContextSpec) bool {
	return a.WorkspaceRoot == b.WorkspaceRoot && a.Cwd == b.Cwd && a.Home == b.Home && a.OS == b.OS && a.Shell == b.Shell
}
