package decide

import (
	"os"
	"path/filepath"
	"testing"
)

// Rows are commands in a directory with links to credentials, under a list of
// their programs, and whether they run on its word: what opens a link shows what
// is behind it.
func TestLinksToCredentials(t *testing.T) {
	base := tree(t, map[string]string{"ws/.env": "KEY=1", "ws/a.txt": "a", "home/.ssh/id_rsa": "key", "ws/src/x.go": "x"})
	for link, target := range map[string]string{"lnk": ".env", "dlnk": filepath.Join(base, "home/.ssh"), "ok": "a.txt"} {
		if err := os.Symlink(target, filepath.Join(base, "ws", link)); err != nil {
			t.Fatal(err)
		}
	}
	policy := policyOf(t, PolicySpec{InlineContext: "trust", CommandMatching: "precise", Home: filepath.Join(base, "home")})
	session, err := policy.Session(ContextSpec{WorkspaceRoot: filepath.Join(base, "ws"), AllowedCommands: []string{
		"cat", "sed", "jq", "diff", "git commit", "git log", "git hash-object", "git add", "git tag", "awk", "yq", "xxd", "uniq", "shuf", "iconv", "dd", "grep", "sort", "base64", "mytool", "ls", "stat", "pr", "go test", "npm test",
	}})
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]Outcome{
		"cat lnk":                    Ask,
		"grep . lnk":                 Ask,
		"sed -n p lnk":               Ask,
		"jq -R . lnk":                Ask,
		"yq . lnk":                   Ask,
		"diff a.txt lnk":             Ask,
		"diff --to-file=lnk a.txt":   Ask,
		"git commit -F lnk":          Ask,
		"git commit -Flnk":           Ask,
		"git commit --file lnk":      Ask,
		"git commit --file=lnk":      Ask,
		"git commit -aF lnk":         Ask,
		"git tag -F lnk v1":          Ask,
		"git hash-object -w lnk":     Ask,
		"awk 1 lnk":                  Ask,
		"awk 1 dlnk/*":               Ask,
		"awk 1 dlnk/id_*":            Ask,
		"awk 1 dlnk/id_rs[a]":        Ask,
		"xxd lnk":                    Ask,
		"uniq lnk":                   Ask,
		"shuf lnk":                   Ask,
		"iconv lnk":                  Ask,
		"pr lnk":                     Ask,
		"base64 lnk":                 Ask,
		"dd if=lnk":                  Ask,
		"dd if=./lnk bs=1":           Ask,
		"mytool lnk":                 Ask,
		"mytool --in=lnk":            Ask,
		"mytool in=lnk":              Ask,
		"sort dlnk/id_rsa":           Ask,
		"cd src && sed -n p ../lnk":  Ask,
		"ls lnk":                     Allow,
		"stat lnk":                   Allow,
		"git add lnk":                Allow,
		"git log -- lnk":             Allow,
		"git commit -m 'look at it'": Allow,
		"sed -n p ok":                Allow,
		"diff a.txt ok":              Allow,
		"dd if=ok":                   Allow,
		"go test ./src":              Allow,
		"npm test":                   Allow,
		"awk 1 src/*.go":             Allow,
	} {
		if d := policy.Decide(session, toolCall("run_shell", "command", command)); d.Outcome != want {
			t.Errorf("%s: got %s (%s)", command, d.Outcome, d.Reason)
		}
	}
}
