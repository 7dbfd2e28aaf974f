package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// A listener that hears nothing asks so often whether the server is still there.
const quiet = 30 * time.Second

// After a failure the listener waits between these before it connects again.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// listener hears of changes on a connection of its own.
type listener struct {
	config  *pgx.ConnConfig
	timeout time.Duration
	wake    chan struct{}
	cancel  context.CancelFunc
	done    chan struct{}
}

func listen(config *pgx.ConnConfig, timeout time.Duration) *listener {
	ctx, cancel := context.WithCancel(context.Background())
	l := &listener{
		config: config.Copy(), timeout: timeout,
		wake: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{}),
	}
	go l.run(ctx)
	return l
}

// stop ends the listener and waits for it.
func (l *listener) stop() {
	l.cancel()
	<-l.done
}

// run listens until it is stopped. Errors are no news to anybody: who relies on
// the store polls it, and hears of them there.
func (l *listener) run(ctx context.Context) {
	defer close(l.done)
	pause := firstPause
	for ctx.Err() == nil {
		if l.hear(ctx) {
			pause = firstPause
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, lastPause)
		case <-ctx.Done():
		}
	}
}

// hear listens on one connection until that fails, and reports whether it
// listened at all.
func (l *listener) hear(ctx context.Context) bool {
	conn, err := pgx.ConnectConfig(ctx, l.config)
	if err != nil {
		return false
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	if err := l.begin(ctx, conn); err != nil {
		return false
	}
	// What was announced before is lost.
	l.ring()
	for {
		heard, cancel := context.WithTimeout(ctx, quiet)
		_, err := conn.WaitForNotification(heard)
		silent := errors.Is(heard.Err(), context.DeadlineExceeded)
		cancel()
		switch {
		case err == nil:
			l.ring()
		case !silent || l.ping(ctx, conn) != nil:
			return true
		}
	}
}

func (l *listener) begin(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	var name string
	if err := conn.QueryRow(ctx, "SELECT "+channel).Scan(&name); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{name}.Sanitize())
	return err
}

// ping finds out that a connection is gone though nobody has closed it.
func (l *listener) ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	return conn.Ping(ctx)
}

// ring wakes the reader, once for all that happened since it last looked.
func (l *listener) ring() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}
