package inspect

import (
	"strings"
	"testing"
)

func TestTextRules(t *testing.T) {
	rows := []struct{ what, got, want string }{
		{"trim takes U+FEFF, U+00A0, U+2028", trim("\ufeff\u00a0\u2028x\u2029 "), "x"},
		{"trim leaves U+0085", trim("\u0085x\u0085"), "\u0085x\u0085"},
		{"final sigma", lower("ΟΔΟΣ"), "οδος"},
		{"dotted I", lower("İ"), "i\u0307"},
		{"Kelvin", lower("\u212a"), "k"},
		{"cut keeps whole characters", headUnits("a😀b", 3), "a😀"},
		{"cut in a pair", headUnits("a😀b", 2), "a\ufffd"},
		{"drop in a pair", dropUnits("a😀b", 2), "\ufffdb"},
		{"drop all", dropUnits("ab", 5), ""},
		{"one mark for a truncated sequence", decode("\xf0\x9f\x98"), "\ufffd"},
		{"bounded text ends in an ellipsis", Bound(strings.Repeat("x", 401)), strings.Repeat("x", 399) + "…"},
		{"bounded text may be full", Bound(strings.Repeat("x", 400)), strings.Repeat("x", 400)},
		{"a cut failure shows", BoundFailure(strings.Repeat("x", 4000)), strings.Repeat("x", 399) + "…"},
	}
	for _, r := range rows {
		if r.got != r.want {
			t.Errorf("%s: %q, want %q", r.what, r.got, r.want)
		}
	}
}

func TestIsSID(t *testing.T) {
	rows := map[string]bool{
		"S-1-5-18": true, "*s-1-5-18": true, "S-1-5-21-1-2-3-99999999999999999999999": true,
		"": false, "S-1-5": false, "S-1-5-": false, " S-1-5-18": false, "S-1-5-18\n": false,
		"\u017f-1-5-18": false, "S-1-0x5-1": false, "**S-1-5-18": false, "S-1-5-١٨": false,
	}
	for text, want := range rows {
		if got := IsSID(text); got != want {
			t.Errorf("IsSID(%q) = %v", text, got)
		}
	}
}

func TestIsNamespaceAlias(t *testing.T) {
	rows := map[string]bool{
		`C:\x`: false, `c:/x`: false, `\\?\C:\x`: false, `//?/C:/x`: false, `\\.\C:\x`: false,
		`\\srv\share\x`: false, `NUL`: false, `\\?\Volume{0}\`: false, "": false,
		`C:x`: true, `C:`: true, `C:\x:stream`: true, `C:\x::$DATA`: true, `x:y`: true, `:x`: true,
		`\\?\C:`: true, `é:\x`: true, `1:\x`: true, `\x\C:\y`: true,
	}
	for path, want := range rows {
		if got := IsNamespaceAlias(path); got != want {
			t.Errorf("IsNamespaceAlias(%q) = %v", path, got)
		}
	}
}

func TestNewCommandFailure(t *testing.T) {
	f := NewCommandFailure("x\ny", 1500_000, []byte("\xff"+strings.Repeat("e", 5000)))
	if f.Command != `x\u000ay` || f.DurationMS != 2 || units(f.Stderr) != diagnosticUnits || !strings.HasPrefix(f.Stderr, "\ufffd") {
		t.Errorf("%+v", f)
	}
}
