package decide

import (
	"os"
	"strings"
	"testing"
)

// docs/tools.md names every shell.
func TestToolsPageNamesShells(t *testing.T) {
	page, err := os.ReadFile("../docs/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(shellTools + " " + powershellTools) {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/tools.md does not name %s", name)
		}
	}
}
