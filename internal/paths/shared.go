package paths

import (
	"path"
	"strings"
)

// Shared resolves many paths at one moment, on this machine: what lies below a
// directory that was not there costs no further system call. Its answers are
// those of Local, a change of the file system in between aside. It is for one
// caller at a time; the zero value is ready.
type Shared struct {
	// From is a directory that is known to be there; it saves the looks at what
	// is above it.
	From string

	known map[string]place // by path of a directory
}

// place says of a directory that was looked at whether it is missing, and where
// it would be.
type place struct {
	led     string
	missing bool
}

// Resolve implements Resolver.
func (s *Shared) Resolve(abs string) (Resolved, error) {
	if err := checkResolvable(abs); err != nil {
		return Resolved{}, err
	}
	if Native() == POSIX && path.Clean(abs) == abs {
		if led, ok := s.missing(abs); ok {
			return Resolved{Path: led}, nil
		}
	}
	return Local{}.Resolve(abs)
}

// missing is where a path leads of which a directory above is not there.
func (s *Shared) missing(abs string) (string, bool) {
	at := 1
	if Contains(s.From, abs) {
		at = len(s.From) + 1
	}
	for at < len(abs) {
		next := strings.IndexByte(abs[at:], '/')
		if next < 0 {
			break
		}
		at += next
		if p := s.look(abs[:at]); p.missing {
			led := p.led + abs[at:]
			return led, len(led) < maxPath
		}
		at++
	}
	return "", false
}

func (s *Shared) look(dir string) place {
	if p, known := s.known[dir]; known {
		return p
	}
	p := place{}
	// What is in the directory of a process is for the resolver alone.
	if r, err := (Local{}).Resolve(dir); err == nil && !r.Exists && r.Path != "/" && !strings.HasPrefix(r.Path, "/proc/") {
		p = place{r.Path, true}
	}
	if s.known == nil {
		s.known = map[string]place{}
	}
	s.known[dir] = p
	return p
}
