package audit

import (
	"bytes"
	"fmt"

	"github.com/agent-pdp/pdp/internal/store"
)

// check follows one chain, record by record.
type check struct {
	*verifier
	chain  Chain
	writer store.Writer
	marks  []store.Checkpoint // by number; those that are signed well
	next   int                // the first of marks that is not compared yet
	// differs says that the last checkpoint compared was of another record.
	differs bool

	seq  int64  // of the last record in its place
	hash []byte // nil: not known, and what follows is compared with nothing
	// group are records in a row that do not follow each other, and base is the
	// hash before them.
	group []store.Record
	base  []byte
	holes []hole // of a file: numbers that may come later

	gone   map[string]*gone     // session → its records without content
	erased map[string]erasureAt // session → the last erasure that is signed
	// unsigned are erasures that anybody may have written.
	unsigned map[string]erasureAt
}

// hole is a row of numbers that were passed over.
type hole struct{ from, to int64 }

// begin starts a chain with its checkpoints, ordered by number.
func (v *verifier) begin(w store.Writer, marks []store.Checkpoint) *check {
	c := &check{
		verifier: v, writer: w, seq: w.Pruned, hash: bytes.Clone(w.PrunedHash),
		gone: map[string]*gone{}, erased: map[string]erasureAt{}, unsigned: map[string]erasureAt{},
	}
	if c.seq == 0 {
		c.hash = genesis[:]
	}
	c.chain = Chain{Writer: w.ID, Key: Fingerprint(w.PublicKey), Pruned: w.Pruned, Last: w.Pruned, Signed: -1}
	if !v.trusted(w.PublicKey) {
		c.fault(ForeignKey, 0, "", "the chain is signed by the key "+c.chain.Key+", which is none of those given")
	}
	pruned := w.Pruned == 0
	for _, m := range marks {
		c.chain.Checkpoints++
		if !signedBy(w.PublicKey, &m) {
			c.fault(BadSignature, m.Seq, "", fmt.Sprintf("the checkpoint of record %d is not signed by the writer's key", m.Seq))
			continue
		}
		pruned = pruned || m.Kind == prunedMark && m.Seq == w.Pruned && bytes.Equal(m.Hash, w.PrunedHash)
		c.marks = append(c.marks, m)
	}
	if !pruned {
		c.tell(Finding{
			Fault: BadPrune, Writer: w.ID, Seq: 1, Until: w.Pruned,
			Text: fmt.Sprintf("the records up to %d are gone, and no checkpoint says that retention took them", w.Pruned),
		})
	}
	c.known()
	c.compare(w.Pruned, c.hash)
	return c
}

func (c *check) fault(f Fault, seq int64, id, text string) {
	c.tell(Finding{Fault: f, Writer: c.writer.ID, Seq: seq, ID: id, Text: text})
}

// known adds what is known from elsewhere to the checkpoints.
func (c *check) known() {
	for _, k := range c.options.Known {
		if k.Writer != c.writer.ID {
			continue
		}
		if k.Key != nil && !k.Key.Equal(asKey(c.writer.PublicKey)) {
			c.fault(ForeignKey, 0, "", "the chain has another key than the checkpoint kept elsewhere: "+c.chain.Key)
			continue
		}
		if !signedBy(c.writer.PublicKey, &k.Checkpoint) {
			c.fault(BadSignature, k.Seq, "", fmt.Sprintf("the checkpoint of record %d that was kept elsewhere is not signed by the writer's key", k.Seq))
			continue
		}
		i := 0
		for i < len(c.marks) && c.marks[i].Seq <= k.Seq {
			i++
		}
		c.marks = append(c.marks[:i:i], append([]store.Checkpoint{k.Checkpoint}, c.marks[i:]...)...)
	}
}

// compare compares a record with the checkpoints that speak of it, and passes
// over those that speak of earlier ones.
func (c *check) compare(seq int64, hash []byte) {
	for ; c.next < len(c.marks) && c.marks[c.next].Seq <= seq; c.next++ {
		m := &c.marks[c.next]
		if m.Seq < seq {
			if m.Seq == 0 {
				c.chain.Signed = max(c.chain.Signed, 0)
			}
			continue // the record is gone, which is told elsewhere
		}
		if seq == 0 || hash != nil && bytes.Equal(m.Hash, hash) {
			c.chain.Signed, c.differs = seq, false
			continue
		}
		if c.differs {
			continue // told by the first checkpoint that differs
		}
		c.differs = true
		after := max(c.chain.Signed, 0)
		c.tell(Finding{
			Fault: Changed, Writer: c.writer.ID, Seq: after + 1, Until: seq,
			Text: fmt.Sprintf("record %d is not the one that was signed: between %d and %d records were changed and their hashes computed anew", seq, after+1, seq),
		})
	}
}

// record takes the next record. prev is the hash of the record before it, where
// that is stored beside it.
func (c *check) record(r *store.Record, prev []byte) {
	c.chain.Records++
	c.content(r)
	c.form(r)
	switch {
	case r.Seq <= c.writer.Pruned:
		c.fault(Added, r.Seq, r.ID, fmt.Sprintf("record %d stands before the beginning of the chain", r.Seq))
		return
	case r.Seq <= c.seq:
		c.late(r, prev)
		return
	case r.Seq > c.seq+1:
		c.settle()
		c.gap(r.Seq)
		c.hash = nil
	}
	if c.chain.First == 0 {
		c.chain.First = r.Seq
	}
	c.chain.Last = r.Seq
	before := c.hash
	if before == nil {
		before = prev
	}
	follows := before == nil || c.linked(before, r)
	if prev != nil && before != nil && !bytes.Equal(prev, padded(before)) {
		follows = false
	}
	switch {
	case follows:
		c.settle()
	case len(c.group) == 0:
		c.base = bytes.Clone(before)
		fallthrough
	default:
		if len(c.group) >= maxGroup {
			base := bytes.Clone(before)
			c.settle()
			c.base = base
		}
		c.group = append(c.group, header(r))
	}
	c.seq, c.hash = r.Seq, bytes.Clone(r.Hash)
	if len(c.group) == 0 {
		c.noteErasure(r)
		c.compare(r.Seq, r.Hash)
	}
}

// form tells of a header that reads as it was written, and is not found by what
// it holds.
func (c *check) form(r *store.Record) {
	switch r.Odd {
	case "", "content", "salt": // told with the content
		return
	}
	c.fault(Changed, r.Seq, r.ID, fmt.Sprintf("record %d was changed: its %s is of another type than it was stored in, so that questions do not find it", r.Seq, r.Odd))
}

// linked reports whether a record's hash is that of its place.
func (c *check) linked(prev []byte, r *store.Record) bool {
	sum := c.hasher.link(prev, r)
	return bytes.Equal(sum[:], r.Hash)
}

// content compares a record's content with its hash.
func (c *check) content(r *store.Record) {
	if r.Content == nil && r.Salt == nil {
		c.chain.Erased++
		c.noteGone(r)
		return
	}
	sum := c.hasher.content(r.Salt, r.Content)
	if len(r.Salt) != saltSize || !bytes.Equal(sum[:], r.ContentHash) || r.Odd == "content" || r.Odd == "salt" {
		c.fault(ContentChanged, r.Seq, r.ID, fmt.Sprintf("the content of record %d was changed", r.Seq))
	}
}

// gap tells of records that are not there, or remembers that they may come.
func (c *check) gap(to int64) {
	c.holes = append(c.holes, hole{c.seq + 1, to - 1})
	if len(c.holes) > maxHoles {
		c.missing(c.holes[0])
		c.holes = c.holes[1:]
	}
}

func (c *check) missing(h hole) {
	text := fmt.Sprintf("record %d is missing", h.from)
	if h.to > h.from {
		text = fmt.Sprintf("records %d to %d are missing", h.from, h.to)
	}
	if !c.report.Partial {
		c.tell(Finding{Fault: Missing, Writer: c.writer.ID, Seq: h.from, Until: h.to, Text: text})
	}
}

// late takes a record whose place has been passed.
func (c *check) late(r *store.Record, prev []byte) {
	if prev != nil && !c.linked(prev, r) {
		c.fault(Changed, r.Seq, r.ID, fmt.Sprintf("record %d was changed", r.Seq))
	}
	for i, h := range c.holes {
		if r.Seq < h.from || r.Seq > h.to {
			continue
		}
		var rest []hole
		if h.from < r.Seq {
			rest = append(rest, hole{h.from, r.Seq - 1})
		}
		if r.Seq < h.to {
			rest = append(rest, hole{r.Seq + 1, h.to})
		}
		c.holes = append(c.holes[:i:i], append(rest, c.holes[i+1:]...)...)
		c.fault(Reordered, r.Seq, r.ID, fmt.Sprintf("record %d stands after record %d", r.Seq, c.seq))
		return
	}
	c.fault(Duplicated, r.Seq, r.ID, fmt.Sprintf("there is more than one record with the number %d", r.Seq))
}

// settle tells of the records that did not follow each other: in another order
// they may.
func (c *check) settle() {
	group := c.group
	if len(group) == 0 {
		return
	}
	c.group = nil
	first, last := group[0].Seq, group[len(group)-1].Seq
	if order := c.reorder(group); order != "" {
		c.tell(Finding{
			Fault: Reordered, Writer: c.writer.ID, Seq: first, Until: last, ID: group[0].ID,
			Text: fmt.Sprintf("records %d to %d stand in another order than they were written: their numbers were %s", first, last, order),
		})
		return
	}
	for i := range group {
		r := &group[i]
		text := fmt.Sprintf("record %d was changed", r.Seq)
		if r.Seq > 1 {
			text = fmt.Sprintf("record %d was changed, or does not follow record %d", r.Seq, r.Seq-1)
		}
		c.fault(Changed, r.Seq, r.ID, text)
	}
}

// reorder returns the numbers that the records of a group once had, or nothing if
// they do not fit in any order.
func (c *check) reorder(group []store.Record) string {
	if c.base == nil || len(group) < 2 {
		return ""
	}
	numbers := make([]int64, len(group))
	prev := c.base
place:
	for i := range group {
		for j := range group {
			r := group[j]
			r.Seq = group[0].Seq + int64(i)
			if numbers[j] == 0 && c.linked(prev, &r) {
				numbers[j], prev = r.Seq, r.Hash
				continue place
			}
		}
		return ""
	}
	return fmt.Sprint(numbers)
}

// end closes the chain.
func (c *check) end() {
	c.settle()
	c.chain.Unsigned = c.chain.Last - max(c.chain.Signed, c.chain.Pruned)
	for _, h := range c.holes {
		c.missing(h)
	}
	if n := len(c.marks); n > 0 && c.marks[n-1].Seq > c.chain.Last && !c.report.Partial {
		last := c.marks[n-1]
		c.tell(Finding{
			Fault: CutOff, Writer: c.writer.ID, Seq: c.chain.Last + 1, Until: last.Seq,
			Text: fmt.Sprintf("the chain ends with record %d, but a checkpoint speaks of record %d", c.chain.Last, last.Seq),
		})
	}
	if len(c.marks) == 0 && c.chain.Records > 0 {
		c.fault(Unsigned, 0, "", "the chain has records and no checkpoint that is signed well")
	}
}

// header returns a record without its content, that holds no others' bytes.
func header(r *store.Record) store.Record {
	h := *r
	h.Content, h.Salt = nil, nil
	h.Hash, h.ContentHash = bytes.Clone(r.Hash), bytes.Clone(r.ContentHash)
	return h
}

// padded is a hash as link takes it.
func padded(hash []byte) []byte {
	if len(hash) == 0 {
		return genesis[:]
	}
	return hash
}
