package inspect

import "strings"

// SecurityFacts are the owner and the access list of a Windows object, as a
// query or a descriptor gave them. Get them from [ParseFacts] or
// [Descriptor.SecurityFacts]; the zero value is incomplete and trusts nobody.
type SecurityFacts struct {
	OwnerSID       string // normalised
	CurrentUserSID string // normalised
	// DACLPresent false is a null list, which lets everybody do everything. An
	// empty list lets nobody in.
	DACLPresent bool
	ACEs        []ACE
	// Complete says that every entry of the list is in ACEs.
	Complete bool
	// Remote says that the object is not on a local volume: then the SIDs are
	// another machine's word.
	Remote bool
	// CurrentUserName is as the system writes it (CORP\name), "" when not known. It
	// is compared with the names of entries for a note, and gives no trust.
	CurrentUserName string
	// ContainerSID is the AppContainer in which the process runs, "" for none. It
	// is trusted like the user, whoever owns the object.
	ContainerSID string
}

// ACE is one entry of an access list.
type ACE struct {
	SID         string
	Mask        uint32
	Deny        bool
	InheritOnly bool
	Name        string // as the system writes it; often ""
}

// fullControl is FILE_ALL_ACCESS, what a null list amounts to.
const fullControl uint32 = 0x1f01ff

// maskRights names the bits of an access mask, in the order of the summary.
// Reading the access list itself counts as reading.
var maskRights = []struct {
	bit    uint32
	name   string
	access access
}{
	{0x10000000, "GA", readAccess | writeAccess},
	{0x80000000, "GR", readAccess},
	{0x40000000, "GW", writeAccess},
	{0x20000000, "GE", noAccess},
	{0x00010000, "D", writeAccess},
	{0x00020000, "RC", readAccess},
	{0x00040000, "WDAC", writeAccess},
	{0x00080000, "WO", writeAccess},
	{0x00100000, "S", noAccess},
	{0x00000001, "RD", readAccess},
	{0x00000002, "WD", writeAccess},
	{0x00000004, "AD", writeAccess},
	{0x00000008, "REA", readAccess},
	{0x00000010, "WEA", writeAccess},
	{0x00000020, "X", noAccess},
	{0x00000040, "DC", writeAccess},
	{0x00000080, "RA", readAccess},
	{0x00000100, "WA", writeAccess},
}

func entryOf(a ACE) Entry {
	e := Entry{Principal: a.SID, SID: a.SID, Rights: []string{}}
	for _, right := range maskRights {
		if a.Mask&right.bit == 0 {
			continue
		}
		e.Rights = append(e.Rights, right.name)
		e.CanRead = e.CanRead || right.access&readAccess != 0
		e.CanWrite = e.CanWrite || right.access&writeAccess != 0
	}
	if a.Mask == fullControl {
		e.Rights = []string{"F"}
	}
	e.RawRights = "(" + strings.Join(e.Rights, ",") + ")"
	return e
}

// Classification is what an owner and an access list mean for the object.
type Classification struct {
	Summary
	Source        Source `json:"source"`
	WorldWritable bool   `json:"world_writable"`
	GroupWritable bool   `json:"group_writable"`
	WorldReadable bool   `json:"world_readable"`
	GroupReadable bool   `json:"group_readable"`
	OwnerSID      string `json:"owner_sid,omitempty"`
	OwnerTrusted  *bool  `json:"owner_trusted,omitempty"`
	OwnerError    string `json:"owner_error,omitempty"`
	ACLSummary    string `json:"acl_summary"`
	// Notes are findings that are no access to the object itself.
	Notes []string `json:"notes,omitempty"`
}

// ClassifyOptions tune [Classify].
type ClassifyOptions struct {
	// CurrentUserSID replaces the user of the facts for the sorting of entries,
	// not for the trust in the owner. Text that names nobody trusts nobody.
	CurrentUserSID string
	// PrincipalTranslationFailed says that the caller could not map names to
	// SIDs: nothing is verified then.
	PrincipalTranslationFailed bool
}

const translationFailed = "Error: Windows ACL principal SID translation failed"

// Classify judges facts. A problem of [ParseFacts] is passed on as it is: an
// unreadable owner leaves nothing verified, an unreadable list leaves the owner.
//
// Entries that deny take nothing away, since the order and the overlap of
// entries decide about that; entries for later children are left out; the
// placeholders for a future owner match nobody.
func Classify(f SecurityFacts, problem error, opts ClassifyOptions) Classification {
	c := Classification{Summary: unreadable(), Source: SourceUnknown, ACLSummary: "unknown"}
	if opts.PrincipalTranslationFailed {
		c.Error = translationFailed
		return c
	}
	p := problemOf(problem)
	if p.about == aboutOwner {
		c.OwnerError = p.text
		c.Error = p.text
		return c
	}
	c.OwnerSID = f.OwnerSID
	c.OwnerTrusted = known(ownerTrusted(f))
	if p.about == aboutACL {
		c.Error = p.text
		return c
	}
	if !f.Complete {
		c.Error = incompleteACL.text
		return c
	}
	return c.withGrants(f, opts)
}

func unreadable() Summary {
	return Summary{Entries: []Entry{}, Trusted: []Entry{}, UntrustedWorld: []Entry{}, UntrustedGroup: []Entry{}}
}

func (c Classification) withGrants(f SecurityFacts, opts ClassifyOptions) Classification {
	user := f.CurrentUserSID
	if trim(opts.CurrentUserSID) != "" {
		user = opts.CurrentUserSID
	}
	entries, notes := grants(f, user)
	c.Summary = sorted(entries, func(e Entry) Class { return f.classOf(e.SID, user) })
	c.Notes = notes
	c.Source = SourceWindowsACL
	c.ACLSummary = FormatSummary(c.Summary)
	c.WorldReadable, c.WorldWritable = anyAccess(c.UntrustedWorld)
	c.GroupReadable, c.GroupWritable = anyAccess(c.UntrustedGroup)
	return c
}

// classOf trusts the own container. A container SID is never a set of others.
func (f *SecurityFacts) classOf(sid, user string) Class {
	if isContainerSID(f.ContainerSID) && normalizeSID(sid) == normalizeSID(f.ContainerSID) {
		return ClassTrusted
	}
	return ClassOfSID(sid, user)
}

func anyAccess(entries []Entry) (canRead, canWrite bool) {
	for _, e := range entries {
		canRead = canRead || e.CanRead
		canWrite = canWrite || e.CanWrite
	}
	return canRead, canWrite
}

// Notes of a classification.
const (
	noteNullDACL     = "there is no access list: everybody has full access"
	noteChildren     = "what is created inside will be open to "
	notePlaceholder  = "no-op entry: on an existing object nobody is "
	noteSameName     = "same name, other SID: not the current user but "
	noteRemoteVolume = "the volume is not local: the owner cannot be trusted"
)

// grants returns the entries that give somebody access to the object now.
func grants(f SecurityFacts, user string) (entries []Entry, notes []string) {
	entries = []Entry{}
	if f.Remote {
		notes = append(notes, noteRemoteVolume)
	}
	if !f.DACLPresent {
		everyone := entryOf(ACE{SID: sidEveryone, Mask: fullControl})
		return append(entries, everyone), append(notes, noteNullDACL)
	}
	for _, a := range f.ACEs {
		a.SID = normalizeSID(a.SID)
		switch {
		case a.Deny:
		case a.InheritOnly:
			if a.Mask != 0 && ClassOfSID(a.SID, user) == ClassWorld {
				notes = append(notes, noteChildren+a.SID)
			}
		case isPlaceholder(a.SID):
			notes = append(notes, notePlaceholder+a.SID)
		default:
			entries = append(entries, entryOf(a))
			if f.hasUsersName(a.Name) && f.classOf(a.SID, user) == ClassGroup {
				notes = append(notes, noteSameName+a.SID)
			}
		}
	}
	return entries, notes
}

// hasUsersName compares names as Windows does, without regard to case. After a
// move to another domain a name may stand for another account.
func (f *SecurityFacts) hasUsersName(name string) bool {
	own := lower(trim(f.CurrentUserName))
	return own != "" && lower(trim(name)) == own
}

// ownerTrusted is stricter than the trust in entries: an owner can rewrite the
// list, so only the user, the system and the administrators will do, and only
// on a volume whose SIDs are this machine's.
func ownerTrusted(f SecurityFacts) bool {
	if f.Remote {
		return false
	}
	owner := normalizeSID(f.OwnerSID)
	return owner == sidSystem || owner == sidAdmins || owner != "" && owner == normalizeSID(f.CurrentUserSID)
}

// withSecurity puts a classification into the report of an object that exists.
// Mode bits stay for information and give no flags.
func withSecurity(r Report, f SecurityFacts, problem error) Report {
	c := Classify(f, problem, ClassifyOptions{})
	r.Source = c.Source
	r.WorldWritable, r.GroupWritable = c.WorldWritable, c.GroupWritable
	r.WorldReadable, r.GroupReadable = c.WorldReadable, c.GroupReadable
	r.OwnerSID, r.OwnerTrusted, r.OwnerError = c.OwnerSID, c.OwnerTrusted, c.OwnerError
	r.Error = c.Error
	if r.OwnerError != "" {
		r.Error = "Windows owner inspection failed: " + r.OwnerError
	}
	if c.Source == SourceWindowsACL {
		r.ACLSummary = &c.ACLSummary
	}
	return r
}
