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
		name: "ssh-private-key", kind: KindFile, owner: ownerUserOrRoot, allowed: 0o7700, remedy: 0o600,
		text: "a regular file of the user or root, without any permission for group and others",
	},
	{
		name: "postgres-key", kind: KindFile, owner: ownerUserOrRoot, allowed: 0o7700, allowedRoot: 0o7740, remedy: 0o600, remedyRoot: 0o640,
		text: "a regular file of the user without any permission for group and others, or one of root that at most its group may read",
	},
	{
		name: "other-only", kind: KindFile, allowed: 0o7771, remedy: 0o640,
		text: "a regular file that others can neither read nor write",
	},
	{
		name: "sudoers", kind: KindFile, owner: ownerRoot, group: &rootGroup, allowed: 0o440,
		text: "a regular file of user and group 0 with no more than mode 0440",
	},
	{
		name: "private-dir", kind: KindDirectory, owner: ownerUserOrRoot, allowed: 0o7700, remedy: 0o700, closed: true,
		text: "a directory of the user or root, without any permission for group and others, which nobody else can replace",
	},
	{
		name: "git-safe-directory", kind: KindDirectory, owner: ownerUser, allowed: 0o7777,
		text: "a directory of the user who runs git",
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

// judge holds a report against the rule, for the user uid.
func (p *profileRule) judge(r *Report, uid uint32) *ProfileResult {
	res := &ProfileResult{Name: p.name, Rule: p.text, Failures: []string{}}
	fail := func(text string) { res.Failures = append(res.Failures, text) }
	f := &r.Facts
	if !r.OK {
		fail("could not be inspected: " + r.Error)
		return res
	}
	if f.Kind != p.kind {
		fail("is of kind " + string(f.Kind) + ", not " + string(p.kind))
	}
	if why := p.owner.refuses(f.Owner, uid); why != "" {
		fail(why)
	}
	if p.group != nil && (f.Group == nil || f.Group.GID != *p.group) {
		fail("is not of group " + number(*p.group))
	}
	if why := p.refusesMode(r); why != "" {
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

func (p *profileRule) refusesMode(r *Report) string {
	if r.Source != SourcePOSIX || r.Mode == nil {
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
