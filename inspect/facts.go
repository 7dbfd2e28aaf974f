package inspect

import "os"

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
	OwnerSelf  OwnerClass = "self"
	OwnerRoot  OwnerClass = "root"
	OwnerOther OwnerClass = "other"
)

// Owner is the numeric owner. Root that inspects its own file is self.
type Owner struct {
	UID   uint32     `json:"uid"`
	GID   uint32     `json:"gid"`
	Class OwnerClass `json:"class"`
}

// Identity tells two objects apart that bear one name after each other. The
// numbers travel as text since they exceed what JSON readers keep exactly.
type Identity struct {
	Device uint64 `json:"device,string"`
	Inode  uint64 `json:"inode,string"`
}

// Facts are what the mode bits hide. A nil field is not known. They are about
// the target of a link when it could be examined, else about the link.
type Facts struct {
	Kind     Kind      `json:"kind,omitempty"`
	Owner    *Owner    `json:"owner"`
	Setuid   *bool     `json:"setuid"`
	Setgid   *bool     `json:"setgid"`
	Sticky   *bool     `json:"sticky"`
	Links    *uint64   `json:"links"`
	Identity *Identity `json:"identity"`
	// Target is set for links only.
	Target Target `json:"target,omitempty"`
	// ExtendedACL says that an access list stands beside the mode bits: the
	// group bits are then the list's mask.
	ExtendedACL *bool `json:"extended_acl"`
	// ReadOnly says that the file system takes no changes.
	ReadOnly *bool `json:"read_only"`
	// ReplaceableByOthers says that someone who is neither root nor the
	// inspecting user may make the path name another object, through one of the
	// directories in ReplaceableAt. Access lists and mounts are not considered,
	// and a closed directory further up does not close the ones below.
	ReplaceableByOthers *bool      `json:"replaceable_by_others"`
	ReplaceableAt       []Exposure `json:"replaceable_at"`
}

const (
	typeMask  uint32 = 0o170000
	bitSetuid uint32 = 0o4000
	bitSetgid uint32 = 0o2000
	bitSticky uint32 = 0o1000
)

var kinds = map[uint32]Kind{
	0o100000: KindFile,
	0o040000: KindDirectory,
	0o120000: KindSymlink,
	0o010000: KindFIFO,
	0o140000: KindSocket,
	0o020000: KindCharDevice,
	0o060000: KindBlockDevice,
}

func kindOf(mode *uint32) Kind {
	if mode == nil {
		return KindUnknown
	}
	if kind, ok := kinds[*mode&typeMask]; ok {
		return kind
	}
	return KindUnknown
}

// factsOf collects what st and the way to path say.
func factsOf(path string, st Stat) Facts {
	f := missingFacts(path)
	f.Kind = kindOf(st.Mode)
	f.Owner = ownerOf(st)
	f.Links = st.links
	f.Identity = st.identity
	f.ExtendedACL = extendedACL(path, f.Kind)
	f.ReadOnly = readOnly(path, f.Kind)
	if f.Owner != nil && st.Mode != nil {
		f.Setuid = known(*st.Mode&bitSetuid != 0)
		f.Setgid = known(*st.Mode&bitSetgid != 0)
		f.Sticky = known(*st.Mode&bitSticky != 0)
	}
	return f
}

// missingFacts is what can be said of a path whose object is not known: where
// someone else could put one.
func missingFacts(path string) Facts {
	f := Facts{ReplaceableAt: []Exposure{}}
	w := walkTo(path)
	if len(w.exposures) > 0 {
		f.ReplaceableByOthers = known(true)
		f.ReplaceableAt = w.exposures
	} else if w.complete {
		f.ReplaceableByOthers = known(false)
	}
	return f
}

func ownerOf(st Stat) *Owner {
	if st.UID == nil || st.GID == nil {
		return nil
	}
	return &Owner{UID: *st.UID, GID: *st.GID, Class: classOf(*st.UID)}
}

func classOf(uid uint32) OwnerClass {
	switch {
	case int64(uid) == int64(os.Geteuid()):
		return OwnerSelf
	case uid == 0:
		return OwnerRoot
	}
	return OwnerOther
}

func known[T any](v T) *T { return &v }
