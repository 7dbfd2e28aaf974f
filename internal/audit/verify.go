package audit

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"math"
	"slices"

	"github.com/agent-pdp/pdp/internal/store"
)

// Verify reads a whole log and says what is not as it was written. It reads as it
// goes, also while the service writes, and holds checkpoints and findings in
// memory, never records. The error says that the log could not be read.
func Verify(ctx context.Context, log store.Log, o VerifyOptions) (*Report, error) {
	v, err := verifyOnce(ctx, log, o)
	if err == nil && v.unexplained {
		// A session may have been erased meanwhile, by a record in a chain that was
		// already read.
		v, err = verifyOnce(ctx, log, o)
	}
	if err != nil {
		return nil, fmt.Errorf("verifying the audit log: %w", err)
	}
	return &v.report, nil
}

func verifyOnce(ctx context.Context, log store.Log, o VerifyOptions) (*verifier, error) {
	v := newVerifier(o)
	writers, err := log.ListWriters(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range writers {
		if err := v.chainOf(ctx, log, w); err != nil {
			return nil, err
		}
	}
	if v.report.Strays, err = log.CountStrays(ctx); err != nil {
		return nil, err
	}
	v.absent()
	v.idle()
	v.explain()
	v.sort()
	return v, nil
}

// chainOf verifies one chain. If retention took records meanwhile, it begins anew.
func (v *verifier) chainOf(ctx context.Context, log store.Log, w store.Writer) error {
	for try := 0; ; try++ {
		findings, more := len(v.report.Findings), v.report.More
		// The checkpoints come first: what they speak of is then there.
		marks, err := log.ListCheckpoints(ctx, w.ID)
		if err != nil {
			return err
		}
		c := v.begin(w, marks)
		err = log.WalkRecords(ctx, w.ID, math.MinInt64, func(r store.Record) error {
			c.record(&r, nil)
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		c.end()
		writers, err := log.ListWriters(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(writers, func(now store.Writer) bool { return now.ID == w.ID })
		if i < 0 || writers[i].Pruned == w.Pruned || try == 3 {
			v.add(c)
			return nil
		}
		w = writers[i]
		v.report.Findings, v.report.More = v.report.Findings[:findings], more
	}
}

// sort puts findings of one chain into the order of their numbers; chains keep
// theirs.
func (v *verifier) sort() {
	slices.SortStableFunc(v.report.Findings, func(a, b Finding) int {
		if a.Writer != b.Writer {
			return v.place(a.Writer) - v.place(b.Writer)
		}
		return int(max(min(a.Seq-b.Seq, 1), -1))
	})
}

func (v *verifier) place(writer string) int {
	if i, ok := v.found[writer]; ok {
		return i
	}
	return len(v.found)
}

// asKey gives bytes the type that has Equal.
func asKey(b []byte) ed25519.PublicKey { return ed25519.PublicKey(b) }
