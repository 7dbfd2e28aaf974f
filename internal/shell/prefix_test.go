package shell

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

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
		if covered(t, row.entries, row.text) != row.want {
			t.Errorf("%s, %q: %v", row.entries, row.text, !row.want)
		}
	}
}

func TestTheLongestEntryThatVouchesIsNamed(t *testing.T) {
	list, _ := CompilePrefixes([]string{"git", "git log", "git  'log' -3"})
	for text, want := range map[string]string{
		"git status": "git", "git log": "git log", "git log -3": "git  'log' -3", "git log -3 -p": "git  'log' -3", "git -C x log": "", "ls": "",
	} {
		if got := parsed(t, text, Bash).Vouched(0, list); got != want {
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
	if !parsed(t, "git status", Bash).Cover(list) || parsed(t, "a", Bash).Cover(list) {
		t.Error("a bad entry changes the others")
	}
	if list.Empty() || !(Prefixes{}).Empty() {
		t.Error("Empty is wrong")
	}
	if none, _ := CompilePrefixes(nil); !none.Empty() || parsed(t, "ls", Bash).Cover(none) {
		t.Error("an empty list vouches")
	}
}

func TestListsAreTakenTogether(t *testing.T) {
	a, _ := CompilePrefixes([]string{"ls"})
	b, _ := CompilePrefixes([]string{"cat"})
	if c := parsed(t, "ls | cat", Bash); !c.Cover(a, b) || c.Cover(a) || c.Cover(b) || c.Cover() {
		t.Error("two lists do not work together")
	}
}

func TestChangesTo(t *testing.T) {
	for _, row := range []struct {
		text string
		dirs string
		ok   bool
	}{
		{"ls", "", true},
		{"cd src && ls", "src", true},
		{"cd /p/a\nls\ncd /p/b\nls", "/p/a /p/b", true},
		{"cd a && cd b && ls", "a b", true},
		{"cd sdk && make && cd ..", "sdk ..", true}, // nothing runs behind it
		{"cd ../x && ls", "../x", true},
		{"cd", "", false},
		{"cd - && ls", "", false},
		{"cd -P x", "", false},
		{"cd ''", "", false},
		{"cd a b", "", false},
		// The first may fail, so that the second starts from elsewhere.
		{"cd no/such; cd ..; cat f", "", false},
		{"cd a; cd link; cat f", "", false},
		{"cd a || cd b; cat f", "", false},
		{"cd a & cd b; cat f", "", false},
		// A link's parent is another directory to the shell than to the system.
		{"cd link && cd .. && cat f", "", false},
		{"cd link/.. && cat f", "", false},
		{"cd ./link/../.. && cat f", "", false},
	} {
		dirs, ok := parsed(t, row.text, Bash).ChangesTo()
		if ok != row.ok || ok && strings.Join(dirs, " ") != row.dirs {
			t.Errorf("%q: %q %v", row.text, dirs, ok)
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
	prefixes, bad := CompilePrefixes(list.Commands)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
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
			Others  map[string]string `json:"others"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		c := parsed(t, row.Command, Bash)
		allowed, before := c.Cover(prefixes), row.Others["original"] == "allow"
		switch {
		case allowed && !before:
			t.Errorf("%s: %q is vouched for, and was not", row.ID, row.Command)
		case allowed == before || reasons[row.ID] != "":
		case c.Opaque() != "":
			opaque++
		default:
			t.Errorf("%s: %q is no longer vouched for", row.ID, row.Command)
		}
	}
	if rows < 600 || opaque > 16 {
		t.Errorf("%d rows, %d of them were allowed and are opaque now", rows, opaque)
	}
}
