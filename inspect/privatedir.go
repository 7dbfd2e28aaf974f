package inspect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// CreatePrivateDirectory makes a directory that only the user, SYSTEM and the
// administrators can use, in one step: at no moment is it open to others. It
// exists on Windows only; elsewhere the error has [CodeUnavailable].
//
// The parent and the new directory must be on a local volume and no reparse
// points; links further up are followed. When the function returns, the name led
// to the new directory: whoever uses it later must keep the way to it trusted.
// When the check after the creation fails, the directory is removed through its
// own handle, and nothing else is.
func CreatePrivateDirectory(path string) error {
	if makePrivate == nil {
		return refusal(CodeUnavailable, "private-directory creation is supported only on Windows")
	}
	if err := checkPrivatePath(path); err != nil {
		return err
	}
	return makePrivate(path)
}

// checkPrivatePath refuses what Windows and its kernel would read differently.
func checkPrivatePath(path string) error {
	if IsNamespaceAlias(path) {
		return aliasRefusal("private directory path")
	}
	if strings.IndexByte(path, 0) >= 0 {
		return refusal(CodeInvalid, "private directory path has a NUL")
	}
	for part := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '\\' || r == '/' }) {
		if strings.HasSuffix(part, ".") && !devicePrefix(path, part) || strings.HasSuffix(part, " ") {
			return refusal(CodeInvalid, "private directory path has an ambiguous component")
		}
	}
	return nil
}

// devicePrefix reports the dot of a path that starts with \\.\, which is no
// component.
func devicePrefix(path, part string) bool {
	return part == "." && len(path) > 3 && isSlash(path[0]) && isSlash(path[1]) && path[2] == '.' && isSlash(path[3]) &&
		strings.Count(path, ".") == 1
}

// splitPrivate separates the name to be made from its parent. Path is absolute.
func splitPrivate(path string) (parent, name string, err error) {
	trimmed := strings.TrimRight(path, `\/`)
	at := strings.LastIndexAny(trimmed, `\/`)
	if at < 0 || at == len(trimmed)-1 || strings.ContainsRune(trimmed[at+1:], ':') {
		return "", "", refusal(CodeInvalid, "private directory path has no name to make")
	}
	return trimmed[:at+1], trimmed[at+1:], nil
}

const (
	inheritToChildren uint8  = 0x03 // objects and containers
	controlPrivate           = controlSelfRelative | controlDACLProtected | controlDACLPresent
	untrustedBits     uint32 = 0xd00d01df // reading or writing, by any way
)

// privateDescriptor is the self-relative security descriptor of a private
// directory: owned by the user, nothing inherited, full access for user, SYSTEM,
// administrators and the own container, if there is one.
func privateDescriptor(user, container string) ([]byte, error) {
	holders := []string{user, sidSystem, sidAdmins}
	if container != "" {
		holders = append(holders, container)
	}
	owner, err := encodeSID(user)
	if err != nil {
		return nil, err
	}
	list := make([]byte, aclHeader)
	for _, holder := range holders {
		sid, err := encodeSID(holder)
		if err != nil {
			return nil, err
		}
		ace := []byte{aceAllow, inheritToChildren, 0, 0}
		binary.LittleEndian.PutUint16(ace[2:], uint16(aceHeader+maskBytes+len(sid)))
		ace = binary.LittleEndian.AppendUint32(ace, fullControl)
		list = append(list, append(ace, sid...)...)
	}
	list[0] = 2
	binary.LittleEndian.PutUint16(list[2:], uint16(len(list)))
	binary.LittleEndian.PutUint16(list[4:], uint16(len(holders)))
	b := make([]byte, descriptorHeader)
	b[0] = 1
	binary.LittleEndian.PutUint16(b[2:], controlPrivate)
	binary.LittleEndian.PutUint32(b[4:], descriptorHeader)
	binary.LittleEndian.PutUint32(b[16:], uint32(descriptorHeader+len(owner)))
	return append(append(b, owner...), list...), nil
}

// encodeSID is the binary form of a SID.
func encodeSID(text string) ([]byte, error) {
	if !IsSID(text) {
		return nil, fmt.Errorf("%q is no SID", Bound(text))
	}
	parts := strings.Split(normalizeSID(text), "-")[1:]
	if len(parts) > 2+maxSubAuthority || parts[0] != "1" {
		return nil, errors.New("SID of an unknown revision or length")
	}
	authority, err := strconv.ParseUint(parts[1], 10, 48)
	if err != nil {
		return nil, errors.New("SID with an authority out of range")
	}
	b := []byte{1, byte(len(parts) - 2)}
	for shift := 40; shift >= 0; shift -= 8 {
		b = append(b, byte(authority>>shift))
	}
	for _, part := range parts[2:] {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return nil, errors.New("SID with a sub-authority out of range")
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return b, nil
}

// checkPrivate says what is wrong with a directory that should be private.
func checkPrivate(o *OwnerDACL) error {
	d := o.Descriptor
	user := normalizeSID(o.CurrentUserSID)
	for _, row := range []struct {
		when bool
		text string
	}{
		{!o.IsLocal, "the private directory is not on a local volume"},
		{user == "" || d.OwnerSID != user, "the private directory is not owned by the user"},
		{!d.DACLPresent, "the private directory has no access list"},
		{!d.DACLProtected, "the private directory inherits access"},
		{!d.Complete, "the access list of the private directory is not understood in full"},
	} {
		if row.when {
			return refusal(CodeUnverified, row.text)
		}
	}
	facts := o.facts()
	for _, ace := range d.ACEs {
		if ace.ACEType == "allow" && ace.Mask&untrustedBits != 0 && facts.classOf(ace.SID, user) != ClassTrusted {
			return refusal(CodeUnverified, "the access list of the private directory lets "+ace.SID+" in")
		}
	}
	return nil
}
