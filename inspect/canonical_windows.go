package inspect

import (
	"errors"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// CanonicalPath is the name of what path leads to, without links and in the
// spelling of the file system. Where the system refuses to tell the drive, as it
// does inside an AppContainer, the kernel's name of the same open object is
// translated and the drive checked; what has no drive is refused with
// [CodeMismatch].
func CanonicalPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", errorOf(err)
	}
	h, err := openSecurity(abs, fileReadAttributes, 0)
	if err != nil {
		return "", err
	}
	defer h.close()
	name, err := h.name(volumeNameDOS)
	if err == nil {
		return plainDOS(name), nil
	}
	denied := winErr("GetFinalPathNameByHandleW", err, identityCodes)
	if !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return "", denied
	}
	token, tokenErr := processToken()
	switch {
	case tokenErr != nil:
		return "", tokenErr
	case token.container == "":
		return "", denied
	}
	nt, err := h.name(volumeNameNT)
	if err != nil {
		return "", denied
	}
	name, drive, ok := dosName(nt, driveMap())
	if !ok || drive != "" && !rootIs(drive, nt) {
		return "", mismatch(nt)
	}
	return name, nil
}

// plainDOS drops the prefix that lifts the limit of length.
func plainDOS(name string) string {
	if rest, ok := strings.CutPrefix(name, `\\?\UNC\`); ok {
		return `\\` + rest
	}
	return strings.TrimPrefix(name, `\\?\`)
}

// driveMap asks anew each time: drives come and go.
func driveMap() map[string]string {
	drives := map[string]string{}
	buf := make([]uint16, 1024)
	for letter := 'A'; letter <= 'Z'; letter++ {
		drive := string(letter) + ":"
		name, err := windows.UTF16PtrFromString(drive)
		if err != nil {
			continue
		}
		if n, err := windows.QueryDosDevice(name, &buf[0], uint32(len(buf))); err == nil && n > 0 {
			drives[drive] = windows.UTF16ToString(buf)
		}
	}
	return drives
}

// rootIs opens the root of a drive and compares its kernel name with the start
// of the object's.
func rootIs(drive, nt string) bool {
	root, err := openSecurity(drive+`\`, fileReadAttributes, 0)
	if err != nil {
		return false
	}
	defer root.close()
	name, err := root.name(volumeNameNT)
	return err == nil && hasPathPrefix(nt, strings.TrimRight(name, `\`))
}
