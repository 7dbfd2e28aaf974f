package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestForeignTextCannotSteerATerminal(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{`it's a "plain" C:\path é 你`, `it's a "plain" C:\path é 你`},
		{"\x1b[2Jgone", `\x1b[2Jgone`},
		{"a\nb\tc\r", `a\nb\tc\r`},
		{"abc\u202etxt.exe", `abc\u202etxt.exe`},
		{"zero\u200bwidth", `zero\u200bwidth`},
		{"bad \xff byte", `bad \xff byte`},
	} {
		if got := plain(row.text); got != row.want {
			t.Errorf("%q: %s, want %s", row.text, got, row.want)
		}
	}
}

func TestColoursAreForTerminalsOnly(t *testing.T) {
	a := &app{stdout: &bytes.Buffer{}, getenv: func(string) string { return "" }}
	if a.palette() {
		t.Error("a buffer is no terminal")
	}
	if got := palette(false).paint(red, "x"); got != "x" {
		t.Errorf("%q", got)
	}
	if got := palette(true).paint(red, "x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("%q", got)
	}
}

func TestADecisionForAPerson(t *testing.T) {
	d := shownDecision{
		Outcome: "ask", HumanOnly: true, Code: "linked_file", Reason: "the file\x1b has other names", Risk: "write_local",
		Mode: "interactive", Warnings: []string{"roots/0: ignored"}, Obligations: []string{"a", "b"}, Rule: "send → #ops",
	}
	var b bytes.Buffer
	d.print(&b, false)
	want := `ask, a person only: the file\x1b has other names
  code linked_file, risk write_local, mode interactive
  rule send → #ops
  obligations: a, b
  warning: roots/0: ignored
`
	if b.String() != want {
		t.Errorf("got:\n%s", b.String())
	}
	b.Reset()
	d.print(&b, true)
	if !strings.HasPrefix(b.String(), "\x1b[33mask\x1b[0m, a person only") {
		t.Errorf("got:\n%s", b.String())
	}
}
