package sessions

import (
	"context"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// Patch is a change of some parts; nil leaves a part as it is.
type Patch struct {
	Mode          *string
	Roots         []decide.RootSpec
	StandingRules map[string][]string
	TTL           *time.Duration
	Labels        map[string]string
}

// Patch changes parts of a session.
func (k *Keeper) Patch(ctx context.Context, c auth.Caller, id string, p Patch) (View, error) {
	if _, err := k.lookup(ctx, c, id, keep); err != nil {
		return View{}, err
	}
	s, err := k.prepare(ctx, c, id, func(old *store.Session) (*store.Session, error) {
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
