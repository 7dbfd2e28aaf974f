//go:build unix

package inspect

const (
	namespaceAliases = false
	modesDecide      = true
)

// session is what several reports share.
type session struct {
	opts *Options
	view viewer
	walk walker

	mounts mountCache
	proc   procDir
	admit  func(path string) string // nil admits everything

	desk
	chain chain // of the path that is examined
}

func newSession(opts *Options) *session {
	s := &session{opts: opts, view: opts.viewer(), walk: walker{lists: opts.asksForUser()}}
	if s.walk.lists {
		s.keep() // every directory on the way is asked for its mount
	}
	return s
}

// keep prepares for many paths: what was learned of one serves the next.
func (s *session) keep() {
	s.mounts = mountCache{}
	s.walk.mounts = s.mounts
	s.proc.many = true
}

func (s *session) close() {
	s.walk.close()
	s.proc.close()
}

// examine follows a link once for the effective mode. A link whose target
// cannot be examined has no mode: the kernel's 0777 for links would read as an
// object that everybody may write.
func (s *session) examine(x *examination) Report {
	if text := refusePath(x.path); text != "" {
		return failed(text)
	}
	h, err := s.open(x)
	if err != nil {
		r := failed(statError("lstat", x.path, err))
		s.ways(x, &r.Facts)
		return r
	}
	defer func() { h.close() }()
	isLink, link := h.isLink(), h.object
	if isLink {
		target, err := openTarget(x.path)
		if err != nil {
			r := failed(statError("stat", x.path, err))
			r.IsSymlink = true
			r.Facts.describe(&link, &x.view)
			r.Facts.Target, r.Facts.Link = TargetUnresolved, link.owner(&x.view)
			s.ways(x, &r.Facts)
			return r
		}
		h.close()
		h = target
	}
	r := reportOf(&h.object, isLink)
	f := &r.Facts
	f.describe(&h.object, &x.view)
	f.Mount, f.Provenance.Mount = h.mount(s.mounts)
	if f.Mount != nil {
		f.ReadOnly = f.Mount.ReadOnly
	}
	h.fillXattrs(f, &s.proc)
	s.ways(x, f)
	if isLink {
		f.Target, f.Link, f.Resolved = TargetResolved, link.owner(&x.view), x.chain.real
	}
	if h.mode&0o070 != 0 {
		f.Group.Private = s.walk.accounts.private(h.uid, h.gid)
		if f.Group.Private != nil {
			f.Provenance.Members = "account files"
		}
	}
	o := h.object
	x.object = &o
	if last := x.chain.last; last == nil || !last.same(&o) {
		x.changed(f)
	}
	return r
}

// open opens the object, a link itself. Beside the object before it, the way that
// was walked for that one is the way to this one, too.
func (s *session) open(x *examination) (handle, error) {
	if h, ok := s.walk.entry(x.path, &s.chain); ok {
		x.chain = &s.chain
		return h, nil
	}
	return openObject(x.path)
}

func (s *session) ways(x *examination, f *Facts) {
	if x.chain == nil {
		s.chain = s.walk.to(x.path)
		x.chain = &s.chain
	}
	f.ways(x.chain, &x.view)
}

// changed: the way that was walked does not end at the object that was opened.
// What is known of the one says nothing about the other.
func (x *examination) changed(f *Facts) {
	x.chain.real, x.chain.complete = "", false
	if is(f.ReplaceableByOthers) {
		return
	}
	f.ReplaceableByOthers = nil
}
