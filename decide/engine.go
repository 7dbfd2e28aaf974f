package decide

import (
	"crypto/sha256"
	"errors"
	"sync"

	"github.com/agent-pdp/pdp/internal/hostname"
	"github.com/agent-pdp/pdp/internal/paths"
)

// Decide judges a call. The same policy, session, call and file system give
// the same decision. It waits as long as the file system takes, unless the policy
// is one of [Policy.InTime].
func (p *Policy) Decide(s Session, c Call) Decision {
	d, _ := p.answer(s, c, asked{})
	return d
}

// Explain is Decide with the trace and the analysis filled in. It asks every
// check, also those that could no longer change the answer.
func (p *Policy) Explain(s Session, c Call) Decision {
	d, _ := p.answer(s, c, asked{why: true})
	return d
}

// Question is what a person is asked about: exactly this call, with its paths
// as they were resolved when the floors looked at them.
type Question struct {
	Fingerprint [sha256.Size]byte
	// Unbound says that the call runs what the fingerprint does not know: a script
	// behind a pipe, or in a directory that cannot be told.
	Unbound bool

	allowed Decision
}

// Allowed is the decision if the answer is yes, with what the runtime must do.
func (q *Question) Allowed(code Code, reason string) Decision {
	d := q.allowed
	d.Code, d.Reason = code, reason
	return d
}

// Weigh is Decide, or Explain, for a caller who can have an ask answered. The
// question is nil unless the outcome is an ask.
func (p *Policy) Weigh(s Session, c Call, explain bool) (Decision, *Question) {
	return p.answer(s, c, asked{why: explain, question: true})
}

// factsPool saves an allocation of some kilobytes for each call.
var factsPool = sync.Pool{New: func() any { return new(facts) }}

func (p *Policy) judge(session Session, c Call, t *tracer, q *Question, sight sight) Decision {
	s := session.state
	if s == nil {
		return Decision{Code: CodeDeniedByPolicy, Reason: "there is no session", PolicyRevision: p.revision, PathsMode: p.pathsMode}
	}
	f := factsPool.Get().(*facts)
	defer func() {
		*f = facts{}
		factsPool.Put(f)
	}()
	f.policy, f.session, f.call = p, s, c
	f.sight, f.lookups.sight = sight, sight
	f.classify()
	d := Decision{
		Risk:           f.risk,
		Mode:           s.mode,
		PolicyRevision: p.revision,
		PathsMode:      s.pathsMode,
		Warnings:       s.warnings,
		StandingTarget: f.standingTarget(),
	}
	f.verdict(&d, t)
	if d.Outcome == Allow {
		f.oblige(&d)
	}
	if t != nil {
		d.Trace = t.steps
		d.Analysis = f.analyse()
	}
	if q != nil && d.Outcome.NeedsUser() {
		q.Fingerprint, q.Unbound = f.fingerprint()
		q.allowed = d
		q.allowed.Outcome, q.allowed.Suggestions = Allow, nil
		f.oblige(&q.allowed)
	}
	return d
}

// verdict asks the floors, then the allowances.
func (f *facts) verdict(d *Decision, t *tracer) {
	refused := false
	for i := range floors {
		r, hit := floors[i].hit(f)
		t.floor(floors[i].name, r, hit, f)
		if !hit || refused && r.outcome >= d.Outcome {
			continue
		}
		refused = true
		d.Outcome, d.Code, d.Reason = r.outcome, r.code, r.reason
		if r.outcome == Deny && t == nil {
			return
		}
	}
	if refused {
		t.skip(allowances)
		return
	}
	near := ""
	for i := range allowances {
		g, ok := allowances[i].grants(f)
		t.allowance(allowances[i].name, g, ok)
		if ok {
			d.Outcome, d.Code, d.Reason, d.Rule = Allow, g.code, g.reason, g.rule
			t.skip(allowances[i+1:])
			return
		}
		if near == "" && g.code == "" {
			near = g.reason
		}
	}
	d.Outcome, d.Code, d.Reason = Ask, CodeApprovalRequired, "nothing vouches for this call, so someone must approve it"
	if near != "" {
		d.Reason = "someone must approve this call: " + near
	}
	d.Suggestions = f.suggestions()
	if t != nil && len(d.Suggestions) == 0 {
		f.noEntry = f.unsuggested()
	}
}

// tracer writes down what each check found; a nil tracer does nothing.
type tracer struct{ steps []Step }

func (t *tracer) floor(name string, r refusal, hit bool, f *facts) {
	if t == nil {
		return
	}
	step := Step{Check: name, Kind: "floor", Result: "pass"}
	if hit {
		step.Result, step.Detail, step.SubCode = r.outcome.String(), r.reason, f.subCode(r)
	}
	t.steps = append(t.steps, step)
}

// subCode names the kind of a fault that the refusal's code covers many of.
func (f *facts) subCode(r refusal) string {
	var path *paths.InvalidError
	var address hostname.InvalidError
	switch {
	case r.code == CodeInvalidPath && f.fetches && !f.writes:
		return string(paths.UNC)
	case r.code == CodeInvalidPath && errors.As(f.pathError(), &path):
		return string(path.Kind)
	case r.code == CodeApprovalRequired && f.urlErr != nil && errors.As(f.urlErr, &address) && r.reason == address.Error():
		return string(address.Kind)
	case r.code == CodePrivateNetwork:
		return f.worstAddress().String()
	}
	return ""
}

// worstAddress is the kind of address for which a fetch was refused.
func (f *facts) worstAddress() hostname.Address {
	other := hostname.Public
	for _, u := range f.addresses() {
		switch kind := u.Address(); {
		case kind == hostname.Metadata:
			return kind
		case other == hostname.Public && !f.policy.networks.Contains(u):
			other = kind
		}
	}
	if f.unclearText != "" && (other == hostname.Public || f.unclear == hostname.Metadata) {
		return f.unclear
	}
	return other
}

// pathError is what is wrong with the first path that cannot be read.
func (f *facts) pathError() error {
	for i := range f.written {
		if err := f.written[i].err; err != nil {
			return err
		}
	}
	return nil
}

func (t *tracer) allowance(name string, g grant, ok bool) {
	if t == nil {
		return
	}
	// An allowance that does not grant gives a reason only if it came close.
	step := Step{Check: name, Kind: "allowance", Result: "pass"}
	switch {
	case ok:
		step.Result, step.Detail = Allow.String(), g.reason
	case g.code == "":
		step.Detail = g.reason
	}
	t.steps = append(t.steps, step)
}

func (t *tracer) skip(rest []allowance) {
	if t == nil {
		return
	}
	for _, a := range rest {
		t.steps = append(t.steps, Step{Check: a.name, Kind: "allowance", Result: "skipped"})
	}
}

// oblige says what was judged and what the runtime must do so that it does
// that thing and no other.
func (f *facts) oblige(d *Decision) {
	if f.writes {
		for i := range f.written {
			d.Paths = append(d.Paths, f.judged(&f.written[i], AccessWrite))
		}
		d.Obligations = append(d.Obligations, NoFollowBeneathRoot)
	}
	if f.fetches && !fixedService[f.call.Tool] {
		if _, err := f.address(); err == nil {
			d.URL = f.url.String()
		}
		d.Obligations = append(d.Obligations, RecheckRedirects, PinAddress)
	}
}

func (f *facts) judged(t *target, access Access) JudgedPath {
	j := JudgedPath{Given: t.given, Access: access}
	if t.err != nil {
		return j
	}
	j.Resolved = t.resolved.Path
	if held, ok := f.holder(t.resolved.Path); ok {
		j.Root, j.Writable = held.resolved, held.writable
	}
	return j
}

// CheckPath judges one read or write of a path, as if a tool of that kind were
// called. Paths[0] of the decision is the path as it was resolved. It waits as
// long as the file system takes, whatever [Policy.InTime] says.
func (p *Policy) CheckPath(s Session, path string, access Access) Decision {
	c := Call{Tool: "read_file", Arguments: NewObject(Member{"path", Text(path)})}
	if access == AccessWrite {
		c.Tool = "write_file"
	}
	d := p.judge(s, c, nil, nil, seeing)
	if s.state == nil {
		return d
	}
	f := facts{policy: p, session: s.state, call: c}
	t := f.locate(path)
	judged := f.judged(&t, access)
	d.Paths = []JudgedPath{judged}
	if access == AccessRead && d.Outcome == Allow {
		d = f.scopeRead(d, &t, judged)
	}
	return d
}

// scopeRead asks about a read outside every root: a tool that reads may be
// let through, but the question here is whether the path is in scope.
func (f *facts) scopeRead(d Decision, t *target, judged JudgedPath) Decision {
	switch {
	case t.err != nil:
		d.Outcome, d.Code, d.Reason = Deny, CodeInvalidPath, t.err.Error()
	case judged.Root == "":
		d.Outcome, d.Code, d.Reason = Ask, CodeApprovalRequired, "the path lies in no root"
	}
	return d
}
