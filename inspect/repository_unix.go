//go:build unix

package inspect

import (
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// maxGitFile bounds a .git file, which holds one path.
const maxGitFile = 8 << 10

// findRepository finds the repository around a directory as git does: the first
// directory upwards that has a .git or is a bare repository, on the same file
// system. Each path is looked at only if admit lets it.
func findRepository(dir string, admit func(string) string) repository {
	start, err := statOf(dir, false)
	if err != nil {
		return repository{unknown: "the directory is gone"}
	}
	for {
		here, err := statOf(dir, false)
		if err != nil {
			return repository{unknown: showName(dir) + " cannot be examined"}
		}
		if here.device != start.device {
			return repository{}
		}
		if admit != nil && (admit(dir) != "" || admit(join(dir, ".git")) != "") {
			return repository{unknown: "git looks for a repository in " + showName(dir) + ", which may not be inspected"}
		}
		if r := repositoryIn(dir, here.uid, admit); r.found() {
			return r
		}
		if dir == "/" {
			return repository{}
		}
		dir = filepath.Dir(dir)
	}
}

// repositoryIn is the repository whose work tree dir is, or which dir itself is.
func repositoryIn(dir string, owner uint32, admit func(string) string) repository {
	git := join(dir, ".git")
	own, err := statOf(git, false) // git judges a link, not what it leads to
	target, err2 := statOf(git, true)
	tree := gitObject{"the work tree", dir, owner}
	switch {
	case err != nil || err2 != nil:
	case target.kind() == KindFile:
		r := repository{objects: []gitObject{tree, {"the file", git, own.uid}}}
		r.follow(dir, git, admit)
		return r
	case isGitDirectory(git):
		return repository{objects: []gitObject{tree, {"the directory", git, own.uid}}}
	}
	if isGitDirectory(dir) {
		return repository{objects: []gitObject{{"the bare repository", dir, owner}}}
	}
	return repository{}
}

// follow adds the directory that a .git file names.
func (r *repository) follow(dir, file string, admit func(string) string) {
	path, ok := gitdirOf(dir, readStart(file))
	switch {
	case !ok:
		r.unknown = "the file " + showName(file) + " names no repository"
		return
	case admit != nil && admit(path) != "":
		r.unknown = "the file " + showName(file) + " leads to a directory that may not be inspected"
		return
	}
	o, err := statOf(path, false)
	if err != nil {
		r.unknown = "the file " + showName(file) + " leads to a directory that cannot be examined"
		return
	}
	r.objects = append(r.objects, gitObject{"the directory", path, o.uid})
}

func readStart(path string) string {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return ""
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close() // read only
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, err := io.ReadAll(io.LimitReader(file, maxGitFile))
	if err != nil {
		return ""
	}
	return string(text)
}

// isGitDirectory looks for what git does: HEAD, objects and refs, of which a
// linked work tree has the latter in another directory.
func isGitDirectory(dir string) bool {
	if _, err := statOf(join(dir, "HEAD"), false); err != nil {
		return false
	}
	if _, err := statOf(join(dir, "commondir"), true); err == nil {
		return true
	}
	objects, err1 := statOf(join(dir, "objects"), true)
	refs, err2 := statOf(join(dir, "refs"), true)
	return err1 == nil && err2 == nil && objects.isDir() && refs.isDir()
}
