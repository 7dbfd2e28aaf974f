package inspect

import "encoding/binary"

const (
	namespaceAliases = true
	modesDecide      = false
)

// session is what several reports share: nothing, here.
type session struct {
	admit func(path string) string // nil admits everything

	opts *Options
	view viewer
	desk
}

func newSession(opts *Options) *session { return &session{opts: opts, view: opts.viewer()} }

func (s *session) keep() {}

func (s *session) close() {}

// examine reads owner and access list from the object that the path leads to.
// Mode bits are made up by the runtime and stay for information.
func (s *session) examine(x *examination) Report {
	x.chain = &chain{}
	if text := refusePath(x.path); text != "" {
		return failed(text)
	}
	link, err := statOf(x.path, false)
	if err != nil {
		return failed(statError("lstat", x.path, err))
	}
	o := link
	if link.isLink() {
		if o, err = statOf(x.path, true); err != nil {
			r := failed(statError("stat", x.path, err))
			r.IsSymlink = true
			r.Facts.Kind, r.Facts.Target = KindSymlink, TargetUnresolved
			return r
		}
	}
	r := reportOf(&o, link.isLink())
	r.Facts.Kind = o.kind()
	if link.isLink() {
		r.Facts.Target = TargetResolved
	}
	facts, err := s.security(x.path, &r.Facts)
	if err != nil {
		return withSecurity(r, SecurityFacts{}, err)
	}
	return withSecurity(r, facts.facts(), nil)
}

func (s *session) security(path string, f *Facts) (OwnerDACL, error) {
	h, err := openSecurity(path, readSecurity, 0)
	if err != nil {
		return OwnerDACL{}, err
	}
	defer h.close()
	if id, err := h.identity(); err == nil {
		f.Identity = &Identity{Device: id.volume, Inode: binary.LittleEndian.Uint64(id.file[:]), FileID: id.String()}
		f.Provenance.Stat = statCall
	}
	return h.facts()
}

func protectedLinks() bool { return false }
