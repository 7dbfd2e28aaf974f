package inspect

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzParseIcacls(f *testing.F) {
	f.Add("C:\\key Everyone:(R)\n       NT AUTHORITY\\SYSTEM:(F)\n", `C:\key`)
	f.Add("C:\\a b (1) PC\\x (y):(OI)(CI)\r\n   (IO)(M)\rBUILTIN\\Users:(DENY)(W)\n", `C:\a b (1)`)
	f.Add(":((:)()\n", "")
	f.Add("\u0130:(\ufeffF)", "\u0130")
	// Neither line has a control character; side by side they would.
	f.Add("a\xc2\n\x9bb", "")
	f.Fuzz(func(t *testing.T, output, target string) {
		acl := ParseIcacls(output, target)
		if len(acl.Entries)+len(acl.InheritOnly)+len(acl.Denied)+len(acl.Labels) == 0 && acl.Error == "" {
			t.Error("no entry and no error")
		}
		for _, e := range acl.Entries {
			if len(e.Rights) == 0 || e.SID != "" && !IsSID(e.SID) {
				t.Errorf("%+v", e)
			}
		}
		s := Summarize(acl.Entries, map[string]string{}, "")
		if len(s.Trusted)+len(s.UntrustedWorld)+len(s.UntrustedGroup) != len(acl.Entries) {
			t.Error("an entry was lost")
		}
		if strings.ContainsFunc(strings.Join(acl.Ignored, ""), isControl) {
			t.Error("a control character in what was ignored")
		}
	})
}

func FuzzParseDescriptor(f *testing.F) {
	list := aclBytes(aceBytes(aceAllow, 3, fullControl, everyone), aceBytes(5, 0, 1, system))
	f.Add(descriptorBytes(controlDACLPresent, system, list))
	f.Add(descriptorBytes(0, system, nil))
	private, err := privateDescriptor(testUser, testContainer)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(private)
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := ParseDescriptor(b)
		if err != nil {
			if d.DACLPresent || d.Complete || d.OwnerSID != "" {
				t.Error("facts beside an error")
			}
			return
		}
		if !IsSID(d.OwnerSID) || d.Complete == (len(d.UnsupportedACETypes) > 0) {
			t.Errorf("%+v", d)
		}
		back, err := encodeSID(d.OwnerSID)
		if err != nil {
			t.Errorf("the owner %s cannot be written: %v", d.OwnerSID, err)
		} else if again, _, err := parseSID(back); err != nil || again != d.OwnerSID {
			t.Errorf("%s comes back as %s, %v", d.OwnerSID, again, err)
		}
		c := Classify(d.SecurityFacts(testUser, false), nil, ClassifyOptions{})
		if !d.DACLPresent && d.Complete && !c.WorldWritable {
			t.Error("a null list is not open")
		}
		if !d.Complete && c.Source != SourceUnknown {
			t.Error("verified, though not understood in full")
		}
	})
}

func FuzzParseFacts(f *testing.F) {
	f.Add([]byte(`{"ownerSid":"S-1-5-18","currentUserSid":"S-1-5-18","daclPresent":true,"aces":[{"sid":"S-1-1-0","mask":1,"deny":false,"inheritOnly":false}],"complete":true,"remote":false}`))
	f.Add([]byte(`{"owner_sid":"S-1-5-18","current_user_sid":"*S-1-5-18","dacl_present":false,"aces":[],"complete":true,"remote":true}`))
	f.Add([]byte("\ufeff null"))
	f.Fuzz(func(t *testing.T, document []byte) {
		for _, keys := range []Spelling{CamelCase, SnakeCase} {
			facts, err := ParseFacts(document, keys)
			c := Classify(facts, err, ClassifyOptions{})
			if err != nil && (c.OK || c.Source != SourceUnknown || c.Error == "") {
				t.Errorf("verified in spite of %v", err)
			}
			if utf8.RuneCountInString(c.Error) > diagnosticUnits || strings.ContainsFunc(c.Error, isControl) {
				t.Errorf("%q", c.Error)
			}
		}
	})
}

// FuzzAttributes: what a file system says about an object may be anything.
func FuzzAttributes(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00\x01\x00\x06\x00\xff\xff\xff\xff\x04\x00\x04\x00\xff\xff\xff\xff\x20\x00\x00\x00\xff\xff\xff\xff"))
	f.Add([]byte("\x01\x00\x00\x02\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte(`11 10 0:2 / /mnt/c rw - 9p C:\134 rw,aname=drvfs;path=C:\;metadata`))
	f.Fuzz(func(t *testing.T, b []byte) {
		acl, err := ParsePosixACL(b)
		if err == nil {
			for i := range acl {
				if acl[i].Effective&^acl[i].Perms != 0 || acl[i].named() != (acl[i].ID != nil) {
					t.Errorf("%+v", acl[i])
				}
			}
			acl.grants(&Subject{UID: 1, GIDs: []uint32{2}}, 0, 0, PermRead)
		}
		if c, err := ParseCapabilities(b); err == nil && (c.Permitted == nil || c.Inheritable == nil) {
			t.Error("a list is nil")
		}
		line, ok := mountinfoLine(string(b), 11)
		m := Mount{Type: line.kind}
		m.describe(line.source, line.options)
		if !ok && m.Type != "" {
			t.Error("a type of no line")
		}
		if _, err := json.Marshal(m); err != nil {
			t.Error(err)
		}
	})
}

func FuzzNames(f *testing.F) {
	f.Add(`\Device\Mup\;x\server\share`, `C:\a\.\`)
	f.Add("a\u202eb\x1b[31m", "\xff\xfe")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, s := range []string{a, b} {
			if shown := showName(s); strings.ContainsFunc(shown, isHidden) || !utf8.ValidString(shown) {
				t.Errorf("%q is shown as %q", s, shown)
			}
			if quoted := ShellQuote(s); strings.ContainsFunc(quoted, isHidden) {
				t.Errorf("%q is quoted as %q", s, quoted)
			}
			rootEntry(s)
			_ = checkPrivatePath(s)
			_, _, _ = splitPrivate(s)
		}
		dosName(a, map[string]string{"C:": b})
	})
}
