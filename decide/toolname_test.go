package decide

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestNameWords(t *testing.T) {
	for _, row := range []struct {
		name, server, bare string
		words              []string
	}{
		{"mcp__filesystem__write_file", "mcp__filesystem", "write_file", []string{"write", "file"}},
		{"mcp_filesystem_write_file", "", "filesystem_write_file", []string{"filesystem", "write", "file"}},
		{"filesystem.writeFile", "filesystem", "writeFile", []string{"write", "file"}},
		{"server/create-new-file", "server", "create-new-file", []string{"create", "new", "file"}},
		{" write_file\u200b", "", "write_file", []string{"write", "file"}},
		{"HTTPFetch", "", "HTTPFetch", []string{"httpfetch"}},
		{"mcp_ȺȺȺȺȺ_file", "", "ȺȺȺȺȺ_file", []string{"ⱥⱥⱥⱥⱥ", "file"}}, // longer in small letters
		{"mcp_x\xde\xde0", "", "x\xde\xde0", []string{"x", "0"}},
		{"__", "", "", nil},
		{"", "", "", nil},
	} {
		server, bare := splitToolName(row.name)
		if words := nameWords(bare); server != row.server || bare != row.bare || !slices.Equal(words, row.words) {
			t.Errorf("%q: got %q %q %q", row.name, server, bare, words)
		}
	}
}

// A tool that nobody listed and that writes files, by its name or by the word of
// its server, is held to the roots like any other.
func TestToolsThatPlainlyWriteAreScoped(t *testing.T) {
	base := tree(t, map[string]string{"app/.git/config": "", "app/src/x": "", "out/x": ""})
	out := filepath.Join(base, "out")
	inside, outside, hook := `{"path":"src/x"}`, `{"path":"`+out+`/x"}`, `{"path":".git/hooks/pre-commit"}`
	const hints = `{"annotations":{"destructiveHint":true}}`
	for _, row := range []struct {
		tool, arguments, metadata string
		want                      Code
	}{
		{"mcp__filesystem__write_file", inside, `{}`, CodeFullAccess},
		{"mcp__filesystem__write_file", outside, `{}`, CodeOutsideRoots},
		{"mcp__filesystem__write_file", outside, `{"requires_approval":true,"category":"connector"}`, CodeOutsideRoots},
		{"mcp__filesystem__write_file", outside, `{"annotations":{"readOnlyHint":true}}`, CodeOutsideRoots},
		{"mcp__filesystem__write_file", hook, `{}`, CodeDeferredExecution},
		{"mcp__filesystem__write_file", `{"name":"x"}`, `{}`, CodeWriteUnlocated},
		{"MCP__FileSystem__Write_File", outside, `{}`, CodeOutsideRoots},
		{"mcp_filesystem_write_file", outside, `{}`, CodeOutsideRoots},
		{"mcp_desktop_commander_edit_block", `{"file_path":"` + out + `/x"}`, `{}`, CodeOutsideRoots},
		{"filesystem.write_file", hook, `{}`, CodeDeferredExecution},
		{"functions.apply_patch", `{"patch":"*** Begin Patch\n*** Add File: ` + out + `/y\n+y\n*** End Patch"}`, `{}`, CodeOutsideRoots},
		{"fs:writeFile", outside, `{}`, CodeOutsideRoots},
		{"write_file ", outside, `{}`, CodeOutsideRoots},
		{"mcp__fs__move_file", `{"source":"src/x","destination":"` + out + `/y"}`, `{}`, CodeOutsideRoots},
		{"mcp__fs__move_file", `{"source":"src/x"}`, `{}`, CodeWriteUnlocated},
		{"mcp__fs__delete_everything_in_directory", `{"path":".git"}`, `{}`, CodeDeferredExecution},
		{"mcp__serena__replace_symbol_body", `{"relative_path":"../out/x","name_path":"A/b"}`, `{}`, CodeOutsideRoots},
		{"mcp__serena__replace_symbol_body", `{"relative_path":"src/x","name_path":"A/b"}`, `{}`, CodeFullAccess},
		{"mcp__ide__create_new_file_with_text", `{"where":"` + out + `/x"}`, `{}`, CodeOutsideRoots},
		{"mcp__ide__copy_files", `{"pairs":[{"a":"src/x"}]}`, `{}`, CodeWriteUnlocated},
		{"mcp__x__write", outside, `{}`, CodeOutsideRoots},
		{"mcp__x__delete", outside, `{}`, CodeOutsideRoots},
		{"mcp__x__delete", `{"id":7}`, `{}`, CodeFullAccess},
		{"mcp__x__delete", `{"target":"` + out + `/x"}`, `{}`, CodeOutsideRoots},
		{"mcp__x__delete", `{"target":"x"}`, `{}`, CodeFullAccess},
		{"mcp__filesystem__create", outside, `{}`, CodeOutsideRoots},
		{"mcp__filesystem__create", hook, `{}`, CodeDeferredExecution},
		{"mcp__filesystem__move", `{"from":"` + out + `/a","to":"src/b"}`, `{}`, CodeOutsideRoots},
		{"mcp__filesystem__unlink", outside, `{}`, CodeOutsideRoots},
		{"mcp__filesystem__list", outside, `{}`, CodeFullAccess},
		{"fs.create", outside, `{}`, CodeOutsideRoots},
		{"copy", `{"from":"src/x","to":"` + out + `/b"}`, `{}`, CodeOutsideRoots},
		{"rename", `{"from":"src/x","to":"../out/b"}`, `{}`, CodeOutsideRoots},
		{"move", `{"from":"inbox","to":"archive"}`, `{}`, CodeFullAccess},
		{"unzip", `{"archive":"a.zip","dest":"` + out + `"}`, `{}`, CodeOutsideRoots},
		{"extract_archive", `{"dest":"` + out + `"}`, `{}`, CodeOutsideRoots},
		{"mcp__store__touch", outside, `{}`, CodeOutsideRoots},
		{"mcp__files__upsert", outside, `{}`, CodeOutsideRoots},
		{"mcp__filesystem__mkdirs", outside, `{}`, CodeOutsideRoots},
		{"mcp__filesystem__rmdir", `{"path":".git"}`, `{}`, CodeDeferredExecution},
		{"tee", outside, `{}`, CodeOutsideRoots},
		{"decompress", `{"file":"a.gz","dest":"` + out + `"}`, `{}`, CodeOutsideRoots},
		{"compress", `{"source":"src","destination":"` + out + `/a.zip"}`, `{}`, CodeOutsideRoots},
		{"zip", `{"files":["src/x"],"output":"` + out + `/a.zip"}`, `{}`, CodeOutsideRoots},
		{"link", `{"from":"` + out + `/x","to":"y"}`, `{}`, CodeOutsideRoots},
		{"hardlink", `{"source":"` + out + `/x","target":"y"}`, `{}`, CodeOutsideRoots},
		{"link_issues", `{"from":"A-1","to":"B-2"}`, `{}`, CodeFullAccess},
		{"frob", outside, hints, CodeOutsideRoots},
		{"frob", hook, hints, CodeDeferredExecution},
		{"frob", inside, hints, CodeFullAccess},
		{"frob", outside, `{"annotations":{"readOnlyHint":false}}`, CodeOutsideRoots},
		{"frob", `{"id":7}`, hints, CodeFullAccess},
		{"frob", outside, `{}`, CodeFullAccess},

		// Readers, and services whose files are elsewhere, stay what they were.
		{"mcp__filesystem__read_file", outside, `{}`, CodeFullAccess},
		{"mcp__filesystem__list_directory", outside, `{}`, CodeFullAccess},
		{"mcp__github__delete_file", `{"path":"/docs/x"}`, `{}`, CodeFullAccess},
		{"mcp_github_create_or_update_file", `{"path":"/docs/x"}`, `{}`, CodeFullAccess},
		{"mcp__dropbox__move_file", `{"from_path":"/a","to_path":"/b"}`, hints, CodeFullAccess},
		{"dropbox_upload_file", `{"path":"/a"}`, `{}`, CodeFullAccess},
		{"mcp__linear__update_issue", `{"id":"x"}`, `{}`, CodeFullAccess},

		// A path in an argument that is a text of JSON is a path.
		{"write_file", `{"path":"src/x","options":"{\"path\":\"` + out + `/x\"}"}`, `{}`, CodeOutsideRoots},
		{"write_file", `{"path":"[\"src/x\"]"}`, `{}`, CodeWriteUnlocated},
		{"write_file", `{"path":"src/x","options":"{\"a\":[1]}"}`, `{}`, CodeFullAccess},
		{"write_file", `{"path":"src/x","content":"{\"path\":\"/etc/x\"}"}`, `{}`, CodeFullAccess},
		{"write_file", `{"path":"src/x","location":"` + out + `/x"}`, `{}`, CodeOutsideRoots},
		{"write_file", `{"path":"src/x","file path":"` + out + `/x"}`, `{}`, CodeOutsideRoots},
		{"write_file", `{"path":"src/x","ｐａｔｈ":"` + out + `/x"}`, `{}`, CodeOutsideRoots},
		{"write_file", `{"path":"src/x","file\u200bpath":"` + out + `/x"}`, `{}`, CodeOutsideRoots},
		{"edit_notebook", `{"target_notebook":"` + out + `/x.ipynb"}`, `{}`, CodeOutsideRoots},
		{"apply_diff", `{"path":"src/x","diff":"--- a/src/x\n+++ ` + out + `/x\n@@ -1 +1 @@\n-a\n+b\n"}`, `{}`, CodeOutsideRoots},
		{"apply_diff", `{"path":"src/x","diff":"--- a/src/x\n+++ b/src/x\n@@ -1 +1 @@\n-a\n+b\n"}`, `{}`, CodeFullAccess},
		{"apply_diff", `{"path":"src/x","diff":"<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"}`, `{}`, CodeFullAccess},
		{"edit_file", `{"path":"src/x","search":"/api/v1","replace":"/api/v2"}`, `{}`, CodeFullAccess},
	} {
		arguments, err := ParseValue([]byte(row.arguments))
		if err != nil {
			t.Fatal(err)
		}
		policy := policyOf(t, PolicySpec{InlineContext: "trust"})
		session, err := policy.Session(ContextSpec{WorkspaceRoot: filepath.Join(base, "app"), Mode: mode(BypassApprovals)})
		if err != nil {
			t.Fatal(err)
		}
		d := policy.Decide(session, Call{Tool: row.tool, Arguments: arguments, Metadata: metadata(t, row.metadata)})
		if d.Code != row.want {
			t.Errorf("%s %s %s: got %s (%s), want %s", row.tool, row.arguments, row.metadata, d.Code, d.Reason, row.want)
		}
	}
}

// The operator's word for a tool replaces what its name implies.
func TestTheOperatorsWordForATool(t *testing.T) {
	base := tree(t, map[string]string{"app/x": ""})
	call := toolCall("mcp__store__move_file", "source", "/a", "destination", "/b")
	for _, row := range []struct {
		name string
		spec PolicySpec
		want Code
	}{
		{"nothing said", PolicySpec{}, CodeOutsideRoots},
		{"a tool of another system", PolicySpec{Tools: map[string]ToolSpec{"mcp__store__move_file": {Risk: "external"}}}, CodeFullAccess},
		{"an override", PolicySpec{RiskOverrides: []Value{NewObject(Member{"pattern", Text("mcp__store__*")}, Member{"risk", Text("external")})}}, CodeFullAccess},
		{"unknown tools are denied", PolicySpec{UnknownTools: "deny"}, CodeUnknownTool},
	} {
		row.spec.InlineContext = "trust"
		policy := policyOf(t, row.spec)
		session, err := policy.Session(ContextSpec{WorkspaceRoot: filepath.Join(base, "app"), Mode: mode(BypassApprovals)})
		if err != nil {
			t.Fatal(err)
		}
		if d := policy.Decide(session, call); d.Code != row.want {
			t.Errorf("%s: got %s (%s), want %s", row.name, d.Code, d.Reason, row.want)
		}
	}
}

// An override makes a tool write, and does not say where: its name is no word for
// the paths in its arguments.
func TestAnOverrideLeavesPathsUnknown(t *testing.T) {
	base := tree(t, map[string]string{"app/x": ""})
	policy := policyOf(t, PolicySpec{InlineContext: "trust", RiskOverrides: []Value{NewObject(Member{"pattern", Text("mcp__store__*")}, Member{"risk", Text("write_local")})}})
	session, err := policy.Session(ContextSpec{WorkspaceRoot: filepath.Join(base, "app"), Mode: mode(BypassApprovals)})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]Code{"x": CodeWriteUnlocated, "/a": CodeOutsideRoots} {
		if d := policy.Decide(session, toolCall("mcp__store__write_file", "path", path)); d.Code != want {
			t.Errorf("%s: got %s (%s), want %s", path, d.Code, d.Reason, want)
		}
	}
}
