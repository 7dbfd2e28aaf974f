package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/agent-pdp/pdp/internal/shell"
)

// unchanged reports whether the files that the command runs are, byte for byte,
// those of the grant; a grant that knows of none stands for none.
func (f *facts) unchanged(g commandGrant) bool {
	files, err := f.boundFiles()
	if err != nil {
		return false
	}
	return len(g.versions) == 0 && len(files) == 0 ||
		slices.ContainsFunc(g.versions, func(v map[string]string) bool { return maps.Equal(v, files) })
}

// Bounds on what is read to recognise the files that a command runs.
const (
	maxRanFiles = 32
	maxRanBytes = 64 << 20
)

var errNotBound = errors.New("it cannot be told which files the command runs, or they are too large to look at")

// boundFiles is what a grant of the command is bound to: nothing, if it runs no
// file. It returns the digests of the files that the command may run: of every
// word that names a file, in a command that runs one. Naming too many only
// means that a grant ends sooner.
func (f *facts) boundFiles() (map[string]string, error) {
	commands := f.commands()
	if !runsContent(commands) {
		return nil, nil
	}
	if f.session.pathsMode == PathsLexical || !f.seenAll || f.changesDirectory() || setsPath(commands) {
		return nil, errNotBound
	}
	r := f.ranReader(f.session.place.Cwd)
	for _, c := range commands {
		if len(c.WorksIn()) > 0 && runs(c) || !r.command(c) {
			return nil, errNotBound
		}
	}
	return r.files, nil
}

// onceFiles is what an approval for one call is bound to. A lasting grant is not
// given where the text changes directories; one call can be bound to the files in
// each place that the text may be in. With an error, the files are those that
// could be told: not all that the command may run.
func (f *facts) onceFiles() (map[string]string, error) {
	commands := f.commands()
	if !runsContent(commands) {
		return nil, nil
	}
	if f.session.pathsMode == PathsLexical {
		return nil, errNotBound
	}
	dirs, told := f.namedDirectories()
	told = told && f.seenAll && !setsPath(commands)
	r := f.ranReader(dirs...)
	for _, c := range commands {
		if !r.command(c) {
			told = false
		}
		if setsPath(commands) {
			r.read(c.Words) // the name of a program may be a file's
		}
	}
	if !told {
		return r.files, errNotBound
	}
	return r.files, nil
}

// namedDirectories are the directories that the text may be in. They are told
// if it names them plainly: with one cd at most, and options such as -C.
func (f *facts) namedDirectories() (dirs []string, told bool) {
	place := f.session.place
	dirs, told = []string{place.Cwd}, true
	changes := 0
	add := func(dir string) {
		abs, err := place.Absolute(dir)
		if err != nil || dir == "" || strings.ContainsAny(dir, "$`*?[]{}!\\") || dir[0] == '-' || len(dirs) == maxDirs {
			told = false
			return
		}
		dirs = append(dirs, abs)
	}
	for _, c := range f.commands() {
		for _, set := range c.Sets {
			told = told && !strings.HasPrefix(set, "CDPATH")
		}
		inside := c.WorksIn()
		for _, dir := range inside {
			changes++
			add(dir)
		}
		if dir, ok := c.ChangesTo(); ok && c.Words[0] == "cd" && len(c.Words) == 2 {
			changes++
			add(dir)
		} else if len(inside) == 0 && slices.ContainsFunc(c.Words, func(w string) bool { return changers[w] }) {
			told = false
		}
	}
	return dirs, told && changes <= 1
}

// runsContent reports whether the text does not say what will run: a command
// runs a file by its path or its input, or programs are looked for elsewhere
// than the system has them.
func runsContent(commands []shell.Seen) bool {
	return slices.ContainsFunc(commands, runs) || setsPath(commands)
}

func runs(c shell.Seen) bool { return c.RunsFile() || c.RunsInput() || len(c.MayRun()) > 0 }

func setsPath(commands []shell.Seen) bool {
	isPath := func(word string) bool { return strings.HasPrefix(word, "PATH=") || strings.HasPrefix(word, "PATH+=") }
	return slices.ContainsFunc(commands, func(c shell.Seen) bool {
		return slices.ContainsFunc(c.Sets, isPath) || slices.ContainsFunc(c.Words, isPath)
	})
}

// ranReader reads files up to a bound on their number and size.
type ranReader struct {
	facts *facts
	dirs  []string // in which words are looked for
	files map[string]string
	left  int64
	over  bool // a bound was met
}

func (f *facts) ranReader(dirs ...string) *ranReader {
	return &ranReader{facts: f, dirs: dirs, files: map[string]string{}, left: maxRanBytes}
}

// command reads the files that a command runs; it is false if they could not be
// told.
func (r *ranReader) command(c shell.Seen) bool {
	found := r.read(c.MayRun())
	if c.RunsFile() {
		found = r.read(c.Words) || found
	} else {
		found = true
	}
	// What comes through a pipe is never the same for sure.
	if c.RunsInput() {
		found = r.read(c.Reads) && found
	}
	return found && !r.over
}

// read takes the files that words name, and reports whether there was one.
func (r *ranReader) read(words []string) (found bool) {
	for _, word := range words {
		for _, dir := range r.dirs {
			t := r.facts.locateAt(word, dir)
			found = t.err == nil && r.file(t.resolved.Path) || found
		}
	}
	return found
}

func (r *ranReader) file(path string) bool {
	if _, known := r.files[path]; known {
		return true
	}
	if r.over || len(r.files) == maxRanFiles {
		r.over = true
		return false
	}
	r.facts.sight.look()
	digest, size, err := digestFile(path, r.left)
	if err != nil {
		r.over = errors.Is(err, errNotBound)
		return false // perhaps no file: an option, a program found on the PATH
	}
	r.left -= size
	r.files[path] = digest
	return true
}

// changesDirectory reports whether words may be read against another directory
// than the call's.
func (f *facts) changesDirectory() bool {
	for _, c := range f.commands() {
		for _, word := range c.Words {
			if changers[word] {
				return true
			}
		}
	}
	return false
}

var changers = wordSet("cd pushd popd chdir env chroot unshare nsenter ssh docker podman")

// digestFile reads a regular file without waiting for anything: a pipe would
// wait for a writer.
func digestFile(path string, limit int64) (digest string, size int64, err error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return "", 0, err
	case !info.Mode().IsRegular():
		return "", 0, os.ErrInvalid
	}
	hash := sha256.New()
	size, err = io.Copy(hash, io.LimitReader(file, limit+1))
	if err != nil || size > limit {
		return "", 0, errNotBound
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}
