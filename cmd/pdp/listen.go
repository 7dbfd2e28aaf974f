package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// listenAddress is where to listen, or where a service listens.
type listenAddress struct {
	network string      // tcp or unix
	address string      // host:port, or an absolute path
	mode    fs.FileMode // of the socket; 0: its owner's alone
}

// parseListen reads host:port or unix:/path.
func parseListen(text string) (listenAddress, error) {
	if path, ok := strings.CutPrefix(text, "unix:"); ok {
		abs, err := filepath.Abs(path)
		if path == "" || err != nil {
			return listenAddress{}, fmt.Errorf("--listen %q: write unix:/path", text)
		}
		return listenAddress{network: "unix", address: abs}, nil
	}
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return listenAddress{}, fmt.Errorf("--listen %q: write host:port, such as 127.0.0.1:8080, or unix:/path", text)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return listenAddress{}, fmt.Errorf("--listen %q: the port must be a number from 0 (any that is free) to 65535", text)
	}
	return listenAddress{network: "tcp", address: text}, nil
}

// socket is the path of a Unix socket, or "".
func (at listenAddress) socket() string {
	if at.network == "unix" {
		return at.address
	}
	return ""
}

// tcp is the host and port, or nothing.
func (at listenAddress) tcp() []string {
	if at.network != "tcp" {
		return nil
	}
	return []string{at.address}
}

func (at listenAddress) listen() (net.Listener, error) {
	if at.network != "unix" {
		return net.Listen(at.network, at.address)
	}
	if err := removeDeadSocket(at.address); err != nil {
		return nil, err
	}
	// Closed to others from its first moment on.
	l, err := listenPrivately(at.address)
	if err != nil || at.mode == 0 {
		return l, err
	}
	if err := os.Chmod(at.address, at.mode); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// winAddrInUse is Windows' number for it; syscall.EADDRINUSE is not made of that.
const winAddrInUse = syscall.Errno(10048)

// parseSocketMode reads who may connect: 0600, 0660 or 0666. Connecting is
// writing, so other bits mean nothing; a socket that its owner cannot connect to
// is a mistake.
func parseSocketMode(text string) (fs.FileMode, error) {
	mode, err := strconv.ParseUint(text, 8, 32)
	if err != nil || mode&^0o666 != 0 || mode&0o600 != 0o600 {
		return 0, fmt.Errorf("--socket-mode %q: write 0600, 0660 or 0666", text)
	}
	return fs.FileMode(mode), nil
}

// removeDeadSocket removes what a service that was killed left behind. A socket
// that answers, or anything else under that name, is left alone.
func removeDeadSocket(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSocket == 0:
		return fmt.Errorf("listen unix:%s: something that is no socket has this name", path)
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		_ = conn.Close()
		return fmt.Errorf("listen unix:%s: another service listens there", path)
	}
	return os.Remove(path)
}

// urls returns the address as a person would use it, and the documentation's.
func (at listenAddress) urls(scheme string, l net.Listener) (base, docs string) {
	if at.network == "unix" {
		return "unix:" + at.address, "curl --unix-socket " + at.address + " " + scheme + "://localhost/docs/"
	}
	base = scheme + "://" + reachable(l.Addr().String())
	return base, base + "/docs/"
}

// reachable turns an address to listen on into one to connect to.
func reachable(hostport string) string {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return hostport
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return (&url.URL{Host: net.JoinHostPort(host, port)}).Host
}

// isLoopback reports whether only this machine can reach the address.
func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}
