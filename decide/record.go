package decide

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// NewRecord gives a decision its id and time.
func NewRecord(d Decision) Record {
	now := time.Now()
	return Record{ID: NewID(now), DecidedAt: now, Decision: d}
}

// NewID makes a version 7 UUID (RFC 9562): ids sort by the millisecond in which
// they were made, and the rest is random.
func NewID(now time.Time) string {
	var id [16]byte
	_, _ = rand.Read(id[6:]) // never fails: the program ends first
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(id[:6], ms[2:])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80

	var text [36]byte
	hex.Encode(text[0:8], id[0:4])
	hex.Encode(text[9:13], id[4:6])
	hex.Encode(text[14:18], id[6:8])
	hex.Encode(text[19:23], id[8:10])
	hex.Encode(text[24:36], id[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}
