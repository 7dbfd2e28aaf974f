//go:build unix

package inspect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// makeObject makes one object of the given mode and returns its path.
func makeObject(t *testing.T, kind Kind, mode uint32) string {
	t.Helper()
	path := filepath.Join(privateDir(t), "object")
	var err error
	switch kind {
	case KindFile:
		err = os.WriteFile(path, nil, 0o600)
	case KindDirectory:
		err = os.Mkdir(path, 0o700)
	case KindFIFO:
		err = syscall.Mkfifo(path, 0o600)
	default:
		t.Fatalf("kind %s", kind)
	}
	if err == nil {
		err = syscall.Chmod(path, mode)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func privateDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRemediation(t *testing.T) {
	rows := []struct {
		kind     Kind
		mode     uint32
		opts     Options
		want     string // the command without the path, "" for none
		mentions string
	}{
		{KindFile, 0o600, Options{}, "", ""},
		{KindFile, 0o400, Options{}, "", ""}, // stricter is fine
		{KindFile, 0o000, Options{}, "", ""},
		{KindFile, 0o644, Options{}, "chmod 600", ""},
		{KindFile, 0o404, Options{}, "chmod 600", ""}, // smaller as a number, yet readable by all
		{KindFile, 0o640, Options{RequiredMode: 0o640}, "", ""},
		{KindFile, 0o644, Options{RequiredMode: 0o640}, "chmod 640", ""},
		{KindFile, 0o4755, Options{}, "chmod 600", noteSpecial},
		{KindFIFO, 0o666, Options{}, "chmod 600", ""},
		{KindDirectory, 0o700, Options{}, "", ""},
		{KindDirectory, 0o755, Options{}, "chmod 700", ""},
		{KindDirectory, 0o777, Options{}, "chmod 700", noteShared},
		{KindDirectory, 0o1777, Options{}, "", ""}, // shared on purpose
		{KindDirectory, 0o777, Options{Expect: ExpectFile}, "", ""},
		{KindFile, 0o666, Options{Expect: ExpectDir}, "", ""},
	}
	for _, row := range rows {
		path := makeObject(t, row.kind, row.mode)
		r := Path(path, row.opts)
		got, note := "", ""
		if r.Remediation != nil {
			got, note = strings.TrimSuffix(r.Remediation.Command, " "+path), r.Remediation.Note
			if want := append(strings.Fields(got), path); !slices.Equal(r.Remediation.Argv, want) {
				t.Errorf("%s %o: argv %q, want %q", row.kind, row.mode, r.Remediation.Argv, want)
			}
		}
		if got != row.want || !strings.Contains(note, row.mentions) {
			t.Errorf("%s %o: %q (%s), want %q", row.kind, row.mode, got, note, row.want)
		}
	}
}

func TestSystemObjectsAreLeftAlone(t *testing.T) {
	for _, path := range []string{"/", "/tmp", "/etc", "/usr", "/dev/null", "/etc/passwd", "/proc/self/status"} {
		if r := Path(path, Options{}); r.Remediation != nil {
			t.Errorf("%s: suggests %s", path, r.Remediation.Command)
		}
	}
	// Some of them are private, such as /etc/shadow: nothing is said of who may see them.
	for _, path := range []string{"/etc/passwd", "/etc/shadow"} {
		for _, f := range Path(path, Options{}).Findings {
			if f.Code == FindNoFix && !strings.Contains(f.Detail, "say which mode is required") {
				t.Errorf("%s: %s", path, f.Detail)
			}
		}
	}
}

func TestWrongType(t *testing.T) {
	r := Path(makeObject(t, KindDirectory, 0o777), Options{Expect: ExpectFile})
	if !r.OK || !r.IsDir || !strings.HasPrefix(r.Error, "wrong_type") {
		t.Errorf("a directory in place of a file: %+v", r)
	}
}

func TestUnresolvedLinksGrantNothing(t *testing.T) {
	dir := privateDir(t)
	links := map[string]string{"dangling": "nope", "loop": "loop", "through-file": "file/x", "to-dangling": "dangling"}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range links {
		path := filepath.Join(dir, name)
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		r := Path(path, Options{})
		if r.OK || !r.IsSymlink || r.Bits != nil || r.WorldWritable || r.Remediation != nil ||
			r.Facts.Target != TargetUnresolved || r.Facts.Kind != KindSymlink || r.Error == "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestFacts(t *testing.T) {
	path := makeObject(t, KindFile, 0o6711)
	if err := os.Link(path, path+"2"); err != nil {
		t.Fatal(err)
	}
	f, other := Path(path, Options{}).Facts, Path(path+"2", Options{}).Facts
	if *f.Links != 2 || *f.Identity != *other.Identity || !*f.Setuid || !*f.Setgid || *f.Sticky {
		t.Errorf("%+v", f)
	}
	if f.Owner.Class != OwnerSelf || int(f.Owner.UID) != os.Geteuid() || f.Kind != KindFile || f.Target != "" {
		t.Errorf("%+v", f)
	}
}

func TestExposure(t *testing.T) {
	self := uint32(os.Geteuid())
	const stranger = 4711
	v := (&Options{}).viewer()
	mine, theirs := &object{uid: self}, &object{uid: stranger}
	list := func(text string, mask Perms) PosixACL {
		id := uint32(stranger)
		acl := PosixACL{{Tag: ACLOwner, Perms: 7}, {Tag: ACLGroupOwner, Perms: 5}, {Tag: ACLMask, Perms: mask}, {Tag: ACLOther}}
		if text == "self" {
			id = self
		}
		acl = append(acl, ACLEntry{Tag: ACLUser, ID: &id, Perms: 7})
		acl.applyMask()
		return acl
	}
	rows := []struct {
		mode, uid uint32
		acl       PosixACL
		entry     *object
		want      string
	}{
		{0o755, 0, nil, mine, ""},
		{0o755, self, nil, mine, ""},
		{0o700, stranger, nil, mine, reasonOwner},
		{0o777, 0, nil, mine, reasonWorld},
		{0o775, 0, nil, mine, reasonGroup},
		{0o722, 0, nil, mine, ""}, // no search bit, no use of names
		{0o1777, 0, nil, mine, ""},
		{0o1777, 0, nil, theirs, reasonEntry},
		{0o1777, 0, nil, nil, reasonName},
		{0o1755, 0, nil, nil, ""},
		{0o1777, stranger, nil, mine, reasonOwner},
		{0o770, 0, list("stranger", 7), mine, reasonList},
		{0o770, 0, list("self", 7), mine, ""}, // the group has no write permission of its own
		{0o750, 0, list("stranger", 5), mine, ""},
		{0o1770, 0, list("stranger", 7), mine, ""},
		{0o1770, 0, list("stranger", 7), theirs, reasonEntry},
	}
	for _, r := range rows {
		s := step{dir: object{mode: r.mode, uid: r.uid}, acl: r.acl, aclRead: true, missing: r.entry == nil}
		if r.entry != nil {
			s.entry, s.hasEntry = *r.entry, true
		}
		if got := s.exposed(&v); got != r.want {
			t.Errorf("%o of %d with %v: %q, want %q", r.mode, r.uid, r.acl, got, r.want)
		}
	}
}

func TestReplaceable(t *testing.T) {
	dir := privateDir(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"open", "closed", "open/in"} {
		must(os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	for _, name := range []string{"closed/file", "open/in/file"} {
		must(os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	must(os.Symlink("../open/in", filepath.Join(dir, "closed", "link")))
	must(os.Symlink("open/../closed/file", filepath.Join(dir, "detour")))
	must(syscall.Chmod(filepath.Join(dir, "open"), 0o777))
	open := filepath.Join(dir, "open")
	rows := []struct {
		path string
		at   []string
	}{
		{"closed/file", nil},
		{"closed/missing", nil},
		{"open/in/file", []string{open}},
		{"closed/link/file", []string{open}}, // exposed behind the link only
		{"detour", nil},                      // leaves the open directory by its parent, looks nothing up in it
		{"open/missing", []string{open}},
	}
	for _, row := range rows {
		f := Path(filepath.Join(dir, row.path), Options{}).Facts
		var at []string
		for _, e := range f.ReplaceableAt {
			if strings.HasPrefix(e.Path, dir) {
				at = append(at, e.Path)
			}
		}
		if !slices.Equal(at, row.at) || len(row.at) > 0 && !*f.ReplaceableByOthers {
			t.Errorf("%s: replaceable at %v, want %v", row.path, at, row.at)
		}
	}
}

func TestHostilePaths(t *testing.T) {
	for _, path := range []string{
		"", "\x00", "a\x00b", "\xff\xfe", strings.Repeat("a", 5000), strings.Repeat("a/", 1<<17), strings.Repeat("../", 1<<16),
		"/proc/self/fd/99999", "\u2028", "/dev/null/x",
	} {
		r := Path(path, Options{})
		if r.WorldWritable || strings.ContainsFunc(r.Detail+r.Error, isControl) {
			t.Errorf("%.20q: %.200q %.200q", path, r.Detail, r.Error)
		}
	}
}

func TestZeroReportGrantsNothing(t *testing.T) {
	text, err := json.Marshal(failed("why"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"ok":false`, `"mode":null`, `"bits":null`, `"source":"unknown"`, `"remediation":null`, `"replaceable_by_others":null`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%s lacks %s", text, part)
		}
	}
}
