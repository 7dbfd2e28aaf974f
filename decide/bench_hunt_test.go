package decide

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var hunt = flag.Duration("hunt", 5*time.Second, "how long BenchmarkHostileHunt looks for slow texts")

// huntTokens are what texts are put together from; # is the number of the
// repetition.
var huntTokens = strings.Split("cat |rm |x|$a|${a:-b}|{a,b}|{1..9}| |; |\n|&& |'|\"|`|$(|echo |)|(|<<A\n|A\n|for i in |; do |done|sh -c |eval |"+
	"xargs |find . -exec |\\;|[[ |]] |*|?|[a-z]|/|../|~/|a=|IFS=|git |-C |-c |alias |x() { |}|sudo |env |timeout 5 |> |< |<(|printf '%s' |"+
	"set -- |$1|$@|while read a|case x in |esac|$((|))|\\|#|é|\xff|full/*|full/f|--o=x|-e |s/a/b/w|sed |awk '|{print > \"x\"}|https://h.example/|"+
	"export |cd d|trap |a+=b|${!a}|$'\\x61'|@(a!b)|**|function |if |then |fi|2>&1 |&|unset |read a <<< |source |tar xf |curl -o |docker run -v |"+
	"npm run |make -f |python3 -c '|jq |ln -s a |cp -r |mv |tee |ls ", "|")

// hunted is a text in parts, each of which is repeated.
type hunted struct {
	parts  []string
	times  []int // 0: as often as there is room
	joint  string
	lasted time.Duration
}

func (h *hunted) text(length int) string {
	var b strings.Builder
	for i, part := range h.parts {
		room := b.Len() + length/len(h.parts)
		for n := 0; b.Len()+len(part) < room && (h.times[i] == 0 || n < h.times[i]); n++ {
			b.WriteString(strings.ReplaceAll(part, "#", strconv.Itoa(n)))
		}
		b.WriteString(h.joint)
	}
	return b.String()
}

// part makes a part up, or takes one that is known to be hostile.
func huntPart(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		row := hostileTexts[r.IntN(len(hostileTexts))]
		return row.begin + row.piece + row.end
	}
	var b strings.Builder
	for range 1 + r.IntN(6) {
		b.WriteString(huntTokens[r.IntN(len(huntTokens))])
		if r.IntN(4) == 0 {
			b.WriteByte('#')
		}
	}
	return b.String()
}

func (h *hunted) add(part string, r *rand.Rand) {
	h.parts, h.times = append(h.parts, part), append(h.times, r.IntN(3)*r.IntN(200))
}

// bred changes a copy of a text that was slow.
func (h *hunted) bred(other *hunted, r *rand.Rand) hunted {
	c := hunted{slices.Clone(h.parts), slices.Clone(h.times), h.joint, 0}
	switch i := r.IntN(len(c.parts)); r.IntN(6) {
	case 0:
		c.parts[i] += huntPart(r)
	case 1:
		c.parts[i] = huntPart(r) + c.parts[i]
	case 2:
		c.times[i] = r.IntN(3) * r.IntN(200)
	case 3:
		c.add(other.parts[r.IntN(len(other.parts))], r)
	case 4:
		if len(c.parts) > 1 {
			c.parts, c.times = slices.Delete(c.parts, i, i+1), slices.Delete(c.times, i, i+1)
		}
	default:
		c.parts[i] = huntPart(r)
	}
	return c
}

// BenchmarkHostileHunt breeds slow texts of the longest length that is
// understood, for a while (-hunt), and reports the slowest that it found. Each run
// looks elsewhere: a figure is a lower bound of what a text can cost.
func BenchmarkHostileHunt(b *testing.B) {
	engine := newHostileEngine(b)
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	measure := func(h *hunted, tries int) {
		call := Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(h.text(10_000))})}
		h.lasted = time.Hour
		for range tries {
			if h.lasted = min(h.lasted, engine.cost(call)); h.lasted < time.Millisecond {
				return
			}
		}
	}
	slowest := func(a, b hunted) int { return cmp.Compare(b.lasted, a.lasted) }
	const kept = 200
	var found []hunted
	for range b.N {
		for start := time.Now(); time.Since(start) < *hunt; {
			next := hunted{joint: []string{"\n", "; ", " | ", "", " "}[r.IntN(5)]}
			for range 1 + r.IntN(4) {
				next.add(huntPart(r), r)
			}
			if len(found) >= kept && r.IntN(3) > 0 {
				next = found[r.IntN(kept)].bred(&found[r.IntN(kept)], r)
			}
			measure(&next, 3)
			if found = append(found, next); len(found) == 2*kept {
				slices.SortFunc(found, slowest)
				found = slices.Clip(found[:kept])
			}
		}
	}
	slices.SortFunc(found, slowest)
	for i := range found[:min(len(found), 20)] { // a busy machine makes some look slow
		measure(&found[i], 20)
	}
	slices.SortFunc(found, slowest)
	b.ReportMetric(float64(found[0].lasted), "ns/op")

	for _, h := range found[:min(len(found), 12)] {
		b.Logf("%.2f ms: %q, times %v, joined by %q", float64(h.lasted)/1e6, h.parts, h.times, h.joint)
	}
}
