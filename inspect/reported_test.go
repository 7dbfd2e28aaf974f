package inspect

import (
	"strings"
	"testing"
)

// Mistakes that readers of Windows access lists were reported to make.

func TestReportedIcacls(t *testing.T) {
	for _, row := range []struct {
		name, path, text string
		entries          []string // principal:rights
		fails            string
	}{
		{
			"an error text with a colon is no entry", `C:\d\key`,
			"Administrators: Zuordnungen von Kontennamen und Sicherheitskennungen wurden nicht durchgeführt.\n0 Dateien erfolgreich verarbeitet, bei 1 Dateien ist ein Verarbeitungsfehler aufgetreten.\n",
			nil, "no access list entry",
		},
		{
			"a path with spaces and parentheses", `C:\My Files\k (1).txt`,
			"C:\\My Files\\k (1).txt BUILTIN\\Users:(R)\n                         PC1\\me:(F)\n",
			[]string{`BUILTIN\Users:(R)`, `PC1\me:(F)`},
			"",
		},
		{
			"principals with parentheses", `C:\d\key`,
			"C:\\d\\key CORP\\app(admins):(RX)\n         CORP\\team (eu):(OI)(CI)(M)\n",
			[]string{`CORP\app(admins):(RX)`, `CORP\team (eu):(OI)(CI)(M)`},
			"",
		},
		{
			"inherit-only and comma lists", `C:\d\key`,
			"C:\\d\\key S-1-15-3-1024-1-2-3:(I)(RX)\n         NT SERVICE\\TrustedInstaller:(I)(CI)(IO)(F)\n         BUILTIN\\Users:(OI)(CI)(Rc,S,RD,REA,X,RA)\n",
			[]string{`S-1-15-3-1024-1-2-3:(I)(RX)`, `BUILTIN\Users:(OI)(CI)(Rc,S,RD,REA,X,RA)`},
			"",
		},
		{
			"an integrity label is no grant", `C:\d\dir`,
			"C:\\d\\dir Mandatory Label\\Low Mandatory Level:(OI)(CI)(NW)\n         BUILTIN\\Administrators:(F)\n",
			[]string{`BUILTIN\Administrators:(F)`},
			"",
		},
	} {
		got := ParseIcacls(row.text, row.path)
		var entries []string
		for _, e := range got.Entries {
			entries = append(entries, e.Principal+":"+e.RawRights)
			if !e.CanRead {
				t.Errorf("%s: %+v cannot read", row.name, e)
			}
		}
		if strings.Join(entries, "|") != strings.Join(row.entries, "|") || !strings.Contains(got.Error, row.fails) || (got.Error == "") != (row.fails == "") {
			t.Errorf("%s: %q, %s", row.name, entries, got.Error)
		}
	}
}

func TestReportedLists(t *testing.T) {
	const user = "S-1-5-21-1-2-3-1001"
	list := func(aces ...ACE) SecurityFacts {
		return SecurityFacts{OwnerSID: user, CurrentUserSID: user, DACLPresent: true, Complete: true, ACEs: aces}
	}
	named := func(user string, aces ...ACE) SecurityFacts {
		f := list(aces...)
		f.CurrentUserName = user
		return f
	}
	const modify, read uint32 = 0x1301bf, 0x120089
	for _, row := range []struct {
		name                             string
		facts                            SecurityFacts
		worldRead, worldWrite            bool
		groupRead, groupWrite, ownerGood bool
		note                             string
	}{
		{"a placeholder on a file does nothing", list(ACE{SID: "S-1-3-0", Mask: fullControl}), false, false, false, false, true, "no-op entry"},
		{"inherit-only is for the children", list(ACE{SID: "S-1-1-0", Mask: fullControl, InheritOnly: true}), false, false, false, false, true, "created inside"},
		{"anonymous and guests are the world", list(ACE{SID: "S-1-5-7", Mask: modify}, ACE{SID: "S-1-5-32-546", Mask: read}), true, true, false, false, true, ""},
		{"authenticated users on a data drive", list(ACE{SID: "S-1-5-11", Mask: modify}), true, true, false, false, true, ""},
		{"a user of the same name and another SID", list(ACE{SID: "S-1-5-21-7-7-7-1001", Mask: fullControl}), false, false, true, true, true, ""},
		{"a note where the names are equal", named(`corp\ANNA`, ACE{SID: "S-1-5-21-7-7-7-1001", Name: `CORP\anna`, Mask: fullControl}), false, false, true, true, true, "same name, other SID: not the current user but s-1-5-21-7-7-7-1001"},
		{"generic reading is not writing", list(ACE{SID: "S-1-1-0", Mask: 0x80000000}), true, false, false, false, true, ""},
		{"a null list is open to all", SecurityFacts{OwnerSID: user, CurrentUserSID: user, Complete: true}, true, true, false, false, true, "everybody has full access"},
		{"an empty list is open to nobody", list(), false, false, false, false, true, ""},
		{"administrators by SID, in any language", SecurityFacts{OwnerSID: "S-1-5-32-544", CurrentUserSID: user, DACLPresent: true, Complete: true}, false, false, false, false, true, ""},
		{"an owner on a remote volume", SecurityFacts{OwnerSID: user, CurrentUserSID: user, DACLPresent: true, Complete: true, Remote: true}, false, false, false, false, false, "not local"},
	} {
		c := Classify(row.facts, nil, ClassifyOptions{})
		if c.WorldReadable != row.worldRead || c.WorldWritable != row.worldWrite || c.GroupReadable != row.groupRead ||
			c.GroupWritable != row.groupWrite || *c.OwnerTrusted != row.ownerGood || !strings.Contains(strings.Join(c.Notes, "\n"), row.note) {
			t.Errorf("%s: %+v", row.name, c)
		}
	}
	// Names give no trust and take none away, and only strangers are noted.
	for _, f := range []SecurityFacts{
		named("", ACE{SID: "S-1-5-21-7-7-7-1001", Mask: fullControl}),
		named("me", ACE{SID: user, Name: "me", Mask: fullControl}, ACE{SID: "S-1-5-18", Name: "me", Mask: fullControl}),
		named("me", ACE{SID: "S-1-5-21-7-7-7-1001", Name: "you", Mask: fullControl}),
	} {
		if c := Classify(f, nil, ClassifyOptions{}); len(c.Notes) > 0 {
			t.Errorf("%+v: %q", f, c.Notes)
		}
	}
	// A file system without lists is not verified, rather than open or closed.
	r := withSecurity(Report{OK: true, Source: SourceUnknown}, SecurityFacts{}, refusal(CodeUnverified, "the file system has no access lists"))
	if r.Source != SourceUnknown || r.WorldWritable || !strings.Contains(r.Error, "no access lists") {
		t.Errorf("%+v", r)
	}
}

func TestReportedRepairs(t *testing.T) {
	env := map[string]string{"USERSID": "S-1-12-1-1-2-3-4", "USERNAME": "me", "USERDOMAIN": "AzureAD"}
	cmd := Reset{Path: `C:\d\key`, Env: env}.Command()
	if cmd == nil || !strings.HasSuffix(cmd.Display, `"C:\d\key" /inheritance:r /grant:r "*S-1-12-1-1-2-3-4:F" /grant:r "*S-1-5-18:F"`) {
		t.Errorf("a cloud account is named by its SID: %+v", cmd)
	}
	if cmd := (Reset{Path: `C:\d\key`, Env: map[string]string{}}).Command(); cmd != nil {
		t.Errorf("without a user inherited access must stay: %+v", cmd)
	}
}
