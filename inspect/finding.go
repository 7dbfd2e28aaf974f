package inspect

import (
	"slices"
	"strconv"
	"strings"
)

// Severity says how much a finding matters.
type Severity string

const (
	SeverityInfo     Severity = "info"
	SeverityWarning  Severity = "warning"
	SeverityCritical Severity = "critical"
)

// Finding is one thing that a person should know about a path. The codes are
// stable, the details are for people and hold no hidden characters.
type Finding struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Detail   string   `json:"detail"`
}

// Codes of findings.
const (
	FindWorldWrite  = "world_writable"
	FindWorldRead   = "world_readable"
	FindGroupWrite  = "group_writable"
	FindGroupRead   = "group_readable"
	FindACL         = "acl_grants_access"
	FindACLMasked   = "acl_masked"
	FindDefaultACL  = "default_acl"
	FindOwner       = "owned_by_other"
	FindOwnerMapped = "owner_not_verifiable"
	FindServed      = "served_by_other"
	FindReplaceable = "replaceable_by_others"
	FindHardLinks   = "hard_links"
	FindSetID       = "set_id"
	FindCapability  = "file_capabilities"
	FindSharedDir   = "shared_directory"
	FindSynthetic   = "synthetic_modes"
	FindManaged     = "managed"
	FindReadOnly    = "read_only"
	FindImmutable   = "immutable"
	FindChanged     = "changed_while_inspected"
	FindNoFix       = "no_safe_fix"
)

// examination is what findings and suggestions are made of.
type examination struct {
	path   string
	opts   *Options
	view   viewer
	report *Report
	object *object
	chain  *chain
	excess uint32 // permission bits beyond the required mode
	mode   uint32 // the required mode
	evidence
}

func (x *examination) add(code string, severity Severity, detail string) {
	x.report.Findings = append(x.report.Findings, Finding{code, severity, detail})
}

// findings is the list of everything worth telling, the worst first.
func (x *examination) findings() {
	for _, look := range []func(){
		x.findBits, x.findACL, x.findDefaultACL, x.findOwner, x.findReplaceable, x.findMarks, x.findMount,
	} {
		look()
	}
	slices.SortStableFunc(x.report.Findings, func(a, b Finding) int { return severityRank[a.Severity] - severityRank[b.Severity] })
}

var severityRank = map[Severity]int{SeverityCritical: 0, SeverityWarning: 1, SeverityInfo: 2}

func (x *examination) findBits() {
	f := &x.report.Facts
	if x.report.IsDir && is(f.Sticky) && x.object.mode&bitWorldWrite != 0 {
		x.add(FindSharedDir, SeverityInfo, "shared on purpose: everybody may make entries, the sticky bit keeps them from each other")
		return
	}
	group, why := SeverityWarning, ""
	if f.Group != nil && is(f.Group.Private) {
		group, why = SeverityInfo, ": the group has no other member than the owner"
	}
	if is(f.ExtendedACL) {
		group = "" // the bits are the mask, see findACL
	}
	for _, row := range []struct {
		bit      uint32
		code     string
		severity Severity
		detail   string
	}{
		{bitWorldWrite, FindWorldWrite, SeverityCritical, "everybody may write"},
		{bitWorldRead, FindWorldRead, SeverityWarning, "everybody may read"},
		{bitGroupWrite, FindGroupWrite, group, "its group may write" + why},
		{bitGroupRead, FindGroupRead, group, "its group may read" + why},
	} {
		if x.excess&row.bit != 0 && row.severity != "" {
			x.add(row.code, row.severity, row.detail)
		}
	}
}

func (x *examination) findACL() {
	f := &x.report.Facts
	if !f.ACL.extended() {
		return
	}
	if who := f.ACL.holders(PermWrite, x.object); len(who) > 0 && x.mode&bitGroupWrite == 0 {
		x.add(FindACL, SeverityWarning, "extended ACL present, effective writers: "+strings.Join(who, ", "))
	}
	if who := f.ACL.holders(PermRead, x.object); len(who) > 0 && x.mode&bitGroupRead == 0 {
		x.add(FindACL, SeverityWarning, "extended ACL present, effective readers: "+strings.Join(who, ", "))
	}
	if f.ACL.dormant() {
		x.add(FindACLMasked, SeverityInfo, "named entries of the access list are masked: one chmod g+r or g+w opens them")
	}
}

func (x *examination) findDefaultACL() {
	f := &x.report.Facts
	for i := range f.DefaultACL {
		if f.DefaultACL[i].named() {
			x.add(FindDefaultACL, SeverityInfo, "the default access list gives named users or groups access to what is made inside")
			return
		}
	}
}

// holders names everybody beside the owner and the world who has a permission.
func (a PosixACL) holders(want Perms, o *object) []string {
	var who []string
	for i := range a {
		e := &a[i]
		if e.Effective&want == 0 {
			continue
		}
		switch e.Tag {
		case ACLUser:
			who = append(who, "user "+number(*e.ID))
		case ACLGroup:
			who = append(who, "group "+number(*e.ID))
		case ACLGroupOwner:
			who = append(who, "owning group "+number(o.gid))
		}
	}
	return who
}

func number(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

func (x *examination) findOwner() {
	f := &x.report.Facts
	if f.Owner == nil || f.Owner.Class != OwnerOther {
		return
	}
	switch {
	case f.Mount != nil && is(f.Mount.Network):
		x.add(FindOwnerMapped, SeverityInfo, "owned by user "+number(f.Owner.UID)+" on a network file system, which may map owners")
	case f.Mount != nil && is(f.Mount.Bind):
		x.add(FindOwner, SeverityWarning, "owned by user "+number(f.Owner.UID)+" on a bind mount: the owner is that of the other side, and is not for this side to change")
	default:
		x.add(FindOwner, SeverityWarning, "owned by user "+number(f.Owner.UID)+", who may change it at any time")
	}
}

func (x *examination) findReplaceable() {
	at := x.report.Facts.ReplaceableAt
	if len(at) == 0 {
		return
	}
	severity := SeverityWarning
	if at[0].Reason == reasonWorld {
		severity = SeverityCritical
	}
	x.add(FindReplaceable, severity, "others may put something else in its place through "+showName(at[0].Path)+": "+at[0].Reason)
}

func (x *examination) findMarks() {
	f := &x.report.Facts
	if f.Links != nil && *f.Links > 1 && f.Kind == KindFile {
		x.add(FindHardLinks, SeverityInfo, "has "+strconv.FormatUint(*f.Links, 10)+" names: a change through another one changes it here too")
	}
	if f.Kind == KindFile && (is(f.Setuid) || is(f.Setgid)) {
		x.add(FindSetID, SeverityWarning, "runs with the rights of its owner or group (setuid, setgid)")
	}
	if f.Capabilities != nil && !f.Capabilities.none() {
		x.add(FindCapability, SeverityWarning, "gives capabilities to whoever runs it: "+strings.Join(append(slices.Clone(f.Capabilities.Permitted), f.Capabilities.Inheritable...), ", "))
	}
	if is(f.Immutable) {
		x.add(FindImmutable, SeverityInfo, "immutable: not even root changes it before chattr -i")
	}
}

func (x *examination) findMount() {
	f := &x.report.Facts
	if f.Managed == "kubernetes" {
		x.add(FindManaged, SeverityInfo, "a projected volume, written by the kubelet: set defaultMode or fsGroup in the pod")
	}
	if f.Mount == nil {
		return
	}
	if by := f.Mount.ServedBy; by != nil && x.view.classOf(*by) == OwnerOther {
		x.add(FindServed, SeverityWarning, "a program of user "+number(*by)+" serves this file system: it reads, writes and replaces what it likes, and makes up owners and modes")
	}
	if is(f.Mount.SyntheticModes) {
		x.add(FindSynthetic, SeverityWarning, syntheticAdvice(f.Mount.Type))
	}
	if is(f.Mount.ReadOnly) {
		x.add(FindReadOnly, SeverityInfo, "the file system is mounted read-only")
	}
}

func syntheticAdvice(kind string) string {
	text := "unverified: the modes of a " + showName(kind) + " mount are made up by its options, chmod changes nothing; "
	switch kind {
	case "9p", "drvfs":
		return text + "enable metadata in /etc/wsl.conf or move the file"
	case "vfat", "msdos", "exfat", "ntfs":
		return text + "set umask, uid and gid when mounting, or move the file"
	case "cifs", "smb3", "smbfs":
		return text + "set file_mode and dir_mode when mounting, or move the file"
	}
	return text + "move the file to a file system that keeps modes"
}
