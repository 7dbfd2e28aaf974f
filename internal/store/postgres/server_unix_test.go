//go:build unix

package postgres

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
	"testing"
)

// owner is whom the server runs as: it refuses to run as root.
func owner(t testing.TB) (uid, gid int) {
	t.Helper()
	if os.Geteuid() != 0 {
		return os.Geteuid(), os.Getegid()
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Skipf("the server does not run as root, and has no user of its own: %v", err)
	}
	uid, _ = strconv.Atoi(u.Uid)
	gid, _ = strconv.Atoi(u.Gid)
	return uid, gid
}

func give(t testing.TB, dir string) {
	t.Helper()
	uid, gid := owner(t)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
}

func asOwner(t testing.TB, cmd *exec.Cmd) {
	if os.Geteuid() == 0 {
		uid, gid := owner(t)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}
