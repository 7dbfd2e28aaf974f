package decide

import (
	"strings"
	"testing"
)

// Rows are commands and what people are told of them: programs, reads, writes
// and hosts.
func TestWhatIsToldOfACommand(t *testing.T) {
	policy, err := Compile(PolicySpec{InlineContext: "trust", CommandMatching: "precise", Home: "/home/u"})
	if err != nil {
		t.Fatal(err)
	}
	session, err := policy.Session(ContextSpec{WorkspaceRoot: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ text, programs, reads, writes, hosts string }{
		{"tar -tf a.tar", "tar", "a.tar", "", ""},
		{"cat out.log", "cat", "out.log", "", ""},
		{"curl -o a.tar https://h.example/b.tar", "curl", "", "a.tar", "h.example"},
		{"ssh u@h.example ls", "ssh", "", "", "h.example"},
		{"git clone https://h.example/x.git", "git", "", "", "h.example"},
		{"timeout 5 make test 2>&1", "timeout make", "", "", ""},
		{"time make 2>&1 | xargs -n 1 echo >&2", "make xargs echo", "", "", ""},
		{"sudo make 2>&1 >&- <&0", "sudo make", "", "", ""},
		{"find . -name x -exec grep -l y {} +", "find grep", ".", "", ""},
		{"find . -name '*.go' | xargs -n 1 -P 4 gofmt -l", "find xargs gofmt", ". *.go", "", ""},
		{"sudo -u root env A=1 nice -n 5 ls", "sudo env nice ls", "", "", ""},
		{"docker ps", "docker", "", "", ""},
		{"cp a b", "cp", "a", "b", ""},
		{"sort names", "sort", "names", "", ""},
		{"grep -f words text", "grep", "words text", "", ""},
		{"head -n 5 text", "head", "text", "", ""},
		{"sed -n '1r notes' text", "sed", "text notes", "", ""},
		{"echo x > /dev/tcp/h.example/80", "echo", "", "/dev/tcp/h.example/80", "h.example"},
	} {
		a := policy.Explain(session, Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(row.text)})}).Analysis
		if a == nil {
			t.Fatal("no analysis")
		}
		for what, pair := range map[string][2]string{
			"programs": {strings.Join(a.Programs, " "), row.programs}, "reads": {strings.Join(a.Reads, " "), row.reads},
			"writes": {strings.Join(a.Writes, " "), row.writes}, "hosts": {strings.Join(a.Hosts, " "), row.hosts},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%q: %s are %q, want %q", row.text, what, pair[0], pair[1])
			}
		}
	}
}
