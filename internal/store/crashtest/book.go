package crashtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// book is what the processes have said that the store acknowledged.
type book struct {
	sessions  map[string]map[string]bool // → grants
	approvals map[string]*approval
	plain     map[string]string // sessions without grants → made, deleting, deleted
	tokens    map[string]bool   // → revoked
	records   map[string]int64  // writer → last number
	points    map[string]int    // writer → checkpoints
	used      int
	revisions []store.Change

	fresh  map[string]bool // sessions written since the last comparison
	recent map[string]bool // approvals likewise
	heads  map[string]store.Head
	seen   int64 // changes up to here were compared
}

// approval is what is known of one.
type approval struct {
	session, key, outcome string
	used                  bool // said by a process
	spent                 bool // seen in the store
}

func newBook() *book {
	return &book{
		sessions: map[string]map[string]bool{}, approvals: map[string]*approval{}, plain: map[string]string{},
		tokens: map[string]bool{}, records: map[string]int64{}, points: map[string]int{},
		fresh: map[string]bool{}, recent: map[string]bool{}, heads: map[string]store.Head{},
	}
}

func (b *book) summary() string {
	grants := 0
	for _, g := range b.sessions {
		grants += len(g)
	}
	return fmt.Sprintf("%d grants, %d approvals (%d used), %d tokens, %d records, %d revisions",
		grants, len(b.approvals), b.used, len(b.tokens), b.records["w0"]+b.records["w1"], b.seen)
}

// words is how many each kind of line has.
var words = map[string]int{
	"session": 3, "grant": 4, "opened": 5, "resolved": 5, "used": 3,
	"made": 3, "deleting": 2, "deleted": 2, "token": 2, "revoked": 2, "records": 4,
}

// note takes down a line, and returns what is wrong with it.
func (b *book) note(line string, serverEnded bool) string {
	w := strings.Fields(line)
	if len(w) > 0 && w[0] == "unavailable" && serverEnded {
		return ""
	}
	if len(w) == 0 || words[w[0]] != len(w) {
		return "no failure was expected"
	}
	switch w[0] {
	case "session":
		b.session(w[1])
		b.revision(store.SessionChanged, w[1], w[2])
	case "grant":
		b.session(w[1])[w[2]] = true
		b.revision(store.SessionChanged, w[1], w[3])
	case "opened":
		b.recent[w[1]] = true
		if a, ok := b.approvals[w[1]]; ok {
			if a.session != w[2] || a.key != w[3] {
				return "it is another call's"
			}
			return ""
		}
		for id := range b.recent {
			if a := b.approvals[id]; a != nil && a.session == w[2] && a.key == w[3] {
				return "the call has another approval, " + id
			}
		}
		b.approvals[w[1]] = &approval{session: w[2], key: w[3]}
		b.revision(store.ApprovalChanged, w[1], w[4])
	case "resolved":
		a := b.approvals[w[1]]
		if a == nil || a.outcome != "" {
			return "it is not open"
		}
		a.outcome = w[3]
		b.revision(store.ApprovalChanged, w[1], w[4])
	case "used":
		return b.use(w[1], w[2])
	case "made", "deleting", "deleted":
		b.plain[w[1]] = w[0]
		if w[0] == "made" {
			b.revision(store.SessionChanged, w[1], w[2])
		}
	case "token":
		b.tokens[w[1]] = false
	case "revoked":
		b.tokens[w[1]] = true
	case "records":
		last, _ := strconv.ParseInt(w[2], 10, 64)
		n, _ := strconv.Atoi(w[3])
		b.records[w[1]] = max(b.records[w[1]], last)
		b.points[w[1]] += n
	}
	return ""
}

func (b *book) session(name string) map[string]bool {
	b.fresh[name] = true
	if b.sessions[name] == nil {
		b.sessions[name] = map[string]bool{}
	}
	return b.sessions[name]
}

func (b *book) use(id, revision string) string {
	a := b.approvals[id]
	if a == nil { // whoever opened it died before it could say so
		a = &approval{}
		b.approvals[id] = a
	}
	b.recent[id] = true
	b.revision(store.ApprovalChanged, id, revision)
	switch {
	case a.used:
		return "it was used before"
	case a.spent:
		return "the store had it as used before"
	case a.outcome == "session":
		return "it was not for one call"
	}
	a.used = true
	b.used++
	return ""
}

func (b *book) revision(kind store.ChangeKind, id, revision string) {
	n, _ := strconv.ParseInt(revision, 10, 64)
	b.revisions = append(b.revisions, store.Change{Revision: n, Kind: kind, ID: id})
}

// compare checks the store against the book: what was written since the last time, or
// everything.
func (b *book) compare(ctx context.Context, s store.Store, everything bool) []string {
	c := &comparison{book: b, s: s, ctx: ctx}
	if everything {
		for name := range b.sessions {
			b.fresh[name] = true
		}
		for id := range b.approvals {
			b.recent[id] = true
		}
		b.heads = map[string]store.Head{}
	}
	c.changes()
	c.approvals()
	c.others()
	for _, writer := range []string{"w0", "w1"} {
		c.chain(writer)
	}
	clear(b.fresh)
	clear(b.recent)
	return c.problems
}

type comparison struct {
	*book
	s        store.Store
	ctx      context.Context
	problems []string
}

func (c *comparison) problem(format string, args ...any) {
	if len(c.problems) < 20 {
		c.problems = append(c.problems, fmt.Sprintf(format, args...))
	}
}

// changes looks for each revision that was said, and for holes between them.
func (c *comparison) changes() {
	found := map[int64]store.Change{}
	for {
		list, err := c.s.ChangesSince(c.ctx, c.seen, 1000)
		if err != nil {
			c.problem("changes: %v", err)
			return
		}
		for _, change := range list {
			if change.Revision != c.seen+1 {
				c.problem("revision %d comes after %d", change.Revision, c.seen)
			}
			c.seen = change.Revision
			found[change.Revision] = change
			// What was stored, though its process could not say so any more.
			switch {
			case change.Kind == store.ApprovalChanged:
				c.recent[change.ID] = true
			case change.Kind == store.SessionChanged && strings.HasPrefix(change.ID, "s-"):
				c.fresh[change.ID] = true
			}
		}
		if len(list) < 1000 {
			break
		}
	}
	for _, want := range c.revisions {
		if got := found[want.Revision]; got != want {
			c.problem("the change %+v is %+v", want, got)
		}
	}
	c.revisions = nil
}

// approvals checks sessions and their approvals. A server may end a dead process's
// last transaction while this reads: an approval that is approved has its grant in
// what is read afterwards, and a grant its approval in what is read after that.
func (c *comparison) approvals() {
	before := map[string]store.Approval{}
	for id := range c.recent {
		before[id] = c.approval(id)
	}
	granted := map[string]bool{} // approvals
	for name := range c.fresh {
		for _, g := range c.grantsOf(name) {
			if g.Approval == "" {
				continue
			}
			if granted[g.Approval] {
				c.problem("session %s: approval %s has two grants", name, g.Approval)
			}
			granted[g.Approval] = true
			if a := c.approval(g.Approval); a.State != store.Approved || a.Session != name {
				c.problem("session %s has grant %+v of %+v", name, g, a)
			}
		}
	}
	for id, a := range before {
		if a.State == store.Approved && c.fresh[a.Session] && !granted[id] {
			c.problem("approval %s is approved, and session %s has no grant of it", id, a.Session)
		}
	}
}

// approval reads one and compares it with what is known of it.
func (c *comparison) approval(id string) store.Approval {
	a, err := c.s.Approval(c.ctx, id)
	if err != nil {
		c.problem("approval %s: %v", id, err)
		return a
	}
	known := c.book.approvals[id]
	if known == nil {
		known = &approval{}
		c.book.approvals[id] = known
	}
	if known.key != "" && (a.Session != known.session || a.Key != known.key) ||
		string(a.Request) != `{"call":"`+a.Key+`"}` {
		c.problem("approval %s is not whole: %+v", id, a)
	}
	if known.outcome != "" && (a.State != store.Approved || a.Outcome != known.outcome || a.Resolved.IsZero()) {
		c.problem("approval %s was resolved (%s): %+v", id, known.outcome, a)
	}
	if !a.Used.IsZero() && a.Outcome != "once" {
		c.problem("approval %s was used, though it was for no single call: %+v", id, a)
	}
	if a.Used.IsZero() && (known.used || known.spent) {
		c.problem("approval %s was used: %+v", id, a)
	}
	if known.spent = !a.Used.IsZero(); known.spent {
		if again, err := c.s.UseApproval(c.ctx, a.Session, a.Key, time.Now()); !errors.Is(err, store.ErrNotFound) {
			c.problem("approval %s is used once more: %+v %v", id, again, err)
		}
	}
	return a
}

// grantsOf reads a session, compares it with what is known of it, and returns its grants.
func (c *comparison) grantsOf(name string) []store.Grant {
	x, err := c.s.Session(c.ctx, name)
	if err != nil {
		c.problem("session %s: %v", name, err)
		return nil
	}
	spec, labels := proof(x.Grants)
	if !bytes.Equal(x.Spec, spec) || x.Labels["grants"] != labels["grants"] {
		c.problem("session %s is not whole: %d grants, labels %v, %d bytes", name, len(x.Grants), x.Labels, len(x.Spec))
	}
	have := map[string]bool{}
	for _, g := range x.Grants {
		if have[g.ID] || g.Value != g.ID {
			c.problem("session %s: grant %+v", name, g)
		}
		have[g.ID] = true
	}
	for id := range c.sessions[name] {
		if !have[id] {
			c.problem("session %s lost grant %s", name, id)
		}
	}
	return x.Grants
}

func (c *comparison) others() {
	for name, state := range c.plain {
		_, err := c.s.Session(c.ctx, name)
		gone := errors.Is(err, store.ErrNotFound)
		if err != nil && !gone || state == "made" && gone || state == "deleted" && !gone {
			c.problem("session %s was %s: %v", name, state, err)
		}
	}
	list, err := c.s.ListTokens(c.ctx)
	if err != nil {
		c.problem("tokens: %v", err)
		return
	}
	found := map[string]store.Token{}
	for _, t := range list {
		found[t.ID] = t
	}
	for id, revoked := range c.tokens {
		t, ok := found[id]
		if !ok || string(t.Hash) != id || revoked && t.Revoked.IsZero() {
			c.problem("token %s (revoked: %v) is %+v", id, revoked, t)
		}
	}
}

// chain reads a chain from where it was read last: every record is whole and follows
// the one before, and every batch is there to its end.
func (c *comparison) chain(writer string) {
	head := c.heads[writer]
	end := head.Seq
	hashes := map[int64][]byte{}
	err := c.s.WalkRecords(c.ctx, writer, head.Seq, func(r store.Record) error {
		var content struct{ Last int64 }
		if err := json.Unmarshal(r.Content, &content); err != nil {
			return fmt.Errorf("record %d: %w", r.Seq, err)
		}
		again := record(r.ID, writer, head, content.Last)
		if r.Seq != head.Seq+1 || !bytes.Equal(r.Hash, again.Hash) || !bytes.Equal(r.Content, again.Content) ||
			!bytes.Equal(r.Salt, again.Salt) || !bytes.Equal(r.ContentHash, again.ContentHash) {
			return fmt.Errorf("record %d does not follow %d: %+v", r.Seq, head.Seq, r)
		}
		if head.Seq == end {
			end = content.Last
		}
		if content.Last != end {
			return fmt.Errorf("record %d: a batch to %d is followed by one to %d", r.Seq, end, content.Last)
		}
		head = store.Head{Seq: r.Seq, Hash: slices.Clone(r.Hash)}
		hashes[r.Seq] = head.Hash
		return nil
	})
	if err != nil {
		c.problem("chain %s: %v", writer, err)
	}
	if head.Seq != end || head.Seq < c.records[writer] {
		c.problem("chain %s ends at %d: the batch at %d, acknowledged %d", writer, head.Seq, end, c.records[writer])
	}
	from := c.heads[writer].Seq
	c.heads[writer] = head
	list, err := c.s.ListCheckpoints(c.ctx, writer)
	if err != nil {
		c.problem("checkpoints of %s: %v", writer, err)
	}
	if len(list) < c.points[writer] {
		c.problem("%s: %d checkpoints, acknowledged %d", writer, len(list), c.points[writer])
	}
	for _, p := range list {
		if p.Seq > from && !bytes.Equal(p.Hash, hashes[p.Seq]) {
			c.problem("%s: the checkpoint of %d has no record", writer, p.Seq)
		}
	}
}
