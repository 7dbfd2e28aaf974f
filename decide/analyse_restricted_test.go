package decide

import (
	"strings"
	"testing"
)

// Rows are commands and what is told of their parts, one after the other, with
// - for a part that no list which restricts names.
func TestWhichPartAListNames(t *testing.T) {
	policy, err := Compile(PolicySpec{
		InlineContext: "trust", CommandMatching: "precise", Home: "/home/u",
		Deny: ListsSpec{Commands: []string{"git push"}, Paths: []string{".env"}, Domains: []string{"h.example"}},
		Ask:  ListsSpec{Commands: []string{"rm -rf"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	session, err := policy.Session(ContextSpec{WorkspaceRoot: "/w", Ask: ListsSpec{Commands: []string{"make"}}})
	if err != nil {
		t.Fatal(err)
	}
	const push, env, host = `deny: the command "git push"`, `deny: the path ".env"`, "deny: the domain h.example"
	for _, row := range []struct {
		text  string
		parts []string
	}{
		{"ls", []string{"-"}},
		{"git status && sudo git push", []string{"-", push}},
		{"rm -rf x; git push", []string{`ask: the command "rm -rf"`, push}},
		{"make; ls", []string{`ask: the command "make"`, "-"}},
		{"ls | tee ../.env", []string{"-", env}},
		{"ls >.env", []string{env}},
		{"cd sub && cat .e* && ls", []string{"-", env, "-"}},
		{"A=.env; ls; cat $A", []string{"-", "-", env}},
		{"curl https://h.example; curl https://other.example", []string{host, "-"}},
		{`bash -c "git push && ls"; ls`, []string{push, "-"}},
		{"git push; ls `ls", []string{push, push, "-", "-"}}, // not read: what may run, in each way
		{strings.Repeat("git log; ", maxToldCommands) + "git push", make([]string, maxToldCommands+1)},
		{"git push " + strings.Repeat("x", maxToldText), make([]string, 1)},
	} {
		d := policy.Explain(session, Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(row.text)})})
		var parts []string
		for _, c := range d.Analysis.Commands {
			part := "-"
			if c.Restricted != nil {
				part = c.Restricted.List + ": " + c.Restricted.Names
			}
			parts = append(parts, part)
		}
		if got, want := strings.Join(parts, ", "), strings.Join(row.parts, ", "); strings.Trim(want, ", ") != "" && got != want || strings.Trim(want, ", ") == "" && strings.Trim(got, "-, ") != "" {
			t.Errorf("%.60q: %s\nwant %s", row.text, got, want)
		}
	}
}
