package writeset

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The plain reading of the first engine, as slow and short as it can be. Every
// path it finds must be in our set.
const pySpace = `[\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]`

var (
	plainCodex = regexp.MustCompile(`(?m)^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$`)
	plainPlus  = regexp.MustCompile(`(?m)^\+\+\+ (?:b/)?(.+?)` + pySpace + `*$`)
)

func plainCodexPaths(text string) (paths []string) {
	for _, m := range plainCodex.FindAllStringSubmatch(text, -1) {
		paths = append(paths, strings.TrimFunc(m[1], isPythonSpace))
	}
	return paths
}

func plainDiffPaths(text string) (paths []string) {
	for _, m := range plainPlus.FindAllStringSubmatch(text, -1) {
		if m[1] != "/dev/null" {
			paths = append(paths, m[1])
		}
	}
	return paths
}

type sampleText struct{ Kind, Text string }

// sampleTexts are the committed texts, one JSON object a line.
func sampleTexts(t testing.TB) (texts []sampleText) {
	t.Helper()
	f, err := os.Open("testdata/texts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s sampleText
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, s)
	}
	if len(texts) == 0 {
		t.Fatal("no sample texts")
	}
	return texts
}

// checkPlain fails when a path of the plain reading is neither in the set nor
// mentioned, or when a Codex patch is located where it found nothing.
func checkPlain(t *testing.T, s sampleText) Set {
	t.Helper()
	read, plain := UnifiedDiff, plainDiffPaths
	if s.Kind == "patch" {
		read, plain = CodexPatch, plainCodexPaths
	}
	set := read(s.Text)
	paths := plain(s.Text)
	for _, p := range paths {
		if isDevNullStamp(p) {
			continue // a deletion, whatever its time stamp
		}
		if name, stamp, ok := strings.Cut(p, "\t"); ok && s.Kind == "diff" && strings.TrimFunc(name, isPythonSpace) != "" && !strings.ContainsAny(stamp, `/\`) && !strings.Contains(stamp, "..") {
			p = name // a time stamp leads nowhere else
		}
		if !has(set, p) && set.Unsure != unsureTooMany && set.Unsure != unsureTooLong {
			t.Errorf("%q: the plain reading finds %q, not in %v", s.Text, p, set)
		}
	}
	if s.Kind == "patch" && len(paths) == 0 && set.Located() {
		t.Errorf("%q: located, yet the plain reading finds no header: %v", s.Text, set)
	}
	return set
}

func has(set Set, text string) bool {
	for _, p := range set.Paths {
		if p.Text == text {
			return true
		}
	}
	return slices.Contains(set.Mentioned, text)
}

func TestSetHoldsThePlainReading(t *testing.T) {
	for _, s := range sampleTexts(t) {
		set := checkPlain(t, s)
		plain := len(plainDiffPaths(s.Text)) > 0
		if s.Kind == "diff" && !plain && set.Located() {
			t.Logf("located by correction: %q", s.Text)
		}
	}
}
