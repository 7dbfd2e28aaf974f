package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/handlers"
	"github.com/agent-pdp/pdp/inspect"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/repeat"
	"github.com/agent-pdp/pdp/internal/serverfile"
	"github.com/agent-pdp/pdp/internal/store"
)

// adminTokenVariable holds the administrator's token itself.
const adminTokenVariable = "PDP_ADMIN_TOKEN"

// callerFlags say who may call, and how the connection is secured.
type callerFlags struct {
	Anonymous      string `enum:"local,anywhere,never" default:"local" placeholder:"WHERE" setting:"PDP_ANONYMOUS" help:"Where the calls that need no stored state are answered without a credential: local (default: on loopback and Unix sockets), anywhere, never."`
	AdminTokenFile string `file:"" placeholder:"FILE" setting:"PDP_ADMIN_TOKEN_FILE" help:"A private file with the administrator's token; or put the token into $$PDP_ADMIN_TOKEN."`
	TLSCert        string `name:"tls-cert" file:"" placeholder:"FILE" setting:"PDP_TLS_CERT" help:"Certificate chain in PEM; with --tls-key, the service speaks TLS. Read again when it changes."`
	TLSKey         string `name:"tls-key" file:"" placeholder:"FILE" setting:"PDP_TLS_KEY" help:"Private key in PEM."`
	ClientCA       string `name:"client-ca" file:"" placeholder:"FILE" setting:"PDP_CLIENT_CA" help:"Authorities in PEM whose client certificates are credentials, as the server file's auth.certificates says."`
	SocketMode     string `default:"0600" placeholder:"MODE" setting:"PDP_SOCKET_MODE" help:"Who may connect to the Unix socket, in octal (default ${default})."`
}

// callers is what tells who calls.
type callers struct {
	authenticator *auth.Authenticator
	tokens        *auth.Set
	jwt           *auth.JWT
	tls           *auth.TLSFiles // nil: no TLS
	file          serverfile.Auth
	anonymous     string
	listen        string // the address as the operator wrote it
	visitFlags    string // what pdp token needs to find the store; empty, or begins with a blank
	unstored      bool   // there is no store that could keep a token
	log           zerolog.Logger
	metrics       *handlers.Metrics

	unread  atomic.Bool       // the last reading of the stored tokens failed
	away    atomic.Bool       // the store does not tell what changes
	changed chan struct{}     // wakes keepTokens
	wanted  chan chan<- error // each gets the outcome of the next reading

	stop context.CancelFunc
	done sync.WaitGroup
}

// refreshKeys is how often the issuer's keys are read.
const refreshKeys = 5 * time.Minute

// callers reads all that credentials are checked against. Nothing runs yet.
func (c *serveCmd) callers(a *app, log zerolog.Logger, metrics *handlers.Metrics) (*callers, error) {
	k := &callers{anonymous: c.Anonymous, listen: c.Listen, unstored: c.Store == noStore, log: log, metrics: metrics, changed: make(chan struct{}, 1), wanted: make(chan chan<- error, mostWanted)}
	if a.config != nil {
		k.file = a.config.Auth
	}
	if c.StateDir != a.stateDir() {
		k.visitFlags = " --state-dir " + inspect.ShellJoin([]string{c.StateDir})
	}
	switch {
	case strings.HasPrefix(c.Store, "sqlite:"):
		k.visitFlags += " --store " + inspect.ShellJoin([]string{c.Store})
	case c.Store != "" && c.Store != noStore:
		k.visitFlags += " --store URL" // a password may stand in it
	}
	fixed := k.file.Tokens
	admin, err := a.adminToken(c.AdminTokenFile)
	if err != nil {
		return nil, err
	}
	if admin != nil {
		fixed = append([]auth.Fixed{*admin}, fixed...)
	}
	if k.tokens, err = auth.NewSet(fixed...); err != nil {
		return nil, failure{exitUsage, err}
	}
	k.authenticator = &auth.Authenticator{Tokens: k.tokens, Failures: auth.NewFailures()}
	if err := k.useJWT(); err != nil {
		return nil, err
	}
	if err := k.useTLS(c); err != nil {
		return nil, err
	}
	if k.authenticator.Peers, err = k.peers(); err != nil {
		return nil, failure{exitUsage, err}
	}
	return k, nil
}

// adminToken is the operator's own token, from one of its two places; nil if it
// is in neither. What stands in the environment is taken out of it, so that no
// program that this one starts gets it.
func (a *app) adminToken(file string) (*auth.Fixed, error) {
	const variable = adminTokenVariable
	text, from := a.getenv(variable), variable
	_ = os.Unsetenv(variable)
	if file != "" {
		if text != "" {
			return nil, failure{exitUsage, errors.New("the admin token comes from --admin-token-file or from PDP_ADMIN_TOKEN, not from both")}
		}
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		raw, err := inspect.ReadSecureFile(abs, inspect.SecureOptions{MaxBytes: 16 << 10})
		if err != nil {
			return nil, fmt.Errorf("--admin-token-file %s: %w", file, err)
		}
		text, from = strings.TrimRight(string(raw), "\r\n"), file
	} else if text == "" {
		return nil, nil
	}
	token, err := auth.AdminToken(text)
	if err != nil {
		if from == variable {
			return nil, failure{exitUsage, fmt.Errorf("%s: %w", from, err)}
		}
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return &token, nil
}

func (k *callers) useJWT() error {
	j := k.file.JWT
	if j == nil {
		return nil
	}
	spec := j.JWTSpec
	spec.Keys = auth.FileKeys(j.KeysFile)
	if j.KeysURL != "" {
		source, err := auth.URLKeys(j.KeysURL)
		if err != nil {
			return failure{exitUsage, err}
		}
		spec.Keys = source
	}
	verifier, err := auth.NewJWT(spec)
	if err != nil {
		return failure{exitUsage, err}
	}
	k.jwt, k.authenticator.JWT = verifier, verifier
	return nil
}

func (k *callers) useTLS(c *serveCmd) error {
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return failure{exitUsage, errors.New("--tls-cert and --tls-key go together")}
	case c.TLSCert == "" && c.ClientCA != "":
		return failure{exitUsage, errors.New("--client-ca needs --tls-cert and --tls-key")}
	case len(k.file.Certificates) > 0 && c.ClientCA == "":
		return failure{exitUsage, errors.New("auth.certificates needs --client-ca: without it, no client certificate is verified")}
	case c.TLSCert == "":
		return nil
	}
	files, err := auth.LoadTLS(c.TLSCert, c.TLSKey, c.ClientCA, k.tlsChanged)
	if err != nil {
		return err
	}
	k.tls = files
	k.metrics.TLSLoaded(files.NotAfter())
	k.authenticator.Certificates, err = auth.NewCertificates(k.file.Certificates)
	return err
}

func (k *callers) tlsChanged(l auth.Loaded) {
	if l.Err != nil {
		k.metrics.TLSReloadFailed()
		k.log.Error().Err(l.Err).Msg("the new TLS files are not used; the last good ones stay in force")
		return
	}
	k.metrics.TLSLoaded(l.NotAfter)
	k.log.Info().Time("not_after", l.NotAfter).Msg("TLS files reloaded")
}

func (k *callers) peers() (*auth.Peers, error) {
	own := os.Geteuid()
	if own < 0 { // a system without such users
		if len(k.file.Peers) > 0 {
			return nil, errors.New("auth.peers: this system does not tell who connects to a Unix socket")
		}
		return nil, nil
	}
	if role := k.file.Peers[uint32(own)]; role > auth.Runtime {
		k.log.Warn().Int("uid", own).Str("role", role.String()).Msg(
			"auth.peers gives a role to the user that the service runs as; that user is a runtime at most, since agents may run as it")
	}
	return auth.NewPeers(uint32(own), k.file.Peers)
}

// start begins to keep the issuer's keys up to date. A file of keys must make
// sense now; an address may be out of reach for a while.
func (k *callers) start(ctx context.Context) error {
	ctx, k.stop = context.WithCancel(context.WithoutCancel(ctx))
	if k.jwt == nil {
		return nil
	}
	if err := k.jwt.Refresh(ctx); err != nil {
		if k.file.JWT.KeysFile != "" {
			return fmt.Errorf("auth.jwt.jwks_file: %w", err)
		}
		k.log.Error().Err(err).Msg("the keys of the JWTs' issuer could not be read; no JWT is accepted until they are")
	}
	k.done.Go(func() { repeat.Every(ctx, refreshKeys, k.refresh) })
	return nil
}

func (k *callers) refresh(ctx context.Context) {
	if err := k.jwt.Refresh(ctx); err != nil && ctx.Err() == nil {
		k.log.Warn().Err(err).Msg("the keys of the JWTs' issuer could not be read; the last good ones are used")
	}
}

func (k *callers) close() {
	if k.stop != nil {
		k.stop()
	}
	k.done.Wait()
}

// useTokens makes what is stored count. After an error, stored tokens are a
// runtime's at most until the next call that succeeds.
func (k *callers) useTokens(ctx context.Context, from store.Tokens) error {
	list, err := from.ListTokens(ctx)
	if err != nil {
		k.tokens.SetStale(true)
		return err
	}
	err = k.tokens.Replace(list)
	k.tokens.SetStale(false)
	return err
}

// Stored tokens are read again so often when a reading failed, or when nobody
// knows whether they have changed; and a reading may take so long. Both are part
// of the two seconds after which a revoked token is worth nothing.
const tokensTime = 500 * time.Millisecond

// tokensChanged has the stored tokens read, and does not wait for it.
func (k *callers) tokensChanged() {
	select {
	case k.changed <- struct{}{}:
	default:
	}
}

// tokensAway tells whether the store has stopped telling of changes.
func (k *callers) tokensAway(away bool) {
	k.away.Store(away)
	if away {
		k.tokens.SetStale(true)
	}
	k.tokensChanged()
}

// mostWanted bounds how many requests wait for one reading.
const mostWanted = 64

var errNotRead = errors.New("the stored tokens are not read now")

// readNow has the stored tokens read, and waits for it. It fails at once where too
// many wait, or where a reading has just failed and is tried again anyhow.
func (k *callers) readNow(ctx context.Context) error {
	if k.unread.Load() || k.away.Load() {
		return errNotRead
	}
	ctx, cancel := context.WithTimeout(ctx, tokensTime)
	defer cancel()
	done := make(chan error, 1)
	select {
	case k.wanted <- done:
	default:
		return errNotRead
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readFor reads for all that wait by now.
func (k *callers) readFor(ctx context.Context, from store.Tokens, first chan<- error) {
	waiting := []chan<- error{first}
	for range len(k.wanted) {
		waiting = append(waiting, <-k.wanted) // nobody else takes from it
	}
	k.readTokens(ctx, from)
	var err error
	if k.unread.Load() {
		err = errNotRead
	}
	for _, done := range waiting {
		done <- err
	}
}

// readTokens is useTokens for whom nobody waits. What failed is tried again.
func (k *callers) readTokens(ctx context.Context, from store.Tokens) {
	limited, cancel := context.WithTimeout(ctx, tokensTime)
	defer cancel()
	err := k.useTokens(limited, from)
	k.unread.Store(err != nil && k.tokens.Stale())
	if err != nil && ctx.Err() == nil {
		k.log.Error().Err(err).Msg("the tokens cannot be read; stored ones are a runtime's at most until they can")
	}
}

// keepTokens reads the stored tokens when they have changed, and again after a
// reading that failed: a change is told once only. Nobody else reads them while
// it runs: of two readings the one that began first may end last, and bring a
// token back that was revoked.
func (k *callers) keepTokens(ctx context.Context, from store.Tokens) {
	tick := time.NewTicker(tokensTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.changed:
			k.readTokens(ctx, from)
		case done := <-k.wanted:
			k.readFor(ctx, from, done)
		case <-tick.C:
			if k.unread.Load() || k.away.Load() {
				k.readTokens(ctx, from)
			}
		}
	}
}

// answersAnybody reports whether calls that need no stored state are answered
// without a credential on this listener.
func (k *callers) answersAnybody(l net.Listener) bool {
	switch k.anonymous {
	case "anywhere":
		return true
	case "local":
		return isLoopback(l.Addr())
	}
	return false
}

// checkListener refuses to listen where nobody could ever call, and warns of
// what is open to others.
func (k *callers) checkListener(l net.Listener) error {
	known := k.tokens.Any() || k.file.Credentials()
	local, anybody := isLoopback(l.Addr()), k.answersAnybody(l)
	address := k.listen // the system's name for 0.0.0.0 is [::]
	if address == "" {
		address = l.Addr().String()
	}
	switch {
	case !known && !anybody && k.tls == nil && !local:
		return failure{exitUsage, fmt.Errorf("%s can be reached from other machines, and there is no credential that this service would accept: "+
			"%s, name others in the server file, or say --anonymous=anywhere to answer everybody without one", plain(address), k.makeOne())}
	case !known && !anybody:
		k.log.Warn().Msg("no credential is known yet, and nobody is answered without one: " + k.makeOne())
	}
	if local {
		return nil
	}
	if anybody {
		k.log.Warn().Str("address", address).Msg(
			"THIS ADDRESS CAN BE REACHED FROM OTHER MACHINES, AND --anonymous=anywhere ANSWERS EVERYBODY: " +
				"whoever reaches it can ask for decisions and have paths inspected")
	}
	if k.tls == nil {
		k.log.Warn().Str("address", address).Msg(
			"this address can be reached from other machines without TLS: tokens and answers can be read on the way, unless a proxy in front of it encrypts; see --tls-cert")
	}
	return nil
}

// makeOne says how to come by a credential that this service would accept.
func (k *callers) makeOne() string {
	if k.unstored {
		return "give an administrator's with --admin-token-file or PDP_ADMIN_TOKEN"
	}
	return "make one with pdp token create" + k.visitFlags
}

// tlsConfig is nil without TLS.
func (k *callers) tlsConfig() *tls.Config {
	if k.tls == nil {
		return nil
	}
	return k.tls.Config()
}
