package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/postgres/pgtest"
	"github.com/agent-pdp/pdp/internal/store/sqldb"
)

// add puts a dot to the session's owner.
func add(s store.Store) error {
	_, err := s.ChangeSession(ctx, "x", func(x *store.Session) (*store.Session, error) {
		if x == nil {
			x = &store.Session{ID: "x"}
		}
		x.Owner += "."
		return x, nil
	})
	return err
}

func dots(t *testing.T, s store.Store) int {
	t.Helper()
	x, err := s.Session(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	return len(x.Owner)
}

// unavailable checks that reading and changing fail as promised.
func unavailable(t *testing.T, s store.Store) {
	t.Helper()
	_, err := s.Session(ctx, "x")
	for what, err := range map[string]error{"read": err, "change": add(s)} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// soon calls until it works; every failure before must be ErrUnavailable.
func soon(t *testing.T, call func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := call()
		if err == nil {
			return
		}
		if !errors.Is(err, store.ErrUnavailable) || ctx.Err() != nil {
			t.Fatal(err)
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

func TestTheServerStopsAndStarts(t *testing.T) {
	c := ownCluster(t)
	s := mustOpen(t, c.url(), Options{Timeout: 2 * time.Second})
	for range 5 {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	c.crash()
	unavailable(t, s)
	unavailable(t, s)
	if _, err := Open(ctx, c.url(), Options{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("opening: %v", err)
	}
	for drained := false; !drained; {
		select {
		case <-s.Wake():
		default:
			drained = true
		}
	}
	c.start()
	soon(t, func() error { _, err := s.Session(ctx, "x"); return err })
	if got := dots(t, s); got != 5 {
		t.Errorf("%d changes, want 5", got)
	}
	soon(t, func() error { return add(s) })
	select {
	case <-s.Wake(): // it listens again
	case <-time.After(time.Minute):
		t.Error("slept for a minute")
	}
}

func TestConnectionsAreKilled(t *testing.T) {
	url := pgtest.Place(t)
	name := "victim " + strings.TrimPrefix(t.Name(), "Test")
	s := mustOpen(t, pgtest.With(t, url, "application_name", name), Options{})
	killer := mustOpen(t, url, Options{})
	if err := add(s); err != nil {
		t.Fatal(err)
	}
	const workers, each = 4, 25
	var mu sync.Mutex
	acknowledged, unknown := 1, 0
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range each {
				err := add(s)
				mu.Lock()
				switch {
				case err == nil:
					acknowledged++
				case errors.Is(err, store.ErrUnavailable):
					unknown++
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-time.After(20 * time.Millisecond):
			pgtest.Exec(t, url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+name+"'")
		}
	}
	t.Logf("%d acknowledged, %d unknown", acknowledged, unknown)
	if got := dots(t, killer); got < acknowledged || got > acknowledged+unknown {
		t.Errorf("%d changes, want %d to %d", got, acknowledged, acknowledged+unknown)
	}
	soon(t, func() error { return add(s) })
}

func TestAReplicaIsCutOff(t *testing.T) {
	base := pgtest.Place(t)
	p := startProxy(t, base)
	far := mustOpen(t, p.url(t, base), Options{Timeout: time.Second})
	near := mustOpen(t, base, Options{Timeout: time.Second})
	if err := add(far); err != nil {
		t.Fatal(err)
	}

	// It is cut off in the middle of a change, and holds the session's lock.
	_, err := far.ChangeSession(ctx, "x", func(x *store.Session) (*store.Session, error) {
		p.cut()
		x.Owner += "lost"
		return x, nil
	})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Fatal(err)
	}
	unavailable(t, far)

	// The other one goes on as soon as the server has given the lock back.
	soon(t, func() error { return add(near) })
	if got := dots(t, near); got != 2 {
		t.Errorf("%d, want 2", got)
	}
	if _, err := far.ChangesSince(ctx, 0, 10); !errors.Is(err, store.ErrUnavailable) {
		t.Error(err)
	}

	p.mend()
	soon(t, func() error { return add(far) })
	if got := dots(t, near); got != 3 {
		t.Errorf("%d, want 3", got)
	}
}

func TestAReadOnlyServer(t *testing.T) {
	url := pgtest.Place(t)
	if err := add(mustOpen(t, url, Options{})); err != nil {
		t.Fatal(err)
	}
	s := mustOpen(t, pgtest.With(t, url, "default_transaction_read_only", "on"), Options{})
	if got := dots(t, s); got != 1 {
		t.Errorf("%d", got)
	}
	if err := add(s); !errors.Is(err, store.ErrUnavailable) {
		t.Error(err)
	}
}

// Who can write the database can put a rule or trigger on the table: rows that it
// leaves out are no success, and none of the batch stays.
func TestRowsThatAreLeftOut(t *testing.T) {
	for _, statement := range []string{
		"CREATE RULE leave_out AS ON INSERT TO records DO INSTEAD NOTHING",
		"CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.seq = 2 THEN RETURN NULL; END IF; RETURN NEW; END';" +
			" CREATE TRIGGER leave_out BEFORE INSERT ON records FOR EACH ROW EXECUTE FUNCTION leave_out()",
	} {
		url := pgtest.Place(t)
		s := mustOpen(t, url, Options{})
		if _, err := s.OpenWriter(ctx, store.Writer{ID: "w"}); err != nil {
			t.Fatal(err)
		}
		pgtest.Exec(t, url, statement)
		err := s.Append(ctx, []store.Record{{Writer: "w", Seq: 1, ID: "1"}, {Writer: "w", Seq: 2, ID: "2"}, {Writer: "w", Seq: 3, ID: "3"}}, nil)
		if err == nil {
			t.Errorf("%.20s: no error", statement)
		}
		if head, err := s.OpenWriter(ctx, store.Writer{ID: "w"}); err != nil || head.Seq != 0 {
			t.Errorf("%.20s: the end is %d: %v", statement, head.Seq, err)
		}
	}
}

func TestCommitsAreSynchronous(t *testing.T) {
	s := mustOpen(t, pgtest.With(t, pgtest.Place(t), "synchronous_commit", "off"), Options{})
	var got string
	if err := s.db.QueryRowContext(ctx, "SHOW synchronous_commit").Scan(&got); err != nil || got != "on" {
		t.Errorf("%q %v", got, err)
	}
}

func TestURLsThatAreNone(t *testing.T) {
	for _, url := range []string{"postgres://u:secret@h:x/d", "postgres://u:secret@%zz/d", "postgres://u:secret@h/d?sslmode=no"} {
		_, err := Open(ctx, url, Options{})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	_, err := Open(ctx, "postgres://u:secret@127.0.0.1:1/d", Options{})
	if !errors.Is(err, store.ErrUnavailable) || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

func TestWhatErrorsMean(t *testing.T) {
	code := func(code string) error { return fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code}) }
	for _, row := range []struct {
		err  error
		want sqldb.Class
	}{
		{code("08006"), sqldb.Unavailable},
		{code("25006"), sqldb.Unavailable},
		{code("28P01"), sqldb.Unavailable},
		{code("40001"), sqldb.Again},
		{code("40P01"), sqldb.Again},
		{code("40003"), sqldb.Unavailable},
		{code("53100"), sqldb.Unavailable},
		{code("53300"), sqldb.Unavailable},
		{code("55P03"), sqldb.Unavailable},
		{code("57014"), sqldb.Unavailable},
		{code("57P01"), sqldb.Unavailable},
		{code("57P03"), sqldb.Unavailable},
		{code("58030"), sqldb.Unavailable},
		{code("23505"), sqldb.Taken},
		{code("22021"), sqldb.Invalid},
		{code("42P01"), sqldb.Broken},
		{code("XX001"), sqldb.Broken},
		{code(""), sqldb.Broken},
		{io.ErrUnexpectedEOF, sqldb.Unavailable},
		{net.ErrClosed, sqldb.Unavailable},
		{&net.OpError{Op: "read", Err: errors.New("reset")}, sqldb.Unavailable},
		{errors.New("sql: Scan error on column index 0"), sqldb.Broken},
	} {
		if got := classify(row.err); got != row.want {
			t.Errorf("%v: %v, want %v", row.err, got, row.want)
		}
	}
}
