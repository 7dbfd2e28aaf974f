package paths

import (
	"errors"
	"io"
	"os"
	"path"
	"strings"
)

// Glob returns the names that exist for an absolute path whose components may
// hold * ? and [set], as a shell fills them in: wildcards do not match a leading
// dot. It reads at most most directory entries; ok is false if that was not
// enough, or a directory could not be read, so that names may be missing.
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
	if len(parts) == 0 {
		g.names = append(g.names, dir)
		return
	}
	if !strings.ContainsAny(parts[0], "*?[") {
		g.walk(path.Join(dir, parts[0]), parts[1:])
		return
	}
	for _, name := range g.read(dir) {
		if strings.HasPrefix(name, ".") && !strings.HasPrefix(parts[0], ".") {
			continue
		}
		if hit, err := path.Match(strings.ReplaceAll(parts[0], "[!", "[^"), name); err != nil {
			g.ok = false
			return
		} else if hit {
			g.walk(path.Join(dir, name), parts[1:])
		}
	}
}

func (g *globber) read(dir string) []string {
	if g.left <= 0 {
		g.ok = false
		return nil
	}
	// Opening anything but a directory may wait for ever, as for a pipe.
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		g.ok = g.ok && (err == nil || errors.Is(err, os.ErrNotExist))
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		g.ok = g.ok && errors.Is(err, os.ErrNotExist)
		return nil
	}
	defer f.Close()
	list, err := f.Readdirnames(g.left)
	if err != nil && !errors.Is(err, io.EOF) {
		g.ok = false
	}
	if g.left -= len(list); g.left <= 0 {
		g.ok = false
	}
	return list
}
