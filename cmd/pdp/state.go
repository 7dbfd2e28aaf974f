package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/agent-pdp/pdp/handlers"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/events"
	"github.com/agent-pdp/pdp/internal/policyfile"
	"github.com/agent-pdp/pdp/internal/sessions"
	"github.com/agent-pdp/pdp/internal/store"
)

// state is what the service keeps, and what runs beside the requests for it.
type state struct {
	store    store.Store
	keeper   *sessions.Keeper
	events   *events.Hub
	recorder *recorder

	stop context.CancelFunc
	ran  sync.WaitGroup
}

// openState opens the store, and puts a keeper of sessions on it. With --store
// none there is neither.
func (c *serveCmd) openState(ctx context.Context, a *app, l *live, who *callers) (*state, error) {
	s := &state{stop: func() {}}
	if c.Store == noStore {
		return s, nil
	}
	db, err := openStore(ctx, c.Store, c.StateDir, toServe)
	if err != nil {
		return nil, err
	}
	s.store = db
	if err := s.read(ctx, l, who, c.StateDir); err != nil {
		_ = s.close()
		return nil, err
	}
	return s, nil
}

// read makes ready what works on the store. Nothing runs yet.
func (s *state) read(ctx context.Context, l *live, who *callers, stateDir string) error {
	var err error
	if s.recorder, err = openRecorder(ctx, s.store, stateDir, l); err != nil {
		return err
	}
	l.record(s.recorder)
	s.events = events.New(events.DefaultKept, events.DefaultBuffer, events.DefaultListeners)
	s.keeper, err = sessions.New(ctx, sessions.Options{
		Store: s.store, Policy: l.policy, Reviewer: l.reviewer, Log: l.log,
		Quota:      quotaOf(l.file()),
		OnApproval: func(a sessions.Approval) { s.events.Publish(handlers.ApprovalEvent(a)) },
		OnMissed:   func() { s.events.Publish(handlers.MissedEvent()) },
		OnTokens:   who.tokensChanged,
		OnStale:    who.tokensAway,
	})
	if err != nil {
		return err
	}
	away := func() bool {
		_, fresh := s.keeper.Fresh()
		return !fresh
	}
	l.away.Store(&away)
	// After the keeper has noted from where on it tells of changes: a token that is
	// revoked in between is then not missed.
	if err := who.useTokens(ctx, s.store); err != nil {
		return fmt.Errorf("reading the tokens: %w", err)
	}
	return nil
}

func quotaOf(f *policyfile.File) sessions.Quota {
	return sessions.Quota{Sessions: f.Limits.SessionsPerCaller, Bytes: int64(f.Limits.SessionBytesPerCaller)}
}

// start makes the first administrator's token, and has everything run. It comes
// when nothing else of the start can go wrong: what was made for a start that
// failed would be shown, scroll away, and stay valid.
func (s *state) start(ctx context.Context, a *app, l *live, who *callers) error {
	if s.store == nil {
		return nil
	}
	if err := who.firstAdmin(ctx, s.store, s.recorder.writer, terminalOf(a.stderr), l.log); err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = cancel
	who.authenticator.Lookup = auth.NewLookup(who.readNow)
	s.ran.Go(func() { who.keepTokens(running, s.store) })
	s.ran.Go(func() { s.recorder.prune(running, func() time.Duration { return l.file().Audit.Retention }) })
	s.ran.Go(func() { s.keeper.Run(running) })
	return nil
}

// endStreams ends what clients listen to or wait for, so that it does not hold up the end.
func (s *state) endStreams() {
	if s.keeper != nil {
		s.keeper.End()
		s.events.Close()
	}
}

// close ends what runs, and then the store. It is called when no request is
// in work any more.
func (s *state) close() error {
	s.stop()
	s.ran.Wait()
	if s.store == nil {
		return nil
	}
	var err error
	if s.recorder != nil {
		err = s.recorder.close()
	}
	return errors.Join(err, s.store.Close())
}

// writes is where handlers write what happens, or nil.
func (s *state) writes(l *live) handlers.Auditor {
	if s.recorder == nil {
		return nil
	}
	return carefulAuditor{s.recorder.writer, l.storeAway, func() bool { return l.current.Load().audit.Answer }}
}

// log is where handlers read it back, or nil.
func (s *state) log() store.Log {
	if s.store == nil {
		return nil
	}
	return s.store
}

// reviewerOf reads the reviewer of a policy, with its secret.
func reviewerOf(f *policyfile.File) (*sessions.Reviewer, error) {
	r := f.Reviewer
	if r.URL == "" {
		return nil, nil
	}
	if r.SecretFile != "" {
		if r.Secret != "" {
			return nil, errors.New("reviewer: secret and secret_file exclude each other")
		}
		raw, err := os.ReadFile(r.SecretFile)
		if err != nil {
			return nil, fmt.Errorf("reviewer.secret_file: %w", err)
		}
		r.Secret = strings.TrimSpace(string(raw))
	}
	return &sessions.Reviewer{URL: r.URL, Timeout: r.Timeout, Secret: r.Secret}, nil
}
