package inspect

import (
	"errors"
	"strings"
	"testing"
)

const me = "S-1-5-21-1-2-3-1001"

func TestClassify(t *testing.T) {
	list := func(aces ...ACE) SecurityFacts {
		return SecurityFacts{OwnerSID: lower(me), CurrentUserSID: lower(me), DACLPresent: true, Complete: true, ACEs: aces}
	}
	null := list()
	null.DACLPresent = false
	rows := []struct {
		name         string
		facts        SecurityFacts
		world, group string
		note         string
	}{
		{"null list", null, "rw", "", noteNullDACL},
		{"empty list", list(), "", "", ""},
		{"generic read", list(ACE{SID: "S-1-1-0", Mask: 0x80000000}), "r", "", ""},
		{"synchronize alone", list(ACE{SID: "S-1-1-0", Mask: 0x100000}), "", "", ""},
		{"anonymous may modify", list(ACE{SID: "s-1-5-7", Mask: 0x1301bf}, ACE{SID: "s-1-5-32-546", Mask: 0x120089}), "rw", "", ""},
		{"every packaged program", list(ACE{SID: "s-1-15-2-1", Mask: 0x1200a9}), "r", "", ""},
		{"a stranger", list(ACE{SID: "s-1-5-21-7-7-7-1001", Mask: fullControl}), "", "rw", ""},
		{"the user, SYSTEM, Administrators", list(ACE{SID: me, Mask: fullControl}, ACE{SID: sidSystem, Mask: fullControl}, ACE{SID: sidAdmins, Mask: fullControl}), "", "", ""},
		{"a future owner", list(ACE{SID: "s-1-3-0", Mask: fullControl}), "", "", notePlaceholder},
		{"children only", list(ACE{SID: "s-1-1-0", Mask: fullControl, InheritOnly: true}), "", "", noteChildren},
		{"deny takes nothing away", list(ACE{SID: "s-1-1-0", Mask: fullControl, Deny: true}, ACE{SID: "s-1-1-0", Mask: 1}), "r", "", ""},
	}
	for _, r := range rows {
		c := Classify(r.facts, nil, ClassifyOptions{})
		world, group := flags(c.WorldReadable, c.WorldWritable), flags(c.GroupReadable, c.GroupWritable)
		if !c.OK || c.Source != SourceWindowsACL || world != r.world || group != r.group || !strings.Contains(strings.Join(c.Notes, "\n"), r.note) {
			t.Errorf("%s: world %q, group %q, %+v", r.name, world, group, c)
		}
	}
}

func flags(canRead, canWrite bool) string {
	return strings.Repeat("r", btoi(canRead)) + strings.Repeat("w", btoi(canWrite))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestOwnerTrusted(t *testing.T) {
	rows := []struct {
		owner  string
		remote bool
		want   bool
	}{
		{lower(me), false, true},
		{sidSystem, false, true},
		{sidAdmins, false, true},
		{sidTrustedInst, false, false},
		{"s-1-5-21-9-9", false, false},
		{lower(me), true, false},
		{"", false, false},
	}
	for _, r := range rows {
		f := SecurityFacts{OwnerSID: r.owner, CurrentUserSID: lower(me), DACLPresent: true, Complete: true, Remote: r.remote}
		if c := Classify(f, nil, ClassifyOptions{}); *c.OwnerTrusted != r.want {
			t.Errorf("owner %s, remote %v: trusted %v", r.owner, r.remote, *c.OwnerTrusted)
		}
	}
	if c := Classify(SecurityFacts{}, nil, ClassifyOptions{}); c.OK || *c.OwnerTrusted || c.Error == "" {
		t.Errorf("zero facts: %+v", c)
	}
}

func TestUnverifiedFactsGrantNothing(t *testing.T) {
	good := `{"owner_sid":"` + me + `","current_user_sid":"` + me + `","dacl_present":true,"aces":[],"complete":true,"remote":false}`
	rows := []struct{ document, error string }{
		{good, ""},
		{"\ufeff\u00a0" + good + "\u2028", ""},
		{strings.Replace(good, "owner_sid", "OWNER_SID", 1), invalidSID.text},
		{strings.Replace(good, "owner_sid", "ownerSid", 1), invalidSID.text},
		{strings.Replace(good, me, me+`\n`, 1), invalidSID.text},
		{strings.Replace(good, "S-1-5", "\u017f-1-5", 1), invalidSID.text},
		{strings.Replace(good, `"remote":false`, `"remote":0`, 1), invalidLocality.text},
		{strings.Replace(good, `"complete":true`, `"complete":false`, 1), incompleteACL.text},
		{strings.Replace(good, `[]`, `{}`, 1), incompleteACL.text},
		{strings.Replace(good, `[]`, `[{"sid":"s-1-1-0","mask":-1,"deny":false,"inherit_only":false}]`, 1), invalidRule.text},
		{strings.Replace(good, `[]`, `[{"sid":"s-1-1-0","mask":4294967296,"deny":false,"inherit_only":false}]`, 1), invalidRule.text},
		{strings.Replace(good, `[]`, `[{"sid":"s-1-1-0","mask":1.5,"deny":false,"inherit_only":false}]`, 1), invalidRule.text},
		{strings.Replace(good, `[]`, `[null]`, 1), invalidRule.text},
		{"", invalidJSON.text},
		{good + "\u0085", invalidJSON.text},
		{good + good, invalidJSON.text},
		{strings.Repeat(" ", 2*maxFactsBytes), oversized.text},
	}
	for _, r := range rows {
		facts, err := ParseFacts([]byte(r.document), SnakeCase)
		c := Classify(facts, err, ClassifyOptions{})
		if c.Error != r.error || c.OK != (r.error == "") {
			t.Errorf("%.120q: ok %v, error %q, want %q", r.document, c.OK, c.Error, r.error)
		}
	}
	if c := Classify(SecurityFacts{}, errors.New("a\nb"), ClassifyOptions{}); c.OwnerError != `a\u000ab` || c.OwnerTrusted != nil {
		t.Errorf("%+v", c)
	}
}
