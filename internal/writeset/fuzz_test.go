package writeset

import (
	"testing"
	"unicode/utf8"
)

func FuzzCodexPatch(f *testing.F) {
	fuzz(f, "patch", CodexPatch)
}

func FuzzUnifiedDiff(f *testing.F) {
	fuzz(f, "diff", UnifiedDiff)
}

// fuzz checks that reading never panics, that the bounds hold, that the plain
// reading is in the set, and that the list has no duplicates.
func fuzz(f *testing.F, kind string, read func(string) Set) {
	for _, s := range sampleTexts(f) {
		if s.Kind == kind {
			f.Add(s.Text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		set := read(text)
		if len(set.Paths) > MaxPaths {
			t.Errorf("%d paths", len(set.Paths))
		}
		seen := map[Path]bool{}
		for _, p := range set.Paths {
			if seen[p] {
				t.Errorf("%+v twice", p)
			}
			seen[p] = true
		}
		// Tool arguments are JSON strings, and so valid UTF-8.
		if len(text) <= MaxText && utf8.ValidString(text) {
			checkPlain(t, sampleText{Kind: kind, Text: text})
		}
	})
}
