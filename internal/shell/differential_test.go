//go:build unix

package shell

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// insideShellTexts says whether what the text of bash -c runs must be listed.
const insideShellTexts = false

// shell is a real one, and the dialects as which its texts are analysed.
type shell struct {
	name    string
	path    string
	options []string
	dialect Dialect
	// vouchedOnly: only texts that some list covers are compared.
	vouchedOnly bool
	// silent are its builtins and reserved words: no shim logs them.
	silent map[string]bool
}

var realShells = []shell{
	{name: "bash", options: []string{"--norc", "--noprofile"}, dialect: Bash},
	{name: "dash", dialect: POSIX},
	{name: "zsh", options: []string{"-f"}, dialect: Zsh, vouchedOnly: true},
}

// names lists the builtins and reserved words of shells that have many.
var names = map[string]string{
	"bash": "compgen -b; compgen -k",
	"zsh":  "print -l ${(k)builtins} ${(k)reswords}",
}

// findShell completes the row of a shell. The CI has them all; elsewhere one
// that is not there is left out, with the reason.
func findShell(t *testing.T, sh shell) (shell, bool) {
	t.Helper()
	path, err := exec.LookPath(sh.name)
	if err != nil {
		report := t.Logf
		if os.Getenv("CI") == "true" {
			report = t.Errorf
		}
		report("%s is not installed: its part of the comparison is left out", sh.name)
		return sh, false
	}
	sh.path = path
	out, err := exec.Command(path, append(slices.Clone(sh.options), "-c", names[sh.name])...).Output()
	must(t, err)
	sh.silent = wordSet(string(out))
	for w := range silent {
		sh.silent[w] = true
	}
	return sh, true
}

// TestTextsRunAsRead runs texts in real shells whose PATH holds only programs
// that log their words, and compares what ran with what the package said:
// every command is listed, and what a list covers is all that runs.
//
// PDP_SHELL_TEXTS and PDP_SHELL_SEED choose how many texts are generated and
// which; PDP_NIGHTLY=1 generates many, other ones each time.
func TestTextsRunAsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("runs thousands of texts in real shells")
	}
	count, seed := 3000, uint64(1)
	if os.Getenv("PDP_NIGHTLY") != "" {
		count, seed = 20_000, uint64(time.Now().Unix())
	}
	count, seed = int(number(t, "PDP_SHELL_TEXTS", uint64(count))), number(t, "PDP_SHELL_SEED", seed)
	t.Logf("PDP_SHELL_TEXTS=%d PDP_SHELL_SEED=%d", count, seed)
	var texts []string
	rewritten, dropped := 0, 0
	for _, text := range slices.Concat(adversarialTexts(t), foundTexts, plainTexts(700), generated(t, seed, count)) {
		inside := relative(text)
		switch {
		case !contained(inside):
			dropped++
			continue
		case inside != text:
			rewritten++
		}
		texts = append(texts, inside)
	}
	t.Logf("%d texts, %d of them with absolute paths made relative; %d more dropped, which might leave the directory", len(texts), rewritten, dropped)
	box := newSandbox(t)
	box.offerAll(texts)
	for _, sh := range realShells {
		t.Run(sh.name, func(t *testing.T) {
			if sh, ok := findShell(t, sh); ok {
				compareAll(t, box, sh, texts, seed)
			}
		})
	}
}

func number(t *testing.T, variable string, otherwise uint64) uint64 {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(value, 10, 64)
	must(t, err)
	return n
}

// tally counts what a comparison saw.
type tally struct {
	strict, precise, compared, exactly, listed, covered, nested, outside, killed atomic.Int64
}

func compareAll(t *testing.T, box *sandbox, sh shell, texts []string, seed uint64) {
	var seen tally
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) + 1 {
		w := box.worker(t, int(box.workers.Add(1)))
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(texts)); i = next.Add(1) - 1 {
				c := comparison{
					t: t, w: w, sh: sh, text: texts[i], seen: &seen,
					a: analyse(texts[i], sh.dialect), random: rand.New(rand.NewPCG(seed, uint64(i))),
				}
				for _, complaint := range c.complaints() {
					t.Errorf("%q %s", texts[i], complaint)
				}
			}
		})
	}
	workers.Wait()
	t.Logf("of %d texts %d are understood strictly, %d precisely; compared %d: %d ran exactly as listed, %d had each command listed, %d lists covered one; %d texts inside texts, %d of them left out; %d were ended",
		len(texts), seen.strict.Load(), seen.precise.Load(), seen.compared.Load(), seen.exactly.Load(), seen.listed.Load(),
		seen.covered.Load(), seen.nested.Load(), seen.outside.Load(), seen.killed.Load())
	if n := seen.compared.Load(); n < 100 {
		t.Errorf("only %d of %d texts were compared", n, len(texts))
	}
}

// comparison is one text in one shell.
type comparison struct {
	t      *testing.T
	w      *worker
	sh     shell
	text   string
	a      analysis
	random *rand.Rand
	seen   *tally
}

// list is one allowlist that the package said covers the text.
type list struct {
	mode    Matching
	entries []string
}

func (c *comparison) complaints() (all []string) {
	for _, m := range bothModes {
		if c.a.understood(m) {
			[]*atomic.Int64{&c.seen.strict, &c.seen.precise}[m].Add(1)
		}
	}
	if c.sh.vouchedOnly && !slices.ContainsFunc(bothModes, func(m Matching) bool { return c.a.covered(m, c.a.whole()) }) {
		return nil
	}
	var lists []list
	for range 3 {
		entries := c.a.randomEntries(c.random, c.text)
		for _, m := range bothModes {
			if why := c.a.uncovered(m, entries); why != "" {
				all = append(all, why)
			}
			if c.a.covered(m, entries) {
				lists = append(lists, list{m, entries})
			}
		}
	}
	if len(lists) == 0 && !c.a.understood(Strict) && !c.a.understood(Precise) {
		return all
	}
	c.seen.compared.Add(1)
	c.seen.covered.Add(int64(len(lists)))
	return append(all, c.judge(lists)...)
}

// judge runs the text with programs that succeed and with programs that fail,
// so that each side of && and || runs once.
func (c *comparison) judge(lists []list) (all []string) {
	statuses := []int{0}
	for _, branch := range []string{"||", "else", "elif", "!", "until"} {
		if strings.Contains(c.text, branch) {
			statuses = []int{0, 1}
		}
	}
	var runs []result
	for _, status := range statuses {
		r := c.w.run(c.t, c.sh, c.text, status)
		if r.killed {
			c.seen.killed.Add(1)
		}
		runs = append(runs, r)
		for _, ran := range r.ran {
			for _, l := range lists {
				if !refCovers(l.entries, ran, c.nestedCovered(l.entries, status, 0)) {
					all = append(all, fmt.Sprintf("ran %q, which the list %q that covers it (mode %d) does not", ran, l.entries, l.mode))
				}
			}
		}
	}
	if c.a.understood(Precise) && !c.a.evaluates() {
		c.seen.listed.Add(1)
		all = append(all, c.unlisted(runs)...)
	}
	if c.a.understood(Strict) {
		all = append(all, c.inexact(runs)...)
	}
	return all
}

// unlisted says which commands ran that the analysis does not list.
func (c *comparison) unlisted(runs []result) (all []string) {
	for status, r := range runs {
		for _, ran := range r.ran {
			if !c.a.lists(ran) {
				all = append(all, fmt.Sprintf("ran %q, which is not listed: %v", ran, c.a.commands))
			}
			if !insideShellTexts {
				continue
			}
			for _, inner := range c.insides(ran, status, 0) {
				if !c.a.lists(inner) {
					all = append(all, fmt.Sprintf("ran %q by %q, which is not listed: %v", inner, ran, c.a.commands))
				}
			}
		}
	}
	return all
}

// insides runs the text that a shell was given, in that shell.
func (c *comparison) insides(ran []string, status, depth int) (all [][]string) {
	for i := range ran {
		if i > 0 && !isWrapper(ran[0]) || len(ran) < i+3 || shells[ran[i]] == "" || !givesText(ran[i+1]) {
			continue
		}
		for _, inner := range c.inside(shells[ran[i]], ran[i+2], status, depth) {
			all = append(append(all, inner), c.insides(inner, status, depth+1)...)
		}
	}
	return all
}

func (c *comparison) inside(name, text string, status, depth int) [][]string {
	if depth > 3 || !contained(text) {
		c.seen.outside.Add(1)
		return nil
	}
	at := slices.IndexFunc(realShells, func(sh shell) bool { return sh.name == name })
	sh := realShells[at]
	var err error
	if sh.path, err = exec.LookPath(name); err != nil {
		c.seen.outside.Add(1)
		return nil
	}
	c.seen.nested.Add(1)
	return c.w.run(c.t, sh, text, status).ran
}

func (c *comparison) nestedCovered(entries []string, status, depth int) func(name, text string) bool {
	return func(name, text string) bool {
		for _, ran := range c.inside(name, text, status, depth) {
			if !refCovers(entries, ran, c.nestedCovered(entries, status, depth+1)) {
				return false
			}
		}
		return true
	}
}

// inexact compares the commands of a text of plain words one by one with those
// that ran, except where builtins decide that.
func (c *comparison) inexact(runs []result) (all []string) {
	var want, ran []string
	for _, p := range c.a.commands {
		name := p.words[0]
		switch {
		case slices.Contains(p.literal, false):
			return []string{fmt.Sprintf("is understood strictly although %s is not literal", p)}
		case c.a.evaluates():
			return nil
		case silent[name]:
		case c.sh.silent[name] || acts[name] || refEnds[name] || passesOn[name] || strings.ContainsAny(name, "/\n") || name == "." || name == ".." || len(name) > 200:
			return nil
		default:
			want = append(want, fmt.Sprintf("%q", p.words))
		}
	}
	c.seen.exactly.Add(1)
	// A text may run in part, because of a mistake in it or of what a builtin finds.
	part := c.a.has(choosing) && strings.Contains(c.text, "&&") || c.a.has(silent) && strings.Contains(c.text, "||")
	for _, r := range runs {
		var log []string
		for _, words := range r.ran {
			log = append(log, fmt.Sprintf("%q", words))
		}
		if extra := missing(log, want); len(extra) > 0 {
			all = append(all, fmt.Sprintf("ran %q more than listed: %q", extra, want))
		}
		if r.killed {
			all = append(all, "did not end")
		}
		output := strings.ToLower(r.output)
		part = part || strings.Contains(output, "syntax error") || strings.Contains(output, "parse error")
		ran = append(ran, missing(log, ran)...)
	}
	if rest := missing(want, ran); len(rest) > 0 && !part {
		all = append(all, fmt.Sprintf("did not run %q", rest))
	}
	return all
}

// missing returns the items of list that are not in other, counting.
func missing(list, other []string) (rest []string) {
	left := map[string]int{}
	for _, s := range other {
		left[s]++
	}
	for _, s := range list {
		if left[s]--; left[s] < 0 {
			rest = append(rest, s)
		}
	}
	return rest
}
