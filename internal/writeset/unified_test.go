package writeset

import (
	"slices"
	"strings"
	"testing"
)

const okDiff = "--- a/ok\n+++ b/ok\n@@ -1 +1 @@\n-a\n+b\n"

var okPaths = []string{"a/ok", "ok", "b/ok"}

func TestUnifiedDiff(t *testing.T) {
	tests := []struct {
		name   string
		text   string
		want   []string
		unsure string
	}{
		// Prefixes.
		{"both sides, as given and stripped", okDiff, okPaths, ""},
		{"two sides that differ", "--- a/old\n+++ b/new\n@@ -1 +1 @@\n-a\n+b\n", []string{"a/old", "old", "b/new", "new"}, ""},
		{"no prefix", "--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", []string{"x"}, ""},
		{"mnemonic prefixes", "--- i/src/x.go\n+++ w/src/x.go\n@@ -1 +1 @@\n-a\n+b\n", []string{"i/src/x.go", "src/x.go", "w/src/x.go"}, ""},
		{"prefix or a real directory b", "--- b/main.go\n+++ b/main.go\n@@ -1 +1 @@\n-a\n+b\n", []string{"b/main.go", "main.go"}, ""},
		{"traversal behind the prefix", "--- /dev/null\n+++ b/../../etc/cron.d/job\n@@ -0,0 +1 @@\n+x\n", []string{"b/../../etc/cron.d/job", "../../etc/cron.d/job"}, ""},
		{"absolute name", "+++ /etc/passwd\n", []string{"/etc/passwd", "etc/passwd"}, ""},
		{"several slashes", "+++ b//etc/x\n", []string{"b//etc/x", "/etc/x", "etc/x"}, ""},
		{"backslashes", "+++ b\\..\\x/y\n", []string{`b\..\x/y`, `..\x/y`, "y"}, ""},
		{"lone new name", "+++ b/ok.txt\n@@ -1 +1 @@\n-a\n+b\n", []string{"b/ok.txt", "ok.txt"}, ""},

		// Deletions and creations.
		{"deletion", "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n" + okDiff, append([]string{"a/x", "x"}, okPaths...), ""},
		{"deletion with a time stamp", "--- a/x\t2024-05-01 10:00:00\n+++ /dev/null\t1970-01-01 00:00:00\n@@ -1 +0,0 @@\n-a\n", []string{"a/x", "x"}, ""},
		{"deletion without a prefix", "diff --git file1 file1\ndeleted file mode 100644\n--- file1\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", []string{"file1"}, ""},
		{"deletion without a body", "--- a/x\n+++ /dev/null", []string{"a/x", "x"}, unsureNoHeader},
		{"nothing to nothing", "--- /dev/null\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", []string{"dev/null"}, unsureNoHeader},
		{"nothing to nothing beside a change", okDiff + "--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a\n", append(slices.Clone(okPaths), "dev/null"), ""},
		{"nothing to nothing with time stamps", okDiff + "--- /dev/null\tMon\n+++ /dev/null\tTue\n@@ -0,0 +1 @@\n+a\n", append(slices.Clone(okPaths), "dev/null"), ""},
		{"dev/null below a directory is a file", "+++ ./dev/null\n", []string{"./dev/null", "dev/null"}, ""},

		// git headers.
		{"deletion that git takes for a rename to dev/null", "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", []string{"a/x", "x", "b/x", "dev/null"}, ""},
		{"rename", "diff --git a/x b/.git/hooks/pre-commit\nsimilarity index 100%\nrename from x\nrename to .git/hooks/pre-commit\n", []string{"a/x", "x", "b/.git/hooks/pre-commit", ".git/hooks/pre-commit", "x", ".git/hooks/pre-commit"}, ""},
		{"copy of names with blanks", "diff --git a/x y b/x z\nsimilarity index 100%\ncopy from x y\ncopy to x z\n", []string{"x y", "x", "x z"}, ""},
		{"rename to a name that ends in a blank", "diff --git a/x b/y\nrename from x\nrename to y \n", []string{"a/x", "x", "b/y", "y", "x", "y", "y "}, ""},
		{"rename in quotes", "diff --git a/x \"b/\\303\\244\"\nrename from x\nrename to \"\\303\\244\"\n", []string{"b/ä", "ä", "a/x", "x", "x", "ä", `"\303\244"`}, ""},
		{"mode", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", []string{"a/x", "x", "b/x"}, ""},
		{"empty file", "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n", []string{"a/x", "x", "b/x"}, ""},
		{"binary", "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcmZQz\n\n", []string{"a/x", "x", "b/x"}, ""},
		{"binary files differ", "diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n", []string{"a/x", "x", "b/x"}, ""},
		{"blanks, the same name twice", "diff --git a/my file b/my file\nold mode 100644\nnew mode 100755\n", []string{"a/my file", "my file", "b/my file"}, ""},
		{"blanks, no prefix", "diff --git my file my file\nold mode 100644\nnew mode 100755\n", []string{"my file"}, ""},
		{"both in quotes", "diff --git \"a/\\tx\" \"b/\\tx\"\nold mode 100644\nnew mode 100755\n", []string{"a/\tx", "\tx", "b/\tx"}, ""},
		{"names that cannot be split", "diff --git a/x b y\nold mode 1\n" + okDiff, okPaths, ""},
		{"names that cannot be split, nothing else", okDiff + "diff --git a/x b y\nold mode 1\nnew mode 2\n", okPaths, unsureGitNames},
		{"git header that changes nothing", "diff --git a/x b/x\n", []string{"a/x", "x", "b/x"}, unsureNoHeader},
		{"git header and new name differ", "diff --git a/../x b/../x\nnew file mode 100755\n--- /dev/null\n+++ b/ok", []string{"a/../x", "../x", "b/../x", "b/ok", "ok"}, ""},
		{"rename line outside a git header", okDiff + "rename to ../x\n", okPaths, ""},
		{"only a rename line", "rename from a\nrename to ../x\n", nil, unsureNoHeader},

		// Quotes, blanks, time stamps.
		{"octal escapes", "--- /dev/null\n+++ \"b/.git/\\150ooks/pre-commit\"\n@@ -0,0 +1 @@\n+x\n", []string{"b/.git/hooks/pre-commit", ".git/hooks/pre-commit", `"b/.git/\150ooks/pre-commit"`, `.git/\150ooks/pre-commit"`}, ""},
		{"broken escape is text", "+++ \"b/\\9\"\n", []string{`"b/\9"`, `\9"`}, ""},
		{"blank in the name", "--- a/my file.txt\n+++ b/my file.txt\n@@ -1 +1 @@\n-a\n+b\n", []string{"a/my file.txt", "my file.txt", "a/my", "my", "b/my file.txt", "b/my"}, ""},
		{"TAB and time stamp", "+++ b/.gitlab-ci.yml\t2024-01-01\n", []string{"b/.gitlab-ci.yml", ".gitlab-ci.yml"}, ""},
		{"TAB and more of a name", "+++ b/a\t/.git/hooks/x\n", []string{"b/a\t/.git/hooks/x", "a\t/.git/hooks/x", "b/a", "a"}, ""},
		{"TAB and a climb", "+++ b/a\t/../../x\n", []string{"b/a\t/../../x", "a\t/../../x", "b/a", "a"}, ""},
		{"blanks and time stamp", "+++ b/my file  2024-01-01 00:00:00\n", []string{"b/my file  2024-01-01 00:00:00", "my file  2024-01-01 00:00:00", "b/my", "my", "b/my file", "my file"}, ""},
		{"blank after the name", "+++ b/x \n", []string{"b/x", "x", "b/x ", "x "}, ""},
		{"blanks before the name", "+++   ../x\n", []string{"../x", "x", "  ../x"}, ""},
		{"CRLF", strings.ReplaceAll(okDiff, "\n", "\r\n"), okPaths, ""},

		// Other headers.
		{"Index line", "Index: run.sh\n=====\n--- nosuch1\n+++ nosuch2\n@@ -1 +1 @@\n-a\n+b\n", []string{"run.sh", "nosuch1", "nosuch2"}, ""},
		{"Index line alone", "Index: run.sh\n@@ -1 +1 @@\n-a\n+b\n", []string{"run.sh"}, unsureNoHeader},
		{"Prereq line", "Prereq: 1.2\n" + okDiff, okPaths, ""},
		{"mail", "From 0 Mon Sep 17 00:00:00 2001\nFrom: x\nSubject: y\n\n---\n ok | 2 +-\n\n" + okDiff + "-- \n2.39\n", okPaths, ""},
		{"star line for a new name", "--- a/ok\n*** ../x\n@@ -0,0 +1 @@\n+x\n" + okDiff, []string{"a/ok", "ok", "../x", "x", "b/ok"}, ""},

		// Hunks.
		{"removed SQL comment", "--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,2 @@\n select 1;\n--- drop old view\n select 2;\n", []string{"a/q.sql", "q.sql", "b/q.sql"}, ""},
		{"removed header in a second hunk", "--- a/q\n+++ b/q\n@@ -1 +1 @@\n-a\n+b\n\\ No newline\n@@ -3 +3,0 @@\n--- ../x\n", []string{"a/q", "q", "b/q"}, ""},
		{"counts too large", "--- a/q\n+++ b/q\n@@ -1,4 +1,2 @@\n select 1;\n--- ../x\n", []string{"a/q", "q", "b/q", "../x", "x"}, ""},
		{"hunk cut short by other text", "--- a/q\n+++ b/q\n@@ -1,4 +1,2 @@\n select 1;\n--- ../x\ntext\n", []string{"a/q", "q", "b/q", "../x", "x"}, ""},
		{"hunk with a comment, which patch(1) skips", "--- a/q\n+++ b/q\n@@ -1,4 +1,2 @@\n select 1;\n# note\n--- ../x\n text\n", []string{"a/q", "q", "b/q", "../x", "x"}, ""},
		{"too many added lines", "--- a/q\n+++ b/q\n@@ -1,2 +1 @@\n--- ../x\n+a\n+b\n", []string{"a/q", "q", "b/q", "../x", "x"}, ""},
		{"headers apart", "--- a/q\ntext\n+++ b/q\n@@ -1 +1,0 @@\n--- ../x\n", []string{"a/q", "q", "b/q", "../x", "x"}, ""},
		{"counts too small", "--- a/q\n+++ b/q\n@@ -1 +0,0 @@\n-a\n--- ../x\n+++ ../x\n", []string{"a/q", "q", "b/q", "../x", "x"}, ""},
		{"no counts", "--- a/q\n+++ b/q\n@@ ... @@\n--- ../x\n", []string{"a/q", "q", "b/q", "../x", "x"}, ""},
		{"hunk below other text", "--- a/q\n+++ b/q\ntext\n@@ -1 +1,0 @@\n--- ../x\n", []string{"a/q", "q", "b/q", "../x", "x"}, ""},
		{"second hunk below other text", okDiff + "text\n@@ -1 +1,0 @@\n--- ../x\n", append(slices.Clone(okPaths), "../x", "x"), ""},
		{"second hunk below two notes", okDiff + "\\ a\n\\ b\n@@ -1 +1,0 @@\n--- ../x\n", append(slices.Clone(okPaths), "../x", "x"), ""},
		{"old name missing", "+++ b/q\n@@ -1 +1,0 @@\n--- ../x\n", []string{"b/q", "q", "../x", "x"}, ""},
		{"hunk after a quoted mail", "- --- a/q\t2020-01-01 00:00:00 +0000\n" + "--- a/q\n+++ b/q\n@@ -1 +1,0 @@\n--- ../x\n", []string{"a/q", "q", "b/q", "../x", "x"}, ""},
		{"added line, in the plain reading", "--- a/inc.c\n+++ b/inc.c\n@@ -1 +1 @@\n-  i\n+++ counter;\n", []string{"a/inc.c", "inc.c", "b/inc.c"}, ""},

		// What patch(1) takes and git does not.
		{"indented headers", okDiff + "\n  --- /dev/null\n  +++ b/.gitlab-ci.yml\n  @@ -0,0 +1 @@\n  +b\n", append(slices.Clone(okPaths), "b/.gitlab-ci.yml", ".gitlab-ci.yml"), ""},
		{"only indented headers", "  --- a/x\n  +++ b/x\n  @@ -1 +1 @@\n  -a\n  +b\n", []string{"a/x", "x", "b/x"}, unsureNoHeader},
		{"headers behind X", okDiff + "X--- /dev/null\nX+++ b/.gitlab-ci.yml\n", append(slices.Clone(okPaths), "b/.gitlab-ci.yml", ".gitlab-ci.yml"), ""},
		{"context diff", okDiff + "*** /dev/null\tMon\n--- b/y\tMon\n***************\n*** 0 ****\n--- 1 ----\n+ b\n", append(slices.Clone(okPaths), "b/y", "y", "1 ----", "1"), unsureContext},
		{"ed script", okDiff + "--- a/x\n+++ b/x\n1d\nw other\n.\n", append(slices.Clone(okPaths), "a/x", "x", "b/x"), unsureEd},
		{"ed insertion", "--- a/ok\n+++ b/ok\n12i\nx\n.\n", okPaths, unsureEd},
		{"ed substitution", "--- a/ok\n+++ b/ok\n 5s/.//\n", okPaths, unsureEd},
		{"normal diff", "Index: x\n1,2c3\n< a\n---\n> b\n" + okDiff, append([]string{"x"}, okPaths...), unsureEd},
		{"row of asterisks in a message", "*********\nhello\n" + okDiff, okPaths, ""},
		{"ed command as content", "--- a/ok\n+++ b/ok\n@@ -1 +1 @@\n-1d\n+2d\n", okPaths, ""},

		// Line ends.
		{"bare CR", "--- a/x\r+++ b/../../etc/passwd\r@@ -1 +1 @@\r-a\r+b\r", []string{"a/x", "x"}, unsureSeparator},
		{"vertical tab in a header", "+++ b/a\v+++ b/../x", []string{"b/a", "a", "a\v+++ b/../x"}, unsureSeparator},
		{"line separator in content", "--- a/ok\n+++ b/ok\n@@ -1 +1 @@\n-a\n+b\u2028+++ ../x\n", append(slices.Clone(okPaths), "../x", "x"), ""},
		{"form feed in content", "--- a/ok\n+++ b/ok\n@@ -1 +1 @@\n-\f\n+b\fc\n", okPaths, ""},
		{"NUL", "+++ b/../x\x00y\n", []string{"b/../x", "../x", "../x\x00y"}, unsureNUL},
		{"NUL as an escape", "+++ \"../x\\000y\"\n", []string{"../x", "x", `"../x\000y"`, `x\000y"`}, unsureNUL},

		{"nothing", "", nil, unsureNoHeader},
		{"prose", "hello\n--- \n+++ \n@@\n", nil, unsureNoHeader},
		{"lone old name", "--- a/x\n", []string{"a/x", "x"}, unsureNoHeader},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := UnifiedDiff(tt.text)
			if !slices.Equal(texts(got), append([]string{}, tt.want...)) || got.Unsure != tt.unsure {
				t.Errorf("UnifiedDiff(%q)\n got %q, unsure %q\nwant %q, unsure %q", tt.text, texts(got), got.Unsure, tt.want, tt.unsure)
			}
		})
	}
}

func TestUnifiedDiffSaysWhatHappens(t *testing.T) {
	tests := []struct {
		name string
		text string
		want Path
	}{
		{"change", okDiff, Path{Text: "ok", Op: Write}},
		{"creation", "--- /dev/null\n+++ b/x\n", Path{Text: "x", Op: Create}},
		{"creation by epoch", "--- x\t1970-01-01 00:00:00 +0000\n+++ x\t2024-01-01 00:00:00 +0000\n", Path{Text: "x", Op: Create}},
		{"deletion", "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", Path{Text: "x", Op: Delete}},
		{"deletion by epoch", "--- x\t2024-01-01 00:00:00 +0000\n+++ x\t1970-01-01 01:00:00 +0100\n", Path{Text: "x", Op: Delete}},
		{"mode", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", Path{Text: "x", Op: Mode}},
		{"rename", "diff --git a/x b/y\nrename from x\nrename to y\n", Path{Text: "y", Op: Rename}},
		{"link", "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n", Path{Text: "l", Op: Link, Target: "/etc"}},
		{"link that looks like a header", "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+++ /etc\n", Path{Text: "l", Op: Link, Target: "++ /etc"}},
		{"link moved elsewhere", "diff --git a/l b/l\nindex 1..2 120000\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-x\n+../y\n", Path{Text: "l", Op: Link, Target: "../y"}},
		{"link with damaged counts", "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +7 @@\n+/etc\n", Path{Text: "l", Op: Link, Target: "/etc"}},
		{"link as a binary", "diff --git a/l b/l\nnew file mode 120000\nGIT binary patch\nliteral 4\nLcmZQz\n", Path{Text: "l", Op: Link}},
		{"link that goes away", "diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", Path{Text: "l", Op: Delete}},
		{"file below a new link", "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\ndiff --git a/l/x b/l/x\nnew file mode 100644\n--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+x\n", Path{Text: "l/x", Op: Create}},
	}
	for _, tt := range tests {
		got := UnifiedDiff(tt.text)
		if !slices.Contains(got.Paths, tt.want) || !got.Located() {
			t.Errorf("%s: %+v not in %+v", tt.name, tt.want, got)
		}
	}
	two := UnifiedDiff("diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1,2 @@\n+/etc\n+/usr\n")
	if two.Unsure != unsureLink {
		t.Errorf("a link of two lines: unsure %q", two.Unsure)
	}
}
