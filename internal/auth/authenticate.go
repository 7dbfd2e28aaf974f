package auth

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// Authenticator tells who sent a request. The zero value knows nobody.
type Authenticator struct {
	Tokens       *Set          // nil: no tokens
	JWT          *JWT          // nil: no JWTs
	Certificates *Certificates // nil: certificates are no credentials
	Peers        *Peers        // nil: users are no credentials
	Failures     *Failures     // nil: clients are not held back
	Lookup       *Lookup       // nil: a token counts when the Set has it
}

// Refused says that a credential was shown and is not accepted.
type Refused struct {
	Public string        // for the client
	Cause  error         // for the log; never has the credential in it
	Wait   time.Duration // more than 0: the client failed too often, and is to wait so long
}

func (r *Refused) Error() string { return r.Public + ": " + r.Cause.Error() }

func (r *Refused) Unwrap() error { return r.Cause }

// What a client is told. None of it depends on a secret.
const (
	notAccepted = "the token is not accepted"
	typo        = "the token has a typing error: its last characters do not fit the rest"
	misshapen   = "write one header Authorization: Bearer TOKEN"
	twoCalls    = "the request has both a bearer token and a client certificate that names a caller; send one of them"
	noSuchCert  = "the client certificate is not accepted"
	slowDown    = "too many credentials that are not accepted came from this address"
)

// Caller returns who sent the request. Without a credential it is the zero
// Caller, who may do least. An error is a [Refused].
func (a *Authenticator) Caller(r *http.Request) (Caller, error) {
	cert, certErr := a.certificate(r)
	header, shown := r.Header["Authorization"]
	if !shown {
		switch {
		case certErr != nil:
			return Caller{}, a.refuse(r, noSuchCert, certErr)
		case cert.Role != Nobody:
			return cert, nil
		}
		return a.peer(r), nil
	}
	text, err := bearer(header)
	if err != nil {
		return Caller{}, a.refuse(r, misshapen, err)
	}
	// A certificate that names no caller only secures the connection.
	if cert.Role != Nobody || certErr != nil {
		return Caller{}, a.refuse(r, twoCalls, errors.New("a bearer token and a client certificate"))
	}
	return a.token(r, text)
}

// mostToken bounds what is hashed, and what is parsed as a JWT.
const mostToken = 8 << 10

// bearer reads the Authorization header.
func bearer(values []string) (string, error) {
	if len(values) != 1 {
		return "", errors.New("there is more than one Authorization header")
	}
	text, ok := strings.CutPrefix(values[0], "Bearer ")
	switch {
	case !ok:
		return "", errors.New("the Authorization header is not of the scheme Bearer")
	case text == "":
		return "", errors.New("the token is empty")
	case len(text) > mostToken:
		return "", errors.New("the token is too long")
	case !isVisible(text):
		return "", errors.New("the token has a character that no token has")
	}
	return text, nil
}

// isVisible reports whether the text is printable ASCII without spaces.
func isVisible(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// token returns the caller with this bearer token.
func (a *Authenticator) token(r *http.Request, text string) (Caller, error) {
	caller, guessable, err := a.findNew(r.Context(), text)
	if err == nil && !guessable {
		return caller, nil
	}
	if wait := a.wait(r); wait > 0 && kindOf(text) != made && !a.JWT.remembers(text) {
		return Caller{}, &Refused{slowDown, errors.New("held back, not looked at"), wait}
	}
	if err == nil {
		return caller, nil
	}
	return a.other(r, text, err)
}

// other is for texts that are no token of the set, for the reason in err.
func (a *Authenticator) other(r *http.Request, text string, err error) (Caller, error) {
	switch kind := kindOf(text); {
	case kind == mistyped:
		return Caller{}, a.refuse(r, typo, err)
	case kind == foreign && a.JWT != nil && strings.Count(text, ".") == 2:
		caller, err := a.JWT.caller(r.Context(), text)
		if err != nil {
			return Caller{}, a.refuse(r, notAccepted, err)
		}
		return caller, nil
	}
	return Caller{}, a.refuse(r, notAccepted, err)
}

// find looks up a token. guessable says that a person may have chosen it.
func (a *Authenticator) find(text string) (caller Caller, guessable bool, err error) {
	if a.Tokens == nil {
		return Caller{}, true, errUnknownToken
	}
	return a.Tokens.find(text)
}

// refuse counts a failure. Who has had too many is told to wait instead.
func (a *Authenticator) refuse(r *http.Request, public string, cause error) error {
	wait := a.wait(r)
	a.fail(r)
	if wait > 0 {
		return &Refused{slowDown, cause, wait}
	}
	return &Refused{Public: public, Cause: cause}
}

func (a *Authenticator) wait(r *http.Request) time.Duration {
	if a.Failures == nil {
		return 0
	}
	return a.Failures.wait(originOf(r))
}

func (a *Authenticator) fail(r *http.Request) {
	if a.Failures != nil {
		a.Failures.add(originOf(r))
	}
}

func originOf(r *http.Request) origin {
	if p, ok := peerOf(r.Context()); ok {
		return origin{local: true, uid: uint64(p.uid)}
	}
	return remoteOrigin(r.RemoteAddr)
}

func (a *Authenticator) certificate(r *http.Request) (Caller, error) {
	if a.Certificates == nil || r.TLS == nil {
		return Caller{}, nil
	}
	return a.Certificates.caller(r.TLS, time.Now())
}

func (a *Authenticator) peer(r *http.Request) Caller {
	if a.Peers == nil {
		return Caller{}
	}
	p, ok := peerOf(r.Context())
	if !ok {
		return Caller{}
	}
	return a.Peers.caller(p)
}

// peer is the user at the other end of a Unix socket.
type peer struct{ uid uint32 }

type peerKey struct{}

func peerOf(ctx context.Context) (peer, bool) {
	p, ok := ctx.Value(peerKey{}).(peer)
	return p, ok
}
