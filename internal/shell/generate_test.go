package shell

import (
	"bufio"
	"encoding/base64"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// grammar makes plausible commands; testdata/grammar.txt explains its form.
type grammar map[string][]production

type production struct {
	text string
	odd  bool // holds what must be opaque, or is unlikely
}

// deepest is how many rules may stand inside each other before every further
// one takes its first production.
const deepest = 7

func readGrammar(t testing.TB) grammar {
	t.Helper()
	g, rule := grammar{}, ""
	for _, line := range lines(t, "testdata/grammar.txt") {
		text, indented := strings.CutPrefix(line, "  ")
		if !indented {
			rule = line
			continue
		}
		text, odd := strings.CutPrefix(text, "! ")
		weight := 1
		if n, rest, ok := strings.Cut(text, "x "); ok && len(n) == 1 && n >= "2" && n <= "9" {
			weight, _ = strconv.Atoi(n)
			text = rest
		}
		for range weight {
			g[rule] = append(g[rule], production{marked(text), odd})
		}
	}
	return g
}

// lines reads a file of testdata without its empty lines and its comments.
func lines(t testing.TB, name string) (list []string) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && !strings.HasPrefix(line, "# ") {
			list = append(list, line)
		}
	}
	return list
}

// marked replaces the signs that stand for blanks that a file cannot show.
var marked = strings.NewReplacer("¶", "\n", "⇥", "\t", "␍", "\r", "⍽", "\u00a0", "␣", " ").Replace

// make expands a rule. An odd text may hold anything, others only what is
// meant to be understood.
func (g grammar) make(random *rand.Rand, rule string, odd bool, depth int) string {
	all := g[rule]
	if len(all) == 0 {
		panic("no rule " + rule)
	}
	choice := all[0]
	if depth < deepest {
		choice = all[random.IntN(len(all))]
		for choice.odd && !odd {
			choice = all[random.IntN(len(all))]
		}
	}
	var b strings.Builder
	rest := choice.text
	for {
		before, after, found := strings.Cut(rest, "‹")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		inner, tail, _ := strings.Cut(after, "›")
		b.WriteString(g.make(random, inner, odd, depth+1))
		rest = tail
	}
}

// mutator splices fragments into texts.
type mutator struct {
	fragments []string
	texts     []string
}

const blanksAndOperators = " \t\n;|&'\"(){}<>$"

func (m mutator) make(random *rand.Rand) string {
	text := pick(random, m.texts)
	for range 1 + random.IntN(3) {
		at := m.place(random, text)
		switch random.IntN(8) {
		case 0: // cut a byte out
			if at < len(text) {
				text = text[:at] + text[at+1:]
			}
		case 1: // replace a byte
			if at < len(text) {
				text = text[:at] + pick(random, m.fragments) + text[at+1:]
			}
		case 2: // put the rest of another text behind
			other := pick(random, m.texts)
			text = text[:at] + other[m.place(random, other):]
		case 3: // put a piece between two fragments
			end := at + random.IntN(len(text)-at+1)
			text = text[:at] + pick(random, m.fragments) + text[at:end] + pick(random, m.fragments) + text[end:]
		default:
			text = text[:at] + pick(random, m.fragments) + text[at:]
		}
	}
	return text
}

// place prefers the edges of words, where shells change their minds.
func (m mutator) place(random *rand.Rand, text string) int {
	at := random.IntN(len(text) + 1)
	if random.IntN(3) == 0 {
		return at
	}
	for at < len(text) && !strings.ContainsRune(blanksAndOperators, rune(text[at])) {
		at++
	}
	if at < len(text) && random.IntN(2) == 0 {
		at++
	}
	return at
}

func pick(random *rand.Rand, list []string) string { return list[random.IntN(len(list))] }

// generated returns count texts, two thirds of them from the grammar.
func generated(t testing.TB, seed uint64, count int) []string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	g := readGrammar(t)
	m := mutator{texts: slices.Concat(adversarialTexts(t), everydayTexts(t))}
	for _, f := range lines(t, "testdata/fragments.txt") {
		m.fragments = append(m.fragments, marked(f))
	}
	texts := make([]string, 0, count)
	for len(texts) < count {
		text := ""
		switch len(texts) % 6 {
		case 0, 1, 2:
			text = g.make(random, "text", false, 0)
			m.texts = append(m.texts, text)
		case 3:
			text = g.make(random, "text", true, 0)
		default:
			text = m.make(random)
		}
		texts = append(texts, text)
	}
	return texts
}

// plainTexts are two words long: enough that a second reading of either shows.
func plainTexts(n int) []string {
	random := rand.New(rand.NewPCG(7, 11))
	programs := strings.Split(`ls rm git 'a' "b" l\s é c,d e% f@ g+h r''m {x x} u^`, " ")
	plain := strings.Split(`a b f1 -x --y=z é % , : @ + ^ } = - . .. a:b 1 in do a#b x~ 'a b' "a b" 'a;b' "a|b" \  \; \# \~ \' \" "\"" "\\" "\a" '\' '#' "~" '*' "{a,b}" '' "" a'b'c "a"~ '='~ ! ]] fi time`, " ")
	pieces := strings.Split(`a b ls rm git -x --y=z f1 é % , : @ + ! ^ { } ] = - . .. # ~ a=b a:b 1 in do [ * ? {a {b,c} 'a b' "a b" 'a;b' "a|b" \  \; \# \~ \' \" "\"" "\\" "\a" '\' '#' "~" '*' "{a,b}" '' "" a'b'c "a"~ '='~ x\=~ $ ! ]] }} fi time`, " ")
	separators := []string{" ", "\t", ";", "; ", " && ", "&&", " || ", " | ", "|", "&", " & ", "\n", " |& ", ";\n", "|\n", "&&\n", ";;", " ; ; "}
	texts := make([]string, 0, n)
	for len(texts) < n {
		var b strings.Builder
		odd := len(texts)%3 == 0 // may hold what makes a text opaque
		for range 1 + random.IntN(4) {
			b.WriteString(pick(random, programs))
			for range random.IntN(4) {
				b.WriteString(" ")
				for range 1 + random.IntN(2) {
					if odd {
						b.WriteString(pick(random, pieces))
					} else {
						b.WriteString(pick(random, plain))
					}
				}
			}
			b.WriteString(pick(random, separators))
		}
		texts = append(texts, b.String())
	}
	return texts
}

func adversarialTexts(t testing.TB) (texts []string) {
	t.Helper()
	readRows(t, "testdata/strings.jsonl", func(raw []byte) error {
		var row struct{ ID, Text, Base64 string }
		if err := json.Unmarshal(raw, &row, json.MatchCaseInsensitiveNames(true)); err != nil {
			return err
		}
		if row.Base64 != "" {
			raw, err := base64.StdEncoding.DecodeString(row.Base64)
			row.Text = string(raw)
			if err != nil {
				return err
			}
		}
		texts = append(texts, row.Text)
		return nil
	})
	return texts
}

// foundTexts are generated ones that once ran otherwise than they were read.
var foundTexts = []string{
	"IFS=a x=rab; python3 $x", "x=rab; for IFS in a; do ls $x; done", "x=rab; IFS=a; ls \"$x\"",
	"exec -c rm x", "return; rm x", "return 1 || rm x", "break; rm x", "continue 2; git status",
}

// everydayTexts are commands that agents ran, with their paths made relative.
func everydayTexts(t testing.TB) (texts []string) {
	t.Helper()
	readRows(t, "testdata/everyday.jsonl", func(raw []byte) error {
		var row struct {
			Command string `json:"command"`
		}
		err := json.Unmarshal(raw, &row)
		if len(row.Command) <= 600 {
			texts = append(texts, relative(row.Command))
		}
		return err
	})
	return texts
}

func readRows(t testing.TB, name string, read func([]byte) error) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := bufio.NewScanner(f)
	rows.Buffer(nil, 1<<20)
	for rows.Scan() {
		if err := read(rows.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGrammarIsWhole: every placeholder names a rule, and every rule is used.
func TestGrammarIsWhole(t *testing.T) {
	g, used := readGrammar(t), map[string]bool{"text": true}
	for rule, all := range g {
		if all[0].odd {
			t.Errorf("%s: the production that ends the recursion is odd", rule)
		}
		for _, p := range all {
			for _, part := range strings.Split(p.text, "‹")[1:] {
				name, _, _ := strings.Cut(part, "›")
				if used[name] = true; g[name] == nil {
					t.Errorf("%s: there is no rule %q", rule, name)
				}
			}
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(g)) {
		if !used[rule] {
			t.Errorf("the rule %q is not used", rule)
		}
	}
}
