package inspect

// chain is the way to an object: every directory in which a name was looked up,
// those that the path spells and those behind each link.
type chain struct {
	steps    []step
	complete bool   // every directory on the way was examined
	followed bool   // a link was followed on the way
	managed  string // who writes the entries, when a link tells
	real     string // the object's path without links
	last     *object
}

// step is one name that was looked up in one directory.
type step struct {
	path    string // of the directory, without links
	dir     object
	acl     PosixACL
	aclRead bool // acl is known
	entry   object
	// hasEntry says that the name exists and entry is it.
	hasEntry bool
	missing  bool // the name does not exist
	through  bool // only passed on the way back to its parent
	// mount is where dir lies; it is looked at only when a user's access is asked.
	mount *Mount
	// servedBy is who runs the program that serves dir, where one does.
	servedBy *uint32
	// private: the group of dir has no other member than its owner.
	private bool
}

// Ancestor is a directory on the way to an object.
type Ancestor struct {
	Path  string     `json:"path"`
	Mode  Octal      `json:"mode"` // with the sticky bit
	UID   uint32     `json:"uid"`
	GID   uint32     `json:"gid"`
	Class OwnerClass `json:"class"`
	// Reason says how others may replace an entry of it, "" if they may not.
	Reason string `json:"reason,omitempty"`
}

// Exposure is a directory through which someone else may change what a path
// names.
type Exposure struct {
	Path   string `json:"path"`
	Mode   Octal  `json:"mode"` // with the sticky bit
	UID    uint32 `json:"uid"`
	Reason string `json:"reason"`
}

const (
	reasonOwner = "directory is owned by another user"
	reasonWorld = "directory is writable by everybody without the sticky bit"
	reasonGroup = "directory is writable by its group without the sticky bit"
	reasonList  = "an access list lets others write to the directory, which has no sticky bit"
	reasonServe = "another user's program serves the file system"
	reasonName  = "sticky directory, in which others may make the missing entry"
	reasonEntry = "sticky directory, but the entry in it is owned by another user"
)

// Making or removing names takes the write and the search bit.
const worldChange, groupChange uint32 = 0o003, 0o030

// exposed says why others may replace the entry of a step, "" if they may not.
func (s *step) exposed(v *viewer) string {
	world := s.dir.mode&worldChange == worldChange
	group := s.groupMayChange()
	list := s.listMayChange(v)
	shared := world || group || list
	switch {
	case s.servedBy != nil && v.classOf(*s.servedBy) == OwnerOther:
		return reasonServe // whatever owners and modes it makes up
	case v.classOf(s.dir.uid) == OwnerOther:
		return reasonOwner
	case s.dir.mode&bitSticky != 0 && shared:
		if s.missing {
			return reasonName
		}
		if s.hasEntry && v.classOf(s.entry.uid) == OwnerOther {
			return reasonEntry
		}
	case world:
		return reasonWorld
	case group:
		return reasonGroup
	case list:
		return reasonList
	}
	return ""
}

// groupMayChange: with an access list the group bits are its mask, and the group
// has an entry of its own.
func (s *step) groupMayChange() bool {
	if s.dir.mode&groupChange != groupChange || s.private {
		return false
	}
	if !s.aclRead || !s.acl.extended() {
		return true // also where a list could not be read: the bits are the most that it gives
	}
	for i := range s.acl {
		if s.acl[i].Tag == ACLGroupOwner {
			return s.acl[i].Effective.mayChange()
		}
	}
	return true
}

func (s *step) listMayChange(v *viewer) bool {
	for i := range s.acl {
		e := &s.acl[i]
		switch {
		case !e.named() || !e.Effective.mayChange():
		case e.Tag == ACLUser && v.classOf(*e.ID) != OwnerOther:
		default:
			return true
		}
	}
	return false
}

func (p Perms) mayChange() bool { return p&(PermWrite|PermExec) == PermWrite|PermExec }

// ways fills in the directories on the way, each once.
func (f *Facts) ways(c *chain, v *viewer) {
	if len(c.steps) == 0 && !c.complete {
		return
	}
	f.Provenance.Ancestors = walkCalls
	f.Managed = c.managed
	f.Ancestors = make([]Ancestor, 0, len(c.steps))
	for i := range c.steps {
		f.addStep(&c.steps[i], v)
	}
	if len(f.ReplaceableAt) > 0 {
		f.ReplaceableByOthers = &yes
	} else if c.complete {
		f.ReplaceableByOthers = &no
	}
}

func (f *Facts) addStep(s *step, v *viewer) {
	why := ""
	if !s.through {
		why = s.exposed(v)
	}
	mode := Octal(s.dir.mode & (permissionMask | bitSticky))
	for i := range f.Ancestors {
		a := &f.Ancestors[i]
		if a.Path != s.path {
			continue
		}
		if a.Reason == "" && why != "" {
			a.Reason = why
			f.ReplaceableAt = append(f.ReplaceableAt, Exposure{s.path, mode, s.dir.uid, why})
		}
		return
	}
	f.Ancestors = append(f.Ancestors, Ancestor{s.path, mode, s.dir.uid, s.dir.gid, v.classOf(s.dir.uid), why})
	if why != "" {
		f.ReplaceableAt = append(f.ReplaceableAt, Exposure{s.path, mode, s.dir.uid, why})
	}
}
