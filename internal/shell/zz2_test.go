package shell

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestScratchVouch(t *testing.T) {
	b, _ := os.ReadFile("/tmp/vouch.txt")
	for _, l := range strings.Split(string(b), "\n") {
		if strings.TrimSpace(l) == "" {
			continue
		}
		e, c, _ := strings.Cut(l, " :: ")
		p, _ := CompilePrefixes(strings.Split(e, ","))
		var k Command
		k.Parse(c, Bash)
		fmt.Printf("%-5v %s\n", k.Cover(p), l)
	}
}
