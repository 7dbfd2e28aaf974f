package writeset

import (
	"path"
	"slices"
	"testing"
)

// TestCorrections shows with the real appliers that the set is right where it
// is smaller, or surer, than what a plain search for "+++ " lines finds.
func TestCorrections(t *testing.T) {
	const whole = "-one\n--- a/hit\n-++ b/hit\n-two\n-@@ -1 +1 @@\n-*** hit\n-three\n-1d\n-four\n-five\n"
	for _, row := range []struct {
		name, diff string
		changes    []string // by the applier that changes most
		mentioned  []string
	}{
		{
			name:    "an added line that looks like a header",
			diff:    "--- a/x\n+++ b/x\n@@ -1,4 +1,5 @@\n one\n+++ b/hit\n -- a/hit\n ++ b/hit\n two\n",
			changes: []string{"x"}, mentioned: []string{"hit"},
		},
		{
			name:    "an added line that looks like an absolute header",
			diff:    "--- a/x\n+++ b/x\n@@ -10 +10,2 @@\n five\n+++ /etc/counter\n",
			changes: []string{"x"}, mentioned: []string{"/etc/counter"},
		},
		{
			name:    "the line replaces the whole",
			diff:    "--- a/y\n+++ b/y\n@@ -1,10 +1 @@\n" + whole + "+++ ../../top\n",
			changes: []string{"y"}, mentioned: []string{"../../top"},
		},
		{
			name:    "a deletion",
			diff:    "--- a/y\n+++ /dev/null\n@@ -1,10 +0,0 @@\n" + whole,
			changes: []string{"y"},
		},
		{
			name:    "a deletion with time stamps",
			diff:    "--- a/y\t2024-05-01 10:00:00.000000000 +0000\n+++ /dev/null\t1970-01-01 00:00:00.000000000 +0000\n@@ -1,10 +0,0 @@\n" + whole,
			changes: []string{"y"},
		},
		{
			name:    "a deletion without prefixes",
			diff:    "diff --git y y\ndeleted file mode 100644\n--- y\n+++ /dev/null\n@@ -1,10 +0,0 @@\n" + whole,
			changes: []string{"y"},
		},
		{
			name:    "a rename without a hunk",
			diff:    "diff --git a/y b/new\nsimilarity index 100%\nrename from y\nrename to new\n",
			changes: []string{"new", "y"},
		},
		{
			name:    "a copy without a hunk",
			diff:    "diff --git a/y b/new\nsimilarity index 100%\ncopy from y\ncopy to new\n",
			changes: []string{"new"},
		},
		{
			name:    "a change of mode",
			diff:    "diff --git a/y b/y\nold mode 100644\nnew mode 100755\n",
			changes: []string{"y"},
		},
	} {
		set := UnifiedDiff(row.diff)
		if !set.Located() || !slices.Equal(set.Mentioned, row.mentioned) {
			t.Errorf("%s: unsure %q, mentioned %q, want %q", row.name, set.Unsure, set.Mentioned, row.mentioned)
		}
		most := []string{}
		for _, a := range appliers {
			b := newBench(t, a)
			names := b.changed(t, row.diff)
			slices.Sort(names)
			if len(names) > len(most) {
				most = names
			}
			for _, name := range names {
				if !covers(set, b.work, name) {
					t.Errorf("%s: %s changes %q, not in %q", row.name, a.name, name, texts(set))
				}
				for _, m := range row.mentioned {
					if path.Clean(m) == name {
						t.Errorf("%s: %s changes %q, which was taken for content", row.name, a.name, name)
					}
				}
			}
		}
		if !slices.Equal(most, row.changes) {
			t.Errorf("%s: the appliers change %q, want %q", row.name, most, row.changes)
		}
	}
}
