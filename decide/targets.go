package decide

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/writeset"
)

// pathNames are arguments that hold a path in the tools of many servers,
// without underscores and letter case.
var pathNames = wordSet(`path paths file files filepath filepaths filename targetfile targetpath source sourcepath
	destination destinationpath dest destpath dst src newpath oldpath output outputpath outputfile savepath
	directory dir folder absolutepath relativepath relativeworkspacepath notebookpath attachment attachments`)

func namesPath(argument string) bool {
	return pathNames[strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return r
	}, foldName(argument))]
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// targets locates every path that a write tool touches. unlocated says why
// some may be missing.
func (f *facts) targets() []target {
	if f.writesRead {
		return f.written
	}
	f.writesRead = true
	f.written = f.writtenBuf[:0]
	if f.tool == nil || len(f.tool.pathArgs) == 0 {
		f.unlocated = "nothing says which argument of this tool holds the path"
	} else {
		for _, name := range f.tool.pathArgs {
			f.readTargets(name)
		}
	}
	// An applier that knows another name for the argument would write there. The
	// same name in another letter case is the business of ambiguousArguments.
	for _, m := range f.call.Arguments.Members() {
		if namesPath(m.Name) && (f.tool == nil || !hasName(f.tool.pathArgs, foldName(m.Name))) {
			f.addTexts(m.Value)
		}
	}
	return f.written
}

func hasName(dotted []string, name string) bool {
	for _, d := range dotted {
		if first, _, _ := strings.Cut(d, "."); foldName(strings.TrimSuffix(first, "[]")) == name {
			return true
		}
	}
	return false
}

func (f *facts) readTargets(name string) {
	found := false
	f.call.Arguments.each(name, func(v Value) {
		found = true
		text, isText := v.AsString()
		switch {
		case f.tool.content != noPatch:
			f.addPatch(v, isText)
		case !v.Truthy():
			f.unlocated = "the argument " + name + " is empty"
		case !isText:
			// The original took any value for its text; a tool may not.
			f.unlocated = "the argument " + name + " is not a text"
			f.add(v.Text())
		default:
			f.add(text)
		}
	})
	if !found {
		f.unlocated = "the argument " + name + " is missing"
	}
}

func (f *facts) addPatch(v Value, isText bool) {
	var set writeset.Set
	if f.tool.content == codexPatch {
		set = writeset.CodexPatch(v.Text())
	} else {
		set = writeset.UnifiedDiff(v.Text())
		if !writeset.HasPlusName(v.Text()) {
			f.unlocated = "no +++ line names a file"
		}
	}
	if set.Unsure != "" {
		f.unlocated = set.Unsure
	}
	if !isText {
		f.unlocated = "the patch is not a text"
	}
	for _, p := range set.Paths {
		f.add(p.Text)
		if p.Op == writeset.Link {
			f.addLink(p)
		}
	}
}

// addLink adds where a link made by the patch leads: what is written through
// it later lands there.
func (f *facts) addLink(p writeset.Path) {
	if p.Target == "" {
		f.unlocated = "a link in the patch has no readable target"
		return
	}
	if strings.HasPrefix(p.Target, "/") {
		f.add(p.Target)
		return
	}
	dir := ""
	if i := strings.LastIndexByte(p.Text, '/'); i >= 0 {
		dir = p.Text[:i+1]
	}
	f.add(dir + p.Target)
}

func (f *facts) addTexts(v Value) {
	if text, ok := v.AsString(); ok {
		f.add(text)
		return
	}
	if v.Kind() == List {
		for _, m := range v.Members() {
			f.addTexts(m.Value)
		}
	}
}

// add locates one path. A tool that shortens "link/.." by its text alone opens
// another file than one that follows the link, so both are targets.
func (f *facts) add(given string) {
	t := f.locate(given)
	f.written = append(f.written, t)
	if t.err != nil || !strings.Contains(t.abs, "/..") {
		return
	}
	if clean := paths.Clean(t.abs, f.session.place.OS); clean != t.resolved.Path {
		short := target{given: given, abs: clean}
		if short.resolved, short.err = f.resolver().Resolve(clean); short.resolved.Path != t.resolved.Path {
			f.written = append(f.written, short)
		}
	}
}

// each calls yield with every value that a dotted name leads to; "[]" behind a
// name steps into each element of a list.
func (v Value) each(dotted string, yield func(Value)) {
	name, rest, more := strings.Cut(dotted, ".")
	bare, list := strings.CutSuffix(name, "[]")
	member := v.Get(bare)
	if member.kind == Absent {
		return
	}
	values := []Member{{Value: member}}
	if list {
		values = member.members
	}
	for i := range values {
		if more {
			values[i].Value.each(rest, yield)
		} else {
			yield(values[i].Value)
		}
	}
}
