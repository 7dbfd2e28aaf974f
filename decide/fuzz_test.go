package decide

import (
	"strings"
	"testing"
)

// FuzzWriteArguments gives arguments of any shape to every write tool: no panic,
// and whatever is allowed lies in the writable root, each text that is plainly a
// path outside it being a reason to refuse.
func FuzzWriteArguments(f *testing.F) {
	for _, seed := range []string{
		`{"path": "a"}`, `{"file_path": "a", "edits": [{"old_string": "x"}]}`, `{"files": [{"path": "a"}, {"path": "/etc/x"}]}`,
		`{"source": "a", "destination": "../b"}`, `{"path": "x", "cwd": "/etc"}`, `{"moves": [{"from": "a", "to": "b"}]}`, `{"path": ["a", "b"]}`,
		`{"patch": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}`, `{"diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "strip": 2}`, `{"path": {"path": "/etc/x"}}`, `[]`, `null`,
	} {
		f.Add(seed)
	}
	policy, err := Compile(PolicySpec{InlineContext: "trust", Paths: "lexical", LexicalWrites: "trust", Home: "/home/me"})
	if err != nil {
		f.Fatal(err)
	}
	mode := "bypass-approvals"
	session, err := policy.Session(ContextSpec{WorkspaceRoot: "/proj/app", Mode: &mode})
	if err != nil {
		f.Fatal(err)
	}
	var tools []string
	for name, t := range builtin {
		if t.risk == WriteLocal {
			tools = append(tools, name)
		}
	}
	f.Fuzz(func(t *testing.T, raw string) {
		arguments, err := ParseValue([]byte(raw))
		if err != nil {
			return
		}
		for _, tool := range tools {
			d := policy.Decide(session, Call{Tool: tool, Arguments: arguments})
			if d.Outcome != Allow {
				continue
			}
			if len(d.Paths) == 0 {
				t.Fatalf("%s %s: allowed without a path", tool, raw)
			}
			for _, p := range d.Paths {
				if p.Root != "/proj/app" || !strings.HasPrefix(p.Resolved+"/", "/proj/app/") {
					t.Fatalf("%s %s: allowed with %+v", tool, raw, p)
				}
			}
			w := argumentWalk{yield: func(text string) {
				if strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "/proj/") {
					t.Fatalf("%s %s: allowed although %q lies elsewhere", tool, raw, text)
				}
			}}
			for i := range arguments.members {
				if m := &arguments.members[i]; !policy.tools.lookup(tool).reads(foldName(m.Name)) {
					w.member(m)
				}
			}
		}
	})
}

// FuzzImpliedTool reads any name, and letter case and a server in front do not
// hide that a tool writes.
func FuzzImpliedTool(f *testing.F) {
	for _, seed := range []string{"mcp__fs__write_file", "writeFile", "a.b:c/d", "mcp_x_y_z", "__", "deleteAllFiles"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		implied := builtin.impliedTool(name)
		if implied == nil || strings.Contains(name, "__") || isRemote(name) {
			return
		}
		if len(nameWords(name)) > 0 && builtin.impliedTool("mcp__server__"+name) == nil {
			t.Errorf("%q writes, and mcp__server__%s does not", name, name)
		}
	})
}
