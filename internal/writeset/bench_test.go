package writeset

import (
	"fmt"
	"strings"
	"testing"
)

// repeat joins n parts, each about another file.
func repeat(n int, part string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(part, "%", fmt.Sprintf("dir%d/file%d.go", i%7, i)))
	}
	return b.String()
}

const (
	codexPart = "*** Update File: %\n@@ func f()\n context\n-old\n+new\n context\n"
	diffPart  = "diff --git a/% b/%\nindex 83db48f..bf2a1c4 100644\n--- a/%\n+++ b/%\n@@ -1,4 +1,4 @@ func f()\n one\n-two\n+TWO\n three\n four\n"
)

func BenchmarkCodexPatch(b *testing.B)  { benchmark(b, codexPart, CodexPatch) }
func BenchmarkUnifiedDiff(b *testing.B) { benchmark(b, diffPart, UnifiedDiff) }

func benchmark(b *testing.B, part string, read func(string) Set) {
	for _, n := range []int{1, 50} {
		text := repeat(n, part)
		b.Run(fmt.Sprintf("%dfiles", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !read(text).Located() {
					b.Fatal("not located")
				}
			}
		})
	}
}

// hostile texts are built to make a careless reader quadratic.
var hostile = map[string]string{
	"open hunks":       "--- a/x\n+++ b/x\n@@ -1,9999999 +1,9999999 @@\n",
	"open hunk, bare":  "@@ -1,9999999 +1,9999999 @@\n",
	"carriage returns": "+++ a\r",
	"blanks":           "+++ a\r   ",
	"git gaps":         "diff --git / ",
	"gaps":             " /",
	"quotes":           "\"\\",
	"dates":            "+++ a 2024-01-01 ",
	"asterisks":        "*** *** ",
	"headers":          "*** Add File: a\f",
	"indents":          " \tX",
	"nests":            "- ",
	"index":            "Index:a\n",
}

func BenchmarkHostile(b *testing.B) {
	for name, part := range hostile {
		for _, size := range []int{MaxText / 8, MaxText} {
			text := strings.Repeat(part, size/len(part))
			b.Run(fmt.Sprintf("%s/%dKiB", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					CodexPatch(text)
					UnifiedDiff(text)
				}
			})
		}
	}
}

func TestHostileTextsEnd(t *testing.T) {
	for name, part := range hostile {
		text := strings.Repeat(part, MaxText/len(part))
		for _, head := range []string{"", "diff --git ", "--- ", "+++ b/", "+++ \"", "*** Add File: ", "--- a/x\n+++ b/x\n@@ -1,9999999 +1 @@\n"} {
			text := head + text[:len(text)-len(head)]
			if n := len(CodexPatch(text).Paths) + len(UnifiedDiff(text).Paths); n > 2*MaxPaths {
				t.Errorf("%s: %d paths", name, n)
			}
		}
	}
}
