package decide

import "strings"

// maxPathArguments bounds the file system calls that one call can cause.
const maxPathArguments = 1000

// argumentWalk yields the texts of all arguments whose name says that they hold
// a path, at every depth but not inside what is written. A text that spells a
// list, as JSON or otherwise, is also read as that list: the tool may do so.
type argumentWalk struct {
	yield   func(text string)
	glob    func(text string) // for patterns of file names; may be nil
	place   func(text string) // for directories in which relative paths start; may be nil
	ends    bool              // the tool moves files
	loose   bool              // a text that can only be a path is one, whatever its name
	deep    bool              // the tool writes nothing, so what elsewhere is content holds arguments
	only    map[string]bool   // plain names that count; nil: all that say that they hold a path
	parsed  int               // texts that held JSON, for the bound
	count   int               // paths that the call names
	yielded int               // readings of them
	tooMany bool
}

func (w *argumentWalk) object(v Value) {
	for i := range v.members {
		w.member(&v.members[i])
	}
}

func (w *argumentWalk) member(m *Member) {
	name := plainName(m.Name)
	if w.only == nil && (isPlaced(m.Name) || isFileURL(m.Name)) {
		w.reading(m.Name, w.yield) // a map by path
	}
	if w.place != nil && namesPlace(name) {
		w.places(m.Value)
	}
	switch {
	case w.only != nil && w.only[name], w.only == nil && (namesPath(name) || w.ends && endNames[name]):
		w.texts(m.Value, name, w.yield)
	case globNames[name] && w.glob != nil:
		w.texts(m.Value, name, w.glob)
	case addressNames[name] && isFileURL(m.Value.text):
		w.texts(m.Value, name, w.yield)
	case contentNames[name] && !(w.deep && (m.Value.kind != String || isJSON(m.Value.text))):
	case w.loose && !searchNames[name] && m.Value.kind == String && isPlaced(m.Value.text):
		w.texts(m.Value, name, w.yield)
	default:
		w.inside(m.Value, w.only == nil && (addressNames[name] || !searchNames[name]))
	}
}

// isPlaced reports a text that says where in a file system something is: from its
// root, from a home directory, or upwards.
func isPlaced(text string) bool {
	if len(text) < 2 || strings.ContainsAny(text, " \n\t") {
		return false
	}
	return text[0] == '/' || text[0] == '~' || strings.HasPrefix(text, "../") || strings.Contains(text, "/../") || text[0] == '\\' ||
		len(text) > 3 && text[1] == ':' && (text[2] == '\\' || text[2] == '/')
}

// isList reports a text in the brackets of a list or object.
func isList(text string) bool {
	text = strings.TrimFunc(text, isBlank)
	return len(text) > 1 && (text[0] == '[' && text[len(text)-1] == ']' || text[0] == '{' && text[len(text)-1] == '}')
}

// isJSON reports a text that a lenient tool would read as a list or object of
// arguments, also one that was written as JSON twice.
func isJSON(text string) bool {
	if len(text) < 2 || strings.IndexByte(text, '"') < 0 {
		return false
	}
	text = strings.TrimFunc(text, isBlank)
	return isList(text) || len(text) > 3 && text[0] == '"' && text[len(text)-1] == '"' && strings.ContainsAny(text[:3], "[{")
}

// jsonIn reads the list or object that a text spells.
func jsonIn(text string) (Value, bool) {
	const twice = 2
	for range twice {
		if !isJSON(text) {
			return Value{}, false
		}
		v, err := ParseValue([]byte(text))
		if err != nil {
			return Value{}, false
		}
		if v.kind != String {
			return v, true
		}
		text = v.text
	}
	return Value{}, false
}

const maxParsed = 1000 // texts of one call that are read as JSON

func (w *argumentWalk) json(text string) (Value, bool) {
	if !isJSON(text) {
		return Value{}, false
	}
	if w.parsed++; w.parsed > maxParsed {
		w.tooMany = true
		return Value{}, false
	}
	return jsonIn(text)
}

// inside looks for arguments in a value whose name says nothing; urls are files
// if that name may hold a URL.
func (w *argumentWalk) inside(v Value, urls bool) {
	switch v.kind {
	case String:
		if urls && isFileURL(v.text) {
			w.texts(v, "", w.yield)
		} else if inner, ok := w.json(v.text); ok {
			w.inside(inner, urls)
		}
	case Object:
		w.object(v)
	case List:
		for i := range v.members {
			w.inside(v.members[i].Value, urls)
		}
	}
}

// texts takes a value of an argument that holds paths: a text, or a list of
// texts or of objects that have such arguments, or a map by path.
func (w *argumentWalk) texts(v Value, name string, yield func(string)) {
	switch v.kind {
	case String:
		if inner, ok := w.json(v.text); ok {
			w.texts(inner, name, yield)
		} else {
			w.count++
			w.pieces(v.text, name, yield)
		}
		w.reading(v.text, yield)
	case Object:
		w.keys(v, yield)
		w.object(v)
	case List:
		for i := range v.members {
			w.texts(v.members[i].Value, name, yield)
		}
	}
}

// places takes the texts of an argument that says where relative paths start.
func (w *argumentWalk) places(v Value) {
	if inner, ok := w.json(v.text); ok {
		v = inner
	}
	if v.kind == String {
		w.reading(v.text, w.place)
	}
	for i := range v.members {
		if m := &v.members[i]; m.Value.kind == String && v.kind == List {
			w.reading(m.Value.text, w.place)
		}
	}
}

// pieces takes the elements of a list that is no JSON: where the name means
// several, or the text stands in brackets.
func (w *argumentWalk) pieces(text, name string, yield func(string)) {
	cut := ""
	switch {
	case isList(text):
		cut = "[]{},;'\"\r\n"
	case strings.HasSuffix(name, "s") && strings.ContainsAny(text, ",;|\n"):
		cut = ",;|\r\n"
	default:
		return
	}
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(cut, r) }) {
		if piece = strings.TrimFunc(piece, isBlank); piece != "" {
			w.reading(piece, yield)
		}
	}
}

// keys takes the names in a map by path. Members of an object that names its
// path as usual are none, unless they can be nothing else.
func (w *argumentWalk) keys(v Value, yield func(string)) {
	record := false
	for i := range v.members {
		record = record || isArgument(plainName(v.members[i].Name))
	}
	for i := range v.members {
		name := v.members[i].Name
		if isPlaced(name) || isFileURL(name) {
			continue // member takes those
		}
		if !record || strings.ContainsAny(name, `./\`) && !isArgument(plainName(name)) {
			w.reading(name, yield)
		}
	}
}

// isArgument reports a plain name that arguments have.
func isArgument(plain string) bool {
	return pathNames[plain] || placeNames[plain] || endNames[plain] || contentNames[plain] || addressNames[plain]
}

func (w *argumentWalk) reading(text string, yield func(string)) {
	if w.yielded++; w.yielded > maxPathArguments {
		w.tooMany = true
		return
	}
	yield(text)
}
