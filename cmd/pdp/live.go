package main

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/handlers"
	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/policyfile"
	"github.com/agent-pdp/pdp/internal/sessions"
)

// live holds the policy in force. Readers take it whole; one goroutine at a
// time replaces it.
type live struct {
	own     policyfile.Own
	log     zerolog.Logger
	metrics *handlers.Metrics
	// patience is how long calls wait for the file system; nil: as long as it takes.
	patience *handlers.Patience

	current  atomic.Pointer[inForce]
	failed   atomic.Pointer[time.Time] // when the last reload failed; nil if it did not
	draining atomic.Bool
	recorder atomic.Pointer[recorder] // nil: nothing is written down
	away     atomic.Pointer[func() bool]
}

type inForce struct {
	file   *policyfile.File
	policy *decide.Policy
	roots  []string // that anybody may have inspected
	since  time.Time

	reviewer *sessions.Reviewer // nil: there is none
	audit    audit.Settings
}

// use brings a policy into force.
func (l *live) use(f *policyfile.File) error {
	policy, err := f.Compile(l.own)
	if err != nil {
		return err
	}
	reviewer, err := reviewerOf(f)
	if err != nil {
		return err
	}
	settings, err := auditSettings(f)
	if err != nil {
		return err
	}
	if l.patience != nil {
		if l.current.Load() == nil {
			l.patience.Limit(f.Limits.DecisionTimeout)
		}
		policy = policy.InTime(l.patience.Wait)
	}
	next := &inForce{f, policy, inspectRoots(f), time.Now(), reviewer, settings}
	for _, w := range f.Warnings {
		l.log.Warn().Msg(w.Error())
	}
	before := l.current.Swap(next)
	l.failed.Store(nil)
	l.metrics.PolicyLoaded(policy.Revision(), next.since)
	if r := l.recorder.Load(); r != nil {
		r.writer.Configure(settings)
		r.policyChanged("loaded", next.facts(before))
	}
	event := l.log.Info().Str("policy", f.Name).Str("revision", f.Revision).Int("rules", f.Rules())
	if before == nil {
		event.Msg("policy loaded")
		return nil
	}
	event.Msg("policy reloaded")
	if before.file.Limits != f.Limits {
		l.log.Warn().Msg("limits are read at start: the changed ones hold after a restart")
	}
	return nil
}

// record has what happens written down from now on, beginning with the policy
// that is in force.
func (l *live) record(r *recorder) {
	l.recorder.Store(r)
	now := l.current.Load()
	r.writer.Configure(now.audit)
	r.policyChanged("loaded", now.facts(nil))
}

// facts are what the audit log tells of a policy that came into force.
func (p *inForce) facts(before *inForce) map[string]any {
	facts := map[string]any{"name": p.file.Name, "revision": p.file.Revision, "rules": p.file.Rules()}
	if before != nil {
		facts["before"] = before.file.Revision
	}
	return facts
}

// refuse notes that a new version cannot be used. The one in force stays.
func (l *live) refuse(err error) {
	now := time.Now()
	l.failed.Store(&now)
	l.metrics.PolicyReloadFailed()
	if r := l.recorder.Load(); r != nil {
		r.policyChanged("refused", map[string]any{"revision": l.current.Load().file.Revision, "problems": problems(err)})
	}
	l.log.Error().
		Strs("problems", problems(err)).
		Str("revision", l.current.Load().file.Revision).
		Msg("the new policy is not used; the last good one stays in force")
}

// problems is an error in lines, at most a few: the log is not the place for a
// long report, pdp policy check is.
func problems(err error) []string {
	const most = 20
	var mistakes policyfile.Errors
	if !errors.As(err, &mistakes) {
		return []string{err.Error()}
	}
	lines := strings.Split(mistakes[:min(most, len(mistakes))].Error(), "\n")
	if more := len(mistakes) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("%d more", more))
	}
	return lines
}

func (l *live) file() *policyfile.File       { return l.current.Load().file }
func (l *live) policy() *decide.Policy       { return l.current.Load().policy }
func (l *live) reviewer() *sessions.Reviewer { return l.current.Load().reviewer }
func (l *live) allowedHosts() []string       { return l.file().AllowedHosts }
func (l *live) inspectRoots() []string       { return l.current.Load().roots }

// storeAway reports whether the store is known not to answer.
func (l *live) storeAway() bool {
	away := l.away.Load()
	return away != nil && (*away)()
}

// ready tells whether traffic is welcome. A reload that failed is told, but
// the service stays ready: it has a policy. It is not ready while it denies all
// calls because they cannot be recorded. What was wrong is in the log; here,
// anybody could read it.
func (l *live) ready() (bool, map[string]any) {
	now := l.current.Load()
	detail := map[string]any{
		"draining":         l.draining.Load(),
		"policy_loaded_at": wireTime(now.since),
		"reload_failed_at": nil,
		"audit_failing":    false,
		"store_failing":    l.storeAway(),
	}
	unrecorded := l.storeAway() && !now.audit.Answer
	if r := l.recorder.Load(); r != nil && r.writer.Err() != nil {
		detail["audit_failing"] = true
		unrecorded = unrecorded || !now.audit.Answer
	}
	if failed := l.failed.Load(); failed != nil {
		detail["reload_failed_at"] = wireTime(*failed)
	}
	return !l.draining.Load() && !unrecorded, detail
}

func wireTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// describe names the policy for a person.
func (l *live) describe() string {
	f := l.file()
	name := f.Name
	if f.Spec.InlineContext == "trust" {
		name += ", inline contexts trusted"
	}
	return name
}
