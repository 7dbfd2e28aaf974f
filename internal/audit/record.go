package audit

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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

// Bounds of a record. Names in the header are shorter than what a store keeps.
const (
	maxRecord   = 16 << 10
	maxName     = 256
	maxList     = 64 // paths, warnings, suggestions of a decision
	budgetFacts = 6 << 10
	closing     = 2 << 10 // room for what closes nested values
)

// headerName makes a text fit for the header: short, valid and without NUL. The
// content holds more of it.
func headerName(s string) string {
	if len(s) > maxName {
		cut := maxName - len("…")
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\ufffd")
	}
	return s
}

// header fills everything of a record that does not depend on the chain.
func (e *Event) header(r *store.Record) {
	at := e.Time
	if at.IsZero() {
		at = time.Now()
	}
	r.ID = e.ID
	if !plainID(r.ID) {
		r.ID = decide.NewID(at)
	}
	r.Time = at.UTC().Truncate(time.Microsecond)
	r.Kind = string(e.Kind)
	r.Session = headerName(e.Session)
	r.Caller = headerName(e.Caller.ID)
	r.Tool = headerName(hideSecrets(e.Tool))
	r.Outcome, r.Code = headerName(e.Outcome), headerName(e.Code)
	if d := e.Decision; d != nil {
		r.Outcome, r.Code = d.Outcome.String(), string(d.Code)
	}
}

// plainID accepts what NewID makes.
func plainID(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c < '0' || c > '9' && c < 'a' || c > 'f':
			return false
		}
	}
	return true
}

// encoder writes one content.
type encoder struct {
	buf   []byte
	rules *Redaction
	hits  int  // what was replaced or cut
	own   bool // the value that is written is one of ours, see ownNames
	end   int  // length of buf beyond which values are left out
	nodes []*pointerNode

	// known is what was hidden in the call; in a second pass (again) it is looked
	// for in what quotes the call.
	known  []string
	again  bool
	inCall bool // a part of the call is written
}

// encode appends the content of an event to e.buf.
func (e *encoder) encode(ev *Event) {
	start := len(e.buf)
	e.again, e.known = false, e.known[:0]
	e.pass(ev)
	if len(e.known) > 0 && (ev.Decision != nil || ev.Note != "") {
		e.buf, e.again = e.buf[:start], true
		e.pass(ev)
	}
	clear(e.known) // let go of the secrets
}

func (e *encoder) pass(ev *Event) {
	start := len(e.buf)
	e.hits = 0
	e.end = start + budgetFacts
	e.raw(`{"caller":{"id":`)
	e.plain(ev.Caller.ID)
	if ev.Caller.Name != "" {
		e.raw(`,"name":`)
		e.text(ev.Caller.Name)
	}
	e.raw(`,"role":"`)
	e.raw(ev.Caller.Role.String())
	e.raw(`"}`)
	if ev.Decision != nil {
		e.facts(ev.Decision)
	}
	e.name("context", ev.Context)
	if ev.Duration > 0 {
		e.raw(`,"duration_ns":`)
		e.buf = strconv.AppendInt(e.buf, int64(ev.Duration), 10)
	}
	e.name("trace_id", ev.Trace)
	e.name("request_id", ev.Request)
	e.name("approval_id", ev.Approval)
	e.member("note", ev.Note)
	e.end = start + maxRecord - closing
	if ev.Tool != "" {
		e.inCall = true
		e.raw(`,"call":{"tool_name":`)
		e.text(ev.Tool)
		e.free("arguments", ev.Arguments)
		e.free("metadata", ev.Metadata)
		e.raw(`}`)
		e.inCall = false
	}
	e.own = true
	e.free("details", ev.Details)
	e.own = false
	if e.hits > 0 {
		e.raw(`,"redactions":`)
		e.buf = strconv.AppendInt(e.buf, int64(e.hits), 10)
	}
	e.raw(`}`)
}

func (e *encoder) raw(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) member(name, value string) {
	if value == "" {
		return
	}
	e.raw(`,"`)
	e.raw(name)
	e.raw(`":`)
	e.text(value)
}

// name writes a name of ours if there is one.
func (e *encoder) name(name, value string) {
	if value == "" {
		return
	}
	e.raw(`,"`)
	e.raw(name)
	e.raw(`":`)
	e.plain(value)
}

// plain writes a name of ours, which is no secret whatever it looks like.
func (e *encoder) plain(s string) { e.bounded(cutText(s, 2*maxName), 2*maxName) }

func (e *encoder) flag(name string, value bool) {
	e.raw(`,"`)
	e.raw(name)
	e.raw(`":`)
	e.buf = strconv.AppendBool(e.buf, value)
}

func (e *encoder) always(name, value string) {
	e.raw(`,"`)
	e.raw(name)
	e.raw(`":`)
	e.text(value)
}

// free writes a value that others made.
func (e *encoder) free(name string, v decide.Value) {
	if k := v.Kind(); k == decide.Absent || k == decide.Null {
		return
	}
	e.raw(`,"`)
	e.raw(name)
	e.raw(`":`)
	e.nodes = e.rules.roots(e.nodes[:0], name)
	e.value(v, 0, 0)
}

func (e *encoder) facts(d *decide.Decision) {
	e.raw(`,"decision":{"outcome":"`)
	e.raw(d.Outcome.String())
	e.raw(`"`)
	e.flag("allowed", d.Outcome.Allowed())
	e.flag("needs_user", d.Outcome.NeedsUser())
	e.flag("human_only", d.Outcome.HumanOnly())
	e.raw(`,"code":"`)
	e.raw(string(d.Code))
	e.raw(`"`)
	e.always("reason", d.Reason)
	e.always("rule", d.Rule)
	e.raw(`,"risk":"`)
	e.raw(d.Risk.String())
	e.raw(`","mode":"`)
	e.raw(d.Mode.String())
	e.raw(`"`)
	e.raw(`,"policy_revision":`)
	e.plain(d.PolicyRevision)
	e.raw(`,"paths_mode":"`)
	e.raw(string(d.PathsMode))
	e.raw(`"`)
	e.member("standing_target", d.StandingTarget)
	if len(d.Paths) > 0 {
		e.raw(`,"paths":[`)
		for i := range d.Paths[:min(len(d.Paths), maxList)] {
			if e.full() {
				e.hits++
				break
			}
			if i > 0 {
				e.raw(`,`)
			}
			p := &d.Paths[i]
			e.raw(`{"given":`)
			e.text(p.Given)
			e.always("resolved", p.Resolved)
			e.always("root", p.Root)
			e.raw(`,"access":"`)
			e.raw(string(p.Access))
			e.raw(`"}`)
		}
		e.raw(`]`)
	}
	e.member("url", d.URL)
	if len(d.Obligations) > 0 {
		e.raw(`,"obligations":[`)
		for i, o := range d.Obligations {
			if i > 0 {
				e.raw(`,`)
			}
			e.raw(`"`)
			e.raw(string(o))
			e.raw(`"`)
		}
		e.raw(`]`)
	}
	e.list("suggestions", d.Suggestions)
	e.list("warnings", d.Warnings)
	e.raw(`}`)
}

func (e *encoder) list(name string, texts []string) {
	if len(texts) == 0 {
		return
	}
	e.raw(`,"`)
	e.raw(name)
	e.raw(`":[`)
	for i, t := range texts[:min(len(texts), maxList)] {
		if e.full() {
			e.hits++
			break
		}
		if i > 0 {
			e.raw(`,`)
		}
		e.text(t)
	}
	e.raw(`]`)
}

func (e *encoder) full() bool { return len(e.buf) >= e.end }

// quote appends a JSON string. Bytes that are no text become U+FFFD.
func (e *encoder) quote(s string) {
	e.buf, _ = jsontext.AppendQuote(e.buf, s)
}

// compactJSON reports whether bytes are one JSON value without line breaks, so
// that they can stand in a line as they are.
func compactJSON(b []byte) bool {
	return bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, '\r') < 0 && jsontext.Value(b).IsValid()
}
