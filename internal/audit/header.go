package audit

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/store"
)

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
	r.Tool = headerName(hideRecurring(e.Tool))
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
