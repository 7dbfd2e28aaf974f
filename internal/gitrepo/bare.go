package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
)

// hookNames are the programs that git runs from a directory of hooks.
var hookNames = nameSet(`applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase
	post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc
	post-rewrite sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change`)

func nameSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// IsHookName reports whether git would run a file of that name from a directory
// of hooks. Letter case does not count, nor does an .exe at its end.
func IsHookName(name string) bool {
	return hookNames[strings.TrimSuffix(strings.ToLower(name), ".exe")]
}

// The parts by which git takes a directory for a repository without being told,
// whatever the directory is called.
var bareParts = nameSet("head objects refs")

// InBare reports whether a write to an absolute path would change what git runs in
// a repository without a .git of its own: its configuration or hooks, or the last
// part that makes such a repository of a directory which has those already.
func InBare(path string) bool {
	dir, name := filepath.Split(filepath.Clean(path))
	for depth := 0; dir != "" && depth < maxDepth; depth++ {
		dir = filepath.Clean(dir)
		switch part := strings.ToLower(name); {
		case part == "hooks", depth == 0 && (part == "config" || part == "config.worktree"):
			if isBare(dir, "") {
				return true
			}
		case bareParts[part] && (part != "head" || depth == 0):
			if !isBare(dir, "") && isBare(dir, part) && (exists(dir, "config") || exists(dir, "hooks")) {
				return true
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir, name = parent, filepath.Base(dir)
	}
	return false
}

// isBare reports whether dir has all the parts, one of them perhaps yet to come.
func isBare(dir, coming string) bool {
	for _, part := range [...]string{"HEAD", "objects", "refs"} {
		if strings.ToLower(part) != coming && !exists(dir, part) {
			return false
		}
	}
	return true
}

func exists(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}
