package paths

import (
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// Glob returns the names that exist for an absolute path whose components may
// hold * ? and [set], as a shell fills them in: wildcards do not match a leading
// dot, and ** is any number of directories, as for shells that are told so. Where
// shells read a pattern differently it returns what any of them finds. It reads
// at most most directory entries; ok is false if that was not enough, or a
// directory could not be read, so that names may be missing.
func Glob(pattern string, most int) (names []string, ok bool) {
	return GlobWithin(pattern, &most)
}

// GlobWithin is Glob for several patterns that share a bound: it takes what it
// reads off left.
func GlobWithin(pattern string, left *int) (names []string, ok bool) {
	g := globber{left: *left, ok: true}
	g.walk("/", strings.FieldsFunc(pattern, func(r rune) bool { return r == '/' }))
	*left = g.left
	return g.names, g.ok
}

type globber struct {
	names []string
	left  int
	ok    bool
}

func (g *globber) walk(dir string, parts []string) {
	plain := slices.IndexFunc(parts, func(part string) bool { return strings.ContainsAny(part, `*?[\`) })
	if plain < 0 {
		plain = len(parts)
	}
	if plain > 0 {
		dir = path.Join(dir, strings.Join(parts[:plain], "/"))
		parts = parts[plain:]
	}
	switch {
	case len(dir) > longestPath: // no file has such a name
		return
	case len(parts) == 0:
		g.names = append(g.names, dir)
		return
	}
	part := parts[0]
	if strings.IndexByte(part, '[') >= 0 && strings.IndexByte(part, ']') < 0 {
		g.ok = false // no shell takes it for a pattern, nor says what for instead
		return
	}
	names, below := g.read(dir, part == "**")
	if strings.HasPrefix(part, ".") || strings.HasPrefix(part, `\`) {
		names = append(names, ".", "..") // as older shells do
	}
	if part == "**" {
		g.walk(dir, parts[1:])
		for _, name := range below {
			g.walk(path.Join(dir, name), parts)
		}
	}
	wild := NewWild(part)
	for _, name := range names {
		if mayLead(part, name) && wild.MayFill(name) {
			g.walk(path.Join(dir, name), parts[1:])
		}
	}
}

// mayLead reports whether a pattern can match the beginning of a name: only a
// dot that is written matches one there.
func mayLead(pattern, name string) bool {
	return !strings.HasPrefix(name, ".") || strings.HasPrefix(strings.TrimLeft(pattern, `\`), ".")
}

// longestPath is more bytes than the path that a system call takes.
const longestPath = 1 << 16

// entriesOfOpen is how many entries cost as much as opening a directory.
const entriesOfOpen = 10

// read returns the names in a directory, and on demand which of them are
// directories that ** goes into.
func (g *globber) read(dir string, kinds bool) (names, below []string) {
	if g.left <= 0 {
		g.ok = false
		return nil, nil
	}
	// Opening anything but a directory may wait for ever, as for a pipe.
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		g.ok = g.ok && (err == nil || errors.Is(err, os.ErrNotExist))
		return nil, nil
	}
	f, err := os.Open(dir)
	if err != nil {
		g.ok = g.ok && errors.Is(err, os.ErrNotExist)
		return nil, nil
	}
	defer f.Close()
	if kinds {
		var entries []os.DirEntry
		entries, err = f.ReadDir(g.left)
		for _, e := range entries {
			names = append(names, e.Name())
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
				below = append(below, e.Name())
			}
		}
	} else {
		names, err = f.Readdirnames(g.left)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		g.ok = false
	}
	if g.left -= len(names) + entriesOfOpen; g.left <= 0 {
		g.ok = false
	}
	return names, below
}
