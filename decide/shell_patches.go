package decide

import (
	"path"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/shell"
	"github.com/agent-pdp/pdp/internal/writeset"
)

// shellPatch is what the patches in a command's texts touch.
type shellPatch struct {
	paths  []writeset.Path
	unsure string
}

// shellPatches reads every text of the command that may be a patch, of either
// kind: which program gets it is not told.
func (f *facts) shellPatches() *shellPatch {
	if f.patched != nil {
		return f.patched
	}
	f.patched = &shellPatch{}
	texts, all := shell.LinesGiven(f.commands())
	f.seenAll = f.seenAll && all
	for _, text := range texts {
		codex, unified := writeset.CodexPatch(text), writeset.UnifiedDiff(text)
		for _, set := range [...]writeset.Set{codex, unified} {
			if len(set.Paths) > maxShellWords {
				f.seenAll = false
			}
			f.patched.paths = append(f.patched.paths, set.Paths[:min(len(set.Paths), maxShellWords)]...)
		}
		if !codex.Located() && !unified.Located() && f.patched.unsure == "" && len(codex.Paths)+len(unified.Paths) > 0 {
			f.patched.unsure = unified.Unsure
			if len(codex.Paths) > 0 {
				f.patched.unsure = codex.Unsure
			}
		}
	}
	if len(f.patched.paths) == 0 {
		f.patched.unsure = "no file header"
	}
	return f.patched
}

// patchUnlocated says why the files of a patch that the command applies cannot
// all be told; it is empty if they can, and where the patch is a file.
func (f *facts) patchUnlocated() string {
	for _, c := range f.commands() {
		p, ok := c.Patches()
		if !ok {
			continue
		}
		set := f.shellPatches()
		if set.unsure != "" && (p.Given || len(set.paths) > 0 || p.Input && len(c.Reads) == 0 && f.hasInput()) {
			return set.unsure
		}
	}
	return ""
}

// hasInput reports whether the text holds a here-document.
func (f *facts) hasInput() bool {
	for _, c := range f.commands() {
		if c.Input != "" {
			return true
		}
	}
	return false
}

// patches adds the files of a patch that the command applies.
func (r *wordReader) patches(c shell.Seen, at []string) bool {
	p, ok := c.Patches()
	if !ok || !r.wanted(shell.Landed) {
		return true
	}
	for _, dir := range p.Dirs {
		for _, dir := range r.vars.expand(dir) {
			if abs, err := r.f.placeAt(at[len(at)-1]).Absolute(dir); err == nil && len(at) < 2*maxDirs {
				at = append(at[:len(at):len(at)], abs)
			}
		}
	}
	set := r.f.shellPatches()
	for _, touched := range set.paths {
		if touched.Op == writeset.Link && touched.Target != "" && !r.patchLink(touched, at) {
			return false
		}
	}
	for _, touched := range set.paths {
		for _, name := range p.Names(touched.Text) {
			if name == "" || strings.ContainsRune(name, 0) {
				continue
			}
			for _, name := range r.vars.expand(name) {
				if !r.word(name, at, shell.Landed, false) {
					return false
				}
			}
		}
	}
	return true
}

// patchLink notes a link that a patch makes, as one that the text makes.
func (r *wordReader) patchLink(touched writeset.Path, at []string) bool {
	for _, dir := range at {
		name, err := r.f.placeAt(dir).Absolute(touched.Text)
		if err != nil {
			continue
		}
		name = paths.Clean(name, r.f.session.place.OS)
		to, err := r.f.placeAt(path.Dir(name)).Absolute(touched.Target)
		if err != nil || paths.Contains(name, to) {
			continue
		}
		if len(r.links) == maxMadeLinks {
			return false
		}
		r.links = append(r.links, madeLink{name, paths.Clean(to, r.f.session.place.OS)})
	}
	return true
}
