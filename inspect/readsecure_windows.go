package inspect

import (
	"os"

	"golang.org/x/sys/windows"
)

// openSecure opens the file itself, never what a reparse point leads to, and
// judges owner and access list of the open handle.
func openSecure(path string, opts *SecureOptions) (*os.File, error) {
	h, err := openSecurity(path, windows.GENERIC_READ|windows.READ_CONTROL, windows.FILE_FLAG_OPEN_REPARSE_POINT)
	if err != nil {
		return nil, err
	}
	if err := h.checkSecure(opts); err != nil {
		h.close()
		return nil, err
	}
	return os.NewFile(uintptr(h.Handle), path), nil
}

func (h securityHandle) checkSecure(opts *SecureOptions) error {
	tag, err := h.attributes()
	switch {
	case err != nil:
		return err
	case tag.isReparse():
		return refusal(CodeSymlink, "the path is a reparse point")
	case tag.isDir():
		return refusal(CodeNotFile, "the path is a directory")
	}
	if kind, err := windows.GetFileType(h.Handle); err != nil || kind != windows.FILE_TYPE_DISK {
		return refusal(CodeNotFile, "the path is no file on a disk")
	}
	facts, err := h.facts()
	if err != nil {
		return err
	}
	return checkSecureFacts(facts.facts(), opts)
}
