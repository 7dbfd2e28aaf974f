package decide

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// Under testdata/commands stand commands that coding agents run all day
// (harmless.txt), and commands that a sensible team wants to be asked about
// although a list names every program of them (hostile.txt). Both are judged
// under the team's list and a wide one of further entries (allowlist.txt).
// Commands are separated by lines of "%%".
func TestHarmlessCommandsRun(t *testing.T) {
	judge := wideEngine(t, "precise")
	for _, command := range commandRows(t, "harmless") {
		if d := judge(command); d.Outcome != Allow {
			t.Errorf("%q: %s %s", command, d.Outcome, d.Reason)
		}
	}
}

func TestHostileCommandsAsk(t *testing.T) {
	for _, matching := range []string{"strict", "precise"} {
		judge := wideEngine(t, matching)
		for _, command := range commandRows(t, "hostile") {
			if d := judge(command); d.Outcome == Allow {
				t.Errorf("%s: %q runs: %s", matching, command, d.Reason)
			}
		}
	}
}

func wideEngine(t *testing.T, matching string) func(command string) Decision {
	t.Helper()
	raw, err := os.ReadFile("testdata/commands/allowlist.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := append(teamList(t), strings.Split(strings.TrimSpace(string(raw)), "\n")...)
	policy, err := Compile(PolicySpec{AllowedCommands: list, CommandMatching: matching})
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

func teamList(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile("testdata/team-allowlist.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		AllowedCommands []string `json:"allowed_commands"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	return list.AllowedCommands
}

func commandRows(t *testing.T, kind string) []string {
	t.Helper()
	raw, err := os.ReadFile("testdata/commands/" + kind + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n%%\n")
}

// So many patterns are no longer compared with the names of files that hold
// credentials; such a command asks.
func TestManyPatternsAsk(t *testing.T) {
	judge := wideEngine(t, "precise")
	for _, row := range []struct {
		command string
		runs    bool
	}{
		{"git log -- " + strings.Repeat("'*q*z' ", maxWildNames), true},
		{"git log -- " + strings.Repeat("'*q*z' ", maxWildNames+1), false},
		{"find . " + strings.Repeat("-name '*q*z' ", maxWildNames) + "| xargs grep x", true},
		{"find . " + strings.Repeat("-name '*q*z' ", maxWildNames+1) + "| xargs grep x", false},
	} {
		if d := judge(row.command); (d.Outcome == Allow) != row.runs {
			t.Errorf("%.30q, %d bytes: %s %s", row.command, len(row.command), d.Outcome, d.Reason)
		}
	}
}

// Beyond these bounds on what is looked at, a command asks.
func TestManySearchesAsk(t *testing.T) {
	judge := wideEngine(t, "precise")
	numbered := func(form string, n int) (words string) {
		for i := range n {
			words += strings.ReplaceAll(form, "N", strconv.Itoa(i))
		}
		return words
	}
	for _, row := range []struct {
		command string
		runs    bool
	}{
		{"grep -r x" + numbered(" /srvN", 100), true},
		{"grep -r x" + numbered(" /srvN", maxShellWords+1), false},
		{"grep -r x" + numbered(" /srv/q[a]N", 20), true},
		{"grep -r x" + numbered(" /srv/q[a]N", maxSweptPatterns+1), false},
		{"git ls-files" + strings.Repeat(" | grep o", maxFilters) + " | xargs grep x", true},
		{"git ls-files" + strings.Repeat(" | grep o", maxFilters+1) + " | xargs grep x", false},
		{"curl -s" + numbered(" https://hN.test", 100), true},
		{"curl -s" + numbered(" https://hN.test", maxDoubtful+1), false},
	} {
		if d := judge(row.command); (d.Outcome == Allow) != row.runs {
			t.Errorf("%.30q, %d bytes: %s %s", row.command, len(row.command), d.Outcome, d.Reason)
		}
	}
}
