package handlers

import (
	"bufio"
	"errors"
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
