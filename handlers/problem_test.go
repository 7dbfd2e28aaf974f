package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestProblems(t *testing.T) {
	for code, kind := range problemKinds {
		p := problem(code, "why")
		if p.Status != kind.status || p.Status < 400 || p.Title == "" || p.Type != "urn:pdp:problem:"+code || p.Code != code {
			t.Errorf("%s: got %+v", code, p)
		}
	}
	if p := problem("no such code", ""); p.Status != http.StatusInternalServerError || p.Code != codeInternal {
		t.Errorf("got %+v", p)
	}
}

func TestPublicProblem(t *testing.T) {
	known := problem(codeNotFound, "x")
	if publicProblem(fmt.Errorf("wrapped: %w", known)) != known {
		t.Error("a problem was hidden")
	}
	if p := publicProblem(errors.New("disk /dev/sda on fire")); p.Code != codeInternal || strings.Contains(p.Error(), "fire") {
		t.Errorf("got %v", p)
	}
}

func TestProblemTextIsVisible(t *testing.T) {
	p := fieldProblem(codeValidation, "/x", "not \u202e this")
	if strings.Contains(p.Error(), "\u202e") || !strings.Contains(p.Error(), `\u202e`) {
		t.Errorf("got %q", p.Error())
	}
}

// A service without a store says so, and not that its store is away.
func TestWithoutAStore(t *testing.T) {
	s := byHeader(t, nil)
	for _, row := range []struct{ method, target, body string }{
		{http.MethodGet, "/v1/sessions", ""},
		{http.MethodPut, "/v1/sessions/s-1", `{"workspace_root":"/proj/app"}`},
		{http.MethodGet, "/v1/approvals", ""},
		{http.MethodGet, "/v1/decisions", ""},
		{http.MethodGet, "/v1/events", ""},
	} {
		a := ask(t, s, row.method, row.target, row.body, "Authorization: admin", "Content-Type: application/json")
		want(t, a, http.StatusServiceUnavailable, codeNoStore)
		if title := a.field("title"); title != "This service runs without a store" || !strings.Contains(a.text, "--store none") {
			t.Errorf("%s %s: %s", row.method, row.target, a.text)
		}
	}
}
