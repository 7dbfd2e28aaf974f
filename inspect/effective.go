package inspect

import (
	"slices"
	"strings"
)

// Subject is the user whose access is asked for: the effective user and all of
// its groups, the primary one included.
type Subject struct {
	UID  uint32   `json:"uid"`
	GIDs []uint32 `json:"gids"`
}

func (s *Subject) inGroup(gid uint32) bool { return slices.Contains(s.GIDs, gid) }

// EffectiveAccess says what a user may do with a path, computed from modes,
// access lists, attributes, the mount and every directory on the way. Nil is not
// known.
//
// Not considered: capabilities of a process other than those of root, security
// modules, ID-mapped mounts, user namespaces, and other mounts and names of the
// same directories. Where a server or a program decides, as on network file
// systems and most of FUSE, the answer is not known.
type EffectiveAccess struct {
	UID  uint32   `json:"uid"`
	GIDs []uint32 `json:"gids"`
	// Read is reading the file or listing the directory, Write changing the
	// content of the file or the entries of the directory, if only by appending.
	// For a socket both mean connecting.
	Read  *bool `json:"read"`
	Write *bool `json:"write"`
	// Replace is making the path name another object, here or further up.
	Replace *bool `json:"replace"`
	// Traverse is coming to the object and, when it is a directory, through it.
	Traverse *bool `json:"traverse"`
	// OwnsIt: as the owner the user may also change the mode, and so give itself
	// what is refused above.
	OwnsIt bool `json:"owns_it"`
	// Why names what decided, one line each.
	Why []string `json:"why"`
}

// effective computes the access of who to the object at the end of c.
func effective(who Subject, f *Facts, o *object, c *chain) *EffectiveAccess {
	e := &EffectiveAccess{UID: who.UID, GIDs: who.GIDs, Why: []string{}, OwnsIt: o.hasOwner && o.uid == who.UID}
	if e.GIDs == nil {
		e.GIDs = []uint32{}
	}
	way := e.way(&who, c)
	grant := grantOf(&who, o, f.ACL, f.Provenance.ACL != fromUnknown)
	own := func(want Perms) *bool { return f.Mount.answer(&who, grant(want)) }
	e.Read = and(and(way, own(readWants[o.kind()])), f.opens(o))
	want := PermWrite
	if o.isDir() {
		want |= PermExec // entries are changed by their names
	}
	e.Write = and(and(and(way, own(want)), f.opens(o)), boolFact(!f.frozen(o)))
	e.Traverse = way
	if o.isDir() {
		e.Traverse = and(way, own(PermExec))
	}
	e.Replace = e.replace(&who, c)
	e.explain(&who, f)
	return e
}

// readWants is what reading takes. What a socket says is read by whoever may
// connect to it.
var readWants = map[Kind]Perms{
	KindFile: PermRead, KindDirectory: PermRead, KindFIFO: PermRead, KindCharDevice: PermRead, KindBlockDevice: PermRead,
	KindSocket: PermWrite, KindUnknown: PermRead | PermWrite,
}

// opens says whether the object can be opened at all: devices not on every mount.
func (f *Facts) opens(o *object) *bool {
	kind := o.kind()
	if kind != KindCharDevice && kind != KindBlockDevice || f.Mount == nil {
		return &yes
	}
	return not(f.Mount.NoDev)
}

// frozen says that the content cannot change. What is written to a device, a FIFO
// or a socket does not go to the file system. A file system that does not tell of
// an attribute rarely has it.
func (f *Facts) frozen(o *object) bool {
	stored := o.isDir() || o.kind() == KindFile
	return is(f.Immutable) || stored && is(f.ReadOnly)
}

// way says whether every directory and link on the way lets the user through.
func (e *EffectiveAccess) way(who *Subject, c *chain) *bool {
	all := &yes
	if !c.complete {
		all = nil
	}
	for i := range c.steps {
		s := &c.steps[i]
		through := s.searches(who)
		if isKnown(through, false) {
			e.Why = append(e.Why, "may not search "+showName(s.path))
		}
		if !s.follows(who) && protectedLinks() {
			through = &no
			e.Why = append(e.Why, "may not follow a link of another user in the sticky directory "+showName(s.path))
		}
		all = and(all, through)
	}
	return all
}

// searches: may the user look up names in the directory of the step.
func (s *step) searches(who *Subject) *bool { return s.grant(who, PermExec) }

// follows applies the kernel's guard of links in shared directories, which binds
// root too: in a sticky directory that everybody may write to, a link is followed
// for its owner and when it is the directory's owner who made it.
func (s *step) follows(who *Subject) bool {
	const shared = bitSticky | bitWorldWrite
	if !s.hasEntry || !s.entry.isLink() || s.dir.mode&shared != shared {
		return true
	}
	return who.UID == s.entry.uid || s.dir.uid == s.entry.uid
}

// replace says whether the user may give one of the names on the way to another
// object. It need not come to that name by the way that the path takes: what
// counts is the way to the directory that holds it.
func (e *EffectiveAccess) replace(who *Subject, c *chain) *bool {
	any := &no
	if !c.complete {
		any = nil
	}
	for i := range c.steps {
		s := &c.steps[i]
		if s.through {
			continue
		}
		may := and(c.reaches(who, i), s.mayReplace(who))
		if is(may) {
			e.Why = append(e.Why, "may replace "+entryName(s)+" in "+showName(s.path))
		}
		any = or(any, may)
	}
	return any
}

// reaches says whether the directories above the one of a step let the user
// through to it. The walk has passed them all, since it knows paths without links.
func (c *chain) reaches(who *Subject, at int) *bool {
	all := &yes
	for i := range at {
		if above(c.steps[i].path, c.steps[at].path) {
			all = and(all, c.steps[i].searches(who))
		}
	}
	return all
}

func above(dir, path string) bool {
	return dir != path && (dir == "/" || strings.HasPrefix(path, dir+"/"))
}

func entryName(s *step) string {
	if s.missing {
		return "the missing entry"
	}
	return "an entry"
}

// mayReplace applies the rule of the sticky bit: there only the owner of the
// entry or of the directory may rename or remove it.
func (s *step) mayReplace(who *Subject) *bool {
	may := s.grant(who, PermWrite|PermExec)
	if s.hasEntry && s.entry.mountRoot {
		return &no // the kernel keeps the name busy
	}
	if s.mount != nil && is(s.mount.ReadOnly) || is(s.dir.immutable) {
		return &no
	}
	if s.hasEntry && (is(s.dir.appendOnly) || is(s.entry.immutable) || is(s.entry.appendOnly)) {
		return &no
	}
	if s.dir.mode&bitSticky == 0 || s.missing || who.UID == 0 || who.UID == s.dir.uid {
		return may
	}
	if !s.hasEntry {
		return and(may, nil)
	}
	return and(may, boolFact(s.entry.uid == who.UID))
}

func (s *step) grant(who *Subject, want Perms) *bool {
	return s.mount.answer(who, grantOf(who, &s.dir, s.acl, s.aclRead)(want))
}

// grantOf answers from mode and list what the kernel would answer.
func grantOf(who *Subject, o *object, acl PosixACL, aclKnown bool) func(Perms) *bool {
	return func(want Perms) *bool {
		switch {
		case !o.hasOwner:
			return nil
		case who.UID == 0:
			// Root may run a file only if somebody may.
			return boolFact(want&PermExec == 0 || o.isDir() || o.mode&0o111 != 0)
		case who.UID == o.uid:
			return boolFact(Perms(o.mode>>6)&want == want)
		case acl.extended() && o.mode&0o070 != 0:
			// With an empty mask the kernel does not look at the list at all:
			// whom it names is then one of the others.
			return boolFact(acl.grants(who, o.uid, o.gid, want))
		case !aclKnown && o.mode&0o070 != 0:
			return nil // a list that could not be read may say otherwise
		case who.inGroup(o.gid):
			return boolFact(Perms(o.mode>>3)&7&want == want)
		}
		return boolFact(Perms(o.mode)&7&want == want)
	}
}

func (e *EffectiveAccess) explain(who *Subject, f *Facts) {
	for _, row := range []struct {
		when bool
		text string
	}{
		{who.UID == 0, "user 0 passes every check of modes and access lists"},
		{is(f.ReadOnly), "the file system is mounted read-only"},
		{is(f.Immutable), "the object is immutable"},
		{is(f.AppendOnly), "the object can only be appended to"},
		{f.Mount != nil && f.Mount.decides == bySomeoneElse, "not the modes decide here, but a server, a program or the kernel's own rules"},
		{f.Mount != nil && f.Mount.only != nil && *f.Mount.only != who.UID, "the mount is for the user alone who made it"},
		{f.ACL.extended() && f.Owner != nil && f.Owner.UID != who.UID, "an access list decides beside the mode bits"},
	} {
		if row.when {
			e.Why = append(e.Why, row.text)
		}
	}
}
