package paths

import (
	"slices"
	"strings"
	"testing"
)

func TestBraces(t *testing.T) {
	for _, row := range []struct {
		word    string
		escapes bool
		want    string // with blanks between
	}{
		{"a", false, ""},
		{"{a}", false, ""},
		{"{a,b", false, ""},
		{"{a,b}c", false, "ac bc"},
		{"x{a,}", false, "xa x"},
		{"{a,{b,c}}", false, "a {b,c}"},
		{"{a,b}{c,d}", false, "a{c,d} b{c,d}"},
		{"{x{a,b}", false, "{xa {xb"},
		{"{a}{b,c}", false, "{a}b {a}c"},
		{`\{a,b}`, true, ""},
		{`{a\,b,c}`, true, `a\,b c`},
		{`\{a,b}`, false, `\a \b`},
	} {
		if got := Braces(row.word, row.escapes); !slices.Equal(got, strings.Fields(row.want)) && strings.Join(got, " ") != row.want {
			t.Errorf("%s: got %q, want %q", row.word, got, row.want)
		}
	}
}
