package decide

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A pathArg says which argument of a tool holds paths: a dotted name, in which
// "[]" steps into each element of a list, or several names of which one must be
// there ("path|filepath"), written as plainName gives them.
type pathArg string

var errPathArg = errors.New("is no argument name; write the name alone, dots to lead into objects and [] into lists, such as files[].path")

// parsePathArg reads an operator's dotted name.
func parsePathArg(text string) (pathArg, error) {
	for part := range strings.SplitSeq(text, ".") {
		if name := strings.TrimSuffix(part, "[]"); name == "" || strings.ContainsAny(name, "[]|") {
			return "", errPathArg
		}
	}
	return pathArg(text), nil
}

// compilePathArgs reads the path arguments of one of the operator's tools.
func compilePathArgs(f *findings, pointer string, texts []string) []pathArg {
	var args []pathArg
	for i, text := range texts {
		arg, err := parsePathArg(text)
		if err != nil {
			f.issue(fmt.Sprintf("%s/path_args/%d", pointer, i), "%q %v", clip(text), err)
		}
		args = append(args, arg)
	}
	return args
}

// String is a name for messages.
func (a pathArg) String() string {
	first, _, _ := strings.Cut(string(a), "|")
	return first
}

func (a pathArg) several() bool { return strings.Contains(string(a), "|") }

// names reports whether the argument goes by this plain name.
func (a pathArg) names(plain string) bool {
	for rest := string(a); plain != ""; {
		i := strings.Index(rest, plain)
		if i < 0 {
			return false
		}
		after := rest[i+len(plain):]
		if (i == 0 || rest[i-1] == '|') && (after == "" || after[0] == '|') {
			return true
		}
		rest = after
	}
	return false
}

// each calls yield with every value that the argument holds, and reports
// whether it is there everywhere: in each element of each list.
func (a pathArg) each(arguments Value, yield func(Value)) bool {
	if !a.several() {
		return arguments.each(string(a), yield)
	}
	found := false
	for _, m := range arguments.Members() {
		if a.names(plainName(m.Name)) {
			found = true
			yield(m.Value)
		}
	}
	return found
}

func (v Value) each(dotted string, yield func(Value)) bool {
	name, rest, more := strings.Cut(dotted, ".")
	bare, list := strings.CutSuffix(name, "[]")
	member := v.Get(bare)
	if member.kind == Absent || list && (member.kind != List || len(member.members) == 0) {
		return false
	}
	values := []Member{{Value: member}}
	if list {
		values = member.members
	}
	complete := true
	for i := range values {
		if more {
			complete = values[i].Value.each(rest, yield) && complete
		} else {
			yield(values[i].Value)
		}
	}
	return complete
}

// Names of arguments, as plainName gives them.
var (
	// pathNames hold a path in the tools of many servers; see namesPath.
	pathNames = wordSet(`path paths file files filepath filepaths filename filenames targetfile targetpath source sourcepath sourcefile src
	destination destinationpath destinationfile dest destpath dst oldpath newpath oldfile newfile oldfilepath newfilepath frompath topath
	output outputpath outputfile outfile savepath saveto inputpath inputfile infile
	directory dir dirpath directorypath folder folderpath absolutepath absolutefilepath relativepath relativeworkspacepath notebookpath notebook
	attachment attachments targetnotebook fname fn pathname location filelocation dst filespec`)
	// otherNames end as names of paths do and hold something else.
	otherNames = wordSet(`profile xpath jsonpath keypath`)
	// globNames hold patterns of file names in tools that search.
	globNames = wordSet(`include includes includepattern includefiles glob globs globpattern fileglob filepattern`)
	// placeNames say in which directory relative paths start.
	placeNames = wordSet(`cwd workdir workingdir workingdirectory basedir basepath basedirectory rootdir rootpath rootdirectory root projectroot
	projectpath projectdir workspaceroot workspacepath workspace directory dir dirpath directorypath folder folderpath`)
	// endNames are ends of a move in tools that move.
	endNames = wordSet(`from to old new oldname newname olduri newuri uri target link linkname linkpath name`)
	// listNames hold a list whose elements each name a file.
	listNames = wordSet(`files filepaths paths edits replacements operations changes fileedits fileoperations items writes creates deletes moves renames
	copies updates pairs actions`)
	nameAlone  = wordSet(`newname name new to`)
	stripNames = wordSet(`strip striplevel stripcount stripcomponents pnum p plevel`)
	patchNames = wordSet(`patch diff input patchtext patchcontent patchstring udiff unifieddiff changes`)
	// contentNames hold what is written, in which a path is just data.
	contentNames = wordSet(`content contents text newtext oldtext newstring oldstring newstr oldstr code body data json value diff patch input`)
	// searchNames hold what is looked for, which may look like a path.
	searchNames = wordSet(`pattern regex regexp query search searchtext find findtext needle replace replacement replacewith url uri symbol namepath selector
	command description reason message title prompt instruction instructions explanation`)
	// addressNames hold a URL, which is a path if its scheme is file.
	addressNames = wordSet(`url uri fileuri resource resourceuri documenturi textdocument`)
)

// namesPath reports whether an argument's plain name says that it holds a path.
func namesPath(plain string) bool {
	if pathNames[plain] {
		return true
	}
	for _, end := range [...]string{"path", "paths", "file", "files", "filename", "dir", "directory", "folder"} {
		if strings.HasSuffix(plain, end) {
			return !otherNames[plain] && !placeNames[plain]
		}
	}
	return false
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// separators stand between the words of a name.
const separators = "_- .:/"

// plainName is an argument's name without letter case and separators.
func plainName(argument string) string {
	name := foldName(argument)
	if name != "" && !isASCII(name) {
		// Some readers of arguments take letters of another width for the same.
		name = foldName(norm.NFKC.String(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
				return -1
			}
			return r
		}, name)))
	}
	if strings.ContainsAny(name, separators) {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(separators, r) {
				return -1
			}
			return r
		}, name)
	}
	return name
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// maxPathArguments bounds the file system calls that one call can cause.
const maxPathArguments = 1000

// argumentWalk yields the texts of all arguments whose name says that they hold
// a path, at every depth but not inside what is written.
type argumentWalk struct {
	yield   func(text string)
	glob    func(text string) // for patterns of file names; may be nil
	ends    bool              // the tool moves files
	loose   bool              // a text that can only be a path is one, whatever its name
	only    map[string]bool   // plain names that count; nil: all that say that they hold a path
	parsed  int               // texts that held JSON, for the bound
	count   int
	tooMany bool
}

func (w *argumentWalk) object(v Value) {
	for i := range v.members {
		w.member(&v.members[i])
	}
}

func (w *argumentWalk) member(m *Member) {
	name := plainName(m.Name)
	switch {
	case w.only != nil && w.only[name], w.only == nil && (namesPath(name) || w.ends && endNames[name]):
		w.texts(m.Value, w.yield)
	case globNames[name] && w.glob != nil:
		w.texts(m.Value, w.glob)
	case addressNames[name] && isFileURL(m.Value.text):
		w.texts(m.Value, w.yield)
	case contentNames[name]:
	case w.loose && !searchNames[name] && m.Value.kind == String && isPlaced(m.Value.text):
		w.texts(m.Value, w.yield)
	default:
		w.inside(m.Value)
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

// isJSON reports a text that a lenient tool would read as a list or object of
// arguments.
func isJSON(text string) bool {
	text = strings.TrimFunc(text, isBlank)
	return len(text) > 1 && (text[0] == '[' && text[len(text)-1] == ']' || text[0] == '{' && text[len(text)-1] == '}') &&
		strings.Contains(text, `"`)
}

func (w *argumentWalk) inside(v Value) {
	const most = 64 // texts that are read as JSON
	switch v.kind {
	case String:
		if w.parsed < most && isJSON(v.text) {
			w.parsed++
			if inner, err := ParseValue([]byte(v.text)); err == nil {
				w.inside(inner)
			}
		}
	case Object:
		w.object(v)
	case List:
		for _, m := range v.members {
			w.inside(m.Value)
		}
	}
}

// texts takes a value of an argument that holds paths: a text, or a list of
// texts or of objects that have such arguments.
func (w *argumentWalk) texts(v Value, yield func(string)) {
	switch v.kind {
	case String:
		if w.count++; w.count > maxPathArguments {
			w.tooMany = true
			return
		}
		yield(v.text)
	case Object:
		w.object(v)
	case List:
		for _, m := range v.members {
			w.texts(m.Value, yield)
		}
	}
}

// pathArguments locates the path arguments of a tool that is not a write tool.
// Where there are too many the last one cannot be read.
func (f *facts) pathArguments() []target {
	var list []target
	add := func(text string) { list = append(list, f.locate(filePath(text))) }
	w := argumentWalk{yield: add, glob: func(text string) {
		if t := f.locate(text); t.err == nil { // a pattern need not be a path
			list = append(list, t)
		}
	}}
	w.object(f.call.Arguments)
	if f.tool != nil {
		for _, arg := range f.tool.pathArgs {
			arg.each(f.call.Arguments, func(v Value) { w.texts(v, add) })
		}
	}
	if w.tooMany {
		list = append(list, target{err: errTooManyPaths})
	}
	return list
}

var errTooManyPaths = errors.New("there are more path arguments than can be looked at")

func isFileURL(text string) bool {
	return len(text) > 5 && strings.EqualFold(text[:5], "file:")
}

// filePath is the path in a URL of a local file; other texts stay as they are.
func filePath(text string) string {
	const scheme = "file:///"
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return text
	}
	path, err := url.PathUnescape(text[len(scheme)-1:])
	if err != nil || strings.ContainsAny(path, "?#") {
		return text
	}
	if len(path) > 2 && path[2] == ':' { // /C:/x
		return path[1:]
	}
	return path
}
