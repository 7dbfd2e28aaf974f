package decide

import (
	"errors"
	"fmt"
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
	globNames = wordSet(`include includes includepattern includepatterns includefiles includeglob includeglobs glob globs globpattern globpatterns fileglob
	fileglobs filepattern filepatterns filemask pathpattern pathglob filenamepattern pathspec pathspecs`)
	// placeNames say in which directory relative paths start.
	placeNames = wordSet(`base cwd workdir workingdir workingdirectory basedir basepath basedirectory rootdir rootpath rootdirectory root projectroot
	projectpath projectdir repopath repositorypath repo repository worktree workspaceroot workspacepath workspace directory dir dirpath directorypath folder folderpath`)
	// endNames are ends of a move in tools that move.
	endNames = wordSet(`from to old new oldname newname olduri newuri uri target link linkname linkpath name`)
	// listNames hold a list whose elements each name a file.
	listNames = wordSet(`files filepaths paths edits replacements operations changes fileedits fileoperations items writes creates deletes moves renames
	copies updates pairs actions`)
	nameAlone  = wordSet(`newname name new to`)
	stripNames = wordSet(`strip striplevel stripcount stripcomponents pnum p plevel`)
	// contentNames hold what is written, in which a path is just data.
	contentNames = wordSet(`content contents text newtext oldtext newstring oldstring newstr oldstr code body data json value diff patch input`)
	// searchNames hold what is looked for, which may look like a path.
	searchNames = wordSet(`pattern regex regexp query search searchtext find findtext needle replace replacement replacewith url uri symbol namepath selector
	command description reason message title prompt instruction instructions explanation`)
	// addressNames hold a URL, which is a path if its scheme is file.
	addressNames = wordSet(`url uri fileuri resource resourceuri documenturi textdocument urls uris fileuris resources resourceuris documenturis
	textdocuments fileurl fileurls documenturl documenturls targeturi targeturis`)
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
