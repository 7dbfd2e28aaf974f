package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkHostilePairs is BenchmarkHostile for each two kinds of text in one, side
// by side in a text of the longest length that is understood. What costs in the
// square of what it meets shows only so. The time per operation is that of the
// slowest pair; a pair counts with its best time.
func BenchmarkHostilePairs(b *testing.B) {
	engine := newHostileEngine(b)
	const length = 10_000
	type timed struct {
		Names string
		Best  time.Duration
		call  Call
	}
	once := func(t *timed) { t.Best = min(t.Best, engine.cost(t.call)) }
	var pairs []timed
	for _, x := range hostileTexts {
		for _, y := range hostileTexts {
			for _, joint := range []string{"\n", " | "} {
				names := x.name + strings.ReplaceAll(joint, "\n", ", ") + y.name
				if *hostileKind != "" && *hostileKind != names {
					continue
				}
				text := hostile(x.begin, x.piece, x.end, length/2-len(joint)) + joint +
					hostile(y.begin, y.piece, y.end, length/2)
				call := Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(text)})}
				pairs = append(pairs, timed{names, time.Hour, call})
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
	again := min(len(pairs), 200)
	for range 3 {
		for i := range pairs[:again] {
			once(&pairs[i])
		}
	}
	slices.SortFunc(pairs[:again], slowest)
	b.ReportMetric(float64(pairs[0].Best), "ns/op")
	var log strings.Builder
	for _, t := range pairs[:min(len(pairs), 24)] {
		fmt.Fprintf(&log, "\n%6.2f ms %s", float64(t.Best)/1e6, t.Names)
	}
	b.Log("slowest:", log.String())
}
