package audit

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/agent-pdp/pdp/internal/store"
)

// The canonical bytes of a header are what is hashed: a version, then each field
// in a fixed order. Texts and hashes are preceded by their length as four bytes,
// numbers are eight bytes, all big endian. No two headers have the same bytes,
// since the bytes can be read back in one way only.
//
//	"pdp audit record 1\n"
//	text   writer
//	number seq
//	text   id
//	number time, microseconds since 1970 (two's complement)
//	text   kind, session, caller, tool, outcome, code
//	text   content hash
const headerVersion = "pdp audit record 1\n"

// checkpointVersion starts the bytes that a checkpoint's signature covers:
// text writer, number seq, text hash, text kind, number time.
const checkpointVersion = "pdp audit checkpoint 1\n"

// Kinds of checkpoints that stand for more than that the chain went so far.
const (
	prunedMark  = "pruned"  // retention took the records up to this one
	erasureMark = "erasure" // this record, of the kind erasure, is the service's own
)

// saltSize is the length of every salt. It is fixed, so that salt and content
// can be told apart in what is hashed.
const saltSize = 16

// genesis stands for the hash of the record before the first one.
var genesis [sha256.Size]byte

func appendText(b []byte, s string) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

func appendBytes(b, s []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

func appendNumber(b []byte, n int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(n)) }

// appendHeader appends the canonical bytes of a record's header.
func appendHeader(b []byte, r *store.Record) []byte {
	b = append(b, headerVersion...)
	b = appendText(b, r.Writer)
	b = appendNumber(b, r.Seq)
	b = appendText(b, r.ID)
	b = appendNumber(b, r.Time.UnixMicro())
	b = appendText(b, r.Kind)
	b = appendText(b, r.Session)
	b = appendText(b, r.Caller)
	b = appendText(b, r.Tool)
	b = appendText(b, r.Outcome)
	b = appendText(b, r.Code)
	return appendBytes(b, r.ContentHash)
}

// appendCheckpoint appends the bytes that a checkpoint's signature covers.
func appendCheckpoint(b []byte, c *store.Checkpoint) []byte {
	b = append(b, checkpointVersion...)
	b = appendText(b, c.Writer)
	b = appendNumber(b, c.Seq)
	b = appendBytes(b, c.Hash)
	b = appendText(b, c.Kind)
	return appendNumber(b, c.Time.UnixMicro())
}

// hasher computes hashes and keeps its buffer.
type hasher struct{ buf []byte }

// content is the salted hash of a record's content.
func (h *hasher) content(salt, content []byte) [sha256.Size]byte {
	h.buf = append(append(h.buf[:0], salt...), content...)
	return sha256.Sum256(h.buf)
}

// link is the hash of a record: over that of the one before it, and its header.
// prev is empty for the first record of a chain.
func (h *hasher) link(prev []byte, r *store.Record) [sha256.Size]byte {
	if len(prev) == 0 {
		prev = genesis[:]
	}
	h.buf = appendHeader(append(h.buf[:0], prev...), r)
	return sha256.Sum256(h.buf)
}
