package sessions

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// Bounds of what is given to one session.
const (
	maxGrants = 1000
	maxValue  = 16 << 10 // bytes of a grant's value, its definition, or a rule's target
	maxGiven  = 1 << 20  // bytes of all grants
	maxSpec   = 2 << 20  // bytes of the context with all rules
	maxPage   = 4 << 20  // bytes of all sessions or approvals of a page, as they are stored
)

// fits reports whether a session is small enough to be kept.
func fits(s *store.Session) error {
	given := 0
	for i := range s.Grants {
		given += grantSize(&s.Grants[i])
	}
	if given > maxGiven || len(s.Spec) > maxSpec {
		return conflict("the session holds as much as it may; revoke some grants or rules")
	}
	return nil
}

// Grant mints a grant. The same grant twice is one.
func (k *Keeper) Grant(ctx context.Context, c auth.Caller, id string, spec decide.GrantSpec, ttl time.Duration) (store.Grant, error) {
	if !may(c, give) {
		return store.Grant{}, forbid("the role %q grants nothing; this needs an approver", c.Role)
	}
	if ttl < 0 || ttl > maxTTL {
		return store.Grant{}, &InvalidError{"/ttl_seconds", "must be from 1 second to 90 days"}
	}
	switch {
	case len(spec.Value) > maxValue:
		return store.Grant{}, &InvalidError{"/value", "may have up to 16,384 bytes"}
	case len(spec.Definition) > maxValue:
		return store.Grant{}, &InvalidError{"/definition", "may have up to 16,384 bytes"}
	}
	// A command may have several lines.
	if wrong := unseen(spec.Value); wrong != "" {
		return store.Grant{}, &InvalidError{"/value", wrong}
	}
	if wrong := controls(spec.Definition, ""); wrong != "" {
		return store.Grant{}, &InvalidError{"/definition", wrong}
	}
	e, err := k.lookup(ctx, c, id, use)
	if err != nil {
		return store.Grant{}, err
	}
	policy := k.Policy()
	bare := e.under(policy, k.now())
	if bare.err != nil {
		return store.Grant{}, bare.err
	}
	bound, err := policy.BindGrant(bare.full, spec)
	var late *decide.LateError
	if errors.As(err, &late) {
		return store.Grant{}, err
	}
	if err != nil {
		return store.Grant{}, &InvalidError{"/value", err.Error()}
	}
	g := newGrant(bound, c, "", k.now())
	if ttl > 0 {
		g.Expires = g.Created.Add(ttl)
	}
	var minted store.Grant
	_, err = k.change(ctx, id, func(old *store.Session) (*store.Session, error) {
		if old == nil || k.ended(old, k.now()) {
			return nil, store.ErrNotFound
		}
		next := *old
		minted, err = addGrant(&next, g, k.now())
		return &next, err
	})
	return minted, err
}

func newGrant(g decide.GrantSpec, by auth.Caller, approval string, now time.Time) store.Grant {
	return store.Grant{
		ID: decide.NewID(now), Kind: string(g.Kind), Value: g.Value, Definition: g.Definition, Files: g.Files,
		By: by.ID, Approval: approval, Created: now,
	}
}

// addGrant adds a grant to a session that is about to be stored, in place of
// one that says the same.
func addGrant(s *store.Session, g store.Grant, now time.Time) (store.Grant, error) {
	kept := make([]store.Grant, 0, len(s.Grants)+1)
	for _, old := range s.Grants {
		if old.Kind == g.Kind && old.Value == g.Value || expired(old, now) {
			continue
		}
		kept = append(kept, old)
	}
	if len(kept) >= maxGrants {
		return store.Grant{}, conflict("the session has as many grants as it may have; revoke some")
	}
	s.Grants = append(kept, g)
	s.Updated = now
	return g, nil
}

// Grants lists what was granted to a session, oldest first.
func (k *Keeper) Grants(ctx context.Context, c auth.Caller, id string) ([]store.Grant, error) {
	e, err := k.lookup(ctx, c, id, read)
	if err != nil {
		return nil, err
	}
	now := k.now()
	return slices.DeleteFunc(slices.Clone(e.stored.Grants), func(g store.Grant) bool { return expired(g, now) }), nil
}

// Revoke takes a grant back.
func (k *Keeper) Revoke(ctx context.Context, c auth.Caller, id, grant string) (store.Grant, error) {
	if !may(c, revoke) {
		return store.Grant{}, forbid("the role %q revokes nothing; this needs an approver", c.Role)
	}
	var gone store.Grant
	_, err := k.change(ctx, id, func(old *store.Session) (*store.Session, error) {
		if old == nil {
			return nil, store.ErrNotFound
		}
		at := slices.IndexFunc(old.Grants, func(g store.Grant) bool { return g.ID == grant })
		if at < 0 {
			return nil, store.ErrNotFound
		}
		next := *old
		gone = old.Grants[at]
		next.Grants = slices.Delete(slices.Clone(old.Grants), at, at+1)
		next.Updated = k.now()
		return &next, nil
	})
	return gone, err
}
