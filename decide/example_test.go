package decide_test

import (
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/decide"
)

func Example() {
	policy, err := decide.Compile(decide.PolicySpec{
		AllowedCommands: []string{"git status"},
		Deny:            decide.ListsSpec{Commands: []string{"git push"}},
	})
	if err != nil {
		log.Fatal(err) // names each entry that is wrong
	}
	session, err := policy.Session(decide.ContextSpec{WorkspaceRoot: "/srv/app"})
	if err != nil {
		log.Fatal(err)
	}
	for _, command := range []string{"git status -s", "make", "sudo git push"} {
		d := policy.Decide(session, decide.Call{
			Tool:      "run_shell",
			Arguments: decide.NewObject(decide.Member{Name: "command", Value: decide.Text(command)}),
		})
		fmt.Println(d.Outcome, d.Code)
	}
	// Output:
	// allow command_allowlisted
	// ask approval_required
	// deny denied_by_policy
}

// The README shows the example above, without its indentation.
func TestReadmeShowsTheExample(t *testing.T) {
	source := read(t, "example_test.go")
	_, body, _ := strings.Cut(source, "func Example() {\n")
	body, _, found := strings.Cut(body, "}\n\n")
	if !found {
		t.Fatal("the example is not where it was")
	}
	block := "```go\n" + strings.ReplaceAll("\n"+body, "\n\t", "\n")[1:] + "```\n"
	if !strings.Contains(read(t, "../README.md"), block) {
		t.Errorf("README.md does not hold the example as it is now:\n%s", block)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}
