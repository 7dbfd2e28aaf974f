package inspect

import (
	"os/exec"
	"strings"
	"testing"
)

func TestShellQuote(t *testing.T) {
	rows := []struct{ word, want string }{
		{"", "''"},
		{"/a-b_c.d/e@f%g+h=i:j,k", "/a-b_c.d/e@f%g+h=i:j,k"},
		{"a=b", "a=b"},
		{"=ls", "'=ls'"}, // zsh would run it
		{"~user", "'~user'"},
		{"it's", `'it'\''s'`},
		{"$(id)", "'$(id)'"},
		{"a\nb", `$'a\012b'`},
		{"a\nb'c\\", `$'a\012b\'c\\'`},
		{"\x1b]0;x\a1", `$'\033]0;x\0071'`},
		{"/x/\u202egnp.yek", `$'/x/\342\200\256gnp.yek'`},
		{"\xff\xfe", `$'\377\376'`},
		{"a\ufffdb", "'a\ufffdb'"}, // the character itself, not a broken byte
		{"日本", "'日本'"},
		{"x\u200by", `$'x\342\200\213y'`},
	}
	for _, r := range rows {
		if got := ShellQuote(r.word); got != r.want {
			t.Errorf("ShellQuote(%q) = %s, want %s", r.word, got, r.want)
		}
		if shell, err := exec.LookPath("bash"); err == nil && !strings.Contains(r.word, "\x00") {
			out, err := exec.Command(shell, "-c", "printf %s "+ShellQuote(r.word)).Output()
			if err != nil || string(out) != r.word {
				t.Errorf("bash reads %s as %q (%v), want %q", ShellQuote(r.word), out, err, r.word)
			}
		}
	}
}

func TestFormatChmod(t *testing.T) {
	rows := []struct {
		path string
		mode uint32
		want string
	}{
		{"/x", 0o600, "chmod 600 /x"},
		{"/x", 0, "chmod 000 /x"},
		{"/x", 0o1777, "chmod 1777 /x"},
		{"/x", 0o100600, "chmod 600 /x"},
		{"-rf", 0o600, "chmod 600 -- -rf"},
		{"-x y", 0o600, "chmod 600 -- '-x y'"},
		{"./-x", 0o600, "chmod 600 ./-x"},
		{"-a\tb", 0o600, `chmod 600 -- $'-a\011b'`},
		{"/x/it's $(id) -n.key", 0o600, `chmod 600 '/x/it'\''s $(id) -n.key'`},
	}
	for _, r := range rows {
		if got := FormatChmod(r.path, r.mode); got != r.want {
			t.Errorf("FormatChmod(%q, %o) = %s, want %s", r.path, r.mode, got, r.want)
		}
	}
}

func TestDetailIsOneLine(t *testing.T) {
	summary := "a\x1b[31m:(F)"
	rows := []struct {
		r    Report
		want string
	}{
		{Report{Source: SourcePOSIX, Bits: known(uint32(0o640))}, `/a\u000ab mode=640`},
		{Report{}, `/a\u000ab mode=unknown`},
		{Report{Source: SourceWindowsACL}, `/a\u000ab acl=unknown`},
		{Report{Source: SourceWindowsACL, ACLSummary: &summary}, `/a\u000ab acl=a\u001b[31m:(F)`},
	}
	for _, r := range rows {
		if got := FormatDetail("/a\nb", r.r); got != r.want {
			t.Errorf("got %q, want %q", got, r.want)
		}
	}
}
