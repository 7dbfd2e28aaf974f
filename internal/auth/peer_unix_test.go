//go:build linux || darwin

package auth

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// The user is that of the connection, whatever the request says.
func TestPeersOfASocket(t *testing.T) {
	own := uint32(os.Getuid())
	peers, err := NewPeers(own, map[uint32]Role{own: Admin})
	if err != nil {
		t.Fatal(err)
	}
	a := &Authenticator{Peers: peers}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, err := a.Caller(r)
		fmt.Fprint(w, caller.ID, " ", caller.Role, " ", err)
	}))
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return WithPeer(ctx, c) }
	_ = server.Listener.Close()
	path := filepath.Join(t.TempDir(), "s")
	if server.Listener, err = net.Listen("unix", path); err != nil {
		t.Fatal(err)
	}
	server.Start()
	defer server.Close()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-Uid: 0\r\nX-Peer-Uid: 0\r\nX-Remote-User: root\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body := make([]byte, 100)
	n, _ := res.Body.Read(body)
	if got, want := string(body[:n]), fmt.Sprintf("uid:%d runtime <nil>", own); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOtherConnectionsHaveNoPeer(t *testing.T) {
	one, other := net.Pipe()
	defer one.Close()
	defer other.Close()
	if _, ok := peerOf(WithPeer(t.Context(), one)); ok {
		t.Error("a pipe has a peer")
	}
}
