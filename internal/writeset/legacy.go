package writeset

import (
	"strings"
	"unicode/utf8"
)

// plainPlusNames calls yield with the name of every line that starts with
// "+++ ", wherever it stands, one leading "b/" dropped.
//
// This is the plain reading that the first permission engine made. It takes an
// added line that starts with "++ " for a header. What it finds beyond the set
// is Mentioned; nothing else depends on it, and it can be dropped on its own.
func plainPlusNames(text string, yield func(string)) {
	for rest := text; rest != ""; {
		var line string
		line, rest = nextLine(rest)
		name, ok := strings.CutPrefix(line, "+++ ")
		if !ok || name == "" {
			continue
		}
		if bare, ok := strings.CutPrefix(name, "b/"); ok && bare != "" {
			name = bare
		}
		// The first character is part of the name even when it is a blank.
		_, first := utf8.DecodeRuneInString(name)
		name = name[:first] + strings.TrimRightFunc(name[first:], isPythonSpace)
		if isDevNullStamp(name) {
			continue
		}
		// That engine kept what follows a TAB.
		name, _ = cutStamp(name)
		yield(name)
	}
}

// isDevNullStamp reports whether a name is /dev/null, alone or with a time
// stamp after a TAB.
func isDevNullStamp(name string) bool {
	name, _, _ = strings.Cut(name, "\t")
	return name == "/dev/null"
}
