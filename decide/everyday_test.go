package decide

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestTMP(t *testing.T) {
	raw, _ := os.ReadFile("testdata/team-allowlist.json")
	var l struct{ Allowed []string `json:"allowed_commands"` }
	if err := json.Unmarshal(raw, &l); err != nil { t.Fatal(err) }
	ev, _ := os.ReadFile("testdata/everyday.jsonl")
	for _, m := range []string{"strict", "precise"} {
		p, err := Compile(PolicySpec{InlineContext: "trust", AllowedCommands: l.Allowed, CommandMatching: m})
		if err != nil { t.Fatal(err) }
		s, err := p.Session(ContextSpec{WorkspaceRoot: "/proj/app", Home: "/home/u"})
		if err != nil { t.Fatal(err) }
		n := map[string]int{}
		for _, line := range strings.Split(strings.TrimSpace(string(ev)), "\n") {
			var c struct{ ID string `json:"id"`; Command string `json:"command"`; Class string `json:"class"`; Ask bool `json:"ask_wanted"`; On bool `json:"on_list"` }
			if err := json.Unmarshal([]byte(line), &c); err != nil { t.Fatal(err) }
			d := p.Decide(s, Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(c.Command)})})
			n[fmt.Sprint("want ask ", c.Ask, " on ", c.On, " ", d.Outcome)]++
			if m == "precise" && !c.Ask && c.On && d.Outcome != Allow || c.Ask && d.Outcome == Allow { fmt.Printf("%s %s %v on=%v %s\n   %q\n   %s\n", m, c.ID, c.Ask, c.On, d.Outcome, c.Command, d.Reason) }
		}
		fmt.Println(m, n)
	}
}
