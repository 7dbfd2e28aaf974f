package sessions

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
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

// Request is what an approval is about.
type Request struct {
	Owner          string         `json:"owner"` // of the session
	Place          string         `json:"place"` // that the session was in; see placeOf
	WorkspaceRoot  string         `json:"workspace_root"`
	Cwd            string         `json:"cwd"`
	DecisionID     string         `json:"decision_id"`
	Tool           string         `json:"tool_name"`
	Arguments      decide.Value   `json:"arguments"`
	Metadata       decide.Value   `json:"metadata"`
	Cut            bool           `json:"truncated"` // the arguments were too long to be kept; see Argument's size
	Unbound        bool           `json:"unbound"`   // what the call runs could not be told: the approval is not bound to it
	Code           decide.Code    `json:"code"`
	Reason         string         `json:"reason"`
	Risk           string         `json:"risk"`
	Mode           string         `json:"mode"`
	StandingTarget string         `json:"standing_target"`
	Suggestions    []string       `json:"suggestions"`
	Offers         []decide.Offer `json:"offers"`
}

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

// keyOf binds an answer to the session, the call, and why it was asked: who
// answered an ordinary ask has not seen a floor that asks about the call later.
func keyOf(session, place string, fingerprint [sha256.Size]byte, d decide.Decision) string {
	why := sha256.Sum256([]byte(string(d.Code) + " " + d.Outcome.String() + " " + strconv.FormatBool(d.Outcome.HumanOnly())))
	sum := sha256.New()
	_, _ = sum.Write(fingerprint[:]) // of fixed length as the next two, so nothing can be moved between them
	_, _ = sum.Write(why[:])
	_, _ = sum.Write([]byte(place))
	_, _ = sum.Write([]byte(session))
	return hex.EncodeToString(sum.Sum(nil))
}

// placeOf names one life of a session in one place. What was asked there is not
// answered for a later session of that name, nor after the session has moved:
// the person did not see that.
func placeOf(s *store.Session, doc *document) string {
	c := &doc.Context
	raw, _ := json.Marshal([]any{s.Created.UnixMicro(), c.WorkspaceRoot, c.Cwd, c.Home, c.OS, c.Shell}) // what was read can be written
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

func requestOf(e *live, call Call, d decide.Decision, offers []decide.Offer) Request {
	r := Request{
		Owner: e.stored.Owner, Place: placeOf(&e.stored, e.doc),
		WorkspaceRoot: e.doc.Context.WorkspaceRoot, Cwd: cmp.Or(e.doc.Context.Cwd, e.doc.Context.WorkspaceRoot),
		DecisionID: call.DecisionID, Tool: call.Call.Tool, Arguments: call.Call.Arguments, Metadata: call.Metadata,
		Code: d.Code, Reason: d.Reason, Risk: d.Risk.String(), Mode: d.Mode.String(),
		StandingTarget: d.StandingTarget, Suggestions: d.Suggestions,
		Offers: slices.DeleteFunc(slices.Clone(offers), tooLong),
	}
	raw, err := json.Marshal(struct{ A, M decide.Value }{r.Arguments, r.Metadata})
	if err == nil && len(raw) <= maxShown {
		return r
	}
	// What nobody has seen whole is allowed one time at most.
	r.Cut = true
	r.Arguments, r.Metadata = shorten(r.Arguments), decide.Value{}
	r.StandingTarget, r.Suggestions = "", nil
	r.Offers = slices.DeleteFunc(r.Offers, decide.Offer.Lasting)
	return r
}

// tooLong reports whether what the answer gives could not be kept.
func tooLong(o decide.Offer) bool {
	return len(o.Target) > maxValue || o.Grant != nil && (len(o.Grant.Value) > maxValue || len(o.Grant.Definition) > maxValue)
}

// shorten keeps the beginning of the first text arguments.
func shorten(v decide.Value) decide.Value {
	const most, name, text = 20, 100, 2000
	var members []decide.Member
	for _, m := range v.Members() {
		if len(members) == most {
			break
		}
		if t, ok := m.Value.AsString(); ok {
			members = append(members, decide.Member{Name: clip(m.Name, name), Value: decide.Text(clip(t, text))})
		}
	}
	return decide.NewObject(members...)
}

// clip keeps the beginning of a text.
func clip(s string, bytes int) string {
	if len(s) <= bytes {
		return s
	}
	return strings.ToValidUTF8(s[:bytes], "") + "…"
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

// Approvals reads a page, newest first.
func (k *Keeper) Approvals(ctx context.Context, c auth.Caller, q store.ApprovalQuery) ([]Approval, error) {
	if !may(c, read) {
		return nil, forbid("the role %q may not do this", c.Role)
	}
	q.Now = k.now()
	if !may(c, listAll) {
		q.Owner = c.ID
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	page, err := k.Store.ListApprovals(ctx, q)
	if err != nil {
		return nil, err
	}
	list := make([]Approval, len(page))
	for i, a := range page {
		if list[i], err = approvalOf(a, q.Now); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Resolved is an approval that was resolved, and the grant that this minted.
type Resolved struct {
	Approval Approval
	Grant    *store.Grant
}

// Resolve answers an approval, once.
func (k *Keeper) Resolve(ctx context.Context, c auth.Caller, id string, how decide.Resolution, note string) (Resolved, error) {
	if !may(c, give) {
		return Resolved{}, forbid("the role %q resolves no approvals; this needs an approver", c.Role)
	}
	if !slices.Contains(decide.Resolutions(), how) {
		return Resolved{}, &InvalidError{"/outcome", "is no way to resolve an approval; nothing was granted"}
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
		return nil, conflict("this approval cannot be resolved as " + string(how) + "; see its options")
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
