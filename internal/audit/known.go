package audit

import (
	"strings"

	"github.com/agent-pdp/pdp/decide"
)

// A decision's reason, rule and warnings quote the call: what was hidden in its
// arguments is hidden there too, also where nothing beside it says what it is.

// Bounds of what is looked for again.
const (
	maxKnown   = 32
	leastKnown = 4 // bytes; shorter ones would tear words apart
)

// hideValue writes that a value was hidden, and remembers its texts.
func (e *encoder) hideValue(v decide.Value) {
	e.remember(v, 0)
	e.note(redacted)
}

func (e *encoder) remember(v decide.Value, depth int) {
	switch v.Kind() {
	case decide.String:
		s, _ := v.AsString()
		e.know(s)
	case decide.List, decide.Object:
		for _, m := range v.Members()[:min(len(v.Members()), maxKnown)] {
			if depth < 4 {
				e.remember(m.Value, depth+1)
			}
		}
	}
}

func (e *encoder) know(s string) {
	if e.again || len(e.known) >= maxKnown || len(s) > maxText {
		return
	}
	_, password, _ := strings.Cut(s, ":") // of user:password
	if len(password) < 2*leastKnown {
		password = ""
	}
	for _, form := range [...]string{s, strings.Trim(s, `"'`), unquoted(s), strings.TrimSpace(s), password} {
		if len(form) >= leastKnown && !isConstant(form) && !isReference(form) && (len(e.known) == 0 || e.known[len(e.known)-1] != form) {
			e.known = append(e.known, form)
		}
	}
}

// unquoted is a word as a shell takes it.
func unquoted(s string) string {
	if !strings.ContainsAny(s, "\"'\\") {
		return s
	}
	return strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(s)
}

// hideKnown replaces what was hidden in the call.
func (e *encoder) hideKnown(s string) string {
	if len(s) > 4*maxText {
		s = cutText(s, 4*maxText) + "…"
	}
	was := s
	defer func() {
		if s != was {
			e.hits++
		}
	}()
	for _, k := range e.known {
		for from := 0; ; {
			at := strings.Index(s[from:], k)
			if at < 0 {
				break
			}
			at += from
			end := at + len(k)
			if len(k) < 8 && (at > 0 && nameBytes[s[at-1]] && nameBytes[k[0]] || end < len(s) && nameBytes[s[end]] && nameBytes[k[len(k)-1]]) {
				from = end
				continue
			}
			s = s[:at] + redacted + s[end:]
			from = at + len(redacted)
		}
	}
	return s
}
