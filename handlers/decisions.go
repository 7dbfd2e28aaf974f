package handlers

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/sessions"
)

// decideCall answers POST /v1/decisions.
func (s *service) decideCall(x *exchange, r *http.Request) error {
	j, err := s.judge(x, r)
	if err != nil {
		return err
	}
	req, err := decode[decisionRequest](x, r)
	if err != nil {
		return err
	}
	v, err := j.call(req)
	if err != nil {
		return err
	}
	if err := s.settle(x, r, &v); err != nil {
		return err
	}
	return encode(x, http.StatusOK, v.response)
}

// decideBatch answers POST /v1/decisions/batch.
func (s *service) decideBatch(x *exchange, r *http.Request) error {
	j, err := s.judge(x, r)
	if err != nil {
		return err
	}
	req, err := decode[batchRequest](x, r)
	if err != nil {
		return err
	}
	if err := s.pay(x, len(req.Requests)-1); err != nil { // the request itself was counted
		return err
	}
	res := batchResponse{Results: make([]batchResult, len(req.Requests))}
	for i, item := range req.Requests {
		res.Results[i] = s.batchItem(x, r, j, i, item)
	}
	x.verdict = verdict{} // the access log has one line for the whole batch
	return encode(x, http.StatusOK, res)
}

// batchItem judges one item; whatever goes wrong stays within it.
func (s *service) batchItem(x *exchange, r *http.Request, j judge, i int, body jsontext.Value) (result batchResult) {
	defer func() {
		if cause := recover(); cause != nil {
			result = batchResult{Error: s.itemProblem(x, i, caught(cause))}
		}
	}()
	v, err := j.item(body)
	if err != nil {
		return batchResult{Error: s.itemProblem(x, i, err)}
	}
	if err := s.settle(x, r, &v); err != nil {
		return batchResult{Error: s.itemProblem(x, i, err)}
	}
	return batchResult{Decision: v.response}
}

// itemProblem points into the body of the batch.
func (s *service) itemProblem(x *exchange, i int, err error) *Problem {
	p := s.public(x, err)
	for n := range p.Errors {
		p.Errors[n].Pointer = "/requests/" + strconv.Itoa(i) + p.Errors[n].Pointer
	}
	if len(p.Errors) > 0 {
		p.Detail = p.Errors[0].Pointer + ": " + p.Errors[0].Detail
	}
	return p
}

// judge is one policy applied to the calls of one request; the policy does not
// change between the items of a batch.
type judge struct {
	refuser
	policy *decide.Policy
	look   inspector
	keeper *sessions.Keeper
}

func (s *service) judge(x *exchange, r *http.Request) (judge, error) {
	policy := s.Policy()
	if policy == nil {
		return judge{}, problem(codeNoPolicy, "no policy is loaded yet; treat this as a deny")
	}
	look := inspector{s.InspectRoots, s.Limits.PathTimeout}
	if x.caller.Role != auth.Nobody {
		look.roots = everywhere
	}
	return judge{s.refuser(x, r), policy, look, s.Sessions}, nil
}

// session compiles the session that a request names or states.
func (j judge) session(id string, spec *decide.ContextSpec) (decide.Session, error) {
	if id == "" && spec != nil {
		return contextSession(j.policy, spec)
	}
	if err := j.storedCalls(); err != nil {
		return decide.Session{}, err
	}
	session, err := j.keeper.Session(j.ctx, j.caller, id)
	if err != nil {
		return decide.Session{}, j.refused(id, "", err)
	}
	return session, nil
}

// storedCalls refuses to look for a stored session on behalf of nobody.
func (j judge) storedCalls() error {
	switch {
	case j.keeper == nil:
		return problem(codeNotFound, "no session is stored under this id: this service keeps none")
	case j.caller.Role == auth.Nobody:
		return problem(codeUnauthenticated, "stored sessions need a credential")
	}
	return nil
}

// verdict is a decision, and what the log and the metrics want to know of it.
type verdict struct {
	record   decide.Record
	response *decisionResponse
	tool     string // a metric label: the tool's name if the catalogue has it, else "other"
	took     time.Duration

	call      decide.Call
	metadata  decide.Value // as it was sent
	context   string       // fingerprint of what the call was judged under
	sessionID string
	owner     string // of the stored session
	review    *sessions.Review
	opened    bool // an approval, which is in the response
}

// item judges one request that is still text.
func (j judge) item(body jsontext.Value) (verdict, error) {
	if body.Kind() != '{' {
		return verdict{}, problem(codeValidation, "", fieldError(codeValidation, "", "must be an object"))
	}
	var req decisionRequest
	if err := decodeStrict(body, &req); err != nil {
		return verdict{}, err
	}
	return j.call(&req)
}

// call judges one request.
func (j judge) call(req *decisionRequest) (verdict, error) {
	call, err := req.Call.call()
	if err != nil {
		return verdict{}, err
	}
	v := verdict{record: decide.NewRecord(decide.Decision{}), tool: otherLabel, call: call, metadata: req.Call.Metadata.value}
	var approval *sessions.Approval
	if req.SessionID != "" {
		v.sessionID = req.SessionID
		approval, err = j.stored(&v, req, call)
	} else {
		err = j.inline(&v, req, call)
	}
	if err != nil {
		return verdict{}, err
	}
	v.took = time.Since(v.record.DecidedAt)
	if j.policy.KnownTool(call.Tool) {
		v.tool = strings.ToLower(call.Tool) // the catalogue knows a tool in any case; the label is one
	}
	v.response = reply(&v.record, hides(call.Arguments))
	if approval != nil {
		v.response.Approval = briefOf(approval)
	}
	if req.Explain {
		v.response.explained(j.ctx, &v.record.Decision, j.look)
	}
	return v, nil
}

// inline judges a call under the context that it brings.
func (j judge) inline(v *verdict, req *decisionRequest, call decide.Call) error {
	session, err := j.session("", req.Context)
	if late, ok := j.policy.Late(err, call); ok {
		v.context = req.Context.Fingerprint()
		v.record.Decision = late
		return nil
	}
	if err != nil {
		return err
	}
	v.context = req.Context.Fingerprint()
	if req.Explain {
		v.record.Decision = j.policy.Explain(session, call)
	} else {
		v.record.Decision = j.policy.Decide(session, call)
	}
	return nil
}

// stored judges a call under a stored session; an ask comes with an approval.
func (j judge) stored(v *verdict, req *decisionRequest, call decide.Call) (*sessions.Approval, error) {
	if err := j.storedCalls(); err != nil {
		return nil, err
	}
	a, err := j.keeper.Decide(j.ctx, j.caller, sessions.Call{
		Session: req.SessionID, Call: call, Explain: req.Explain, Metadata: req.Call.Metadata.value, DecisionID: v.record.ID,
	})
	if err != nil {
		return nil, j.refused(req.SessionID, "", err)
	}
	v.record.Decision, v.owner, v.review, v.opened = a.Decision, a.Session.Owner, a.Reviewed, a.Opened
	v.context = "session:" + strconv.FormatInt(a.Session.Revision, 10)
	return a.Approval, nil
}
