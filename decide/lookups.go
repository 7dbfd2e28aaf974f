package decide

import (
	"errors"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
)

// lookups is what the file system said of the words of one command. A command
// that names many files would else look at the same directories over and over.
type lookups struct {
	sight  sight
	known  map[string]lookedUp
	used   int
	filled map[string]filling
	left   int // directory entries that may still be read; set with the first pattern
}

// filling is what a pattern finds.
type filling struct {
	names []string
	all   bool
}

// lookedUp is one answer.
type lookedUp struct {
	resolved paths.Resolved
	err      error
}

// The costs of asking the file system, of which one command may spend
// maxLookups, are in the order of a system call each. Directories are looked up
// first: many words lie in one, and what lies in a directory that is not there
// needs no look at all.
const (
	wholeLookup = 4
	nameLookup  = 1
	maxLookups  = 512
)

var errTooManyLookups = errors.New("the command names more files than can be looked at")

// resolveWord resolves what may be a path in a command, with what was looked up
// for the command before. Once too much was asked, it is an error and the
// command counts as not seen whole.
func (f *facts) resolveWord(abs string) (paths.Resolved, error) {
	if f.session.pathsMode == PathsLexical {
		return f.resolver().Resolve(abs)
	}
	for strings.Contains(abs, "/./") {
		abs = strings.ReplaceAll(abs, "/./", "/")
	}
	l := &f.lookups
	if found, ok := l.known[abs]; ok {
		return found.resolved, found.err
	}
	if dir, name, ok := parent(abs); ok {
		in, err := l.below(dir)
		if r, ok := (paths.Local{}).ResolveIn(in, name); err == nil && ok {
			if in.Exists {
				l.used += nameLookup
			}
			l.keep(abs, r, nil)
			return r, nil
		}
	}
	r, err := l.whole(abs)
	if errors.Is(err, errTooManyLookups) {
		f.seenAll = false
	}
	return r, err
}

// parent splits a path whose names all mean themselves.
func parent(abs string) (dir, name string, ok bool) {
	at := strings.LastIndexByte(abs, '/')
	if at <= 0 || abs[0] != '/' || strings.Contains(abs, "//") || strings.Contains(abs, "/../") {
		return "", "", false
	}
	return abs[:at], abs[at+1:], true
}

// below resolves a directory from the one that it is in, if that is known.
func (l *lookups) below(abs string) (paths.Resolved, error) {
	if found, ok := l.known[abs]; ok {
		return found.resolved, found.err
	}
	if dir, name, ok := parent(abs); ok && l.used < maxLookups {
		if in, known := l.known[dir]; known && in.err == nil {
			if r, ok := (paths.Local{}).ResolveIn(in.resolved, name); ok {
				if in.resolved.Exists {
					l.used += nameLookup
				}
				l.keep(abs, r, nil)
				return r, nil
			}
		}
	}
	return l.whole(abs)
}

func (l *lookups) whole(abs string) (paths.Resolved, error) {
	if found, ok := l.known[abs]; ok {
		return found.resolved, found.err
	}
	if l.used >= maxLookups {
		return paths.Resolved{}, errTooManyLookups
	}
	l.sight.look()
	l.used += wholeLookup
	r, err := paths.Local{}.Resolve(abs)
	l.keep(abs, r, err)
	return r, err
}

func (l *lookups) keep(abs string, r paths.Resolved, err error) {
	if l.known == nil {
		l.known = map[string]lookedUp{}
	}
	l.known[abs] = lookedUp{r, err}
}

// maxListed and maxFillings bound the directory entries, and the patterns, that
// one command can make us read.
const (
	maxListed   = 2000
	maxFillings = 32
)

// glob returns the files that a pattern finds; all is false if some may be
// missing.
func (l *lookups) glob(pattern string) (names []string, all bool) {
	found, ok := l.filled[pattern]
	if ok {
		return found.names, found.all
	}
	switch {
	case l.filled == nil:
		l.filled, l.left = map[string]filling{}, maxListed
	case len(l.filled) == maxFillings:
		return nil, false
	}
	l.sight.look()
	found.names, found.all = paths.GlobWithin(paths.Lossy(pattern), &l.left)
	l.filled[pattern] = found
	return found.names, found.all
}

// find returns the files that a pattern finds, at its cost.
func (f *facts) find(pattern string) (names []string, all bool) {
	before := f.lookups.left
	if f.lookups.filled == nil {
		before = maxListed
	}
	names, all = f.lookups.glob(pattern)
	f.spend(1 + (before-f.lookups.left)/entriesRead)
	return names, all
}

// name resolves a file that a pattern found, apart from the bound on the words
// of the command.
func (l *lookups) name(abs string) (paths.Resolved, bool) {
	if found, ok := l.known[abs]; ok {
		return found.resolved, found.err == nil
	}
	dir, name, ok := parent(abs)
	if !ok {
		return paths.Resolved{}, false
	}
	in, err := l.whole(dir)
	if err != nil {
		return paths.Resolved{}, false
	}
	if r, ok := (paths.Local{}).ResolveIn(in, name); ok {
		return r, true
	}
	r, err := l.whole(abs)
	return r, err == nil
}
