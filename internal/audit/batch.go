package audit

import (
	"bytes"
	"crypto/rand"
	"slices"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// batch is what one commit stores. Its records share a few buffers, which are
// used again for a later batch.
type batch struct {
	records []store.Record
	bounds  []int  // where each record's content ends in bytes
	bytes   []byte // the contents, one after the other
	oldest  time.Time
	result  *result
	hurry   bool // somebody waits for it

	salts  []byte
	hashes []byte // content hash and hash of each record
	seen   int64  // number and hash of the record before the first
	before []byte
	mark   []store.Checkpoint
}

// result tells everybody who waits for a batch how it went.
type result struct {
	done chan struct{}
	err  error
}

func newResult() *result { return &result{done: make(chan struct{})} }

func (r *result) set(err error) {
	r.err = err
	close(r.done)
}

func newBatch() *batch { return &batch{result: newResult()} }

func (b *batch) len() int { return len(b.records) }

// reset empties the batch; what is large stays for use again, unless a burst
// made it very large.
func (b *batch) reset() {
	const large = 8 << 20
	if cap(b.bytes) > large {
		b.bytes = nil
	}
	clear(b.records) // let go of the texts
	*b = batch{
		records: b.records[:0], bounds: b.bounds[:0], bytes: b.bytes[:0],
		salts: b.salts[:0], hashes: b.hashes[:0], before: b.before[:0], mark: b.mark[:0], result: newResult(),
	}
}

// add takes a record and copies its content.
func (b *batch) add(r *store.Record, content []byte, now time.Time) {
	if len(b.records) == 0 {
		b.oldest = now
	}
	b.records = append(b.records, *r)
	b.bytes = append(b.bytes, content...)
	b.bounds = append(b.bounds, len(b.bytes))
}

const hashSize = 32

// link gives the records their places in the chain, behind the given head. It may
// be called again, with another writer or head; salts stay.
func (b *batch) link(h *hasher, writer string, seq int64, hash []byte) {
	n := len(b.records)
	if len(b.salts) != n*saltSize {
		b.salts = slices.Grow(b.salts[:0], n*saltSize)[:n*saltSize]
		_, _ = rand.Read(b.salts) // never fails: the program ends first
	}
	b.hashes = slices.Grow(b.hashes[:0], 2*n*hashSize)[:2*n*hashSize]
	b.seen, b.before = seq, append(b.before[:0], hash...)
	prev := b.before
	start := 0
	for i := range b.records {
		r := &b.records[i]
		r.Writer, r.Seq = writer, seq+int64(i)+1
		r.Content = b.bytes[start:b.bounds[i]:b.bounds[i]]
		start = b.bounds[i]
		r.Salt = b.salts[i*saltSize : (i+1)*saltSize : (i+1)*saltSize]
		sums := b.hashes[2*i*hashSize : 2*(i+1)*hashSize]
		r.ContentHash = sums[:hashSize:hashSize]
		r.Hash = sums[hashSize : 2*hashSize : 2*hashSize]
		sum := h.content(r.Salt, r.Content)
		copy(r.ContentHash, sum[:])
		sum = h.link(prev, r)
		copy(r.Hash, sum[:])
		prev = r.Hash
	}
	b.mark = b.mark[:0]
}

// end is the number and hash of the last record once the batch is stored.
func (b *batch) end() (int64, []byte) {
	if n := len(b.records); n > 0 {
		return b.records[n-1].Seq, b.records[n-1].Hash
	}
	return b.seen, b.before
}

// first returns a batch of the first record alone, with the same salt, so that it
// gets the same hash. It shares the content.
func (b *batch) first() *batch {
	return &batch{
		records: b.records[:1:1], bounds: b.bounds[:1:1], bytes: b.bytes[:b.bounds[0]:b.bounds[0]],
		salts: append([]byte(nil), b.salts[:saltSize]...),
	}
}

// removeFirst takes the first record out. The others keep their places until the
// batch is linked again.
func (b *batch) removeFirst() {
	size := b.bounds[0]
	b.bytes = b.bytes[size:]
	b.bounds = slices.Delete(b.bounds, 0, 1)
	for i := range b.bounds {
		b.bounds[i] -= size
	}
	b.records = slices.Delete(b.records, 0, 1)
	b.salts = b.salts[saltSize:]
}

// firstToEnd puts the first record behind all others, which may be none. The batch
// must be linked again.
func (b *batch) firstToEnd() {
	record, salt := b.records[0], bytes.Clone(b.salts[:saltSize])
	content := bytes.Clone(b.bytes[:b.bounds[0]])
	b.removeFirst()
	b.records = append(b.records, record)
	b.bytes = append(b.bytes, content...)
	b.bounds = append(b.bounds, len(b.bytes))
	b.salts = append(b.salts, salt...)
}
