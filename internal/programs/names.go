package programs

// names finds programs by their names. Most words are no program's name, and that
// is told from a word's length and a few of its letters.
type names struct {
	first [1 << 14]int32 // by shape: 1 more than where in list the first one is; 0: there is none
	list  []named
}

type named struct {
	name    string
	program *program
	next    int32 // of the same shape, as in first
}

// shape numbers names by their length, their first and last letter, and the one in
// the middle.
func shape(name string) uint {
	n := uint(len(name))
	return (n*977 + uint(name[0])*31 + uint(name[n-1])*1009 + uint(name[n/2])*499) % uint(len(names{}.first))
}

func (n *names) find(name string) *program {
	if name == "" {
		return nil
	}
	for at := n.first[shape(name)]; at > 0; at = n.list[at-1].next {
		if found := &n.list[at-1]; found.name == name {
			return found.program
		}
	}
	return nil
}

// set adds a program, or replaces the one of that name.
func (n *names) set(name string, p *program) {
	at := shape(name)
	for i := n.first[at]; i > 0; i = n.list[i-1].next {
		if n.list[i-1].name == name {
			n.list[i-1].program = p
			return
		}
	}
	n.list = append(n.list, named{name, p, n.first[at]})
	n.first[at] = int32(len(n.list))
}
