package handlers

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/sessions"
	"github.com/agent-pdp/pdp/internal/store"
)

// Auditor writes down what happens.
type Auditor interface {
	// Ready returns an error while nothing can be written: then nothing is changed
	// that would have to be.
	Ready() error
	// Write takes a record; an error means that what it tells of must not be
	// answered with success. The event may be used again as soon as it returns.
	Write(ctx context.Context, ev *audit.Event) error
	// Commit is Write, and returns when the record is stored.
	Commit(ctx context.Context, ev *audit.Event) error
}

// settle writes a decision down, and only then counts it: what cannot be
// recorded is not given.
func (s *service) settle(x *exchange, r *http.Request, v *verdict) error {
	if err := s.record(x, r, v); err != nil {
		return err
	}
	s.count(x, v)
	return nil
}

// decisionEvents are reused: there are many of them.
var decisionEvents = sync.Pool{New: func() any { return new(audit.Event) }}

func (s *service) record(x *exchange, r *http.Request, v *verdict) error {
	if s.Audit == nil {
		return nil
	}
	ev := decisionEvents.Get().(*audit.Event)
	defer func() {
		*ev = audit.Event{} // let go of the call
		decisionEvents.Put(ev)
	}()
	*ev = audit.Event{
		ID: v.record.ID, Time: v.record.DecidedAt, Kind: audit.DecisionMade, Session: v.sessionID, Caller: x.caller,
		Tool: v.call.Tool, Arguments: v.call.Arguments, Metadata: v.metadata, Decision: &v.record.Decision,
		Context: v.context, Duration: v.took, Trace: traceID(r), Request: x.requestID,
	}
	if v.response != nil && v.response.Approval != nil {
		ev.Approval = v.response.Approval.ID
	}
	write := s.Audit.Write
	if v.record.Code == decide.CodeApprovedOnce || v.record.Code == decide.CodeReviewerApproved {
		write = s.Audit.Commit // an approval was used up: that is not lost in a crash
	}
	if err := write(r.Context(), ev); err != nil {
		return auditProblem(err)
	}
	if v.opened {
		err := s.tell(r.Context(), x, audit.Event{
			Kind: audit.ApprovalOpened, Session: v.sessionID, Tool: v.call.Tool, Approval: ev.Approval, Outcome: string(store.Pending),
			Details: audit.Detail(map[string]string{"decision_id": v.record.ID}),
		})
		if err != nil {
			return err
		}
	}
	if v.review == nil {
		return nil
	}
	return s.tell(r.Context(), x, audit.Event{
		Kind: audit.Reviewed, Session: v.sessionID, Tool: v.call.Tool, Outcome: string(v.review.Verdict),
		Approval: ev.Approval, Note: v.review.Reason,
	})
}

func auditProblem(err error) error {
	return &hidden{problem(codeNoStore, "the audit log cannot be written; treat this as a deny"), err}
}

// tell writes down something that is not a decision.
func (s *service) tell(ctx context.Context, x *exchange, ev audit.Event) error {
	if s.Audit == nil {
		return nil
	}
	ev.Caller, ev.Request = x.caller, x.requestID
	if err := s.Audit.Write(ctx, &ev); err != nil {
		return auditProblem(err)
	}
	return nil
}

// changing returns the keeper for a change, which is not begun while it could not
// be written down.
func (s *service) changing() (*sessions.Keeper, error) {
	if s.Audit != nil {
		if err := s.Audit.Ready(); err != nil {
			return nil, &hidden{problem(codeNoStore, "the audit log cannot be written, so nothing was changed"), err}
		}
	}
	return s.keeper()
}

// commit writes down a change, and waits until that is stored.
func (s *service) commit(ctx context.Context, x *exchange, ev audit.Event) error {
	if s.Audit == nil {
		return nil
	}
	ev.Caller, ev.Request = x.caller, x.requestID
	if err := s.Audit.Commit(context.WithoutCancel(ctx), &ev); err != nil {
		return &hidden{problem(codeNoStore, "the change was made, but the audit log cannot be written"), err}
	}
	return nil
}

// refused is refuser.refused for a handler.
func (s *service) refused(x *exchange, r *http.Request, session, approval string, err error) error {
	return s.refuser(x, r).refused(session, approval, err)
}

// refuser notes what a caller was refused. It may be used by somebody who goes on
// working when the request has ended.
type refuser struct {
	service *service
	ctx     context.Context // of the request
	caller  auth.Caller
	request string // its id
	method  string
	route   string
}

func (s *service) refuser(x *exchange, r *http.Request) refuser {
	return refuser{s, r.Context(), x.caller, x.requestID, r.Method, x.route}
}

// refused says what a client may know of an error from below, and notes that the
// caller asked for what its role does not allow, or for what is another's. That
// it is refused does not depend on the log.
func (f refuser) refused(session, approval string, err error) error {
	var forbidden *sessions.ForbiddenError
	var foreign *sessions.ForeignError
	switch {
	case errors.As(err, &forbidden):
		f.tell(audit.Event{Session: session, Approval: approval, Code: codeForbidden, Note: forbidden.Detail})
	case errors.As(err, &foreign):
		f.tell(audit.Event{Session: foreign.Session, Approval: approval, Code: codeNotFound, Note: "the session is another caller's"})
	}
	return storeProblem(err, "")
}

func (f refuser) tell(ev audit.Event) {
	s := f.service
	if s.Audit == nil {
		return
	}
	ev.Kind, ev.Outcome, ev.Caller, ev.Request = audit.Refused, "deny", f.caller, f.request
	ev.Details = audit.Detail(map[string]string{"method": f.method, "route": f.route})
	if err := s.Audit.Write(f.ctx, &ev); err != nil {
		s.Log.Error().Err(err).Str("request_id", f.request).Str("caller", f.caller.ID).Msg("a refusal could not be recorded")
	}
}

// traceID is the trace id of a W3C traceparent header, or "".
func traceID(r *http.Request) string {
	parent := r.Header.Get("Traceparent")
	if len(parent) != 55 || parent[2] != '-' || parent[35] != '-' {
		return ""
	}
	id := parent[3:35]
	if strings.Trim(id, "0123456789abcdef") != "" || strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}

// recordedDecision is a decision as the audit log has it.
type recordedDecision struct {
	DecisionID string        `json:"decision_id"`
	DecidedAt  string        `json:"decided_at"`
	SessionID  string        `json:"session_id"`
	Caller     audit.Who     `json:"caller"`
	Call       *recordedCall `json:"call"` // null once erased
	judgement
	Context    string        `json:"context_fingerprint"`
	DurationNS int64         `json:"duration_ns"`
	ApprovalID *string       `json:"approval_id"`
	TraceID    *string       `json:"trace_id"`
	RequestID  string        `json:"request_id"`
	Erased     bool          `json:"erased"`
	Record     recordedPlace `json:"record"`
	Paths      []judgedPath  `json:"paths"`
	URL        string        `json:"url"`
}

type recordedCall struct {
	ToolName  string         `json:"tool_name"`
	Arguments jsontext.Value `json:"arguments"` // without secrets, and not all of a long text
	Metadata  jsontext.Value `json:"metadata"`
}

// recordedPlace is where the record stands in its chain.
type recordedPlace struct {
	Writer string `json:"writer"`
	Seq    int64  `json:"seq"`
}

func recorded(e audit.Entry) recordedDecision {
	res := recordedDecision{
		DecisionID: e.ID, DecidedAt: wireTime(e.Time), SessionID: e.Session, Caller: e.Caller,
		judgement: judgement{
			Outcome: e.Outcome, Allowed: e.Outcome == decide.Allow.String(), NeedsUser: e.Outcome == decide.Ask.String(), Code: e.Code,
		},
		Context: e.Context, DurationNS: e.Duration, ApprovalID: orNull(e.Approval), TraceID: orNull(e.Trace),
		RequestID: e.Request, Erased: e.Erased, Record: recordedPlace{e.Writer, e.Seq}, Paths: []judgedPath{},
	}
	if e.Call != nil {
		res.Call = &recordedCall{e.Call.Tool, orJSONNull(e.Call.Arguments), orJSONNull(e.Call.Metadata)}
	}
	if d := e.Decision; d != nil {
		res.judgement = judgement{
			d.Outcome, d.Allowed, d.NeedsUser, d.HumanOnly, e.Code, d.Reason, d.Rule, d.Risk, d.Mode, d.PolicyRevision,
		}
		res.URL = d.URL
		for _, p := range d.Paths {
			res.Paths = append(res.Paths, judgedPath(p))
		}
	}
	return res
}

func orJSONNull(v jsontext.Value) jsontext.Value {
	if len(v) == 0 {
		return jsontext.Value("null")
	}
	return v
}

// logTime bounds reading the log.
const logTime = 10 * time.Second

func (s *service) records() (store.Log, error) {
	if s.Records == nil {
		return nil, storeless("it keeps no audit log")
	}
	return s.Records, nil
}

// getDecision answers GET /v1/decisions/{id}.
func (s *service) getDecision(x *exchange, r *http.Request) error {
	log, err := s.records()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), logTime)
	defer cancel()
	rec, err := log.Record(ctx, chi.URLParam(r, "id"))
	if err == nil && rec.Kind != string(audit.DecisionMade) {
		err = store.ErrNotFound
	}
	if err != nil {
		return storeProblem(err, "")
	}
	e, err := audit.Decode(rec)
	if err != nil {
		return err
	}
	return encode(x, http.StatusOK, recorded(e))
}

// listDecisions answers GET /v1/decisions: the log, newest first.
func (s *service) listDecisions(x *exchange, r *http.Request) error {
	log, err := s.records()
	if err != nil {
		return err
	}
	q, err := readQuery(r, "session_id", "outcome", "code", "tool", "since", "until", "limit", "cursor")
	if err != nil {
		return err
	}
	find := store.RecordQuery{Kind: string(audit.DecisionMade), Session: q.get("session_id"), Code: q.get("code"), Tool: q.get("tool")}
	if find.Before, err = q.cursor("decisions"); err != nil {
		return err
	}
	if find.Limit, err = q.limit(); err != nil {
		return err
	}
	if find.Outcome, err = q.oneOf("outcome", "allow", "ask", "deny"); err != nil {
		return err
	}
	if find.Since, err = q.moment("since"); err != nil {
		return err
	}
	if find.Until, err = q.moment("until"); err != nil {
		return err
	}
	return s.list(x, r, func() (any, error) {
		ctx, cancel := context.WithTimeout(r.Context(), logTime)
		defer cancel()
		page, next, err := readRecords(ctx, log, find)
		if err != nil {
			return nil, storeProblem(err, "")
		}
		return pageOf(page, q.next("decisions", next), recorded), nil
	})
}

// A page of records is read in steps, until it is long or heavy enough.
const (
	recordsAtOnce = 100
	maxRecords    = 4 << 20 // bytes of contents
)

func readRecords(ctx context.Context, log store.Log, find store.RecordQuery) (page []audit.Entry, next string, err error) {
	left, size := find.Limit, 0
	for {
		find.Limit = min(left, recordsAtOnce)
		step, last, more, err := log.ListRecords(ctx, find)
		if err != nil {
			return nil, "", err
		}
		for _, rec := range step {
			size += len(rec.Content)
			e, err := audit.Decode(rec)
			if err != nil {
				return nil, "", err
			}
			page = append(page, e)
		}
		left -= len(step)
		find.Before = last
		// A step that is short has looked at as many records as one request may.
		if !more || left == 0 || size > maxRecords || len(step) < find.Limit {
			return page, last, nil
		}
	}
}
