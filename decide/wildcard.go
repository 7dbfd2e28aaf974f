package decide

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
)

// wildcard is a pattern of a command, prepared to be compared with many paths.
type wildcard struct {
	whole paths.Wild
	// What stands around the first ** that is a component of its own.
	before paths.Wild
	above  int // components of before
	behind *wildcard
	any    bool // more ** than are tried: it may become any path
}

// maxDeep bounds the ** of a pattern that are tried at every directory; more
// match anything.
const maxDeep = 3

func newWildcard(glob string) *wildcard {
	f := &wildcard{whole: paths.NewWild(glob)}
	before, behind, deep := strings.Cut(glob, "**/")
	if !deep || before != "" && !strings.HasSuffix(before, "/") {
		return f
	}
	if strings.Count(behind, "**/") > maxDeep {
		f.any = true
		return f
	}
	f.before = paths.NewWild(before)
	f.above = strings.Count(before, "/")
	f.behind = newWildcard(behind)
	return f
}

// canBe reports whether the pattern can become the path, whatever its directories
// stand for.
func (f *wildcard) canBe(path string) bool {
	if f == nil {
		return false
	}
	if f.any {
		return true
	}
	if f.behind != nil {
		for at := range len(path) {
			if (at == 0 || path[at-1] == '/') && f.begins(path[:at]) && f.behind.canBe(path[at:]) {
				return true
			}
		}
	}
	return f.whole.MayFill(path)
}

// begins reports whether what stands before the ** can become the beginning of
// dir.
func (f *wildcard) begins(dir string) bool {
	if f.above == 0 {
		return true
	}
	n := f.above
	for at := range len(dir) {
		if dir[at] == '/' {
			if n--; n == 0 {
				return f.before.MayFill(dir[:at+1])
			}
		}
	}
	return false
}
