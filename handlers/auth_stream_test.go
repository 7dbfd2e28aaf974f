package handlers

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/events"
)

// What happens after a token was revoked is not told to who listens with it.
func TestAStreamEndsWithItsCredential(t *testing.T) {
	for why, after := range map[string]func() (auth.Caller, error){
		"revoked":      func() (auth.Caller, error) { return auth.Caller{}, &auth.Refused{Cause: errors.New("revoked")} },
		"another role": func() (auth.Caller, error) { return auth.Caller{ID: "token:A", Role: auth.Runtime}, nil },
	} {
		hub := events.New(10, 10, 10)
		var ended atomic.Bool
		s := trustingService(t, func(d *Deps) {
			d.Events = hub
			d.Caller = func(*http.Request) (auth.Caller, error) {
				if ended.Load() {
					return after()
				}
				return auth.Caller{ID: "token:A", Role: auth.Viewer}, nil
			}
		})
		server := httptest.NewServer(s)
		res, err := http.Get(server.URL + "/v1/events")
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(res.Body)
		next := func() (string, bool) {
			for lines.Scan() {
				if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
					return data, true
				}
			}
			return "", false
		}
		hub.Publish(events.Event{Type: "decision", Data: "first"})
		if data, ok := next(); !ok || data != `"first"` {
			t.Errorf("%s: before: %q", why, data)
		}
		ended.Store(true)
		hub.Publish(events.Event{Type: "decision", Data: "second"})
		if data, ok := next(); ok {
			t.Errorf("%s: after: %q", why, data)
		}
		_ = res.Body.Close()
		server.Close()
	}
}

// Who waited for an answer with a token that was revoked meanwhile does not get
// it.
func TestAWaitEndsWithItsCredential(t *testing.T) {
	s := withStore(t)
	runtime := "Authorization: runtime"
	ask(t, s, "PUT", "/v1/sessions/s", `{"workspace_root":"/proj/app"}`, runtime, "Content-Type: application/json")
	asked := ask(t, s, "POST", "/v1/decisions", `{"session_id":"s","call":{"tool_name":"run_shell","arguments":{"command":"make all"}}}`, runtime)
	id, _ := asked.field("approval.id").(string)
	if a := ask(t, s, "POST", "/v1/approvals/"+id+"/resolve", `{"outcome":"deny"}`, "Authorization: approver"); a.status != http.StatusOK {
		t.Fatal(a.status, a.text)
	}
	for path, status := range map[string]int{"": http.StatusOK, "?wait=1s": http.StatusUnauthorized} {
		known := s.Caller
		var asked atomic.Int64
		s.Caller = func(r *http.Request) (auth.Caller, error) {
			if asked.Add(1) > 1 {
				return auth.Caller{}, &auth.Refused{Cause: errors.New("revoked")}
			}
			return known(r)
		}
		if a := ask(t, s, "GET", "/v1/approvals/"+id+path, "", runtime); a.status != status {
			t.Errorf("%q: %d, want %d: %s", path, a.status, status, a.text)
		}
		s.Caller = known
	}
}

// That something was missed is for everybody, whatever they wanted to hear of.
func TestEverybodyIsToldThatEventsWereMissed(t *testing.T) {
	hub := events.New(4, 4, 4)
	s := byHeader(t, func(d *Deps) { d.Events = hub })
	server := httptest.NewServer(s)
	defer server.Close()
	r, err := http.NewRequest(http.MethodGet, server.URL+"/v1/events?types=decision&session_id=s", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "runtime")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	hub.Publish(events.Event{Type: "decision", Session: "other", Data: 1})
	hub.Publish(MissedEvent())
	hub.Publish(events.Event{Type: "decision", Session: "s", Data: 2})
	hub.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	got := string(text)
	if !strings.Contains(got, "event: missed\ndata: {}\n\n") || !strings.Contains(got, "data: 2\n") || strings.Contains(got, "data: 1\n") {
		t.Errorf("got %q", got)
	}
}
