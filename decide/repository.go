package decide

import (
	"path/filepath"
	"slices"
	"sync"

	"github.com/agent-pdp/pdp/internal/gitrepo"
	"github.com/agent-pdp/pdp/internal/paths"
)

// repositories are the git repositories that a session works in. They are
// looked for once, when the first write asks, and read again when one of their
// configuration files has changed. The list is replaced whole.
type repositories struct {
	mu     sync.Mutex
	sought bool
	list   []gitrepo.Repo
}

// of returns the repositories of the session's current directory and roots.
func (r *repositories) of(f *facts) []gitrepo.Repo {
	const most = 16 // roots that are looked at
	r.mu.Lock()
	defer r.mu.Unlock()
	home := filepath.FromSlash(f.session.place.Home)
	if !r.sought {
		r.sought = true
		places := []string{f.session.place.Cwd}
		for _, root := range f.session.roots {
			places = append(places, root.path)
		}
		for _, place := range places[:min(len(places), most)] {
			r.add(f, place, home)
		}
		return r.list
	}
	for i := range r.list {
		if fresh, changed := r.list[i].Fresh(home); changed {
			r.list = slices.Clone(r.list)
			r.list[i] = fresh
		}
	}
	return r.list
}

func (r *repositories) add(f *facts, place, home string) {
	at, err := f.resolver().Resolve(place)
	if err != nil {
		return
	}
	repo, ok := gitrepo.Find(filepath.FromSlash(at.Path), home)
	if !ok {
		return
	}
	for i := range r.list {
		if r.list[i].Top == repo.Top {
			return
		}
	}
	r.list = append(r.list, repo)
}

// hookDir is a directory from which git runs programs, because the repository
// at hand says so.
type hookDir struct {
	spelled, led string // folded: as named, and where it leads
	reason       string
}

// hookDirs reads the repositories at hand once for the call.
func (f *facts) hookDirs() []hookDir {
	if f.hooksRead || f.session.pathsMode != PathsLocal || f.session.repositories == nil {
		return f.hooks
	}
	f.sight.look() // before another call's look is waited for
	f.hooksRead = true
	for _, repo := range f.session.repositories.of(f) {
		f.addHookDirs(repo.Hooks, "git runs hooks from here (core.hooksPath)")
		f.addHookDirs(repo.Files, "git reads configuration from here, which can name programs (include.path)")
		f.addHookDirs(repo.Dirs, "a .git file puts the repository's hooks and configuration here")
	}
	return f.hooks
}

func (f *facts) addHookDirs(dirs []string, reason string) {
	for _, dir := range dirs {
		dir = filepath.ToSlash(dir)
		if _, listed := f.policy.deferred.Match(dir); listed {
			continue
		}
		h := hookDir{spelled: paths.Fold(dir), reason: reason}
		if r, err := f.resolver().Resolve(dir); err == nil {
			h.led = paths.Fold(r.Path)
		}
		f.hooks = append(f.hooks, h)
	}
}

// inRepository reports whether git runs programs from where the target lies,
// and why. Case does not count, and what happens to a directory above happens
// to the hooks as well.
func (f *facts) inRepository(t *target) (reason string, hit bool) {
	for _, h := range f.hookDirs() {
		at := paths.Fold(t.resolved.Path)
		if paths.Contains(h.led, at) || paths.Contains(h.spelled, paths.Fold(paths.Clean(t.abs, f.session.place.OS))) ||
			t.tree && paths.Contains(at, h.led) {
			return h.reason, true
		}
	}
	if f.session.pathsMode == PathsLocal && f.inNested(t) {
		return "git runs hooks and what the configuration names from here, in a repository below the workspace", true
	}
	if f.looker.Exhausted() {
		return "git may, since the call names more directories than are searched for repositories", true
	}
	return "", false
}

// inNested looks for a repository that the session does not work in but that holds
// the target, whose configuration puts its hooks there; and for one without a .git
// of its own. Only names that git runs or reads are worth the look.
func (f *facts) inNested(t *target) bool {
	f.sight.look()
	path := filepath.FromSlash(t.resolved.Path)
	if f.looker.InBare(path) {
		return true
	}
	dir := path
	if !t.tree {
		if !gitrepo.IsHookName(filepath.Base(path)) {
			return false
		}
		dir = filepath.Dir(path)
	}
	repo, ok := f.looker.Find(dir, filepath.FromSlash(f.session.place.Home))
	if !ok {
		return false
	}
	at := paths.Fold(t.resolved.Path)
	for _, hooks := range repo.Hooks {
		led := filepath.ToSlash(hooks)
		if r, err := f.resolver().Resolve(led); err == nil {
			led = r.Path
		}
		if led = paths.Fold(led); paths.Contains(led, at) || t.tree && paths.Contains(at, led) {
			return true
		}
	}
	return false
}
