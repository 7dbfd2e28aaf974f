package handlers

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/events"
	"github.com/agent-pdp/pdp/internal/sessions"
	"github.com/agent-pdp/pdp/internal/store"
)

// routes is the whole surface: what is served, under which limits, and to whom.
// GET routes answer HEAD too.
func (s *service) routes() []route {
	return []route{
		{http.MethodPost, "/v1/decisions", judged, stateless, s.decideCall},
		{http.MethodPost, "/v1/decisions/batch", judged, stateless, s.decideBatch},
		{http.MethodGet, "/v1/decisions", plain, auditors, s.listDecisions},
		{http.MethodGet, "/v1/decisions/{id}", plain, auditors, s.getDecision},
		{http.MethodPost, "/v1/paths/check", judged, stateless, s.checkPath},
		{http.MethodPost, "/v1/paths/inspect", judged, stateless, s.inspectPath},
		{http.MethodPost, "/v1/paths/inspect/batch", judged, stateless, s.inspectBatch},
		{http.MethodPost, "/v1/paths/owner-dacl", judged, stateless, s.ownerDACL},
		{http.MethodPost, "/v1/windows/acl/parse", judged, stateless, parseACL},
		{http.MethodPost, "/v1/windows/acl/summarize", judged, stateless, summarizeACL},
		{http.MethodPost, "/v1/windows/acl/classify", judged, stateless, classifyACL},
		{http.MethodPost, "/v1/windows/acl/reset-command", judged, stateless, resetCommand},

		{http.MethodGet, "/v1/sessions", plain, known, s.listSessions},
		{http.MethodPut, "/v1/sessions/{id}", plain, known, s.putSession},
		{http.MethodGet, "/v1/sessions/{id}", plain, known, s.getSession},
		{http.MethodPatch, "/v1/sessions/{id}", plain, known, s.patchSession},
		{http.MethodDelete, "/v1/sessions/{id}", plain, known, s.deleteSession},
		{http.MethodPost, "/v1/sessions/{id}/grants", plain, known, s.addGrant},
		{http.MethodGet, "/v1/sessions/{id}/grants", plain, known, s.listGrants},
		{http.MethodDelete, "/v1/sessions/{id}/grants/{grant_id}", plain, known, s.revokeGrant},
		{http.MethodGet, "/v1/approvals", plain, known, s.listApprovals},
		{http.MethodGet, "/v1/approvals/{id}", waiting, known, s.getApproval},
		{http.MethodPost, "/v1/approvals/{id}/resolve", plain, known, s.resolveApproval},
		{http.MethodGet, "/v1/events", waiting, known, s.streamEvents},

		{http.MethodGet, "/healthz", vital, anyone, s.health},
		{http.MethodGet, "/readyz", vital, anyone, s.ready},
		{http.MethodGet, "/version", vital, stateless, s.version},
		{http.MethodGet, "/metrics", vital, observers, s.scrape},

		{http.MethodGet, "/openapi.yaml", plain, stateless, s.openAPIYAML},
		{http.MethodGet, "/openapi.json", plain, stateless, s.openAPIJSON},
		{http.MethodGet, "/docs", plain, stateless, s.docsRedirect},
		{http.MethodGet, "/docs/", plain, stateless, s.docsPage},
		{http.MethodGet, "/docs/{asset}", plain, stateless, s.docsAsset},
		{http.MethodGet, "/", plain, stateless, s.home},
	}
}

// class says which limits a route is held to.
type class uint8

const (
	judged  class = iota // shed under load, and paced for unauthenticated callers
	plain                // shed under load
	waiting              // may take a minute or more; bounded apart from the others
	vital                // always served: an overloaded service must still tell that it lives
)

type handler func(x *exchange, r *http.Request) error

type route struct {
	method  string
	pattern string
	class   class
	who     who
	serve   handler
}

// Deps is what the surface needs from the rest of the program. Functions are
// called on each request and must be safe for concurrent use; a nil function
// stands for one that returns the zero value.
type Deps struct {
	// Policy returns the current policy; nil while none is loaded, and then
	// nothing is decided.
	Policy func() *decide.Policy
	// AllowedHosts names hosts, beside the loopback ones and the listener's own,
	// that a Host or Origin header may carry. An entry may name a port.
	AllowedHosts func() []string
	// InspectRoots names the directories that anybody may have inspected, in
	// addition to the roots of a request's own context.
	InspectRoots func() []string
	// Caller tells who sent a request; the zero Caller shows no credential. An
	// *auth.Refused is the client's fault.
	Caller func(*http.Request) (auth.Caller, error)
	// Anonymous has the stateless routes answered without a credential: for
	// listeners that only this machine reaches.
	Anonymous bool
	// Ready says whether the service wants traffic, and details for people.
	// Without a policy the service is never ready.
	Ready func() (ok bool, detail map[string]any)

	// Sessions keeps what is stored; nil: nothing is, and session_id names nothing.
	Sessions *sessions.Keeper
	// Audit writes down what happens; nil: nothing is. Records reads it back.
	Audit   Auditor
	Records store.Log
	// Events tells what happens; nil: nobody can listen.
	Events *events.Hub

	Log      zerolog.Logger
	Metrics  *Metrics // nil: a registry that only GET /metrics shows
	Limits   Limits
	Version  BuildInfo
	Listener Listener
}

// Limits bound what callers can make the service do.
type Limits struct {
	BodyBytes      int64         // largest request body; 0: the default
	Concurrency    int           // requests served at once, probes apart; 0: the default
	RequestTimeout time.Duration // for a request body to arrive; 0: the default
	// PathTimeout is how long the file system may take about one path, in routes
	// that ask it for a report or a check; 0: the default.
	PathTimeout time.Duration
	// UnauthenticatedPerSecond is how many calls without a credential are
	// answered a second; 0: no limit. A batch counts its items.
	UnauthenticatedPerSecond int
}

// DefaultLimits are the limits of a service that is not configured.
func DefaultLimits() Limits {
	return Limits{
		BodyBytes:                1 << 20,
		Concurrency:              256,
		RequestTimeout:           10 * time.Second,
		PathTimeout:              5 * time.Second,
		UnauthenticatedPerSecond: 5000,
	}
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	if l.BodyBytes <= 0 {
		l.BodyBytes = d.BodyBytes
	}
	if l.PathTimeout <= 0 {
		l.PathTimeout = d.PathTimeout
	}
	if l.Concurrency <= 0 {
		l.Concurrency = d.Concurrency
	}
	if l.RequestTimeout <= 0 {
		l.RequestTimeout = d.RequestTimeout
	}
	return l
}

// maxHeld is how many requests may wait for approvals and events at once.
const maxHeld = 1024

// BuildInfo says what is running.
type BuildInfo struct{ Version, Commit string }

// Listener says where requests come from. The zero value is a TCP listener of
// unknown address: only loopback and allowed hosts are then accepted.
type Listener struct {
	Network string // "tcp" or "unix"
	Address string // as given to net.Listen
}

type service struct {
	Deps
	mux       *chi.Mux
	methods   map[string][]string // pattern → methods, for Allow
	gate      gate
	pace      *pace
	busy      atomic.Int64
	held      atomic.Int64 // requests that wait for something to happen
	heldBy    *shares      // the same, of each caller
	listening *shares      // streams of events, of each caller
	lists     *shares      // lists that are not sent yet, of each caller
	listTurns chan struct{}
	exchanges sync.Pool
	assets    *assets
	scrapes   http.Handler
}

// New returns the handler of the whole surface.
func New(d Deps) http.Handler { return newService(d) }

func newService(d Deps) *service {
	if d.Policy == nil {
		d.Policy = func() *decide.Policy { return nil }
	}
	if d.AllowedHosts == nil {
		d.AllowedHosts = func() []string { return nil }
	}
	if d.InspectRoots == nil {
		d.InspectRoots = func() []string { return nil }
	}
	if d.Caller == nil {
		d.Caller = func(*http.Request) (auth.Caller, error) { return auth.Caller{}, nil }
	}
	if d.Ready == nil {
		d.Ready = func() (bool, map[string]any) { return true, nil }
	}
	if d.Metrics == nil {
		d.Metrics = NewMetrics()
	}
	d.Limits = d.Limits.withDefaults()
	s := &service{
		Deps:      d,
		mux:       chi.NewMux(),
		methods:   map[string][]string{},
		gate:      gate{listener: d.Listener, allowed: d.AllowedHosts},
		pace:      newPace(d.Limits.UnauthenticatedPerSecond),
		assets:    loadAssets(),
		scrapes:   d.Metrics.handler(),
		heldBy:    newShares(maxHeldByOne),
		listening: newShares(maxListenersOfOne),
		lists:     newShares(maxListsOfOne),
		listTurns: make(chan struct{}, maxListsAtOnce),
	}
	s.exchanges.New = func() any { return new(exchange) }
	for _, rt := range s.routes() {
		s.mount(rt)
	}
	s.mux.NotFound(s.unmatched)
	s.mux.MethodNotAllowed(s.unmatched)
	return s
}

func (s *service) mount(rt route) {
	methods := []string{rt.method}
	if rt.method == http.MethodGet {
		methods = append(methods, http.MethodHead)
	}
	for _, method := range methods {
		series := s.Metrics.route(method, rt.pattern)
		s.mux.MethodFunc(method, rt.pattern, func(w http.ResponseWriter, r *http.Request) {
			s.serve(w.(*exchange), r, &rt, series)
		})
	}
	s.methods[rt.pattern] = append(s.methods[rt.pattern], methods...)
}

var knownMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// unmatched answers for what no route takes: 405 where another method would
// have been taken, else 404.
func (s *service) unmatched(w http.ResponseWriter, r *http.Request) {
	x := w.(*exchange)
	var allowed []string
	for _, method := range knownMethods {
		if s.mux.Match(chi.NewRouteContext(), method, r.URL.Path) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		s.fail(x, problem(codeNotFound, "this service has no such path"))
		return
	}
	slices.Sort(allowed)
	x.Header()["Allow"] = []string{joinList(allowed)}
	s.fail(x, problem(codeMethod, "this path is for "+joinList(allowed)))
}
