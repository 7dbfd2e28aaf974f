package audit

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// Contents may be gone for one reason: their session was erased. Anybody who can
// write the database can also write a record that says so, or move one. So an
// erasure counts only if a checkpoint was signed for that very record, and only
// for records that do not come after it.

// clockSkew is by how much the clocks of two replicas may differ, where records
// of different chains are put in order.
const clockSkew = time.Minute

// gone are the records of one session and chain that have no content.
type gone struct {
	writer, session string
	first, last     place
	until           time.Time // the latest time of one
}

// place is where a record stands in its chain.
type place struct {
	seq int64
	id  string
}

// erasureAt is where an erasure stands.
type erasureAt struct {
	writer string
	seq    int64
	time   time.Time
}

// noteGone remembers that a record has no content.
func (c *check) noteGone(r *store.Record) {
	g := c.gone[r.Session]
	switch {
	case g == nil && len(c.gone)+len(c.verifier.gone) >= maxErasures:
		c.chain.unchecked++
		return
	case g == nil:
		g = &gone{writer: c.writer.ID, session: r.Session, first: place{r.Seq, r.ID}}
		c.gone[r.Session] = g
	}
	if r.Seq > g.last.seq {
		g.last = place{r.Seq, r.ID}
	}
	if r.Time.After(g.until) {
		g.until = r.Time
	}
}

// noteErasure remembers a record that explains why contents are gone. It stands
// in its place, and its hash is that of its header.
func (c *check) noteErasure(r *store.Record) {
	if r.Kind != string(Erased) || r.Session == "" {
		return // records without a session are never erased
	}
	told := c.erased
	if !c.erasureSigned(r) {
		told = c.unsigned
	}
	if _, ok := told[r.Session]; ok || len(told) < maxErasures {
		told[r.Session] = erasureAt{c.writer.ID, r.Seq, r.Time}
	}
}

// erasureSigned reports whether a checkpoint was made for this erasure. One that
// only reaches beyond it is not enough: at its start the service signs what it
// finds behind the last checkpoint.
func (c *check) erasureSigned(r *store.Record) bool {
	from, _ := slices.BinarySearchFunc(c.marks, r.Seq, func(m store.Checkpoint, seq int64) int {
		return int(max(min(m.Seq-seq, 1), -1))
	})
	for _, m := range c.marks[from:] {
		if m.Seq != r.Seq {
			break
		}
		if m.Kind == erasureMark && bytes.Equal(m.Hash, r.Hash) {
			return true
		}
	}
	return false
}

// addErasures takes over what a chain holds. A chain with a key that may not
// sign explains nothing.
func (v *verifier) addErasures(c *check) {
	v.report.Unchecked += c.chain.unchecked
	for _, g := range c.gone {
		v.gone = append(v.gone, g)
	}
	for session, at := range c.unsigned {
		v.unsigned[session] = at
	}
	for session, at := range c.erased {
		if v.trusted(c.writer.PublicKey) {
			v.erased[session] = append(v.erased[session], at)
		} else {
			v.unsigned[session] = at
		}
	}
}

// explain tells of contents that no erasure accounts for.
func (v *verifier) explain() {
	for _, g := range v.gone {
		known := v.erased[g.session]
		if slices.ContainsFunc(known, g.explainedBy) {
			continue
		}
		v.unexplained = true
		at, why := g.first, "and no record says that its session was erased"
		forged, isForged := v.unsigned[g.session]
		switch {
		case isForged:
			why = fmt.Sprintf("and record %d of chain %s, which says that its session was erased, is not signed for that by a key that may", forged.seq, forged.writer)
		case len(known) > 0:
			why = "after its session was erased"
		}
		if len(known) > 0 {
			at = g.last // the first may have been erased
		}
		v.tell(Finding{
			Fault: BadErasure, Writer: g.writer, Seq: at.seq, ID: at.id,
			Text: fmt.Sprintf("the content of record %d was taken away, %s", at.seq, why),
		})
	}
}

// explainedBy reports whether an erasure comes after all of the records.
func (g *gone) explainedBy(e erasureAt) bool {
	if e.writer == g.writer {
		return e.seq >= g.last.seq
	}
	return !g.until.After(e.time.Add(clockSkew))
}
