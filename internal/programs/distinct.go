package programs

import "slices"

// distinct is a list of paths that are put together for one program, without
// repetitions: whoever repeats a name hides none behind it.
type distinct struct {
	list  []string
	known map[string]bool // of a long list
}

// maxLanded bounds a list. That is more than are located of one command, so that
// a command with more than the bound counts as not seen whole.
const maxLanded = 288

// add appends what is not in the list yet, as far as the bound goes.
func (d *distinct) add(names ...string) {
	const few = 16
	for _, name := range names {
		switch {
		case d.full():
			return
		case d.known[name], d.known == nil && slices.Contains(d.list, name):
			continue
		}
		if d.list = append(d.list, name); len(d.list) > few {
			if d.known == nil {
				d.known = make(map[string]bool, 2*few)
				for _, known := range d.list {
					d.known[known] = true
				}
			}
			d.known[name] = true
		}
	}
}

func (d *distinct) full() bool { return len(d.list) == maxLanded }
