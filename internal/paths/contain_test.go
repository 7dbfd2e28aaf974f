package paths

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestContains(t *testing.T) {
	for _, row := range []struct {
		root, path string
		want       bool
	}{
		{"/proj/app", "/proj/app", true},
		{"/proj/app", "/proj/app/x", true},
		{"/proj/app", "/proj/app/x/y", true},
		{"/proj/app", "/proj/app-secrets/x", false},
		{"/proj/app", "/proj/app.", false},
		{"/proj/app", "/proj", false},
		{"/proj/app", "/", false},
		{"/proj/app", "/Proj/app/x", false},
		{"/", "/", true},
		{"/", "/x", true},
		{"C:/", "C:/x", true},
		{"C:/", "D:/x", false},
		{"C:/proj", "C:/projshop", false},
		{"", "/x", false},
		{"", "", false},
		{"/proj/app", "", false},
		{"/proj/app", "/proj/app/../x", false},
		{"/proj/app", "/proj/app/..", false},
		{"/proj/app", "/proj/app/..data", true},
		{"/proj/app", "/proj/app/..data/..", false},
		{"/proj/..", "/proj/../x", false},
	} {
		if got := Contains(row.root, row.path); got != row.want {
			t.Errorf("Contains(%q, %q) is %v", row.root, row.path, got)
		}
	}
}

func TestContainsOnEachSystem(t *testing.T) {
	const composed, decomposed = "/proj/caf\u00e9", "/proj/cafe\u0301"
	for _, row := range []struct {
		os         OS
		root, path string
		want       bool
	}{
		{POSIX, composed, decomposed + "/x", false},
		{Darwin, composed, decomposed + "/x", true},
		{Darwin, decomposed, composed + "/x", true},
		{Darwin, "/proj/App", "/proj/app/x", false},
		{Windows, "C:/Proj", "C:/proj/x", true},
		{Windows, "C:/Proj", "C:/projshop", false},
		{Windows, "C:/\u212a", "C:/k/x", false},
		{Windows, "C:/a\xff", "C:/A\xfe/x", false},
	} {
		if got := row.os.Contains(row.root, row.path); got != row.want {
			t.Errorf("%v.Contains(%q, %q) is %v", row.os, row.root, row.path, got)
		}
	}
}

func TestFold(t *testing.T) {
	for _, row := range []struct{ in, want string }{
		{"/home/dev/.coworker/config.toml", "/home/dev/.coworker/config.toml"},
		{"/home/dev/.COWORKER/Config.TOML", "/home/dev/.coworker/config.toml"},
		{"/p/.g\u200cit/hooks", "/p/.git/hooks"},
		{"/p/.git\ufeff/config", "/p/.git/config"},
		{"/p/.g\u00adit", "/p/.git"},
		{"/p/.git\U000e0041", "/p/.git"},
		{"/p/.\u212aube", "/p/.kube"},
		{"/p/.\u017fsh", "/p/.ssh"},
		{"/p/Stra\u00dfe", "/p/strasse"},
		{"/p/cafe\u0301", "/p/caf\u00e9"},
		{"/p/CAFE\u0301", "/p/caf\u00e9"},
		{"/p/\uab95", "/p/\uab95"},
		{"/p/\u13c5", "/p/\uab95"},
		{"/p/ΣΊΣΥΦΟΣ", "/p/σίσυφοσ"},
		{"", ""},
	} {
		if got := Fold(row.in); got != row.want {
			t.Errorf("Fold(%q) is %q, want %q", row.in, got, row.want)
		}
	}
}

func TestFoldMergesTheCasesOfEveryLetter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			if a, b := Fold(string(r)), Fold(string(other)); a != b {
				t.Errorf("%U folds to %q, and %U to %q", r, a, other, b)
			}
		}
	}
}

// Letters are folded one by one where that gives what the whole text does.
func TestFoldByLettersIsTheFoldOfTheText(t *testing.T) {
	same := func(s string) {
		if got, want := Fold(s), foldUnicode(s); got != want {
			t.Errorf("Fold(%q) is %q, of the whole text %q", s, got, want)
		}
	}
	for r := rune(utf8.RuneSelf); r <= 0x1ffff; r++ {
		same(string(r))
		if int(r) < len(foldedAlone) || r%64 == 0 {
			same("K" + string(r))
			same("\u1100\u00e9" + string(r) + "\u0301")
		}
	}
}

func TestFoldOfAFoldedPathCostsNothing(t *testing.T) {
	const p = "/proj/app/internal/paths/fold.go"
	if n := testing.AllocsPerRun(100, func() { Fold(p) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"/A/b", "é\u0301\u0345", "\u1e9b\u0323", "İ", "\u200d", "ǰ\u0323", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := Fold(s)
		if whole := foldUnicode(s); folded != whole && !isASCII(s) {
			t.Errorf("Fold(%q) is %q, of the whole text %q", s, folded, whole)
		}
		if utf8.ValidString(s) && Fold(folded) != folded {
			t.Errorf("Fold(%q) is %q, and folds on to %q", s, folded, Fold(folded))
		}
	})
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
