package auth

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerUID returns who opened the other end of the connection.
func peerUID(conn *net.UnixConn) (uint32, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Xucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil:
		return 0, failed
	}
	return cred.Uid, nil
}
