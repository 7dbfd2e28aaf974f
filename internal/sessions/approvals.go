package sessions

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// Bounds of approvals.
const (
	approvalLife = time.Hour
	onceLife     = 10 * time.Minute
	unboundLife  = time.Minute // of a call that may run something else by then
	MaxWait      = 60 * time.Second
	// maxShown bounds the arguments that a person is shown; a longer call can be
	// approved only once, by somebody who knows that they see a part.
	maxShown = 64 << 10
)

// Approval is an approval as a caller sees it.
type Approval struct {
	store.Approval
	Request Request
}

// Options are the ways in which the approval may be resolved.
func (a *Approval) Options() []decide.Resolution {
	list := make([]decide.Resolution, len(a.Request.Offers))
	for i, o := range a.Request.Offers {
		list[i] = o.Resolution
	}
	return list
}

func approvalOf(a store.Approval, now time.Time) (Approval, error) {
	if a.State == store.Pending && !now.Before(a.Expires) {
		a.State = store.Expired
	}
	v := Approval{Approval: a}
	err := json.Unmarshal(a.Request, &v.Request)
	return v, err
}

// Call is one call of a session.
type Call struct {
	Session  string
	Call     decide.Call
	Explain  bool
	Metadata decide.Value // as it was sent
	// DecisionID is the id under which the decision will be recorded.
	DecisionID string
}

// Answer is a decision, and the approval that an ask has opened or found, or
// that an allow has used up; Opened says that it is new. Reviewed is what a reviewer said, if one was asked.
type Answer struct {
	decide.Decision
	Approval *Approval
	Opened   bool
	Reviewed *Review
	Session  store.Session
}

// Decide judges a call under a stored session.
func (k *Keeper) Decide(ctx context.Context, c auth.Caller, call Call) (Answer, error) {
	e, err := k.lookup(ctx, c, call.Session, use)
	if err != nil {
		return Answer{}, err
	}
	policy := k.Policy()
	session, stale, err := k.session(e, policy)
	if late, ok := policy.Late(err, call.Call); ok {
		return Answer{Decision: late, Session: e.stored}, nil
	}
	if err != nil {
		return Answer{}, err
	}
	d, question := policy.Weigh(session, call.Call, call.Explain)
	a := Answer{Decision: d, Session: e.stored}
	if stale {
		a.Warnings = append(slices.Clip(a.Warnings), "the store cannot be reached: what was given to this session is not honoured, and nothing can be approved")
		return a, nil
	}
	if question == nil {
		return a, nil
	}
	return k.ask(ctx, c, e, policy, session, call, a, question)
}

// session is the engine's session as far as it is known to hold.
func (k *Keeper) session(e *live, policy *decide.Policy) (s decide.Session, stale bool, err error) {
	c := e.under(policy, k.now())
	switch {
	case c.err != nil:
		return s, false, c.err
	case k.stale():
		return c.bare, true, nil
	}
	return c.full, false, nil
}

// Session compiles a stored session for calls that open no approval.
func (k *Keeper) Session(ctx context.Context, c auth.Caller, id string) (decide.Session, error) {
	e, err := k.lookup(ctx, c, id, use)
	if err != nil {
		return decide.Session{}, err
	}
	s, _, err := k.session(e, k.Policy())
	return s, err
}

// ask opens an approval, or finds the one for this call; if it was given, the
// call passes, once.
func (k *Keeper) ask(ctx context.Context, c auth.Caller, e *live, p *decide.Policy, s decide.Session, call Call, a Answer, q *decide.Question) (Answer, error) {
	now := k.now()
	request := requestOf(e, call, a.Decision, p.Offers(s, call.Call, a.Decision))
	request.Unbound = q.Unbound
	raw, err := json.Marshal(request)
	if err != nil {
		return Answer{}, err
	}
	key := keyOf(call.Session, request.Place, q.Fingerprint, a.Decision)
	stored, opened, err := k.open(ctx, store.Approval{
		ID: decide.NewID(now), Session: call.Session, Key: key, State: store.Pending,
		HumanOnly: a.Outcome.HumanOnly(), Request: raw, Created: now, Expires: now.Add(approvalLife),
	})
	switch {
	case errors.Is(err, store.ErrUnavailable):
		a.Warnings = append(slices.Clip(a.Warnings), "the store cannot be reached: this ask could not be put before anybody")
		return a, nil
	case errors.Is(err, store.ErrTooMany):
		a.Warnings = append(slices.Clip(a.Warnings), "too many asks of this session wait for an answer already: this one could not be put before anybody")
		return a, nil
	}
	if err != nil {
		return Answer{}, err
	}
	if !opened && stored.State == store.Approved {
		return k.useUp(ctx, call.Session, key, a, q)
	}
	if a.Approval, err = approvalFor(stored, now); err != nil {
		return Answer{}, err
	}
	if opened {
		a.Opened = true
		k.announce(stored)
		return k.review(ctx, c, key, call, a)
	}
	return a, nil
}

func (k *Keeper) open(ctx context.Context, a store.Approval) (store.Approval, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	return k.Store.OpenApproval(ctx, a)
}

func approvalFor(stored store.Approval, now time.Time) (*Approval, error) {
	a, err := approvalOf(stored, now)
	return &a, err
}

// useUp lets the call pass whose approval this caller gets; another one that
// came at the same time asks again.
func (k *Keeper) useUp(ctx context.Context, session, key string, a Answer, q *decide.Question) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	used, err := k.Store.UseApproval(ctx, session, key, k.now())
	switch {
	case errors.Is(err, store.ErrNotFound):
		a.Warnings = append(slices.Clip(a.Warnings), "the approval of this call was used up by another one; ask again")
		return a, nil
	case err != nil:
		return Answer{}, err // it may be used up; nobody knows
	}
	k.announce(used)
	warnings := a.Warnings
	a.Decision = q.Allowed(decide.CodeApprovedOnce, "a person approved exactly this call")
	a.Warnings = warnings
	a.Approval, err = approvalFor(used, k.now())
	return a, err
}

// Approval reads an approval. With a wait, it returns when the approval is no
// longer pending, or after that time.
func (k *Keeper) Approval(ctx context.Context, c auth.Caller, id string, wait time.Duration) (Approval, error) {
	deadline := time.NewTimer(min(wait, MaxWait))
	defer deadline.Stop()
	for {
		changed := k.waiters.add(id)
		a, err := k.approval(ctx, c, id)
		if err != nil || a.State != store.Pending || wait <= 0 {
			k.waiters.drop(id, changed)
			return a, err
		}
		expires := time.NewTimer(a.Expires.Sub(k.now()))
		select {
		case <-changed:
			expires.Stop()
			continue
		case <-expires.C:
		case <-deadline.C:
		case <-k.ending:
		case <-ctx.Done():
		}
		expires.Stop()
		k.waiters.drop(id, changed)
		return k.approval(context.WithoutCancel(ctx), c, id)
	}
}

func (k *Keeper) approval(ctx context.Context, c auth.Caller, id string) (Approval, error) {
	if !may(c, read) {
		return Approval{}, forbid("the role %q may not do this", c.Role)
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	a, err := k.Store.Approval(ctx, id)
	if err != nil {
		return Approval{}, err
	}
	v, err := approvalOf(a, k.now())
	if err == nil && c.Role == auth.Runtime && v.Request.Owner != "" && v.Request.Owner != c.ID {
		return Approval{}, &ForeignError{v.Session}
	}
	return v, err
}

// Approvals reads a page, newest first. next is the Before of the page behind
// it; empty: there is none.
func (k *Keeper) Approvals(ctx context.Context, c auth.Caller, q store.ApprovalQuery) (list []Approval, next string, err error) {
	if !may(c, read) {
		return nil, "", forbid("the role %q may not do this", c.Role)
	}
	q.Now, q.Bytes = k.now(), maxPage
	if !may(c, listAll) {
		q.Owner = c.ID
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	page, next, err := k.Store.ListApprovals(ctx, q)
	if err != nil {
		return nil, "", err
	}
	list = make([]Approval, len(page))
	for i, a := range page {
		if list[i], err = approvalOf(a, q.Now); err != nil {
			return nil, "", err
		}
	}
	return list, next, nil
}
