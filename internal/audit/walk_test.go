package audit

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// busyLog is a log with which something happens while it is read: before the
// first page, or before the first record above a number is visited.
type busyLog struct {
	*memLog
	above int64 // -1: before the first page
	do    func()
}

func (l *busyLog) once() {
	if do := l.do; do != nil {
		l.do = nil
		do()
	}
}

// WalkRecords reads pages of three.
func (l *busyLog) WalkRecords(ctx context.Context, writer string, above int64, visit func(store.Record) error) error {
	if l.above < 0 {
		l.once()
	}
	for {
		var page []store.Record
		_ = l.memLog.WalkRecords(ctx, writer, above, func(r store.Record) error {
			if page = append(page, r); len(page) == 3 {
				return errEnough
			}
			return nil
		})
		for _, r := range page {
			if err := visit(r); err != nil {
				return err
			}
			if above = r.Seq; l.above >= 0 && above > l.above {
				l.once()
			}
		}
		if len(page) < 3 {
			return nil
		}
	}
}

// An export while retention runs holds what is there or fails; it never looks as if
// records had been removed.
func TestExportWhileRetentionRuns(t *testing.T) {
	tests := []struct {
		name  string
		at    int64 // of the record after which retention runs; -1: before the first page
		until int64 // the last record that it takes
		left  int64 // records of the export; -1: it fails
	}{
		{"before the first record is read", -1, 4, 6},
		{"all, before the first record is read", -1, 10, 0},
		{"only what was read", 4, 3, 10},
		{"more than was read", 1, 5, -1},
		{"as far as the page that was read", 1, 3, 10},
		{"all behind what was read", 4, 10, -1},
	}
	for _, tc := range tests {
		for _, form := range []struct {
			name   string
			export func(context.Context, store.Log, store.RecordQuery, *bytes.Buffer) (int64, error)
		}{
			{"JSON", func(ctx context.Context, l store.Log, q store.RecordQuery, to *bytes.Buffer) (int64, error) {
				return Export(ctx, l, q, to)
			}},
			{"CSV", func(ctx context.Context, l store.Log, q store.RecordQuery, to *bytes.Buffer) (int64, error) {
				return ExportCSV(ctx, l, q, to)
			}},
		} {
			t.Run(tc.name+", "+form.name, func(t *testing.T) {
				log := newMemLog()
				w := openTest(t, log, testIdentity(t), Settings{Sync: true})
				for i := range 10 {
					_ = w.Write(ctx, testEvent(i))
				}
				if err := w.Close(ctx); err != nil {
					t.Fatal(err)
				}
				busy := &busyLog{memLog: log, above: tc.at, do: func() {
					r := log.records[w.ID()][tc.until-1]
					if _, err := log.Prune(ctx, Sign(w.identity.Key, store.Checkpoint{Writer: r.Writer, Seq: r.Seq, Hash: r.Hash, Kind: prunedMark, Time: r.Time})); err != nil {
						t.Error(err)
					}
				}}
				var to bytes.Buffer
				n, err := form.export(ctx, busy, store.RecordQuery{}, &to)
				if tc.left < 0 {
					if !errors.Is(err, ErrPruned) {
						t.Errorf("%d records, and %v", n, err)
					}
					return
				}
				if err != nil || n != tc.left {
					t.Fatalf("%d records (%v), want %d", n, err, tc.left)
				}
				if form.name == "CSV" {
					return
				}
				if r, err := VerifyExport(ctx, &to, VerifyOptions{}); err != nil || !r.Good() || r.Records != n {
					t.Errorf("%v: %+v", err, r)
				}
			})
		}
	}
}

// A chain that is begun while others are read is read too: it may say why contents
// are gone.
func TestExportReadsChainsThatAreBegunMeanwhile(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{Sync: true})
	for i := range 5 {
		_ = w.Write(ctx, testEvent(i))
	}
	busy := &busyLog{memLog: log, above: 1, do: func() {
		visitor := openTest(t, log, testIdentity(t), Settings{Sync: true})
		if n, err := visitor.Erase(ctx, "s1", auth.Caller{ID: "token:a"}, ""); err != nil || n != 5 {
			t.Error(n, err)
		}
	}}
	var to bytes.Buffer
	if n, err := Export(ctx, busy, store.RecordQuery{}, &to); err != nil || n != 7 {
		t.Fatal(n, err)
	}
	if r, err := VerifyExport(ctx, &to, VerifyOptions{}); err != nil || !r.Good() || r.Erased == 0 {
		t.Errorf("%v: %+v", err, r)
	}
}

// Holes that nobody pruned are exported as they are, for verify to find.
func TestExportOfALogWithHoles(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{Sync: true})
	for i := range 6 {
		_ = w.Write(ctx, testEvent(i))
	}
	log.records[w.ID()] = slices.Delete(log.records[w.ID()], 2, 4)
	var to bytes.Buffer
	if n, err := Export(ctx, log, store.RecordQuery{}, &to); err != nil || n != 4 {
		t.Fatal(n, err)
	}
	if r, err := VerifyExport(ctx, &to, VerifyOptions{}); err != nil || !strings.HasPrefix(faults(r), "missing 3-4") {
		t.Errorf("%v: %q", err, faults(r))
	}
}
