package handlers

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/inspect"
)

// Requests about permissions of the machine that runs the service.

type subjectRequest struct {
	UID  uint32   `json:"uid"`
	GIDs []uint32 `json:"gids" validate:"max=1024"`
}

type inspectBatchRequest struct {
	SessionID    string              `json:"session_id" validate:"maxbytes"`
	Context      *decide.ContextSpec `json:"context" validate:"excluded_with=SessionID"`
	Paths        []string            `json:"paths" validate:"required,max=4096,dive,required,abspath"`
	RequiredMode octalText           `json:"required_mode" validate:"omitempty,octal"`
	Profile      string              `json:"profile" validate:"omitempty,profile"`
	EffectiveFor *subjectRequest     `json:"effective_for"`
	TimeoutMS    *int64              `json:"timeout_ms" validate:"omitempty,min=1,max=2147483647"`
}

type inspectBatchResponse struct {
	Results []inspect.Report `json:"results"`
}

type ownerDACLRequest struct {
	Paths     []string `json:"paths" validate:"required,max=4096,dive,required,nonul"`
	TimeoutMS *int64   `json:"timeout_ms" validate:"omitempty,min=1,max=2147483647"`
}

type ownerDACLResponse struct {
	Results []inspect.OwnerDACL `json:"results"`
}

const (
	notShown = "the path lies in no directory that may be inspected: neither in a root of the context nor in inspect.allowed_roots"
	// maxInspectTimeout bounds what a caller may ask for, so that requests do not
	// pile up behind a mount that hangs.
	maxInspectTimeout = 60 * time.Second
)

// inspectPath answers POST /v1/paths/inspect.
func (s *service) inspectPath(x *exchange, r *http.Request) error {
	j, err := s.judge(x, r)
	if err != nil {
		return err
	}
	req, err := decode[inspectRequest](x, r)
	if err != nil {
		return err
	}
	admit, err := j.admits(req.SessionID, req.Context)
	if err != nil {
		return err
	}
	opts := inspectOptions(req.RequiredMode, req.Profile, req.EffectiveFor)
	opts.Timeout, opts.PathTimeout = j.look.within, j.look.within
	opts.Admit = admitting(admit)
	report := inspect.DefaultPool.Batch(r.Context(), []string{req.Path}, opts)[0]
	switch {
	case report.Error == notShown:
		return problem(codeForbidden, notShown)
	case report.ErrorCode == inspect.CodeTimeout:
		return problem(codeLate, report.Error)
	}
	return encode(x, http.StatusOK, report)
}

// inspectBatch answers POST /v1/paths/inspect/batch.
func (s *service) inspectBatch(x *exchange, r *http.Request) error {
	j, err := s.judge(x, r)
	if err != nil {
		return err
	}
	req, err := decode[inspectBatchRequest](x, r)
	if err != nil {
		return err
	}
	if err := s.pay(x, len(req.Paths)-1); err != nil { // the request itself was counted
		return err
	}
	admit, err := j.admits(req.SessionID, req.Context)
	if err != nil {
		return err
	}
	opts := inspectOptions(req.RequiredMode, req.Profile, req.EffectiveFor)
	opts.Timeout, opts.PathTimeout = timeoutOf(req.TimeoutMS), j.look.within
	opts.Admit = admitting(admit)
	return encode(x, http.StatusOK, inspectBatchResponse{inspect.DefaultPool.Batch(r.Context(), req.Paths, opts)})
}

func inspectOptions(mode octalText, profile string, who *subjectRequest) inspect.BatchOptions {
	var opts inspect.BatchOptions
	opts.RequiredMode, _ = parseOctal(string(mode))
	opts.Profile = inspect.Profile(profile)
	if who != nil {
		opts.EffectiveFor = &inspect.Subject{UID: who.UID, GIDs: who.GIDs}
	}
	return opts
}

func timeoutOf(ms *int64) time.Duration {
	if ms == nil {
		return inspect.DefaultTimeout
	}
	return min(time.Duration(*ms)*time.Millisecond, maxInspectTimeout)
}

// admitting words who may be told about which path for a batch.
func admitting(shows func(path string) bool) func(path string) string {
	return func(path string) string {
		if shows(path) {
			return ""
		}
		return notShown
	}
}

// admits returns who may be told about which path. It touches the file system,
// so it is for workers with a deadline.
func (j judge) admits(id string, context *decide.ContextSpec) (func(path string) bool, error) {
	if context == nil && id == "" {
		return j.look.shows, nil
	}
	// The session is compiled even where its roots are not needed: a wrong
	// context is the caller's mistake either way.
	var session decide.Session
	err := j.inTime("", func() (err error) {
		session, err = j.session(id, context) // which looks where the policy's roots lead
		return err
	})
	if err != nil {
		return nil, err
	}
	return func(path string) bool { return j.look.shows(path) || j.inSession(session, path) }, nil
}

// ownerDACL answers POST /v1/paths/owner-dacl: all paths or none.
func (s *service) ownerDACL(x *exchange, r *http.Request) error {
	j, err := s.judge(x, r)
	if err != nil {
		return err
	}
	req, err := decode[ownerDACLRequest](x, r)
	if err != nil {
		return err
	}
	if err := s.pay(x, len(req.Paths)-1); err != nil {
		return err
	}
	timeout := timeoutOf(req.TimeoutMS)
	if err := j.admitAll(r, req.Paths, timeout); err != nil {
		return err
	}
	results, err := inspect.ReadOwnerDACLs(r.Context(), req.Paths, timeout)
	if err != nil {
		return inspectionProblem(err)
	}
	return encode(x, http.StatusOK, ownerDACLResponse{results})
}

// admitAll asks for every path before any is read. Where nothing is read there is
// nothing to ask.
func (j judge) admitAll(r *http.Request, list []string, timeout time.Duration) error {
	if !inspect.NativeACLs() || len(list) == 0 {
		return nil
	}
	shown := true
	err := inspect.DefaultPool.Run(r.Context(), timeout, func(alive func() bool) {
		for _, path := range list {
			if !alive() || !j.look.shows(path) {
				shown = false
				return
			}
		}
	})
	switch {
	case err != nil:
		return inspectionProblem(err)
	case !shown:
		return problem(codeForbidden, notShown)
	}
	return nil
}

// inspectionProblem tells a client why there are no facts.
func inspectionProblem(err error) error {
	var failed *inspect.Error
	if !errors.As(err, &failed) {
		return err
	}
	switch failed.Code {
	case inspect.CodeTimeout:
		return problem(codeLate, failed.Message)
	case inspect.CodeInvalidPath, inspect.CodeInvalid:
		return fieldProblem(codeValidation, "/paths", failed.Message)
	}
	return problem(codeNoFacts, string(failed.Code)+": "+failed.Message)
}

func profileNames() string {
	var names []string
	for _, p := range inspect.Profiles() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}
