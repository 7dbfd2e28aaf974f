package inspect

import "slices"

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
// modules, ID-mapped mounts, user namespaces, and what the server of a network
// file system thinks.
type EffectiveAccess struct {
	UID  uint32   `json:"uid"`
	GIDs []uint32 `json:"gids"`
	// Read is reading the file or listing the directory, Write changing the
	// content of the file or the entries of the directory, if only by appending.
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
	own := grantOf(&who, o, f.ACL, f.Provenance.ACL != fromUnknown)
	// A file system that does not tell of an attribute rarely has it.
	frozen := is(f.ReadOnly) || is(f.Immutable)
	e.Read = and(way, own(PermRead))
	want := PermWrite
	if o.isDir() {
		want |= PermExec // entries are changed by their names
	}
	e.Write = and(and(way, own(want)), boolFact(!frozen))
	e.Traverse = way
	if o.isDir() {
		e.Traverse = and(way, own(PermExec))
	}
	e.Replace = e.replace(&who, f, c)
	e.explain(&who, f)
	if who.UID == 0 && f.Mount != nil && !isKnown(f.Mount.Network, false) {
		// The server may map root to nobody.
		e.Read, e.Write, e.Replace, e.Traverse = nil, nil, nil, nil
	}
	return e
}

// way says whether every directory on the way lets the user through.
func (e *EffectiveAccess) way(who *Subject, c *chain) *bool {
	all := boolFact(c.complete)
	if !c.complete {
		all = nil
	}
	for i := range c.steps {
		s := &c.steps[i]
		through := s.grant(who)(PermExec)
		if isKnown(through, false) {
			e.Why = append(e.Why, "may not search "+showName(s.path))
		}
		all = and(all, through)
	}
	return all
}

// replace says whether the user may give one of the names on the way to another
// object.
func (e *EffectiveAccess) replace(who *Subject, f *Facts, c *chain) *bool {
	any := boolFact(false)
	if !c.complete {
		any = nil
	}
	way := &yes
	for i := range c.steps {
		s := &c.steps[i]
		if s.through {
			way = and(way, s.grant(who)(PermExec))
			continue
		}
		may := and(way, s.mayReplace(who))
		if i == len(c.steps)-1 {
			may = and(may, boolFact(!is(f.Immutable) && !is(f.AppendOnly) && !is(f.ReadOnly)))
		}
		if is(may) {
			e.Why = append(e.Why, "may replace "+entryName(s)+" in "+showName(s.path))
		}
		any = or(any, may)
		way = and(way, s.grant(who)(PermExec))
	}
	return any
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
	may := s.grant(who)(PermWrite | PermExec)
	if s.hasEntry && s.entry.mountRoot {
		return &no // the kernel keeps the name busy
	}
	if is(s.dir.immutable) || s.hasEntry && (is(s.entry.immutable) || is(s.entry.appendOnly)) {
		return &no
	}
	if s.hasEntry && is(s.dir.appendOnly) {
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

func (s *step) grant(who *Subject) func(Perms) *bool { return grantOf(who, &s.dir, s.acl, s.aclRead) }

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
		{f.ACL.extended() && f.Owner != nil && f.Owner.UID != who.UID, "an access list decides beside the mode bits"},
	} {
		if row.when {
			e.Why = append(e.Why, row.text)
		}
	}
}
