package inspect

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ACLTag says whom an entry of a POSIX access list is about.
type ACLTag string

// The tags of POSIX.1e, under the names that getfacl prints. The first and the
// third have no ID: they are about the owner and the owning group.
const (
	ACLOwner      ACLTag = "owner"
	ACLUser       ACLTag = "user"
	ACLGroupOwner ACLTag = "owning-group"
	ACLGroup      ACLTag = "group"
	ACLMask       ACLTag = "mask"
	ACLOther      ACLTag = "other"
)

// Perms are the bits of one entry: read 4, write 2, execute or search 1.
type Perms uint8

// The bits of [Perms].
const (
	PermRead  Perms = 4
	PermWrite Perms = 2
	PermExec  Perms = 1
)

// String writes the bits as ls does: "rw-".
func (p Perms) String() string {
	text := []byte("---")
	for i, bit := range []Perms{PermRead, PermWrite, PermExec} {
		if p&bit != 0 {
			text[i] = "rwx"[i]
		}
	}
	return string(text)
}

// MarshalText writes the bits as [Perms.String] does.
func (p Perms) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// ACLEntry is one entry of a POSIX access list.
type ACLEntry struct {
	Tag ACLTag `json:"tag"`
	// ID is the user or the group of a named entry.
	ID    *uint32 `json:"id,omitempty"`
	Perms Perms   `json:"perms"`
	// Effective is what the mask leaves of the permissions.
	Effective Perms `json:"effective"`
}

// PosixACL is a POSIX access list in its own order. Nil or empty means that the
// mode bits say everything.
type PosixACL []ACLEntry

const (
	posixACLVersion = 2
	posixACLHeader  = 4
	posixACLEntry   = 8
	// maxXattr is what Linux keeps in one extended attribute.
	maxXattr = 64 << 10
)

var posixTags = map[uint16]ACLTag{
	0x01: ACLOwner, 0x02: ACLUser, 0x04: ACLGroupOwner, 0x08: ACLGroup, 0x10: ACLMask, 0x20: ACLOther,
}

// ParsePosixACL reads the value of the attributes system.posix_acl_access and
// system.posix_acl_default from bytes that may be anything.
func ParsePosixACL(b []byte) (PosixACL, error) {
	switch {
	case len(b) > maxXattr:
		return nil, errors.New("access list: larger than 64 KiB")
	case len(b) < posixACLHeader:
		return nil, errors.New("access list: shorter than its header")
	case binary.LittleEndian.Uint32(b) != posixACLVersion:
		return nil, fmt.Errorf("access list: version %d", binary.LittleEndian.Uint32(b))
	case (len(b)-posixACLHeader)%posixACLEntry != 0:
		return nil, errors.New("access list: an entry is cut off")
	}
	acl := make(PosixACL, 0, (len(b)-posixACLHeader)/posixACLEntry)
	for rest := b[posixACLHeader:]; len(rest) > 0; rest = rest[posixACLEntry:] {
		e, err := readPosixEntry(rest)
		if err != nil {
			return nil, fmt.Errorf("access list: entry %d: %w", len(acl), err)
		}
		acl = append(acl, e)
	}
	if err := acl.check(); err != nil {
		return nil, fmt.Errorf("access list: %w", err)
	}
	acl.applyMask()
	return acl, nil
}

func readPosixEntry(b []byte) (ACLEntry, error) {
	tag, ok := posixTags[binary.LittleEndian.Uint16(b)]
	perms := binary.LittleEndian.Uint16(b[2:])
	switch {
	case !ok:
		return ACLEntry{}, fmt.Errorf("tag %#x", binary.LittleEndian.Uint16(b))
	case perms > 7:
		return ACLEntry{}, fmt.Errorf("permissions %#x", perms)
	}
	e := ACLEntry{Tag: tag, Perms: Perms(perms), Effective: Perms(perms)}
	if e.named() {
		e.ID = known(binary.LittleEndian.Uint32(b[4:]))
	}
	return e, nil
}

func (e *ACLEntry) named() bool { return e.Tag == ACLUser || e.Tag == ACLGroup }

// masked reports the entries that the mask bounds.
func (e *ACLEntry) masked() bool { return e.named() || e.Tag == ACLGroupOwner }

// check demands what a list must have to decide anything: the three base
// entries once each, and a mask where an entry is named.
func (a PosixACL) check() error {
	count := map[ACLTag]int{}
	for i := range a {
		count[a[i].Tag]++
	}
	for _, tag := range []ACLTag{ACLOwner, ACLGroupOwner, ACLOther} {
		if count[tag] != 1 {
			return fmt.Errorf("%d entries for %s", count[tag], tag)
		}
	}
	named := count[ACLUser] + count[ACLGroup]
	if count[ACLMask] > 1 || count[ACLMask] == 0 && named > 0 {
		return fmt.Errorf("%d masks for %d named entries", count[ACLMask], named)
	}
	return nil
}

func (a PosixACL) applyMask() {
	for i := range a {
		if a[i].Tag != ACLMask {
			continue
		}
		for k := range a {
			if a[k].masked() {
				a[k].Effective = a[k].Perms & a[i].Perms
			}
		}
	}
}

// extended reports whether the list says more than the mode bits do.
func (a PosixACL) extended() bool {
	for i := range a {
		if a[i].named() || a[i].Tag == ACLMask {
			return true
		}
	}
	return false
}

// dormant reports named entries of which the mask holds something back.
func (a PosixACL) dormant() bool {
	for i := range a {
		if a[i].named() && a[i].Effective != a[i].Perms {
			return true
		}
	}
	return false
}

// grants reports whether the list lets the user do all of want, by the one entry
// that the kernel would take: permissions of several groups do not add up.
func (a PosixACL) grants(who *Subject, owner, group uint32, want Perms) bool {
	matched := false
	for i := range a {
		e := &a[i]
		switch e.Tag {
		case ACLOwner:
			if who.UID == owner {
				return e.Perms&want == want
			}
		case ACLUser:
			if who.UID != owner && *e.ID == who.UID {
				return e.Effective&want == want
			}
		}
	}
	for i := range a {
		e := &a[i]
		mine := e.Tag == ACLGroupOwner && who.inGroup(group) || e.Tag == ACLGroup && who.inGroup(*e.ID)
		if !mine {
			continue
		}
		matched = true
		if e.Effective&want == want {
			return true
		}
	}
	if matched {
		return false
	}
	for i := range a {
		if a[i].Tag == ACLOther {
			return a[i].Perms&want == want
		}
	}
	return false
}

// named lists whom the list names.
func (a PosixACL) named() []string {
	var who []string
	for i := range a {
		if a[i].named() {
			who = append(who, string(a[i].Tag)+" "+number(*a[i].ID))
		}
	}
	return who
}

// UnmarshalText reads what [Perms.MarshalText] wrote.
func (p *Perms) UnmarshalText(text []byte) error {
	*p = 0
	if len(text) != 3 {
		return errors.New("permissions have three characters")
	}
	for i, bit := range []Perms{PermRead, PermWrite, PermExec} {
		switch text[i] {
		case "rwx"[i]:
			*p |= bit
		case '-':
		default:
			return fmt.Errorf("permissions %q", Bound(string(text)))
		}
	}
	return nil
}
