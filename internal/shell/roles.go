package shell

import (
	"iter"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/programs"
)

// Role is what a command does with a word that may be a path.
type Role = programs.Role

// The roles, from the least to the most that can happen to a path.
const (
	Named   = programs.Named
	Filled  = programs.Filled
	Deleted = programs.Deleted
	Landed  = programs.Landed
)

// Writer reports whether the command plainly writes somewhere.
func (s Seen) Writer() bool {
	if len(s.Writes) > 0 || known.Writer(s.Words) {
		return true
	}
	written, _ := s.inputFiles()
	return len(written) > 0 || known.Unpacks(s.Words) || len(s.workTree()) > 0
}

// Unpacks reports whether the command writes the files of an archive into the
// directory that it is in.
func (s Seen) Unpacks() bool { return known.Unpacks(s.Words) }

// workTree is what the command writes to in a work tree that a variable names.
func (s Seen) workTree() (landed []string) {
	for _, set := range s.Sets {
		if strings.HasPrefix(set, "GIT_WORK_TREE=") {
			if known.Name(first(s.Words)) != "git" { // a later command uses it
				landed = append(landed, set[len("GIT_WORK_TREE="):])
				continue
			}
			for word, role := range known.Roles(append([]string{"git", "--work-tree=" + set[len("GIT_WORK_TREE="):]}, s.Words[1:]...)) {
				if role == Landed {
					landed = append(landed, word)
				}
			}
		}
	}
	return landed
}

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// inputFiles lists the files that a script names which is the command's input.
func (s Seen) inputFiles() (written, read []string) {
	if s.Input == "" || !known.ReadsSQL(s.Words) {
		return nil, nil
	}
	return programs.SQLFiles(s.Input)
}

// Handed is how many words of the command may be programs behind its first.
func (s Seen) Handed() int { return known.Handed(s.Words) }

// PathWords yields every word that may be a path, with what the command does
// to it, and the paths that its program puts together from its words. A word
// may come more than once.
func (s Seen) PathWords() iter.Seq2[string, Role] {
	return func(yield func(string, Role) bool) {
		for _, w := range s.Writes {
			if !yield(w, Filled) {
				return
			}
		}
		for _, w := range s.Reads {
			if !yield(w, Named) {
				return
			}
		}
		if len(s.Words) > 0 {
			for _, set := range s.Sets { // what its program is given
				if _, value, _ := strings.Cut(set, "="); strings.ContainsAny(value, "/~.") && !strings.ContainsAny(value, ": \n") && !yield(value, Named) {
					return
				}
			}
		}
		written, read := s.inputFiles()
		for _, w := range append(written, s.workTree()...) {
			if !yield(w, Landed) {
				return
			}
		}
		for _, w := range read {
			if !yield(w, Named) {
				return
			}
		}
		for w, role := range known.Roles(s.Words) {
			if !yield(w, role) {
				return
			}
			if strings.Contains(w, "://") {
				continue
			}
			if len(w) > 1 && w[0] == ':' {
				if !magic(w, role, yield) {
					return
				}
				continue
			}
			// REVISION:PATH, HOST:PATH and NAME=@PATH hold a path behind the sign.
			at := strings.LastIndexAny(w, ":@")
			if at >= 0 && at+1 < len(w) && !yield(w[at+1:], Named) {
				return
			}
			if strings.ContainsAny(w, ":,") && !fields(w, yield) {
				return
			}
		}
	}
}

// fields yields what else may be a path in a word of several: PATH:PATH:ro,
// type=bind,source=PATH.
func fields(w string, yield func(string, Role) bool) bool {
	for field := range strings.FieldsFuncSeq(w, func(r rune) bool { return r == ':' || r == ',' }) {
		name, value, ok := strings.Cut(field, "=")
		if ok {
			field = value
		}
		if field != w && field != "" && (strings.ContainsAny(field, "/~$") || ok && placeFields[name]) && !yield(field, Named) {
			return false
		}
	}
	return true
}

// placeFields are names of fields whose value is a path: id=x,src=PATH.
var placeFields = wordSet("src source file path target dst destination")

// ChangesTo returns the directory that the command changes to, if it is a cd.
func (s Seen) ChangesTo() (string, bool) {
	words := s.Words
	for len(words) > 0 && (words[0] == "command" || words[0] == "builtin" || words[0] == "time" || words[0] == "eval") {
		words = words[1:]
	}
	if len(words) == 0 || words[0] != "cd" && words[0] != "pushd" && words[0] != "chdir" {
		return "", false
	}
	last := words[len(words)-1]
	if words[0] != "pushd" && (len(words) == 1 || len(last) > 1 && last[0] == '-') {
		return "~", true
	}
	return last, len(words) > 1
}

// WorksIn returns the directories that options of the command change to before
// it does anything: env -C DIR, git -C DIR.
func (s Seen) WorksIn() []string {
	var dirs []string
	if s.logsIn() {
		dirs = append(dirs, "~")
	}
	if len(s.Words) == 0 || !worksElsewhere[baseName(s.Words[0])] {
		return dirs
	}
	for i, w := range s.Words {
		name, value, attached := strings.Cut(w, "=")
		switch {
		case i == 0:
		case len(w) > 2 && strings.HasPrefix(w, "-C") && w[2] != '=':
			dirs = append(dirs, w[2:])
		case attached && (name == "--chdir" || name == "--directory"):
			dirs = append(dirs, value)
		case len(w) > 2 && w[0] == '-' && w[1] != '-' && w[len(w)-1] == 'C' && i+1 < len(s.Words): // a cluster: tar -cC DIR
			dirs = append(dirs, s.Words[i+1])
		case (w == "-C" || w == "-D" || w == "--chdir" || w == "--directory") && i+1 < len(s.Words):
			dirs = append(dirs, s.Words[i+1])
		}
	}
	return dirs
}

var worksElsewhere = wordSet("env sudo git make gmake systemd-run tar bsdtar gtar")

// logsIn reports whether the command begins a session, which starts at home.
func (s Seen) logsIn() bool {
	for i, w := range known.HandedOver(s.Words) {
		if options := logins[baseName(w)]; options != nil && logsIn(options, s.Words[i+1:]) {
			return true
		}
	}
	return false
}

func logsIn(options map[string]bool, words []string) bool {
	for _, w := range words[:min(len(words), maxBetween)] {
		switch {
		case options[w]:
			return true
		case logins[w] != nil: // has words of its own
			return false
		case len(w) > 2 && w[0] == '-' && w[1] != '-' && (options["-"+w[1:2]] || options["-"+w[len(w)-1:]]): // a cluster
			return true
		}
	}
	return false
}

// logins are the words with which a program begins a session.
var logins = map[string]map[string]bool{
	"sudo": wordSet("-i --login"), "doas": wordSet("-i"), "run0": wordSet("-i"),
	"su": wordSet("- -l --login"), "runuser": wordSet("- -l --login"),
	"ssh": wordSet("localhost 127.0.0.1 ::1"), "machinectl": wordSet("shell"),
}

// RunsFile reports whether the command runs a file by its path, or gives one
// to an interpreter, so that its text does not say what it does.
func (s Seen) RunsFile() bool { return known.RunsFile(s.Words) }

// MayRun returns what may name a file with code that the command runs.
func (s Seen) MayRun() []string { return known.MayRun(s.Words) }

// HostsInInput reports whether a program of the command is told by its input what
// to fetch.
func (s Seen) HostsInInput() bool { return known.HostsInInput(s.Words) }

// Prints returns what the command plainly prints.
func (s Seen) Prints() []string {
	if len(s.Words) > 0 && printers[baseName(s.Words[0])] {
		return output(s.Words)
	}
	return nil
}

// RunsInput reports whether the command runs what stands in its input.
func (s Seen) RunsInput() bool { return known.RunsInput(s.Words) }

// MovesTrees reports whether the command puts whole directories in place.
func (s Seen) MovesTrees() bool {
	for _, w := range known.HandedOver(s.Words) {
		if treeMovers[known.Name(w)] {
			return true
		}
	}
	_, ok := programs.WorkTree(s.Words)
	return ok || slices.ContainsFunc(s.Sets, func(set string) bool { return strings.HasPrefix(set, "GIT_WORK_TREE=") })
}

// TakesTrees reports whether the command takes directories with all that is below
// them.
func (s Seen) TakesTrees() bool {
	for i, w := range known.HandedOver(s.Words) {
		switch name := known.Name(w); {
		case treeTakers[name]:
			return true
		case name == "grep" && slices.ContainsFunc(s.Words[i:], func(w string) bool {
			return w == "--recursive" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsAny(w, "rR")
		}):
			return true
		}
	}
	return false
}

var treeTakers = wordSet("tar bsdtar gtar zip 7z 7za 7zr 7zz rar cpio pax cp mv rsync scp sftp rm find fd fdfind rg ag ack restic borg duplicity docker podman mount unzip bwrap shred srm")

var treeMovers = wordSet("cp mv rsync ln tar bsdtar unzip install mount")

func isOption(w string) bool { return len(w) > 1 && (w[0] == '-' || w[0] == '+' || w[0] == '@') }

func baseName(word string) string {
	word = strings.TrimRight(word, "/")
	name := word[strings.LastIndexByte(word, '/')+1:]
	if len(name) > longestName {
		return name // as it is: folding it would only take time
	}
	return strings.ToLower(name)
}

// longestName is more bytes than a file's name can have.
const longestName = 1024

// HoldsCode reports whether the command runs a program that is given code in
// another language, in which names of files may stand anywhere.
func (s Seen) HoldsCode() bool {
	for _, w := range known.HandedOver(s.Words) {
		if known.Kind(w) == programs.Interpreter || codePrograms[known.Name(w)] {
			return true
		}
	}
	return false
}

var codePrograms = wordSet("awk gawk mawk nawk original-awk sqlite3 duckdb psql mysql mariadb ed ex vi vim nvim emacs gdb lldb osascript jshell bc tclsh expect octave gnuplot m4")

// magic yields what git takes a pathspec that begins with a colon for.
func magic(w string, role Role, yield func(string, Role) bool) bool {
	rest, words := w[1:], ""
	if long, ok := strings.CutPrefix(rest, "("); ok {
		words, rest, _ = strings.Cut(long, ")")
	} else {
		bare := strings.TrimLeft(rest, "/!^")
		words, rest = rest[:len(rest)-len(bare)], strings.TrimPrefix(bare, ":")
	}
	if rest == "" || strings.Contains(words, "exclude") || strings.ContainsAny(words, "!^") {
		return true
	}
	names := []string{rest}
	if strings.Contains(words, "top") || strings.Contains(words, "/") { // from the top of the repository
		names = append(names, "../"+rest, "../../"+rest, "../../../"+rest)
	}
	if role.Writes() && strings.Contains(rest, "*") && !strings.Contains(rest, "/") { // its stars match slashes
		names = append(names, programs.Below(".", rest))
	}
	for _, name := range names {
		if !yield(name, role) {
			return false
		}
	}
	return true
}
