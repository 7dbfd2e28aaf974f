package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
)

// What the operating system says of files and addresses is told in words of its
// own by Go. A person is told what is wrong, after the name of what it is about.

// plainly is the text of an error in which such a part is put in plain words.
func plainly(err error) string {
	text := err.Error()
	var file *fs.PathError
	if errors.As(err, &file) {
		text = strings.Replace(text, file.Error(), plain(file.Path)+": "+aboutFile(file.Op, file.Err), 1)
	}
	var dialled *net.OpError
	if errors.As(err, &dialled) && dialled.Op == "dial" && dialled.Addr != nil {
		text = strings.Replace(text, dialled.Error(), aboutDial(dialled), 1)
	}
	return text
}

// aboutFile says why an operation on a file was not done.
func aboutFile(op string, err error) string {
	switch {
	case op == "mkdir":
		return "the directory cannot be made: " + systemText(err)
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file or directory"
	case errors.Is(err, fs.ErrPermission):
		return "the system does not permit it (" + op + "): " + systemText(err)
	case errors.Is(err, syscall.EISDIR):
		return "this is a directory; name a file"
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of this path is a file, not a directory"
	case errors.Is(err, syscall.ENOSPC):
		return "there is no space left on the disk"
	default:
		return op + ": " + systemText(err)
	}
}

func aboutDial(e *net.OpError) string {
	if errors.Is(e, syscall.ECONNREFUSED) || errors.Is(e, winConnRefused) {
		return "nothing listens on " + e.Addr.String() + " (connection refused)"
	}
	return "no connection to " + e.Addr.String() + ": " + systemText(e.Err)
}

// winConnRefused is Windows' number for it; syscall.ECONNREFUSED is not made of that.
const winConnRefused = syscall.Errno(10061)

// systemText is the system's own sentence, without the name of its call.
func systemText(err error) string {
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return err.Error()
}

// whyNotListening says what is wrong with an address, and what to do.
func (at listenAddress) whyNotListening(err error) error {
	const other = "choose another address with --listen"
	var resolve *net.DNSError
	switch {
	case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, winAddrInUse):
		return fmt.Errorf("%w: stop the service that listens there, or %s", err, other)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("--listen %q: this machine has no such address; %s", at.address, other)
	case errors.As(err, &resolve):
		return fmt.Errorf("--listen %q: no address is known for %s (%s); %s", at.address, resolve.Name, resolve.Err, other)
	case errors.Is(err, fs.ErrPermission) && at.network == "tcp":
		return fmt.Errorf("--listen %q: this user may not listen there: ports below 1024 are mostly for root; %s", at.address, other)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("--listen %q: this user may not make a socket in that directory; %s", "unix:"+at.address, other)
	case errors.Is(err, fs.ErrNotExist) && at.network == "unix":
		return fmt.Errorf("--listen %q: the directory of the socket is missing; make it, or %s", "unix:"+at.address, other)
	}
	return err
}
