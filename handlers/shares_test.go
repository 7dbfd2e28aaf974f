package handlers

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/agent-pdp/pdp/internal/events"
)

// One caller cannot take all the streams of events from the others.
func TestOneCallerDoesNotListenForAll(t *testing.T) {
	s := byHeader(t, func(d *Deps) { d.Events = events.New(4, 4, events.DefaultListeners) })
	server := httptest.NewServer(s)
	defer server.Close()
	leaving, leave := context.WithCancel(context.Background())
	defer leave()
	listen := func(caller string) *http.Response {
		r, err := http.NewRequestWithContext(leaving, http.MethodGet, server.URL+"/v1/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", caller)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	for i := range maxListenersOfOne {
		if res := listen("runtime"); res.StatusCode != http.StatusOK {
			t.Fatalf("stream %d: %d", i, res.StatusCode)
		}
	}
	res := listen("runtime")
	if res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" {
		t.Errorf("one more stream: %d, Retry-After %q", res.StatusCode, res.Header.Get("Retry-After"))
	}
	if a := ask(t, s, "GET", "/v1/events", "", "Authorization: runtime"); a.field("code") != codeTooManyWaiting {
		t.Errorf("one more stream: %s", a.text)
	}
	if res := listen("approver"); res.StatusCode != http.StatusOK {
		t.Errorf("another caller's stream: %d", res.StatusCode)
	}
}

func TestOneCallerDoesNotWaitForAll(t *testing.T) {
	s := byHeader(t, nil)
	for range maxHeldByOne {
		s.heldBy.take("test:runtime")
	}
	wait := func(caller string) any {
		return ask(t, s, "GET", "/v1/approvals/none", "", "Authorization: "+caller).field("code")
	}
	if code := wait("runtime"); code != codeTooManyWaiting {
		t.Errorf("one more: %v", code)
	}
	if code := wait("approver"); code != codeNoStore {
		t.Errorf("another caller: %v", code)
	}
	s.heldBy.giveBack("test:runtime")
	if code := wait("runtime"); code != codeNoStore {
		t.Errorf("after one has left: %v", code)
	}
}

func TestShares(t *testing.T) {
	s := newShares(2)
	for i, want := range []bool{true, true, false} {
		if got := s.take("a"); got != want {
			t.Errorf("share %d: %v", i, got)
		}
	}
	if !s.take("b") {
		t.Error("none for another caller")
	}
	s.giveBack("a")
	if !s.take("a") {
		t.Error("none after one was given back")
	}
	for range 2 {
		s.giveBack("a")
	}
	s.giveBack("b")
	if len(s.held) != 0 {
		t.Errorf("%v is kept", s.held)
	}
}
