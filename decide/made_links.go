package decide

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/programs"
	"github.com/agent-pdp/pdp/internal/shell"
)

// madeLink is a link that the text makes: spelled paths.
type madeLink struct{ name, target string }

// maxMadeLinks bounds the links that the text makes, and how many of them one
// path leads through.
const maxMadeLinks = 32

// through adds the word as it is once the text has made its links.
func (r *wordReader) through(w shellWord, depth int) bool {
	for _, l := range r.links {
		if w.pattern {
			r.f.spend(ruleSteps)
		}
		rest, ok := behindLink(&w, l.name)
		if !ok || rest == "" && w.role == shell.Deleted { // that removes the link
			continue
		}
		if len(r.list) == maxShellWords || depth == maxMadeLinks {
			return false
		}
		word := strings.TrimSuffix(l.target, "/") + rest
		if word == "" {
			word = "/"
		}
		if w.name != "" {
			word = programs.Below(word, w.name)
		}
		other := r.f.shellWord(word, "/", w.role, w.filler)
		other.given, other.tree, other.guessed, other.takes = w.given, w.tree, w.guessed, w.takes
		r.list = append(r.list, other)
		if other.spelled != w.spelled && !r.through(other, depth+1) {
			return false
		}
	}
	return true
}

// behindLink returns what of the word lies behind the link, if it leads through
// it; a pattern may become the link's name.
func behindLink(w *shellWord, name string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(w.spelled, name); ok && (rest == "" || rest[0] == '/') {
		return rest, true
	}
	if !w.pattern {
		return "", false
	}
	end := 0
	for range strings.Count(name, "/") {
		next := strings.IndexByte(w.spelled[end:], '/')
		if next < 0 {
			return "", false
		}
		end += next + 1
	}
	if next := strings.IndexByte(w.spelled[end:], '/'); next >= 0 {
		end += next
	} else {
		end = len(w.spelled)
	}
	if endsOtherwise(w.spelled[:end], name) {
		return "", false
	}
	return w.spelled[end:], newPattern(bracesToStars(w.spelled[:end])).canBe(name)
}

// endsOtherwise tells most patterns from a name: both end in a letter or digit, not
// in the same one.
func endsOtherwise(pattern, name string) bool {
	last := func(s string) byte {
		c := s[len(s)-1]
		if c-'0' < 10 || c|0x20-'a' < 26 {
			return c | 0x20
		}
		return 0
	}
	a, b := last(pattern), last(name)
	return a != b && a != 0 && b != 0
}

// makes notes the links that the command makes.
func (r *wordReader) makes(c shell.Seen, at []string) bool {
	links, all := c.Links()
	if !all {
		return false
	}
	for _, link := range links {
		for _, dir := range at {
			r.f.spend(linkSteps)
			for _, name := range r.vars.expand(link.Name) {
				abs, err := r.f.placeAt(dir).Absolute(name)
				if err != nil {
					continue
				}
				abs = paths.Clean(abs, r.f.session.place.OS)
				for _, target := range r.vars.expand(link.Target) {
					from := []string{dir}
					if link.Beside {
						from = append(from, path.Dir(abs))
					}
					for _, dir := range from {
						to, err := r.f.placeAt(dir).Absolute(target)
						if err != nil || slices.Contains(r.links, madeLink{abs, to}) || paths.Contains(abs, to) {
							continue
						}
						if len(r.links) == maxMadeLinks {
							return false
						}
						r.links = append(r.links, madeLink{abs, paths.Clean(to, r.f.session.place.OS)})
					}
				}
			}
		}
	}
	return true
}
