package inspect

import "strings"

const aliasError = "Path uses a Windows filesystem namespace alias"

// IsNamespaceAlias reports whether Windows could read a path as another object
// than the one that it spells: an alternate data stream, a drive-relative path,
// a second colon. The only colon that is allowed is the one of a rooted drive
// (C:\x, \\?\C:\x, \\.\C:\x, with either slash).
func IsNamespaceAlias(path string) bool {
	colon := strings.IndexByte(path, ':')
	if colon < 0 {
		return false
	}
	if strings.IndexByte(path[colon+1:], ':') >= 0 {
		return true
	}
	return !isDriveColon(path, colon)
}

func isDriveColon(path string, colon int) bool {
	if colon+1 >= len(path) || !isSlash(path[colon+1]) {
		return false
	}
	switch colon {
	case 1:
		return isLetter(path[0])
	case 5:
		return isSlash(path[0]) && isSlash(path[1]) && (path[2] == '?' || path[2] == '.') &&
			isSlash(path[3]) && isLetter(path[4])
	}
	return false
}

func isSlash(c byte) bool { return c == '\\' || c == '/' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
