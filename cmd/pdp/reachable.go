package main

import (
	"context"
	"fmt"

	"github.com/agent-pdp/pdp/handlers"
	"github.com/agent-pdp/pdp/internal/audit"
)

// carefulAuditor takes no record while the store is known not to answer: the
// audit log lies in it, and a writer that had nothing to write has not noticed. A
// change that was made proves the store to be there, so that Commit tries.
type carefulAuditor struct {
	handlers.Auditor
	away    func() bool // the store does not answer
	answers func() bool // the operator wants decisions all the same
}

func (a carefulAuditor) Ready() error {
	if a.refuses() {
		return errAway
	}
	return a.Auditor.Ready()
}

func (a carefulAuditor) Write(ctx context.Context, ev *audit.Event) error {
	if a.refuses() {
		return errAway
	}
	return a.Auditor.Write(ctx, ev)
}

func (a carefulAuditor) refuses() bool { return !a.answers() && a.away() }

var errAway = fmt.Errorf("%w: the store has not answered for two seconds", audit.ErrUnavailable)
