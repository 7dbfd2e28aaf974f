package auth

import (
	"errors"
	"math/bits"
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

var noon = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

func newSet(t testing.TB, fixed ...Fixed) *Set {
	t.Helper()
	s, err := NewSet(fixed...)
	if err != nil {
		t.Fatal(err)
	}
	s.now = func() time.Time { return noon }
	return s
}

func newToken(t testing.TB, name string, role Role) (string, store.Token) {
	t.Helper()
	secret, token, err := NewToken(name, role, noon, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return secret, token
}

func TestTokenText(t *testing.T) {
	secret, token := newToken(t, "ci", Viewer)
	if !strings.HasPrefix(secret, "pdp_viewer_"+token.ID+"_") || len(secret) != len("pdp_viewer_")+10+1+59 {
		t.Errorf("got %s", secret)
	}
	if kindOf(secret) != made {
		t.Error("it does not know its own text")
	}
	if digest := NewDigest(secret); string(token.Hash) != string(digest[:]) || token.Role != "viewer" || token.Name != "ci" {
		t.Errorf("got %+v", token)
	}
	if other, _ := newToken(t, "ci", Viewer); other == secret {
		t.Error("twice the same")
	}
}

// Any one letter that is wrong, missing, added or swapped is told from a token
// that does not exist.
func TestTypingErrors(t *testing.T) {
	secret, _ := newToken(t, "ci", Runtime)
	start := len("pdp_runtime_")
	for i := start; i < len(secret); i++ {
		other := byte('A')
		if secret[i] == other {
			other = 'B'
		}
		wrong := []string{
			secret[:i] + string(other) + secret[i+1:],
			secret[:i] + secret[i+1:],
			secret[:i] + "7" + secret[i:],
		}
		if i+1 < len(secret) && secret[i] != secret[i+1] {
			wrong = append(wrong, secret[:i]+secret[i+1:i+2]+secret[i:i+1]+secret[i+2:])
		}
		for _, text := range wrong {
			if kindOf(text) != mistyped {
				t.Errorf("%s is kind %d", text, kindOf(text))
			}
		}
	}
}

func TestKindOfText(t *testing.T) {
	secret, _ := newToken(t, "ci", Admin)
	for _, row := range []struct {
		text string
		kind textKind
	}{
		{secret, made},
		{strings.ToLower(secret), mistyped},
		{secret + " ", mistyped},
		{secret[:20], mistyped},
		{strings.Replace(secret, "admin", "runtime", 1), mistyped},
		{strings.Replace(secret, "pdp_", "PDP_", 1), foreign},
		{strings.Replace(secret, "admin", "root", 1), foreign},
		{"pdp_admin_", mistyped},
		{"pdp_admin", foreign},
		{"pdp__x_y", foreign},
		{"pdp_", foreign},
		{"", foreign},
		{"a.b.c", foreign},
		{"correct-horse-battery-staple", foreign},
	} {
		if got := kindOf(row.text); got != row.kind {
			t.Errorf("%q: %d, want %d", row.text, got, row.kind)
		}
	}
}

func TestNewTokenRefuses(t *testing.T) {
	for _, row := range []struct {
		why     string
		name    string
		role    Role
		expires time.Time
	}{
		{"no role", "ci", Nobody, time.Time{}},
		{"no name", "", Runtime, time.Time{}},
		{"a name with a space", "c i", Runtime, time.Time{}},
		{"a name with a line end", "ci\n", Runtime, time.Time{}},
		{"a name with a look-alike", "cі", Runtime, time.Time{}},
		{"a long name", strings.Repeat("a", 65), Runtime, time.Time{}},
		{"expired at once", "ci", Runtime, noon},
		{"expired before", "ci", Runtime, noon.Add(-time.Second)},
	} {
		if secret, _, err := NewToken(row.name, row.role, noon, row.expires); err == nil || secret != "" {
			t.Errorf("%s: got %q", row.why, secret)
		}
	}
}

func TestFindToken(t *testing.T) {
	second := time.Second
	for _, row := range []struct {
		when   string
		change func(*store.Token)
		role   Role
		err    error
	}{
		{"valid", func(*store.Token) {}, Approver, nil},
		{"expires in a second", func(s *store.Token) { s.Expires = noon.Add(second) }, Approver, nil},
		{"expires now", func(s *store.Token) { s.Expires = noon }, Nobody, errExpiredToken},
		{"expired a second ago", func(s *store.Token) { s.Expires = noon.Add(-second) }, Nobody, errExpiredToken},
		{"revoked", func(s *store.Token) { s.Revoked = noon.Add(-second) }, Nobody, errRevokedToken},
		{"revoked by a clock that is ahead", func(s *store.Token) { s.Revoked = noon.Add(second) }, Nobody, errRevokedToken},
		{"revoked and expired", func(s *store.Token) { s.Revoked, s.Expires = noon, noon }, Nobody, errRevokedToken},
		{"of another hash", func(s *store.Token) { s.Hash = append([]byte{^s.Hash[0]}, s.Hash[1:]...) }, Nobody, errUnknownToken},
		{"of a short hash", func(s *store.Token) { s.Hash = s.Hash[:31] }, Nobody, errUnknownToken},
		{"of no hash", func(s *store.Token) { s.Hash = nil }, Nobody, errUnknownToken},
		{"of an unknown role", func(s *store.Token) { s.Role = "root" }, Nobody, errUnknownToken},
		{"of no role", func(s *store.Token) { s.Role = "" }, Nobody, errUnknownToken},
		{"of no id", func(s *store.Token) { s.ID = "" }, Nobody, errUnknownToken},
		{"of the role in the store, not in the text", func(s *store.Token) { s.Role = "viewer" }, Viewer, nil},
	} {
		secret, token := newToken(t, "ci", Approver)
		row.change(&token)
		s := newSet(t)
		taken := s.Replace([]store.Token{token})
		if malformed := row.err == errUnknownToken && row.when != "of another hash"; (taken != nil) != malformed {
			t.Errorf("%s: replaced with %v", row.when, taken)
		}
		caller, _, err := s.find(secret)
		if !errors.Is(err, row.err) || caller.Role != row.role {
			t.Errorf("%s: %+v, %v", row.when, caller, err)
		}
		if err == nil && (caller.ID != "token:"+token.ID || caller.Name != "ci") {
			t.Errorf("%s: %+v", row.when, caller)
		}
		if err != nil && strings.Contains(err.Error(), secret[len(secret)-30:]) {
			t.Errorf("%s: the error has the secret: %v", row.when, err)
		}
		if row.when != "of another hash" && s.Any() != (row.err == nil) {
			t.Errorf("%s: Any is %v", row.when, s.Any())
		}
	}
}

// A token that was accepted a moment ago is not, once the set was replaced.
func TestTokensAreReplacedWhole(t *testing.T) {
	s := newSet(t)
	first, one := newToken(t, "one", Admin)
	second, two := newToken(t, "two", Runtime)
	_ = s.Replace([]store.Token{one})
	if _, _, err := s.find(first); err != nil || !s.HasAdmin() {
		t.Fatalf("got %v", err)
	}
	one.Revoked = noon
	_ = s.Replace([]store.Token{one, two})
	if _, _, err := s.find(first); !errors.Is(err, errRevokedToken) || s.HasAdmin() {
		t.Errorf("revoked: %v", err)
	}
	if _, _, err := s.find(second); err != nil {
		t.Errorf("the other: %v", err)
	}
	_ = s.Replace(nil)
	if _, _, err := s.find(second); !errors.Is(err, errUnknownToken) {
		t.Errorf("gone: %v", err)
	}
}

func TestFixedTokens(t *testing.T) {
	admin, err := AdminToken("correct-horse-battery-staple")
	if err != nil {
		t.Fatal(err)
	}
	s := newSet(t, admin, Fixed{ID: "config/ci", Name: "ci", Role: Runtime, Digest: NewDigest("another-secret-of-somebody")})
	for text, want := range map[string]Caller{
		"correct-horse-battery-staple": {ID: "token:admin", Name: "admin", Role: Admin},
		"another-secret-of-somebody":   {ID: "token:config/ci", Name: "ci", Role: Runtime},
	} {
		if got, _, err := s.find(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "correct-horse-battery-stapl", "Correct-horse-battery-staple", "correct-horse-battery-staple\x00"} {
		if got, _, err := s.find(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if _, err := NewSet(admin, Fixed{Name: "ci", Role: Runtime, Digest: admin.Digest}); err == nil {
		t.Error("two tokens with one text")
	}
	// Revoking works for a token that is also written down.
	_ = s.Replace([]store.Token{{ID: "X", Role: "runtime", Hash: admin.Digest[:], Revoked: noon}})
	if _, _, err := s.find("correct-horse-battery-staple"); !errors.Is(err, errRevokedToken) {
		t.Errorf("got %v", err)
	}
}

// While the store cannot be asked, nobody approves with a token that may have
// been revoked; the operator's own is not in the store.
func TestStaleTokensApproveNothing(t *testing.T) {
	admin, _ := AdminToken("correct-horse-battery-staple")
	s := newSet(t, admin)
	var secrets []string
	var tokens []store.Token
	for role := Runtime; role <= Admin; role++ {
		secret, token := newToken(t, role.String(), role)
		secrets, tokens = append(secrets, secret), append(tokens, token)
	}
	_ = s.Replace(tokens)
	for _, row := range []struct {
		stale bool
		roles []Role
	}{
		{true, []Role{Runtime, Viewer, Runtime, Runtime}},
		{false, []Role{Runtime, Viewer, Approver, Admin}},
	} {
		s.SetStale(row.stale)
		for i, secret := range secrets {
			if caller, _, err := s.find(secret); err != nil || caller.Role != row.roles[i] {
				t.Errorf("stale %v: %s is %s, %v", row.stale, tokens[i].Role, caller.Role, err)
			}
		}
		if caller, _, _ := s.find("correct-horse-battery-staple"); caller.Role != Admin {
			t.Errorf("stale %v: the operator is %s", row.stale, caller.Role)
		}
	}
}

func TestAdminTokens(t *testing.T) {
	for _, row := range []struct {
		text string
		ok   bool
	}{
		{"abcdefghij0123456789", true},
		{"abcdefghij012345678", false},
		{"", false},
		{strings.Repeat("a", 40), false},
		{strings.Repeat("abcde", 8), false},
		{"abcdefghij 0123456789", false},
		{"abcdefghij0123456789\n", false},
		{"abcdefghij0123456789é", false},
		{"!\"#$%&'()*+,-./:;<=>?@", true},
		{strings.Repeat("abcdefghij", 1000), false},
	} {
		if _, err := AdminToken(row.text); (err == nil) != row.ok {
			t.Errorf("%q: %v", row.text, err)
		} else if err != nil && row.text != "" && strings.Contains(err.Error(), row.text) {
			t.Errorf("the error has the secret: %v", err)
		}
	}
}

// The secret must be random as a whole: over many tokens, half of all bits of
// the hash differ, and no two share a half of the secret.
func TestTokensDiffer(t *testing.T) {
	halves := map[string]bool{}
	var last []byte
	differing, all := 0, 0
	for range 200 {
		secret, token := newToken(t, "ci", Runtime)
		tail := secret[len(secret)-tailLength:]
		for _, half := range []string{token.ID, tail[:26], tail[26:52]} {
			if halves[half] {
				t.Fatalf("%s comes twice", half)
			}
			halves[half] = true
		}
		for i := range last {
			differing += bits.OnesCount8(last[i] ^ token.Hash[i])
			all += 8
		}
		last = token.Hash
	}
	if differing*100 < all*45 || differing*100 > all*55 {
		t.Errorf("%d of %d bits differ", differing, all)
	}
}

func FuzzKindOf(f *testing.F) {
	secret, _ := newToken(f, "ci", Admin)
	for _, text := range []string{secret, secret[:30], "pdp_", "pdp_admin_A_B", "a.b.c", "", "pdp_runtime_\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		kind := kindOf(text)
		if kind == made && (len(text) > 90 || !isVisible(text)) {
			t.Errorf("%q is %d", text, kind)
		}
		if _, _, err := newSet(t).find(text); err == nil {
			t.Errorf("%q is known", text)
		}
	})
}

func BenchmarkFindToken(b *testing.B) {
	s := newSet(b)
	s.now = time.Now
	secret, token, _ := NewToken("ci", Runtime, time.Now(), time.Time{})
	tokens := []store.Token{token}
	for range 1000 {
		_, other, _ := NewToken("other", Runtime, time.Now(), time.Time{})
		tokens = append(tokens, other)
	}
	_ = s.Replace(tokens)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := s.find(secret); err != nil {
			b.Fatal(err)
		}
	}
}
