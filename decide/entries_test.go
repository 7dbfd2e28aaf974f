package decide

import (
	"errors"
	"strings"
	"testing"
)

var entryRows = []struct{ entry, wrong, idle string }{
	// Entries that match no command.
	{"*", "lets nothing run", ""},
	{"**", "lets nothing run", ""},
	{"git *", "leave the * out", ""},
	{"npm run *", "leave the * out", ""},
	{"FOO=1 ls", "begins with an assignment", ""},
	{"LC_ALL=C sort", "begins with an assignment", ""},
	{"FOO+=1 ls", "begins with an assignment", ""},
	{"FOO=", "begins with an assignment", ""},
	{"$HOME/bin/x", "only a shell can fill in", ""},
	{"~/bin/x", "only a shell can fill in", ""},
	{"~", "only a shell can fill in", ""},
	{"./scripts/*.sh", "only a shell can fill in", ""},
	{"`which go` test", "only a shell can fill in", ""},
	{"{ls,cat}", "only a shell can fill in", ""},
	{"if true", "no program", ""},
	{"! grep", "no program", ""},
	{"{ ls", "no program", ""},
	{"", "is blank", ""},
	{" \t", "is blank", ""},
	{"'git status", "a quote is not closed", ""},
	{"ls | wc", "holds an operator", ""},
	{"grep 'a|b'", "", ""},

	// Entries that vouch for less than they seem to.
	{"npm run test:*", "", "not as a wildcard"},
	{"bash", "", "the words behind bash decide"},
	{"sudo", "", "the words behind sudo decide"},
	{"docker ps", "", "in strict matching"},

	// Entries that do what they say.
	{"git status", "", ""},
	{"./x.sh", "", ""},
	{"[ -f x", "", ""},
	{"=x", "", ""},
	{"1=2", "", ""},
	{"a-b=1", "", ""},
	{"find . -name '*.go'", "", ""},
	{"git log '*'", "", ""},
	{"make FOO=1", "", ""},
	{"'a b' c", "", ""},
}

func TestEntriesThatMeanNothingSafeAreRefusedInAPolicy(t *testing.T) {
	for _, row := range entryRows {
		p, err := Compile(PolicySpec{AllowedCommands: []string{"ls", row.entry}})
		var spec *SpecError
		if row.wrong != "" {
			if !errors.As(err, &spec) || len(spec.Issues) != 1 || spec.Issues[0].Pointer != "/allowed_commands/1" || !strings.Contains(spec.Issues[0].Detail, row.wrong) {
				t.Errorf("%q: %v, want %s", row.entry, err, row.wrong)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", row.entry, err)
			continue
		}
		list := p.Warnings()
		if row.idle == "" && len(list) > 0 || row.idle != "" && (len(list) != 1 || list[0].Pointer != "/allowed_commands/1" || !strings.Contains(list[0].Detail, row.idle)) {
			t.Errorf("%q: %v, want %q", row.entry, list, row.idle)
		}
	}
}

func TestEntriesThatMeanNothingSafeAreToldInAContext(t *testing.T) {
	p, err := Compile(PolicySpec{InlineContext: "trust"})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range entryRows {
		s, err := p.Session(ContextSpec{WorkspaceRoot: "/w", AllowedCommands: []string{row.entry, "ls"}})
		if err != nil {
			t.Errorf("%q: %v", row.entry, err)
			continue
		}
		call := Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text("ls")})}
		d := p.Decide(s, call)
		if d.Outcome != Allow {
			t.Errorf("%q spoils the list: %v", row.entry, d.Reason)
		}
		want := row.wrong + row.idle
		if want == "" && len(d.Warnings) > 0 || want != "" && (len(d.Warnings) != 1 || !strings.HasPrefix(d.Warnings[0], "allowed_commands/0: ") || !strings.Contains(d.Warnings[0], want)) {
			t.Errorf("%q: %q, want %q", row.entry, d.Warnings, want)
		}
	}
}

func TestAnEntryThatIsIgnoredLetsNothingRun(t *testing.T) {
	for _, matching := range []string{"strict", "precise"} {
		p, err := Compile(PolicySpec{InlineContext: "trust", CommandMatching: matching})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range []struct{ entry, command string }{{"*", "'*'"}, {"git *", "git '*'"}, {"'$HOME/x'", "'$HOME/x'"}} {
			s, err := p.Session(ContextSpec{WorkspaceRoot: "/w", AllowedCommands: []string{row.entry}})
			if err != nil {
				t.Fatal(err)
			}
			call := Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(row.command)})}
			if d := p.Decide(s, call); d.Outcome != Ask {
				t.Errorf("%s, entry %s: %s is %v", matching, row.entry, row.command, d.Outcome)
			}
		}
	}
}
