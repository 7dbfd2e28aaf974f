package decide

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"
)

// Fingerprint identifies a call in a session's place: two calls have the same
// one only if they name the same tool with the same arguments and metadata, in
// the same directories, shell and system, and their paths lead to the same
// files, and the files that it runs have the same content as far as they can be
// told. An approval for one call is bound to it. Arguments count as they were
// sent, but for the order of members.
func (p *Policy) Fingerprint(s Session, c Call) [sha256.Size]byte {
	if s.state == nil {
		return sha256.Sum256(nil) // such a session is denied everything
	}
	f := facts{policy: p, session: s.state, call: c}
	f.classify()
	sum, _ := f.fingerprint()
	return sum
}

// fingerprint is Fingerprint; unbound says that the call may run other files than
// those that it knows of.
func (f *facts) fingerprint() (sum [sha256.Size]byte, unbound bool) {
	d := digest{sha256.New()}
	place := f.session.place
	d.text("pdp call 1", f.call.Tool, place.Cwd, place.Home, place.OS.String(), f.session.dialect.String(), string(f.session.pathsMode))
	d.value(f.call.Arguments)
	d.value(f.call.Metadata.sent)
	d.targets(f.targetsOf())
	if !f.runs {
		return d.sum(), false
	}
	files, err := f.onceFiles()
	if unbound = err != nil; unbound {
		d.text("files that cannot be told")
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		d.text(path, files[path])
	}
	words := f.shellWords()
	d.number(len(words))
	for i := range words {
		d.targets([]target{words[i].target})
	}
	return d.sum(), unbound
}

// targetsOf locates the paths of a call: those that it writes, else those that
// its arguments name, and where it runs.
func (f *facts) targetsOf() []target {
	list := []target{f.locate(".")}
	switch {
	case f.writes:
		list = append(list, f.targets()...)
	case !f.runs:
		list = append(list, f.pathArguments()...)
	}
	return list
}

// digest hashes values so that no two lists of them look the same: each is
// preceded by its kind or its length.
type digest struct{ hash.Hash }

func (d digest) sum() (sum [sha256.Size]byte) {
	d.Sum(sum[:0])
	return sum
}

func (d digest) number(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	_, _ = d.Write(b[:]) // a hash takes everything
}

func (d digest) text(texts ...string) {
	for _, t := range texts {
		d.number(len(t))
		_, _ = d.Write([]byte(t))
	}
}

func (d digest) value(v Value) {
	d.number(int(v.kind))
	d.text(v.text)
	members := v.members
	if v.kind == Object {
		members = slices.SortedFunc(slices.Values(members), func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	}
	d.number(len(members))
	for i := range members {
		d.text(members[i].Name)
		d.value(members[i].Value)
	}
}

func (d digest) targets(list []target) {
	d.number(len(list))
	for i := range list {
		if list[i].err != nil {
			d.text(list[i].abs, list[i].err.Error())
			continue
		}
		r := &list[i].resolved
		d.text(list[i].abs, r.Path)
		if r.Links > 1 && r.Regular {
			d.text("a file with other names", fmt.Sprint(r.ID))
		}
	}
}
