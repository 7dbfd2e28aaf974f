package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"testing"
)

func TestErrorsOfTheSystemInPlainWords(t *testing.T) {
	file := func(op string, err error) error { return &fs.PathError{Op: op, Path: "a/b", Err: err} }
	to := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	for _, row := range []struct {
		err  error
		want string
	}{
		{errors.New("as it is"), "as it is"},
		{file("open", syscall.ENOENT), "a/b: there is no such file or directory"},
		{fmt.Errorf("the key: %w; name it", file("stat", syscall.ENOENT)), "the key: a/b: there is no such file or directory; name it"},
		{file("open", syscall.EACCES), "a/b: the system does not permit it (open): permission denied"},
		{file("read", syscall.EISDIR), "a/b: this is a directory; name a file"},
		{file("open", syscall.ENOTDIR), "a/b: a part of this path is a file, not a directory"},
		{file("write", syscall.ENOSPC), "a/b: there is no space left on the disk"},
		{file("read", syscall.EIO), "a/b: read: input/output error"},
		{file("mkdir", syscall.ENOTDIR), "a/b: the directory cannot be made: not a directory"},
		{&net.OpError{Op: "dial", Net: "tcp", Addr: to, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, "nothing listens on 127.0.0.1:8080 (connection refused)"},
		{&net.OpError{Op: "dial", Net: "tcp", Addr: to, Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}, "no connection to 127.0.0.1:8080: network is unreachable"},
	} {
		if got := plainly(row.err); got != row.want {
			t.Errorf("%q: %q, want %q", row.err, got, row.want)
		}
	}
}

func TestWhyAnAddressCannotBeListenedOn(t *testing.T) {
	for _, row := range []struct {
		at   listenAddress
		err  error
		want string
	}{
		{listenAddress{network: "tcp", address: "192.0.2.1:80"}, syscall.EADDRNOTAVAIL, `--listen "192.0.2.1:80": this machine has no such address; choose another address with --listen`},
		{listenAddress{network: "tcp", address: "x:80"}, &net.DNSError{Name: "x", Err: "no such host"}, `--listen "x:80": no address is known for x (no such host); choose another address with --listen`},
		{listenAddress{network: "tcp", address: ":80"}, syscall.EACCES, `--listen ":80": this user may not listen there: ports below 1024 are mostly for root; choose another address with --listen`},
		{listenAddress{network: "unix", address: "/a/b"}, syscall.EACCES, `--listen "unix:/a/b": this user may not make a socket in that directory; choose another address with --listen`},
		{listenAddress{network: "unix", address: "/a/b"}, syscall.ENOENT, `--listen "unix:/a/b": the directory of the socket is missing; make it, or choose another address with --listen`},
		{listenAddress{network: "unix", address: "/a/b"}, syscall.EIO, "input/output error"},
	} {
		if got := row.at.whyNotListening(row.err).Error(); got != row.want {
			t.Errorf("%v: %s, want %s", row.err, got, row.want)
		}
	}
}
