package handlers

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/events"
	"github.com/agent-pdp/pdp/internal/sessions"
)

// Times of an event stream.
const (
	beatEvery  = 15 * time.Second // keeps proxies from taking silence for an end
	eventWrite = 10 * time.Second // a reader that takes longer is cut off
	retryAfter = "retry: 2000\n\n"
)

// eventTypes are the kinds of events.
var eventTypes = []string{"decision", "approval"}

// streamEvents answers GET /v1/events with server-sent events, until the
// client leaves, does not keep up, or the service ends.
func (s *service) streamEvents(x *exchange, r *http.Request) error {
	if s.Events == nil {
		return storeless("it has no events")
	}
	q, err := readQuery(r, "types", "last_event_id", "session_id")
	if err != nil {
		return err
	}
	filter, err := eventFilter(x.caller, q)
	if err != nil {
		return err
	}
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = q.get("last_event_id")
	}
	if last != "" && !events.IsName(last) {
		return badQuery("Last-Event-ID, or the query parameter last_event_id, is no id of an event; leave it out to begin with what happens now")
	}
	if !s.listening.take(x.caller.ID) {
		return retryLater(codeTooManyWaiting, "this caller listens for events "+strconv.Itoa(maxListenersOfOne)+" times already")
	}
	defer s.listening.giveBack(x.caller.ID)
	l := s.Events.Listen(last)
	if l == nil {
		return retryLater(codeOverloaded, "too many clients listen for events")
	}
	defer l.Close()
	h := x.Header()
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = []string{"no-store"}
	h["X-Accel-Buffering"] = []string{"no"}
	x.WriteHeader(http.StatusOK)
	return s.stream(r, x, l, filter)
}

// eventFilter tells which events a caller may see and wants to.
func eventFilter(c auth.Caller, q query) (func(*events.Event) bool, error) {
	wanted := map[string]bool{}
	if text := q.get("types"); text != "" {
		for _, name := range strings.Split(text, ",") {
			if name != eventTypes[0] && name != eventTypes[1] {
				return nil, queryProblem("types", "must be some of "+joinList(eventTypes)+", with commas between")
			}
			wanted[name] = true
		}
	}
	session := q.get("session_id")
	return func(e *events.Event) bool {
		switch {
		case e.Type == missedType:
			return true
		case len(wanted) > 0 && !wanted[e.Type]:
			return false
		case session != "" && e.Session != session:
			return false
		case c.Role == auth.Runtime:
			return e.Session != "" && (e.Owner == "" || e.Owner == c.ID)
		}
		return true
	}, nil
}

// stream writes events as they come. An error would have nowhere to go: the
// client sees that the stream ends, and comes back with the last id.
func (s *service) stream(r *http.Request, x *exchange, l *events.Listener, wanted func(*events.Event) bool) error {
	control := http.NewResponseController(x.ResponseWriter)
	send := func(text []byte) bool {
		_ = control.SetWriteDeadline(time.Now().Add(eventWrite))
		if _, err := x.Write(text); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	hello := retryAfter
	if l.Missed {
		hello += "event: " + missedType + "\ndata: {}\n\n"
	}
	if !send([]byte(hello)) {
		return nil
	}
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	var buf bytes.Buffer
	for {
		buf.Reset()
		select {
		case <-r.Context().Done():
			return nil
		case <-beat.C:
			buf.WriteString(": still here\n\n")
		case e, ok := <-l.C:
			if !ok {
				return nil
			}
			if !wanted(&e) {
				continue
			}
			writeEvent(&buf, s.Events.Name(e), &e)
		}
		if !s.stillKnown(x, r) || !send(buf.Bytes()) {
			return nil
		}
	}
}

func writeEvent(buf *bytes.Buffer, id string, e *events.Event) {
	raw, err := json.Marshal(e.Data)
	if err != nil {
		return // it was made here; the next event says nothing of it
	}
	buf.WriteString("id: " + id + "\nevent: " + e.Type + "\ndata: ")
	buf.Write(raw) // JSON without indentation has no line breaks
	buf.WriteString("\n\n")
}

// decisionEvent is a decision as listeners see it; it has no arguments.
type decisionEvent struct {
	DecisionID string `json:"decision_id"`
	SessionID  string `json:"session_id"`
	Tool       string `json:"tool_name"`
	Outcome    string `json:"outcome"`
	Code       string `json:"code"`
	Reason     string `json:"reason"`
	Risk       string `json:"risk"`
	Mode       string `json:"mode"`
	HumanOnly  bool   `json:"human_only"`
	DecidedAt  string `json:"decided_at"`
	ApprovalID string `json:"approval_id,omitzero"`
}

// ApprovalEvent tells listeners of an approval that was opened or has changed.
func ApprovalEvent(a sessions.Approval) events.Event {
	return events.Event{Type: "approval", Session: a.Session, Owner: a.Request.Owner, Data: approvalReply(&a)}
}

// missedType is the kind of an event that tells of no other one: some are not
// known, so that what they told of is to be read anew.
const missedType = "missed"

// MissedEvent tells listeners that approvals have changed of which they will not
// be told.
func MissedEvent() events.Event { return events.Event{Type: missedType, Data: struct{}{}} }

// decided is a decision that listeners may want to know of. It is put into
// words when one does: most are never looked at.
type decided struct {
	id, session, tool, reason, approval string
	outcome                             decide.Outcome
	code                                decide.Code
	risk                                decide.Risk
	mode                                decide.Mode
	at                                  time.Time
}

// MarshalJSONTo writes the decision as listeners see it.
func (d *decided) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, decisionEvent{
		DecisionID: d.id, SessionID: d.session, Tool: visible(d.tool), Outcome: d.outcome.String(), Code: string(d.code),
		Reason: visible(d.reason), Risk: d.risk.String(), Mode: d.mode.String(), HumanOnly: d.outcome.HumanOnly(),
		DecidedAt: wireTime(d.at), ApprovalID: d.approval,
	})
}

// publish tells listeners of a decision.
func (s *service) publish(v *verdict) {
	if s.Events == nil {
		return
	}
	d := &v.record.Decision
	e := &decided{
		id: v.record.ID, session: v.sessionID, tool: v.call.Tool, reason: d.Reason,
		outcome: d.Outcome, code: d.Code, risk: d.Risk, mode: d.Mode, at: v.record.DecidedAt,
	}
	if v.response != nil && v.response.Approval != nil {
		e.approval = v.response.Approval.ID
	}
	s.Events.Publish(events.Event{Type: "decision", Session: v.sessionID, Owner: v.owner, Data: e})
}
