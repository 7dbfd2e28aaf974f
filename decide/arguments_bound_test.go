package decide

import (
	"strings"
	"testing"
)

// Arguments of the largest size that make every search work hardest are answered,
// and nothing in them is let through for lack of looking.
func TestHostileArgumentsAreBounded(t *testing.T) {
	p, err := Compile(PolicySpec{InlineContext: "trust", Deny: ListsSpec{Paths: []string{"secret.txt", "/etc/shadow"}}})
	if err != nil {
		t.Fatal(err)
	}
	mode := "bypass-approvals"
	s, err := p.Session(ContextSpec{WorkspaceRoot: t.TempDir(), Mode: &mode})
	if err != nil {
		t.Fatal(err)
	}
	const depth, many = 60, 20_000
	nested := strings.Repeat(`{"directory":`, depth) + `"x"` + strings.Repeat("}", depth)
	list := func(element string, n int) string { return "[" + strings.Repeat(element+",", n-1) + element + "]" }
	for _, row := range []struct{ name, tool, arguments string }{
		{"directories in directories", "read_file", `{"path":"secret.txt","in":` + nested + `}`},
		{"many directories", "read_file", `{"path":"shadow","in":` + list(`{"cwd":"a"},{"cwd":"b"},{"cwd":"c"},{"cwd":"d"},{"cwd":"e"},{"cwd":"f"},{"cwd":"g"},{"cwd":"h"},{"cwd":"/etc"}`, 9) + `}`},
		{"many texts of JSON", "read_file", `{"a":` + list(`"[\"x\"]"`, many) + `,"b":"[{\"path\":\"secret.txt\"}]"}`},
		{"many paths", "read_many_files", `{"cwd":"/etc","dir":"x","folder":"y","paths":` + list(`"a"`, many) + `}`},
		{"many revisions", "git_log", `{"cwd":"/etc","dir":"x","folder":"y","args":"` + strings.Repeat("a:b ", many) + `HEAD:secret.txt"}`},
		{"many patterns", "grep", `{"glob":` + list(`"{a,b}[cd]*"`, many) + `}`},
		{"one long pattern", "grep", `{"glob":"` + strings.Repeat("{a,b}", 2000) + `secre[t].txt"}`},
	} {
		arguments, err := ParseValue([]byte(row.arguments))
		if err != nil {
			t.Fatal(row.name, err)
		}
		if d := p.Decide(s, Call{Tool: row.tool, Arguments: arguments}); d.Outcome == Allow {
			t.Errorf("%s: allowed: %s", row.name, d.Reason)
		}
	}
}
