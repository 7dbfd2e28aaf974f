package decide

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// programShapes are texts made of a program of the table and one of its options
// or sub-commands (-o), which is empty for the program alone.
var programShapes = []struct{ name, begin, piece string }{
	{"behind xargs", "xargs ", "P -o "},
	{"behind a wrapper", "sudo ", "P -o a#=/x "},
	{"behind trap", "trap ", "P -o "},
	{"behind find", "find . ", "-exec P -o {} ; "},
	{"found again", "find . ", "-exec find -exec P -o "},
	{"options", "P ", "-o a# "},
	{"options alone", "P ", "-o "},
	{"values", "P ", "-o=a#/x "},
	{"operands", "P -o ", "a "},
	{"paths", "P -o ", "a#/x "},
	{"patterns", "P -o ", "~/a#* "},
	{"variables", "a=b; P ", "-o $a# "},
	{"commands", "", "P -o a# ~/b; "},
	{"pipes", "echo x", "| P -o "},
	{"with a script", "", "P -o 'a#; b | c' <<< d; "},
	{"substituted", "", "P $(P -o "},
}

// BenchmarkHostilePrograms is what it costs to name a program many times, for the
// programs of the table with their options: for a while (-hunt), in another order in
// each run. The time per operation is that of the slowest text, which is logged.
func BenchmarkHostilePrograms(b *testing.B) {
	engine := newHostileEngine(b)
	words := programWords(b)
	type text struct {
		name, begin, piece string
		best               time.Duration
	}
	var texts []text
	for _, shape := range programShapes {
		for program, options := range words {
			for _, option := range options {
				fill := strings.NewReplacer("P", program, "-o ", strings.TrimLeft(option+" ", " "), "-o", option)
				if option == "" && shape.piece == "-o " {
					continue
				}
				texts = append(texts, text{shape.name + ": " + program + " " + option, fill.Replace(shape.begin), fill.Replace(shape.piece), time.Hour})
			}
		}
	}
	rand.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	done := 0
	for range b.N {
		for start := time.Now(); done < len(texts) && time.Since(start) < *hunt; done++ {
			t := &texts[done]
			call := Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(hostile(t.begin, t.piece, "", 10_000))})}
			for range 5 {
				if t.best = min(t.best, engine.cost(call)); t.best < 3*time.Millisecond {
					break
				}
			}
		}
	}
	slices.SortFunc(texts[:done], func(a, b text) int { return cmp.Compare(b.best, a.best) })
	b.ReportMetric(float64(texts[0].best), "ns/op")
	var log strings.Builder
	for _, t := range texts[:min(done, 60)] {
		fmt.Fprintf(&log, "; %.2f ms %s", float64(t.best)/1e6, t.name)
	}
	b.Logf("slowest of %d, of %d texts%s", done, len(texts), &log)
}

var effects = wordSet("runs: writes: reads: sends: destroys: publishes: moves: configures: reveals: wraps: outputs: options:")

// programWords returns the programs of the table, each with its sub-commands and
// the options that its stanzas name.
func programWords(b *testing.B) map[string][]string {
	b.Helper()
	table, err := os.ReadFile("../internal/programs/programs.txt")
	if err != nil {
		b.Fatal(err)
	}
	const options = 12 // of one program
	words := map[string][]string{}
	var named []string
	for line := range strings.Lines(string(table)) {
		line, _, _ = strings.Cut(line, " #")
		switch fields := strings.Fields(line); {
		case len(fields) == 0 || line[0] == '#':
		case line[0] != ' ':
			named = fields
			for _, name := range named {
				program, sub, _ := strings.Cut(name, "/")
				if !slices.Contains(words[program], sub) {
					words[program] = append(words[program], sub)
				}
			}
		case effects[fields[0]]:
			for _, name := range named {
				program, sub, _ := strings.Cut(name, "/")
				for _, w := range fields[1:] {
					if end := strings.IndexAny(w, "?*!:,=/"); end > 0 {
						w = w[:end]
					}
					w = strings.TrimLeft(sub+" "+w, " ")
					if len(words[program]) < options && !slices.Contains(words[program], w) {
						words[program] = append(words[program], w)
					}
				}
			}
		}
	}
	if len(words) < 100 {
		b.Fatalf("only %d programs: %v", len(words), slices.Sorted(maps.Keys(words)))
	}
	return words
}
