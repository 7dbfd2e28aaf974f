package inspect

import (
	"slices"
	"strings"
	"testing"
)

func TestParsePosixACL(t *testing.T) {
	entry := func(tag, perms uint16, id uint32) []byte {
		return []byte{byte(tag), byte(tag >> 8), byte(perms), byte(perms >> 8), byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)}
	}
	list := func(entries ...[]byte) []byte { return append([]byte{2, 0, 0, 0}, slices.Concat(entries...)...) }
	const none = ^uint32(0)
	owner, grp, other, mask := entry(1, 6, none), entry(4, 4, none), entry(0x20, 0, none), entry(0x10, 4, none)
	for _, row := range []struct {
		name  string
		bytes []byte
		want  string // what the error holds, "" for none
	}{
		{"the mode as a list", list(owner, grp, other), ""},
		{"a named user", list(owner, entry(2, 6, 34), grp, mask, other), ""},
		{"empty", nil, "shorter"},
		{"an old version", []byte{1, 0, 0, 0}, "version 1"},
		{"no entries", list(), "0 entries for owner"},
		{"two owners", list(owner, owner, grp, other), "2 entries for owner"},
		{"a named user without a mask", list(owner, entry(2, 6, 34), grp, other), "0 masks"},
		{"cut off", list(owner, grp, other)[:13], "cut off"},
		{"an unknown tag", list(owner, grp, other, entry(0x40, 6, none)), "tag 0x40"},
		{"too many permissions", list(entry(1, 8, none), grp, other), "permissions 0x8"},
		{"too large", make([]byte, maxXattr+1), "larger"},
	} {
		acl, err := ParsePosixACL(row.bytes)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, %v", row.name, acl, err)
		}
	}
}

func TestPermsSurviveTheWire(t *testing.T) {
	for p := range Perms(8) {
		var back Perms
		if err := back.UnmarshalText([]byte(p.String())); err != nil || back != p {
			t.Errorf("%s: %s, %v", p, back, err)
		}
	}
	var p Perms
	for _, text := range []string{"", "rw", "rwxr", "xwr", "rw?"} {
		if p.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestParseCapabilities(t *testing.T) {
	for _, row := range []struct {
		name, bytes, want string
	}{
		{"net_raw, effective", "\x01\x00\x00\x02\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "cap_net_raw"},
		{"of another root", "\x00\x00\x00\x03\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xe8\x03\x00\x00", "cap_chown"},
		{"above 31", "\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00", "cap_bpf"},
		{"the first layout", "\x00\x00\x00\x01\x02\x00\x00\x00\x00\x00\x00\x00", "cap_dac_override"},
		{"one newer than this program", "\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00", "cap_63"},
		{"nothing", "", ""},
		{"cut off", "\x00\x00\x00\x02\x00", ""},
		{"another revision", "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", ""},
	} {
		c, err := ParseCapabilities([]byte(row.bytes))
		if got := strings.Join(c.Permitted, " "); (err != nil) != (row.want == "") || got != row.want {
			t.Errorf("%s: %q, %v", row.name, got, err)
		}
	}
}

// Mounts that this machine cannot make, as the kernel describes them.
func TestMountTypes(t *testing.T) {
	text := strings.Join([]string{
		`10 1 0:1 / / rw - ext4 /dev/vda rw`,
		`11 10 0:2 / /mnt/c rw,noatime - 9p C:\134 rw,dirsync,aname=drvfs;path=C:\;uid=1000;gid=1000;symlinkroot=/mnt/,mmap,access=client,msize=65536`,
		`12 10 0:2 / /mnt/d rw,noatime - 9p D:\134 rw,aname=drvfs;path=D:\;uid=1000;metadata;symlinkroot=/mnt/,msize=65536`,
		`13 10 0:3 / /net rw - nfs4 server:/x rw,vers=4.2`,
		`14 10 0:4 / /usb rw - vfat /dev/sdb1 rw,umask=000`,
		`15 10 0:5 / /smb rw - cifs //server/share rw,file_mode=0777`,
		`16 10 0:6 / /smbx rw - cifs //server/share rw,posix`,
		`17 10 0:7 / /ssh rw - fuse.sshfs me@host: rw`,
		`18 10 0:8 / /vm rw - 9p share rw,trans=virtio`,
		`19 10 0:9 /a\040b /bind\040here rw shared:1 master:2 - ext4 /dev/vda rw`,
		`20 cut`,
		`21 10 0:9 / /x rw - `,
	}, "\n")
	for _, row := range []struct {
		id                             uint64
		kind                           string
		network, synthetic, fuse, bind *bool
	}{
		{10, "ext4", &no, &no, &no, &no},
		{11, "9p", &no, &yes, &no, &no},
		{12, "9p", &no, &no, &no, &no},
		{13, "nfs4", &yes, &no, &no, nil},
		{14, "vfat", &no, &yes, &no, &no},
		{15, "cifs", &yes, &yes, &no, &no},
		{16, "cifs", &yes, &no, &no, &no},
		{17, "fuse.sshfs", &yes, nil, &yes, &no},
		{18, "9p", nil, nil, &no, &no},
		{19, "ext4", &no, &no, &no, &yes},
		{20, "", nil, nil, nil, nil},
		{21, "", nil, nil, nil, nil},
		{22, "", nil, nil, nil, nil},
	} {
		line, _ := mountinfoLine(text, row.id)
		m := Mount{Type: line.kind, Root: line.root, Bind: isBind(line.kind, line.root)}
		m.describe(line.source, line.options)
		if m.Type != row.kind || !sameFact(m.Network, row.network) || !sameFact(m.SyntheticModes, row.synthetic) ||
			!sameFact(m.FUSE, row.fuse) || !sameFact(m.Bind, row.bind) {
			t.Errorf("%d: %s network %s, synthetic %s, fuse %s, bind %s", row.id, m.Type,
				word(m.Network), word(m.SyntheticModes), word(m.FUSE), word(m.Bind))
		}
	}
	if line, _ := mountinfoLine(text, 19); line.root != "/a b" || line.point != "/bind here" {
		t.Errorf("%+v", line)
	}
}

func sameFact(a, b *bool) bool { return word(a) == word(b) }

func word(v *bool) string {
	switch {
	case v == nil:
		return "unknown"
	case *v:
		return "yes"
	}
	return "no"
}

func TestThreeValues(t *testing.T) {
	for _, row := range []struct{ a, b, and, or *bool }{
		{&yes, &yes, &yes, &yes},
		{&yes, &no, &no, &yes},
		{&yes, nil, nil, &yes},
		{&no, nil, &no, nil},
		{nil, nil, nil, nil},
		{&no, &no, &no, &no},
	} {
		if !sameFact(and(row.a, row.b), row.and) || !sameFact(and(row.b, row.a), row.and) ||
			!sameFact(or(row.a, row.b), row.or) || !sameFact(or(row.b, row.a), row.or) {
			t.Errorf("%s, %s", word(row.a), word(row.b))
		}
	}
}

func TestNTNames(t *testing.T) {
	drives := map[string]string{
		"C:": `\Device\HarddiskVolume3`, "D:": `\Device\HarddiskVolume30`, "S:": `\Device\HarddiskVolume3\Users\me`,
		"bad": `\Device\Other`, "E:": "",
	}
	for _, row := range []struct{ nt, want string }{
		{`\Device\HarddiskVolume3\Windows\x`, `C:\Windows\x`},
		{`\Device\HarddiskVolume30\x`, `D:\x`},
		{`\device\harddiskvolume3\X`, `C:\X`},
		{`\Device\HarddiskVolume3`, `C:\`},
		{`\Device\HarddiskVolume3\Users\me\x`, `S:\x`}, // refused later: its root is not the volume's
		{`\Device\HarddiskVolume4\x`, ""},
		{`\Device\HarddiskVolume31\x`, ""},
		{`\Device\Other\x`, ""},
		{`\Device\Mup\server\share\x`, `\\server\share\x`},
		{`\Device\Mup\;LanmanRedirector\;Z:000000000001\server\share\x`, `\\server\share\x`},
		{`\Device\Mup\server`, ""},
		{`\Device\Mup\;only`, ""},
		{`\Device\Mup`, ""},
		{`\Device\Mupx\server\share`, ""},
		{``, ""},
	} {
		got, _, ok := dosName(row.nt, drives)
		if got != row.want || ok != (row.want != "") {
			t.Errorf("%s: %s", row.nt, got)
		}
	}
}

func TestVolumeRootNames(t *testing.T) {
	const guid = `\\?\Volume{01234567-89ab-cdef-0123-456789abcdef}\`
	for name, want := range map[string]bool{guid: true, guid + "x": false, guid[:len(guid)-1]: false, `C:\`: false, "": false} {
		if isVolumeGUIDRoot(name) != want {
			t.Errorf("%q", name)
		}
	}
	for path, want := range map[string]string{
		`C:\`: `C:\`, `C:\.\`: `C:\`, `C:/`: `C:\`, `C:\mnt\`: `C:\mnt`, `C:\mnt\.`: `C:\mnt`, `C:\a\..\`: "", `..`: "",
	} {
		if got := rootEntry(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
	for name, remote := range map[string]bool{
		`\\?\C:\x`: false, `\\?\UNC\server\share`: true, `\\server\share`: true, `\\?\Volume{1}\x`: false, `C:\x`: false,
	} {
		if isRemoteName(name) != remote {
			t.Errorf("%q", name)
		}
	}
}

func TestWindowsErrors(t *testing.T) {
	for _, row := range []struct {
		number uint32
		codes  map[uint32]Code
		want   string
	}{
		{5, winCodes, "EACCES: X failed with Windows error 5"},
		{183, winCodes, "EEXIST: X failed with Windows error 183"},
		{3, winCodes, "ENOENT: X failed with Windows error 3"},
		{5, identityCodes, "EPERM: X failed with Windows error 5"},
		{32, identityCodes, "EBUSY: X failed with Windows error 32"},
		{50, identityCodes, "ENOTSUP: X failed with Windows error 50"},
		{1117, winCodes, "EIO: X failed with Windows error 1117"},
	} {
		if got := winError("X", row.number, row.codes, nil).Error(); got != row.want {
			t.Errorf("%s, want %s", got, row.want)
		}
	}
	if e := mismatch("\x1b"); strings.ContainsRune(e.Error(), 0x1b) {
		t.Error("a control character in an error")
	}
}

const (
	testUser      = "S-1-5-21-1-2-3-1001"
	testContainer = "S-1-15-2-1-2-3-4-5-6-7"
)

// What is built for a private directory is what is demanded of one, by the same
// bytes that a system would keep.
func TestPrivateDescriptor(t *testing.T) {
	for _, container := range []string{"", testContainer} {
		b, err := privateDescriptor(testUser, container)
		if err != nil {
			t.Fatal(err)
		}
		d, err := ParseDescriptor(b)
		if err != nil {
			t.Fatal(err)
		}
		o := OwnerDACL{CurrentUserSID: testUser, IsLocal: true, Descriptor: &d, containerSID: container}
		if err := checkPrivate(&o); err != nil {
			t.Error(err)
		}
		var holders []string
		for _, ace := range d.ACEs {
			holders = append(holders, ace.SID)
			if ace.Mask != fullControl || ace.Flags.Raw != inheritToChildren || ace.ACEType != "allow" {
				t.Errorf("%+v", ace)
			}
		}
		want := []string{strings.ToLower(testUser), sidSystem, sidAdmins}
		if container != "" {
			want = append(want, strings.ToLower(container))
		}
		if !slices.Equal(holders, want) || !d.DACLProtected {
			t.Errorf("%v %+v", holders, d)
		}
	}
	for _, sid := range []string{"", "S-1-5", "S-2-5-18", "S-1-5-99999999999", "S-1-5" + strings.Repeat("-1", 16), "S-1-999999999999999-1"} {
		if _, err := privateDescriptor(sid, ""); err == nil {
			t.Errorf("%q is taken for a user", sid)
		}
	}
}

func TestCheckPrivate(t *testing.T) {
	rows := []struct {
		name   string
		change func(*OwnerDACL)
		want   string
	}{
		{"as made", func(*OwnerDACL) {}, ""},
		{"remote", func(o *OwnerDACL) { o.IsLocal = false }, "local"},
		{"of another owner", func(o *OwnerDACL) { o.Descriptor.OwnerSID = sidAdmins }, "owned"},
		{"null list", func(o *OwnerDACL) { o.Descriptor.DACLPresent = false }, "no access list"},
		{"inherits", func(o *OwnerDACL) { o.Descriptor.DACLProtected = false }, "inherits"},
		{"not understood", func(o *OwnerDACL) { o.Descriptor.Complete = false }, "not understood"},
		{"open to users", func(o *OwnerDACL) {
			o.Descriptor.ACEs = append(o.Descriptor.ACEs, RuleACE{SID: "s-1-5-32-545", Mask: 1, ACEType: "allow"})
		}, "s-1-5-32-545"},
		{"open to what is made inside", func(o *OwnerDACL) {
			o.Descriptor.ACEs = append(o.Descriptor.ACEs, RuleACE{SID: sidEveryone, Mask: 1, ACEType: "allow", Flags: flagsOf(0x0b)})
		}, sidEveryone},
		{"open to another container", func(o *OwnerDACL) {
			o.Descriptor.ACEs = append(o.Descriptor.ACEs, RuleACE{SID: "s-1-15-2-9-9-9", Mask: 2, ACEType: "allow"})
		}, "s-1-15-2-9-9-9"},
		{"may be waited for by all", func(o *OwnerDACL) {
			o.Descriptor.ACEs = append(o.Descriptor.ACEs, RuleACE{SID: sidEveryone, Mask: 0x100020, ACEType: "allow"})
		}, ""},
	}
	for _, row := range rows {
		b, _ := privateDescriptor(testUser, testContainer)
		d, _ := ParseDescriptor(b)
		o := OwnerDACL{CurrentUserSID: testUser, IsLocal: true, Descriptor: &d, containerSID: testContainer}
		row.change(&o)
		err := checkPrivate(&o)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// The own container is trusted whoever owns the object; no other is, and never
// all of them.
func TestContainerIsTrusted(t *testing.T) {
	for _, row := range []struct {
		sid, container string
		want           Class
	}{
		{testContainer, testContainer, ClassTrusted},
		{testContainer, "", ClassGroup},
		{"s-1-15-2-9-9-9", testContainer, ClassGroup},
		{sidAllPackages, sidAllPackages, ClassWorld},
		{sidAllPackages, testContainer, ClassWorld},
		{sidEveryone, sidEveryone, ClassWorld},
	} {
		f := SecurityFacts{ContainerSID: row.container}
		if got := f.classOf(row.sid, testUser); got != row.want {
			t.Errorf("%s in %s: %v", row.sid, row.container, got)
		}
	}
}

func TestPrivatePaths(t *testing.T) {
	for _, row := range []struct{ path, want string }{
		{`C:\Users\me\private`, ""},
		{`private`, ""},
		{`\\.\C:\x`, ""},
		{`C:\a.`, "ambiguous"},
		{`C:\a \b`, "ambiguous"},
		{`.\x`, "ambiguous"},
		{`..`, "ambiguous"},
		{`C:\\.\x`, "ambiguous"},
		{`\\.\C:\a\.`, "ambiguous"},
		{`C:\x:y`, "alias"},
		{"C:\\a\x00", "NUL"},
	} {
		err := checkPrivatePath(row.path)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q: %v", row.path, err)
		}
	}
	for path, want := range map[string]string{`C:\a\b`: `C:\a\|b`, `C:\a\b\\`: `C:\a\|b`, `C:\`: "", `b`: "", `\\server`: `\\|server`} {
		parent, name, err := splitPrivate(path)
		if got := parent + "|" + name; (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q: %q, %v", path, got, err)
		}
	}
}
