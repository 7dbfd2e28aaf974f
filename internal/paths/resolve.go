package paths

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"syscall"
)

// Resolved is where a path leads.
type Resolved struct {
	Path    string // absolute, without links, ".", ".." or empty names
	Exists  bool   // something is at Path
	Dir     bool   // it is a directory
	Regular bool   // it is a regular file
	Links   uint64 // its number of names; 0 when unknown
	ID      FileID
	Loose   bool // only the text was read: links could not be seen
}

// FileID tells files of one machine apart, whatever they are called. The zero
// value is an unknown file.
type FileID struct{ Dev, Ino uint64 }

// Valid reports whether the file is known. Two invalid ids say nothing about
// each other.
func (id FileID) Valid() bool { return id != FileID{} }

// Resolver finds out where an absolute path leads.
type Resolver interface {
	// Resolve takes a path that came from Place.Absolute. The error is an
	// *InvalidError.
	Resolve(abs string) (Resolved, error)
}

// Local resolves on this machine's file system, as this process sees it.
//
// Links are followed name by name, and ".." is the parent of what was reached.
// The part of the path that does not exist is kept as text, where ".." takes
// away the name before it; so is what follows a file that is no directory. A
// dangling link leads to the path it names. Every name that cannot be looked
// at, for lack of permission or any other reason, is an error.
//
// Nothing is remembered between calls: links may be swapped at any time.
type Local struct{}

// Resolve implements Resolver.
func (Local) Resolve(abs string) (Resolved, error) {
	if err := checkResolvable(abs); err != nil {
		return Resolved{}, err
	}
	if r, ok := resolveFast(abs); ok {
		return r, nil
	}
	r, kind := localWalk.resolve(abs)
	if kind == "" && passesMagicLink(abs) {
		kind = ProcessRelative
	}
	if kind != "" {
		return Resolved{}, &InvalidError{Kind: kind, Path: abs}
	}
	return r, nil
}

// checkResolvable keeps out what no kernel resolves, and what would stretch
// the walk, even if the caller forgot to screen.
func checkResolvable(abs string) error {
	switch {
	case len(abs) > maxPath || hasLongName(abs):
		return &InvalidError{Kind: TooLong, Path: abs}
	case strings.IndexByte(abs, 0) >= 0:
		return &InvalidError{Kind: Nul, Path: abs}
	}
	return nil
}

// maxLinks is how many links one path may pass; Linux has the same limit.
const maxLinks = 40

// node is what a walk learns about a name without following it.
type node struct {
	link, dir, regular bool
	links              uint64
	id                 FileID
}

// walk is the resolution by single steps that works on every system. The
// functions are the file system; all take a path whose directories are
// resolved.
type walk struct {
	os       OS
	look     func(path string) (node, error)
	readlink func(path string) (string, error)
	magic    func(dir string) bool // links in dir lead where their text does not say
}

// steps is the state of one walk: at is resolved, and its last unseen names do
// not exist; todo is still to be read.
type steps struct {
	volume string // the drive on Windows, else ""
	at     []byte // empty is the root of the volume; bytes, since it grows name by name
	todo   string
	here   node // the deepest part of at that exists
	known  bool // here was looked at; else it is a directory, no more is known
	unseen int
	links  int
}

func (w walk) resolve(abs string) (Resolved, Kind) {
	if w.os == Windows {
		abs = slashed(abs)
		if kind := screenPrefix(abs); kind != "" {
			return Resolved{}, kind
		}
	}
	vol := w.os.volume(abs)
	if vol < 0 {
		return Resolved{}, Relative
	}
	s := steps{volume: fixDrive(abs, vol)[:vol], todo: abs[vol:], here: node{dir: true}}
	for s.todo != "" {
		name, rest, _ := strings.Cut(s.todo, "/")
		s.todo = rest
		if kind := w.step(&s, name); kind != "" {
			return Resolved{}, kind
		}
	}
	return w.arrive(&s)
}

func (w walk) step(s *steps, name string) Kind {
	switch name {
	case "", ".":
		return ""
	case "..":
		s.up()
		return ""
	}
	if len(name) > maxName || len(s.at)+1+len(name) > maxPath {
		return TooLong
	}
	dir := len(s.at)
	s.at = append(append(s.at, '/'), name...)
	if s.unseen > 0 || !s.here.dir {
		s.unseen++
		return ""
	}
	next := s.volume + string(s.at)
	n, err := w.look(next)
	switch kind := kindOf(err); {
	case kind == missing:
		s.unseen++
	case kind != "":
		return kind
	case n.link:
		s.at = s.at[:dir]
		return w.follow(s, next)
	default:
		s.here, s.known = n, true
	}
	return ""
}

func (s *steps) up() {
	s.at = s.at[:max(0, bytes.LastIndexByte(s.at, '/'))]
	if s.unseen > 0 {
		s.unseen--
		return
	}
	s.here, s.known = node{dir: true}, false
}

func (w walk) follow(s *steps, link string) Kind {
	if s.links++; s.links > maxLinks {
		return Loop
	}
	if w.magic(string(s.at)) {
		return ProcessRelative
	}
	target, err := w.readlink(link)
	if err != nil || target == "" {
		return Unreadable
	}
	if strings.IndexByte(target, 0) >= 0 {
		return Nul
	}
	if w.os == Windows {
		target = slashed(target)
		// The text of a link is as hostile as that of a request: a link to a
		// share must not be looked at either.
		if kind := screenWindows(target); kind != "" {
			return kind
		}
	}
	if vol := w.os.volume(target); vol >= 0 {
		s.volume, target = fixDrive(target, vol)[:vol], target[vol:]
	}
	if target[0] == '/' {
		s.at, s.here, s.known = s.at[:0], node{dir: true}, false
	}
	s.todo = target + "/" + s.todo
	return ""
}

// arrive describes what the walk ended at.
func (w walk) arrive(s *steps) (Resolved, Kind) {
	path := s.volume + string(s.at)
	if len(s.at) == 0 {
		path = s.volume + "/"
	}
	switch {
	case len(path) > maxPath:
		return Resolved{}, TooLong
	case w.os != Windows && isProcessPlace(path):
		return Resolved{}, ProcessRelative
	case s.unseen > 0:
		return Resolved{Path: path}, ""
	}
	n := s.here
	if !s.known {
		var err error
		n, err = w.look(path)
		if kind := kindOf(err); kind == missing || n.link {
			return Resolved{}, Unreadable // it was there a moment ago
		} else if kind != "" {
			return Resolved{}, kind
		}
	}
	return Resolved{Path: path, Exists: true, Dir: n.dir, Regular: n.regular, Links: n.links, ID: n.id}, ""
}

// missing is no fault of a path; it never leaves this file.
const missing Kind = "missing"

func kindOf(err error) Kind {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return missing
	case errors.Is(err, syscall.ENAMETOOLONG):
		return TooLong
	case errors.Is(err, syscall.ELOOP):
		return Loop
	default:
		return Unreadable
	}
}
