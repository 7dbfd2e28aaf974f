package auth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	issuer   = "https://id.example"
	audience = "pdp"
)

// keys are made once: RSA takes time.
var testKeys = sync.OnceValue(func() (k struct {
	rsa, other, small *rsa.PrivateKey
	ec                *ecdsa.PrivateKey
	ed                ed25519.PrivateKey
},
) {
	var err [5]error
	k.rsa, err[0] = rsa.GenerateKey(rand.Reader, 2048)
	k.other, err[1] = rsa.GenerateKey(rand.Reader, 2048)
	k.small, err[2] = rsa.GenerateKey(rand.Reader, 1024)
	k.ec, err[3] = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	_, k.ed, err[4] = ed25519.GenerateKey(rand.Reader)
	if err := errors.Join(err[:]...); err != nil {
		panic(err)
	}
	return k
})

// keySetText is a key set as an issuer publishes it.
func keySetText(keys ...jose.JSONWebKey) []byte {
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		panic(err)
	}
	return text
}

func issuerKeys() []byte {
	k := testKeys()
	return keySetText(
		jose.JSONWebKey{Key: k.rsa.Public(), KeyID: "r1"},
		jose.JSONWebKey{Key: k.ec.Public(), KeyID: "e1", Algorithm: "ES256", Use: "sig"},
		jose.JSONWebKey{Key: k.ed.Public(), KeyID: "d1"},
		jose.JSONWebKey{Key: k.other.Public(), KeyID: "enc", Use: "enc"},
	)
}

func fixedKeys(text []byte) KeySource {
	return func(context.Context) ([]byte, error) { return text, nil }
}

func newJWT(t testing.TB, change func(*JWTSpec)) *JWT {
	t.Helper()
	spec := JWTSpec{
		Issuer: issuer, Audience: audience, Keys: fixedKeys(issuerKeys()), RoleClaim: "realm_access.roles",
		Roles: map[string]Role{"agents": Runtime, "auditors": Viewer, "approvers": Approver},
	}
	if change != nil {
		change(&spec)
	}
	j, err := NewJWT(spec)
	if err != nil {
		t.Fatal(err)
	}
	j.now = func() time.Time { return noon }
	if err := j.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return j
}

func goodClaims() map[string]any {
	return map[string]any{
		"iss": issuer, "aud": audience, "sub": "agent-7", "exp": noon.Add(time.Minute).Unix(),
		"realm_access": map[string]any{"roles": []any{"agents"}},
	}
}

// part is one part of a JWT.
func part(v any) string {
	text, ok := v.(string)
	if !ok {
		raw, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		text = string(raw)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// signRSA makes a token by hand, so that its header can say anything.
func signRSA(key *rsa.PrivateKey, header, claims any) string {
	input := part(header) + "." + part(claims)
	sum := sha256.Sum256([]byte(input))
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return input + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func signed(alg jose.SignatureAlgorithm, key any, kid string, claims any) string {
	opts := (&jose.SignerOptions{}).WithType("JWT")
	if kid != "" {
		opts = opts.WithHeader("kid", kid)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, opts)
	if err != nil {
		panic(err)
	}
	raw, _ := json.Marshal(claims)
	object, err := signer.Sign(raw)
	if err != nil {
		panic(err)
	}
	text, err := object.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return text
}

func TestJWTSignatures(t *testing.T) {
	k := testKeys()
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: mustPKIX(k.rsa.Public())})
	good := goodClaims()
	type header map[string]any
	rs := func(h header) header {
		all := header{"alg": "RS256", "kid": "r1"}
		maps.Copy(all, h)
		return all
	}
	otherJWK := jose.JSONWebKey{Key: k.other.Public(), KeyID: "r1"}
	right := signRSA(k.rsa, rs(nil), good)
	for _, row := range []struct {
		why  string
		text string
		ok   bool
	}{
		{"RS256", right, true},
		{"PS256 with the same key", signed(jose.PS256, k.rsa, "r1", good), true},
		{"RS512", signed(jose.RS512, k.rsa, "r1", good), true},
		{"ES256", signed(jose.ES256, k.ec, "e1", good), true},
		{"EdDSA", signed(jose.EdDSA, k.ed, "d1", good), true},
		{"EdDSA without a key's id, which has no choice", signed(jose.EdDSA, k.ed, "", good), true},

		{"alg none", part(header{"alg": "none"}) + "." + part(good) + ".", false},
		{"alg none, with a key's id", part(rs(header{"alg": "none"})) + "." + part(good) + ".", false},
		{"alg NoNe", part(header{"alg": "NoNe"}) + "." + part(good) + ".", false},
		{"alg none, with a signature", strings.Replace(right, part(rs(nil)), part(rs(header{"alg": "none"})), 1), false},
		{"no alg", part(header{"kid": "r1"}) + "." + part(good) + ".", false},
		{"alg empty", signRSA(k.rsa, rs(header{"alg": ""}), good), false},
		{"alg in lower case", signRSA(k.rsa, rs(header{"alg": "rs256"}), good), false},
		{"HS256 with the public key as PEM", signed(jose.HS256, publicPEM, "r1", good), false},
		{"HS256 with the public key as DER", signed(jose.HS256, mustPKIX(k.rsa.Public()), "r1", good), false},
		{"HS256 with the modulus", signed(jose.HS256, k.rsa.N.Bytes(), "r1", good), false},
		{"HS512 with the key set", signed(jose.HS512, issuerKeys(), "r1", good), false},

		{"a key that nobody published", signRSA(k.other, rs(nil), good), false},
		{"a key for encryption", signRSA(k.other, rs(header{"kid": "enc"}), good), false},
		{"a key of its own in the header", signRSA(k.other, rs(header{"jwk": otherJWK}), good), false},
		{"a key of its own by a link", signRSA(k.other, rs(header{"jku": "https://evil.example/keys"}), good), false},
		{"a certificate of its own", signRSA(k.other, rs(header{"x5u": "https://evil.example/cert"}), good), false},
		{"another key's id", signRSA(k.rsa, rs(header{"kid": "e1"}), good), false},
		{"an unknown key's id", signRSA(k.rsa, rs(header{"kid": "r2"}), good), false},
		{"a key's id in another case", signRSA(k.rsa, rs(header{"kid": "R1"}), good), false},
		{"a key's id that is a path", signRSA(k.rsa, rs(header{"kid": "../../dev/null"}), good), false},
		{"a key's id that is a query", signRSA(k.rsa, rs(header{"kid": "r1' OR '1'='1"}), good), false},
		{"a key's id with a NUL", signRSA(k.rsa, rs(header{"kid": "r1\x00"}), good), false},
		{"a key's id that is a number", signRSA(k.rsa, rs(header{"kid": 1}), good), false},
		{"two key ids", signRSA(k.rsa, `{"alg":"RS256","kid":"e1","kid":"r1"}`, good), false},
		{"a critical extension", signRSA(k.rsa, rs(header{"crit": []string{"exp"}, "exp": 1}), good), false},
		{"a payload that is not encoded", signRSA(k.rsa, rs(header{"crit": []string{"b64"}, "b64": false}), good), false},
		{"a compressed payload", signRSA(k.rsa, rs(header{"zip": "DEF"}), good), false},

		{"other claims under the signature", strings.Replace(right, part(good), part(with(good, "sub", "admin")), 1), false},
		{"no signature", right[:strings.LastIndexByte(right, '.')+1], false},
		{"a signature that is cut", right[:len(right)-4], false},
		{"white space", right + "\n", false},
		{"padding", right + "==", false},
		{"two parts", strings.Join(strings.Split(right, ".")[:2], "."), false},
		{"five parts", right + ".a.b", false},
		{"JSON instead of compact", `{"payload":"` + part(good) + `","signatures":[]}`, false},
		{"dots alone", "..", false},
		{"nothing", "", false},
		{"deep nesting in the header", part(strings.Repeat("[", 3000)) + ".a.b", false},
	} {
		j := newJWT(t, nil)
		caller, err := j.caller(t.Context(), row.text)
		if (err == nil) != row.ok {
			t.Errorf("%s: %+v, %v", row.why, caller, err)
		}
		if row.ok && caller != (Caller{ID: "jwt:https://id.example#agent-7", Name: "agent-7", Role: Runtime}) {
			t.Errorf("%s: %+v", row.why, caller)
		}
	}
}

func mustPKIX(key any) []byte {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		panic(err)
	}
	return der
}

// with returns the claims with one changed; nil takes it away.
func with(claims map[string]any, name string, value any) map[string]any {
	changed := maps.Clone(claims)
	changed[name] = value
	if value == nil {
		delete(changed, name)
	}
	return changed
}

func TestJWTClaims(t *testing.T) {
	at := func(d time.Duration) int64 { return noon.Add(d).Unix() }
	roles := func(v any) map[string]any { return map[string]any{"roles": v} }
	leeway := 30 * time.Second
	for _, row := range []struct {
		why   string
		claim string
		value any
		role  Role
	}{
		{"as it should be", "x", 1, Runtime},
		{"another issuer", "iss", "https://evil.example", Nobody},
		{"an issuer with a slash more", "iss", issuer + "/", Nobody},
		{"an issuer in another case", "iss", "https://ID.example", Nobody},
		{"no issuer", "iss", nil, Nobody},
		{"another audience", "aud", "mail", Nobody},
		{"an audience that begins the same", "aud", "pdp2", Nobody},
		{"no audience", "aud", nil, Nobody},
		{"no audience in the list", "aud", []string{}, Nobody},
		{"one audience of several", "aud", []string{"mail", audience}, Runtime},
		{"an audience that is no text", "aud", 7, Nobody},
		{"no expiry", "exp", nil, Nobody},
		{"expired a second ago, within the leeway", "exp", at(-time.Second), Runtime},
		{"expired just within the leeway", "exp", at(time.Second - leeway), Runtime},
		{"expired the leeway ago", "exp", at(-leeway), Nobody},
		{"expired long ago", "exp", 1, Nobody},
		{"an expiry that is text", "exp", "9999999999", Nobody},
		{"an expiry that is negative", "exp", -1, Nobody},
		{"an expiry that no clock reaches", "exp", 1e300, Nobody},
		{"valid in a minute", "nbf", at(time.Minute), Nobody},
		{"valid in a second", "nbf", at(time.Second), Runtime},
		{"valid since a minute", "nbf", at(-time.Minute), Runtime},
		{"issued in a minute", "iat", at(time.Minute), Nobody},
		{"issued a minute ago", "iat", at(-time.Minute), Runtime},
		{"no subject", "sub", nil, Nobody},
		{"an empty subject", "sub", "", Nobody},
		{"a long subject", "sub", strings.Repeat("a", 256), Nobody},
		{"a subject with a line end", "sub", "a\nb", Nobody},
		{"a subject that reads backwards", "sub", "a\u202eb", Nobody},
		{"a subject that is a number", "sub", 7, Nobody},
		{"a role as a text", "realm_access", roles("approvers"), Approver},
		{"the highest of several", "realm_access", roles([]any{"agents", "approvers", "x"}), Approver},
		{"a role that is not mapped", "realm_access", roles([]any{"admin"}), Nobody},
		{"a role in another case", "realm_access", roles([]any{"Agents"}), Nobody},
		{"roles that are no texts", "realm_access", roles([]any{1, nil, []any{"agents"}}), Nobody},
		{"roles as the keys of an object", "realm_access", roles(map[string]any{"agents": true}), Nobody},
		{"two roles in one text", "realm_access", roles("agents approvers"), Nobody},
		{"no role", "realm_access", nil, Nobody},
		{"the path ends early", "realm_access", "agents", Nobody},
	} {
		j := newJWT(t, func(s *JWTSpec) { s.Leeway = leeway })
		text := signed(jose.EdDSA, testKeys().ed, "d1", with(goodClaims(), row.claim, row.value))
		caller, err := j.caller(t.Context(), text)
		if caller.Role != row.role || (err == nil) != (row.role != Nobody) {
			t.Errorf("%s: %+v, %v", row.why, caller, err)
		}
	}
}

func TestJWTWithoutLeeway(t *testing.T) {
	j := newJWT(t, nil)
	for after, ok := range map[time.Duration]bool{-time.Second: false, 0: false, time.Second: true} {
		text := signed(jose.EdDSA, testKeys().ed, "d1", with(goodClaims(), "exp", noon.Add(after).Unix()))
		if _, err := j.caller(t.Context(), text); (err == nil) != ok {
			t.Errorf("%s: %v", after, err)
		}
	}
}

func TestRoleClaims(t *testing.T) {
	for _, row := range []struct {
		claim  string
		claims map[string]any
		role   Role
	}{
		{"role", map[string]any{"role": "agents"}, Runtime},
		{"https://example.com/roles", map[string]any{"https://example.com/roles": []any{"approvers"}}, Approver},
		{"a.b.c", map[string]any{"a": map[string]any{"b": map[string]any{"c": "agents"}}}, Runtime},
		{"a.b", map[string]any{"a.b": "agents", "a": map[string]any{"b": "approvers"}}, Runtime},
		{"scope", map[string]any{"scope": "openid agents"}, Runtime},
		{"groups", map[string]any{"groups": "openid agents"}, Nobody},
	} {
		j := newJWT(t, func(s *JWTSpec) { s.RoleClaim = row.claim })
		if got := j.role(row.claims); got != row.role {
			t.Errorf("%s in %v: %s", row.claim, row.claims, got)
		}
	}
}

// A token that was verified before is known, until it expires or the keys change.
func TestVerifiedTokensAreRemembered(t *testing.T) {
	keys := issuerKeys()
	j := newJWT(t, func(s *JWTSpec) { s.Keys = func(context.Context) ([]byte, error) { return keys, nil } })
	now := noon
	j.now = func() time.Time { return now }
	text := signed(jose.EdDSA, testKeys().ed, "d1", goodClaims())
	if j.remembers(text) {
		t.Error("known before it was verified")
	}
	if _, err := j.caller(t.Context(), text); err != nil || !j.remembers(text) {
		t.Fatalf("not remembered: %v", err)
	}
	if j.remembers(text+"x") || (*JWT)(nil).remembers(text) {
		t.Error("another is known")
	}
	now = noon.Add(time.Minute)
	if _, err := j.caller(t.Context(), text); err == nil || j.remembers(text) {
		t.Error("known when it has expired")
	}
	now = noon
	if err := j.Refresh(t.Context()); err != nil || !j.remembers(text) {
		t.Errorf("forgotten when the same keys were read again: %v", err)
	}
	keys = keySetText(jose.JSONWebKey{Key: testKeys().rsa.Public(), KeyID: "r1"})
	if err := j.Refresh(t.Context()); err != nil || j.remembers(text) {
		t.Errorf("known when its key is gone: %v", err)
	}
	if _, err := j.caller(t.Context(), text); err == nil {
		t.Error("accepted when its key is gone")
	}
}

func TestVerifiedTokensAreBounded(t *testing.T) {
	j := newJWT(t, nil)
	for i := range 3 * mostVerified {
		j.remember(NewDigest(fmt.Sprint(i)), verified{})
	}
	if len(j.verified) > mostVerified {
		t.Errorf("%d are remembered", len(j.verified))
	}
}

func TestJWTSpecs(t *testing.T) {
	for why, change := range map[string]func(*JWTSpec){
		"no issuer":       func(s *JWTSpec) { s.Issuer = "" },
		"no audience":     func(s *JWTSpec) { s.Audience = "" },
		"no keys":         func(s *JWTSpec) { s.Keys = nil },
		"no claim":        func(s *JWTSpec) { s.RoleClaim = "" },
		"no roles":        func(s *JWTSpec) { s.Roles = nil },
		"a huge leeway":   func(s *JWTSpec) { s.Leeway = time.Hour },
		"negative leeway": func(s *JWTSpec) { s.Leeway = -1 },
		"HS256":           func(s *JWTSpec) { s.Algorithms = []string{"RS256", "HS256"} },
		"none":            func(s *JWTSpec) { s.Algorithms = []string{"none"} },
		"an empty one":    func(s *JWTSpec) { s.Algorithms = []string{""} },
		"lower case":      func(s *JWTSpec) { s.Algorithms = []string{"rs256"} },
	} {
		spec := JWTSpec{Issuer: issuer, Audience: audience, Keys: fixedKeys(nil), RoleClaim: "r", Roles: map[string]Role{"a": Runtime}}
		change(&spec)
		if _, err := NewJWT(spec); err == nil {
			t.Errorf("%s is accepted", why)
		}
	}
	j := newJWT(t, func(s *JWTSpec) { s.Algorithms = []string{"ES256"} })
	if _, err := j.caller(t.Context(), signed(jose.EdDSA, testKeys().ed, "d1", goodClaims())); err == nil {
		t.Error("an algorithm that is not admitted")
	}
	if _, err := j.caller(t.Context(), signed(jose.ES256, testKeys().ec, "e1", goodClaims())); err != nil {
		t.Error(err)
	}
}

// Unknown keys are looked for, but not for each token that names one.
func TestUnknownKeysCauseFewReadings(t *testing.T) {
	var readings atomic.Int64
	k := testKeys()
	var published atomic.Pointer[[]byte]
	first := keySetText(jose.JSONWebKey{Key: k.rsa.Public(), KeyID: "r1"})
	published.Store(&first)
	j := newJWT(t, func(s *JWTSpec) {
		s.Keys = func(context.Context) ([]byte, error) { readings.Add(1); return *published.Load(), nil }
	})
	now := noon
	j.now = func() time.Time { return now }
	for i := range 50 {
		if _, err := j.caller(t.Context(), signed(jose.EdDSA, k.ed, fmt.Sprint("new", i), goodClaims())); err == nil {
			t.Fatal("accepted")
		}
	}
	if readings.Load() != 2 {
		t.Errorf("%d readings", readings.Load())
	}
	second := issuerKeys()
	published.Store(&second)
	text := signed(jose.EdDSA, k.ed, "d1", goodClaims())
	if _, err := j.caller(t.Context(), text); err == nil {
		t.Error("read again at once")
	}
	now = noon.Add(keyPause)
	if _, err := j.caller(t.Context(), text); err != nil || readings.Load() != 3 {
		t.Errorf("after a pause: %v, %d readings", err, readings.Load())
	}
}

func TestKeysThatCannotBeRead(t *testing.T) {
	failing := errors.New("the issuer is down")
	var broken bool
	j := newJWT(t, func(s *JWTSpec) {
		s.Keys = func(context.Context) ([]byte, error) {
			if broken {
				return nil, failing
			}
			return issuerKeys(), nil
		}
	})
	now := noon
	j.now = func() time.Time { return now }
	text := signed(jose.EdDSA, testKeys().ed, "d1", with(goodClaims(), "exp", noon.Add(100*time.Hour).Unix()))
	broken = true
	if err := j.Refresh(t.Context()); !errors.Is(err, failing) {
		t.Errorf("got %v", err)
	}
	if _, err := j.caller(t.Context(), text); err != nil {
		t.Errorf("the last good keys are forgotten: %v", err)
	}
	now = noon.Add(keepKeys + time.Second)
	if _, err := j.caller(t.Context(), text); !errors.Is(err, failing) || j.remembers(text) {
		t.Errorf("old keys are good for ever: %v", err)
	}
}

func TestKeysBeforeTheFirstReading(t *testing.T) {
	down := errors.New("down")
	j, err := NewJWT(JWTSpec{
		Issuer: issuer, Audience: audience, RoleClaim: "r", Roles: map[string]Role{"a": Runtime},
		Keys: func(context.Context) ([]byte, error) { return nil, down },
	})
	if err != nil {
		t.Fatal(err)
	}
	text := signed(jose.EdDSA, testKeys().ed, "d1", goodClaims())
	for range 2 {
		if _, err := j.caller(t.Context(), text); err == nil {
			t.Error("accepted")
		}
	}
}

// Many tokens at once wait for one reading.
func TestReadingsAreShared(t *testing.T) {
	var readings atomic.Int64
	started, goOn := make(chan struct{}), make(chan struct{})
	k := &keyring{now: time.Now, source: func(context.Context) ([]byte, error) {
		if readings.Add(1) == 1 {
			close(started)
		}
		<-goOn
		return issuerKeys(), nil
	}}
	var all sync.WaitGroup
	errs := make(chan error, 20)
	all.Go(func() { errs <- k.refresh(t.Context()) })
	<-started
	for range 19 {
		all.Go(func() {
			_, _, err := k.find(t.Context(), "d1", jose.EdDSA)
			errs <- err
		})
	}
	close(goOn)
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if readings.Load() > 2 {
		t.Errorf("%d readings", readings.Load())
	}
}

func TestKeySets(t *testing.T) {
	k := testKeys()
	rsaKey := jose.JSONWebKey{Key: k.rsa.Public(), KeyID: "r1"}
	for _, row := range []struct {
		why  string
		text string
		keys int // 0: refused
	}{
		{"one key", string(keySetText(rsaKey)), 1},
		{"a kind that is not known is left out", `{"keys":[{"kty":"XYZ","kid":"x"},` + string(mustJSON(rsaKey)) + `]}`, 1},
		{"a short RSA key is left out", string(keySetText(rsaKey, jose.JSONWebKey{Key: k.small.Public()})), 1},
		{"a short RSA key alone", string(keySetText(jose.JSONWebKey{Key: k.small.Public()})), 0},
		{"a private key", string(keySetText(jose.JSONWebKey{Key: k.rsa, KeyID: "r1"})), 0},
		{"a shared secret", string(keySetText(rsaKey, jose.JSONWebKey{Key: []byte("0123456789abcdef0123456789abcdef")})), 0},
		{"a key for encryption alone", string(keySetText(jose.JSONWebKey{Key: k.rsa.Public(), Use: "enc"})), 0},
		{"no keys", `{"keys":[]}`, 0},
		{"an empty object", `{}`, 0},
		{"an empty text", ``, 0},
		{"a page", `<html>`, 0},
		{"a key that is not on its curve", `{"keys":[{"kty":"EC","crv":"P-256","x":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE","y":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE"}]}`, 0},
		{"too many", `{"keys":[` + strings.Repeat(`{},`, 100) + `{}]}`, 0},
		{"too long", `{"keys":[]}` + strings.Repeat(" ", mostKeyBytes), 0},
	} {
		set, err := parseKeys([]byte(row.text))
		if (err == nil) != (row.keys > 0) || err == nil && len(set.keys) != row.keys {
			t.Errorf("%s: %v, %v", row.why, set, err)
		}
	}
}

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// JWTs arrive through the same door as tokens.
func TestBearerJWTs(t *testing.T) {
	a, secret := tokenFor(t, Admin)
	a.JWT = newJWT(t, nil)
	good := signed(jose.EdDSA, testKeys().ed, "d1", goodClaims())
	if caller, err := a.Caller(request(client, "Bearer "+good)); err != nil || caller.Role != Runtime {
		t.Errorf("got %+v, %v", caller, err)
	}
	if caller, err := a.Caller(request(client, "Bearer "+secret)); err != nil || caller.Role != Admin {
		t.Errorf("got %+v, %v", caller, err)
	}
	// One that is known is not held back, a new one is.
	for range failuresAtOnce {
		_, _ = a.Caller(request(client, "Bearer a.b.c"))
	}
	if _, err := a.Caller(request(client, "Bearer "+good)); err != nil {
		t.Errorf("got %v", err)
	}
	var refused *Refused
	fresh := signed(jose.EdDSA, testKeys().ed, "d1", with(goodClaims(), "sub", "agent-8"))
	if _, err := a.Caller(request(client, "Bearer "+fresh)); !errors.As(err, &refused) || refused.Wait == 0 {
		t.Errorf("got %v", err)
	}
}

func FuzzJWT(f *testing.F) {
	j := newJWT(f, nil)
	good := signed(jose.EdDSA, testKeys().ed, "d1", goodClaims())
	for _, text := range []string{good, "a.b.c", "..", good + ".", part(`{"alg":"none"}`) + ".e30."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if caller, err := j.caller(t.Context(), text); (err == nil) != (caller.Role != Nobody) || err == nil && caller.Role != Runtime {
			t.Errorf("%q: %+v, %v", text, caller, err)
		}
	})
}
