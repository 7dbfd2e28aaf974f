package decide

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/internal/enginetest"
)

var (
	update     = flag.Bool("update", false, "rewrite the tables of rates in docs/shell.md")
	printRates = flag.Bool("rates", false, "print the tables of rates")
)

const shellPage = "../docs/shell.md"

// The bounds of the two rates. Who is asked too often stops reading, and who is
// asked too seldom is not protected, so both are held at once.
const (
	mostNeedless = 0.03 // of the harmless commands with every program on the list
	mostWrong    = 2    // commands that should ask and run, each with a reason in wrongAllows
	leastGone    = 0.85 // of the needless prompts that people reported of other agents
)

// needlessAsks are the harmless commands with every program on the list about
// which precise matching asks all the same.
var needlessAsks = map[string]string{
	"ev-0114": "a substitution writes a part of sed's script, and `w` and `e` of sed write files and run programs",
	"ev-0311": "a redirection to a file is a write, for which no entry for a command vouches",
	"ev-0460": "`$1` is nothing that the text sets",
	"ev-0534": "`$1` is nothing that the text sets",
	"ev-0651": "a loop over the output of a command, whose words may be anything",
	"ev-0772": "a redirection to a file is a write, for which no entry for a command vouches",
}

// wrongAllows are the commands that a sensible team wants to be asked about
// and that precise matching allows.
var wrongAllows = map[string]string{}

// everyday is a command that a coding agent ran, or could have, and what a team
// wants that allows the programs of testdata/team-allowlist.json.
type everyday struct {
	ID      string            `json:"id"`
	Command string            `json:"command"`
	Class   string            `json:"class"`
	Ask     bool              `json:"ask_wanted"`
	OnList  bool              `json:"on_list"` // every program of it
	Others  map[string]string `json:"others"`  // what other engines answered
}

// share is how many of a kind of command an engine gets wrong.
type share struct{ wrong, all int }

func (s share) rate() float64 { return float64(s.wrong) / float64(s.all) }

func (s share) String() string {
	return fmt.Sprintf("%d of %d (%.1f %%)", s.wrong, s.all, 100*s.rate())
}

// rates are both sides of one engine's errors.
type rates struct {
	needless          share // harmless, every program on the list: asks
	wrongOn, wrongOff share // should ask, with every program on the list or not: runs
}

func (r *rates) count(c *everyday, allowed bool) {
	kind, wrong := &r.needless, !allowed
	switch {
	case c.Ask && c.OnList:
		kind, wrong = &r.wrongOn, allowed
	case c.Ask:
		kind, wrong = &r.wrongOff, allowed
	case !c.OnList:
		return // nobody vouched for its programs, so an ask is right
	}
	kind.all++
	if wrong {
		kind.wrong++
	}
}

// TestEverydayRates measures both rates through the whole engine, holds their
// bounds, and compares the tables of docs/shell.md with them.
func TestEverydayRates(t *testing.T) {
	commands := readEveryday(t)
	strict, precise := teamEngine(t, "strict"), teamEngine(t, "precise")
	var original, atStrict, atPrecise rates
	var asked []*everyday
	for i := range commands {
		c := &commands[i]
		before, s, p := c.Others["original"] == "allow", strict(c.Command), precise(c.Command)
		original.count(c, before)
		atStrict.count(c, s.Outcome == Allow)
		atPrecise.count(c, p.Outcome == Allow)
		switch {
		case s.Outcome == Allow && !before:
			t.Errorf("%s: strict matching allows what the original engine asked about: %q", c.ID, c.Command)
		case s.Outcome == Allow && c.Ask:
			t.Errorf("%s: strict matching allows %q", c.ID, c.Command)
		case p.Outcome == Allow && c.Ask && wrongAllows[c.ID] == "":
			t.Errorf("%s: precise matching allows %q", c.ID, c.Command)
		case p.Outcome != Allow && !c.Ask && c.OnList:
			asked = append(asked, c)
			if needlessAsks[c.ID] == "" {
				t.Errorf("%s: precise matching asks about %q without a written reason: %s", c.ID, c.Command, p.Reason)
			}
		case needlessAsks[c.ID] != "":
			t.Errorf("%s is listed as a needless ask, but runs", c.ID)
		}
	}
	if rate := atPrecise.needless.rate(); rate > mostNeedless {
		t.Errorf("precise matching asks needlessly about %s", atPrecise.needless)
	}
	if n := atPrecise.wrongOn.wrong + atPrecise.wrongOff.wrong; n > mostWrong || n != len(wrongAllows) || atPrecise.wrongOff.wrong > 0 {
		t.Errorf("precise matching allows %s on the list and %s off it; %d are explained", atPrecise.wrongOn, atPrecise.wrongOff, len(wrongAllows))
	}
	strictLeft, _ := reportedPrompts(t, "strict")
	preciseLeft, left := reportedPrompts(t, "precise")
	if gone := 1 - preciseLeft.rate(); gone < leastGone {
		t.Errorf("of the reported needless prompts are left: %s", preciseLeft)
	}
	holdTables(t, ratesTable(original, atStrict, atPrecise, strictLeft, preciseLeft), askedTable(asked)+left)
}

func readEveryday(t *testing.T) (list []everyday) {
	t.Helper()
	raw, err := os.ReadFile("testdata/everyday.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var c everyday
		if err := json.Unmarshal([]byte(line), &c, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// teamEngine judges commands under the team's list, as a policy has it.
func teamEngine(t *testing.T, matching string) func(command string) Decision {
	t.Helper()
	policy, err := Compile(PolicySpec{AllowedCommands: teamList(t), CommandMatching: matching})
	if err != nil {
		t.Fatal(err)
	}
	session, err := policy.Session(ContextSpec{WorkspaceRoot: "/proj/app", Home: "/home/u"})
	if err != nil {
		t.Fatal(err)
	}
	return func(command string) Decision {
		return policy.Decide(session, Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(command)})})
	}
}

// reportedPrompts returns which of the needless prompts about commands, which
// people reported of other agents, pdp makes as well: how many, and as rows.
func reportedPrompts(t *testing.T, matching string) (left share, rows string) {
	t.Helper()
	policy, err := Compile(PolicySpec{InlineContext: "trust", Home: "/home/u", CommandMatching: matching})
	if err != nil {
		t.Fatal(err)
	}
	fixture := enginetest.NewFixture(t, "testdata/vectors/fixture.json")
	eachLine(t, "testdata/cases/reported-agent-permission-bugs.jsonl", fixture, func(line []byte) {
		var c struct {
			ID    string                    `json:"id"`
			Kind  string                    `json:"kind"`
			Setup map[string]jsontext.Value `json:"setup"`
			Call  jsontext.Value            `json:"call"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		call := recordedCall(t, enginetest.Vector{Call: c.Call})
		if c.Kind != "false_prompt" || call.Tool != "run_shell" {
			return
		}
		left.all++
		if d := judgeCase(t, policy, setupContext(t, c.Setup), c.Call); d.Outcome != Allow {
			left.wrong++
			command, _ := call.Arguments.Get("command").AsString()
			rows += fmt.Sprintf("| %s | %s | %s |\n", c.ID, code(command), open[c.ID])
		}
	})
	return left, rows
}

func ratesTable(original, strict, precise rates, strictLeft, preciseLeft share) string {
	var b strings.Builder
	b.WriteString("| | the original's rules | strict | precise |\n|---|---:|---:|---:|\n")
	row := func(name string, of func(*rates) share) {
		fmt.Fprintf(&b, "| %s | %v | %v | %v |\n", name, of(&original), of(&strict), of(&precise))
	}
	row("asks, although harmless and every program is on the list", func(r *rates) share { return r.needless })
	row("runs, although it should ask; every program is on the list", func(r *rates) share { return r.wrongOn })
	row("runs, although it should ask; not every program is on the list", func(r *rates) share { return r.wrongOff })
	fmt.Fprintf(&b, "| asks, as people reported of other agents that it needlessly did | | %v | %v |\n", strictLeft, preciseLeft)
	return b.String()
}

func askedTable(asked []*everyday) string {
	var b strings.Builder
	b.WriteString("| | command | why precise matching asks |\n|---|---|---|\n")
	for _, c := range asked {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.ID, code(c.Command), needlessAsks[c.ID])
	}
	return b.String()
}

// code writes a command as a cell of a table.
func code(command string) string {
	const most = 90
	command = strings.NewReplacer("\n", " ⏎ ", "|", `\|`).Replace(command)
	if len(command) > most {
		command = strings.ToValidUTF8(command[:most], "") + "…"
	}
	return "`` " + command + " ``"
}

// holdTables compares the page's tables, which stand between two comments each,
// with the measured ones.
func holdTables(t *testing.T, measured, asked string) {
	t.Helper()
	raw, err := os.ReadFile(shellPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	tables := map[string]string{"rates": measured, "needless asks": asked}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
		before, rest, ok := strings.Cut(page, begin)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("%s has no place for the %s", shellPage, name)
		}
		page = before + begin + tables[name] + end + after
	}
	if *printRates {
		fmt.Print(measured, "\n", asked)
	}
	switch {
	case page == string(raw):
	case *update:
		if err := os.WriteFile(shellPage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s does not hold the measured rates; go test ./decide -run TestEverydayRates -update writes them", shellPage)
	}
}
