package handlers

import (
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/decide"
)

func TestPointerOf(t *testing.T) {
	for namespace, pointer := range map[string]string{
		"decisionRequest.call.tool_name":        "/call/tool_name",
		"decisionRequest.context.roots[1].path": "/context/roots/1/path",
		"checkRequest.path":                     "/path",
	} {
		if got := pointerOf(namespace); got != pointer {
			t.Errorf("%s: got %s", namespace, got)
		}
	}
}

// A body in which everything is wrong gets an answer of bounded size.
func TestFieldErrorsAreBounded(t *testing.T) {
	s := trustingService(t, nil)
	roots := strings.TrimSuffix(strings.Repeat("{},", 10_000), ",")
	a := ask(t, s, "POST", "/v1/decisions", `{"context":{"workspace_root":"/a","roots":[`+roots+`]},"call":{"tool_name":"x"}}`)
	if want(t, a, 400, "validation_failed"); len(a.fields["errors"].([]any)) != maxFieldErrors {
		t.Errorf("there are %d errors", len(a.fields["errors"].([]any)))
	}
	issues := make([]decide.Issue, 10_000)
	if p := publicProblem(specProblem("/context", &decide.SpecError{Issues: issues})); len(p.Errors) != maxFieldErrors {
		t.Errorf("there are %d errors", len(p.Errors))
	}
	if p := publicProblem(specProblem("/context", &decide.SpecError{})); len(p.Errors) != 1 {
		t.Errorf("there are %d errors", len(p.Errors))
	}
}

func TestSeveralFieldErrors(t *testing.T) {
	a := ask(t, trustingService(t, nil), "POST", "/v1/decisions", `{"context":{"roots":[{}]},"call":{}}`)
	want(t, a, 400, "validation_failed")
	if n := len(a.fields["errors"].([]any)); n != 3 {
		t.Errorf("want all three: %s", a.text)
	}
}
