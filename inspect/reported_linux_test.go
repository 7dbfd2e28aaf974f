package inspect

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Mistakes that permission checkers were reported to make, each with the answer
// that would have been right.

// judged is the report of an object that this machine may not be able to make.
func judged(mode uint32, change func(*Facts), opts Options) Report {
	o := object{mode: mode, hasOwner: true}
	r := reportOf(&o, false)
	v := viewer{uid: 0}
	r.Facts.describe(&o, &v)
	r.Facts.Mount = &Mount{Type: "ext4"}
	change(&r.Facts)
	if r.Facts.Mount != nil {
		r.Facts.ReadOnly = r.Facts.Mount.ReadOnly
	}
	x := examination{path: "/x/key", opts: &opts, view: v, report: &r, object: &o, chain: &chain{complete: true, real: "/x/key", last: &o}}
	x.judge()
	if rule := opts.Profile.rule(); rule != nil {
		r.Profile = rule.judge(&r, x.asUser().UID, evidence{read: &yes})
	}
	return r
}

func mounted(kind, options string) func(*Facts) {
	return func(f *Facts) {
		f.Mount = &Mount{Type: kind}
		f.Mount.describe("", options)
	}
}

func TestReportedObjectsThatCannotBeMade(t *testing.T) {
	owner := func(uid uint32, class OwnerClass, m Mount) func(*Facts) {
		return func(f *Facts) {
			f.Owner = &Owner{UID: uid, Class: class}
			f.Mount = &m
		}
	}
	private := func(known *bool) func(*Facts) { return func(f *Facts) { f.Group.Private = known } }
	for _, row := range []struct {
		name     string
		report   Report
		code     string
		severity Severity
		mentions string
		command  bool
	}{
		{"a Windows drive without metadata: chmod would change nothing", judged(0o100777, mounted("9p", "rw,aname=drvfs;path=C:\\;uid=1000"), Options{}), FindSynthetic, SeverityWarning, "/etc/wsl.conf", false},
		{"a FAT stick", judged(0o100777, mounted("vfat", ""), Options{}), FindSynthetic, SeverityWarning, "umask", false},
		{"a group in which the owner is alone", judged(0o100664, private(&yes), Options{}), FindGroupWrite, SeverityInfo, "no other member", true},
		{"a group with other members", judged(0o100660, private(&no), Options{}), FindGroupWrite, SeverityWarning, "its group may write", true},
		{"a group whose members are not known", judged(0o100660, private(nil), Options{}), FindGroupWrite, SeverityWarning, "its group may write", true},
		{"an owner that the server may have mapped", judged(0o100600, owner(1024, OwnerOther, Mount{Type: "nfs4", Network: &yes}), Options{}), FindOwnerMapped, SeverityInfo, "may map owners", false},
		{"an owner from the other side of a bind mount", judged(0o100600, owner(1000, OwnerOther, Mount{Type: "ext4", Bind: &yes}), Options{}), FindOwner, SeverityWarning, "bind mount", false},
		{"a read-only volume", judged(0o100644, func(f *Facts) { f.Mount.ReadOnly, f.Managed = &yes, "kubernetes" }, Options{}), FindManaged, SeverityInfo, "fsGroup", false},
	} {
		r := row.report
		i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Code == row.code })
		if i < 0 || r.Findings[i].Severity != row.severity || !strings.Contains(r.Findings[i].Detail, row.mentions) {
			t.Errorf("%s: %+v", row.name, r.Findings)
		}
		if synthetic := row.code == FindSynthetic; synthetic != (r.Source == SourceSynthetic) || !synthetic && r.Source != SourcePOSIX {
			t.Errorf("%s: source %s", row.name, r.Source)
		}
		if (r.Remediation != nil) != row.command || r.Remediation != nil && slices.Contains(r.Remediation.Argv, "chown") {
			t.Errorf("%s: %+v", row.name, r.Remediation)
		}
	}
}

// Every consumer has its own rule: a key that one takes another refuses.
func TestProfiles(t *testing.T) {
	const dir, file = typeDir, typeFile
	for _, row := range []struct {
		profile  Profile
		mode     uint32
		uid, gid uint32
		as       uint32
		pass     bool
	}{
		{"ssh-private-key", file | 0o600, 1000, 1000, 1000, true},
		{"ssh-private-key", file | 0o400, 1000, 1000, 1000, true}, // stricter is fine
		{"ssh-private-key", file | 0o640, 1000, 1000, 1000, false},
		{"ssh-private-key", file | 0o404, 1000, 1000, 1000, false}, // less as a number
		{"ssh-private-key", file | 0o600, 1001, 1000, 1000, false}, // cannot be read
		{"ssh-private-key", file | 0o644, 1001, 1001, 1000, true},  // ssh looks at the mode of the user's own only
		{"ssh-private-key", file | 0o640, 0, 113, 1000, true},
		{"ssh-private-key", dir | 0o700, 1000, 1000, 1000, false},
		{"postgres-key", file | 0o640, 0, 113, 1000, true}, // root's may be read by a group
		{"postgres-key", file | 0o640, 1000, 113, 1000, false},
		{"postgres-key", file | 0o640, 0, 114, 1000, false}, // of a group that is not the user's
		{"postgres-key", file | 0o660, 0, 113, 1000, false},
		{"postgres-key", file | 0o644, 0, 113, 1000, false},
		{"postgres-key", file | 0o600, 1000, 1000, 1000, true},
		{"other-only", file | 0o640, 1000, 1000, 1000, true},
		{"other-only", file | 0o644, 1000, 1000, 1000, false},
		{"other-only", file | 0o640, 0, 0, 1000, false}, // cannot be read
		{"sudoers", file | 0o440, 0, 0, 1000, true},
		{"sudoers", file | 0o400, 0, 0, 1000, true},
		{"sudoers", file | 0o640, 0, 0, 1000, false},
		{"sudoers", file | 0o440, 1000, 0, 1000, false},
		{"sudoers", file | 0o440, 0, 1000, 1000, false},
		{"private-dir", dir | 0o700, 1000, 1000, 1000, true},
		{"private-dir", dir | 0o750, 1000, 1000, 1000, false},
		{"private-dir", file | 0o600, 1000, 1000, 1000, false},
		{"git-safe-directory", dir | 0o755, 1000, 1000, 1000, true},
		{"git-safe-directory", dir | 0o777, 1000, 1000, 1000, true}, // git asks who owns it, not what it allows
		{"git-safe-directory", dir | 0o755, 0, 0, 1000, false},
	} {
		o := object{mode: row.mode, uid: row.uid, gid: row.gid, hasOwner: true}
		r := reportOf(&o, false)
		v := viewer{uid: row.as}
		r.Facts.describe(&o, &v)
		r.Facts.ReplaceableByOthers = &no
		who := Subject{UID: row.as, GIDs: []uint32{row.as, 113}}
		r.Facts.Provenance.ACL = "xattr"
		read := effective(who, &r.Facts, &o, &chain{complete: true, last: &o}).Read
		got := row.profile.rule().judge(&r, row.as, evidence{read: read})
		if got.Pass != row.pass || got.Pass == (len(got.Failures) > 0) || got.Rule == "" {
			t.Errorf("%s: %o of %d:%d for %d: %+v", row.profile, row.mode, row.uid, row.gid, row.as, got)
		}
	}
	for _, name := range []string{"", "ssh", "SUDOERS"} {
		if _, err := ParseProfile(name); err == nil {
			t.Errorf("profile %q is taken", name)
		}
	}
}

// What is not known fails a profile.
func TestProfilesFailClosed(t *testing.T) {
	for _, row := range []struct {
		name    string
		profile Profile
		report  Report
	}{
		{"a missing file", "ssh-private-key", failed("gone")},
		{"made up modes", "ssh-private-key", judged(0o100600, mounted("vfat", ""), Options{})},
		{"a directory on an unknown way", "private-dir", judged(0o040700, func(*Facts) {}, Options{})},
		{"no owner", "git-safe-directory", judged(0o040700, func(f *Facts) { f.Owner = nil }, Options{})},
	} {
		if got := row.profile.rule().judge(&row.report, 0, evidence{read: &yes}); got.Pass || len(got.Failures) == 0 {
			t.Errorf("%s: %+v", row.name, got)
		}
	}
}

// A profile brings its own mode, and a suggestion that satisfies it.
func TestProfileSuggests(t *testing.T) {
	needRoot(t)
	for profile, want := range map[Profile]string{"ssh-private-key": "600", "postgres-key": "640", "sudoers": "440", "other-only": "640"} {
		path := makeObject(t, KindFile, 0o666)
		r := Path(path, Options{Profile: profile})
		if r.Profile.Pass || r.Remediation == nil || r.Remediation.Argv[1] != want {
			t.Errorf("%s: %+v %+v", profile, r.Profile, r.Remediation)
			continue
		}
		must(t, os.Chmod(path, os.FileMode(requiredMode(&r, &Options{Profile: profile}))))
		if again := Path(path, Options{Profile: profile}); !again.Profile.Pass || again.Remediation != nil {
			t.Errorf("%s after the fix: %+v", profile, again.Profile)
		}
	}
}

// A sticky directory is shared on purpose: to close it breaks every other program.
func TestStickyDirectoryIsLeftAlone(t *testing.T) {
	for _, opts := range []Options{{}, {RequiredMode: 0o700}, {Profile: "private-dir"}} {
		r := Path(makeObject(t, KindDirectory, 0o1777), opts)
		if r.Remediation != nil || !is(r.Facts.Sticky) || found(r, FindSharedDir) == "" {
			t.Errorf("%+v: %+v %+v", opts, r.Remediation, r.Findings)
		}
	}
}

// "Permission denied" is not "too open": behind a closed directory nothing is
// said of the target.
func TestTargetOutOfReach(t *testing.T) {
	needRoot(t)
	base := t.TempDir()
	must(t, os.Chmod(base, 0o755))
	must(t, os.Mkdir(base+"/closed", 0o700))
	must(t, os.WriteFile(base+"/closed/config", nil, 0o600))
	must(t, os.Symlink("closed/config", base+"/config"))
	must(t, os.Chmod(base+"/..", 0o755))
	var r Report
	asUser(t, vector{As: "nobody"}, func() { r = Path(base+"/config", Options{}) })
	if r.OK || !r.IsSymlink || !strings.Contains(r.Error, "EACCES") || r.WorldWritable || r.Facts.Target != TargetUnresolved {
		t.Errorf("%+v", r)
	}
}

// A name that turns text around is shown as what it is.
func TestNamesAreShownHonestly(t *testing.T) {
	dir := privateDir(t)
	path := dir + "/\u202egnp.yek"
	must(t, os.WriteFile(path, nil, 0o600))
	must(t, unix.Chmod(path, 0o644))
	r := Path(path, Options{})
	for _, text := range []string{r.Detail, r.Remediation.Command, r.Remediation.Note} {
		if strings.ContainsFunc(text, isHidden) {
			t.Errorf("%q", text)
		}
	}
	if !strings.Contains(r.Detail, `\u202e`) || !strings.Contains(r.Remediation.Command, `\342\200\256`) {
		t.Errorf("%s; %s", r.Detail, r.Remediation.Command)
	}
}

func TestPrivateGroups(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		must(t, os.WriteFile(dir+"/"+name, []byte(text), 0o600))
		return dir + "/" + name
	}
	passwd := write("passwd", "root:x:0:0::/:/bin/sh\nfirst:x:1000:1000::/:/bin/sh\nsecond:x:1001:1001::/:/bin/sh\nmate:x:1002:1003::/:/bin/sh\nbroken\nno:x:y:z\n")
	groups := write("group", "root:x:0:\nfirst:x:1000:\nsecond:x:1001:second\ndevs:x:1002:first,second\nshared:x:1003:\nonly:x:1004:first\nbroken\n")
	local := write("nsswitch", "passwd: files systemd\ngroup: files [SUCCESS=merge] systemd\n")
	remote := write("nsswitch2", "passwd: files sss\ngroup: files sss\n")
	for _, row := range []struct {
		nss          string
		owner, group uint32
		want         *bool
	}{
		{local, 1000, 1000, &yes},
		{local, 1001, 1001, &yes},
		{local, 1000, 1002, &no},
		{local, 1000, 1003, &no}, // somebody's own group
		{local, 1000, 1004, &yes},
		{local, 1001, 1004, &no},
		{local, 1000, 4711, nil}, // not listed
		{remote, 1000, 1000, nil},
		{remote, 1000, 1002, &no}, // a member more does not make it private
		{dir + "/missing", 1000, 1000, nil},
	} {
		a := readAccounts([]string{passwd, groups, row.nss})
		if got := a.private(row.owner, row.group); !sameFact(got, row.want) {
			t.Errorf("%s: group %d of %d: %s, want %s", row.nss[len(dir):], row.group, row.owner, word(got), word(row.want))
		}
	}
}
