//go:build unix

package main

import (
	"net"
	"syscall"
)

// listenPrivately makes a socket that only this user can connect to. The mask
// is the process's, so this is for the start, while nothing else makes files.
func listenPrivately(path string) (net.Listener, error) {
	before := syscall.Umask(0o177)
	defer syscall.Umask(before)
	return net.Listen("unix", path)
}
