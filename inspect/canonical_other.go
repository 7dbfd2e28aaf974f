//go:build !windows

package inspect

import "path/filepath"

// makePrivate: there are no such directories here.
var makePrivate func(path string) error

// CanonicalPath is the name of what path leads to, without links.
func CanonicalPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", errorOf(err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", errorOf(err)
	}
	return real, nil
}
