package auth

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// request comes from an address, with Authorization headers.
func request(from string, authorization ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/v1/decisions", nil)
	r.RemoteAddr = from
	if authorization != nil {
		r.Header["Authorization"] = authorization
	}
	return r
}

// asUser is a request over a Unix socket.
func asUser(uid uint32, authorization ...string) *http.Request {
	r := request("@", authorization...)
	return r.WithContext(context.WithValue(r.Context(), peerKey{}, peer{uid}))
}

// tokenFor returns an authenticator that knows one token, and that.
func tokenFor(t testing.TB, role Role) (*Authenticator, string) {
	t.Helper()
	secret, token := newToken(t, "ci", role)
	set := newSet(t)
	if err := set.Replace([]store.Token{token}); err != nil {
		t.Fatal(err)
	}
	return &Authenticator{Tokens: set, Failures: NewFailures()}, secret
}

const client = "192.0.2.7:4000"

func TestAuthorizationHeader(t *testing.T) {
	a, secret := tokenFor(t, Runtime)
	a.Failures = nil
	for _, row := range []struct {
		why    string
		header []string
		public string // "" if it is accepted
	}{
		{"as it should be", []string{"Bearer " + secret}, ""},
		{"another token", []string{"Bearer " + swapLast(secret)}, typo},
		{"two headers, both right", []string{"Bearer " + secret, "Bearer " + secret}, misshapen},
		{"two headers, the first right", []string{"Bearer " + secret, "Bearer x"}, misshapen},
		{"two headers, the first empty", []string{"", "Bearer " + secret}, misshapen},
		{"an empty header", []string{""}, misshapen},
		{"a header without values", []string{}, misshapen},
		{"the scheme alone", []string{"Bearer"}, misshapen},
		{"the scheme and a space", []string{"Bearer "}, misshapen},
		{"two spaces", []string{"Bearer  " + secret}, misshapen},
		{"a tab", []string{"Bearer\t" + secret}, misshapen},
		{"a space before", []string{" Bearer " + secret}, misshapen},
		{"a space after", []string{"Bearer " + secret + " "}, misshapen},
		{"two in one, by a comma", []string{"Bearer " + secret + ", Bearer " + secret}, misshapen},
		{"two in one, by a comma alone", []string{"Bearer " + secret + "," + secret}, typo},
		{"no scheme", []string{secret}, misshapen},
		{"lower case", []string{"bearer " + secret}, misshapen},
		{"upper case", []string{"BEARER " + secret}, misshapen},
		{"a letter that looks the same", []string{"Веarer " + secret}, misshapen},
		{"a letter of another width", []string{"Ｂearer " + secret}, misshapen},
		{"another scheme", []string{"Basic " + secret}, misshapen},
		{"the scheme as a prefix", []string{"BearerX " + secret}, misshapen},
		{"a NUL", []string{"Bearer " + secret + "\x00"}, misshapen},
		{"a line end", []string{"Bearer " + secret + "\r\nX: y"}, misshapen},
		{"a character without width", []string{"Bearer " + secret + "\u200b"}, misshapen},
		{"a letter of another script in the token", []string{"Bearer " + strings.Replace(secret, "pdp", "рdp", 1)}, misshapen},
		{"as much as is looked at", []string{"Bearer " + strings.Repeat("a", mostToken)}, notAccepted},
		{"more than is looked at", []string{"Bearer " + strings.Repeat("a", mostToken+1)}, misshapen},
		{"huge", []string{"Bearer " + strings.Repeat("a", 1<<20)}, misshapen},
	} {
		caller, err := a.Caller(request(client, row.header...))
		var refused *Refused
		switch {
		case row.public == "":
			if err != nil || caller.Role != Runtime {
				t.Errorf("%s: %+v, %v", row.why, caller, err)
			}
		case !errors.As(err, &refused) || refused.Public != row.public || caller != (Caller{}):
			t.Errorf("%s: %+v, %v", row.why, caller, err)
		case strings.Contains(err.Error(), secret):
			t.Errorf("%s: the error has the secret", row.why)
		}
	}
}

func swapLast(text string) string {
	last := byte('A')
	if text[len(text)-1] == 'A' {
		last = 'B'
	}
	return text[:len(text)-1] + string(last)
}

// Nothing but the Authorization header is a bearer token, and no header says
// who is at the other end.
func TestOtherWordsAreNoCredential(t *testing.T) {
	a, secret := tokenFor(t, Admin)
	a.Peers, _ = NewPeers(1000, map[uint32]Role{0: Admin})
	r := request(client)
	r.URL.RawQuery = "access_token=" + secret + "&token=" + secret
	for _, name := range []string{"Proxy-Authorization", "X-Authorization", "X-Api-Key", "Authentication", "authorization"} {
		r.Header[name] = []string{"Bearer " + secret}
	}
	for _, name := range []string{"X-Uid", "Uid", "X-Peer-Uid", "X-Remote-User", "X-Forwarded-User", "X-Forwarded-Client-Cert", "X-Ssl-Client-Verify"} {
		r.Header[name] = []string{"0"}
	}
	r.AddCookie(&http.Cookie{Name: "token", Value: secret})
	if caller, err := a.Caller(r); err != nil || caller != (Caller{}) {
		t.Errorf("got %+v, %v", caller, err)
	}
}

// The words that a refused client is told do not say whether a token exists.
func TestRefusalsAreAlike(t *testing.T) {
	a, secret := tokenFor(t, Runtime)
	other, _ := newToken(t, "ci", Runtime)
	expired, one := newToken(t, "old", Runtime)
	one.Expires = noon
	revoked, two := newToken(t, "gone", Runtime)
	two.Revoked = noon
	_ = a.Tokens.Replace([]store.Token{one, two})
	for why, text := range map[string]string{
		"unknown": other, "expired": expired, "revoked": revoked, "replaced": secret, "chosen": "a-secret-of-a-person", "a JWT": "a.b.c",
	} {
		var refused *Refused
		if _, err := a.Caller(request(client, "Bearer "+text)); !errors.As(err, &refused) || refused.Public != notAccepted {
			t.Errorf("%s: %v", why, err)
		}
	}
}

func TestSocketUsers(t *testing.T) {
	a, secret := tokenFor(t, Approver)
	peers, err := NewPeers(1000, map[uint32]Role{1000: Admin, 1001: Approver, 1002: Viewer})
	if err != nil {
		t.Fatal(err)
	}
	a.Peers = peers
	for _, row := range []struct {
		why  string
		r    *http.Request
		want Caller
		ok   bool
	}{
		{"the own user is a runtime, whatever the table says", asUser(1000), Caller{ID: "uid:1000", Role: Runtime}, true},
		{"a user of the table", asUser(1001), Caller{ID: "uid:1001", Role: Approver}, true},
		{"another", asUser(1002), Caller{ID: "uid:1002", Role: Viewer}, true},
		{"a stranger", asUser(1003), Caller{}, true},
		{"root is a stranger too", asUser(0), Caller{}, true},
		{"no socket", request(client), Caller{}, true},
		{"a token says more than the user", asUser(1000, "Bearer "+secret), Caller{Role: Approver}, true},
		{"a wrong token does not become the user", asUser(1001, "Bearer nonsense-nonsense-nonsense"), Caller{}, false},
		{"a header without a token does not become the user", asUser(1001, "Basic eDp5"), Caller{}, false},
	} {
		got, err := a.Caller(row.r)
		if (err == nil) != row.ok || got.Role != row.want.Role || row.want.ID != "" && got != row.want {
			t.Errorf("%s: %+v, %v", row.why, got, err)
		}
	}
}

func TestOwnUserOfRoot(t *testing.T) {
	peers, err := NewPeers(0, map[uint32]Role{0: Admin, 7: Admin})
	if err != nil {
		t.Fatal(err)
	}
	a := &Authenticator{Peers: peers}
	if got, _ := a.Caller(asUser(0)); got.Role != Runtime {
		t.Errorf("got %+v", got)
	}
	if got, _ := a.Caller(asUser(7)); got.Role != Admin {
		t.Errorf("got %+v", got)
	}
	if _, err := NewPeers(0, map[uint32]Role{65534: Runtime}); err == nil {
		t.Error("every user of another namespace has a role")
	}
}

// A failure that is one too many is told so; who failed never keeps another
// from showing a token that this service made.
func TestFailuresAreHeldBack(t *testing.T) {
	a, secret := tokenFor(t, Runtime)
	chosen, _ := AdminToken("correct-horse-battery-staple")
	a.Tokens.fixed[chosen.Digest] = entry{digest: chosen.Digest, caller: Caller{ID: "token:admin", Role: Admin}}
	a.Tokens.publish()
	now := a.Failures.start
	a.Failures.now = func() time.Time { return now }
	try := func(from, text string) (Caller, time.Duration) {
		t.Helper()
		caller, err := a.Caller(request(from, "Bearer "+text))
		var refused *Refused
		if err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		} else if err != nil {
			return Caller{}, max(1, refused.Wait)
		}
		return caller, 0
	}
	const wrong, right = "incorrect-horse-battery-staple", "correct-horse-battery-staple"
	for i := range failuresAtOnce {
		if _, wait := try(client, wrong); wait != 1 {
			t.Fatalf("failure %d waits for %s", i, wait)
		}
	}
	if _, wait := try(client, wrong); wait < time.Second/2 || wait > time.Second {
		t.Errorf("one too many waits for %s", wait)
	}
	if _, wait := try(client, right); wait == 0 {
		t.Error("a text that can be guessed is looked at")
	}
	if caller, wait := try("192.0.2.7:9999", secret); wait != 0 || caller.Role != Runtime {
		t.Error("a token that cannot be guessed is held back")
	}
	if caller, wait := try("192.0.2.8:4000", right); wait != 0 || caller.Role != Admin {
		t.Error("another address is held back")
	}
	// Who is held back gets a try a second, however many others come meanwhile.
	for range 1000 {
		try(client, wrong)
		try(client, swapLast(secret))
	}
	now = now.Add(failureCost)
	if caller, wait := try(client, right); wait != 0 || caller.Role != Admin {
		t.Errorf("a second later: waits for %s", wait)
	}
	now = now.Add(time.Hour)
	for i := range failuresAtOnce {
		if _, wait := try(client, wrong); wait != 1 {
			t.Fatalf("failure %d after a pause waits for %s", i, wait)
		}
	}
	if _, wait := try(client, wrong); wait <= 1 {
		t.Error("a pause saves up no more than at the start")
	}
}

func TestOriginsOfFailures(t *testing.T) {
	for _, row := range []struct {
		one, other string
		same       bool
	}{
		{"192.0.2.1:1", "192.0.2.1:2", true},
		{"192.0.2.1:1", "192.0.2.2:1", false},
		{"192.0.2.1:1", "[::ffff:192.0.2.1]:1", true},
		{"[2001:db8::1]:1", "[2001:db8::ffff:2]:1", true},
		{"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		{"127.0.0.1:1", "127.8.9.10:2", true},
		{"127.0.0.1:1", "[::1]:1", true},
		{"127.0.0.1:1", "[::ffff:127.0.0.9]:1", true},
		{"127.0.0.1:1", "128.0.0.1:1", false},
		{"[::1]:1", "[::2]:1", false},
		{"[fe80::1%eth0]:1", "[fe80::1%eth1]:1", true},
		{"@", "", true},
	} {
		if got := remoteOrigin(row.one) == remoteOrigin(row.other); got != row.same {
			t.Errorf("%s and %s: %v", row.one, row.other, got)
		}
	}
	if originOf(asUser(1)) == originOf(asUser(2)) {
		t.Error("two users count as one")
	}
}

// All together are bounded too, for those who have many addresses.
func TestFailuresOfAll(t *testing.T) {
	f := NewFailures()
	now := f.start
	f.now = func() time.Time { return now }
	for range totalAtOnce {
		if wait := f.all.wait(0, totalCost, totalAtOnce); wait != 0 {
			t.Fatalf("waits for %s", wait)
		}
		f.add(origin{local: true, uid: 1})
	}
	if f.wait(remoteOrigin(client)) == 0 {
		t.Error("nobody waits")
	}
	now = now.Add(totalCost)
	if f.wait(remoteOrigin("192.0.2.99:1")) != 0 {
		t.Error("still waits")
	}
}

func TestAuthenticatingCosts(t *testing.T) {
	a, secret := tokenFor(t, Runtime)
	none, with := request(client), request(client, "Bearer "+secret)
	for _, row := range []struct {
		why  string
		r    *http.Request
		most float64
	}{{"without a credential", none, 0}, {"with a token", with, 0}} {
		if got := testing.AllocsPerRun(100, func() { _, _ = a.Caller(row.r) }); got > row.most {
			t.Errorf("%s: %v allocations", row.why, got)
		}
	}
}

func TestZeroAuthenticator(t *testing.T) {
	var a Authenticator
	if caller, err := a.Caller(request(client)); err != nil || caller != (Caller{}) {
		t.Errorf("got %+v, %v", caller, err)
	}
	secret, _ := newToken(t, "ci", Admin)
	for _, text := range []string{secret, "a.b.c", "x"} {
		if caller, err := a.Caller(request(client, "Bearer "+text)); err == nil || caller != (Caller{}) {
			t.Errorf("%s: %+v", text, caller)
		}
	}
}

func FuzzAuthorization(f *testing.F) {
	a, secret := tokenFor(f, Admin)
	a.Failures = nil
	for _, header := range []string{"Bearer " + secret, "Bearer", "bearer x", "Bearer a.b.c", "Basic eDp5", "Bearer \x00", "", "Bearer pdp_admin_"} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		caller, err := a.Caller(request(client, header))
		if (err == nil) != (header == "Bearer "+secret) || (err == nil) != (caller.Role == Admin) {
			t.Errorf("%q: %+v, %v", header, caller, err)
		}
	})
}

func BenchmarkCaller(b *testing.B) {
	a, secret := tokenFor(b, Runtime)
	for name, r := range map[string]*http.Request{"none": request(client), "token": request(client, "Bearer "+secret)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = a.Caller(r)
			}
		})
	}
}
