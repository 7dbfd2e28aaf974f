package decide

import (
	"cmp"
	"slices"
	"testing"
	"time"
)

// BenchmarkHostilePairs is BenchmarkHostile for each two kinds of text in one, side
// by side in a text of the longest length that is understood. What costs in the
// square of what it meets shows only so. The time per operation is that of the
// slowest pair; a pair counts with its best time.
func BenchmarkHostilePairs(b *testing.B) {
	p, s := hostileEngine(b)
	const length = 10_000
	type timed struct {
		Names string
		Best  time.Duration
		call  Call
	}
	once := func(t *timed) {
		start := time.Now()
		p.Decide(s, t.call)
		t.Best = min(t.Best, time.Since(start))
	}
	var pairs []timed
	for _, x := range hostileTexts {
		for _, y := range hostileTexts {
			for _, joint := range []string{"\n", " | "} {
				text := hostile(x.begin, x.piece, x.end, length/2-len(joint)) + joint +
					hostile(y.begin, y.piece, y.end, length/2)
				pairs = append(pairs, timed{
					x.name + " +" + joint + y.name, time.Hour,
					Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(text)})},
				})
			}
		}
	}
	for b.Loop() {
		for i := range pairs {
			once(&pairs[i])
		}
	}
	slowest := func(a, b timed) int { return cmp.Compare(b.Best, a.Best) }
	slices.SortFunc(pairs, slowest)
	const again = 200
	for range 3 {
		for i := range pairs[:again] {
			once(&pairs[i])
		}
	}
	slices.SortFunc(pairs[:again], slowest)
	b.ReportMetric(float64(pairs[0].Best), "ns/op")
	for _, t := range pairs[:12] {
		b.Logf("%6.2f ms %q", float64(t.Best)/1e6, t.Names)
	}
}
