package handlers

import (
	"net/http"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/sessions"
	"github.com/agent-pdp/pdp/internal/store"
)

// approvalStates are the states of the contract.
var approvalStates = []string{string(store.Pending), string(store.Approved), string(store.Denied), string(store.Expired)}

// listApprovals answers GET /v1/approvals.
func (s *service) listApprovals(x *exchange, r *http.Request) error {
	k, err := s.keeper()
	if err != nil {
		return err
	}
	q, err := readQuery(r, "state", "session_id", "limit", "cursor")
	if err != nil {
		return err
	}
	limit, err := q.limit()
	if err != nil {
		return err
	}
	state, err := q.oneOf("state", approvalStates...)
	if err != nil {
		return err
	}
	before, err := q.cursor("approvals")
	if err != nil {
		return err
	}
	return s.list(x, r, func() (any, error) {
		page, next, err := k.Approvals(r.Context(), x.caller, store.ApprovalQuery{
			Session: q.get("session_id"), State: store.ApprovalState(state), Before: before, Limit: limit,
		})
		if err != nil {
			return nil, s.refused(x, r, q.get("session_id"), "", err)
		}
		return pageOf(page, q.next("approvals", next), func(a sessions.Approval) approvalResponse { return approvalReply(&a) }), nil
	})
}

// getApproval answers GET /v1/approvals/{id}, with a wait when the approval is
// no longer pending or that time is over.
func (s *service) getApproval(x *exchange, r *http.Request) error {
	k, err := s.keeper()
	if err != nil {
		return err
	}
	q, err := readQuery(r, "wait")
	if err != nil {
		return err
	}
	wait, err := q.duration("wait", sessions.MaxWait)
	if err != nil {
		return err
	}
	if wait > 0 {
		extendWrite(x, wait)
	}
	id := pathID(r, "id")
	a, err := k.Approval(r.Context(), x.caller, id, wait)
	if err != nil {
		return s.refused(x, r, "", id, err)
	}
	if wait > 0 && !s.stillKnown(x, r) {
		x.Header()["Www-Authenticate"] = challengeToken
		return problem(codeUnauthenticated, "the credential is not the same any more: it was revoked, has expired or has another role")
	}
	return encode(x, http.StatusOK, approvalReply(&a))
}

// extendWrite lets an answer that is waited for be written at the end.
func extendWrite(x *exchange, wait time.Duration) {
	const slack = 30 * time.Second
	_ = http.NewResponseController(x.ResponseWriter).SetWriteDeadline(time.Now().Add(wait + slack)) // a recorder in a test has none
}

// resolveApproval answers POST /v1/approvals/{id}/resolve.
func (s *service) resolveApproval(x *exchange, r *http.Request) error {
	k, err := s.changing()
	if err != nil {
		return err
	}
	req, err := decode[resolveRequest](x, r)
	if err != nil {
		return err
	}
	id := pathID(r, "id")
	done, err := k.Resolve(r.Context(), x.caller, id, decide.Resolution(req.Outcome), req.Note)
	if err != nil {
		return s.refused(x, r, "", id, err)
	}
	if err := s.resolved(r, x, done, req.Note); err != nil {
		return err
	}
	res := resolveResponse{approvalResponse: approvalReply(&done.Approval)}
	if done.Grant != nil {
		g := grantReply(*done.Grant)
		res.Grant = &g
	}
	return encode(x, http.StatusOK, res)
}

// resolved writes down an answer, and the grant that came of it.
func (s *service) resolved(r *http.Request, x *exchange, done sessions.Resolved, note string) error {
	a := &done.Approval
	if err := s.commit(r.Context(), x, audit.Event{
		Kind: audit.ApprovalResolved, Session: a.Session, Tool: a.Request.Tool, Outcome: a.Outcome, Approval: a.ID, Note: note,
	}); err != nil || done.Grant == nil {
		return err
	}
	return s.commit(r.Context(), x, grantEvent(audit.Granted, a.Session, *done.Grant))
}
