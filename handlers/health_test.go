package handlers

import (
	"runtime"
	"testing"

	"github.com/agent-pdp/pdp/decide"
)

func TestHealthAndReadiness(t *testing.T) {
	drains := func() (bool, map[string]any) { return false, map[string]any{"draining": true} }
	for _, row := range []struct {
		name   string
		change func(*Deps)
		status int
		text   string
	}{
		{"serving", func(*Deps) {}, 200, `{"status":"ready","policy_revision":"sha256:test","detail":{}}`},
		{"draining", func(d *Deps) { d.Ready = drains }, 503, `{"status":"unavailable","policy_revision":"sha256:test","detail":{"draining":true}}`},
		{"without a policy", func(d *Deps) { d.Policy = func() *decide.Policy { return nil } }, 503, `{"status":"unavailable","policy_revision":"","detail":{}}`},
	} {
		s := trustingService(t, row.change)
		if a := ask(t, s, "GET", "/readyz", ""); a.status != row.status || a.text != row.text {
			t.Errorf("%s: got %d %s", row.name, a.status, a.text)
		}
		if a := ask(t, s, "GET", "/healthz", ""); a.status != 200 || a.text != `{"status":"ok"}` {
			t.Errorf("%s: health is %d %s", row.name, a.status, a.text)
		}
	}
}

func TestVersion(t *testing.T) {
	s := trustingService(t, func(d *Deps) { d.Version = BuildInfo{"1.2.3", "abc"} })
	if a := ask(t, s, "GET", "/version", ""); a.text != `{"version":"1.2.3","commit":"abc","go":"`+runtime.Version()+`"}` {
		t.Errorf("got %s", a.text)
	}
}
