package handlers

import (
	"net/http/httptest"
	"testing"
)

func TestHostHeader(t *testing.T) {
	lists := func() []string { return []string{"pdp.corp.example", "other.example:8443"} }
	for _, row := range []struct {
		host string
		ok   bool
	}{
		{"localhost", true},
		{"LocalHost:8080", true},
		{"localhost.", true},
		{"127.0.0.1:8080", true},
		{"127.9.9.9", true},
		{"[::1]:8080", true},
		{"[::1]", true},
		{"[::ffff:127.0.0.1]:80", true},
		{"pdp.corp.example", true},
		{"PDP.corp.example:443", true},
		{"other.example:8443", true},
		{"box.lan:8080", true}, // the listener's own
		{"other.example:80", false},
		{"", false},
		{"evil.example", false},
		{"localhost.evil.example", false},
		{"evil.example:localhost", false},
		{"x.pdp.corp.example", false},
		{"127.0.0.1.nip.io", false},
		{"127.1", false},
		{"2130706433", false},
		{"0.0.0.0:8080", false},
		{"10.0.0.1", false},
		{"[::1", false},
		{"::1", false},
		{"localhost:80:80", false},
		{"localhost:x", false},
		{"user@localhost", false},
		{"[fe80::1%25lo]", false},
	} {
		r := httptest.NewRequest("GET", "/healthz", nil)
		r.Host = row.host
		g := gate{listener: Listener{"tcp", "box.lan:8080"}, allowed: lists}
		if err := g.check(r); (err == nil) != row.ok {
			t.Errorf("Host %q: %v", row.host, err)
		}
		g.listener = Listener{"unix", "/run/pdp.sock"}
		if err := g.check(r); err != nil {
			t.Errorf("Host %q on a Unix socket: %v", row.host, err)
		}
	}
}

func TestUnspecifiedListenerNamesNoHost(t *testing.T) {
	r := httptest.NewRequest("GET", "/healthz", nil)
	for _, address := range []string{"0.0.0.0:8080", "[::]:8080", ":8080"} {
		for _, host := range []string{"0.0.0.0:8080", "[::]:8080"} {
			r.Host = host
			if (gate{listener: Listener{"tcp", address}, allowed: func() []string { return nil }}).check(r) == nil {
				t.Errorf("%s: Host %s is taken", address, host)
			}
		}
	}
}

func TestOriginHeader(t *testing.T) {
	for _, row := range []struct {
		host, origin, site string
		ok                 bool
	}{
		{"127.0.0.1:8080", "http://127.0.0.1:8080", "same-origin", true},
		{"localhost:8080", "http://localhost:8080", "", true},
		{"localhost", "http://localhost", "", true},
		{"pdp.corp.example", "https://pdp.corp.example", "", true},
		{"localhost:8080", "https://pdp.corp.example", "", true},
		{"localhost:8080", "", "none", true},
		{"localhost:8080", "http://localhost:3000", "same-site", false},
		{"localhost:8080", "http://127.0.0.1:8080", "", false},
		{"localhost:8080", "null", "", false},
		{"localhost:8080", "http://evil.example", "", false},
		{"localhost:8080", "http://localhost:8080.evil.example", "", false},
		{"localhost:8080", "http://user@localhost:8080", "", false},
		{"localhost:8080", "file://localhost:8080", "", false},
		{"localhost:8080", "http://localhost:8080/x", "", false},
		{"localhost:8080", "http://[::1", "", false},
		{"localhost:8080", "", "cross-site", false},
	} {
		r := httptest.NewRequest("POST", "/v1/decisions", nil)
		r.Host = row.host
		if row.origin != "" {
			r.Header.Set("Origin", row.origin)
		}
		if row.site != "" {
			r.Header.Set("Sec-Fetch-Site", row.site)
		}
		g := gate{allowed: func() []string { return []string{"pdp.corp.example"} }}
		if err := g.check(r); (err == nil) != row.ok {
			t.Errorf("Host %q, Origin %q, Sec-Fetch-Site %q: %v", row.host, row.origin, row.site, err)
		}
	}
}

// A person may follow a link to the page; a page may not fetch from it.
func TestLinksFromOtherSites(t *testing.T) {
	s := trustingService(t, nil)
	visit := []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}
	if a := ask(t, s, "GET", "/docs/", "", visit...); a.status != 200 {
		t.Errorf("got %d", a.status)
	}
	want(t, ask(t, s, "POST", "/v1/decisions", gitStatus, visit...), 403, "forbidden")
	want(t, ask(t, s, "GET", "/metrics", "", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"), 403, "forbidden")
}

func TestHostIsTheAddressThatWasDialled(t *testing.T) {
	in, conn := raw(t, trustingService(t, nil), "")
	host := conn.RemoteAddr().String()
	if _, err := conn.Write([]byte("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if line, err := in.ReadString('\n'); err != nil || line != "HTTP/1.1 200 OK\r\n" {
		t.Errorf("got %q, %v", line, err)
	}
}
