package main

import (
	"net"
	"testing"
)

func TestWhereToListen(t *testing.T) {
	for _, row := range []struct{ text, network, address string }{
		{"127.0.0.1:8080", "tcp", "127.0.0.1:8080"},
		{":8080", "tcp", ":8080"},
		{"[::1]:0", "tcp", "[::1]:0"},
		{"localhost:http", "tcp", "localhost:http"},
		{"8080", "", ""},
		{"127.0.0.1", "", ""},
		{"::1:8080", "", ""},
		{"unix:", "", ""},
	} {
		at, err := parseListen(row.text)
		if (err != nil) != (row.network == "") || at.network != row.network || at.address != row.address {
			t.Errorf("%s: %+v, %v", row.text, at, err)
		}
	}
}

func TestWhatOthersCanReach(t *testing.T) {
	for _, row := range []struct {
		addr     net.Addr
		loopback bool
	}{
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, true},
		{&net.TCPAddr{IP: net.IPv4(127, 9, 9, 9)}, true},
		{&net.TCPAddr{IP: net.IPv6loopback}, true},
		{&net.TCPAddr{IP: net.IPv4zero}, false},
		{&net.TCPAddr{IP: net.IPv6unspecified}, false},
		{&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1)}, false},
		{&net.TCPAddr{}, false},
		{&net.UnixAddr{Name: "/s"}, true},
	} {
		if got := isLoopback(row.addr); got != row.loopback {
			t.Errorf("%v: %v", row.addr, got)
		}
	}
}

func TestWhereAServiceIsAsked(t *testing.T) {
	for _, row := range []struct{ listen, want string }{
		{"", "http://127.0.0.1:8080"},
		{"0.0.0.0:9000", "http://127.0.0.1:9000"},
		{":9000", "http://127.0.0.1:9000"},
		{"[::]:9000", "http://127.0.0.1:9000"},
		{"10.0.0.1:9000", "http://10.0.0.1:9000"},
		{"[fd00::1]:9000", "http://[fd00::1]:9000"},
		{"unix:/run/pdp.sock", "unix:/run/pdp.sock"},
	} {
		if got := serviceURL(row.listen); got != row.want {
			t.Errorf("%s: %s, want %s", row.listen, got, row.want)
		}
	}
}

func TestWhatIsNoAddressOfAService(t *testing.T) {
	for _, target := range []string{"127.0.0.1:8080", "ftp://x", "http://", "http:/x", "file:///etc/passwd", "::"} {
		code, _, errs := pdp(t, nil, "", "healthcheck", "--url", target)
		if code != exitUsage {
			t.Errorf("%s: exit %d, %s", target, code, errs)
		}
	}
}
