package decide

import (
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
)

// namesPlace reports whether an argument's plain name says that it holds a
// directory in which relative paths start.
func namesPlace(plain string) bool {
	if placeNames[plain] {
		return true
	}
	for _, end := range [...]string{"cwd", "dir", "directory", "folder", "root", "basepath"} {
		if strings.HasSuffix(plain, end) {
			return true
		}
	}
	return false
}

// starts are the directories in which a call says that relative paths begin:
// where the call names several, one may start in another.
type starts struct {
	dirs    []string
	os      paths.OS
	all     bool // a path from the root starts there too, as where texts are put together
	tooMany bool
}

// maxStarts bounds the directories, since each path may start in any of them.
const maxStarts = 8

func (s *starts) add(text string) {
	text = filePath(text)
	if strings.TrimFunc(text, isBlank) == "" || text == "." || slices.Contains(s.dirs, text) {
		return
	}
	if len(s.dirs) == maxStarts {
		s.tooMany = true
		return
	}
	s.dirs = append(s.dirs, text)
}

// each calls yield with every way to begin a relative path.
func (s *starts) each(given string, yield func(string)) {
	if !isRelative(given, s.os) && !(s.all && strings.HasPrefix(given, "/")) {
		return
	}
	for i, dir := range s.dirs {
		if dir == given {
			continue
		}
		inDir := joined(dir, given)
		yield(inDir)
		if !isRelative(dir, s.os) {
			continue
		}
		for j, outer := range s.dirs {
			if i != j && outer != dir {
				yield(joined(outer, inDir))
			}
		}
	}
}

func joined(dir, rest string) string {
	return strings.TrimSuffix(dir, "/") + "/" + strings.TrimPrefix(strings.TrimPrefix(rest, "./"), "/")
}
