package hostname

import (
	"fmt"
	"testing"
)

func setOf(tb testing.TB, n int) Set {
	tb.Helper()
	entries := make([]Entry, n)
	for i := range entries {
		entries[i] = mustEntry(tb, fmt.Sprintf("d%d.example.com", i))
	}
	return NewSet(entries)
}

func TestSetLooksUpWithoutMemory(t *testing.T) {
	set := setOf(t, 100)
	for _, text := range []string{"https://a.b.d99.example.com/", "https://other.example/", "http://127.0.0.1/"} {
		u := mustParse(t, text)
		if n := testing.AllocsPerRun(100, func() { set.Covers(u); set.MightCover(u) }); n != 0 {
			t.Errorf("%s: %v allocations, want 0", text, n)
		}
	}
}

func TestSetPrefersTheNearestEntry(t *testing.T) {
	set := NewSet([]Entry{mustEntry(t, "example.com"), mustEntry(t, "docs.example.com")})
	if e, _ := set.Covers(mustParse(t, "https://a.docs.example.com/")); e.Host() != "docs.example.com" {
		t.Errorf("got %q", e)
	}
}

func BenchmarkSetCovers(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		set := setOf(b, n)
		for _, text := range []string{"https://a.d7.example.com/x", "https://a.b.other.example/x"} {
			u := mustParse(b, text)
			b.Run(fmt.Sprintf("%d/%s", n, u.Host), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					set.Covers(u)
				}
			})
		}
	}
}
