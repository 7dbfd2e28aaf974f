package inspect

import (
	"strings"
	"sync"
)

// deadMounts counts the workers that hang on each mount, so that one that does
// not answer cannot take every seat. The zero value knows of none.
type deadMounts struct {
	mu    sync.Mutex
	stuck map[string]int // by mount point
}

var errDeadMount = refusal(CodeTimeout, "not tried: other inspections of the same mount hang already")

// perMount is how many workers may hang on one mount before its paths are
// refused. A mount is known by the text of a path: a link into it leads past
// this, though never past the seats.
func (p *Pool) perMount() int { return max(p.limit()/4, 4) }

// add counts a path that did not answer, and returns what to remove it by.
func (d *deadMounts) add(path string) string {
	point := ""
	if strings.HasPrefix(path, "/") {
		point = mountPointOf(path)
	}
	if point == "" || point == "/" { // of the whole system nothing can be told apart
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stuck == nil {
		d.stuck = map[string]int{}
	}
	d.stuck[point]++
	return point
}

func (d *deadMounts) remove(point string) {
	if point == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stuck[point]--; d.stuck[point] == 0 {
		delete(d.stuck, point)
	}
}

func (d *deadMounts) refuse(path string, most int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for point, n := range d.stuck {
		if n >= most && below(path, point) {
			return true
		}
	}
	return false
}

// below compares texts only.
func below(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == '/')
}
