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
func (l *Looker) InBare(path string) bool {
	path = filepath.Clean(path)
	for depth, end := 0, len(path); depth < maxDepth; depth++ {
		at := strings.LastIndexByte(path[:end], filepath.Separator)
		if at < 0 || end < 2 {
			return false
		}
		dir := path[:max(at, len(filepath.VolumeName(path))+1)]
		switch part := strings.ToLower(path[at+1 : end]); {
		case part == "hooks", depth == 0 && (part == "config" || part == "config.worktree"):
			if l.isBare(dir, "") {
				return true
			}
		case bareParts[part] && (part != "head" || depth == 0):
			if !l.isBare(dir, "") && l.isBare(dir, part) && (l.exists(dir, "config") || l.exists(dir, "hooks")) {
				return true
			}
		}
		end = at
	}
	return false
}

// isBare reports whether dir has all the parts, one of them perhaps yet to come.
func (l *Looker) isBare(dir, coming string) bool {
	for _, part := range [...]string{"HEAD", "objects", "refs"} {
		if strings.ToLower(part) != coming && !l.exists(dir, part) {
			return false
		}
	}
	return true
}

func (l *Looker) exists(dir, name string) bool {
	path := filepath.Join(dir, name)
	there, known := l.there[path]
	if !known && l.look() {
		_, err := os.Lstat(path)
		there = err == nil
		if l.there == nil {
			l.there = map[string]bool{}
		}
		l.there[path] = there
	}
	return there
}
