package handlers

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/agent-pdp/pdp/internal/auth"
)

// exchange is one request on its way through the service: the response writer
// of every handler, and what is written down at the end. It comes from a pool
// and must not be kept.
type exchange struct {
	http.ResponseWriter
	limits    *Limits
	body      io.LimitedReader
	requestID string
	route     string // the pattern, never the path
	series    *routeSeries
	status    int
	bytes     int64
	verdict   verdict // zero if no single decision was made
	caller    auth.Caller
	refusal   string // why a credential was not accepted
}

// WriteHeader implements http.ResponseWriter.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (x *exchange) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController what it works on.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

const unmatchedRoute = "unmatched"

// ServeHTTP is all of the middleware: one function, so that the order can be
// read and a request costs one pooled value.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	x := s.exchanges.Get().(*exchange)
	*x = exchange{ResponseWriter: w, limits: &s.Limits, requestID: requestID(r.Header), route: unmatchedRoute}
	h := w.Header()
	h["X-Request-Id"] = []string{x.requestID}
	h["X-Content-Type-Options"] = noSniff
	armBody(w, r, &s.Limits)
	s.Metrics.inFlight.Inc()
	defer s.finish(x, r, start)
	if err := s.gate.check(r); err != nil {
		s.fail(x, err)
		return
	}
	s.mux.ServeHTTP(x, r)
}

// finish turns a panic into a problem, and writes the request down.
func (s *service) finish(x *exchange, r *http.Request, start time.Time) {
	cause := recover()
	aborted := cause == http.ErrAbortHandler
	if cause != nil && !aborted {
		aborted = x.status != 0 // an answer that has begun cannot become a problem
		s.fail(x, caught(cause))
	}
	took := time.Since(start)
	s.Metrics.inFlight.Dec()
	s.Metrics.request(x, r.Method, took)
	s.logAccess(x, r.Method, took)
	*x = exchange{}
	s.exchanges.Put(x)
	if aborted {
		panic(http.ErrAbortHandler) // the server closes the connection, and the client sees that the answer is cut
	}
}

// serve runs the handler of a route that was found.
func (s *service) serve(x *exchange, r *http.Request, rt *route, series *routeSeries) {
	x.route, x.series = rt.pattern, series
	if rt.class == waiting {
		defer s.held.Add(-1)
		if s.held.Add(1) > maxHeld {
			s.Metrics.shed.Inc()
			s.fail(x, retryLater(codeOverloaded, "too many clients wait for approvals and events"))
			return
		}
	} else if rt.class != vital {
		defer s.busy.Add(-1)
		if s.busy.Add(1) > int64(s.Limits.Concurrency) {
			s.Metrics.shed.Inc()
			s.fail(x, retryLater(codeOverloaded, "too many requests are being answered; no decision was made"))
			return
		}
	}
	if err := s.admit(x, r, rt); err != nil {
		s.fail(x, err)
		return
	}
	if rt.class == waiting {
		if !s.heldBy.take(x.caller.ID) {
			s.fail(x, retryLater(codeTooManyWaiting, "too many requests of this caller wait for approvals and events"))
			return
		}
		defer s.heldBy.giveBack(x.caller.ID)
	}
	if err := rt.serve(x, r); err != nil {
		s.fail(x, err)
	}
}

// admit asks who calls, before anything of the body is read.
func (s *service) admit(x *exchange, r *http.Request, rt *route) error {
	if err := s.identify(x, r, &rt.who); err != nil {
		return err
	}
	if rt.class != judged {
		return nil
	}
	return s.pay(x, 1)
}

func retryLater(code, detail string) *Problem {
	p := problem(code, detail)
	p.retryAfter = "1"
	return p
}

// fail answers with the problem that err is, or hides.
func (s *service) fail(x *exchange, err error) {
	p := s.public(x, err)
	if x.status != 0 {
		return
	}
	h := x.Header()
	if p.retryAfter != "" {
		h["Retry-After"] = []string{p.retryAfter}
	}
	if p.hangUp {
		h["Connection"] = hangUp
	}
	if err := encodeAs(x, p.Status, typeProblem, p); err != nil {
		x.WriteHeader(http.StatusInternalServerError)
	}
}

// public is the problem for the client; the cause of an internal error goes to
// the log, and nowhere else.
func (s *service) public(x *exchange, err error) *Problem {
	p := publicProblem(err)
	p.RequestID = x.requestID
	var h *hidden
	if p.Status == http.StatusInternalServerError || errors.As(err, &h) {
		s.Log.Error().Err(err).Str("request_id", x.requestID).Str("route", x.route).Msg("the request could not be answered")
	}
	return p
}

// caught is what a panic becomes.
func caught(cause any) error { return fmt.Errorf("panic: %v\n%s", cause, debug.Stack()) }

// count writes a decision down.
func (s *service) count(x *exchange, v *verdict) {
	s.Metrics.decided(v)
	s.publish(v)
	x.verdict = *v
}

// logAccess writes one line a request. No argument, path or header of the
// client is in it: they are the client's words.
func (s *service) logAccess(x *exchange, method string, took time.Duration) {
	e := s.Log.Info()
	if !e.Enabled() {
		return
	}
	e.Str("method", methodLabel(method)).
		Str("route", x.route).
		Int("status", x.status).
		Int64("bytes", x.bytes).
		Dur("duration_ms", took).
		Str("request_id", x.requestID)
	if v := &x.verdict; v.tool != "" {
		e.Str("outcome", v.record.Outcome.String()).
			Str("code", string(v.record.Code)).
			Str("tool", v.tool)
	}
	if x.caller.ID != "" {
		e.Str("caller", x.caller.ID)
	}
	if x.refusal != "" {
		e.Str("credential", x.refusal)
	}
	e.Msg("request")
}

// requestID takes the caller's id if it is harmless, else makes one.
func requestID(h http.Header) string {
	if ids := h["X-Request-Id"]; len(ids) == 1 && isRequestID(ids[0]) {
		return ids[0]
	}
	const digits = "0123456789abcdef"
	var id [32]byte
	for half := 0; half < len(id); half += 16 {
		n := rand.Uint64()
		for i := range 16 {
			id[half+i] = digits[n>>(4*i)&15]
		}
	}
	return string(id[:])
}

func isRequestID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// pace lets so many calls a second through, with a second's worth at once
// after a pause. It keeps one number: the time up to which calls are paid for.
// The zero value lets everything through.
type pace struct {
	cost  int64 // nanoseconds that one call takes up
	start time.Time
	paid  atomic.Int64 // nanoseconds after start
}

func newPace(perSecond int) *pace {
	if perSecond <= 0 {
		return &pace{}
	}
	return &pace{cost: max(1, int64(time.Second)/int64(perSecond)), start: time.Now()}
}

// take pays for n calls. Whoever comes while there is credit may overdraw it,
// so that a batch larger than a second's worth is served too.
func (p *pace) take(n int) bool {
	if p.cost == 0 || n <= 0 {
		return true
	}
	return p.takeAt(int64(time.Since(p.start)), n)
}

func (p *pace) takeAt(now int64, n int) bool {
	for {
		paid := p.paid.Load()
		if paid > now+int64(time.Second)-p.cost {
			return false
		}
		if p.paid.CompareAndSwap(paid, max(paid, now)+int64(n)*p.cost) {
			return true
		}
	}
}
