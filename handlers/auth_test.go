package handlers

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/internal/auth"
)

// byHeader is a service whose callers are named by a header of the test.
func byHeader(t testing.TB, change func(*Deps)) *service {
	t.Helper()
	return trustingService(t, func(d *Deps) {
		d.Anonymous = false
		d.Caller = func(r *http.Request) (auth.Caller, error) {
			switch name := r.Header.Get("Authorization"); name {
			case "":
				return auth.Caller{}, nil
			case "wrong":
				return auth.Caller{}, &auth.Refused{Public: "not this one", Cause: errors.New("why it is wrong")}
			case "often":
				return auth.Caller{}, &auth.Refused{Public: "slow down", Cause: errors.New("held back"), Wait: 1100 * time.Millisecond}
			case "broken":
				return auth.Caller{}, errors.New("secret cause")
			default:
				role, err := auth.ParseRole(strings.TrimSuffix(name, " two")) // another caller of the role
				return auth.Caller{ID: "test:" + name, Role: role}, err
			}
		}
		if change != nil {
			change(d)
		}
	})
}

// callers in the order of the columns below.
var testCallers = [...]string{"", "runtime", "viewer", "approver", "admin", "wrong"}

// Every route and every caller, with and without callers that show nothing.
func TestWhoMayCall(t *testing.T) {
	// + answered, - 401, x 403
	for _, row := range []struct {
		who                who
		closed, anonymouns string
	}{
		{anyone, "++++++", "++++++"},
		{stateless, "-++++-", "+++++-"},
		{observers, "-x+++-", "+++++-"},
		{who{name: "approvers", roles: []auth.Role{auth.Approver}}, "-xx++-", "-xx++-"},
		{who{name: "forgotten"}, "-xxx+-", "-xxx+-"},
	} {
		for anonymous, want := range map[bool]string{false: row.closed, true: row.anonymouns} {
			s := byHeader(t, func(d *Deps) { d.Anonymous = anonymous })
			s.mount(route{http.MethodGet, "/test", plain, row.who, func(x *exchange, _ *http.Request) error {
				return encode(x, http.StatusOK, "served")
			}})
			for i, caller := range testCallers {
				a := ask(t, s, "GET", "/test", "", headerOf(caller)...)
				status := map[byte]int{'+': 200, '-': 401, 'x': 403}[want[i]]
				if a.status != status {
					t.Errorf("%s (anonymous: %v): %q gets %d %s, want %d", row.who.name, anonymous, caller, a.status, a.text, status)
				}
				if hasChallenge := a.header.Get("WWW-Authenticate") != ""; hasChallenge != (status == 401) {
					t.Errorf("%s: %q: %d with WWW-Authenticate %q", row.who.name, caller, a.status, a.header.Get("WWW-Authenticate"))
				}
			}
		}
	}
}

func headerOf(caller string) []string {
	if caller == "" {
		return nil
	}
	return []string{"Authorization: " + caller}
}

// The routes as they are, for a caller that shows nothing where others reach the service.
func TestWithoutCredential(t *testing.T) {
	s := byHeader(t, nil)
	for _, rt := range s.routes() {
		want := http.StatusUnauthorized
		if rt.pattern == "/healthz" || rt.pattern == "/readyz" {
			want = http.StatusOK
		}
		if a := ask(t, s, rt.method, strings.Replace(rt.pattern, "{asset}", "init.js", 1), "{}"); a.status != want {
			t.Errorf("%s %s: %d, want %d", rt.method, rt.pattern, a.status, want)
		}
	}
}

// The contract says of every operation what the route does.
func TestContractSecurity(t *testing.T) {
	c := loadContract(t)
	routes := map[string]who{}
	for _, rt := range trustingService(t, nil).routes() {
		routes[rt.method+" "+rt.pattern] = rt.who
	}
	c.operations(func(method, path string, op map[string]any) {
		w := routes[method+" "+path]
		open, without := false, false
		list, _ := op["security"].([]any)
		open = list != nil && len(list) == 0
		for _, one := range list {
			without = without || len(one.(map[string]any)) == 0
		}
		if open != w.open || without != w.local {
			t.Errorf("%s %s: the contract says open %v, without a credential %v; the route %+v", method, path, open, without, w)
		}
		responses := op["responses"].(map[string]any)
		if _, ok := responses["401"]; ok == w.open {
			t.Errorf("%s %s: response 401 is documented: %v", method, path, ok)
		}
		if _, ok := responses["429"]; ok == w.open {
			t.Errorf("%s %s: response 429 is documented: %v", method, path, ok)
		}
	})
}

func TestRefusedCredentials(t *testing.T) {
	var log bytes.Buffer
	s := byHeader(t, func(d *Deps) { d.Log = zerolog.New(&log) })
	a := ask(t, s, "POST", "/v1/decisions", gitStatus, "Authorization: wrong")
	want(t, a, http.StatusUnauthorized, "unauthenticated")
	if a.field("detail") != "not this one" || strings.Contains(a.text, "why it is wrong") {
		t.Errorf("the client sees %s", a.text)
	}
	if got := a.header.Get("WWW-Authenticate"); got != `Bearer realm="pdp", error="invalid_token"` {
		t.Errorf("challenged by %s", got)
	}
	if !strings.Contains(log.String(), `"credential":"why it is wrong"`) || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("the log is %s", log.String())
	}
	a = ask(t, s, "POST", "/v1/decisions", gitStatus, "Authorization: often")
	if want(t, a, http.StatusTooManyRequests, "rate_limited"); a.header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
	a = ask(t, s, "POST", "/v1/decisions", gitStatus, "Authorization: broken")
	if want(t, a, http.StatusInternalServerError, "internal"); strings.Contains(a.text, "secret") {
		t.Errorf("the client sees %s", a.text)
	}
	want(t, ask(t, s, "POST", "/v1/decisions", "{", "Authorization: wrong"), http.StatusUnauthorized, "unauthenticated")
}

func TestTheLogNamesTheCaller(t *testing.T) {
	var log bytes.Buffer
	s := byHeader(t, func(d *Deps) { d.Log = zerolog.New(&log) })
	ask(t, s, "POST", "/v1/decisions", gitStatus, "Authorization: runtime")
	if !strings.Contains(log.String(), `"caller":"test:runtime"`) {
		t.Errorf("the log is %s", log.String())
	}
}

// Callers with a credential are not held to the limit of those without.
func TestCredentialsAreNotPaced(t *testing.T) {
	s := byHeader(t, func(d *Deps) { d.Limits.UnauthenticatedPerSecond, d.Anonymous = 1, true })
	batch := `{"requests":[` + gitStatus + "," + gitStatus + "," + gitStatus + "]}"
	for range 5 {
		want(t, ask(t, s, "POST", "/v1/decisions", gitStatus, "Authorization: runtime"), http.StatusOK, "command_allowlisted")
		if a := ask(t, s, "POST", "/v1/decisions/batch", batch, "Authorization: runtime"); a.status != http.StatusOK {
			t.Errorf("got %d", a.status)
		}
	}
	want(t, ask(t, s, "POST", "/v1/decisions", gitStatus), http.StatusOK, "command_allowlisted")
	want(t, ask(t, s, "POST", "/v1/decisions", gitStatus), http.StatusTooManyRequests, "rate_limited")
}

// Only callers without a credential are held to the directories that anybody
// may have inspected.
func TestCredentialsInspectEverything(t *testing.T) {
	s := byHeader(t, func(d *Deps) {
		d.Anonymous, d.InspectRoots = true, func() []string { return nil }
	})
	body := `{"path":"` + jsonPath(t.TempDir()) + `"}`
	want(t, ask(t, s, "POST", "/v1/paths/inspect", body), http.StatusForbidden, "forbidden")
	if a := ask(t, s, "POST", "/v1/paths/inspect", body, "Authorization: runtime"); a.status != http.StatusOK {
		t.Errorf("got %d %s", a.status, a.text)
	}
}

func jsonPath(path string) string { return strings.ReplaceAll(path, `\`, `\\`) }

func TestRequire(t *testing.T) {
	for _, row := range []struct {
		caller  auth.Role
		needs   []auth.Role
		status  int
		mention string
	}{
		{auth.Nobody, []auth.Role{auth.Approver}, 401, "needs a credential"},
		{auth.Nobody, []auth.Role{auth.Nobody}, 401, "needs a credential"},
		{auth.Nobody, nil, 401, ""},
		{auth.Runtime, []auth.Role{auth.Approver}, 403, "role of this credential is runtime; this needs approver or admin"},
		{auth.Viewer, []auth.Role{auth.Approver, auth.Runtime}, 403, ""},
		{auth.Approver, nil, 403, "needs admin"},
		{auth.Approver, []auth.Role{auth.Approver}, 0, ""},
		{auth.Admin, []auth.Role{auth.Approver}, 0, ""},
		{auth.Admin, nil, 0, ""},
	} {
		x := &exchange{ResponseWriter: discard{}, caller: auth.Caller{Role: row.caller}}
		err := require(x, row.needs...)
		status := 0
		var p *Problem
		if errors.As(err, &p) {
			status = p.Status
		}
		if status != row.status || err != nil && !strings.Contains(err.Error(), row.mention) {
			t.Errorf("%v for %v: %v", row.caller, row.needs, err)
		}
	}
}

type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}
