package programs

import (
	"slices"
	"strings"
)

// RunsFile reports whether the command runs a file by its path, or gives one
// to an interpreter or to make -f, so that its text does not say what it does.
func (t *Table) RunsFile(words []string) bool {
	due := true // the word may be the program
	for i, w := range t.HandedOver(words) {
		name, p := t.lookup(w)
		switch {
		case due && strings.Contains(w, "/") && !systemFile(w) && !isOption(w):
			return true
		case name == "source" || name == ".":
			return true
		case p != nil && p.kind == Interpreter && (i+1 < len(words) && looksLikeFile(words[i+1]) || runsScript(name, words[i:])):
			return true
		case len(optionFiles(name, words[i+1:])) > 0:
			return true
		}
		// A wrapper's options, their values, and its assignments and numbers
		// stand between it and the program.
		value := due && i > 0 && isOption(words[i-1])
		due = t.Wraps(w) || due && (isOption(w) || isAssignment(w) || value || strings.Trim(w, "0123456789.smhd") == "")
	}
	return false
}

// RunsInput reports whether the command is an interpreter that takes its program
// from its standard input: one that is given no file and no code.
func (t *Table) RunsInput(words []string) bool {
	for i, w := range t.HandedOver(words) {
		if t.Kind(w) == Interpreter && readsInput(words[i+1:]) {
			return true
		}
	}
	return false
}

func readsInput(operands []string) bool {
	for _, w := range operands {
		switch {
		case w == "-s" || inputFiles[w]:
			return true
		case !isOption(w), strings.HasPrefix(w, "--eval"), strings.HasPrefix(w, "--command"), w == "--version", w == "--help":
			return false
		}
	}
	return true
}

var inputFiles = wordSet("- /dev/stdin /dev/fd/0 /proc/self/fd/0 /proc/thread-self/fd/0")

// MayRun returns what may name a file with the code that the command runs, though
// it may as well be something else: an interpreter's script, the values of its
// options before that, and the file of make -f.
func (t *Table) MayRun(words []string) []string {
	var files []string
	for i, w := range t.HandedOver(words) {
		name, p := t.lookup(w)
		files = append(files, optionFiles(name, words[i+1:])...)
		if p == nil || p.kind != Interpreter {
			continue
		}
		for _, w := range words[i+1 : min(i+1+scriptAt(name, words[i:]), len(words))] {
			if _, value, attached := strings.Cut(w, "="); attached {
				files = append(files, value)
			}
			if !isOption(w) {
				files = append(files, w)
			}
		}
	}
	return files
}

// Sourced returns the file that the shell itself runs: . FILE.
func (t *Table) Sourced(words []string) []string {
	for i, w := range t.HandedOver(words) {
		if w == "." || w == "source" {
			return words[i+1 : min(i+2, len(words))]
		}
	}
	return nil
}

// runsScript reports whether an interpreter is given a file, and no code of its
// own before that.
func runsScript(name string, words []string) bool {
	at := scriptAt(name, words)
	return at < len(words) && looksLikeFile(words[at]) && !slices.ContainsFunc(words[1:at], func(w string) bool { return bringsCode(name, w) })
}

// scriptAt is script, behind the value of a shell's -euo too.
func scriptAt(name string, words []string) int {
	at := script(name, words)
	if textShells[name] && at > 1 && at+1 < len(words) && len(words[at-1]) > 2 && strings.HasSuffix(words[at-1], "o") {
		at++
	}
	return at
}

func bringsCode(name, option string) bool {
	if textShells[name] { // -e is something else for a shell
		return option == "--command" || !strings.HasPrefix(option, "--") && isOption(option) && strings.Contains(option, "c")
	}
	return option == "-m" || inline(option)
}

// optionFiles are the files that options of a program name with what it is to do.
func optionFiles(name string, operands []string) []string {
	options := programOptions[name]
	if options == nil {
		return nil
	}
	var files []string
	for i, w := range operands {
		option, value, attached := strings.Cut(w, "=")
		switch {
		case options[w] && i+1 < len(operands):
			files = append(files, operands[i+1])
		case attached && options[option]:
			files = append(files, value)
		case len(w) > 2 && options[w[:2]] && !strings.HasPrefix(w, "--"): // -fFILE
			files = append(files, w[2:])
		}
	}
	return files
}

// programOptions are the options, of programs that are no interpreters, whose
// value is a file with what the program is to do.
var programOptions = setsByName(map[string]string{
	"make gmake":                      "-f --file --makefile",
	"screen":                          "-c",
	"just":                            "-f --justfile",
	"ninja samu task go-task":         "-f --file --taskfile -t",
	"rake":                            "-f --rakefile",
	"ant":                             "-f -file -buildfile",
	"gradle gradlew":                  "-b --build-file -I --init-script",
	"mvn mvnw":                        "-f --file",
	"cmake":                           "-P -C",
	"awk gawk mawk nawk original-awk": "-f --file -i --include -E --exec",
	"sed gsed":                        "-f --file",
	"vim nvim vi ex":                  "-S -s -u -l",
	"emacs":                           "-l --load --script",
	"gdb lldb":                        "-x --command -s --source -S",
	"expect":                          "-f",
	"psql":                            "-f --file",
})

// SystemFile reports whether a path names one of the system's programs.
func SystemFile(w string) bool { return systemFile(w) }

// systemFile reports whether a file lies where only the system's own package
// manager writes.
func systemFile(w string) bool {
	for _, dir := range [...]string{"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/"} {
		if strings.HasPrefix(w, dir) && !strings.Contains(w, "/../") {
			return true
		}
	}
	return false
}

func looksLikeFile(w string) bool {
	return !strings.HasPrefix(w, "-") && strings.ContainsAny(w, "./")
}
