package writeset

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An applier is a real program that changes files as a diff says.
type applier struct {
	name    string
	argv    []string
	nightly bool // only in the long run
}

// appliers that the set must cover. patch(1) runs without questions and without
// side files, whose names are no part of the promise.
var appliers = []applier{
	{"git -p1", []string{"git", "apply", "-"}, false},
	{"git -p0", []string{"git", "apply", "-p0", "-"}, false},
	{"git -p1 lenient", []string{"git", "apply", "--recount", "--unidiff-zero", "--unsafe-paths", "-"}, true},
	{"patch -p0", []string{"patch", "-p0", "--batch", "--no-backup-if-mismatch", "--reject-file=-"}, false},
	{"patch -p1", []string{"patch", "-p1", "--batch", "--no-backup-if-mismatch", "--reject-file=-"}, false},
	{"patch -p1 forced", []string{"patch", "-p1", "--force", "-R", "--no-backup-if-mismatch", "--reject-file=-"}, true},
}

// bench is a throw-away tree in which diffs are applied.
type bench struct {
	top, work string // work is below top, so that a traversal stays visible
	env       []string
	tree      map[string]string // what reset restores, by path below top
	before    map[string]string // the snapshot of tree
	argv      []string
}

func newBench(t *testing.T, a applier) *bench {
	t.Helper()
	if _, err := exec.LookPath(a.argv[0]); err != nil {
		t.Skipf("%s is not installed", a.argv[0])
	}
	top := t.TempDir()
	b := &bench{top: top, work: filepath.Join(top, "r", "work"), argv: a.argv, tree: map[string]string{}}
	b.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + top, "LC_ALL=C", "TMPDIR=" + t.TempDir(),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + top,
	}
	for _, name := range treeNames {
		b.tree[path.Join("r/work", name)] = oldText
	}
	b.reset(t, slices.Collect(maps.Keys(b.tree)))
	b.before = b.snapshot(t)
	return b
}

// reset puts the named files back, which are paths below top.
func (b *bench) reset(t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		full := filepath.Join(b.top, filepath.FromSlash(name))
		if err := os.RemoveAll(full); err != nil {
			t.Fatal(err)
		}
		text, ok := b.tree[name]
		if !ok {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// snapshot maps each file below top to its mode and contents.
func (b *bench) snapshot(t *testing.T) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(b.top, func(full string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(b.top, full)
		info, err := e.Info()
		if err != nil {
			return err
		}
		var text []byte
		if e.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(full)
			got[filepath.ToSlash(rel)] = "-> " + target
			return err
		}
		text, err = os.ReadFile(full)
		got[filepath.ToSlash(rel)] = info.Mode().String() + "\n" + string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// changed applies a diff and lists the files that are not as they were,
// relative to the working directory.
func (b *bench) changed(t *testing.T, diff string) []string {
	t.Helper()
	cmd := exec.Command(b.argv[0], b.argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = b.work, b.env, strings.NewReader(diff)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // a refusal is an answer too
	names := []string{}
	after := b.snapshot(t)
	for name, was := range b.before {
		if after[name] != was {
			names = append(names, name)
		}
	}
	for name := range after {
		if _, ok := b.before[name]; !ok {
			names = append(names, name)
		}
	}
	b.reset(t, names)
	for i, name := range names {
		rel, err := filepath.Rel(filepath.FromSlash("r/work"), filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		names[i] = filepath.ToSlash(rel)
	}
	return names
}

// covers reports whether a changed file is in the set, by its text.
func covers(s Set, work, name string) bool {
	for _, p := range s.Paths {
		text := p.Text
		if path.IsAbs(text) {
			rel, err := filepath.Rel(work, text)
			if err != nil {
				continue
			}
			text = filepath.ToSlash(rel)
		}
		if path.Clean(text) == name {
			return true
		}
	}
	return false
}

// TestAppliersStayInTheSet applies the sample texts and generated diffs with
// the real programs. PDP_NIGHTLY=1 generates many more.
func TestAppliersStayInTheSet(t *testing.T) {
	count, nightly := 200, os.Getenv("PDP_NIGHTLY") == "1"
	if nightly {
		count = 2_000
	}
	var diffs []string
	for _, s := range sampleTexts(t) {
		if s.Kind == "diff" {
			diffs = append(diffs, s.Text)
		}
	}
	diffs = append(diffs, headersThatDisagree...)
	g := generator{rand.New(rand.NewPCG(1, 2))}
	for range count {
		diffs = append(diffs, g.diff())
	}
	for _, a := range appliers {
		if a.nightly && !nightly {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, a)
			applied, located := 0, 0
			for _, diff := range diffs {
				set := UnifiedDiff(diff)
				if set.Unsure != "" {
					continue // promises nothing
				}
				located++
				names := b.changed(t, diff)
				if len(names) > 0 {
					applied++
				}
				for _, name := range names {
					if !covers(set, b.work, name) {
						t.Errorf("%q changed, not in %q\n%q", name, texts(set), diff)
					}
				}
			}
			t.Logf("%d diffs, %d located, %d changed files", len(diffs), located, applied)
			if applied < count/25 {
				t.Errorf("only %d of %d diffs changed a file: the generator is no use", applied, len(diffs))
			}
		})
	}
}

// headersThatDisagree say in their first line something else than below it.
var headersThatDisagree = []string{
	"diff --git a/x b/x\nsimilarity index 100%\nrename from x\nrename to new\n",
	"diff --git a/x b/x\nsimilarity index 100%\nrename from hit\nrename to d/new\n",
	"diff --git a/x b/x\nsimilarity index 100%\nrename from x\nrename to new \n",
	"diff --git a/x b/x\nsimilarity index 100%\nrename old x\nrename new new\n",
	"diff --git a/x b/x\nsimilarity index 100%\ncopy from x\ncopy to new\n",
	"diff --git a/x b/x\nsimilarity index 100%\ncopy from x\ncopy to \"n\\145w\"\n",
	"diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n",
	"diff --git a/x b/x\n--- a/hit\n+++ b/hit\n@@ -1,2 +1 @@\n-one\n -- a/hit\n",
}

// The tree has the same text in every file, so that any diff fits any of them.
// Its lines look like headers once they stand in a diff.
const oldText = "one\n-- a/hit\n++ b/hit\ntwo\n@@ -1 +1 @@\n*** hit\nthree\n1d\nfour\nfive\n"

var treeNames = []string{
	"x", "a/x", "b/x", "d/x", "a/d/x", "b/d/x", "hit", "a/hit", "b/hit", "my file", "a/my file", "b/my file",
	"a/y", "y", "ä", "b/ä", "../out", "../../top", "a/my", "my",
}

// generator makes diffs that are right or nearly so.
type generator struct{ *rand.Rand }

func (g generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g generator) diff() string {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(g.pick("", "", "", "text\n", "Index: x\n", "Index: hit\n", "X", "\n", "From x\n\n---\n d/x | 1 +\n\n"))
		b.WriteString(g.file())
	}
	text := b.String()
	for g.IntN(2) == 0 {
		text = g.damage(text)
	}
	if g.IntN(12) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// name is a file of the tree as a header would write it.
func (g generator) name() string {
	name := g.pick(treeNames...)
	if g.IntN(6) == 0 {
		name = g.pick("new", "d/new", "a/b/new", "../new", "new file")
	}
	return name
}

func (g generator) quote(name string) string {
	if g.IntN(8) != 0 && !strings.Contains(name, "ä") {
		return name
	}
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= 0x80 || g.IntN(4) == 0 {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}

func (g generator) stamp() string {
	return g.pick("", "", "", "\t", "\t2024-01-01 00:00:00.000000000 +0000", " 2024-01-01 00:00:00 +0000",
		"\t1970-01-01 00:00:00.000000000 +0000", "\tMon Jan  1 00:00:00 2024", " junk")
}

// file is the part of one file.
func (g generator) file() string {
	name := g.name()
	from, to := "a/"+name, "b/"+name
	switch g.IntN(6) {
	case 0:
		from, to = name, name
	case 1:
		to = "b/" + g.name()
	}
	if g.IntN(8) == 0 {
		return g.gitOnly(from, to)
	}
	head := ""
	if g.IntN(3) == 0 {
		head = "diff --git " + g.quote(from) + " " + g.quote(to) + "\n" + g.pick("", "index 1..2 100644\n", "old mode 100644\nnew mode 100755\n")
	}
	from, to = g.quote(from)+g.stamp(), g.quote(to)+g.stamp()
	switch g.IntN(8) {
	case 0:
		lines := strings.SplitAfter(oldText, "\n")
		body := "-" + strings.Join(lines[:len(lines)-1], "-")
		return head + g.pick("", "deleted file mode 100644\n") + "--- " + from + "\n+++ /dev/null\n@@ -1,10 +0,0 @@\n" + body
	case 1:
		return head + g.pick("", "new file mode 100644\n", "new file mode 120000\n") + "--- /dev/null\n+++ " + to + "\n@@ -0,0 +1 @@\n+hello\n"
	}
	return head + "--- " + from + "\n+++ " + to + "\n" + g.hunks()
}

// gitOnly is a part without a hunk.
func (g generator) gitOnly(from, to string) string {
	bare := func(s string) string { _, s, _ = strings.Cut(s, "/"); return s }
	renamed := bare(to)
	if g.IntN(4) == 0 {
		renamed = g.name() + g.pick("", "", " ") // not what the first line says
	}
	head := "diff --git " + g.quote(from) + " " + g.quote(to) + "\n"
	switch g.IntN(4) {
	case 0:
		return head + "similarity index 100%\nrename from " + g.quote(bare(from)) + "\nrename to " + g.quote(renamed) + "\n"
	case 1:
		return head + "similarity index 100%\ncopy from " + g.quote(bare(from)) + "\ncopy to " + g.quote(renamed) + "\n"
	case 2:
		return head + "new file mode 100644\nindex 0000000..e69de29\n"
	}
	return head + "old mode 100644\nnew mode 100755\n"
}

// hunks change the tree's text at its start, its middle or its end.
func (g generator) hunks() string {
	return g.pick(
		"@@ -1,4 +1,4 @@\n-one\n+ONE\n -- a/hit\n ++ b/hit\n two\n",
		"@@ -1,4 +1,2 @@\n one\n--- a/hit\n-++ b/hit\n two\n",
		"@@ -1,4 +1,5 @@\n one\n -- a/hit\n ++ b/hit\n+++ b/hit\n two\n",
		"@@ -4,4 +4,3 @@\n two\n-@@ -1 +1 @@\n *** hit\n three\n",
		"@@ -8,3 +8,3 @@\n 1d\n four\n-five\n+FIVE\n",
		"@@ -1,2 +1,1 @@\n-one\n -- a/hit\n@@ -9,2 +8,2 @@\n four\n-five\n+FIVE\n",
		"@@ -8,3 +8,3 @@\n 1d\n four\n-five\n+FIVE\n\\ No newline at end of file\n",
	)
}

// damage changes one line or the whole of a diff in a way that some applier may
// forgive.
func (g generator) damage(text string) string {
	lines := strings.SplitAfter(text, "\n")
	at := g.IntN(len(lines))
	switch g.IntN(8) {
	case 0:
		lines[at] = ""
	case 1:
		lines[at] += lines[at]
	case 2:
		indent := g.pick(" ", "  ", "\t", "X", "- ")
		for i := at; i < len(lines) && lines[i] != ""; i++ {
			lines[i] = indent + lines[i]
		}
	case 3:
		lines[at] = strings.Replace(lines[at], g.pick("1", "3", "4"), g.pick("0", "2", "5", "9"), 1)
	case 4:
		lines[at] = strings.TrimSuffix(lines[at], "\n") + g.pick(" ", "\t", "\r", "\f", "\u2028", " x", "\x00") + "\n"
	default:
		lines[at] += g.pick(
			"--- a/hit\n", "+++ b/hit\n", " --- a/hit\n +++ b/hit\n", "--- hit\n+++ hit\n@@ -1,2 +1 @@\n-one\n -- a/hit\n",
			"  --- a/hit\n  +++ b/hit\n  @@ -1,2 +1 @@\n  -one\n   -- a/hit\n", "# --- a/hit\n", "\\ a note\n", "\n", "-\n", "+\n", " \n",
			"*** hit\n", "***************\n*** 1 ****\n", "*** a/hit\n--- b/hit\n***************\n*** 1,2 ****\n- one\n  -- a/hit\n--- 1 ----\n",
			"1d\n", "1d\nw hit\n.\n", "1c1\n< one\n---\n> ONE\n", "Index: hit\n", "Prereq: one\n", "diff --git a/hit b/hit\n",
			"rename to hit\n", "- --- a/hit\t2024-01-01 00:00:00 +0000\n", "@@ -1,2 +1 @@\n-one\n -- a/hit\n", "@@ -1,9 +1,9 @@\n", "@@ -1 @@\n",
		)
	}
	return strings.Join(lines, "")
}
