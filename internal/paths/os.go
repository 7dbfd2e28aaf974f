package paths

import "runtime"

// OS says which grammar a path is written in. The zero value is POSIX.
type OS uint8

// The grammars. Darwin is POSIX on volumes that usually ignore case and always
// ignore Unicode normalisation.
const (
	POSIX OS = iota
	Darwin
	Windows
)

var osByName = map[string]OS{
	"aix":       POSIX,
	"android":   POSIX,
	"darwin":    Darwin,
	"dragonfly": POSIX,
	"freebsd":   POSIX,
	"illumos":   POSIX,
	"ios":       Darwin,
	"linux":     POSIX,
	"macos":     Darwin,
	"netbsd":    POSIX,
	"openbsd":   POSIX,
	"posix":     POSIX,
	"solaris":   POSIX,
	"windows":   Windows,
}

// ParseOS reads the name of an operating system as Go spells it ("linux",
// "darwin", "windows", …). The second result is false for any other word.
func ParseOS(name string) (OS, bool) {
	os, ok := osByName[name]
	return os, ok
}

// Native is the operating system that this process runs on.
func Native() OS { return osByName[runtime.GOOS] }

// String names the grammar in words that ParseOS reads.
func (o OS) String() string {
	switch o {
	case Darwin:
		return "darwin"
	case Windows:
		return "windows"
	default:
		return "posix"
	}
}

// volume is the length of the part of abs in front of its root slash: 0 in
// POSIX, 2 for the drive of Windows. It is -1 when abs is not absolute.
func (o OS) volume(abs string) int {
	if o == Windows {
		if len(abs) > 2 && (isLetter(abs[0]) || abs[:2] == unknownDrive) && abs[1] == ':' && abs[2] == '/' {
			return 2
		}
		return -1
	}
	if len(abs) > 0 && abs[0] == '/' {
		return 0
	}
	return -1
}

// unknownDrive stands for the drive of a path such as \proj that another
// machine's request gave without one. No text can spell it, so that such a
// directory holds only what was named in the same way.
const unknownDrive = "?:"

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
