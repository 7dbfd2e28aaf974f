package writeset

import (
	"slices"
	"strings"
	"testing"
)

// texts lists the texts of a set, in order.
func texts(s Set) []string {
	out := []string{}
	for _, p := range s.Paths {
		out = append(out, p.Text)
	}
	return out
}

func TestCodexPatch(t *testing.T) {
	tests := []struct {
		name   string
		text   string
		want   []string
		unsure string
	}{
		{"every kind of header", "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n@@\n-x\n+y\n*** Delete File: d\n*** End Patch\n", []string{"a", "b", "c", "d"}, ""},
		{"no markers", "*** Add File: a", []string{"a"}, ""},
		{"markers in the wrong order", "*** End Patch\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n", []string{"a"}, ""},
		{"a second patch after the first", "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n*** Begin Patch\n*** Add File: .gitlab-ci.yml\n+y\n*** End Patch\n", []string{"a", ".gitlab-ci.yml"}, ""},
		{"here-document wrapper", "apply_patch <<'PATCH-1'\n*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\nPATCH-1\n", []string{"a.txt"}, ""},
		{"a change of directory before it", "cd /etc && apply_patch <<'E'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nE\n", []string{"a"}, unsureDirectory},
		{"a change of directory on its own line", "set -e\n  pushd ../x;\n*** Add File: a\n", []string{"a"}, unsureDirectory},
		{"words that only look like it", "cdx && apply_patch <<E\n*** Add File: a\n+cd x\n*** Update File: b\n cd y\n", []string{"a", "b"}, ""},
		{"end of file marker", "*** Update File: a\n@@\n-x\n+y\n*** End of File\n*** Delete File: b\n", []string{"a", "b"}, ""},
		{"environment line", "*** Environment ID: x\n*** Add File: a", []string{"a"}, ""},
		{"CRLF", "*** Add File: a\r\n+x\r\n*** Update File: b\r\n@@\r\n *** Add File: /etc/x\r\n", []string{"a", "b"}, ""},
		{"blanks around the name", "*** Add File:  ../x \t", []string{"../x"}, ""},
		{"Unicode blanks around the name", "*** Add File: \u3000../x\u00a0\u0085", []string{"../x"}, ""},
		{"byte order mark around the name", "*** Add File: \ufeff../x\ufeff", []string{"\ufeff../x\ufeff", "../x"}, ""},
		{"byte order mark before the header", "*** Add File: a\n\ufeff*** Add File: ../x", []string{"a", "../x"}, ""},
		{"empty name is the workspace root", "*** Add File: \t\n*** Add File: b", []string{"", "b"}, ""},
		{"empty name alone", "*** Add File: \r\n", []string{""}, ""},
		{"no name at all", "*** Add File: \n*** Add File: b", []string{"", "b"}, ""},
		{"quotes are part of the name", "*** Add File: \"../x\"", []string{`"../x"`}, ""},
		{"arrow is part of the name", "*** Update File: a -> ../x", []string{"a -> ../x"}, ""},
		{"appliers that split at colons", "*** Add File: ../x:y", []string{"../x:y", "../x"}, ""},
		{"absolute name", "*** Update File: /ws/a.txt\n@@\n-x\n+y\n", []string{"/ws/a.txt"}, ""},
		{"twice the same", "*** Add File: a\n*** Add File: a\n", []string{"a"}, ""},

		{"added line is content", "*** Add File: a\n+*** Add File: ../x\n", []string{"a"}, ""},
		{"removed line is content", "*** Update File: a\n@@\n-*** Add File: ../x\n", []string{"a"}, ""},
		{"context line is content", "*** Update File: doc.md\n@@\n *** Update File: /etc/passwd\n-x\n+y\n", []string{"doc.md"}, ""},
		{"context line after other body lines", "*** Update File: a\n@@ f\n-x\n\n   *** Add File: ../x\n", []string{"a"}, ""},

		{"blank before a header below an added file", "*** Add File: a\n+1\n *** Add File: ../x\n+1\n", []string{"a", "../x"}, ""},
		{"blank before a header below a deletion", "*** Delete File: a\n *** Delete File: ../x\n", []string{"a", "../x"}, ""},
		{"blank before a header, no hunk yet", "*** Update File: a\n *** Add File: ../x\n", []string{"a", "../x"}, ""},
		{"TAB before a header in a hunk", "*** Update File: a\n@@\n\t*** Add File: ../x\n", []string{"a", "../x"}, ""},
		{"no-break space before a header in a hunk", "*** Update File: a\n@@\n\u00a0*** Add File: ../x\n", []string{"a", "../x"}, ""},
		{"hunk ended by a stray line", "*** Update File: a\n@@\n-x\nstray\n *** Add File: ../x\n", []string{"a", "../x"}, ""},
		{"hunk ended by a marker", "*** Update File: a\n@@\n-x\n*** End Patch\n *** Add File: ../x\n", []string{"a", "../x"}, ""},
		{"an added file has no hunks", "*** Add File: a\n@@\n *** Add File: ../x\n", []string{"a", "../x"}, ""},
		{"an update that only some appliers see opens no hunk", "*** Add File: a\f*** Update File: b\n@@\n *** Add File: ../x\n", []string{"a\f*** Update File: b", "a\f*** Update File", "a", "b", "../x"}, ""},

		{"no blank after the colon", "*** Add File: a\n*** Add File:../x", []string{"a", "../x"}, ""},
		{"copy", "*** Update File: a\n*** Copy to: ../x", []string{"a", "../x"}, ""},

		{"nothing", "", nil, unsureNoHeader},
		{"only markers", "*** Begin Patch\n*** End Patch", nil, unsureNoHeader},
		{"content only", "+*** Add File: ../x", nil, unsureNoHeader},
		{"only a header after a blank", " *** Add File: ../x", []string{"../x"}, unsureSpelling},
		{"only a header without a blank", "*** Add File:../x", []string{"../x"}, unsureSpelling},
		{"only a copy", "*** Copy to: x", []string{"x"}, unsureSpelling},
		{"header in lower case", "*** Add File: a\n*** add file: ../x", []string{"a"}, unsureUnknown},
		{"header with two blanks", "*** Add File: a\n*** Add  File: ../x", []string{"a"}, unsureUnknown},
		{"header of another kind", "*** Add File: a\n*** Rename File: ../x", []string{"a"}, unsureUnknown},
		{"move with a capital", "*** Update File: a\n*** Move To: ../x", []string{"a"}, unsureUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := CodexPatch(tt.text)
			if !slices.Equal(texts(got), append([]string{}, tt.want...)) || got.Unsure != tt.unsure {
				t.Errorf("CodexPatch(%q)\n got %q, unsure %q\nwant %q, unsure %q", tt.text, texts(got), got.Unsure, tt.want, tt.unsure)
			}
		})
	}
}

func TestCodexPatchSeesHeadersBehindEveryLineEnd(t *testing.T) {
	for _, end := range []string{"\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029"} {
		for _, before := range []string{"*** Add File: a\n+1", "*** Add File: a", "*** Update File: a\n@@\n b"} {
			got := CodexPatch(before + end + "*** Add File: ../x\n+1\n")
			if !has(got, "../x") || !has(got, "a") || !got.Located() {
				t.Errorf("after %q and %q: %+v", before, end, got)
			}
		}
	}
}

func TestCodexPatchSaysWhatHappens(t *testing.T) {
	got := CodexPatch("*** Add File: a\n*** Update File: b\n*** Move to: c\n*** Delete File: d\n*** Copy to: e\n*** Delete File: a\n").Paths
	want := []Path{{Text: "a", Op: Create}, {Text: "b", Op: Write}, {Text: "c", Op: Rename}, {Text: "d", Op: Delete}, {Text: "e", Op: Copy}, {Text: "a", Op: Delete}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBounds(t *testing.T) {
	long := strings.Repeat("*** Add File: a\n+++ b/x\n", MaxText/24+1)
	for _, read := range []func(string) Set{CodexPatch, UnifiedDiff} {
		if got := read(long); got.Unsure != unsureTooLong {
			t.Errorf("long text: unsure %q", got.Unsure)
		}
	}
	var codex, diff strings.Builder
	for i := range MaxPaths + 1 {
		name := string(rune('a'+i%26)) + strings.Repeat("x", i/26%30) + string(rune('a'+i/780))
		codex.WriteString("*** Add File: " + name + "\n")
		diff.WriteString("+++ b/" + name + "\n")
	}
	for i, got := range []Set{CodexPatch(codex.String()), UnifiedDiff(diff.String())} {
		if got.Unsure != unsureTooMany || len(got.Paths) != MaxPaths {
			t.Errorf("%d: %d paths, unsure %q", i, len(got.Paths), got.Unsure)
		}
	}
}

func TestTheZeroSetIsNotLocated(t *testing.T) {
	if (Set{}).Located() || (Set{Paths: []Path{{Text: "x"}}, Unsure: "why"}).Located() {
		t.Error("located")
	}
}
