package inspect

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func needRoot(t *testing.T) {
	t.Helper()
	if !isRoot() {
		t.Skip("needs root to prepare")
	}
}

// posixBytes is the attribute that holds a list. An ID of named entries follows the
// tag: "user 1000 rw-".
func posixBytes(t *testing.T, entries ...ACLEntry) []byte {
	t.Helper()
	b := binary.LittleEndian.AppendUint32(nil, posixACLVersion)
	for _, e := range entries {
		id := ^uint32(0)
		if e.ID != nil {
			id = *e.ID
		}
		for raw, tag := range posixTags {
			if tag == e.Tag {
				b = binary.LittleEndian.AppendUint16(b, raw)
			}
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(e.Perms))
		b = binary.LittleEndian.AppendUint32(b, id)
	}
	return b
}

func base(owner, group, mask, other Perms, named ...ACLEntry) []ACLEntry {
	list := []ACLEntry{{Tag: ACLOwner, Perms: owner}}
	for _, tag := range []ACLTag{ACLUser, ACLGroup} {
		if tag == ACLGroup {
			list = append(list, ACLEntry{Tag: ACLGroupOwner, Perms: group})
		}
		for _, e := range named {
			if e.Tag == tag {
				list = append(list, e)
			}
		}
	}
	return append(list, ACLEntry{Tag: ACLMask, Perms: mask}, ACLEntry{Tag: ACLOther, Perms: other})
}

func user(id uint32, p Perms) ACLEntry  { return ACLEntry{Tag: ACLUser, ID: &id, Perms: p} }
func group(id uint32, p Perms) ACLEntry { return ACLEntry{Tag: ACLGroup, ID: &id, Perms: p} }

func setACL(t *testing.T, path, attribute string, entries []ACLEntry) {
	t.Helper()
	err := unix.Setxattr(path, attribute, posixBytes(t, entries...), 0)
	if errors.Is(err, unix.EOPNOTSUPP) {
		t.Skip("the file system of the temporary directory has no access lists")
	}
	must(t, err)
}

func found(r Report, code string) string {
	for _, f := range r.Findings {
		if f.Code == code {
			return f.Detail
		}
	}
	return ""
}

// The middle bits of a file with a list are its mask, not its group.
func TestAccessList(t *testing.T) {
	path := makeObject(t, KindFile, 0o600)
	setACL(t, path, xattrAccess, base(6, 0, 4, 0, user(34, 6)))
	r := Path(path, Options{})
	if *r.Bits != 0o640 || !is(r.Facts.ExtendedACL) || len(r.Facts.ACL) != 5 {
		t.Fatalf("%+v", r.Facts)
	}
	if got := found(r, FindACL); got != "extended ACL present, effective readers: user 34" {
		t.Errorf("findings: %+v", r.Findings)
	}
	if found(r, FindGroupRead) != "" {
		t.Error("the group can read nothing")
	}
	named := r.Facts.ACL[1]
	if named.Perms.String() != "rw-" || named.Effective.String() != "r--" {
		t.Errorf("%+v", named)
	}
	if r.Remediation == nil || r.Remediation.Argv[0] != "setfacl" || !strings.Contains(r.Remediation.Note, "user 34") {
		t.Errorf("%+v", r.Remediation)
	}
}

// A mode of 0600 can hide a list that one chmod wakes.
func TestMaskedAccessList(t *testing.T) {
	path := makeObject(t, KindFile, 0o600)
	setACL(t, path, xattrAccess, base(6, 6, 0, 0, user(34, 6)))
	r := Path(path, Options{})
	if *r.Bits != 0o600 || r.Remediation != nil || !strings.Contains(found(r, FindACLMasked), "chmod g+r") {
		t.Errorf("%o %+v %+v", *r.Bits, r.Remediation, r.Findings)
	}
}

func TestDefaultAccessList(t *testing.T) {
	path := makeObject(t, KindDirectory, 0o700)
	setACL(t, path, xattrDefault, base(7, 0, 7, 0, group(50, 7)))
	r := Path(path, Options{})
	if len(r.Facts.DefaultACL) != 5 || is(r.Facts.ExtendedACL) || found(r, FindDefaultACL) == "" {
		t.Errorf("%+v %+v", r.Facts, r.Findings)
	}
}

// What is suggested does what it says, by the real programs.
func TestSuggestionsWork(t *testing.T) {
	for _, program := range []string{"setfacl", "chmod"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	for _, row := range []struct {
		name string
		list []ACLEntry
		mode uint32
	}{
		{"plain", nil, 0o666},
		{"-dash", nil, 0o644},
		{"it's $(id)", nil, 0o644},
		{"two\nlines\u202e", nil, 0o644},
		{"listed", base(6, 4, 6, 4, user(34, 6), group(50, 4)), 0},
		{"-listed", base(6, 4, 6, 4, user(34, 6)), 0},
	} {
		dir := privateDir(t)
		path := filepath.Join(dir, row.name)
		must(t, os.WriteFile(path, nil, 0o600))
		if row.list == nil {
			must(t, os.Chmod(path, os.FileMode(row.mode)))
		} else {
			setACL(t, path, xattrAccess, row.list)
		}
		t.Chdir(dir)
		r := Path(row.name, Options{})
		if r.Remediation == nil {
			t.Errorf("%q: nothing suggested: %+v", row.name, r.Findings)
			continue
		}
		if out, err := exec.Command("bash", "-c", r.Remediation.Command).CombinedOutput(); err != nil {
			t.Errorf("%q: %s: %v %s", row.name, r.Remediation.Command, err, out)
		}
		after := Path(row.name, Options{})
		if *after.Bits != 0o600 || is(after.Facts.ExtendedACL) || after.Remediation != nil {
			t.Errorf("%q: %o after %s", row.name, *after.Bits, r.Remediation.Command)
		}
	}
}

func TestCapabilities(t *testing.T) {
	needRoot(t)
	path := makeObject(t, KindFile, 0o755)
	value := []byte{1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0} // net_bind_service, effective
	must(t, unix.Setxattr(path, xattrCapability, value, 0))
	r := Path(path, Options{RequiredMode: 0o755})
	c := r.Facts.Capabilities
	if c == nil || !slices.Equal(c.Permitted, []string{"cap_net_bind_service"}) || !c.Effective || found(r, FindCapability) == "" {
		t.Errorf("%+v %+v", c, r.Findings)
	}
}

func TestAttributes(t *testing.T) {
	needRoot(t)
	for _, row := range []struct {
		flag int
		fact func(Facts) *bool
	}{
		{unix.STATX_ATTR_IMMUTABLE, func(f Facts) *bool { return f.Immutable }},
		{unix.STATX_ATTR_APPEND, func(f Facts) *bool { return f.AppendOnly }},
	} {
		path := makeObject(t, KindFile, 0o666)
		file, err := os.Open(path)
		must(t, err)
		defer file.Close()
		if err := unix.IoctlSetPointerInt(int(file.Fd()), unix.FS_IOC_SETFLAGS, row.flag); err != nil {
			t.Skipf("the file system of the temporary directory has no such attributes: %v", err)
		}
		r := Path(path, Options{})
		must(t, unix.IoctlSetPointerInt(int(file.Fd()), unix.FS_IOC_SETFLAGS, 0))
		if !is(row.fact(r.Facts)) {
			t.Errorf("flag %#x: %+v", row.flag, r.Facts)
		}
		if row.flag == unix.STATX_ATTR_IMMUTABLE && (r.Remediation != nil || found(r, FindNoFix) == "") {
			t.Errorf("immutable: %+v %+v", r.Remediation, r.Findings)
		}
	}
}

// inMountNamespace runs the test on a thread whose mounts nobody else sees. The
// thread ends with the test.
func inMountNamespace(t *testing.T) {
	t.Helper()
	needRoot(t)
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		t.Skipf("no mounts of its own: %v", err)
	}
	must(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
}

func mountOrSkip(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		t.Skipf("cannot mount %s: %v", kind, err)
	}
	t.Cleanup(func() { _ = unix.Unmount(target, unix.MNT_DETACH) })
}

func TestMounts(t *testing.T) {
	inMountNamespace(t)
	dir := privateDir(t)
	for _, name := range []string{"tmpfs", "lower", "upper", "work", "overlay", "bind", "part", "part/in"} {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	must(t, os.WriteFile(dir+"/lower/file", nil, 0o644))
	must(t, os.WriteFile(dir+"/part/in/file", nil, 0o644))
	mountOrSkip(t, "none", dir+"/tmpfs", "tmpfs", unix.MS_NOEXEC|unix.MS_NOSUID, "")
	must(t, os.WriteFile(dir+"/tmpfs/file", nil, 0o644))
	mountOrSkip(t, "none", dir+"/overlay", "overlay", 0, "lowerdir="+dir+"/lower,upperdir="+dir+"/upper,workdir="+dir+"/work")
	mountOrSkip(t, dir+"/part/in", dir+"/bind", "", unix.MS_BIND, "")
	must(t, unix.Mount("", dir+"/bind", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""))
	for _, old := range []bool{false, true} {
		noStatmount.Store(old)
		t.Cleanup(func() { noStatmount.Store(false) })
		tmp := Path(dir+"/tmpfs/file", Options{})
		if m := tmp.Facts.Mount; m == nil || m.Type != "tmpfs" || !is(m.NoExec) || !is(m.NoSuid) || is(m.ReadOnly) || m.Point != dir+"/tmpfs" {
			t.Errorf("tmpfs: %+v", m)
		}
		over := Path(dir+"/overlay/file", Options{})
		if m := over.Facts.Mount; m == nil || m.Type != "overlay" || !is(m.Overlay) || is(m.FUSE) || is(m.Network) || over.Remediation == nil {
			t.Errorf("overlay: %+v %+v", m, over.Findings)
		}
		bind := Path(dir+"/bind/file", Options{})
		if m := bind.Facts.Mount; m == nil || !is(m.Bind) || !is(m.ReadOnly) || !is(bind.Facts.ReadOnly) || !strings.HasSuffix(m.Root, "/part/in") {
			t.Errorf("bind: %+v", m)
		}
		if bind.Remediation != nil || found(bind, FindNoFix) == "" {
			t.Errorf("read-only: %+v %+v", bind.Remediation, bind.Findings)
		}
		same := Path(dir+"/part/in/file", Options{})
		if same.Facts.Identity.Inode != bind.Facts.Identity.Inode || same.Facts.Identity.MountID == bind.Facts.Identity.MountID {
			t.Errorf("one object through two mounts: %+v %+v", same.Facts.Identity, bind.Facts.Identity)
		}
	}
}

// A suggestion names what a link leads to, never the link.
func TestSuggestionsFollowNoLink(t *testing.T) {
	dir := privateDir(t)
	must(t, os.MkdirAll(dir+"/real/sub", 0o700))
	must(t, os.WriteFile(dir+"/real/sub/key", nil, 0o600))
	must(t, os.Chmod(dir+"/real/sub/key", 0o644))
	must(t, os.Symlink("real/sub/key", dir+"/key"))
	must(t, os.Symlink("real", dir+"/dir"))
	for _, name := range []string{"/key", "/dir/sub/key"} {
		r := Path(dir+name, Options{})
		if r.Remediation == nil || r.Remediation.Argv[2] != dir+"/real/sub/key" || !strings.Contains(r.Remediation.Note, noteLink) {
			t.Errorf("%s: %+v", name, r.Remediation)
		}
	}
	if r := Path(dir+"/key", Options{}); r.Facts.Resolved != dir+"/real/sub/key" || r.Facts.Link == nil {
		t.Errorf("%+v", r.Facts)
	}
}

func TestNothingLocksTheOwnerOut(t *testing.T) {
	for _, row := range []struct {
		kind Kind
		mode uint32
		want uint32
	}{
		{KindDirectory, 0o755, 0o600},
		{KindFile, 0o644, 0o044},
		{KindFile, 0o640, 0o200},
	} {
		r := Path(makeObject(t, row.kind, row.mode), Options{RequiredMode: row.want})
		if r.Remediation != nil || !strings.Contains(found(r, FindNoFix), "lock the owner out") {
			t.Errorf("%s %o wants %o: %+v %+v", row.kind, row.mode, row.want, r.Remediation, r.Findings)
		}
	}
}

// The files of a projected volume are written by the kubelet.
func TestProjectedVolume(t *testing.T) {
	dir := privateDir(t)
	must(t, os.Mkdir(dir+"/..2024_01_02", 0o755))
	must(t, os.WriteFile(dir+"/..2024_01_02/key", nil, 0o644))
	must(t, os.Symlink("..2024_01_02", dir+"/..data"))
	must(t, os.Symlink("..data/key", dir+"/key"))
	r := Path(dir+"/key", Options{})
	if r.Facts.Managed != "kubernetes" || r.Remediation != nil || !strings.Contains(found(r, FindManaged), "defaultMode") {
		t.Errorf("%+v %+v", r.Remediation, r.Findings)
	}
}
