package handlers

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/decide"
)

func TestUnmatched(t *testing.T) {
	s := trustingService(t, nil)
	for _, row := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/v1/paths/check", 405, "POST"},
		{"PUT", "/v1/decisions", 405, "GET, HEAD, POST"},
		{"OPTIONS", "/v1/decisions", 405, "GET, HEAD, POST"},
		{"XQ17", "/v1/decisions", 405, "GET, HEAD, POST"},
		{"POST", "/healthz", 405, "GET, HEAD"},
		{"DELETE", "/docs/init.js", 405, "GET, HEAD"},
		{"GET", "/", 404, ""},
		{"XQ17", "/nothing", 404, ""},
		{"GET", "/v1/decisions/", 404, ""},
		{"POST", "/V1/decisions", 404, ""},
		{"POST", "//v1/decisions", 404, ""},
		{"GET", "/debug/pprof/", 404, ""},
	} {
		a := ask(t, s, row.method, row.path, "")
		code := map[int]string{404: codeNotFound, 405: codeMethod}[row.status]
		if want(t, a, row.status, code); a.header.Get("Allow") != row.allow {
			t.Errorf("%s %s: Allow is %q", row.method, row.path, a.header.Get("Allow"))
		}
	}
}

func TestRequestID(t *testing.T) {
	s := trustingService(t, nil)
	for _, row := range []struct {
		id   string
		kept bool
	}{
		{"abc-DEF_1.2", true},
		{strings.Repeat("a", 64), true},
		{strings.Repeat("a", 65), false},
		{"a b", false},
		{"a\u202e", false},
		{"", false},
		{"<script>", false},
	} {
		a := ask(t, s, "GET", "/nothing", "", "X-Request-Id: "+row.id)
		got := a.header.Get("X-Request-Id")
		if (got == row.id) != row.kept || !isRequestID(got) || a.field("request_id") != got {
			t.Errorf("%q became %q", row.id, got)
		}
	}
}

func TestPanicsBecomeProblems(t *testing.T) {
	var log bytes.Buffer
	s := trustingService(t, func(d *Deps) {
		d.Log = zerolog.New(&log)
		d.Policy = func() *decide.Policy { panic("secret cause") }
	})
	a := ask(t, s, "POST", "/v1/decisions", gitStatus)
	want(t, a, http.StatusInternalServerError, "internal")
	if strings.Contains(a.text, "secret") || strings.Contains(a.text, "goroutine") {
		t.Errorf("the client sees %s", a.text)
	}
	if !strings.Contains(log.String(), "secret cause") || strings.Count(log.String(), "\n") != 2 {
		t.Errorf("the log is %q", log.String())
	}
}

func TestInternalErrorsAreHidden(t *testing.T) {
	s := trustingService(t, nil)
	x := &exchange{ResponseWriter: httptest.NewRecorder(), requestID: "r1"}
	if p := s.public(x, errors.New("secret cause")); p.Code != codeInternal || strings.Contains(p.Error(), "secret") || p.RequestID != "r1" {
		t.Errorf("got %v", p)
	}
}

// A panic after the answer has begun must not look like a whole answer.
func TestPanicWithinTheAnswerCutsIt(t *testing.T) {
	s := trustingService(t, nil)
	s.mux.Get("/half", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		panic("half way")
	})
	defer func() {
		if cause := recover(); cause != http.ErrAbortHandler {
			t.Errorf("the server is told %v", cause)
		}
	}()
	ask(t, s, "GET", "/half", "")
}

func TestLoadIsShed(t *testing.T) {
	s := trustingService(t, func(d *Deps) { d.Limits.Concurrency = 1 })
	s.busy.Store(1) // one request is being answered
	a := ask(t, s, "POST", "/v1/decisions", gitStatus)
	if want(t, a, http.StatusServiceUnavailable, "overloaded"); a.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
	want(t, ask(t, s, "GET", "/openapi.yaml", ""), http.StatusServiceUnavailable, "overloaded")
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/version"} {
		if a := ask(t, s, "GET", path, ""); a.status != http.StatusOK {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	s.busy.Store(0)
	for range 3 { // nothing is left behind
		want(t, ask(t, s, "POST", "/v1/decisions", gitStatus), http.StatusOK, "command_allowlisted")
	}
}

func TestPace(t *testing.T) {
	second := int64(time.Second)
	p := newPace(2)
	for i, step := range []struct {
		now int64
		n   int
		ok  bool
	}{
		{0, 1, true},
		{0, 1, true},
		{0, 1, false}, // a second's worth at once
		{second / 2, 1, true},
		{second / 2, 1, false},
		{10 * second, 1, true},
		{10 * second, 1, true},
		{10 * second, 1, false}, // a pause saves no more
		{20 * second, 10, true}, // a batch may overdraw
		{21 * second, 1, false},
		{24 * second, 1, false},
		{25 * second, 1, true},
	} {
		if got := p.takeAt(step.now, step.n); got != step.ok {
			t.Errorf("step %d: %v", i, got)
		}
	}
	if free := newPace(0); !free.take(1<<30) || !free.take(1) {
		t.Error("0 is no limit")
	}
}

func TestCallsArePaced(t *testing.T) {
	s := trustingService(t, func(d *Deps) { d.Limits.UnauthenticatedPerSecond = 1 })
	want(t, ask(t, s, "POST", "/v1/decisions", gitStatus), http.StatusOK, "command_allowlisted")
	a := ask(t, s, "POST", "/v1/decisions", gitStatus)
	if want(t, a, http.StatusTooManyRequests, "rate_limited"); a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	for _, path := range []string{"/healthz", "/docs/", "/openapi.json"} {
		if a := ask(t, s, "GET", path, ""); a.status != http.StatusOK {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

func TestAccessLog(t *testing.T) {
	var log bytes.Buffer
	s := trustingService(t, func(d *Deps) { d.Log = zerolog.New(&log) })
	line := func(method, path, body string, headers ...string) string {
		log.Reset()
		ask(t, s, method, path, body, headers...)
		if strings.Count(log.String(), "\n") != 1 {
			t.Errorf("not one line: %q", log.String())
		}
		return log.String()
	}
	got := line("POST", "/v1/decisions", gitStatus, "X-Request-Id: r1")
	for _, part := range []string{
		`"method":"POST"`, `"route":"/v1/decisions"`, `"status":200`, `"bytes":`, `"duration_ms":`,
		`"request_id":"r1"`, `"code":"command_allowlisted"`, `"outcome":"allow"`, `"tool":"run_shell"`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%s is missing in %s", part, got)
		}
	}
	// The client's words stay out of it.
	got = line("POST", "/v1/decisions", strings.ReplaceAll(strings.ReplaceAll(gitStatus, "run_shell", "s3cret"), "git status", "s3cret"))
	got += line("XQ17", "/s3cret", "", "X-Request-Id: s3cret\n", "User-Agent: s3cret")
	if strings.Contains(got, "s3cret") || !strings.Contains(got, `"tool":"other"`) || !strings.Contains(got, `"method":"other"`) {
		t.Errorf("the log is %s", got)
	}
}
