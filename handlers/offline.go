package handlers

import (
	"bytes"
	"context"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/decide"
)

// Offline answers the requests of POST /v1/decisions without a server.
type Offline struct {
	Policy       *decide.Policy
	InspectRoots []string // as Deps.InspectRoots
	Explain      bool     // as if the request had said so
}

// Decide reads the JSON of one request as strictly as the server does, and
// returns the server's answer. A nil problem means that a decision was made.
func (o Offline) Decide(body []byte) ([]byte, decide.Record, *Problem) {
	if o.Policy == nil {
		return nil, decide.Record{}, problem(codeNoPolicy, "no policy is loaded; treat this as a deny")
	}
	var req decisionRequest
	if err := decodeStrict(body, &req); err != nil {
		return nil, decide.Record{}, publicProblem(err)
	}
	req.Explain = req.Explain || o.Explain
	j := judge{policy: o.Policy, look: inspector{func() []string { return o.InspectRoots }, DefaultLimits().PathTimeout}, refuser: refuser{ctx: context.Background()}}
	v, err := j.call(&req)
	if err != nil {
		return nil, decide.Record{}, publicProblem(err)
	}
	var buf bytes.Buffer
	if err := json.MarshalWrite(&buf, v.response, lenient); err != nil {
		return nil, decide.Record{}, publicProblem(err)
	}
	return buf.Bytes(), v.record, nil
}
