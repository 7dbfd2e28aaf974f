package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/agent-pdp/pdp/handlers"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/policyfile"
)

type serveCmd struct {
	configFlag
	callerFlags
	Listen     string        `default:"127.0.0.1:8080" placeholder:"ADDRESS" setting:"PDP_LISTEN" help:"Where to listen: host:port or unix:/path (default ${default})."`
	Policy     string        `file:"" placeholder:"FILE" setting:"PDP_POLICY" help:"The policy file; read again when it changes. Without it, the built-in policy, which trusts each request's context."`
	StateDir   string        `file:"" placeholder:"DIR" setting:"PDP_STATE_DIR" help:"Where the service keeps its state (default $$XDG_STATE_HOME/pdp or ~/.local/state/pdp)."`
	Store      string        `placeholder:"URL" setting:"PDP_STORE" help:"Where sessions, grants, approvals, tokens and the audit log are kept: sqlite:/path/file.db, postgres://user@host/database, or none (default: pdp.db in the state directory)."`
	LogLevel   string        `enum:"debug,info,warn,error" default:"info" placeholder:"LEVEL" setting:"PDP_LOG_LEVEL" help:"debug, info (default), warn or error. At info, each request is one line."`
	LogFormat  string        `enum:"json,console,auto" default:"auto" placeholder:"FORMAT" setting:"PDP_LOG_FORMAT" help:"json, or console (default on a terminal)."`
	DrainDelay time.Duration `default:"1s" placeholder:"TIME" setting:"PDP_DRAIN_DELAY" help:"How long to go on serving after SIGTERM, while /readyz says 503 (default ${default})."`
}

func (*serveCmd) Help() string {
	return `Prints one line when it is ready, and logs to the standard error. SIGHUP reads the
policy again; a change of the file does so by itself. A version that is not
valid is logged, and the last good one stays in force. SIGTERM and SIGINT end
the service when the requests in work are answered; a second one ends it at once.

Example:

  pdp serve --listen 127.0.0.1:8080 --policy policy.yaml`
}

// Bounds on what one connection can keep busy.
const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	writeTimeout  = 30 * time.Second // beyond the time that the body may take
	maxHeader     = 32 << 10
)

// Run serves until a signal or ctx ends it.
func (c *serveCmd) Run(ctx context.Context, a *app) (err error) {
	// From here on a signal is not lost, and does not kill.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, os.Interrupt)
	defer signal.Stop(signals)

	sink := newLogSink(a.stderr)
	defer sink.Close()
	log := c.logger(sink, a)
	if len(a.unknownVariables) > 0 {
		log.Warn().Strs("variables", a.unknownVariables).Msg("these variables of the environment are not known and change nothing")
	}
	if c.StateDir == "" {
		c.StateDir = a.stateDir()
	}
	at, err := parseListen(c.Listen)
	if err != nil {
		return failure{exitUsage, err}
	}
	if at.mode, err = parseSocketMode(c.SocketMode); err != nil {
		return failure{exitUsage, err}
	}

	metrics := handlers.NewMetrics()
	who, err := c.callers(a, log, metrics)
	if err != nil {
		return err
	}
	defer who.close()
	own := policyfile.Own{Files: ownFiles(c.ownPaths(a, at)...), Addresses: at.tcp()}
	live := &live{own: own, log: log, metrics: metrics, patience: handlers.NewPatience(0, metrics)}
	reload, stop, err := c.startPolicy(ctx, live)
	if err != nil {
		return err
	}
	defer stop()

	kept, err := c.openState(ctx, a, live, who)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.close()) }()

	listener, err := at.listen()
	if err != nil {
		return at.whyNotListening(err)
	}
	err = who.start(ctx)
	if err == nil {
		err = kept.start(ctx, a, live, who)
	}
	if err == nil {
		err = who.checkListener(listener) // the first token may be the only credential
	}
	if err != nil {
		_ = listener.Close()
		return err
	}
	limits := live.file().Limits
	server := &http.Server{
		Handler: handlers.New(handlers.Deps{
			Policy:       live.policy,
			AllowedHosts: live.allowedHosts,
			InspectRoots: live.inspectRoots,
			Caller:       who.authenticator.Caller,
			Anonymous:    who.answersAnybody(listener),
			Sessions:     kept.keeper,
			Events:       kept.events,
			Audit:        kept.writes(live),
			Records:      kept.log(),
			Ready:        live.ready,
			Log:          log,
			Metrics:      metrics,
			Limits: handlers.Limits{
				BodyBytes:                int64(limits.BodyBytes),
				Concurrency:              limits.Concurrency,
				RequestTimeout:           limits.RequestTimeout,
				UnauthenticatedPerSecond: limits.UnauthenticatedPerSecond,
			},
			Version:  build(),
			Listener: handlers.Listener{Network: at.network, Address: at.address},
		}),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       headerTimeout + limits.RequestTimeout,
		WriteTimeout:      limits.RequestTimeout + 4*limits.DecisionTimeout + writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          serverLog(log),
		TLSConfig:         who.tlsConfig(),
		ConnContext:       auth.WithPeer,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	served := make(chan error, 1)
	go func() {
		if server.TLSConfig != nil {
			served <- server.ServeTLS(listener, "", "")
			return
		}
		served <- server.Serve(listener)
	}()

	c.announce(a, at, listener, live)
	ending := waitForEnd(ctx, signals, served, reload)
	if ending != nil {
		_ = server.Close()
		return ending
	}
	kept.endStreams()
	err = c.drain(server, live, signals, limits.DrainTimeout)
	<-served
	return err
}

// startPolicy brings the first policy into force. reload looks for a new
// version, stop ends the watch.
func (c *serveCmd) startPolicy(ctx context.Context, l *live) (reload, stop func(), err error) {
	if c.Policy == "" {
		reload = func() { l.log.Info().Msg("there is no policy file to reload") }
		return reload, func() {}, l.use(policyfile.BuiltIn())
	}
	var first error
	started := false
	watcher, err := policyfile.Watch(ctx, c.Policy, func(f *policyfile.File) {
		err := l.use(f)
		if !started {
			first, started = err, true
		} else if err != nil {
			l.refuse(err)
		}
	}, l.refuse)
	if err != nil {
		return nil, nil, err
	}
	if first != nil {
		watcher.Close()
		return nil, nil, first
	}
	if why := watcher.Polling(); why != nil {
		l.log.Warn().Err(why).Msg("changes of the policy file are not reported by this system; it is read every few seconds")
	}
	return watcher.Reload, watcher.Close, nil
}

// announce says on one line what is served.
func (c *serveCmd) announce(a *app, at listenAddress, l net.Listener, live *live) {
	scheme := "http"
	if c.TLSCert != "" {
		scheme = "https"
	}
	url, docs := at.urls(scheme, l)
	state := c.StateDir
	if c.Store == noStore {
		state = "none is kept"
	}
	fmt.Fprintf(a.stdout, "pdp is ready on %s, docs: %s, policy: %s, state: %s\n",
		plain(url), plain(docs), plain(live.describe()), plain(state))
}

// waitForEnd returns nil when the service should end in good order.
func waitForEnd(ctx context.Context, signals <-chan os.Signal, served <-chan error, reload func()) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-served:
			return err
		case s := <-signals:
			if s != syscall.SIGHUP {
				return nil
			}
			reload()
		}
	}
}

// drain turns new traffic away, then waits for the requests in work.
func (c *serveCmd) drain(server *http.Server, l *live, signals <-chan os.Signal, limit time.Duration) error {
	l.draining.Store(true)
	l.log.Info().Int64("delay_ms", c.DrainDelay.Milliseconds()).Msg("draining")
	ctx, cancel := context.WithCancel(context.Background())
	hurried := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(hurried)
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				if s != syscall.SIGHUP {
					l.log.Warn().Msg("a second signal: ending at once")
					cancel()
					return
				}
			}
		}
	}()
	defer func() {
		close(done)
		<-hurried
		cancel()
	}()

	select {
	case <-time.After(c.DrainDelay):
	case <-ctx.Done():
	}
	ctx, release := context.WithTimeout(ctx, limit)
	defer release()
	err := server.Shutdown(ctx)
	switch {
	case err == nil:
		l.log.Info().Msg("every request was answered; bye")
		return nil
	case errors.Is(err, context.Canceled):
		err = errors.New("ended by a second signal; requests in work were cut off")
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("requests were still in work after %s and were cut off (limits.drain_timeout)", limit)
	}
	_ = server.Close()
	return err
}
