package handlers

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/decide"
)

// decideCall answers POST /v1/decisions.
func (s *service) decideCall(x *exchange, r *http.Request) error {
	j, err := s.judge()
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
	s.count(x, &v)
	return encode(x, http.StatusOK, v.response)
}

// decideBatch answers POST /v1/decisions/batch.
func (s *service) decideBatch(x *exchange, r *http.Request) error {
	j, err := s.judge()
	if err != nil {
		return err
	}
	req, err := decode[batchRequest](x, r)
	if err != nil {
		return err
	}
	if !s.pace.take(len(req.Requests) - 1) { // the request itself was counted
		return tooFast()
	}
	res := batchResponse{Results: make([]batchResult, len(req.Requests))}
	for i, item := range req.Requests {
		res.Results[i] = s.batchItem(x, j, i, item)
	}
	x.verdict = verdict{} // the access log has one line for the whole batch
	return encode(x, http.StatusOK, res)
}

// batchItem judges one item; whatever goes wrong stays within it.
func (s *service) batchItem(x *exchange, j judge, i int, body jsontext.Value) (result batchResult) {
	defer func() {
		if cause := recover(); cause != nil {
			result = batchResult{Error: s.itemProblem(x, i, caught(cause))}
		}
	}()
	v, err := j.item(body)
	if err != nil {
		return batchResult{Error: s.itemProblem(x, i, err)}
	}
	s.count(x, &v)
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

// judge is one policy applied to requests; the policy does not change between
// the items of a batch.
type judge struct {
	policy *decide.Policy
	look   inspector
}

func (s *service) judge() (judge, error) {
	policy := s.Policy()
	if policy == nil {
		return judge{}, problem(codeNoPolicy, "no policy is loaded yet; treat this as a deny")
	}
	return judge{policy, inspector{s.InspectRoots}}, nil
}

// verdict is a decision, and what the log and the metrics want to know of it.
type verdict struct {
	record   decide.Record
	response *decisionResponse
	tool     string // a metric label: the tool's name if the catalogue has it, else "other"
	took     time.Duration
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
	start := time.Now()
	session, err := sessionFor(j.policy, req.SessionID, req.Context)
	if err != nil {
		return verdict{}, err
	}
	decision := j.policy.Decide
	if req.Explain {
		decision = j.policy.Explain
	}
	v := verdict{record: decide.NewRecord(decision(session, call)), tool: otherLabel}
	v.took = time.Since(start)
	if j.policy.KnownTool(call.Tool) {
		v.tool = strings.ToLower(call.Tool) // the catalogue knows a tool in any case; the label is one
	}
	v.response = reply(&v.record, hides(call.Arguments))
	if req.Explain {
		v.response.explained(&v.record.Decision, j.look)
	}
	return v, nil
}
