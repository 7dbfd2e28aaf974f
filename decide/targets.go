package decide

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/writeset"
)

// targets locates every path that a write tool touches. unlocated says why
// some may be missing.
func (f *facts) targets() []target {
	if f.writesRead {
		return f.written
	}
	f.writesRead = true
	f.written = f.writtenBuf[:0]
	tool := f.writer()
	switch {
	case tool == nil || len(tool.pathArgs) == 0:
		f.unlocated = "nothing says which argument of this tool holds the path"
	case tool.many && f.readLists() || tool.implied:
	default:
		for _, arg := range tool.pathArgs {
			f.readTargets(arg)
		}
	}
	// An applier that knows another name for the argument would write there. The
	// same name in another letter case is the business of ambiguousArguments.
	begin := starts{os: f.session.place.OS}
	w := argumentWalk{
		yield: func(text string) { f.addOnce(filePath(text)) },
		place: begin.add,
		ends:  tool != nil && tool.tree,
		loose: tool != nil && tool.implied,
	}
	for i := range f.call.Arguments.members {
		if m := &f.call.Arguments.members[i]; tool == nil || !tool.reads(foldName(m.Name)) || isList(m.Value.text) {
			w.member(m)
		}
	}
	if tool != nil && tool.implied && w.count < tool.needs {
		f.unlocated = "the call names fewer paths than such a tool needs"
	}
	if w.tooMany || begin.tooMany {
		f.unlocated = errTooManyPaths.Error()
	}
	f.otherPatches()
	f.readPlace(&begin)
	if tool != nil && tool.tree {
		for i := range f.written {
			f.written[i].tree = true
		}
	}
	return f.written
}

// readLists looks for lists whose elements each name their files, in a call
// that names none outside of them. It reports whether there was one.
func (f *facts) readLists() bool {
	for _, arg := range f.writer().pathArgs {
		for _, m := range f.call.Arguments.members {
			if m.Value.kind == String && arg.names(plainName(m.Name)) {
				return false
			}
		}
	}
	found := false
	for _, m := range f.call.Arguments.members {
		name := plainName(m.Name)
		if !listNames[name] {
			continue
		}
		found = true
		if m.Value.kind != List || len(m.Value.members) == 0 {
			f.unlocated = "the argument " + clip(m.Name) + " is no list of files"
		}
		for _, element := range m.Value.members {
			f.readElement(name, element.Value)
		}
	}
	return found
}

// readElement takes an element of a list: a path, or an object that names one,
// two if the tool moves.
func (f *facts) readElement(list string, v Value) {
	w := argumentWalk{yield: func(text string) { f.addOnce(filePath(text)) }, ends: f.writer().tree}
	if v.kind == Object || namesPath(list) {
		w.texts(v, list, w.yield)
	}
	if w.count < len(f.writer().pathArgs) {
		f.unlocated = "an element of the argument " + list + " does not name its files"
	}
}

// readTargets adds what one argument of the tool names.
func (f *facts) readTargets(arg pathArg) {
	found := false
	complete := arg.each(f.call.Arguments, func(v Value) {
		found = true
		text, isText := v.AsString()
		switch {
		case f.writer().content != noPatch:
			f.addPatch(v, isText)
		case v.kind == List && arg.several() && len(v.members) > 0:
			f.readElements(arg, v)
		case !v.Truthy():
			f.unlocated = "the argument " + arg.String() + " is empty"
		case !isText:
			// The original took any value for its text; a tool may not.
			f.unlocated = "the argument " + arg.String() + " is not a text"
			f.add(v.Text())
		case isJSON(text):
			f.unlocated = "the argument " + arg.String() + " is a list or object written as a text"
			f.addOnce(text)
		default:
			f.addOnce(text)
		}
	})
	if !found || !complete {
		f.unlocated = "the argument " + arg.String() + " is missing"
	}
}

// readElements takes a list of paths.
func (f *facts) readElements(arg pathArg, v Value) {
	for _, m := range v.members {
		if text, ok := m.Value.AsString(); ok && text != "" {
			f.addOnce(text)
		} else {
			f.unlocated = "an element of the argument " + arg.String() + " is not a text"
		}
	}
}

func (f *facts) addPatch(v Value, isText bool) {
	set := f.readPatch(v.Text(), f.writer().content)
	if set.Unsure != "" {
		f.unlocated = set.Unsure
	}
	if !isText {
		f.unlocated = "the patch is not a text"
	}
	for _, text := range set.Mentioned {
		f.mentioned = append(f.mentioned, f.locate(text))
	}
}

func (f *facts) readPatch(text string, kind patchKind) writeset.Set {
	read := writeset.UnifiedDiff
	if kind == codexPatch {
		read = writeset.CodexPatch
	}
	set := read(text)
	const few = 16 // each of which may be looked up by itself
	if f.shared == nil && len(set.Paths) > few {
		f.shared = &paths.Shared{From: f.session.place.Cwd}
	}
	var links map[string][]writeset.Path
	linked := 0
	for _, p := range set.Paths {
		from := len(f.written)
		f.add(p.Text)
		if p.Op != writeset.Link {
			continue
		}
		for i := range f.written[from:] {
			f.written[from+i].tree = true
		}
		// The other paths count nonetheless: each may be one to refuse.
		if linked++; linked > maxPatchLinks {
			f.unlocated = "the patch makes more links than can be followed"
			continue
		}
		f.addLink(p)
		if p.Target != "" {
			if links == nil {
				links = map[string][]writeset.Path{}
			}
			links[p.Text] = append(links[p.Text], p)
		}
	}
	if len(links) > 0 {
		follow := linkFollower{facts: f, links: links, left: maxLedPlaces}
		for _, p := range set.Paths {
			if !follow.add(p.Text) {
				break
			}
		}
	}
	return set
}

// addLink adds where a link made by the patch leads: what is written through
// it later lands there.
func (f *facts) addLink(p writeset.Path) {
	if p.Target == "" {
		f.unlocated = "a link in the patch has no readable target"
		return
	}
	f.add(leadsTo(p))
}

// leadsTo is where a link of the patch points, seen from where its own name is.
func leadsTo(p writeset.Path) string {
	if strings.HasPrefix(p.Target, "/") {
		return p.Target
	}
	return p.Text[:strings.LastIndexByte(p.Text, '/')+1] + p.Target
}

// Bounds on the links that one patch makes, and on the places that its paths lead
// to by way of them.
const (
	maxPatchLinks = 64
	maxLedPlaces  = 64
	maxLed        = 16 // of one path
)

// linkFollower adds where paths lead that go through links which the same patch
// makes: the file system does not have them yet. A name that the patch makes a
// link of more than once leads to each of the places.
type linkFollower struct {
	*facts
	links map[string][]writeset.Path
	left  int // places
}

// add reports false, and the call as unlocated, where the bound is met.
func (f *linkFollower) add(text string) bool {
	todo := []string{text}
	for n := 0; n < len(todo); n++ {
		text := todo[n]
		for at := 1; at < len(text); at++ {
			if text[at] != '/' {
				continue
			}
			for _, l := range f.links[text[:at]] {
				if f.left--; f.left < 0 || len(todo) > maxLed {
					f.unlocated = "links in the patch lead to more places than can be looked at"
					return false
				}
				led := strings.TrimSuffix(leadsTo(l), "/") + text[at:]
				f.facts.add(led)
				todo = append(todo, led)
			}
		}
	}
	return true
}

// readPlace looks at the arguments that say how the others are meant: the
// directory in which relative paths start, and a new name that stays in the old
// directory.
func (f *facts) readPlace(begin *starts) {
	given := len(f.written)
	for i := range given {
		begin.each(f.written[i].given, f.addOnce)
	}
	if f.writer() == nil || !f.writer().tree {
		return
	}
	for _, m := range f.call.Arguments.Members() {
		if text, isText := m.Value.AsString(); isText && nameAlone[plainName(m.Name)] {
			for _, t := range f.written[:given] {
				if at := strings.LastIndexAny(t.given, `/\`); at >= 0 {
					f.addOnce(t.given[:at+1] + text)
				}
			}
		}
	}
}

func isRelative(given string, os paths.OS) bool {
	if os == paths.Windows && (strings.HasPrefix(given, `\`) || len(given) > 1 && given[1] == ':') {
		return false
	}
	return given != "" && given[0] != '/' && given[0] != '~'
}

// addOnce adds a path unless the call named it before. Their number is bounded,
// since each costs system calls.
func (f *facts) addOnce(given string) {
	if f.asked++; f.asked > maxPathArguments {
		f.unlocated = errTooManyPaths.Error()
		return
	}
	for i := range f.written {
		if f.written[i].given == given {
			return
		}
	}
	f.add(given)
}

// add locates one path. A tool that drops the blanks around a path, or shortens
// "link/.." by its text alone, opens another file than one that does not, so both
// are targets.
func (f *facts) add(given string) {
	f.addReadings(given)
	if bare := strings.TrimFunc(given, isBlank); bare != given && bare != "" {
		f.addReadings(bare)
	}
}

func (f *facts) addReadings(given string) {
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
