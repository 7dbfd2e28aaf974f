package shell

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
	"github.com/go-json-experiment/json"
)

func TestPrefixesMatchWholeWords(t *testing.T) {
	for _, row := range []struct {
		entries, text string
		want          bool
	}{
		{"git status", "git status", true},
		{"git status", "git status -s", true},
		{"git status", "git statusx", false},
		{"git status", "git", false},
		{"npm test", "npm testify --evil", false},
		{"git status", "GIT status", false},
		{"ls", "/bin/ls", false},
		{"/bin/ls", "/bin/ls", true},
		{"ls", "./ls", false},
		{"git status", "g''it 'status'", true},
		{"'my tool' x", `my\ tool x y`, true},
		{"git status,ls", "git status && ls | ls", true},
		{"git status", "git status && ls", false},
		{"git status", "git status; rm x", false},
		{"git status", "git status\nrm x", false},
		{"git status", "git status & rm x", false},
		{"git status", "FOO=1 git status", false},
		{"git status", "git status > f", false},
		{"git status", "git status $(x)", false},
		{"echo", "echo 'a;b'", false}, // the textual rule
		{"echo", `echo "a b"`, true},
		{"cat", `cat "docs/My File.md"`, true},
		{"*", "ls", false},
		{"ls,git", "ls", true},
	} {
		if covers(t, Strict, row.entries, row.text).Covered != row.want {
			t.Errorf("%s, %q: %v", row.entries, row.text, !row.want)
		}
	}
}

func TestTheLongestEntryThatVouchesIsNamed(t *testing.T) {
	list := lists(t, "git", "git log", "git  'log' -3")
	for text, want := range map[string]string{
		"git status": "git", "git log": "git log", "git log -3": "git  'log' -3", "git log -3 -p": "git  'log' -3", "git -C x log": "", "ls": "",
	} {
		if got := parsed(t, text, Bash).Cover(Strict, list).Entries[0]; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestEntriesThatMeanNothing(t *testing.T) {
	entries := []string{"git status", "", "  ", "''", "a && b", "a | b", "a > f", "a;", "'open", `a\`, "ls -la", "toString", "a ;"}
	list, bad := CompilePrefixes(entries)
	var reported []string
	for _, b := range bad {
		if entries[b.Index] != b.Entry || b.Error() == "" {
			t.Errorf("%+v", b)
		}
		reported = append(reported, b.Entry)
	}
	if want := []string{"", "  ", "''", "a && b", "a | b", "a > f", "'open", `a\`, "a ;"}; !slices.Equal(reported, want) {
		t.Errorf("reported %q, want %q", reported, want)
	}
	only := Lists{Table: programs.Builtin(), Prefixes: []Prefixes{list}}
	if !parsed(t, "git status", Bash).Cover(Strict, only).Covered || parsed(t, "a", Bash).Cover(Strict, only).Covered {
		t.Error("a bad entry changes the others")
	}
	if list.Empty() || !(Prefixes{}).Empty() {
		t.Error("Empty is wrong")
	}
	if none, _ := CompilePrefixes(nil); !none.Empty() || parsed(t, "ls", Bash).Cover(Strict, lists(t)).Covered {
		t.Error("an empty list vouches")
	}
}

func TestListsAreTakenTogether(t *testing.T) {
	a, b := lists(t, "ls").Prefixes[0], lists(t, "cat").Prefixes[0]
	for _, row := range []struct {
		prefixes []Prefixes
		want     bool
	}{{[]Prefixes{a, b}, true}, {[]Prefixes{a}, false}, {[]Prefixes{b}, false}, {nil, false}, {[]Prefixes{{}, a, b}, true}} {
		got := parsed(t, "ls | cat", Bash).Cover(Strict, Lists{Table: programs.Builtin(), Prefixes: row.prefixes})
		if got.Covered != row.want {
			t.Errorf("%d lists: %v", len(row.prefixes), got)
		}
	}
	if parsed(t, "ls", Bash).Cover(Strict, Lists{Prefixes: []Prefixes{a}}).Covered {
		t.Error("lists without a table vouch")
	}
}

// Missing are the commands that a person has to be asked about.
func TestMissing(t *testing.T) {
	got := covers(t, Strict, "ls,git log", "ls; rm x | git log; touch y")
	if want := []int{1, 3}; !slices.Equal(got.Missing, want) || !slices.Equal(got.Entries, []string{"ls", "", "git log", ""}) || !strings.Contains(got.Why, "rm x") {
		t.Errorf("missing %v of %q: %s", got.Missing, got.Entries, got.Why)
	}
}

func TestChanges(t *testing.T) {
	for _, row := range []struct {
		text    string
		changes string // DIR<FROM …
		ok      bool
	}{
		{"ls", "", true},
		{"cd src && ls", "src<-1", true},
		{"cd /p/a\nls\ncd /p/b\nls", "/p/a<-1 /p/b<0", true},
		{"cd a && cd b && ls", "a<-1 b<0", true},
		{"cd ../x && ls", "../x<-1", true},
		{"cd ~ && ls", "~<-1", true},
		{"cd ~/x && ls", "~/x<-1", true},
		{"(cd a); ls", "a<-1", true},
		{"(cd a && ls); cd b", "a<-1 b<-1", true},
		{"cd a | cd b", "a<-1 b<-1", true},
		{"cd a & cd b", "a<-1 b<-1", true},
		{"echo \"$(cd a; pwd)\"; cd b", "a<-1 b<-1", true},
		{"if cd /a; then ls; fi; cd /b", "/a<-1 /b<0", true},
		{"cd", "", false},
		{"cd - && ls", "", false},
		{"cd -P x", "", false},
		{"cd ''", "", false},
		{"cd a b", "", false},
		{"cd $x", "", false},
		{"cd ~/$x", "", false},
		{"cd *", "", false},
		{"cd \"$(pwd)\"", "", false},
		{"pushd a", "", false},
		{"popd", "", false},
		{"chdir a", "", false},
		{"for i in a; do cd b; done", "", false},
		{"if cd a; then ls; fi", "", false},
		// The first may fail, so that the second starts from elsewhere.
		{"cd no/such; cd ..; cat f", "", false},
		{"cd a; cd link; cat f", "", false},
		{"cd a || cd b; cat f", "", false},
		{"cd a\ncd b", "", false},
		// A link's parent is another directory to the shell than to the system.
		{"cd link && cd .. && cat f", "", false},
		{"cd link/.. && cat f", "", false},
		{"cd ./link/../.. && cat f", "", false},
		{"cd ~/.. && cat f", "", false},
	} {
		c := parsed(t, row.text, Bash)
		var changes []string
		for _, ch := range c.Changes {
			changes = append(changes, fmt.Sprintf("%s<%d", ch.Dir, ch.From))
		}
		got := c.Cover(Precise, lists(t, "ls", "cat", "echo", "pushd", "popd", "chdir", "pwd"))
		if c.Opaque(Precise) != "" || got.Covered != row.ok || row.ok && strings.Join(changes, " ") != row.changes {
			t.Errorf("%q: %q, %v %s %s", row.text, changes, got.Covered, got.Why, c.Opaque(Precise))
		}
	}
}

// Commands that coding agents send, under one team's list. Whatever the
// original's rule allowed and this one does not must have its reason here.
func TestEverydayCommands(t *testing.T) {
	reasons := map[string]string{
		"ev-0994": "git diff --output writes",
		"ev-1003": "rg --pre runs a program",
	}
	var list struct {
		Commands []string `json:"allowed_commands"`
	}
	raw, err := os.ReadFile("testdata/allowlist.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	team := lists(t, list.Commands...)
	f, err := os.Open("testdata/everyday.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, opaque := 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); rows++ {
		var row struct {
			ID      string            `json:"id"`
			Command string            `json:"command"`
			Ask     bool              `json:"ask_wanted"`
			OnList  bool              `json:"on_list"`
			Others  map[string]string `json:"others"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		c := parsed(t, row.Command, Bash)
		allowed, before := c.Cover(Strict, team).Covered, row.Others["original"] == "allow"
		switch {
		case allowed && !before:
			t.Errorf("%s: %q is vouched for, and was not", row.ID, row.Command)
		case allowed == before || reasons[row.ID] != "":
		case c.Opaque(Strict) != "":
			opaque++
		default:
			t.Errorf("%s: %q is no longer vouched for", row.ID, row.Command)
		}
	}
	if rows < 600 || opaque > 16 {
		t.Errorf("%d rows, %d of them were allowed and are opaque now", rows, opaque)
	}
}
