//go:build unix

package inspect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	maxLinks = 40   // what the Linux kernel follows
	maxSteps = 4096 // more components than any path that the kernel accepts
	maxPath  = 4096
)

// walker looks paths up by descriptors, one directory after the other, so that
// nothing on the way can be exchanged between two looks.
type walker struct {
	lists  bool // read the access list and the mount of every directory
	mounts mountCache
	// accounts are who is in which group.
	accounts accountView
	parent   *parentDir
}

// parentDir is a directory that was walked to, kept open for the next entry of
// the same directory.
type parentDir struct {
	text  string
	at    position
	since time.Time
	// seen is what a look at the directory told, without an entry.
	seen *step
}

// parentFresh is how long a way that was walked is taken to lead where it did.
const parentFresh = 100 * time.Millisecond

func (d *parentDir) fresh() bool { return time.Since(d.since) < parentFresh }

// position is where a walk stands.
type position struct {
	dir   handle
	kept  bool // dir is the walker's and stays open
	path  string
	links int
	steps int
	chain chain
}

// to looks up path step by step. It stops at the first name that does not exist:
// what matters then is who may make it.
func (w *walker) to(path string) chain {
	text, name, ok := splitPath(path)
	if !ok {
		return chain{}
	}
	p, ok := w.parentOf(text)
	if !ok || name == "" {
		p.finish(ok)
		return p.chain
	}
	// The next path of the same directory takes the same room at the end of the
	// steps: a chain is good until the walker goes on.
	arrived := p.advance(w, []string{name}, true)
	p.finish(arrived)
	if !p.kept {
		p.dir.close()
	}
	return p.chain
}

// splitPath parts a path into its directory and the last name; the name is empty
// when the path spells none.
func splitPath(path string) (text, name string, ok bool) {
	if path == "" || len(path) >= maxPath || refusePath(path) != "" {
		return "", "", false
	}
	if !filepath.IsAbs(path) {
		wd, err := os.Getwd()
		if err != nil {
			return "", "", false
		}
		path = wd + "/" + path
	}
	cut := strings.LastIndexByte(path, '/')
	text, name = path[:cut+1], path[cut+1:]
	if name == "" || name == "." || name == ".." {
		text, name = path, ""
	}
	return text, name, true
}

// entry opens an entry of the directory in which the last walk ended, together
// with the way to it. It reports false where the way has to be walked: in another
// directory, after a while, and for links and what cannot be opened.
func (w *walker) entry(path string, way *chain) (handle, bool) {
	if w.parent == nil || !strings.HasPrefix(path, w.parent.text) {
		return handle{}, false
	}
	text, name, ok := splitPath(path)
	if !ok || name == "" || text != w.parent.text || !w.parent.fresh() {
		return handle{}, false
	}
	p := w.parent.at
	h, err := p.dir.child(name)
	if err != nil {
		return handle{}, false
	}
	if h.isLink() {
		h.close()
		return handle{}, false
	}
	p.look(w, &h.object, false)
	p.arrive(name, h.object)
	*way = p.chain
	return h, true
}

// arrive ends the walk at an entry of the current directory.
func (p *position) arrive(name string, o object) {
	p.chain.last, p.chain.real, p.chain.complete = &o, join(p.path, name), true
}

// finish says where the walk ended, when it did not end at an entry.
func (p *position) finish(arrived bool) {
	if arrived && p.chain.last == nil {
		o := p.dir.object
		p.chain.last, p.chain.real, p.chain.complete = &o, p.path, true
	}
}

// parentOf walks to a directory, or returns to the one that is still open.
func (w *walker) parentOf(text string) (position, bool) {
	if w.parent != nil && w.parent.text == text && w.parent.fresh() {
		return w.parent.at, true
	}
	w.close()
	p := position{path: "/"}
	since := time.Now()
	var err error
	if p.dir, err = openObject("/"); err != nil {
		return p, false
	}
	todo := strings.Split(text, "/")
	p.chain.steps = make([]step, 0, len(todo)+1)
	if !p.advance(w, todo, false) {
		p.dir.close()
		return p, false
	}
	p.kept = true
	w.parent = &parentDir{text: text, at: p, since: since}
	return p, true
}

// close lets the kept directory go.
func (w *walker) close() {
	if w.parent != nil {
		w.parent.at.dir.close()
		w.parent = nil
	}
}

// advance looks up names one after the other. With final set the last one is the
// object itself and may be anything; else all must be directories. It reports
// whether it came to the end.
func (p *position) advance(w *walker, todo []string, final bool) bool {
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if p.steps++; p.steps > maxSteps {
			return false
		}
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			next, err := p.dir.child("..")
			if err != nil {
				return false
			}
			p.look(w, nil, false)
			p.chain.steps[len(p.chain.steps)-1].through = true
			p.leave(next)
			p.path = filepath.Dir(p.path)
			continue
		}
		last := final && !anyName(todo)
		next, err := p.enter(name, last)
		if err != nil {
			p.look(w, nil, errors.Is(err, fs.ErrNotExist))
			p.chain.complete = errors.Is(err, fs.ErrNotExist)
			return false
		}
		p.look(w, &next.object, false)
		if next.isLink() {
			target, err := next.link()
			next.close()
			if p.links++; err != nil || p.links > maxLinks {
				return false
			}
			p.follow(name, target)
			if strings.HasPrefix(target, "/") {
				root, err := openObject("/")
				if err != nil {
					return false
				}
				p.leave(root)
				p.path = "/"
			}
			todo = append(strings.Split(target, "/"), todo...)
			continue
		}
		if last {
			p.arrive(name, next.object)
			next.close()
			return true
		}
		if !next.isDir() {
			next.close()
			return false
		}
		p.leave(next)
		p.path = join(p.path, name)
	}
	return true
}

// leave goes on to another directory.
func (p *position) leave(next handle) {
	if !p.kept {
		p.dir.close()
	}
	p.kept, p.dir = false, next
}

// enter opens an entry. The last one need not be held open, unless it is a link.
func (p *position) enter(name string, last bool) (handle, error) {
	if !last {
		return p.dir.child(name)
	}
	o, err := p.dir.childStat(name)
	if err != nil || o.isLink() {
		return p.dir.child(name)
	}
	return unopened(o), nil
}

// look writes down that a name was looked up in the current directory.
func (p *position) look(w *walker, entry *object, missing bool) {
	s := p.lookAt(w)
	s.missing = missing
	if entry != nil {
		s.entry, s.hasEntry = *entry, true
	}
	p.chain.steps = append(p.chain.steps, s)
}

// lookAt learns of the current directory what decides about its entries, once for
// all entries of a kept one.
func (p *position) lookAt(w *walker) step {
	kept := p.kept && w.parent != nil
	if kept && w.parent.seen != nil {
		return *w.parent.seen
	}
	s := step{path: p.path, dir: p.dir.object}
	// The group bits bound what a list gives: without them there is nothing to
	// learn from it about who may change the directory.
	if w.lists || s.dir.mode&groupChange == groupChange {
		acl, err := p.dir.accessACL()
		s.acl, s.aclRead = acl, err == nil
	}
	if s.dir.mode&groupChange == groupChange && s.dir.gid != 0 {
		// Containers give group 0 to users whom no file lists.
		s.private = is(w.accounts.private(s.dir.uid, s.dir.gid))
	}
	w.lookAtMount(p, &s)
	if kept {
		w.parent.seen = &s
	}
	return s
}

// follow remembers a link. The links of a projected volume lead through ..data,
// which its manager replaces as a whole.
func (p *position) follow(name, target string) {
	p.chain.followed = true
	if name == "..data" || target == "..data" || strings.HasPrefix(target, "..data/") {
		p.chain.managed = "kubernetes"
	}
}

func anyName(todo []string) bool {
	for _, name := range todo {
		if name != "" && name != "." {
			return true
		}
	}
	return false
}
