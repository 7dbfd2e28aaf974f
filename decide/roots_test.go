package decide

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A root is judged by where it leads, also where its own resolution is spared.
func TestRootsThatAreOrHoldLinks(t *testing.T) {
	base := tree(t, map[string]string{
		"app/src/x": "", "out/x": "", "link": "-> app", "app/away": "-> ../out", "app/ro/x": "", "alias": "-> app/ro",
	})
	at := func(name string) string { return filepath.Join(base, name) }
	for _, row := range []struct {
		name  string
		roots []RootSpec
		path  string
		want  Code
	}{
		{"a plain root", []RootSpec{{at("app"), true}}, at("app/src/x"), CodeFullAccess},
		{"a new file in new directories", []RootSpec{{at("app"), true}}, at("app/new/dir/x"), CodeFullAccess},
		{"a root that is not there yet", []RootSpec{{at("later"), true}}, at("later/x"), CodeFullAccess},
		{"a path that only begins like the root", []RootSpec{{at("app/s"), true}}, at("app/src/x"), CodeOutsideRoots},
		{"a root that is a link", []RootSpec{{at("link"), true}}, at("link/src/x"), CodeFullAccess},
		{"a root that is a link, the file by its own name", []RootSpec{{at("link"), true}}, at("app/src/x"), CodeFullAccess},
		{"a root by its own name, the file through a link", []RootSpec{{at("app"), true}}, at("link/src/x"), CodeFullAccess},
		{"a root that is a link out of the other", []RootSpec{{at("app"), true}}, at("app/away/x"), CodeOutsideRoots},
		{"a root with dots", []RootSpec{{at("app") + "/./src/..", true}}, at("app/src/x"), CodeFullAccess},
		{"a root that ends in a slash", []RootSpec{{at("app") + "/", true}}, at("app/src/x"), CodeFullAccess},
		{"a read-only root behind a link", []RootSpec{{at("app"), true}, {at("alias"), false}}, at("app/ro/x"), CodeOutsideRoots},
		{"a read-only root by another name", []RootSpec{{at("app"), true}, {at("link/ro"), false}}, at("app/ro/x"), CodeOutsideRoots},
	} {
		policy := policyOf(t, PolicySpec{InlineContext: "trust"})
		session, err := policy.Session(ContextSpec{WorkspaceRoot: at("app"), Roots: row.roots, Mode: mode(BypassApprovals)})
		if err != nil {
			t.Fatal(err)
		}
		d := policy.Decide(session, toolCall("write_file", "path", row.path))
		if d.Code != row.want {
			t.Errorf("%s: got %s (%s), want %s", row.name, d.Code, d.Reason, row.want)
		}
		if d.Code != CodeFullAccess {
			continue
		}
		root, err := filepath.EvalSymlinks(row.roots[0].Path)
		if os.IsNotExist(err) {
			root = row.roots[0].Path
		} else if err != nil {
			t.Fatal(err)
		}
		if got := d.Paths[0].Root; got != root {
			t.Errorf("%s: the answer names the root %s, want %s", row.name, got, root)
		}
	}
}

// A place outside the policy's roots is named by the field that said it.
func TestPlaceOutsideTheRootsIsNamed(t *testing.T) {
	inside, outside := t.TempDir(), t.TempDir()
	p := policyOf(t, PolicySpec{Roots: []RootSpec{{Path: inside, Writable: true}}, InlineContext: "narrow"})
	for field, spec := range map[string]ContextSpec{
		"/workspace_root": {WorkspaceRoot: outside},
		"/cwd":            {WorkspaceRoot: inside, Cwd: outside},
	} {
		if _, err := p.Session(spec); err == nil || !strings.Contains(err.Error(), field+": lies in no root of the policy") {
			t.Errorf("%s: %v", field, err)
		}
	}
}
