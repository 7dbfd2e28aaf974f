// Package gitrepo finds the directories from which the git repository at hand
// runs programs: its own directory, wherever a .git file puts it, and the
// directories that core.hooksPath names.
//
// It reads files and runs nothing, git least of all: a repository's own
// configuration can make git run a program. What it finds serves a check that
// asks a person, so it takes each value that any configuration file gives,
// whether or not another overrides it or a condition holds.
//
// It does not promise to find a repository that appears later, or settings given
// by environment variables or options of a command.
package gitrepo

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	maxDepth  = 128     // directories looked at upwards
	maxFile   = 1 << 20 // bytes read of a configuration file
	maxFiles  = 32      // configuration files, with included ones
	maxHooks  = 64
	maxListed = 256 // included files that are named, read or not
)

// Repo is what was found of one repository.
type Repo struct {
	Top   string   // the directory that holds .git
	Dirs  []string // the repository's own directory, and the one that worktrees share
	Hooks []string // what core.hooksPath names, absolute
	Files []string // configuration that include.path names, absolute; it need not be there
	files []stamp  // what was read
}

// stamp tells whether a file is the one that was read.
type stamp struct {
	path     string
	size     int64
	modified time.Time
	there    bool
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{path: path}
	}
	return stamp{path, info.Size(), info.ModTime(), true}
}

// Find looks for the repository that holds dir, in it and above it. home is
// where the user's own configuration is; it may be empty.
func Find(dir, home string) (Repo, bool) {
	for range maxDepth {
		if repo, ok := findIn(dir, home); ok {
			return repo, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return Repo{}, false
}

func findIn(dir, home string) (Repo, bool) {
	info, err := os.Lstat(filepath.Join(dir, ".git"))
	if err != nil {
		return Repo{}, false
	}
	return read(dir, home, info), true
}

// Fresh returns the repository as it is now, and whether one of its own files
// has changed since it was read. The user's own configuration is not looked at
// again.
func (r Repo) Fresh(home string) (Repo, bool) {
	for _, s := range r.files {
		if stampOf(s.path) != s {
			again, ok := Find(r.Top, home)
			return again, ok && again.Top == r.Top
		}
	}
	return r, false
}

func read(top, home string, info fs.FileInfo) Repo {
	r := Repo{Top: top}
	own := filepath.Join(top, ".git")
	if info.Mode()&fs.ModeSymlink != 0 {
		own, info = follow(own, info)
	}
	if info.Mode().IsRegular() {
		r.files = append(r.files, stampOf(own))
		if dir, ok := strings.CutPrefix(firstLine(own), "gitdir:"); ok {
			own = below(top, strings.TrimSpace(dir))
		}
	}
	r.Dirs = []string{own}
	shared := own
	if dir := firstLine(filepath.Join(own, "commondir")); dir != "" {
		shared = below(own, dir)
		r.Dirs = append(r.Dirs, shared)
	}
	todo := []string{filepath.Join(shared, "config"), filepath.Join(own, "config.worktree")}
	r.files = append(r.files, stampOf(todo[0]))
	if home != "" {
		todo = append(todo, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	for n := 0; n < len(todo) && n < maxFiles; n++ {
		r.readConfig(todo[n], home, func(included string) {
			if !slices.Contains(todo, included) && len(todo) < maxListed {
				todo = append(todo, included)
				r.Files = append(r.Files, included)
				r.files = append(r.files, stampOf(included))
			}
		})
	}
	return r
}

// follow returns where a link leads, or the link itself if it leads nowhere.
func follow(link string, info fs.FileInfo) (string, fs.FileInfo) {
	if led, err := filepath.EvalSymlinks(link); err == nil {
		if there, err := os.Stat(led); err == nil {
			return led, there
		}
	}
	return link, info
}

// firstLine is the content of one of git's small files.
func firstLine(path string) string {
	text := content(path)
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}

func (r *Repo) readConfig(path, home string, include func(string)) {
	settings(content(path), func(s setting) {
		switch {
		case s.section == "core" && s.name == "hookspath" && s.value != "":
			if dir := below(r.Top, atHome(s.value, home)); len(r.Hooks) < maxHooks && !slices.Contains(r.Hooks, dir) {
				r.Hooks = append(r.Hooks, dir)
			}
		case (s.section == "include" || s.section == "includeif") && s.name == "path" && s.value != "":
			include(below(filepath.Dir(path), atHome(s.value, home)))
		}
	})
}

func atHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return path
}

func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// content reads a regular file up to a bound; anything else is empty.
func content(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // a pipe would never end
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil || strings.IndexByte(string(text), 0) >= 0 {
		return ""
	}
	return string(text)
}
