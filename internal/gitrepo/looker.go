package gitrepo

import "path/filepath"

// maxLooks is how many names a Looker looks up.
const maxLooks = 4096

// Looker looks for repositories on behalf of many paths at one moment: what it
// has seen for one it does not look up for the next. It is for one caller at a
// time; the zero value is ready.
type Looker struct {
	looks int
	repos map[string]*Repo // by directory; nil: in none
	there map[string]bool
}

// Exhausted reports whether more would have had to be looked up than a Looker
// does: then it may have missed something.
func (l *Looker) Exhausted() bool { return l.looks > maxLooks }

func (l *Looker) look() bool {
	l.looks++
	return l.looks <= maxLooks
}

// Find is the function Find.
func (l *Looker) Find(dir, home string) (Repo, bool) {
	var repo *Repo
	at, below := dir, []string(nil)
	for range maxDepth {
		known := false
		if repo, known = l.repos[at]; known {
			break
		}
		below = append(below, at)
		if !l.look() {
			return Repo{}, false
		}
		if found, ok := findIn(at, home); ok {
			repo = &found
			break
		}
		parent := filepath.Dir(at)
		if parent == at {
			break
		}
		at = parent
	}
	if l.repos == nil {
		l.repos = map[string]*Repo{}
	}
	for _, dir := range below {
		l.repos[dir] = repo
	}
	if repo == nil {
		return Repo{}, false
	}
	return *repo, true
}
