package shell

import (
	"strings"
	"testing"
)

func TestRanges(t *testing.T) {
	for _, row := range []struct {
		word string
		want string // words; empty if it is not expanded
	}{
		{"x", "x"},
		{"x{1..3}", "x1 x2 x3"},
		{"{c..a}{01..02}y", "c01y c02y b01y b02y a01y a02y"},
		{"{1..9..4}/{a}{1..2}", "1/{a}1 1/{a}2 5/{a}1 5/{a}2 9/{a}1 9/{a}2"},
		{"}{{1..2}", "}{1 }{2"},
		{"{a,{1..2}", "{a,1 {a,2"},
		{"{a..{b..c}}", ""},
		{"{1..x}", ""},
		{"{1..999}", ""},
		{"{1..9}{1..9}", ""},
		{"{..}", ""},
	} {
		got, ok := Ranges(row.word, 64)
		if ok != (row.want != "") || ok && strings.Join(got, " ") != row.want {
			t.Errorf("%s: %q, %v", row.word, got, ok)
		}
	}
}
