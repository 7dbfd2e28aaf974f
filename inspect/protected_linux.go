package inspect

import (
	"bytes"
	"os"
)

// protectedLinks reports whether the kernel guards links in shared directories.
// It is on wherever systemd runs; where the setting cannot be read it is taken
// for on, which refuses more.
func protectedLinks() bool {
	text, err := os.ReadFile("/proc/sys/fs/protected_symlinks")
	return err != nil || string(bytes.TrimSpace(text)) != "0"
}
