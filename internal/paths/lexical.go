package paths

import (
	"path"
	"strings"
)

// Lexical resolves the text alone, for a file system that this process cannot
// see. Links stay unseen and ".." takes away the name before it, so its
// answers are always Loose.
type Lexical struct{ OS OS }

// Resolve cleans abs. The error is an *InvalidError.
func (l Lexical) Resolve(abs string) (Resolved, error) {
	if err := checkResolvable(abs); err != nil {
		return Resolved{}, err
	}
	if l.OS == Windows {
		abs = slashed(abs)
		if kind := screenPrefix(abs); kind != "" {
			return Resolved{}, &InvalidError{Kind: kind, Path: abs}
		}
	}
	if l.OS.volume(abs) < 0 {
		return Resolved{}, &InvalidError{Kind: Relative, Path: abs}
	}
	clean := Clean(abs, l.OS)
	if l.OS != Windows && isProcessPlace(clean) {
		return Resolved{}, &InvalidError{Kind: ProcessRelative, Path: abs}
	}
	return Resolved{Path: clean, Loose: true}, nil
}

// Clean shortens an absolute path by its text: no ".", "..", empty names or
// trailing slash are left, and ".." takes away the name before it. It is what
// a tool sees that cleans a path before it opens it.
func Clean(abs string, os OS) string {
	if os != Windows {
		return path.Clean(abs)
	}
	abs = slashed(abs)
	vol := os.volume(abs)
	if vol < 0 {
		return path.Clean(abs)
	}
	abs = fixDrive(abs, vol)
	clean := path.Clean(abs[vol:])
	if strings.HasSuffix(abs, clean) && len(clean)+vol == len(abs) {
		return abs
	}
	return abs[:vol] + clean
}
