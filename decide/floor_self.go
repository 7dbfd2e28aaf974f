package decide

import (
	"strconv"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/shell"
)

// selfProtection refuses whatever would touch the files that govern the
// permission system, in every mode and through every tool: no verdict below
// can reach them, and no click either. A command that names such a file is
// refused whether it reads or writes, since the text does not tell.
func selfProtection(f *facts) (refusal, bool) {
	if len(f.session.protected) == 0 && len(f.policy.own) == 0 {
		return refusal{}, false
	}
	var hit string
	switch {
	case f.writes:
		hit = f.protectedTarget(f.targets())
	case !f.runs && (f.consequential() || f.call.fromMCP()):
		hit = f.protectedTarget(f.pathArguments())
	}
	if hit == "" && f.runs {
		hit = f.protectedInCommand()
	}
	if hit == "" {
		return refusal{}, false
	}
	return refusal{Deny, CodeSelfProtection, strconv.Quote(clip(hit)) + " governs what agents may do, so no agent may touch it"}, true
}

// guarded is a protected path as it is now.
type guarded struct {
	protectedPath
	resolved string // folded
	id       paths.FileID
}

func (f *facts) guards() []guarded {
	if !f.guardsRead {
		f.guardsRead = true
		for _, p := range f.session.protected {
			g := guarded{protectedPath: p}
			if r, err := f.resolver().Resolve(p.path); err == nil {
				g.resolved, g.id = paths.Fold(r.Path), r.ID
			}
			f.guarded = append(f.guarded, g)
		}
	}
	return f.guarded
}

func (f *facts) protectedTarget(targets []target) string {
	for i := range targets {
		if hit := f.protects(&targets[i]); hit != "" {
			return hit
		}
	}
	return ""
}

// protects returns the protected path that the target is, lies in, or belongs
// to; spelling does not count, and neither do other names of the same file.
func (f *facts) protects(t *target) string {
	if t.abs == "" {
		return ""
	}
	resolved := paths.Fold(t.resolved.Path)
	spelled := paths.Fold(paths.Clean(t.abs, f.session.place.OS))
	for _, g := range f.guards() {
		if t.resolved.ID.Valid() && t.resolved.ID == g.id ||
			belongs(g.folded, resolved) || belongs(g.resolved, resolved) || belongs(g.folded, spelled) {
			return g.path
		}
	}
	return ""
}

// belongs reports whether path is the protected file, lies in the protected
// directory, or is a file that a database keeps beside it.
func belongs(protected, path string) bool {
	if protected == "" || !strings.HasPrefix(path, protected) {
		return false
	}
	if paths.Contains(protected, path) {
		return true
	}
	rest, ok := strings.CutPrefix(path, protected)
	return ok && (rest == "-wal" || rest == "-shm" || rest == "-journal")
}

// protectedInCommand looks for a protected path in a command: its plain text
// anywhere, also inside a longer name; and each word as the shell would read
// it, through quotes, home, variables, cd, patterns and links.
func (f *facts) protectedInCommand() string {
	f.readCommand()
	text := f.commandGiven
	if text == "" {
		return ""
	}
	if len(text) > shell.MaxScanned {
		text = text[:shell.MaxScanned] // the rest is not seen, and the floors ask
	}
	folded := ""
	if len(text) <= shell.MaxText {
		folded = foldText(text)
	} else {
		folded = foldASCII(text) // other letters would cost more than the text is worth
	}
	for i := range f.session.protected {
		if p := &f.session.protected[i]; strings.Contains(folded, p.folded) || strings.Contains(folded, tail(p.folded)) {
			return p.path
		}
	}
	if address := f.namesOwnAddress(folded); address != "" {
		return address
	}
	commands := f.commands()
	if len(f.session.protected) == 0 || len(commands) == 0 && f.seenAll {
		return ""
	}
	if hit := f.protectedInCode(text); hit != "" {
		return hit
	}
	words := f.shellWords()
	for i := range words {
		w := &words[i]
		if hit := f.protects(&w.target); hit != "" {
			return hit
		}
		for _, g := range f.guards() {
			if w.matches(g.folded) || w.matches(g.resolved) || w.swallows(&g) || w.sweeps(&g) {
				return g.path
			}
		}
	}
	for i := range words {
		if !f.seenAll { // somebody is asked, whatever other names a file has
			break
		}
		if hit := f.protectsFilled(&words[i]); hit != "" {
			return hit
		}
	}
	return ""
}

// protectsFilled looks at the files that a pattern finds, which may be other
// names of a protected file. With files beyond the bound, a command that writes
// to them counts as not seen whole; for others the pattern's form tells.
func (f *facts) protectsFilled(w *shellWord) string {
	if !w.pattern || w.name != "" || f.session.pathsMode == PathsLexical {
		return ""
	}
	for _, form := range f.forms(w) {
		names := []string{form}
		if strings.ContainsAny(form, "*?[") {
			var all bool
			names, all = f.find(form)
			f.seenAll = f.seenAll && (all || !w.role.Writes())
		}
		for _, name := range names {
			f.spend(nameSteps + len(name)/bytesOfName)
			if f.filled++; f.filled > maxFilledNames {
				f.seenAll = f.seenAll && !w.role.Writes()
				return ""
			}
			if strings.ContainsAny(name, "{$`") {
				continue
			}
			if r, ok := f.lookups.name(name); ok && r.Exists {
				if hit := f.protects(&target{abs: name, resolved: r}); hit != "" {
					return hit
				}
			}
		}
	}
	return ""
}

// maxFilledNames bounds the files found by patterns that are looked up.
const maxFilledNames = 512

func foldASCII(text string) string {
	folded := []byte(text)
	for i, b := range folded {
		switch {
		case b >= 'A' && b <= 'Z':
			folded[i] = b + 'a' - 'A'
		case b == '\\':
			folded[i] = '/'
		}
	}
	return string(folded)
}

// tail is the end of a protected path by which it can be told where the text
// does not show the directory: behind a variable, or relative to a directory
// that nobody knows.
func tail(folded string) string {
	const components = 3
	at := len(folded)
	for range components {
		if at = strings.LastIndexByte(folded[:at], '/'); at <= 0 {
			return folded
		}
	}
	return folded[at+1:]
}

// sweeps reports whether the command does something to whatever the shell fills
// the word in with, and a directory above the protected path can be that.
func (w *shellWord) sweeps(g *guarded) bool {
	if w.role != shell.Deleted || !w.pattern {
		return false
	}
	for _, path := range [...]string{g.folded, g.resolved} {
		for at := strings.LastIndexByte(path, '/'); at > 0; at = strings.LastIndexByte(path[:at], '/') {
			if w.matches(path[:at]) {
				return true
			}
		}
	}
	return false
}

// swallows reports whether the command does something to a directory that
// also happens to the protected path below it.
func (w *shellWord) swallows(g *guarded) bool {
	dir := w.folded
	if dir == "" || w.err != nil || w.name != "" {
		return false
	}
	for _, protected := range [...]string{g.folded, g.resolved} {
		if !strings.HasPrefix(protected, dir) || !paths.Contains(dir, protected) {
			continue
		}
		switch w.role {
		case shell.Deleted:
			return true
		case shell.Filled, shell.Landed:
			return strings.LastIndexByte(protected, '/') == len(strings.TrimSuffix(dir, "/"))
		}
	}
	return false
}
