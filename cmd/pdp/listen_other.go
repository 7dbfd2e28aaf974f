//go:build !unix

package main

import "net"

// listenPrivately leaves it to the directory who can connect.
func listenPrivately(path string) (net.Listener, error) { return net.Listen("unix", path) }
