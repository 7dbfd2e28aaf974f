package inspect

import (
	"encoding/binary"
	"slices"
	"testing"
)

// sidBytes spells S-1-AUTHORITY-SUBS in binary.
func sidBytes(authority byte, subs ...uint32) []byte {
	b := []byte{1, byte(len(subs)), 0, 0, 0, 0, 0, authority}
	for _, s := range subs {
		b = binary.LittleEndian.AppendUint32(b, s)
	}
	return b
}

func aceBytes(kind, flags byte, mask uint32, sid []byte) []byte {
	b := []byte{kind, flags}
	b = binary.LittleEndian.AppendUint16(b, uint16(8+len(sid)))
	b = binary.LittleEndian.AppendUint32(b, mask)
	return append(b, sid...)
}

func aclBytes(aces ...[]byte) []byte {
	body := slices.Concat(aces...)
	b := []byte{2, 0}
	b = binary.LittleEndian.AppendUint16(b, uint16(8+len(body)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(aces)))
	return append(append(b, 0, 0), body...)
}

func descriptorBytes(control uint16, owner, dacl []byte) []byte {
	b := []byte{1, 0}
	b = binary.LittleEndian.AppendUint16(b, control|controlSelfRelative)
	b = binary.LittleEndian.AppendUint32(b, descriptorHeader)
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0)
	at := uint32(0)
	if dacl != nil {
		at = uint32(descriptorHeader + len(owner))
	}
	b = binary.LittleEndian.AppendUint32(b, at)
	return append(append(b, owner...), dacl...)
}

var (
	system   = sidBytes(5, 18)
	everyone = sidBytes(1, 0)
)

func TestParseDescriptor(t *testing.T) {
	list := aclBytes(aceBytes(aceAllow, 0x1b, fullControl, everyone), aceBytes(aceDeny, 0, 1, system))
	d, err := ParseDescriptor(descriptorBytes(controlDACLPresent|controlDACLProtected, system, list))
	if err != nil {
		t.Fatal(err)
	}
	want := []RuleACE{
		{SID: "s-1-1-0", Mask: fullControl, ACEType: "allow", Flags: ACEFlags{Raw: 0x1b, ObjectInherit: true, ContainerInherit: true, InheritOnly: true, Inherited: true}},
		{SID: "s-1-5-18", Mask: 1, ACEType: "deny"},
	}
	if d.OwnerSID != "s-1-5-18" || !d.DACLPresent || !d.DACLProtected || !d.Complete || !slices.Equal(d.ACEs, want) {
		t.Errorf("%+v", d)
	}
}

func TestNullAndEmptyListsAreOpposites(t *testing.T) {
	rows := []struct {
		name  string
		bytes []byte
		world bool
	}{
		{"flag not set", descriptorBytes(0, system, nil), true},
		{"offset zero", descriptorBytes(controlDACLPresent, system, nil), true},
		{"no entries", descriptorBytes(controlDACLPresent, system, aclBytes()), false},
	}
	for _, r := range rows {
		d, err := ParseDescriptor(r.bytes)
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		if c := Classify(d.SecurityFacts(me, false), nil, ClassifyOptions{}); !c.OK || c.WorldWritable != r.world {
			t.Errorf("%s: %+v", r.name, c)
		}
	}
}

func TestUnknownLayoutsAreIncomplete(t *testing.T) {
	padded := aceBytes(aceAllow, 0, 1, append(slices.Clone(everyone), 0, 0, 0, 0))
	badSID := aceBytes(aceAllow, 0, 1, sidBytes(5))
	for name, ace := range map[string][]byte{"object entry": aceBytes(5, 0, 1, everyone), "padded": padded, "SID without parts": badSID} {
		d, err := ParseDescriptor(descriptorBytes(controlDACLPresent, system, aclBytes(ace, aceBytes(aceAllow, 0, 2, system))))
		if err != nil || d.Complete || len(d.ACEs) != 1 || !slices.Equal(d.UnsupportedACETypes, []uint8{ace[0]}) {
			t.Errorf("%s: %v %+v", name, err, d)
		}
		if c := Classify(d.SecurityFacts(me, false), nil, ClassifyOptions{}); c.OK || c.Error != incompleteACL.text {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestBrokenDescriptors(t *testing.T) {
	good := descriptorBytes(controlDACLPresent, system, aclBytes(aceBytes(aceAllow, 0, 1, everyone)))
	for cut := range len(good) {
		if d, err := ParseDescriptor(good[:cut]); err == nil {
			t.Errorf("cut at %d: %+v", cut, d)
		}
	}
	change := func(at int, b byte) []byte {
		out := slices.Clone(good)
		out[at] = b
		return out
	}
	rows := map[string][]byte{
		"revision":          change(0, 2),
		"absolute format":   change(3, 0),
		"owner in header":   change(4, 4),
		"owner outside":     change(5, 200),
		"list outside":      change(17, 200),
		"list in header":    change(16, 2),
		"list revision":     change(32, 9),
		"list too long":     change(34, 255),
		"too many entries":  change(36, 9),
		"entry of no size":  change(42, 0),
		"entry too long":    change(42, 255),
		"owner SID version": change(20, 2),
		"too large":         make([]byte, maxDescriptor+1),
	}
	for name, b := range rows {
		if d, err := ParseDescriptor(b); err == nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
