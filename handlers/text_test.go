package handlers

import (
	"testing"

	"github.com/agent-pdp/pdp/decide"
)

func TestVisible(t *testing.T) {
	for _, row := range []struct{ in, out string }{
		{"plain: ä → 日本 😀", "plain: ä → 日本 😀"},
		{"rm x \u202e txt", `rm x \u202e txt`},
		{"a\nb\x1b[2J\x7f\u0085", `a\u000ab\u001b[2J\u007f\u0085`},
		{"\u2028\u2029\ufeff\u200b\u2066", `\u2028\u2029\ufeff\u200b\u2066`},
		{"tag \U000E0041", `tag \U000e0041`},
	} {
		if got := visible(row.in); got != row.out {
			t.Errorf("visible(%q) = %q, want %q", row.in, got, row.out)
		}
	}
}

func TestHides(t *testing.T) {
	for _, row := range []struct {
		json string
		want bool
	}{
		{`{"command":"ls\t-l\n"}`, false},
		{`{"content":"line\r\nline\r\n"}`, false},
		{`{"content":"spinner\rdone"}`, true},
		{`{"command":"ls \u202e"}`, true},
		{`{"command":"l\u200bs"}`, true},
		{`{"a":[{"b":["\u0007"]}]}`, true},
		{`{"a\u200d":1}`, true},
		{`{"a":"\udb40\udc41"}`, true},
		{`{"a":"Grüße 日本 😀"}`, false},
		{`null`, false},
	} {
		v, err := decide.ParseValue([]byte(row.json))
		if err != nil {
			t.Fatal(err)
		}
		if got := hides(v); got != row.want {
			t.Errorf("hides(%s) = %v", row.json, got)
		}
	}
}
