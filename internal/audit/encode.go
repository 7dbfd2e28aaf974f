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

	// fresh are texts around the call in which no secret was found.
	fresh []string
}

// encode appends the content of an event to e.buf.
func (e *encoder) encode(ev *Event) {
	start := len(e.buf)
	e.again, e.known = false, e.known[:0]
	e.pass(ev)
	if len(e.known) == 0 {
		// Else they may quote what only its place in the call shows to be a secret.
		for _, s := range e.fresh {
			remember(s)
		}
	}
	if len(e.known) > 0 && (ev.Decision != nil || ev.Note != "") {
		e.buf, e.again = e.buf[:start], true
		e.pass(ev)
	}
	clear(e.known) // let go of the secrets
	clear(e.fresh)
	e.fresh = e.fresh[:0]
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

// outcomeFacts are an outcome and what follows from it. The last one is that of
// what is no outcome, which denies.
var outcomeFacts = func() (facts [decide.Allow + 2]string) {
	for o := range facts {
		var e encoder
		e.raw(decide.Outcome(o).String())
		e.raw(`"`)
		e.flag("allowed", decide.Outcome(o).Allowed())
		e.flag("needs_user", decide.Outcome(o).NeedsUser())
		e.flag("human_only", decide.Outcome(o).HumanOnly())
		facts[o] = string(e.buf)
	}
	return facts
}()

func (e *encoder) facts(d *decide.Decision) {
	e.raw(`,"decision":{"outcome":"`)
	e.raw(outcomeFacts[min(d.Outcome, decide.Allow+1)])
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
	if plainASCII(s) {
		e.buf = append(append(append(e.buf, '"'), s...), '"')
		return
	}
	e.buf, _ = jsontext.AppendQuote(e.buf, s)
}

// plainASCII accepts a text that stands in JSON as it is, as most do. It reads
// eight bytes at a time; of those below 0x80 it finds what is below a blank, a
// quote, a backslash and DEL by the borrow of a subtraction in their highest bit.
func plainASCII(s string) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		quote, slash, del := w^each*'"', w^each*'\\', w^each*0x7f
		if (w|(w-each*' ')|(quote-each)|(slash-each)|(del-each))&high != 0 {
			return false
		}
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// compactJSON reports whether bytes are one JSON value without line breaks, so
// that they can stand in a line as they are.
func compactJSON(b []byte) bool {
	return bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, '\r') < 0 && jsontext.Value(b).IsValid()
}
