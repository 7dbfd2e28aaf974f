package shell

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzCovered: whatever the text and the list, a list that covers the text
// names the beginning of every command in it.
func FuzzCovered(f *testing.F) {
	for _, row := range [][2]string{
		{"git status && rm x", "git status\nrm"},
		{"git log -1 | head -5", "git log\nhead"},
		{"git commit -m \"$(cat <<'EOF'\nit's; rm x\nEOF\n)\"", "git commit"},
		{"timeout 5 nice -n 5 go test ./... 2>&1", "go test"},
		{"for f in a b; do cat \"$f\"; done", "cat"},
		{"bash -lc 'git status; rm x'", "git"},
		{"x=rm; $x y", "rm"},
		{"eval 'rm x'", "eval"},
		{"ls \"${x:-'$(rm y)'}\"", "ls"},
		{"git log # c\\\nrm x", "git log"},
		{"sh -xc 'git log'", "git"},
		{"timeout -sKILL A stdbuf -oL env -u A CI=1 git log", "git"},
		{"env A+=1 git log", "git"},
		{"LC_ALL=C ls {a,b} ~ $'a'", "ls"},
	} {
		f.Add(row[0], row[1], uint8(0))
	}
	f.Fuzz(func(t *testing.T, text, list string, dialect uint8) {
		if len(text) > 1000 || len(list) > 200 {
			return // the reference is slow, and length changes nothing here
		}
		// Of shells that are not read an entry may be the whole text: TestWholeTexts.
		a := analyse(text, Dialect(dialect%3))
		given := strings.Split(list, "\n")
		lists := [][]string{nil, given}
		random := rand.New(rand.NewPCG(uint64(len(text)), uint64(len(list))))
		for range 2 {
			lists = append(lists, append(a.randomEntries(random, text), given...))
		}
		for _, entries := range lists {
			for _, m := range bothModes {
				if why := a.uncovered(m, entries); why != "" {
					t.Errorf("mode %d: %s", m, why)
				}
			}
			if a.covered(Strict, entries) && !a.covered(Precise, entries) {
				t.Errorf("%q covers the text strictly, not precisely", entries)
			}
		}
		if a.understood(Strict) && !a.understood(Precise) {
			t.Errorf("understood strictly, not precisely: %s", a.opaque[Precise])
		}
	})
}
