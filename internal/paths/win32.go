package paths

import (
	"strings"
	"unicode/utf8"
)

// screenWindows refuses the texts that Windows reads as something other than
// the file they appear to name. The prefix comes first: nothing may be asked
// about a network or namespace path.
func screenWindows(raw string) Kind {
	s := slashed(raw)
	if k := screenPrefix(s); k != "" {
		return k
	}
	if len(s) > 1 && s[1] == ':' && isLetter(s[0]) {
		if len(s) == 2 || s[2] != '/' {
			return DriveRelative
		}
		s = s[2:]
	}
	if strings.IndexByte(s, ':') >= 0 {
		return Stream
	}
	for name := range strings.SplitSeq(s, "/") {
		if k := screenWindowsName(name); k != "" {
			return k
		}
	}
	return ""
}

// screenPrefix refuses what leaves the drives. s has forward slashes.
func screenPrefix(s string) Kind {
	switch {
	case len(s) >= 7 && strings.EqualFold(s[4:7], "unc") && (s[:4] == "//?/" || s[:4] == "/??/"):
		return UNC
	case hasAnyPrefix(s, "//?/", "//./", "/??/") || s == "//?" || s == "//." || s == "/??":
		return NTNamespace
	case strings.HasPrefix(s, "//"):
		return UNC
	}
	return ""
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func screenWindowsName(name string) Kind {
	switch {
	case name == "" || name == "." || name == "..":
		return ""
	case strings.ContainsAny(name, `<>"|?*`):
		return ForbiddenChar
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return TrailingDot
	case isDevice(name):
		return DeviceName
	case isShort(name):
		return ShortName
	case len(name) > maxName && utf8.RuneCountInString(name) > maxName:
		return TooLong
	}
	return ""
}

var devices = map[string]bool{
	"AUX": true, "CLOCK$": true, "CON": true, "CONIN$": true, "CONOUT$": true, "NUL": true, "PRN": true,
}

// isDevice knows that Windows finds the device in any directory, whatever the
// extension and the blanks before it: "docs\nul .txt" is NUL.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	if devices[stem] {
		return true
	}
	port, ok := strings.CutPrefix(stem, "COM")
	if !ok {
		port, ok = strings.CutPrefix(stem, "LPT")
	}
	if !ok {
		return false
	}
	switch port {
	case "¹", "²", "³":
		return true
	}
	return len(port) == 1 && isDigit(port[0])
}

// isShort reports a name of the form that Windows makes up as a second name
// of a file with a long one: at most eight characters that end in ~ and a
// number, and an extension of at most three.
func isShort(name string) bool {
	stem, ext, _ := strings.Cut(name, ".")
	tilde := strings.LastIndexByte(stem, '~')
	return tilde >= 0 && isNumber(stem[tilde+1:]) &&
		utf8.RuneCountInString(stem) <= 8 && utf8.RuneCountInString(ext) <= 3
}

func slashed(s string) string { return strings.ReplaceAll(s, `\`, "/") }

// fixDrive spells the drive letter of an absolute path in one way. vol is the
// length of its volume.
func fixDrive(abs string, vol int) string {
	if vol > 0 && 'a' <= abs[0] && abs[0] <= 'z' {
		return string(abs[0]-'a'+'A') + abs[1:]
	}
	return abs
}
