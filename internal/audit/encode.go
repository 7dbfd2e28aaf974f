package audit

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/decide"
)

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
	e.member("request_id", ev.Request) // the client may have chosen it
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
