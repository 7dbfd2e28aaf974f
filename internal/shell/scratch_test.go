package shell

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

func TestScratch(t *testing.T) {
	f, _ := os.Open("testdata/everyday.jsonl")
	var l struct {
		AllowedCommands []string `json:"allowed_commands"`
	}
	raw, _ := os.ReadFile("testdata/allowlist.json")
	json.Unmarshal(raw, &l)
	p, _ := CompilePrefixes(l.AllowedCommands)
	lists := Lists{Table: programs.Builtin(), Prefixes: []Prefixes{p}}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	n, asks := 0, 0
	for sc.Scan() {
		var r struct {
			ID, Command string
			Ask         bool `json:"ask_wanted"`
			On          bool `json:"on_list"`
		}
		json.Unmarshal(sc.Bytes(), &r)
		var c Command
		c.Parse(r.Command, Bash)
		cov := c.Cover(Precise, lists)
		if r.On && !r.Ask {
			n++
			if !cov.Covered || len(cov.Outputs) > 0 {
				asks++
				fmt.Printf("ASK %s %s | %.300q\n", r.ID, cov.Why, r.Command)
			}
		}
		if r.Ask && cov.Covered && len(cov.Outputs) == 0 {
			fmt.Printf("ALLOW %s %.200q %v\n", r.ID, r.Command, cov.Changes)
		}
	}
	fmt.Println(n, asks)
}
