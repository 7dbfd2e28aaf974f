package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Stat is what the file system says about a path itself, links not followed.
// When OK is false everything but Error is zero.
type Stat struct {
	OK        bool    `json:"ok"`
	IsSymlink bool    `json:"is_symlink"`
	IsDir     bool    `json:"is_dir"`
	Mode      *uint32 `json:"mode"` // the whole st_mode with the type
	UID       *uint32 `json:"uid"`
	GID       *uint32 `json:"gid"`
	Error     string  `json:"error,omitempty"`
}

// SafeStat examines a path with one system call and never fails: what goes wrong
// is in Error, on one line. A trailing slash follows a link, as everywhere.
func SafeStat(path string) Stat {
	if text := refusePath(path); text != "" {
		return Stat{Error: text}
	}
	o, err := statOf(path, false)
	if err != nil {
		return Stat{Error: statError("lstat", path, err)}
	}
	return o.stat()
}

// refusePath says why a path must not reach the file system, "" when it may.
func refusePath(path string) string {
	if strings.IndexByte(path, 0) >= 0 {
		return nulError(path)
	}
	if namespaceAliases && IsNamespaceAlias(path) {
		return aliasError
	}
	return ""
}

// shownPathUnits bounds the path in the message about a NUL byte.
const shownPathUnits = 128

func nulError(path string) string {
	var quoted strings.Builder
	quoted.WriteByte('\'')
	for _, r := range decode(path) {
		switch {
		case r == '\'' || r == '\\':
			quoted.WriteString(`\` + string(r))
		case isControl(r) && r < 0x100:
			fmt.Fprintf(&quoted, `\x%02X`, r)
		default:
			quoted.WriteString(Escape(string(r)))
		}
	}
	quoted.WriteByte('\'')
	shown := quoted.String()
	if units(shown) > shownPathUnits {
		shown = headUnits(shown, shownPathUnits) + "..."
	}
	return "TypeError [ERR_INVALID_ARG_VALUE]: The argument 'path' must be a string, Uint8Array, or URL without null bytes. Received " + shown
}

// statError names the failure by its POSIX code, so that the same failure reads
// the same everywhere. The path is verbatim but for control characters.
func statError(call, path string, err error) string {
	return fmt.Sprintf("Error: %s, %s '%s'", reason(err), call, showName(path))
}

// reasons maps system errors to code and description. The first match wins.
var reasons = []struct {
	err  error
	text string
}{
	{syscall.ENOTDIR, "ENOTDIR: not a directory"},
	{syscall.ELOOP, "ELOOP: too many symbolic links encountered"},
	{syscall.ENAMETOOLONG, "ENAMETOOLONG: name too long"},
	{syscall.EACCES, "EACCES: permission denied"},
	{syscall.EPERM, "EPERM: operation not permitted"},
	{syscall.ENOENT, "ENOENT: no such file or directory"},
	{syscall.EINVAL, "EINVAL: invalid argument"},
	{syscall.EIO, "EIO: i/o error"},
	{syscall.ENOMEM, "ENOMEM: not enough memory"},
	{syscall.EMFILE, "EMFILE: too many open files"},
	{syscall.ENFILE, "ENFILE: file table overflow"},
	{syscall.EBUSY, "EBUSY: resource busy or locked"},
	{syscall.ETIMEDOUT, "ETIMEDOUT: connection timed out"},
	{fs.ErrNotExist, "ENOENT: no such file or directory"},
	{fs.ErrPermission, "EACCES: permission denied"},
}

func reason(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.text
		}
	}
	cause := err
	var at *fs.PathError
	if errors.As(err, &at) {
		cause = at.Err
	}
	return "UNKNOWN: " + Bound(cause.Error())
}
