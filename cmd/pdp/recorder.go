package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/policyfile"
	"github.com/agent-pdp/pdp/internal/repeat"
	"github.com/agent-pdp/pdp/internal/store"
)

// How often old records are looked for, and how long a stop waits for the
// records that are not stored yet: with the drain delay and what else is written
// at the end, less than the ten seconds after which supervisors kill.
const (
	retentionEvery = time.Hour
	retentionTime  = 10 * time.Minute
	lastRecords    = 5 * time.Second
)

// recorder is the audit log of a running service.
type recorder struct {
	writer *audit.Writer
	log    zerolog.Logger
}

// recordsChanges writes down a change, and returns when that is stored.
type recordsChanges interface {
	Commit(ctx context.Context, ev *audit.Event) error
}

// openRecorder goes on with the chain of the state directory. Without one, each
// run has its own key and its own chain.
func openRecorder(ctx context.Context, log store.Log, stateDir string, l *live) (*recorder, error) {
	identity, err := writerIdentity(stateDir)
	if err != nil {
		return nil, err
	}
	var opened atomic.Pointer[audit.Writer]
	meter := l.metrics.AuditMeter(func() time.Duration {
		if w := opened.Load(); w != nil {
			return w.Lag()
		}
		return 0
	})
	writer, err := audit.Open(ctx, audit.Options{
		Log: log, Identity: identity, Settings: l.current.Load().audit, Meter: meter,
		Report: func(err error) {
			if err == nil {
				l.log.Info().Msg("the audit log can be written again")
				return
			}
			l.log.Error().Err(err).Msg("the audit log cannot be written")
		},
	})
	if err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	opened.Store(writer)
	return &recorder{writer, l.log}, nil
}

func writerIdentity(stateDir string) (audit.Identity, error) {
	if stateDir == "" {
		return audit.NewIdentity()
	}
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return audit.Identity{}, err
	}
	return audit.LoadIdentity(stateDir)
}

// auditSettings reads what a policy says about its audit log.
func auditSettings(f *policyfile.File) (audit.Settings, error) {
	redaction, err := audit.NewRedaction(f.Audit.Redact, f.Audit.BodyBytes)
	if err != nil {
		return audit.Settings{}, fmt.Errorf("audit.redact: %w", err)
	}
	return audit.Settings{
		Sync: f.Audit.Mode == "sync", Answer: f.Audit.OnFailure == "answer",
		CheckpointEvery: f.Audit.CheckpointEvery, CheckpointInterval: f.Audit.CheckpointInterval, Redaction: redaction,
	}, nil
}

// policyChanged notes that another policy is in force, or that one was refused.
// What is decided does not depend on the note.
func (r *recorder) policyChanged(outcome string, facts map[string]any) {
	ctx, cancel := context.WithTimeout(context.Background(), audit.DefaultWait)
	defer cancel()
	err := r.writer.Write(ctx, &audit.Event{Kind: audit.PolicyChanged, Caller: service, Outcome: outcome, Details: audit.Detail(facts)})
	if err != nil && !errors.Is(err, audit.ErrClosed) {
		r.log.Error().Err(err).Msg("a change of the policy could not be recorded")
	}
}

// prune takes old records away from time to time, until ctx ends.
func (r *recorder) prune(ctx context.Context, retention func() time.Duration) {
	once := func(ctx context.Context) {
		if keep := retention(); keep > 0 {
			r.pruneOnce(ctx, time.Now().Add(-keep))
		}
	}
	once(ctx)
	repeat.Every(ctx, retentionEvery, once)
}

func (r *recorder) pruneOnce(ctx context.Context, before time.Time) {
	limited, cancel := context.WithTimeout(ctx, retentionTime)
	defer cancel()
	n, err := r.writer.Prune(limited, before)
	switch {
	case err != nil && ctx.Err() == nil:
		r.log.Error().Err(err).Int("records", n).Msg("old audit records could not all be taken away")
	case n > 0:
		r.log.Info().Int("records", n).Time("before", before).Msg("old audit records were taken away")
	}
}

func (r *recorder) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), lastRecords)
	defer cancel()
	return r.writer.Close(ctx)
}

// visitAudit opens the audit log for a command that changes something beside a
// running service: it writes a chain of its own.
func visitAudit(ctx context.Context, log store.Log, stateDir string) (*audit.Writer, error) {
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return nil, err
	}
	identity, err := audit.Visitor(stateDir)
	if err != nil {
		return nil, err
	}
	return audit.Open(ctx, audit.Options{Log: log, Identity: identity, Settings: audit.Settings{Sync: true}})
}

func recordVisit(ctx context.Context, log store.Log, stateDir string, ev *audit.Event) error {
	w, err := visitAudit(ctx, log, stateDir)
	if err != nil {
		return err
	}
	return errors.Join(w.Commit(ctx, ev), w.Close(ctx))
}

// service is the caller of what the service does by itself.
var service = auth.Caller{ID: "pdp", Name: "pdp"}

// operator is who runs a command on the store's own machine.
func operator() auth.Caller {
	who := auth.Caller{ID: "uid:unknown", Role: auth.Admin}
	if u, err := user.Current(); err == nil {
		who.ID, who.Name = "uid:"+u.Uid, u.Username
	}
	return who
}

// tokenEvent tells what became of a token, without its text.
func tokenEvent(outcome string, t store.Token, by auth.Caller) *audit.Event {
	facts := map[string]any{"token_id": t.ID}
	if t.Name != "" {
		facts["token_name"], facts["token_role"] = t.Name, t.Role
	}
	if !t.Expires.IsZero() {
		facts["expires_at"] = t.Expires.UTC()
	}
	return &audit.Event{Kind: audit.TokenChanged, Caller: by, Outcome: outcome, Details: audit.Detail(facts)}
}
