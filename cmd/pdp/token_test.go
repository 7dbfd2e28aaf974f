package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

// tokensInMemory is a store that keeps tokens only.
type tokensInMemory struct {
	store.Store
	list   []store.Token
	err    error
	events []*audit.Event
	lost   error // of the audit log
}

// Commit is the audit log.
func (m *tokensInMemory) Commit(_ context.Context, ev *audit.Event) error {
	m.events = append(m.events, ev)
	return m.lost
}

func (m *tokensInMemory) AddToken(_ context.Context, t store.Token) error {
	for _, other := range m.list {
		if other.ID == t.ID || other.Name == t.Name && other.Revoked.IsZero() {
			return store.ErrExists
		}
	}
	m.list = append(m.list, t)
	return m.err
}

func (m *tokensInMemory) RevokeToken(_ context.Context, id string, now time.Time) error {
	for i := range m.list {
		if m.list[i].ID == id {
			m.list[i].Revoked = now
			return m.err
		}
	}
	return store.ErrNotFound
}

func (m *tokensInMemory) ListTokens(context.Context) ([]store.Token, error) { return m.list, m.err }
func (m *tokensInMemory) Close() error                                      { return nil }

// tokenApp is a program whose store is this one.
func tokenApp(m *tokensInMemory) (*app, *bytes.Buffer, *bytes.Buffer) {
	var out, errs bytes.Buffer
	return &app{
		stdout: &out, stderr: &errs, getenv: func(string) string { return "" },
		openStore: func(context.Context, string, string, opening) (store.Store, error) { return m, nil },
		record:    func(ctx context.Context, _ store.Log, _ string, ev *audit.Event) error { return m.Commit(ctx, ev) },
	}, &out, &errs
}

func TestCreateListAndRevokeATokens(t *testing.T) {
	m := &tokensInMemory{}
	a, out, errs := tokenApp(m)
	create := tokenCreateCmd{Role: "approver", Name: "alice", Expires: "1d"}
	if err := create.Run(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	secret, rest, _ := strings.Cut(out.String(), "\n")
	if rest != "" || !strings.HasPrefix(secret, "pdp_approver_") || strings.Contains(errs.String(), secret) {
		t.Errorf("printed %q and %q", out, errs)
	}
	if len(m.list) != 1 || bytes.Contains(m.list[0].Hash, []byte(secret)) || m.list[0].Expires.Sub(m.list[0].Created) != 24*time.Hour {
		t.Fatalf("stored %+v", m.list)
	}
	var f failure
	if err := create.Run(t.Context(), a); !errors.As(err, &f) || f.code != exitNegative {
		t.Errorf("a name twice: %v", err)
	}

	id := m.list[0].ID
	for _, row := range []struct {
		id   string
		code int
	}{{"NOSUCHTOKEN", exitNegative}, {secret, exitUsage}, {id, exitOK}} {
		code := exitOK
		if err := (&tokenRevokeCmd{ID: row.id}).Run(t.Context(), a); errors.As(err, &f) {
			code = f.code
			if strings.Contains(err.Error(), secret) {
				t.Error("the error repeats the token")
			}
		}
		if code != row.code {
			t.Errorf("revoke %s: exit %d, want %d", row.id, code, row.code)
		}
	}

	out.Reset()
	if err := (&tokenListCmd{}).Run(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	var page struct{ Items []map[string]any }
	if err := json.Unmarshal(out.Bytes(), &page); err != nil || len(page.Items) != 1 {
		t.Fatalf("got %s, %v", out, err)
	}
	if got := page.Items[0]; got["id"] != id || got["state"] != "revoked" || got["role"] != "approver" || got["name"] != "alice" {
		t.Errorf("got %v", got)
	}
	if strings.Contains(strings.ToLower(out.String()), "hash") {
		t.Errorf("the list has hashes: %s", out)
	}
	out.Reset()
	if err := (&tokenListCmd{Output: asTable}).Run(t.Context(), a); err != nil || !strings.Contains(out.String(), "alice") {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestCreatedTokenAsJSON(t *testing.T) {
	m := &tokensInMemory{}
	a, out, errs := tokenApp(m)
	if err := (&tokenCreateCmd{Role: "runtime", Name: "ci", Output: asJSON}).Run(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	var got createdToken
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.ID != m.list[0].ID || !strings.Contains(got.Token, got.ID) || errs.Len() > 0 {
		t.Errorf("got %s %s, %v", out, errs, err)
	}
}

// A token that takes the place of another one leaves one that is valid, and both
// changes are recorded.
func TestATokenTakesThePlaceOfAnother(t *testing.T) {
	m := &tokensInMemory{}
	a, out, errs := tokenApp(m)
	create := tokenCreateCmd{Role: "runtime", Name: "agent", Replace: true}
	for range 3 {
		out.Reset()
		if err := create.Run(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.list) != 3 || m.list[0].Revoked.IsZero() || m.list[1].Revoked.IsZero() || !m.list[2].Revoked.IsZero() {
		t.Fatalf("stored %+v", m.list)
	}
	if len(m.events) != 5 || !strings.Contains(errs.String(), "The token "+m.list[0].ID+", which had the name agent, is revoked.") {
		t.Errorf("recorded %d, said %s", len(m.events), errs)
	}
	other := tokenCreateCmd{Role: "runtime", Name: "other", Replace: true}
	if err := other.Run(t.Context(), a); err != nil || !m.list[2].Revoked.IsZero() {
		t.Errorf("%v; another name's token was revoked: %+v", err, m.list[2])
	}
}

func TestAnEmptyListIsAList(t *testing.T) {
	a, out, _ := tokenApp(&tokensInMemory{})
	if err := (&tokenListCmd{}).Run(t.Context(), a); err != nil || strings.TrimSpace(out.String()) != `{"items":[]}` {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestExpiry(t *testing.T) {
	now := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		text string
		want time.Time
		ok   bool
	}{
		{"", time.Time{}, true},
		{"12h", now.Add(12 * time.Hour), true},
		{"90d", now.AddDate(0, 0, 90), true},
		{"2031-05-01", time.Date(2031, 5, 2, 0, 0, 0, 0, time.UTC), true},
		{"2031-05-01T13:00:00Z", now.Add(time.Hour), true},
		{"0", time.Time{}, false},
		{"0d", time.Time{}, false},
		{"-1h", time.Time{}, false},
		{"-1d", time.Time{}, false},
		{"1.5d", time.Time{}, false},
		{"99999999d", time.Time{}, false},
		{"soon", time.Time{}, false},
		{"2031-13-01", time.Time{}, false},
	} {
		got, err := parseExpiry(row.text, now)
		if (err == nil) != row.ok || !got.Equal(row.want) {
			t.Errorf("%s: %s, %v", row.text, got, err)
		}
	}
}

// keeperOf is a set of callers over a store, as pdp serve has it.
func keeperOf(t *testing.T, m *tokensInMemory, fixed ...auth.Fixed) *callers {
	t.Helper()
	set, err := auth.NewSet(fixed...)
	if err != nil {
		t.Fatal(err)
	}
	k := &callers{tokens: set, authenticator: &auth.Authenticator{Tokens: set}, log: zerolog.Nop(), changed: make(chan struct{}, 1), wanted: make(chan chan<- error, mostWanted)}
	if err := k.useTokens(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return k
}

// The first administrator's token is for a terminal, and for nothing else.
func TestFirstAdmin(t *testing.T) {
	operators, err := auth.AdminToken("correct-horse-battery-staple")
	if err != nil {
		t.Fatal(err)
	}
	_, viewer, _ := auth.NewToken("viewer", auth.Viewer, time.Now(), time.Time{})
	_, admin, _ := auth.NewToken("root", auth.Admin, time.Now(), time.Time{})
	revoked := admin
	revoked.Revoked = time.Now()
	for _, row := range []struct {
		why      string
		stored   []store.Token
		fixed    []auth.Fixed
		terminal bool
		made     bool
	}{
		{"an empty store, at a terminal", nil, nil, true, true},
		{"an empty store, without a terminal", nil, nil, false, false},
		{"an administrator is stored", []store.Token{admin}, nil, true, false},
		{"one that was revoked does not count", []store.Token{revoked}, nil, true, true},
		{"other roles do not count", []store.Token{viewer}, nil, true, true},
		{"the operator brings one", nil, []auth.Fixed{operators}, true, false},
	} {
		m := &tokensInMemory{list: row.stored}
		k := keeperOf(t, m, row.fixed...)
		var terminal, log bytes.Buffer
		var err error
		if row.terminal {
			err = k.firstAdmin(t.Context(), m, m, &terminal, zerolog.New(&log))
		} else {
			err = k.firstAdmin(t.Context(), m, m, nil, zerolog.New(&log))
		}
		made := len(m.list) > len(row.stored)
		if err != nil || made != row.made || (terminal.Len() > 0) != row.made {
			t.Errorf("%s: %v, %v, %s", row.why, err, made, &terminal)
		}
		if strings.Contains(log.String(), "pdp_admin_") {
			t.Errorf("%s: the log has the token: %s", row.why, &log)
		}
		if !row.terminal && !strings.Contains(log.String(), "pdp token create --role admin") {
			t.Errorf("%s: nothing says how: %s", row.why, &log)
		}
		if made {
			for line := range strings.Lines(terminal.String()) {
				if len(line) > 81 {
					t.Errorf("%s: a line breaks: %q", row.why, line)
				}
			}
			if !k.tokens.HasAdmin() {
				t.Errorf("%s: it does not count", row.why)
			}
			if again := len(m.list); k.firstAdmin(t.Context(), m, m, &terminal, zerolog.Nop()) != nil || len(m.list) != again {
				t.Errorf("%s: a second one was made", row.why)
			}
		}
	}
}

func TestTokensOfAStoreThatFails(t *testing.T) {
	secret, token, _ := auth.NewToken("root", auth.Admin, time.Now(), time.Time{})
	m := &tokensInMemory{list: []store.Token{token}}
	k := keeperOf(t, m)
	role := func() auth.Role {
		r := requestWith("Bearer " + secret)
		caller, err := k.authenticator.Caller(r)
		if err != nil {
			t.Fatal(err)
		}
		return caller.Role
	}
	if role() != auth.Admin {
		t.Error("no administrator")
	}
	m.err = store.ErrUnavailable
	if err := k.useTokens(t.Context(), m); !errors.Is(err, store.ErrUnavailable) || role() != auth.Runtime {
		t.Errorf("without a store: %v, %s", err, role())
	}
	k.readTokens(t.Context(), m)
	if !k.unread.Load() {
		t.Error("nobody tries again")
	}
	m.err = nil
	k.readTokens(t.Context(), m)
	if k.unread.Load() || role() != auth.Admin {
		t.Errorf("with it again: %s", role())
	}
}

// slowTokens are tokens whose readings end when they are let go.
type slowTokens struct {
	store.Tokens
	list        atomic.Pointer[[]store.Token]
	began, done chan struct{}
}

func (s *slowTokens) ListTokens(context.Context) ([]store.Token, error) {
	list := *s.list.Load()
	s.began <- struct{}{}
	<-s.done
	return list, nil
}

// A reading that began before a token was revoked does not bring it back by
// ending after the one that the revocation has caused.
func TestASlowReadingBringsNoTokenBack(t *testing.T) {
	_, token, _ := auth.NewToken("root", auth.Admin, time.Now(), time.Time{})
	k := keeperOf(t, &tokensInMemory{list: []store.Token{token}})
	s := &slowTokens{began: make(chan struct{}), done: make(chan struct{})}
	s.list.Store(&[]store.Token{token})
	ctx, stop := context.WithCancel(t.Context())
	var ran sync.WaitGroup
	ran.Go(func() { k.keepTokens(ctx, s) })
	k.tokensChanged()
	<-s.began // it knows the token as valid
	token.Revoked = time.Now()
	s.list.Store(&[]store.Token{token})
	k.tokensChanged() // nobody waits for the slow reading, nor reads beside it
	select {
	case <-s.began:
		t.Error("two readings at the same time")
	case s.done <- struct{}{}:
	}
	<-s.began
	s.done <- struct{}{}
	stop()
	ran.Wait()
	if k.tokens.HasAdmin() {
		t.Error("the token counts again")
	}
}

// Requests that show a new token share a reading, and no more wait than there is
// room for.
func TestRequestsShareAReading(t *testing.T) {
	secret, token, _ := auth.NewToken("ci", auth.Runtime, time.Now(), time.Time{})
	k := keeperOf(t, &tokensInMemory{})
	k.authenticator.Lookup = auth.NewLookup(k.readNow)
	for range mostWanted { // as many as wait already
		k.wanted <- make(chan error, 1)
	}
	if err := k.readNow(t.Context()); !errors.Is(err, errNotRead) {
		t.Errorf("beyond the bound: %v", err)
	}
	s := &slowTokens{began: make(chan struct{}), done: make(chan struct{})}
	s.list.Store(&[]store.Token{token})
	ctx, stop := context.WithCancel(t.Context())
	var ran sync.WaitGroup
	ran.Go(func() { k.keepTokens(ctx, s) })
	<-s.began
	s.done <- struct{}{} // the one reading that all of them wait for
	if len(k.wanted) > 0 {
		t.Fatal("somebody still waits")
	}
	ran.Go(func() {
		<-s.began
		s.done <- struct{}{}
	})
	if err := k.readNow(t.Context()); err != nil {
		t.Error(err)
	}
	if caller, err := k.authenticator.Caller(requestWith("Bearer " + secret)); err != nil || caller.Name != "ci" {
		t.Errorf("got %+v, %v", caller, err)
	}
	k.unread.Store(true) // a reading has failed
	if err := k.readNow(t.Context()); !errors.Is(err, errNotRead) {
		t.Errorf("a store that is away: %v", err)
	}
	k.unread.Store(false)
	stop()
	ran.Wait()
}

// Who made and took back which token is in the audit log, without its text; a
// token that cannot be recorded is of no use.
func TestTokensAreRecorded(t *testing.T) {
	m := &tokensInMemory{}
	a, out, _ := tokenApp(m)
	if err := (&tokenCreateCmd{Role: "viewer", Name: "ci"}).Run(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if err := (&tokenRevokeCmd{ID: m.list[0].ID}).Run(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ev := range m.events {
		got = append(got, fmt.Sprint(ev.Kind, " ", ev.Outcome, " ", ev.Details))
		if text := fmt.Sprint(ev.Details); !strings.Contains(text, m.list[0].ID) || strings.Contains(text, strings.TrimSpace(out.String())) {
			t.Errorf("details %s", text)
		}
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], "token created") || !strings.HasPrefix(got[1], "token revoked") {
		t.Errorf("recorded %q", got)
	}
	m.lost = errors.New("disk full")
	out.Reset()
	if err := (&tokenCreateCmd{Role: "viewer", Name: "cd"}).Run(t.Context(), a); !errors.Is(err, m.lost) || out.Len() > 0 || m.list[1].Revoked.IsZero() {
		t.Errorf("not recorded: %v, printed %q, kept %+v", err, out, m.list[1])
	}
}
