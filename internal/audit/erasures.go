package audit

import (
	"fmt"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// erasures holds what is known of records without content, by session.
type erasures map[string]erased

// erased are the first and the latest of a session's records without content:
// an erasure explains those that were there when it happened, none that came
// later.
type erased struct{ first, last *store.Record }

// erasureSlack is how far the clocks of those who write a log may be apart.
const erasureSlack = time.Minute

// note takes a record without content. It returns 1 if there is no room for it.
func (e erasures) note(r *store.Record) int64 {
	have, ok := e[r.Session]
	switch {
	case !ok && len(e) >= maxErasures:
		return 1
	case !ok:
		h := header(r)
		have = erased{&h, &h}
	case r.Time.After(have.last.Time):
		h := header(r)
		have.last = &h
	}
	e[r.Session] = have
	return 0
}

// explain tells of records without content, unless their session was erased
// after they were made. A zero time says that it never was.
func (v *verifier) explain(e erased, at time.Time) {
	r, text := e.first, "the content of record %d was taken away, and no record says that its session was erased"
	if !at.IsZero() {
		if !e.last.Time.After(at.Add(erasureSlack)) {
			return
		}
		r, text = e.last, "the content of record %d was taken away, and its session was erased only before it"
	}
	v.tell(Finding{Fault: BadErasure, Writer: r.Writer, Seq: r.Seq, ID: r.ID, Text: fmt.Sprintf(text, r.Seq)})
}
