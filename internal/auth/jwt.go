package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// JWTSpec says which JWTs are credentials.
type JWTSpec struct {
	Issuer     string          // as in the iss claim, exactly
	Audience   string          // that the aud claim must name
	Keys       KeySource       // of the issuer
	Algorithms []string        // empty: all of Algorithms()
	Leeway     time.Duration   // between the clocks of issuer and service
	RoleClaim  string          // a claim, or a path into one, with dots
	Roles      map[string]Role // by the claim's value
}

// Algorithms returns the signature algorithms that can be admitted. All are
// asymmetric: with a shared secret, whoever can verify a token can make one.
func Algorithms() []string {
	names := make([]string, 0, len(algorithms))
	for _, a := range algorithms {
		names = append(names, string(a))
	}
	return names
}

var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// mostLeeway bounds how long an expired token may still work.
const mostLeeway = 5 * time.Minute

// JWT verifies JSON Web Tokens of one issuer.
type JWT struct {
	spec     JWTSpec
	admitted []jose.SignatureAlgorithm
	keys     *keyring
	now      func() time.Time

	mu       sync.Mutex
	verified map[Digest]verified // bounded by mostVerified
}

// verified remembers a token, so that its signature costs time once only.
type verified struct {
	caller  Caller
	expires time.Time // leeway included
	keys    *keySet   // that it was verified with
}

const mostVerified = 4096

// NewJWT checks the specification. Keys are read by [JWT.Refresh].
func NewJWT(spec JWTSpec) (*JWT, error) {
	switch {
	case spec.Issuer == "":
		return nil, errors.New("a JWT needs an issuer")
	case spec.Audience == "":
		return nil, errors.New("a JWT needs an audience: without one, tokens for other services would be accepted")
	case spec.Keys == nil:
		return nil, errors.New("a JWT needs the issuer's keys")
	case spec.RoleClaim == "" || len(spec.Roles) == 0:
		return nil, errors.New("a JWT needs a claim for the role, and the roles of its values")
	case spec.Leeway < 0 || spec.Leeway > mostLeeway:
		return nil, fmt.Errorf("the leeway is 0 to %s", mostLeeway)
	}
	j := &JWT{spec: spec, admitted: algorithms, now: time.Now, verified: map[Digest]verified{}}
	j.keys = &keyring{source: spec.Keys, now: func() time.Time { return j.now() }}
	if len(spec.Algorithms) > 0 {
		j.admitted = nil
	}
	for _, name := range spec.Algorithms {
		alg := jose.SignatureAlgorithm(name)
		if !slices.Contains(algorithms, alg) {
			return nil, fmt.Errorf("the algorithm %q is not one of %s", name, strings.Join(Algorithms(), ", "))
		}
		j.admitted = append(j.admitted, alg)
	}
	return j, nil
}

// Refresh reads the keys anew. After an error the last good ones stay for a while.
func (j *JWT) Refresh(ctx context.Context) error { return j.keys.refresh(ctx) }

// remembers reports whether the token was verified before and still holds.
func (j *JWT) remembers(text string) bool {
	if j == nil {
		return false
	}
	_, ok := j.remembered(NewDigest(text))
	return ok
}

func (j *JWT) remembered(digest Digest) (Caller, bool) {
	set, err := j.keys.current()
	if err != nil {
		return Caller{}, false
	}
	j.mu.Lock()
	v, ok := j.verified[digest]
	j.mu.Unlock()
	if !ok || v.keys != set || !j.now().Before(v.expires) {
		return Caller{}, false
	}
	return v.caller, true
}

func (j *JWT) remember(digest Digest, v verified) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.verified) >= mostVerified {
		clear(j.verified)
	}
	j.verified[digest] = v
}

// caller returns whom a token names, if it holds.
func (j *JWT) caller(ctx context.Context, text string) (Caller, error) {
	digest := NewDigest(text)
	if caller, ok := j.remembered(digest); ok {
		return caller, nil
	}
	if !isVisible(text) {
		return Caller{}, errors.New("the JWT has a character that none has")
	}
	token, err := jwt.ParseSigned(text, j.admitted)
	if err != nil {
		return Caller{}, fmt.Errorf("not a JWT of an admitted algorithm: %w", err)
	}
	claims, set, err := j.verify(ctx, token)
	if err != nil {
		return Caller{}, err
	}
	caller, expires, err := j.read(claims)
	if err != nil {
		return Caller{}, err
	}
	j.remember(digest, verified{caller, expires, set})
	return caller, nil
}

var errBadSignature = errors.New("no key of the issuer fits the JWT's signature")

// verify returns the claims of a token whose signature fits. The keys are the
// issuer's: none that a header carries or points to is looked at.
func (j *JWT) verify(ctx context.Context, token *jwt.JSONWebToken) (claims, *keySet, error) {
	if len(token.Headers) != 1 {
		return claims{}, nil, errors.New("the JWT has not exactly one signature")
	}
	header := token.Headers[0]
	for _, name := range []jose.HeaderKey{"crit", "b64", "zip"} {
		if _, ok := header.ExtraHeaders[name]; ok {
			return claims{}, nil, fmt.Errorf("the JWT's header has %q, which is not supported", name)
		}
	}
	set, candidates, err := j.keys.find(ctx, header.KeyID, jose.SignatureAlgorithm(header.Algorithm))
	if err != nil {
		return claims{}, nil, err
	}
	for _, key := range candidates {
		var c claims
		if err := token.Claims(key, &c.standard, &c.all); err == nil {
			return c, set, nil
		}
	}
	return claims{}, nil, errBadSignature
}

// claims are what a verified token says.
type claims struct {
	standard jwt.Claims
	all      map[string]any
}

// mostSubject bounds the subject: it stands in every audit record.
const mostSubject = 255

// read checks the claims and returns whom they name, and until when.
func (j *JWT) read(c claims) (Caller, time.Time, error) {
	now, std := j.now(), c.standard
	switch {
	case std.Issuer != j.spec.Issuer:
		return Caller{}, now, errors.New("the JWT is of another issuer")
	case !std.Audience.Contains(j.spec.Audience):
		return Caller{}, now, errors.New("the JWT is for another audience")
	case std.Expiry == nil:
		return Caller{}, now, errors.New("the JWT has no exp claim")
	case !now.Before(std.Expiry.Time().Add(j.spec.Leeway)):
		return Caller{}, now, errors.New("the JWT has expired")
	case std.NotBefore != nil && now.Add(j.spec.Leeway).Before(std.NotBefore.Time()):
		return Caller{}, now, errors.New("the JWT is not valid yet (nbf)")
	case std.IssuedAt != nil && now.Add(j.spec.Leeway).Before(std.IssuedAt.Time()):
		return Caller{}, now, errors.New("the JWT was issued in the future (iat)")
	case std.Subject == "" || len(std.Subject) > mostSubject || !isVisible(std.Subject):
		return Caller{}, now, errors.New("the JWT has no sub claim of printable ASCII without spaces")
	}
	role := j.role(c.all)
	if role == Nobody {
		return Caller{}, now, fmt.Errorf("the JWT of %q has no value with a role in its claim %s", std.Subject, j.spec.RoleClaim)
	}
	caller := Caller{ID: "jwt:" + j.spec.Issuer + "#" + std.Subject, Name: std.Subject, Role: role}
	return caller, std.Expiry.Time().Add(j.spec.Leeway), nil
}

// role is the highest one that a value of the claim stands for.
func (j *JWT) role(all map[string]any) Role {
	highest := Nobody
	for _, value := range claimTexts(all, j.spec.RoleClaim) {
		highest = max(highest, j.spec.Roles[value])
	}
	return highest
}

// claimTexts returns the texts of a claim: a text, a list of texts, or for the
// claim scope the words of a text.
func claimTexts(all map[string]any, name string) []string {
	value, ok := all[name]
	if !ok {
		value = follow(all, strings.Split(name, "."))
	}
	switch v := value.(type) {
	case string:
		if name == "scope" {
			return strings.Fields(v)
		}
		return []string{v}
	case []any:
		var texts []string
		for _, item := range v {
			if text, ok := item.(string); ok {
				texts = append(texts, text)
			}
		}
		return texts
	}
	return nil
}

func follow(value any, steps []string) any {
	for _, step := range steps {
		m, _ := value.(map[string]any)
		value = m[step]
	}
	return value
}
