package handlers

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-chi/chi/v5"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/sessions"
	"github.com/agent-pdp/pdp/internal/store"
)

// keeper is what answers for stored sessions; a service without a store has none.
func (s *service) keeper() (*sessions.Keeper, error) {
	if s.Sessions == nil {
		return nil, storeless("it keeps no sessions, grants or approvals, and decides on the context that comes with a call")
	}
	return s.Sessions, nil
}

// storeProblem says what a client may know of an error from below. A pointer
// of the session's context is one of the body at prefix.
func storeProblem(err error, prefix string) error {
	var forbidden *sessions.ForbiddenError
	var invalid *sessions.InvalidError
	var full *sessions.QuotaError
	var wrong *decide.SpecError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &forbidden):
		return problem(codeForbidden, forbidden.Detail)
	case errors.As(err, &full):
		return problem(codeTooManyStored, full.Detail)
	case errors.As(err, &invalid):
		return fieldProblem(codeValidation, invalid.Pointer, invalid.Detail)
	case errors.As(err, &wrong):
		return specProblem(prefix, wrong)
	case errors.Is(err, store.ErrNotFound):
		return problem(codeNotFound, "nothing is stored under this id, or it has expired, or it is another caller's")
	case errors.Is(err, sessions.ErrConflict):
		return problem(codeConflict, err.Error())
	case errors.Is(err, store.ErrInvalid):
		return &hidden{problem(codeValidation, "a text of the request cannot be stored: it has NUL characters, or is too long for a name"), err}
	case errors.Is(err, store.ErrExists):
		return problem(codeConflict, "the name is taken")
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &hidden{problem(codeNoStore, "the store cannot be reached; whether something was changed is not known"), err}
	}
	return err
}

// pathID is a part of the path as the client meant it: percent signs are read
// once, wherever the router has left them.
func pathID(r *http.Request, name string) string {
	id := chi.URLParam(r, name)
	if r.URL.RawPath == "" {
		return id // read already
	}
	if plain, err := url.PathUnescape(id); err == nil {
		return plain
	}
	return id
}

// putSession answers PUT /v1/sessions/{id}.
func (s *service) putSession(x *exchange, r *http.Request) error {
	k, err := s.changing()
	if err != nil {
		return err
	}
	req, err := decode[sessionRequest](x, r)
	if err != nil {
		return err
	}
	spec := sessions.Spec{Context: req.ContextSpec, TTL: ttl(req.TTLSeconds), Labels: req.Labels}
	id := pathID(r, "id")
	v, created, err := k.Put(r.Context(), x.caller, id, spec)
	if err != nil {
		return s.refused(x, r, id, "", err)
	}
	status, what := http.StatusOK, "replaced"
	if created {
		status, what = http.StatusCreated, "created"
	}
	if err := s.commit(r.Context(), x, sessionEvent(what, v)); err != nil {
		return err
	}
	return encode(x, status, sessionReply(v))
}

// patchSession answers PATCH /v1/sessions/{id}.
func (s *service) patchSession(x *exchange, r *http.Request) error {
	k, err := s.changing()
	if err != nil {
		return err
	}
	req, err := decode[patchRequest](x, r)
	if err != nil {
		return err
	}
	p := sessions.Patch{Mode: req.Mode, Roots: req.Roots, StandingRules: req.StandingRules, Labels: req.Labels}
	if req.TTLSeconds != nil {
		life := ttl(req.TTLSeconds)
		p.TTL = &life
	}
	id := pathID(r, "id")
	v, err := k.Patch(r.Context(), x.caller, id, p)
	if err != nil {
		return s.refused(x, r, id, "", err)
	}
	if err := s.commit(r.Context(), x, sessionEvent("changed", v)); err != nil {
		return err
	}
	return encode(x, http.StatusOK, sessionReply(v))
}

// getSession answers GET /v1/sessions/{id}.
func (s *service) getSession(x *exchange, r *http.Request) error {
	k, err := s.keeper()
	if err != nil {
		return err
	}
	id := pathID(r, "id")
	v, err := k.Get(r.Context(), x.caller, id)
	if err != nil {
		return s.refused(x, r, id, "", err)
	}
	return encode(x, http.StatusOK, sessionReply(v))
}

// deleteSession answers DELETE /v1/sessions/{id}.
func (s *service) deleteSession(x *exchange, r *http.Request) error {
	k, err := s.changing()
	if err != nil {
		return err
	}
	id := pathID(r, "id")
	if err := k.Delete(r.Context(), x.caller, id); err != nil {
		return s.refused(x, r, id, "", err)
	}
	if err := s.commit(r.Context(), x, audit.Event{Kind: audit.SessionChanged, Session: id, Outcome: "deleted"}); err != nil {
		return err
	}
	x.WriteHeader(http.StatusNoContent)
	return nil
}

// listSessions answers GET /v1/sessions.
func (s *service) listSessions(x *exchange, r *http.Request) error {
	k, err := s.keeper()
	if err != nil {
		return err
	}
	q, err := readQuery(r, "limit", "cursor", "label")
	if err != nil {
		return err
	}
	limit, err := q.limit()
	if err != nil {
		return err
	}
	labels, err := q.labels()
	if err != nil {
		return err
	}
	after, err := q.cursor("sessions")
	if err != nil {
		return err
	}
	return s.list(x, r, func() (any, error) {
		page, next, err := k.List(r.Context(), x.caller, after, labels, limit)
		if err != nil {
			return nil, s.refused(x, r, "", "", err)
		}
		return pageOf(page, q.next("sessions", next), sessionReply), nil
	})
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// addGrant answers POST /v1/sessions/{id}/grants.
func (s *service) addGrant(x *exchange, r *http.Request) error {
	k, err := s.changing()
	if err != nil {
		return err
	}
	req, err := decode[grantRequest](x, r)
	if err != nil {
		return err
	}
	spec := decide.GrantSpec{Kind: decide.GrantKind(req.Kind), Value: req.Value, Definition: req.Definition}
	id := pathID(r, "id")
	g, err := k.Grant(r.Context(), x.caller, id, spec, ttl(req.TTLSeconds))
	if err != nil {
		return s.refused(x, r, id, "", err)
	}
	if err := s.commit(r.Context(), x, grantEvent(audit.Granted, id, g)); err != nil {
		return err
	}
	return encode(x, http.StatusCreated, grantReply(g))
}

// listGrants answers GET /v1/sessions/{id}/grants.
func (s *service) listGrants(x *exchange, r *http.Request) error {
	k, err := s.keeper()
	if err != nil {
		return err
	}
	if _, err := readQuery(r); err != nil {
		return err
	}
	id := pathID(r, "id")
	list, err := k.Grants(r.Context(), x.caller, id)
	if err != nil {
		return s.refused(x, r, id, "", err)
	}
	return encode(x, http.StatusOK, pageOf(list, "", grantReply))
}

// revokeGrant answers DELETE /v1/sessions/{id}/grants/{grant_id}.
func (s *service) revokeGrant(x *exchange, r *http.Request) error {
	k, err := s.keeper()
	if err != nil {
		return err
	}
	id := pathID(r, "id")
	g, err := k.Revoke(r.Context(), x.caller, id, pathID(r, "grant_id"))
	if err != nil {
		return s.refused(x, r, id, "", err)
	}
	if err := s.commit(r.Context(), x, grantEvent(audit.Revoked, id, g)); err != nil {
		return err
	}
	x.WriteHeader(http.StatusNoContent)
	return nil
}

// sessionEvent tells what a session has become.
func sessionEvent(what string, v sessions.View) audit.Event {
	return audit.Event{
		Kind: audit.SessionChanged, Session: v.ID, Outcome: what, Context: v.Context.Fingerprint(),
		Details: audit.Detail(map[string]any{"context": recordedContext(v.Context), "labels": v.Labels, "widened": v.Widened, "revision": v.Revision}),
	}
}

// recordedContext keeps null roots (the workspace) apart from none.
func recordedContext(c decide.ContextSpec) any {
	if c.Roots == nil {
		return struct {
			decide.ContextSpec
			Roots *struct{} `json:"roots"`
		}{ContextSpec: c}
	}
	return c
}

// grantEvent tells of a grant that was made or taken back.
func grantEvent(kind audit.Kind, session string, g store.Grant) audit.Event {
	return audit.Event{Kind: kind, Session: session, Outcome: g.Kind, Approval: g.Approval, Details: audit.Detail(grantReply(g))}
}
