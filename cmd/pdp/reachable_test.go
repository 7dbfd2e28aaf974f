package main

import (
	"context"
	"errors"
	"testing"

	"github.com/agent-pdp/pdp/handlers"
	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/policyfile"
)

// willing is an auditor that has not noticed that anything is wrong.
type willing struct{ taken int }

func (w *willing) Ready() error { return nil }

func (w *willing) Write(context.Context, *audit.Event) error { w.taken++; return nil }

func (w *willing) Commit(context.Context, *audit.Event) error { w.taken++; return nil }

func TestNoRecordIsTakenWhileTheStoreDoesNotAnswer(t *testing.T) {
	for _, row := range []struct {
		what          string
		away, answers bool
		refused       bool
	}{
		{"it answers", false, false, false},
		{"it does not", true, false, true},
		{"it does not, and the operator wants answers", true, true, false},
		{"it answers, and the operator wants answers", false, true, false},
	} {
		below := &willing{}
		a := carefulAuditor{below, func() bool { return row.away }, func() bool { return row.answers }}
		if err := a.Ready(); errors.Is(err, audit.ErrUnavailable) != row.refused {
			t.Errorf("%s: Ready %v", row.what, err)
		}
		if err := a.Write(t.Context(), &audit.Event{}); errors.Is(err, audit.ErrUnavailable) != row.refused || (below.taken == 0) != row.refused {
			t.Errorf("%s: Write %v", row.what, err)
		}
		if err := a.Commit(t.Context(), &audit.Event{}); err != nil {
			t.Errorf("%s: Commit %v", row.what, err)
		}
	}
}

func TestReadyTellsThatTheStoreDoesNotAnswer(t *testing.T) {
	for _, row := range []struct {
		onFailure   string
		away, ready bool
	}{
		{"refuse", false, true},
		{"refuse", true, false},
		{"answer", true, true},
	} {
		f, err := policyfile.Parse("p.yaml", []byte("version: 1\naudit: {on_failure: "+row.onFailure+"}\n"))
		if err != nil {
			t.Fatal(err)
		}
		l := &live{metrics: handlers.NewMetrics()}
		if err := l.use(f); err != nil {
			t.Fatal(err)
		}
		away := func() bool { return row.away }
		l.away.Store(&away)
		ready, detail := l.ready()
		if ready != row.ready || detail["store_failing"] != row.away {
			t.Errorf("%+v: ready %v, %v", row, ready, detail)
		}
	}
}
