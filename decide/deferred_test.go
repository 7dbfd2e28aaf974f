package decide

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var updatePage = flag.Bool("update-policy-page", false, "rewrite the table of groups in docs/policy.md")

// The page for operators lists each built-in group with its reason and patterns.
func TestPolicyPageListsTheDeferredFiles(t *testing.T) {
	const page, begin, end = "../docs/policy.md", "<!-- groups -->\n", "<!-- end of groups -->\n"
	var b strings.Builder
	b.WriteString("| group | why a person is asked | patterns |\n|---|---|---|\n")
	for _, g := range DeferredGroups() {
		name := "`" + g.Name + "`"
		if g.Optional {
			name += " (off unless named)"
		}
		b.WriteString("| " + name + " | " + g.Reason + " | `" + strings.Join(g.Patterns, "` `") + "` |\n")
	}
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	shown, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("the page has no place for the table")
	}
	if *updatePage {
		if err := os.WriteFile(page, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if shown != b.String() {
		t.Error("the table is not what the engine has; run this test with -update-policy-page and read the change")
	}
}

func TestEveryDeferredPatternMatchesItsOwnPath(t *testing.T) {
	seen := map[string]string{}
	for _, g := range deferredGroups {
		p, err := Compile(PolicySpec{DeferredExecution: []PatternSpec{{Group: g.Name}}, Home: "/home/me"})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range g.Patterns {
			if seen[text] != "" {
				t.Errorf("%s is in %s and %s", text, seen[text], g.Name)
			}
			seen[text] = g.Name
			path := strings.TrimSuffix(strings.ReplaceAll(text, "*", "x"), "/")
			if !strings.HasPrefix(path, "/") {
				path = "/w/deep/" + path
			}
			for _, path := range []string{path, strings.ToUpper(path), path + "/below"} {
				if _, hit := p.deferred.Match(path); !hit {
					t.Errorf("%s does not match %s", text, path)
				}
			}
		}
	}
}

func TestDeferredEntries(t *testing.T) {
	for _, row := range []struct {
		entries []PatternSpec
		path    string
		reason  string // a part of it; empty: nobody is asked
	}{
		{nil, "/w/package.json", ""},
		{nil, "/w/Makefile", ""},
		{[]PatternSpec{{Group: "project_build_files"}}, "/w/package.json", "next build"},
		{[]PatternSpec{{Group: "project_build_files"}}, "/w/sub/MAKEFILE", "next build"},
		{[]PatternSpec{{Pattern: "deploy/*.sh", Reason: "the nightly job runs it"}}, "/w/deploy/a.sh", "nightly"},
		{[]PatternSpec{{Pattern: "deploy/*.sh"}}, "/w/deploy/a.sh", "the policy lists deploy/*.sh"},
		{[]PatternSpec{{Pattern: "!docs/AGENTS.md"}}, "/w/docs/AGENTS.md", ""},
		{[]PatternSpec{{Pattern: "!docs/AGENTS.md"}}, "/w/AGENTS.md", "an agent"},
		{[]PatternSpec{{Pattern: "!.git/"}}, "/w/.git/config", ""},
		// What the first engine asked about stays.
		{[]PatternSpec{{Pattern: "!.git/"}}, "/w/.git/hooks/x", "git reads hooks"},
		{[]PatternSpec{{Pattern: "!.github/"}, {Pattern: "!.gitlab-ci.yml"}}, "/w/.gitlab-ci.yml", "CI"},
		{[]PatternSpec{{Group: "project_build_files"}, {Pattern: "!package.json"}}, "/w/package.json", ""},
	} {
		p, err := Compile(PolicySpec{DeferredExecution: row.entries, Home: "/home/me"})
		if err != nil {
			t.Fatal(err)
		}
		rule, hit := p.deferred.Match(row.path)
		if hit != (row.reason != "") || !strings.Contains(rule.Reason, row.reason) {
			t.Errorf("%v on %s: %v, %q", row.entries, row.path, hit, rule.Reason)
		}
	}
	for _, row := range []struct {
		entry   PatternSpec
		pointer string
	}{
		{PatternSpec{}, "/deferred_execution/0"},
		{PatternSpec{Group: "build"}, "/deferred_execution/0/group"},
		{PatternSpec{Group: "ci", Pattern: "x"}, "/deferred_execution/0"},
		{PatternSpec{Pattern: "a/../b"}, "/deferred_execution/0/pattern"},
	} {
		_, err := Compile(PolicySpec{DeferredExecution: []PatternSpec{row.entry}})
		if err == nil || !strings.HasPrefix(err.Error(), row.pointer+": ") {
			t.Errorf("%+v: %v, want an issue at %s", row.entry, err, row.pointer)
		}
	}
}

// tree makes files (text) and links ("-> target") below a fresh directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(strings.ReplaceAll(text, "{{BASE}}", base)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return base
}

// bypass judges calls in the laxest mode with one writable root.
func bypass(t *testing.T, root string) func(tool, argument, text string) Decision {
	t.Helper()
	policy, err := Compile(PolicySpec{InlineContext: "trust", Home: filepath.Dir(root)})
	if err != nil {
		t.Fatal(err)
	}
	mode := "bypass-approvals"
	session, err := policy.Session(ContextSpec{WorkspaceRoot: root, Mode: &mode})
	if err != nil {
		t.Fatal(err)
	}
	return func(tool, argument, text string) Decision {
		return policy.Decide(session, Call{Tool: tool, Arguments: NewObject(Member{argument, Text(text)})})
	}
}

func TestHooksOfTheRepositoryAtHand(t *testing.T) {
	base := tree(t, map[string]string{
		"plain/.git/config":               "[core]\n\thooksPath = tools/hooks\n[include]\n\tpath = ../conf/extra.cfg\n",
		"plain/tools/x":                   "",
		"plain/alias":                     "-> tools/hooks",
		"plain/sub/x":                     "",
		"main/.git/config":                "[core]\n\thooksPath = hooks\n",
		"main/.git/worktrees/w/x":         "",
		"main/.git/worktrees/w/commondir": "../..\n",
		"w/.git":                          "gitdir: {{BASE}}/main/.git/worktrees/w\n",
		"split/.git":                      "gitdir: store\n",
		"split/store/config":              "",
		"none/x":                          "",
		"linked/.git":                     "-> gitstore",
		"linked/gitstore/config":          "",
		"outer/.git/config":               "",
		"outer/lib/.git/config":           "[core]\n\thooksPath = hk\n",
		"outer/lib/hk/x":                  "",
		"outer/lib/link":                  "-> hk",
		"outer/bare/HEAD":                 "ref: refs/heads/main\n",
		"outer/bare/objects/x":            "",
		"outer/bare/refs/x":               "",
		"outer/half/config":               "[core]\n\tfsmonitor = ./x\n",
		"outer/half/objects/x":            "",
		"outer/half/refs/x":               "",
		"outer/part/HEAD":                 "ref: refs/heads/main\n",
		"outer/part/refs/x":               "",
		"outer/part/hooks/x":              "",
		"outer/game/objects/x":            "",
	})
	for _, row := range []struct {
		root, tool, argument, text string
		want                       Code
	}{
		{"plain", "write_file", "path", "tools/hooks/pre-commit", CodeDeferredExecution},
		{"plain", "write_file", "path", "tools/HOOKS/pre-commit", CodeDeferredExecution},
		{"plain", "write_file", "path", "tools/hooks/lib/x.sh", CodeDeferredExecution},
		{"plain", "write_file", "path", "alias/pre-commit", CodeDeferredExecution},
		{"plain", "run_shell", "command", "cp x tools/hooks/pre-commit", CodeDeferredExecution},
		{"plain", "delete_directory", "path", "tools", CodeDeferredExecution},
		{"plain", "write_file", "path", "conf/extra.cfg", CodeDeferredExecution},
		{"plain", "run_shell", "command", "mv x conf/extra.cfg", CodeDeferredExecution},
		{"plain", "write_file", "path", "conf/other.cfg", CodeFullAccess},
		{"plain", "write_file", "path", "tools/other", CodeFullAccess},
		{"plain", "write_file", "path", "hooks/x", CodeFullAccess},
		{"plain/sub", "write_file", "path", "x", CodeFullAccess},
		{"w", "write_file", "path", "hooks/pre-commit", CodeDeferredExecution},
		{"w", "write_file", "path", ".git", CodeDeferredExecution},
		{"main", "write_file", "path", ".git/worktrees/w/config.worktree", CodeDeferredExecution},
		{"split", "write_file", "path", "store/hooks/pre-commit", CodeDeferredExecution},
		{"split", "write_file", "path", "store/config", CodeDeferredExecution},
		{"linked", "write_file", "path", "gitstore/hooks/pre-commit", CodeDeferredExecution},
		{"linked", "write_file", "path", "other/pre-commit", CodeFullAccess},
		{"none", "write_file", "path", "tools/hooks/pre-commit", CodeFullAccess},
		{"outer", "write_file", "path", "lib/hk/pre-commit", CodeDeferredExecution},
		{"outer", "write_file", "path", "lib/hk/PRE-COMMIT", CodeDeferredExecution},
		{"outer", "write_file", "path", "lib/link/post-checkout", CodeDeferredExecution},
		{"outer", "copy_directory", "path", "lib/hk", CodeWriteUnlocated},
		{"outer", "delete_directory", "path", "lib/hk", CodeDeferredExecution},
		{"outer", "run_shell", "command", "cp x lib/hk/pre-push", CodeDeferredExecution},
		{"outer", "write_file", "path", "lib/other/pre-commit", CodeFullAccess},
		{"outer", "write_file", "path", "lib/x", CodeFullAccess},
		{"outer", "write_file", "path", "bare/config", CodeDeferredExecution},
		{"outer", "write_file", "path", "bare/hooks/post-receive", CodeDeferredExecution},
		{"outer", "write_file", "path", "bare/objects/y", CodeFullAccess},
		{"outer", "write_file", "path", "half/HEAD", CodeDeferredExecution},
		{"outer", "write_file", "path", "half/config", CodeFullAccess},
		{"outer", "write_file", "path", "part/objects/info/x", CodeDeferredExecution},
		{"outer", "write_file", "path", "game/objects/config", CodeFullAccess},
		{"outer", "write_file", "path", "game/HEAD", CodeFullAccess},
	} {
		if d := bypass(t, filepath.Join(base, row.root))(row.tool, row.argument, row.text); d.Code != row.want {
			t.Errorf("%s: %s %s: got %s (%s), want %s", row.root, row.tool, row.text, d.Code, d.Reason, row.want)
		}
	}
}

// A repository's configuration is read again once it has changed.
func TestHooksPathThatChanges(t *testing.T) {
	base := tree(t, map[string]string{"r/.git/config": "[core]\n"})
	decide := bypass(t, base+"/r")
	if d := decide("write_file", "path", "mine/pre-commit"); d.Code != CodeFullAccess {
		t.Errorf("before: %s", d.Code)
	}
	if err := os.WriteFile(base+"/r/.git/config", []byte("[core]\nhooksPath = mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if d := decide("write_file", "path", "mine/pre-commit"); d.Code != CodeDeferredExecution {
		t.Errorf("after: %s", d.Code)
	}
}
