//go:build unix

package handlers

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/store/sqlite"
)

// BenchmarkAuditRatio tells what recording decisions costs: the same requests, in
// turns, to a service without an audit log and to one that writes it to SQLite,
// in async mode. The database is in PDP_BENCH_DIR, or where tests keep theirs.
func BenchmarkAuditRatio(b *testing.B) {
	dir := os.Getenv("PDP_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	dir, err := os.MkdirTemp(dir, "pdp-bench")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	db, err := sqlite.Open(b.Context(), filepath.Join(dir, "pdp.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	id, err := audit.NewIdentity()
	if err != nil {
		b.Fatal(err)
	}
	writer, err := audit.Open(b.Context(), audit.Options{Log: db, Identity: id})
	if err != nil {
		b.Fatal(err)
	}
	audited := trustingService(b, func(d *Deps) {
		d.Log = zerolog.New(bufio.NewWriterSize(io.Discard, 64<<10)).With().Timestamp().Logger()
		d.Audit, d.Records = writer, db
	})
	without, with := connect(b, benchService(b)), connect(b, audited)
	without.send(b, 100)
	with.send(b, 100)
	var bare, recorded time.Duration
	var cpuBare, cpuRecorded int64
	const turn = 2000
	b.ResetTimer()
	for n := 0; n < b.N; n += turn {
		start, cpu := time.Now(), processorTime(b)
		without.send(b, turn)
		bare, cpuBare = bare+time.Since(start), cpuBare+processorTime(b)-cpu
		start, cpu = time.Now(), processorTime(b)
		with.send(b, turn)
		recorded += time.Since(start)
		for writer.Lag() > 0 { // the writing that is still to come is a part of the cost
			time.Sleep(time.Millisecond)
		}
		cpuRecorded += processorTime(b) - cpu
	}
	b.StopTimer()
	if err := writer.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(recorded)/float64(bare), "time-ratio")
	b.ReportMetric(float64(cpuRecorded)/float64(cpuBare), "cpu-ratio")
	b.ReportMetric(float64(cpuRecorded-cpuBare)/float64(max(b.N, turn)), "cpu-ns/record")
}
