package paths

import (
	"path"
	"strings"
	"unicode/utf8"
)

// maxPath and maxName bound a path and each of its names. They are the limits
// of Linux, in bytes; names of the Windows grammar are measured in characters.
const (
	maxPath = 4096
	maxName = 255
)

// Screen refuses the texts that must not reach a file system, or that name no
// file in the grammar of os: it reads the text alone and makes no system call.
// A relative text is fine, and so is the empty one. The error is an
// *InvalidError.
func Screen(raw string, os OS) error {
	if k := screen(raw, os); k != "" {
		return &InvalidError{Kind: k, Path: raw}
	}
	return nil
}

func screen(raw string, os OS) Kind {
	if len(raw) > maxPath {
		return TooLong
	}
	if k := screenText(raw); k != "" {
		return k
	}
	if os == Windows {
		return screenWindows(raw)
	}
	return screenPOSIX(raw)
}

// screenText refuses what no file name of any system needs, and what logs and
// terminals would show as something else.
func screenText(s string) Kind {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == 0:
			return Nul
		case c < 0x20 || c == 0x7f:
			return Control
		case c < utf8.RuneSelf:
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return InvalidUTF8
		}
		if r <= 0x9f {
			return Control
		}
		i += n
	}
	return ""
}

func screenPOSIX(s string) Kind {
	switch {
	case hasLongName(s):
		return TooLong
	case isForeign(s):
		return ForeignOS
	case len(s) > 5 && s[5] == '/' && strings.EqualFold(s[:5], "file:"):
		return URI
	case isProcessRelative(s):
		return ProcessRelative
	}
	return ""
}

func hasLongName(s string) bool {
	start := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '/' {
			continue
		}
		if i-start > maxName {
			return true
		}
		start = i + 1
	}
	return len(s)-start > maxName
}

// isForeign reports a text that a Windows tool reads as a place of its own: a
// drive, a share, a rooted path or a way up. As a POSIX text each is a harmless
// name inside the current directory, and judging that name would be judging
// another file. A backslash within a name is just a character.
func isForeign(s string) bool {
	if len(s) > 2 && isLetter(s[0]) && s[1] == ':' && s[2] == '/' {
		return true
	}
	if strings.IndexByte(s, '\\') < 0 {
		return false
	}
	if s[0] == '\\' {
		return true
	}
	for name := range strings.SplitSeq(s, "/") {
		if isForeignName(name) {
			return true
		}
	}
	return false
}

func isForeignName(name string) bool {
	if strings.HasPrefix(name, `\\`) {
		return true
	}
	if len(name) > 2 && isLetter(name[0]) && name[1] == ':' && name[2] == '\\' {
		return true
	}
	if strings.IndexByte(name, '\\') < 0 {
		return false
	}
	for piece := range strings.SplitSeq(name, `\`) {
		if piece == ".." {
			return true
		}
	}
	return false
}

// isProcessRelative reports an absolute text below a directory whose content
// depends on who looks: the service would see its own files, the tool others.
// A link that leads there is for the resolver to see.
func isProcessRelative(s string) bool {
	if !strings.Contains(s, "/proc") && !strings.Contains(s, "/dev") {
		return false
	}
	if s[0] != '/' {
		return false
	}
	return isProcessPlace(path.Clean(s))
}

// isProcessPlace is isProcessRelative for a text that is clean already.
func isProcessPlace(s string) bool {
	if rest, ok := strings.CutPrefix(s, "/proc/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		return ownProc[name] || isNumber(name)
	}
	if rest, ok := strings.CutPrefix(s, "/dev/"); ok {
		name, _, _ := strings.Cut(rest, "/")
		return ownDev[name]
	}
	return false
}

var (
	ownProc = map[string]bool{"self": true, "thread-self": true, "mounts": true, "net": true}
	ownDev  = map[string]bool{"fd": true, "stdin": true, "stdout": true, "stderr": true}
)

func isNumber(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
