package inspect

import (
	"strconv"
	"time"
)

// Kind is the type of a file system object.
type Kind string

const (
	KindFile        Kind = "file"
	KindDirectory   Kind = "directory"
	KindSymlink     Kind = "symlink"
	KindFIFO        Kind = "fifo"
	KindSocket      Kind = "socket"
	KindCharDevice  Kind = "char-device"
	KindBlockDevice Kind = "block-device"
	KindUnknown     Kind = "unknown"
)

// Target says whether what a link points to could be examined.
type Target string

const (
	TargetResolved   Target = "resolved"
	TargetUnresolved Target = "unresolved"
)

// OwnerClass compares an owner with the process that inspects.
type OwnerClass string

const (
	OwnerSelf    OwnerClass = "self"
	OwnerRoot    OwnerClass = "root"
	OwnerTrusted OwnerClass = "trusted" // in Options.TrustedUIDs
	OwnerOther   OwnerClass = "other"
)

// Owner is the numeric owner. Root that inspects its own file is self.
type Owner struct {
	UID   uint32     `json:"uid"`
	GID   uint32     `json:"gid"`
	Class OwnerClass `json:"class"`
}

// Group is the owning group. Self means that the inspecting process is in it.
type Group struct {
	GID   uint32     `json:"gid"`
	Class OwnerClass `json:"class"`
	// Private says that nobody but the object's owner is in the group. It is only
	// looked up where the group may do something, and nil where the members are
	// not known for certain.
	Private *bool `json:"private"`
}

// Identity tells two objects apart that bear one name after each other. The
// numbers travel as text since they exceed what JSON readers keep exactly.
type Identity struct {
	Device uint64 `json:"device,string"`
	Inode  uint64 `json:"inode,string"`
	// MountID is the mount through which the object was reached. Linux 6.8 and
	// later never give one twice while the system runs.
	MountID string `json:"mount_id,omitempty"`
	// BirthTime is when the object was made, RFC 3339 with nanoseconds in UTC.
	BirthTime time.Time `json:"birth_time,omitzero"`
	// FileID is the whole identity on Windows: the 64-bit volume serial and the
	// 128-bit file number in hexadecimal.
	FileID string `json:"file_id,omitempty"`
}

// Octal is a mode that is written in base 8.
type Octal uint32

// String writes at least three octal digits.
func (o Octal) String() string {
	bits := uint32(o)
	return FormatOctal(&bits)
}

// MarshalText writes the mode as [Octal.String] does.
func (o Octal) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Facts are what the mode bits hide. A nil field is not known. They are about
// the target of a link when it could be examined, else about the link.
type Facts struct {
	Kind   Kind   `json:"kind,omitempty"`
	Owner  *Owner `json:"owner"`
	Group  *Group `json:"group"`
	Setuid *bool  `json:"setuid"`
	Setgid *bool  `json:"setgid"`
	Sticky *bool  `json:"sticky"`
	// Capabilities are those of the file; nil also for what is no regular file.
	Capabilities *Capabilities `json:"capabilities"`
	Links        *uint64       `json:"links"`
	Identity     *Identity     `json:"identity"`
	// Target, Link and Resolved are set for links only: the owner of the link
	// itself, and the path of the target without any link in it.
	Target   Target `json:"target,omitempty"`
	Link     *Owner `json:"link,omitempty"`
	Resolved string `json:"resolved,omitempty"`
	// ExtendedACL says that an access list stands beside the mode bits: the
	// group bits are then the list's mask.
	ExtendedACL *bool `json:"extended_acl"`
	// ACL is the access list, empty when there is none. DefaultACL is what a
	// directory gives to what is made in it.
	ACL        PosixACL `json:"acl"`
	DefaultACL PosixACL `json:"default_acl,omitempty"`
	// Immutable and AppendOnly are the attributes of chattr.
	Immutable  *bool `json:"immutable"`
	AppendOnly *bool `json:"append_only"`
	// ReadOnly says that the file system takes no changes through this mount.
	ReadOnly *bool  `json:"read_only"`
	Mount    *Mount `json:"mount"`
	// Managed names the manager that writes this path again and again, such as
	// kubernetes for a projected volume: a change to it would not last.
	Managed string `json:"managed,omitempty"`
	// Ancestors are the directories in which a name was looked up on the way.
	Ancestors []Ancestor `json:"ancestors"`
	// ReplaceableByOthers says that someone who is neither root, the inspecting
	// user nor trusted may make the path name another object, through one of the
	// directories in ReplaceableAt. A closed directory further up does not close
	// the ones below.
	ReplaceableByOthers *bool      `json:"replaceable_by_others"`
	ReplaceableAt       []Exposure `json:"replaceable_at"`
	// Provenance says for each group of facts which source it is from.
	Provenance Provenance `json:"provenance"`
}

// Provenance names the source of facts: a system call, or "unknown" where the
// system cannot say.
type Provenance struct {
	Stat         string `json:"stat"` // kind, owner, modes, links, identity
	Attributes   string `json:"attributes"`
	ACL          string `json:"acl"`
	Capabilities string `json:"capabilities"`
	Mount        string `json:"mount"`
	Members      string `json:"members"`
	Ancestors    string `json:"ancestors"`
}

const fromUnknown = "unknown"

var unknownProvenance = Provenance{
	fromUnknown, fromUnknown, fromUnknown, fromUnknown, fromUnknown, fromUnknown, fromUnknown,
}

const (
	typeMask  uint32 = 0o170000
	typeFile  uint32 = 0o100000
	typeDir   uint32 = 0o040000
	typeLink  uint32 = 0o120000
	bitSetuid uint32 = 0o4000
	bitSetgid uint32 = 0o2000
	bitSticky uint32 = 0o1000
)

var kinds = map[uint32]Kind{
	typeFile: KindFile,
	typeDir:  KindDirectory,
	typeLink: KindSymlink,
	0o010000: KindFIFO,
	0o140000: KindSocket,
	0o020000: KindCharDevice,
	0o060000: KindBlockDevice,
}

var noCapabilities = Capabilities{Permitted: []string{}, Inheritable: []string{}}

// noFacts is what is known of nothing.
func noFacts() Facts {
	return Facts{Ancestors: []Ancestor{}, ReplaceableAt: []Exposure{}, Provenance: unknownProvenance}
}

// describe fills in what one look at the object told.
func (f *Facts) describe(o *object, v *viewer) {
	made := &struct { // one piece of memory for what every report has
		links    uint64
		identity Identity
		owner    Owner
		group    Group
	}{links: o.links, identity: o.identity()}
	f.Kind = o.kind()
	f.Links, f.Identity = &made.links, &made.identity
	f.Provenance.Stat = statCall
	f.Immutable, f.AppendOnly = o.immutable, o.appendOnly
	if o.immutable != nil || o.appendOnly != nil {
		f.Provenance.Attributes = statCall
	}
	if !o.hasOwner {
		return
	}
	made.owner = Owner{UID: o.uid, GID: o.gid, Class: v.classOf(o.uid)}
	made.group = Group{GID: o.gid, Class: v.classOfGroup(o.gid)}
	f.Owner, f.Group = &made.owner, &made.group
	f.Setuid = boolFact(o.mode&bitSetuid != 0)
	f.Setgid = boolFact(o.mode&bitSetgid != 0)
	f.Sticky = boolFact(o.mode&bitSticky != 0)
}

func (o *object) owner(v *viewer) *Owner {
	return &Owner{UID: o.uid, GID: o.gid, Class: v.classOf(o.uid)}
}

func (o *object) identity() Identity {
	id := Identity{Device: o.device, Inode: o.inode, FileID: o.fileID}
	if o.hasMountID {
		id.MountID = strconv.FormatUint(o.mountID, 10)
	}
	if o.hasBirth {
		id.BirthTime = time.Unix(o.birthSec, int64(o.birthNsec)).UTC()
	}
	return id
}

func known[T any](v T) *T { return &v }

func is(fact *bool) bool { return fact != nil && *fact }

// UnmarshalText reads what [Octal.MarshalText] wrote.
func (o *Octal) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 8, 32)
	*o = Octal(n)
	return err
}
