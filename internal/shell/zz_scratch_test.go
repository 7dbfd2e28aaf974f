package shell

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

func TestScratchEveryday(t *testing.T) {
	var list struct {
		A []string `json:"allowed_commands"`
	}
	b, _ := os.ReadFile("/work/shared/cases/team-allowlist.json")
	json.Unmarshal(b, &list)
	p, bad := CompilePrefixes(list.A)
	fmt.Println(bad)
	f, _ := os.Open("/work/shared/cases/everyday-commands.jsonl")
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	n, orig, ask, laxer, ro := 0, 0, 0, 0, 0
	for sc.Scan() {
		var c struct {
			ID, Command, Class string
			Ask                bool `json:"ask_wanted"`
			On                 bool `json:"on_list"`
			Others             map[string]string
		}
		json.Unmarshal(sc.Bytes(), &c)
		n++
		var k Command
		k.Parse(c.Command, Bash)
		ok := k.Cover(p)
		if k.ReadOnly() {
			ro++
		}
		if c.Others["original"] == "allow" {
			orig++
			if !ok {
				ask++
				why := k.Opaque()
				bads := []string{}
				for i := range k.Simples {
					if k.Vouched(i, p) == "" {
						bads = append(bads, fmt.Sprint(k.Simples[i].Words))
					}
				}
				fmt.Printf("ASK %s want_ask=%v %q %s %v\n", c.ID, c.Ask, c.Command, why, bads)
			} else if c.Ask {
				fmt.Printf("ALLOWED-BUT-ASK-WANTED %s %q\n", c.ID, c.Command)
			}
		} else if ok {
			laxer++
			fmt.Printf("LAXER %s %q\n", c.ID, c.Command)
		}
	}
	fmt.Println(n, "orig allow", orig, "we ask", ask, "laxer", laxer, "readonly", ro)
}
