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
