package decide

import (
	"strconv"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
)

// shellWriteScope asks about a command that plainly writes outside every
// writable root. Text is no proof, so it asks and does not deny; and it holds
// in every mode, since the roots are what the session was given.
func shellWriteScope(f *facts) (refusal, bool) {
	if !f.runs {
		return refusal{}, false
	}
	writes := f.shellWrites()
	if f.commands(); !f.seenAll {
		return refusal{Ask, CodeApprovalRequired, "the command is too long, too deep, names too many files or decodes or rewrites what it runs, so that the floors cannot look at it whole"}, true
	}
	if why := f.patchUnlocated(); why != "" {
		return refusal{AskHuman, CodeWriteUnlocated, "the command applies a patch, and cannot be told which files that writes: " + why}, true
	}
	for _, w := range writes {
		if w.pattern {
			w = f.shellWord(literalDir(w.spelled), "/", w.role, byShell) // where the names lie that it can become
		}
		if w.err != nil || w.spelled == "" || w.guessed || f.scratch(w.resolved.Path) {
			continue
		}
		if held, ok := f.holder(w.resolved.Path); !ok || !held.writable {
			return refusal{Ask, CodeApprovalRequired, "the command writes to " + strconv.Quote(clip(w.given)) + ", which lies in no writable root"}, true
		}
	}
	return refusal{}, false
}

// literalDir returns the directory in front of the first component that the
// shell fills in.
func literalDir(spelled string) string {
	at := strings.IndexAny(spelled, "*?[{$`")
	if at < 0 {
		return spelled
	}
	return spelled[:strings.LastIndexByte(spelled[:at], '/')+1]
}

// scratch reports whether a path is one that commands write to without harm: a
// sink, or the temporary directory, unless the session or its home is there.
func (f *facts) scratch(path string) bool {
	if path == "/dev/null" || path == "/dev/tty" || path == "/dev/zero" {
		return true
	}
	for _, dir := range [...]string{"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"} {
		if strings.HasPrefix(path, dir+"/") {
			return !f.worksIn(dir) && !paths.Contains(f.session.place.Home, path) && !paths.Contains(path, f.session.place.Home)
		}
	}
	return false
}

func (f *facts) worksIn(dir string) bool {
	for _, r := range f.allRoots() {
		if strings.HasPrefix(r.resolved, dir+"/") {
			return true
		}
	}
	return false
}
