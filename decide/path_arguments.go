package decide

import (
	"errors"
	"strings"
)

var errTooManyPaths = errors.New("there are more path arguments than can be looked at")

// startNames hold a directory where another argument names a file in it.
var startNames = wordSet(`path absolutepath searchpath location uri fileuri resource`)

// namedPaths are the paths that the arguments of a tool name that is not a write
// tool, as texts.
type namedPaths struct {
	paths   []string
	alone   []string // names, if they are names of files at all
	globs   []string // patterns of file names
	starts  starts
	tooMany bool
}

func (f *facts) namedPaths() namedPaths {
	n := namedPaths{starts: starts{os: f.session.place.OS, all: true}}
	w := argumentWalk{
		yield: func(text string) { n.paths = append(n.paths, filePath(text)) },
		glob:  func(text string) { n.globs = append(n.globs, text) },
		place: n.starts.add,
		deep:  f.risk == Read,
	}
	w.object(f.call.Arguments)
	if f.tool != nil {
		for _, arg := range f.tool.pathArgs {
			arg.each(f.call.Arguments, func(v Value) { w.texts(v, "", w.yield) })
		}
	}
	for i := range f.call.Arguments.members {
		m := &f.call.Arguments.members[i]
		if m.Value.kind != String || len(f.call.Arguments.members) == 1 {
			continue
		}
		if name := plainName(m.Name); startNames[name] {
			n.starts.add(m.Value.text)
		} else if nameAlone[name] {
			n.alone = append(n.alone, m.Value.text)
		}
	}
	n.tooMany = w.tooMany || n.starts.tooMany
	return n
}

// pathArguments locates the path arguments of a tool that is not a write tool,
// from every directory in which the call may mean them to start. Where there are
// too many the last one cannot be read.
func (f *facts) pathArguments() []target {
	n := f.namedPaths()
	list := make([]target, 0, len(n.paths)+len(n.globs))
	add := func(text string) {
		if len(list) >= maxPathArguments {
			n.tooMany = true
			return
		}
		list = append(list, f.locate(text))
	}
	for _, text := range n.paths {
		add(text)
		if bare := strings.TrimFunc(text, isBlank); bare != text && bare != "" {
			add(bare)
		}
	}
	for _, texts := range [...][]string{n.paths, n.alone} {
		for _, text := range texts {
			n.starts.each(text, add)
		}
	}
	addGlob := func(text string) {
		if t := f.locate(text); t.err == nil && len(list) < maxPathArguments { // a pattern need not be a path
			list = append(list, t)
		}
	}
	for _, text := range n.globs {
		addGlob(text)
		n.starts.each(text, addGlob)
	}
	if n.tooMany {
		list = append(list, target{err: errTooManyPaths})
	}
	return list
}
