//go:build unix

package serverfile

import (
	"errors"
	"os"
)

// checkWriters refuses a file that everybody may write.
func checkWriters(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o002 != 0 {
		return errors.New("everybody may write this file, and who writes it says who is an administrator; take that right away: chmod o-w")
	}
	return nil
}
