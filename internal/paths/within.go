package paths

import "strings"

// ResolveIn answers, with at most one look, for a plain name in a directory
// that was resolved before. ok is false where only Resolve can tell: for links,
// for names that mean more than themselves, and for whatever cannot be looked
// at. Unlike Resolve it relies on what was true of the directory then.
func (Local) ResolveIn(dir Resolved, name string) (r Resolved, ok bool) {
	path := strings.TrimSuffix(dir.Path, "/") + "/" + name
	switch {
	case localWalk.os == Windows || dir.Loose || dir.Path == "" || dir.Path[0] != '/',
		name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00"),
		len(name) > maxName || len(path) >= maxPath || isProcessPlace(path):
		return Resolved{}, false
	case !dir.Exists || !dir.Dir:
		return Resolved{Path: path}, true
	}
	n, err := localWalk.look(path)
	switch kind := kindOf(err); {
	case kind == missing:
		return Resolved{Path: path}, true
	case kind != "" || n.link:
		return Resolved{}, false
	}
	return Resolved{Path: path, Exists: true, Dir: n.dir, Regular: n.regular, Links: n.links, ID: n.id}, true
}
