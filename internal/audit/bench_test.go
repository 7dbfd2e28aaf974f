package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqlite"
)

// benchStore is a SQLite file in the directory that PDP_BENCH_DIR names, such as
// one on tmpfs, so that the disk is not what is measured.
func benchStore(b *testing.B) *sqlite.Store {
	b.Helper()
	dir, err := os.MkdirTemp(os.Getenv("PDP_BENCH_DIR"), "audit")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	db, err := sqlite.Open(ctx, filepath.Join(dir, "pdp.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	return db
}

func perSecond(b *testing.B) { b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s") }

// BenchmarkWrite is everything: redaction, encoding, hashing, and the store.
func BenchmarkWrite(b *testing.B) {
	for _, callers := range []int{1, 64} {
		for _, sync := range []bool{false, true} {
			b.Run(fmt.Sprintf("sync=%t/callers=%d", sync, callers), func(b *testing.B) {
				id, err := NewIdentity()
				if err != nil {
					b.Fatal(err)
				}
				w, err := Open(ctx, Options{Log: benchStore(b), Identity: id, Settings: Settings{Sync: sync}})
				if err != nil {
					b.Fatal(err)
				}
				ev := testEvent(1)
				b.SetParallelism(max(1, callers/2)) // of two processors
				b.ReportAllocs()
				b.ResetTimer()
				write := func() {
					if err := w.Write(ctx, ev); err != nil {
						b.Error(err)
					}
				}
				if callers == 1 {
					for range b.N {
						write()
					}
				} else {
					b.RunParallel(func(p *testing.PB) {
						for p.Next() {
							write()
						}
					})
				}
				if err := w.Close(ctx); err != nil {
					b.Fatal(err)
				}
				perSecond(b)
			})
		}
	}
}

// BenchmarkBareInserts stores records of the same size that need no work, in
// transactions as large as the writer's.
func BenchmarkBareInserts(b *testing.B) {
	db := benchStore(b)
	id, err := NewIdentity()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := db.OpenWriter(ctx, id.writer(time.Now())); err != nil {
		b.Fatal(err)
	}
	enc := &encoder{rules: &Redaction{body: DefaultBody}}
	ev := testEvent(1)
	enc.encode(ev)
	batch := make([]store.Record, 0, flushRecords)
	hash := make([]byte, hashSize)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		r := store.Record{Writer: id.Writer, Seq: int64(i + 1), Content: enc.buf, Salt: hash[:saltSize], ContentHash: hash, Hash: hash}
		ev.header(&r)
		r.ID = decide.NewID(time.Now())
		if batch = append(batch, r); len(batch) == flushRecords || i == b.N-1 {
			if err := db.Append(ctx, batch, nil); err != nil {
				b.Fatal(err)
			}
			batch = batch[:0]
		}
	}
	perSecond(b)
}

// BenchmarkVerify reads a log of PDP_BENCH_RECORDS (default 100,000) records.
func BenchmarkVerify(b *testing.B) {
	n := 100_000
	if text := os.Getenv("PDP_BENCH_RECORDS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	db := benchStore(b)
	id, err := NewIdentity()
	if err != nil {
		b.Fatal(err)
	}
	w, err := Open(ctx, Options{Log: db, Identity: id})
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		if err := w.Write(ctx, testEvent(i)); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if r, err := Verify(ctx, db, VerifyOptions{}); err != nil || !r.Good() || r.Records != int64(n) {
			b.Fatal(err, r)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkEncode is what a record costs the one who asks: redaction and encoding.
func BenchmarkEncode(b *testing.B) {
	enc := &encoder{rules: &Redaction{body: DefaultBody}}
	ev := testEvent(1)
	ev.Decision.Rule = "the command `git status` only reads"
	ev.Decision.Paths = []decide.JudgedPath{{Given: ".", Resolved: "/srv/app/src", Root: "/srv/app", Access: "read"}}
	ev.Trace, ev.Request = "4bf92f3577b34da6a3ce929d0e0e4736", "0198a4c2-7e0b-7cc3-98c4-dc0c0c07398f"
	b.ReportAllocs()
	for b.Loop() {
		var r store.Record
		ev.header(&r)
		enc.buf = enc.buf[:0]
		enc.encode(ev)
	}
}
