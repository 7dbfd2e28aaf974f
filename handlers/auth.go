package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/auth"
)

// who says which callers a route answers. The zero who answers administrators
// alone, who may do everything.
type who struct {
	name  string
	open  bool        // everybody; no credential is looked at
	local bool        // callers without a credential too, where Deps.Anonymous lets them
	roles []auth.Role // beside auth.Admin
}

var (
	// anyone: whether the service lives is no secret, and a probe has no credential.
	anyone = who{name: "anyone", open: true}
	// stateless routes change nothing, and tell nothing that is stored.
	stateless = who{name: "stateless", local: true, roles: []auth.Role{auth.Runtime, auth.Viewer, auth.Approver}}
	// known is any caller with a credential. What it may do with whose session is
	// decided where sessions are kept.
	known = who{name: "known", roles: []auth.Role{auth.Runtime, auth.Viewer, auth.Approver}}
	// auditors read what was decided for everybody.
	auditors = who{name: "auditors", roles: []auth.Role{auth.Viewer}}
	// observers see numbers about all callers.
	observers = who{name: "observers", local: true, roles: []auth.Role{auth.Viewer, auth.Approver}}
)

// identify finds out who calls, and whether the route is for such a caller.
func (s *service) identify(x *exchange, r *http.Request, w *who) error {
	if w.open {
		return nil
	}
	caller, err := s.Caller(r)
	if err != nil {
		return s.unauthenticated(x, err)
	}
	x.caller = caller
	switch {
	case w.local && s.Anonymous:
		// Then a credential is no reason to be told less.
		return nil
	case caller.Role == auth.Nobody:
		x.Header()["Www-Authenticate"] = challenge
		return problem(codeUnauthenticated, "this service wants a credential: a bearer token, or a client certificate")
	}
	if err := require(x, w.roles...); err != nil {
		s.refuser(x, r).tell(audit.Event{Code: codeForbidden, Note: err.Error()})
		return err
	}
	return nil
}

// stillKnown reports whether the credential of a request that takes long is
// still accepted: a token may have been revoked meanwhile, or have expired.
func (s *service) stillKnown(x *exchange, r *http.Request) bool {
	now, err := s.Caller(r)
	return err == nil && now == x.caller
}

// require refuses callers of other roles. An administrator has all of them.
func require(x *exchange, roles ...auth.Role) error {
	switch role := x.caller.Role; {
	case role == auth.Admin, role != auth.Nobody && slices.Contains(roles, role):
		return nil
	case role == auth.Nobody:
		x.Header()["Www-Authenticate"] = challenge
		return problem(codeUnauthenticated, "this needs a credential: a bearer token, or a client certificate")
	default:
		return problem(codeForbidden, fmt.Sprintf("the role of this credential is %s; this needs %s", role, roleNames(roles)))
	}
}

func roleNames(roles []auth.Role) string {
	text := ""
	for _, role := range roles {
		text += role.String() + " or "
	}
	return text + auth.Admin.String()
}

var (
	challenge      = []string{`Bearer realm="pdp"`}
	challengeToken = []string{`Bearer realm="pdp", error="invalid_token"`}
)

// unauthenticated tells a client that its credential is not accepted. Why is for
// the log, on the request's own line.
func (s *service) unauthenticated(x *exchange, err error) error {
	var refused *auth.Refused
	if !errors.As(err, &refused) {
		return err
	}
	x.refusal = refused.Cause.Error()
	if refused.Wait > 0 {
		s.Metrics.authLimited.Inc()
		p := problem(codeRateLimited, refused.Public)
		p.retryAfter = strconv.FormatInt(int64((refused.Wait+time.Second-1)/time.Second), 10)
		return p
	}
	s.Metrics.authRefused.Inc()
	x.Header()["Www-Authenticate"] = challengeToken
	return problem(codeUnauthenticated, refused.Public)
}

// pay takes n calls from what callers without a credential may ask for.
func (s *service) pay(x *exchange, n int) error {
	if x.caller.Role != auth.Nobody || s.pace.take(n) {
		return nil
	}
	return retryLater(codeRateLimited, "more calls without a credential than this service answers a second")
}
