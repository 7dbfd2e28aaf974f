package audit

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// Kind is what a record tells of.
type Kind string

// The kinds of records.
const (
	DecisionMade     Kind = "decision"
	ApprovalOpened   Kind = "approval_opened"
	ApprovalResolved Kind = "approval_resolved"
	Granted          Kind = "grant"
	Revoked          Kind = "revocation"
	SessionChanged   Kind = "session"
	PolicyChanged    Kind = "policy"
	TokenChanged     Kind = "token"
	Erased           Kind = "erasure"
	Pruned           Kind = "retention"
	Refused          Kind = "refused" // a caller asked for what its role may not do
	Reviewed         Kind = "review"  // what the reviewer said of an ask
	LoggedOut        Kind = "dropped" // records were dropped, as the operator chose
)

// Kinds returns all kinds, in a fixed order.
func Kinds() []Kind {
	return []Kind{
		DecisionMade, ApprovalOpened, ApprovalResolved, Granted, Revoked, SessionChanged,
		PolicyChanged, TokenChanged, Erased, Pruned, Refused, Reviewed, LoggedOut,
	}
}

// Event is what happened, as the rest of the program knows it. It is read before
// Write returns and not kept.
type Event struct {
	ID      string    // UUIDv7; made if it is empty. That of a decision is the decision's id.
	Time    time.Time // now if it is zero
	Kind    Kind
	Session string // stored session; empty: none
	Caller  auth.Caller

	Tool      string
	Arguments decide.Value
	Metadata  decide.Value

	Decision *decide.Decision // nil for other kinds
	Outcome  string           // for other kinds; a decision has its own
	Code     string           // likewise

	Context  string        // fingerprint of the context that was judged by
	Duration time.Duration // of the judgement
	Trace    string        // W3C trace id
	Request  string        // id of the HTTP request
	Approval string        // id of the approval that belongs to it
	Note     string        // what a person wrote

	// Details are further facts, by kind. They are redacted like arguments, but for
	// the names of ours among their members, such as who gave a grant.
	Details decide.Value
}

// Detail turns facts into details; a value that is no JSON becomes a text that
// says so.
func Detail(facts any) decide.Value {
	raw, err := json.Marshal(facts, json.Deterministic(true))
	if err != nil {
		return decide.Text("cannot be shown: " + err.Error())
	}
	v, err := decide.ParseValue(raw)
	if err != nil {
		return decide.Text("cannot be shown: " + err.Error())
	}
	return v
}

// Entry is a record that was read back.
type Entry struct {
	Writer  string    `json:"writer"`
	Seq     int64     `json:"seq"`
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Kind    Kind      `json:"kind"`
	Session string    `json:"session_id"`
	// Erased says that the content was taken away; what follows is then what the
	// header still holds.
	Erased  bool   `json:"erased"`
	Outcome string `json:"outcome"`
	Code    string `json:"code"`
	Content
}

// Content is what a record holds beside its header.
type Content struct {
	Caller   Who            `json:"caller"`
	Call     *Call          `json:"call,omitzero"`
	Decision *Facts         `json:"decision,omitzero"`
	Context  string         `json:"context,omitzero"`
	Duration int64          `json:"duration_ns,omitzero"`
	Trace    string         `json:"trace_id,omitzero"`
	Request  string         `json:"request_id,omitzero"`
	Approval string         `json:"approval_id,omitzero"`
	Note     string         `json:"note,omitzero"`
	Details  jsontext.Value `json:"details,omitzero"`
	// Redactions counts what was replaced or cut.
	Redactions int `json:"redactions,omitzero"`
}

// Who is a caller as it is recorded. Nobody has no role.
type Who struct {
	ID   string `json:"id"`
	Name string `json:"name,omitzero"`
	Role string `json:"role"`
}

// Call is the call of a decision, redacted.
type Call struct {
	Tool      string         `json:"tool_name"`
	Arguments jsontext.Value `json:"arguments,omitzero"`
	Metadata  jsontext.Value `json:"metadata,omitzero"`
}

// Facts are a decision without its trace and analysis.
type Facts struct {
	Outcome        string              `json:"outcome"`
	Allowed        bool                `json:"allowed"`
	NeedsUser      bool                `json:"needs_user"`
	HumanOnly      bool                `json:"human_only"`
	Code           string              `json:"code"`
	Reason         string              `json:"reason"`
	Rule           string              `json:"rule"`
	Risk           string              `json:"risk"`
	Mode           string              `json:"mode"`
	PolicyRevision string              `json:"policy_revision"`
	PathsMode      decide.PathsMode    `json:"paths_mode"`
	StandingTarget string              `json:"standing_target,omitzero"`
	Paths          []Path              `json:"paths,omitzero"`
	URL            string              `json:"url,omitzero"`
	Obligations    []decide.Obligation `json:"obligations,omitzero"`
	Suggestions    []string            `json:"suggestions,omitzero"`
	Warnings       []string            `json:"warnings,omitzero"`
}

// Path is a path that a decision was judged by.
type Path struct {
	Given    string        `json:"given"`
	Resolved string        `json:"resolved"`
	Root     string        `json:"root"`
	Access   decide.Access `json:"access"`
}

// ErrContent says that a record's content is not what this program writes.
var ErrContent = errors.New("the content of the record cannot be read")

// Decode reads a record back. It does not verify it.
func Decode(r store.Record) (Entry, error) {
	e := Entry{
		Writer: r.Writer, Seq: r.Seq, ID: r.ID, Time: r.Time.UTC(), Kind: Kind(r.Kind), Session: r.Session,
		Outcome: r.Outcome, Code: r.Code,
	}
	if r.Content == nil {
		e.Erased = true
		e.Caller.ID = r.Caller
		if r.Tool != "" {
			e.Call = &Call{Tool: r.Tool}
		}
		return e, nil
	}
	if err := json.Unmarshal(r.Content, &e.Content); err != nil {
		return Entry{}, fmt.Errorf("record %s: %w: %w", r.ID, ErrContent, err)
	}
	return e, nil
}
