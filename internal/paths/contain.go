package paths

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Contains reports whether path is root or lies below it, name by name:
// /srv/app does not contain /srv/app-secrets. Both must be resolved paths; for
// one that still has a ".." name, and for an empty root, the answer is no.
// Spellings are compared byte by byte.
func Contains(root, path string) bool {
	if root == "" || hasDotDot(path) || hasDotDot(root) || !strings.HasPrefix(path, root) {
		return false
	}
	return len(path) == len(root) || root[len(root)-1] == '/' || path[len(root)] == '/'
}

// Contains is the function Contains with the spellings that are surely one
// file on that system taken as equal: Unicode normalisation on Darwin, the case
// of ASCII letters on Windows. It serves permission, so it does not guess that
// a Darwin volume ignores case.
func (o OS) Contains(root, path string) bool {
	switch o {
	case Darwin:
		return Contains(norm.NFC.String(root), norm.NFC.String(path))
	case Windows:
		return Contains(lowerASCII(root), lowerASCII(path))
	default:
		return Contains(root, path)
	}
}

func hasDotDot(path string) bool {
	for i := 0; ; {
		j := strings.Index(path[i:], "/..")
		if j < 0 {
			return false
		}
		i += j + len("/..")
		if i == len(path) || path[i] == '/' {
			return true
		}
	}
}
