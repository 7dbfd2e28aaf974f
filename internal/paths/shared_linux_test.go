package paths

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// What was learnt from other paths changes no answer.
func TestSharedAndLocalAgree(t *testing.T) {
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		root := t.TempDir()
		words := append(plant(t, root, 60, rnd.IntN), strings.Repeat("n", 256), strings.Repeat("m", 250))
		shared := &Shared{}
		if seed%2 == 0 {
			shared.From = root
		}
		for range 400 {
			names := make([]string, 1+rnd.IntN(20))
			for i := range names {
				names[i] = words[rnd.IntN(len(words))]
			}
			abs := root + "/" + strings.Join(names, "/")
			if rnd.IntN(2) == 0 {
				abs = Clean(abs, POSIX)
			}
			want, wantErr := Local{}.Resolve(abs)
			got, err := shared.Resolve(abs)
			if got.Dir && want.Dir { // other processes make directories in shared ones
				got.Links, want.Links = 0, 0
			}
			if got != want || kindIn(t, err) != kindIn(t, wantErr) {
				t.Fatalf("seed %d: %q\n leads to %+v %v\n and alone to %+v %v", seed, abs, got, err, want, wantErr)
			}
		}
	}
}

func TestSharedAndLocalAgreeOnThisMachine(t *testing.T) {
	dir := t.TempDir()
	shared := &Shared{From: dir}
	for _, abs := range []string{
		"/", "/none/x/y", "/none/z", "/etc/passwd/x/y", "/proc/none/x", "/proc/self/none/x", "/proc/999999999/fd/3",
		dir, dir + "/a/b/c", dir + "/a/b/d", dir + "/a", dir + "/a/../b/c", dir + "/a//b", dir + "/a/" + strings.Repeat("x", 256) + "/b",
		dir + strings.Repeat("/x", 2000), dir + strings.Repeat("/x", 3000), dir + "/a\x00/b", "", "a/b",
	} {
		want, wantErr := Local{}.Resolve(abs)
		if got, err := shared.Resolve(abs); got != want || kindIn(t, err) != kindIn(t, wantErr) {
			t.Errorf("%q\n leads to %+v %v\n and alone to %+v %v", abs, got, err, want, wantErr)
		}
	}
}

func BenchmarkSharedMissing(b *testing.B) {
	dir := b.TempDir()
	paths := []string{}
	for i := range 1000 {
		paths = append(paths, dir+"/b/src/f"+strings.Repeat("x", i%200))
	}
	b.ReportAllocs()
	for b.Loop() {
		shared := &Shared{From: dir}
		for _, abs := range paths {
			if _, err := shared.Resolve(abs); err != nil {
				b.Fatal(err)
			}
		}
	}
}
