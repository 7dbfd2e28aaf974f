package main

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/handlers"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/serverfile"
)

func requestWith(authorization string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/v1/decisions", nil)
	r.Header.Set("Authorization", authorization)
	return r
}

// listener is one that listens nowhere.
type listener struct {
	net.Listener
	addr net.Addr
}

func (l listener) Addr() net.Addr { return l.addr }

func TestWhereNobodyCouldCall(t *testing.T) {
	admin, err := auth.AdminToken("correct-horse-battery-staple")
	if err != nil {
		t.Fatal(err)
	}
	everywhere := listener{addr: &net.TCPAddr{IP: net.IPv4zero}}
	loopback := listener{addr: &net.TCPAddr{IP: net.IPv6loopback}}
	socket := listener{addr: &net.UnixAddr{Name: "/s"}}
	for _, row := range []struct {
		why       string
		l         net.Listener
		anonymous string
		fixed     []auth.Fixed
		tls       bool
		ok        bool
		warned    string // in the log; "" for nothing
		anybody   bool
	}{
		{"loopback", loopback, "local", nil, false, true, "", true},
		{"a socket", socket, "local", nil, false, true, "", true},
		{"everywhere, without a credential", everywhere, "local", nil, false, false, "", false},
		{"everywhere, with one", everywhere, "local", []auth.Fixed{admin}, false, true, "without TLS", false},
		{"everywhere, with one and TLS", everywhere, "local", []auth.Fixed{admin}, true, true, "", false},
		{"everywhere, with TLS alone", everywhere, "local", nil, true, true, "no credential is known yet", false},
		{"everywhere, for everybody", everywhere, "anywhere", nil, false, true, "ANSWERS EVERYBODY", true},
		{"everywhere, for everybody, with TLS", everywhere, "anywhere", nil, true, true, "ANSWERS EVERYBODY", true},
		{"everywhere, for nobody", everywhere, "never", nil, false, false, "", false},
		{"loopback, for nobody", loopback, "never", nil, false, true, "no credential is known yet", false},
		{"loopback, for callers", loopback, "never", []auth.Fixed{admin}, false, true, "", false},
	} {
		set, err := auth.NewSet(row.fixed...)
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		k := &callers{tokens: set, anonymous: row.anonymous, log: zerolog.New(&log)}
		if row.tls {
			k.tls = new(auth.TLSFiles)
		}
		err = k.checkListener(row.l)
		if (err == nil) != row.ok {
			t.Errorf("%s: %v", row.why, err)
		}
		if got := log.String(); !strings.Contains(got, row.warned) || row.warned == "" && got != "" {
			t.Errorf("%s: the log is %q", row.why, got)
		}
		if got := k.answersAnybody(row.l); got != row.anybody {
			t.Errorf("%s: answers anybody: %v", row.why, got)
		}
	}
}

// What an operator is told names the address and the store as they were given.
func TestWhoCannotBeCalledIsToldHowToMakeACredential(t *testing.T) {
	everywhere := listener{addr: &net.TCPAddr{IP: net.IPv6unspecified, Port: 8081}}
	for _, row := range []struct {
		c    serveCmd
		want string
	}{
		{serveCmd{Listen: "0.0.0.0:8081", StateDir: "/home/state"}, "0.0.0.0:8081 can be reached from other machines, and there is no credential that this service would accept: make one with pdp token create, "},
		{serveCmd{Listen: ":8081", StateDir: "/tmp/my state"}, ":8081 can be reached from other machines, and there is no credential that this service would accept: make one with pdp token create --state-dir '/tmp/my state', "},
		{serveCmd{Listen: ":8081", StateDir: "/home/state", Store: "sqlite:/srv/pdp.db"}, "pdp token create --store sqlite:/srv/pdp.db, "},
		{serveCmd{Listen: ":8081", StateDir: "/home/state", Store: "postgres://me:secret@db/pdp"}, "pdp token create --store URL, "},
		{serveCmd{Listen: ":8081", StateDir: "/home/state", Store: noStore}, "would accept: give an administrator's with --admin-token-file or PDP_ADMIN_TOKEN, "},
	} {
		a := &app{getenv: func(name string) string { return map[string]string{"XDG_STATE_HOME": "/home", "HOME": "/home"}[name] }}
		if row.c.StateDir == "/home/state" {
			row.c.StateDir = a.stateDir()
		}
		row.c.Anonymous = "local"
		k, err := row.c.callers(a, zerolog.Nop(), handlers.NewMetrics())
		if err != nil {
			t.Fatal(err)
		}
		err = k.checkListener(everywhere)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v\nwant %s", row.c.Listen, err, row.want)
		}
	}
}

func TestOwnFilesOfEveryKind(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	c := &serveCmd{Policy: at("policy.yaml"), StateDir: at("state")}
	c.Config, c.AdminTokenFile = at("server.yaml"), at("admin.token")
	c.TLSCert, c.TLSKey, c.ClientCA = at("cert.pem"), at("key.pem"), at("ca.pem")
	a := &app{config: &serverfile.File{Auth: serverfile.Auth{JWT: &serverfile.JWT{KeysFile: at("jwks.json")}}}}
	got := ownFiles(c.ownPaths(a, listenAddress{network: "unix", address: at("socket")})...)
	for _, name := range []string{"policy.yaml", "state", "server.yaml", "admin.token", "cert.pem", "key.pem", "ca.pem", "jwks.json", "socket"} {
		if !slices.Contains(got, at(name)) {
			t.Errorf("%s is not protected", name)
		}
	}
}

// Whatever this program starts does not get the administrator's token.
func TestTheAdminTokenLeavesTheEnvironment(t *testing.T) {
	t.Setenv("PDP_ADMIN_TOKEN", "correct-horse-battery-staple")
	a := &app{getenv: os.Getenv}
	token, err := a.adminToken("")
	if err != nil || token == nil || token.Role != auth.Admin {
		t.Fatalf("got %+v, %v", token, err)
	}
	for _, entry := range exec.Command("true").Environ() {
		if strings.HasPrefix(entry, "PDP_ADMIN_TOKEN=") {
			t.Error("a child gets it")
		}
	}
}

func TestSocketModes(t *testing.T) {
	for text, ok := range map[string]bool{
		"0600": true, "600": true, "0660": true, "0666": true,
		"0060": false, "0777": false, "0700": false, "01666": false, "": false, "rw": false, "0o600": false, "0680": false,
	} {
		if _, err := parseSocketMode(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTheFileOfCallers(t *testing.T) {
	own := uint32(max(0, os.Geteuid()))
	var log bytes.Buffer
	k := &callers{log: zerolog.New(&log), metrics: handlers.NewMetrics()}
	k.file.Peers = map[uint32]auth.Role{own: auth.Admin, own + 1: auth.Approver}
	if os.Geteuid() < 0 {
		if _, err := k.peers(); err == nil {
			t.Error("users of a system that has none")
		}
		return
	}
	if _, err := k.peers(); err != nil || !strings.Contains(log.String(), "is a runtime at most") {
		t.Errorf("%v, %s", err, &log)
	}
	k.file.Certificates = []auth.SAN{{DNS: "a.example", Role: auth.Runtime}}
	if err := k.useTLS(&serveCmd{}); err == nil {
		t.Error("a table of certificates that nothing verifies")
	}
}
