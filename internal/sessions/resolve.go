package sessions

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// Resolved is an approval that was resolved, and the grant that this minted.
type Resolved struct {
	Approval Approval
	Grant    *store.Grant
}

// options lists what an outcome can be.
func options() string {
	var names []string
	for _, r := range decide.Resolutions() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

// Resolve answers an approval, once.
func (k *Keeper) Resolve(ctx context.Context, c auth.Caller, id string, how decide.Resolution, note string) (Resolved, error) {
	if !may(c, give) {
		return Resolved{}, forbid("the role %q resolves no approvals; this needs an approver", c.Role)
	}
	if !slices.Contains(decide.Resolutions(), how) {
		return Resolved{}, &InvalidError{"/outcome", "is no way to resolve an approval; write one of " + options() + "; nothing was granted"}
	}
	if wrong := controls(note, lines); wrong != "" {
		return Resolved{}, &InvalidError{"/note", wrong}
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	var granted *store.Grant
	a, err := k.Store.Resolve(ctx, id, func(a *store.Approval, s *store.Session) error {
		var err error
		now := k.now()
		if s != nil && k.ended(s, now) {
			s = nil
		}
		granted, err = resolve(a, s, c, how, note, now)
		return err
	})
	if err != nil {
		return Resolved{}, err
	}
	k.cache.forget(a.Session)
	k.reviews.reset(a.Session)
	k.announce(a)
	v, err := approvalOf(a, k.now())
	return Resolved{v, granted}, err
}

// resolve changes an approval and its session, which are stored together.
func resolve(a *store.Approval, s *store.Session, c auth.Caller, how decide.Resolution, note string, now time.Time) (*store.Grant, error) {
	v, err := approvalOf(*a, now)
	if err != nil {
		return nil, err
	}
	if v.State != store.Pending {
		return nil, conflict("the approval is " + string(v.State) + "; it can be resolved only once, while it is pending")
	}
	if s == nil {
		return nil, conflict("the session has ended")
	}
	at := slices.IndexFunc(v.Request.Offers, func(o decide.Offer) bool { return o.Resolution == how })
	if at < 0 {
		names := make([]string, len(v.Request.Offers))
		for i, o := range v.Request.Offers {
			names[i] = string(o.Resolution)
		}
		return nil, &InvalidError{"/outcome", fmt.Sprintf("%s is not offered for this call, and nothing was granted; the options are %s", how, strings.Join(names, ", "))}
	}
	doc, err := decodeDocument(s.Spec)
	if err != nil {
		return nil, err
	}
	if how != decide.ResolveDeny && v.Request.Place != placeOf(s, doc) {
		return nil, conflict("the session has moved or was made anew since it asked; have the call made again")
	}
	a.State, a.Outcome, a.Note, a.By, a.Resolved = store.Approved, string(how), note, c.ID, now
	switch how {
	case decide.ResolveDeny:
		a.State = store.Denied
		return nil, nil
	case decide.ResolveOnce:
		a.UsableTo = now.Add(onceLife)
		if v.Request.Unbound {
			a.UsableTo = now.Add(unboundLife)
		}
		return nil, nil
	case decide.ResolveStandingRule:
		if err := addRule(s, doc, v.Request.Offers[at], now); err != nil {
			return nil, err
		}
		return nil, fits(s)
	}
	g, err := addGrant(s, newGrant(*v.Request.Offers[at].Grant, c, a.ID, now), now)
	if err != nil {
		return nil, err
	}
	return &g, fits(s)
}

func addRule(s *store.Session, doc *document, o decide.Offer, now time.Time) (err error) {
	if slices.Contains(doc.Rules[o.Tool], o.Target) {
		return nil
	}
	if doc.Rules == nil {
		doc.Rules = map[string][]string{}
	}
	if len(doc.Rules[o.Tool]) >= maxGrants {
		return conflict("the session has as many rules for this tool as it may have")
	}
	doc.Rules[o.Tool] = append(doc.Rules[o.Tool], o.Target)
	s.Updated = now
	s.Spec, err = doc.encode()
	return err
}
