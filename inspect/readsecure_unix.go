//go:build unix

package inspect

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openSecure opens the file itself, never a link, and without waiting: opening a
// FIFO would block until somebody writes.
func openSecure(path string, opts *SecureOptions) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EMLINK):
		return nil, refusal(CodeSymlink, "the path is a symbolic link")
	case err != nil:
		return nil, systemError("open", err)
	}
	file := os.NewFile(uintptr(fd), path)
	if err := checkSecure(fd, opts); err != nil {
		_ = file.Close() // the refusal matters
		return nil, err
	}
	return file, nil
}

func checkSecure(fd int, opts *SecureOptions) error {
	var raw unix.Stat_t
	if err := unix.Fstat(fd, &raw); err != nil {
		return systemError("fstat", err)
	}
	o := object{mode: uint32(raw.Mode), uid: raw.Uid, gid: raw.Gid, hasOwner: true}
	v := viewer{uint32(os.Geteuid()), opts.TrustedUIDs}
	mode := Octal(o.mode & permissionMask).String()
	// The group bits are the most that an access list gives to anybody beside the
	// owner and the world, so the mode is enough to refuse.
	allowed := uint32(0o711)
	if opts.AllowGroupRead {
		allowed |= bitGroupRead
	}
	switch {
	case o.mode&typeMask != typeFile:
		return refusal(CodeNotFile, "the path is no regular file but of kind "+string(o.kind()))
	case v.classOf(o.uid) == OwnerOther:
		return refusal(CodeInsecure, "the file is owned by user "+number(o.uid))
	case o.mode&permissionMask&^allowed != 0:
		return refusal(CodeInsecure, "the mode "+mode+" lets others in; at most "+Octal(allowed&^0o111|0o100).String()+" is accepted")
	}
	return nil
}
