package decide

import (
	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/pattern"
)

// linkedPaths is a list of path patterns as it reads behind the links in them.
type linkedPaths struct {
	of    *restrictLists
	paths pattern.Paths
}

// readings are the patterns of the lists as they are written and, if links in
// them lead elsewhere now, as they read there: a path that was resolved has no
// links any more.
func (f *facts) readings(lists *restrictLists) []*pattern.Paths {
	both := []*pattern.Paths{&lists.paths}
	if linked := f.linked(lists); !linked.Empty() {
		both = append(both, linked)
	}
	return both
}

func (f *facts) linked(lists *restrictLists) *pattern.Paths {
	for i := range f.linkedLists {
		if f.linkedLists[i].of == lists {
			return &f.linkedLists[i].paths
		}
	}
	l := &linkedPaths{of: lists}
	if f.session.pathsMode != PathsLexical && lists.paths.Anchored() {
		f.sight.look()
		parents := parentLooks{}
		l.paths, _ = lists.paths.Linked(func(path string) string {
			r, err := parents.resolve(path)
			if err != nil {
				return ""
			}
			return r.Path
		})
	}
	f.linkedLists = append(f.linkedLists, l)
	return &l.paths
}

// parentLooks are the directories that were looked up: many patterns of a list
// begin in the same ones.
type parentLooks map[string]lookedUp

func (p parentLooks) resolve(abs string) (paths.Resolved, error) {
	if dir, name, ok := parent(abs); ok {
		in, known := p[dir]
		if !known {
			in.resolved, in.err = paths.Local{}.Resolve(dir)
			p[dir] = in
		}
		if in.err == nil {
			if r, ok := (paths.Local{}).ResolveIn(in.resolved, name); ok {
				return r, nil
			}
		}
	}
	return paths.Local{}.Resolve(abs)
}

// matchPath tests a path as given and as resolved.
func (f *facts) matchPath(lists *restrictLists, t *target) (string, bool) {
	if rule, hit := matchEither(&lists.paths, t); hit {
		return rule, true
	}
	return matchEither(f.linked(lists), t)
}

func matchEither(rules *pattern.Paths, t *target) (string, bool) {
	for _, path := range [...]string{t.abs, t.resolved.Path} {
		if path == "" {
			continue
		}
		if rule, hit := rules.Match(path); hit {
			return rule.Pattern, true
		}
	}
	return "", false
}
