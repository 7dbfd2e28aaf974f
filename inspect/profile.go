package inspect

import (
	"fmt"
	"slices"
	"strings"
)

// Profile names what one consumer demands of a path before it uses it.
type Profile string

// ProfileResult says whether a path satisfies a profile.
type ProfileResult struct {
	Name Profile `json:"name"`
	Pass bool    `json:"pass"`
	Rule string  `json:"rule"`
	// Failures says what is against the rule; what is not known fails too.
	Failures []string `json:"failures"`
	// Notes says what the consumer lets pass although it should not be so.
	Notes []string `json:"notes"`
}

// profileRule is the demand as data. A zero field demands nothing.
type profileRule struct {
	name Profile
	text string
	kind Kind
	// allowed are the permission bits that may be set.
	allowed uint32
	// allowedRoot are those for an object that root owns, if others.
	allowedRoot uint32
	owner       ownerDemand
	group       *uint32
	// ownOnly: the consumer looks at the mode of what the user owns, and takes
	// everything else as it is.
	ownOnly bool
	// reads: the user must be able to read it.
	reads bool
	// repository: what is judged is the repository around the directory.
	repository bool
	// closed: nobody else may replace the path, and no access list gives more.
	closed bool
	// remedy is the mode that a suggestion proposes; 0: the allowed bits.
	// remedyRoot is that for what root owns.
	remedy, remedyRoot uint32
}

type ownerDemand int

const (
	anyOwner ownerDemand = iota
	ownerUser
	ownerUserOrRoot
	ownerRoot
)

var rootGroup uint32

var profiles = []profileRule{
	{
		name: "ssh-private-key", kind: KindFile, allowed: 0o7700, ownOnly: true, reads: true, remedy: 0o600,
		text: "a regular file that the user can read and, when it is the user's own, without any permission for group and others",
	},
	{
		name: "postgres-key", kind: KindFile, owner: ownerUserOrRoot, allowed: 0o7700, allowedRoot: 0o7740, reads: true, remedy: 0o600, remedyRoot: 0o640,
		text: "a regular file that the user can read: its own without any permission for group and others, or one of root that at most its group may read",
	},
	{
		name: "other-only", kind: KindFile, allowed: 0o7771, reads: true, remedy: 0o640,
		text: "a regular file that the user can read, and others can neither read nor write",
	},
	{
		name: "sudoers", kind: KindFile, owner: ownerRoot, group: &rootGroup, allowed: 0o440,
		text: "a regular file of user and group 0 with no more than mode 0440, which visudo -c asks for; sudo itself also takes one that group 0 may write and all may read",
	},
	{
		name: "private-dir", kind: KindDirectory, owner: ownerUserOrRoot, allowed: 0o7700, remedy: 0o700, closed: true,
		text: "a directory of the user or root, without any permission for group and others, which nobody else can replace",
	},
	{
		name: "git-safe-directory", kind: KindDirectory, owner: ownerUser, allowed: 0o7777, repository: true,
		text: "the repository around the directory, with its work tree, its .git and what a .git file names, is the user's; without one, the directory is",
	},
}

// Profiles lists the names of all profiles.
func Profiles() []Profile {
	names := make([]Profile, len(profiles))
	for i := range profiles {
		names[i] = profiles[i].name
	}
	return names
}

// ParseProfile finds a profile by its name.
func ParseProfile(name string) (Profile, error) {
	if names := Profiles(); !slices.Contains(names, Profile(name)) {
		var list []string
		for _, n := range names {
			list = append(list, string(n))
		}
		return "", fmt.Errorf("profile %q is not known: use one of %s", name, strings.Join(list, ", "))
	}
	return Profile(name), nil
}

func (p Profile) rule() *profileRule {
	for i := range profiles {
		if profiles[i].name == p {
			return &profiles[i]
		}
	}
	return nil
}

// required is the mode that the profile asks of an object.
func (p *profileRule) required(f *Facts) uint32 {
	if p.allowedRoot != 0 && f.Owner != nil && f.Owner.UID == 0 {
		return p.remedyRoot
	}
	if p.remedy != 0 {
		return p.remedy
	}
	return p.allowed & permissionMask
}

// evidence is what a rule needs beside the report.
type evidence struct {
	read *bool // the user may read the object
	repo repository
}

// judge holds a report against the rule, for the user uid.
func (p *profileRule) judge(r *Report, uid uint32, more evidence) *ProfileResult {
	res := &ProfileResult{Name: p.name, Rule: p.text, Failures: []string{}, Notes: []string{}}
	fail := func(text string) { res.Failures = append(res.Failures, text) }
	f := &r.Facts
	if !r.OK {
		fail("could not be inspected: " + r.Error)
		return res
	}
	if f.Kind != p.kind {
		fail("is of kind " + string(f.Kind) + ", not " + string(p.kind))
	}
	if p.repository && more.repo.found() {
		for _, why := range more.repo.refuses(uid) {
			fail(why)
		}
	} else if why := p.owner.refuses(f.Owner, uid); why != "" {
		fail(why)
	}
	if p.reads && !is(more.read) {
		fail(cannotRead(more.read, uid))
	}
	if p.group != nil && (f.Group == nil || f.Group.GID != *p.group) {
		fail("is not of group " + number(*p.group))
	}
	why := p.refusesMode(r)
	switch {
	case why == "":
	case p.ownOnly && f.Owner != nil && f.Owner.UID != uid:
		res.Notes = append(res.Notes, why+", which is let pass since the file is not the user's")
	default:
		fail(why)
	}
	if p.closed {
		p.demandClosed(f, fail)
	}
	if f.Mount != nil && is(f.Mount.SyntheticModes) && p.allowed != 0o7777 {
		fail("the modes are made up by the mount: not verified")
	}
	res.Pass = len(res.Failures) == 0
	return res
}

func cannotRead(read *bool, uid uint32) string {
	if read == nil {
		return "whether user " + number(uid) + " can read it is not known"
	}
	return "user " + number(uid) + " cannot read it"
}

func (p *profileRule) refusesMode(r *Report) string {
	if !r.Source.isModes() || r.Mode == nil {
		return "modes are not known here"
	}
	allowed := p.allowed
	if p.allowedRoot != 0 && r.Facts.Owner != nil && r.Facts.Owner.UID == 0 {
		allowed = p.allowedRoot
	}
	if over := *r.Mode & chmodMask &^ allowed; over != 0 {
		return "mode " + Octal(*r.Mode&chmodMask).String() + " has " + Octal(over).String() + " too much"
	}
	return ""
}

func (p *profileRule) demandClosed(f *Facts, fail func(string)) {
	switch {
	case f.ReplaceableByOthers == nil:
		fail("whether others can replace it is not known")
	case *f.ReplaceableByOthers:
		fail("others can replace it through " + showName(f.ReplaceableAt[0].Path))
	}
}

func (d ownerDemand) refuses(o *Owner, uid uint32) string {
	switch {
	case d == anyOwner:
		return ""
	case o == nil:
		return "the owner is not known"
	case d == ownerRoot && o.UID != 0:
		return "is owned by user " + number(o.UID) + ", not by root"
	case d == ownerUser && o.UID != uid, d == ownerUserOrRoot && o.UID != uid && o.UID != 0:
		return "is owned by user " + number(o.UID) + ", not by user " + number(uid)
	}
	return ""
}
