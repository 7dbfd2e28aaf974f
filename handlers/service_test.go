package handlers

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/decide"
)

// trusting is what the service runs with when no policy file is given.
func trusting(t testing.TB) *decide.Policy {
	t.Helper()
	return compiled(t, decide.PolicySpec{
		InlineContext: "trust", MaxMode: "bypass-approvals", Revision: "sha256:test", Home: "/home/me",
	})
}

func compiled(t testing.TB, spec decide.PolicySpec) *decide.Policy {
	t.Helper()
	policy, err := decide.Compile(spec)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

func fixed(policy *decide.Policy) func() *decide.Policy {
	return func() *decide.Policy { return policy }
}

// trustingService is a service with the built-in policy; change may alter it.
func trustingService(t testing.TB, change func(*Deps)) *service {
	t.Helper()
	d := Deps{
		Policy:       fixed(trusting(t)),
		InspectRoots: func() []string { return []string{"/"} },
		Anonymous:    true,
		Log:          zerolog.Nop(),
	}
	if change != nil {
		change(&d)
	}
	return newService(d)
}

type answer struct {
	status int
	header http.Header
	text   string
	fields map[string]any // nil unless the body is a JSON object
}

// field follows a dotted name, such as "errors.0.pointer".
func (a answer) field(name string) any {
	var v any = a.fields
	for _, step := range strings.Split(name, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[step]
		case []any:
			if len(step) != 1 || int(step[0]-'0') >= len(at) {
				return nil
			}
			v = at[step[0]-'0']
		default:
			return nil
		}
	}
	return v
}

// ask sends one request. Headers are "Name: value". The text of the answer comes
// without the end of its line, which every JSON answer has.
func ask(t testing.TB, h http.Handler, method, target, body string, headers ...string) answer {
	t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "localhost:8080"
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	text := w.Body.String()
	if strings.HasSuffix(w.Header().Get("Content-Type"), "json") && method != http.MethodHead {
		var ended bool
		if text, ended = strings.CutSuffix(text, "\n"); !ended {
			t.Errorf("%s %s: the answer does not end its line", method, target)
		}
	}
	a := answer{status: w.Code, header: w.Header(), text: text}
	_ = json.Unmarshal(bytes.TrimSpace(w.Body.Bytes()), &a.fields)
	return a
}

func want(t testing.TB, a answer, status int, code any) {
	t.Helper()
	if a.status != status || a.field("code") != code {
		t.Errorf("got %d %s, want %d %s", a.status, clip(a.text, 600), status, code)
	}
}

// gitStatus is a request that the listed command allows.
const gitStatus = `{"context":{"workspace_root":"/proj/app","allowed_commands":["git status"]},` +
	`"call":{"tool_name":"run_shell","arguments":{"command":"git status"}}}`
