package inspect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Descriptor is a Windows security descriptor: owner and discretionary access
// list, without any judgement.
type Descriptor struct {
	OwnerSID string `json:"owner_sid"`
	// DACLPresent false is a null list (full access for everybody), not an empty
	// one (access for nobody).
	DACLPresent   bool      `json:"dacl_present"`
	DACLProtected bool      `json:"dacl_protected"` // takes nothing from the parent
	ACEs          []RuleACE `json:"aces"`
	// Complete is false when an entry of the list has another layout than the two
	// basic ones; its type is then in UnsupportedACETypes.
	Complete            bool    `json:"complete"`
	UnsupportedACETypes []uint8 `json:"-"` // listed by OwnerDACL
}

// RuleACE is a basic entry in the order of the list.
type RuleACE struct {
	SID     string   `json:"sid"`
	Mask    uint32   `json:"mask"`
	ACEType string   `json:"ace_type"` // allow or deny
	Flags   ACEFlags `json:"flags"`
}

// ACEFlags are the flags of an entry.
type ACEFlags struct {
	Raw                uint8 `json:"raw"`
	ObjectInherit      bool  `json:"object_inherit"`
	ContainerInherit   bool  `json:"container_inherit"`
	NoPropagateInherit bool  `json:"no_propagate_inherit"`
	InheritOnly        bool  `json:"inherit_only"`
	Inherited          bool  `json:"inherited"`
	SuccessfulAccess   bool  `json:"successful_access"`
	FailedAccess       bool  `json:"failed_access"`
}

func flagsOf(raw uint8) ACEFlags {
	return ACEFlags{
		Raw:                raw,
		ObjectInherit:      raw&0x01 != 0,
		ContainerInherit:   raw&0x02 != 0,
		NoPropagateInherit: raw&0x04 != 0,
		InheritOnly:        raw&0x08 != 0,
		Inherited:          raw&0x10 != 0,
		SuccessfulAccess:   raw&0x40 != 0,
		FailedAccess:       raw&0x80 != 0,
	}
}

const (
	maxDescriptor = 1 << 20

	descriptorHeader = 20
	aclHeader        = 8
	aceHeader        = 4
	maskBytes        = 4
	sidHeader        = 8
	maxSubAuthority  = 15

	controlDACLPresent   uint16 = 0x0004
	controlDACLProtected uint16 = 0x1000
	controlSelfRelative  uint16 = 0x8000

	aceAllow uint8 = 0
	aceDeny  uint8 = 1
)

// ParseDescriptor reads a self-relative security descriptor from bytes that may
// be anything. What is out of place in the structure is an error; an entry of a
// kind that is not understood leaves the result incomplete.
func ParseDescriptor(b []byte) (Descriptor, error) {
	d, err := parseDescriptor(b)
	if err != nil {
		return Descriptor{}, fmt.Errorf("security descriptor: %w", err)
	}
	return d, nil
}

func parseDescriptor(b []byte) (Descriptor, error) {
	switch {
	case len(b) > maxDescriptor:
		return Descriptor{}, errors.New("larger than 1 MiB")
	case len(b) < descriptorHeader:
		return Descriptor{}, errors.New("shorter than its header")
	case b[0] != 1:
		return Descriptor{}, fmt.Errorf("revision %d", b[0])
	}
	control := binary.LittleEndian.Uint16(b[2:])
	if control&controlSelfRelative == 0 {
		return Descriptor{}, errors.New("not self-relative")
	}
	d := Descriptor{Complete: true, ACEs: []RuleACE{}, DACLProtected: control&controlDACLProtected != 0}
	owner, err := section(b, binary.LittleEndian.Uint32(b[4:]))
	if err != nil {
		return Descriptor{}, fmt.Errorf("owner: %w", err)
	}
	if d.OwnerSID, _, err = parseSID(owner); err != nil {
		return Descriptor{}, fmt.Errorf("owner: %w", err)
	}
	at := binary.LittleEndian.Uint32(b[16:])
	if control&controlDACLPresent == 0 || at == 0 {
		return d, nil
	}
	list, err := section(b, at)
	if err != nil {
		return Descriptor{}, fmt.Errorf("access list: %w", err)
	}
	d.DACLPresent = true
	if err := d.readList(list); err != nil {
		return Descriptor{}, fmt.Errorf("access list: %w", err)
	}
	return d, nil
}

// section is the rest of the descriptor from an offset that it names itself.
func section(b []byte, at uint32) ([]byte, error) {
	if at < descriptorHeader || uint64(at) >= uint64(len(b)) {
		return nil, fmt.Errorf("offset %d is outside", at)
	}
	return b[at:], nil
}

func (d *Descriptor) readList(b []byte) error {
	if len(b) < aclHeader {
		return errors.New("shorter than its header")
	}
	if revision := b[0]; revision != 2 && revision != 4 {
		return fmt.Errorf("revision %d", revision)
	}
	size := int(binary.LittleEndian.Uint16(b[2:]))
	if size < aclHeader || size > len(b) {
		return fmt.Errorf("size %d is outside", size)
	}
	count := int(binary.LittleEndian.Uint16(b[4:]))
	rest := b[aclHeader:size]
	for i := range count {
		if len(rest) < aceHeader {
			return fmt.Errorf("entry %d is cut off", i)
		}
		length := int(binary.LittleEndian.Uint16(rest[2:]))
		if length < aceHeader || length > len(rest) {
			return fmt.Errorf("entry %d has size %d", i, length)
		}
		d.readACE(rest[:length])
		rest = rest[length:]
	}
	return nil
}

func (d *Descriptor) readACE(b []byte) {
	kind := b[0]
	if ace, ok := basicACE(b); ok {
		d.ACEs = append(d.ACEs, ace)
		return
	}
	d.Complete = false
	if !slices.Contains(d.UnsupportedACETypes, kind) {
		d.UnsupportedACETypes = append(d.UnsupportedACETypes, kind)
	}
}

// basicACE reads an entry whose SID fills it to the last byte.
func basicACE(b []byte) (RuleACE, bool) {
	if b[0] != aceAllow && b[0] != aceDeny || len(b) < aceHeader+maskBytes {
		return RuleACE{}, false
	}
	sid, length, err := parseSID(b[aceHeader+maskBytes:])
	if err != nil || aceHeader+maskBytes+length != len(b) {
		return RuleACE{}, false
	}
	ace := RuleACE{SID: sid, Mask: binary.LittleEndian.Uint32(b[aceHeader:]), ACEType: "allow", Flags: flagsOf(b[1])}
	if b[0] == aceDeny {
		ace.ACEType = "deny"
	}
	return ace, true
}

// parseSID reads a binary SID from the start of b and says how long it is.
func parseSID(b []byte) (text string, length int, err error) {
	if len(b) < sidHeader {
		return "", 0, errors.New("SID is cut off")
	}
	count := int(b[1])
	length = sidHeader + 4*count
	switch {
	case b[0] != 1:
		return "", 0, fmt.Errorf("SID revision %d", b[0])
	case count == 0 || count > maxSubAuthority:
		return "", 0, fmt.Errorf("SID with %d sub-authorities", count)
	case length > len(b):
		return "", 0, errors.New("SID is cut off")
	}
	var authority uint64
	for _, octet := range b[2:sidHeader] {
		authority = authority<<8 | uint64(octet)
	}
	var out strings.Builder
	out.WriteString("s-1-" + strconv.FormatUint(authority, 10))
	for at := sidHeader; at < length; at += 4 {
		out.WriteString("-" + strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b[at:])), 10))
	}
	return out.String(), length, nil
}

// SecurityFacts prepares the descriptor for [Classify]. Remote must be true unless the
// object is known to be on a local volume.
func (d Descriptor) SecurityFacts(currentUserSID string, remote bool) SecurityFacts {
	f := SecurityFacts{
		OwnerSID:       d.OwnerSID,
		CurrentUserSID: normalizeSID(currentUserSID),
		DACLPresent:    d.DACLPresent,
		Complete:       d.Complete,
		Remote:         remote,
	}
	for _, ace := range d.ACEs {
		f.ACEs = append(f.ACEs, ACE{SID: ace.SID, Mask: ace.Mask, Deny: ace.ACEType == "deny", InheritOnly: ace.Flags.InheritOnly})
	}
	return f
}
