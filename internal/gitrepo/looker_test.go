package gitrepo

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What was seen for other paths changes no answer, and is not looked up again.
func TestLookerFindsWhatFindDoes(t *testing.T) {
	base := t.TempDir()
	write(t, filepath.Join(base, "a/.git/config"), "[core]\n\thooksPath = tools\n")
	write(t, filepath.Join(base, "a/b/c/x"), "")
	write(t, filepath.Join(base, "a/b/n/.git/config"), "")
	l := &Looker{}
	for _, dir := range []string{"a/b/c", "a/b/c/none/none", "a/b/n/x", "a", "a/b", "a/b/n", "o/p", "o", "", "a/b/c"} {
		dir = filepath.Join(base, dir)
		want, wantOK := Find(dir, "")
		for range 2 {
			if got, ok := l.Find(dir, ""); ok != wantOK || got.Top != want.Top || !slices.Equal(got.Hooks, want.Hooks) {
				t.Errorf("%s: %+v %v, want %+v %v", dir, got, ok, want, wantOK)
			}
		}
	}
	if strings.Count(base, "/")+10 < l.looks {
		t.Errorf("%d looks", l.looks)
	}
}

func TestLookerIsBounded(t *testing.T) {
	base := t.TempDir()
	l := &Looker{}
	for i := 0; !l.Exhausted(); i++ {
		if i > maxLooks {
			t.Fatal("no bound")
		}
		l.Find(filepath.Join(base, fmt.Sprint(i), "x/y"), "")
		l.InBare(filepath.Join(base, fmt.Sprint(i), "hooks", "refs", "x"))
	}
	looks := l.looks
	if _, ok := l.Find(filepath.Join(base, "new"), ""); ok || l.looks > looks+1 {
		t.Error("it goes on looking")
	}
}
