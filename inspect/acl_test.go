package inspect

import (
	"fmt"
	"strings"
	"testing"
)

func show(entries []Entry) string {
	var out []string
	for _, e := range entries {
		access := ""
		if e.CanRead {
			access += "r"
		}
		if e.CanWrite {
			access += "w"
		}
		out = append(out, fmt.Sprintf("%s %s", e.Principal, access))
	}
	return strings.Join(out, "; ")
}

func TestParseIcacls(t *testing.T) {
	rows := []struct {
		target, text                       string
		entries, inheritOnly, label, error string
	}{
		{
			target:  `C:\My Files\k (1).txt`,
			text:    "C:\\My Files\\k (1).txt BUILTIN\\Users:(R)\n                         PC1\\me:(F)\n",
			entries: `BUILTIN\Users r; PC1\me rw`,
		},
		{
			target:  `C:\d\key`,
			text:    "C:\\d\\key CORP\\app(admins):(RX)\n         CORP\\team (eu):(OI)(CI)(M)\n",
			entries: `CORP\app(admins) r; CORP\team (eu) rw`,
		},
		{
			target:      `C:\d\key`,
			text:        "C:\\d\\key S-1-15-3-1024-1-2-3:(I)(RX)\n NT SERVICE\\TrustedInstaller:(I)(CI)(IO)(F)\n BUILTIN\\Users:(OI)(CI)(Rc,S,RD,REA,X,RA)\n",
			entries:     `S-1-15-3-1024-1-2-3 r; BUILTIN\Users r`,
			inheritOnly: `NT SERVICE\TrustedInstaller rw`,
		},
		{
			target:  `C:\d\dir`,
			text:    "C:\\d\\dir Mandatory Label\\Low Mandatory Level:(OI)(CI)(NW)\n BUILTIN\\Administrators:(F)\n",
			entries: `BUILTIN\Administrators rw`,
			label:   `Mandatory Label\Low Mandatory Level `,
		},
		{
			target: `C:\d\key`,
			text:   "Administrators: Zuordnungen von Kontennamen wurden nicht durchgeführt.\n0 Dateien erfolgreich verarbeitet, bei 1 Dateien ist ein Fehler aufgetreten.\n",
			error:  noACELines,
		},
		{target: `C:\d\key`, text: "", error: noACELines},
		{target: `C:\d\key`, text: "C:\\d\\key: Access is denied. (5)\n", error: noACELines},
		{target: `C:\d\key`, text: "D:\\other Everyone:(F)\n", entries: `D:\other Everyone rw`, error: otherPath},
		{target: `k`, text: "k Everyone:(GA)\n A:(GR)\n B:(GW)\n C:(N)\n D:(special access:)\n", entries: "Everyone rw; A r; B w; C ; D rw"},
		{target: `k`, text: "k Everyone:(OI)(CI)\n   (F)\n", entries: "Everyone rw"},
		{target: `k`, text: "k Everyone:(F)\rB:(R)\r", entries: "Everyone rw; B r"},
	}
	for _, r := range rows {
		got := ParseIcacls(r.text, r.target)
		if show(got.Entries) != r.entries || show(got.InheritOnly) != r.inheritOnly || show(got.Labels) != r.label || got.Error != r.error {
			t.Errorf("%q\n got %q, io %q, labels %q, error %q", r.text, show(got.Entries), show(got.InheritOnly), show(got.Labels), got.Error)
		}
	}
}

func TestDeniedRightsAreNoGrants(t *testing.T) {
	got := ParseIcacls("k Everyone:(DENY)(W)\n", "k")
	if len(got.Entries) != 0 || show(got.Denied) != "Everyone " || got.Error != "" {
		t.Errorf("%+v", got)
	}
}

func TestSummarizeTrustsSIDsBeforeNames(t *testing.T) {
	env := map[string]string{"USERNAME": "me", "USERDOMAIN": "CORP", "USERSID": "S-1-5-21-1-2-3-1001"}
	rows := []struct {
		e    Entry
		want Class
	}{
		{Entry{Principal: `CORP\me`}, ClassTrusted},
		{Entry{Principal: `CORP\me`, SID: "s-1-5-21-7-7-7-1001"}, ClassGroup}, // same name, other SID
		{Entry{Principal: `SYSTEM`, SID: "s-1-1-0"}, ClassWorld},
		{Entry{Principal: `BUILTIN\Administrateurs`, SID: "s-1-5-32-544"}, ClassTrusted},
		{Entry{Principal: `*S-1-5-21-1-2-3-1001`}, ClassTrusted},
		{Entry{Principal: `Jeder`}, ClassGroup},
		{Entry{Principal: ``}, ClassGroup},
	}
	for _, r := range rows {
		s := Summarize([]Entry{r.e}, env, "")
		got := ClassGroup
		if len(s.Trusted) == 1 {
			got = ClassTrusted
		} else if len(s.UntrustedWorld) == 1 {
			got = ClassWorld
		}
		if got != r.want {
			t.Errorf("%+v: %v, want %v", r.e, got, r.want)
		}
	}
}

func TestReset(t *testing.T) {
	rows := []struct {
		r    Reset
		want string
	}{
		{
			Reset{Path: `C:\d\key`, Env: map[string]string{"USERSID": "S-1-12-1-1-2-3-4", "USERNAME": "me", "USERDOMAIN": "AzureAD"}},
			`C:\Windows\System32\icacls.exe "C:\d\key" /inheritance:r /grant:r "*S-1-12-1-1-2-3-4:F" /grant:r "*S-1-5-18:F"`,
		},
		{
			Reset{Path: `C:\d`, IsDir: true, Env: map[string]string{"USERSID": "S-1-1-0", "USERNAME": "me"}},
			`C:\Windows\System32\icacls.exe "C:\d" /inheritance:r /grant:r "me:(OI)(CI)F" /grant:r "*S-1-5-18:(OI)(CI)F"`,
		},
		{Reset{Path: `C:\d`, Env: map[string]string{}}, ""},
		{Reset{Path: `C:\d`, Env: map[string]string{"USERDOMAIN": "PC"}}, ""},
		{Reset{Path: "C:\\d\" & calc \"", Env: map[string]string{"USERNAME": "me"}}, ""},
		{Reset{Path: "C:\\d\r\ncalc", Env: map[string]string{"USERNAME": "me"}}, ""},
		{
			Reset{Path: `C:\d`, Env: map[string]string{"USERNAME": "me", "SystemRoot": "/", "windir": `D:\Win`}},
			`D:\Win\System32\icacls.exe "C:\d" /inheritance:r /grant:r "me:F" /grant:r "*S-1-5-18:F"`,
		},
	}
	for _, r := range rows {
		got := ""
		if cmd := r.r.Command(); cmd != nil {
			got = cmd.Display
		}
		if got != r.want {
			t.Errorf("%+v\n got %s\nwant %s", r.r, got, r.want)
		}
	}
}

func TestCleanWindows(t *testing.T) {
	rows := []struct{ path, want string }{
		{`C:\a\..\..\b\.\c`, `C:\b\c`},
		{`\\srv\share\..\x`, `\\srv\share\x`},
		{`\\srv`, `\\srv\\`},
		{`/a//b/`, `\a\b`},
	}
	for _, r := range rows {
		if got := cleanWindows(r.path); got != r.want {
			t.Errorf("cleanWindows(%q) = %q, want %q", r.path, got, r.want)
		}
	}
}
