package programs

import (
	"slices"
	"strings"
)

var (
	noPaths      = wordSet("basename command date dirname echo env false id printf pwd tr true uname which whoami")
	patternFirst = wordSet("awk egrep fgrep gawk grep jq mawk nawk rg sed ugrep")
	pathValue    = wordSet("-f --file --exclude-from --include-from --ignore-file --from-file")
	patternValue = wordSet("-e --regexp --expression")
)

// Reads returns every word that a read-only command may open as a file,
// relative ones as given. Words that cannot be paths are left out, words that
// might be are in: a caller tests that each lies below a root. That most of
// these programs fall back to the current directory is for the caller to add.
func (t *Table) Reads(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	return appendReads(nil, words)
}

func appendReads(targets, words []string) []string {
	switch name := words[0]; {
	case name == "date":
		return appendAfter(targets, words[1:], "-r", "--reference")
	case noPaths[name]:
		return targets
	case name == "git":
		return appendGitReads(targets, words[1:])
	default:
		return appendOperands(targets, name, words[1:])
	}
}

func appendAfter(targets, args []string, options ...string) []string {
	for i, w := range args {
		for _, o := range options {
			if w == o && i+1 < len(args) {
				targets = append(targets, args[i+1])
			} else if strings.HasPrefix(w, o) && w != o {
				targets = append(targets, strings.TrimPrefix(w[len(o):], "="))
			}
		}
	}
	return targets
}

func appendOperands(targets []string, name string, args []string) []string {
	patternDue := patternFirst[name] && !givesPattern(name, args)
	for i := 0; i < len(args); i++ {
		w := args[i]
		previous := ""
		if i > 0 {
			previous = args[i-1]
		}
		switch {
		case pathValue[previous]:
			patternDue = false
			targets = append(targets, w)
		case patternValue[previous] && patternFirst[name] && name != "jq":
		case strings.HasPrefix(w, "-") && len(w) > 1:
			targets = appendAttached(targets, w)
		case patternDue:
			patternDue = false
		default:
			targets = append(targets, strings.TrimPrefix(w, "@"))
		}
	}
	return targets
}

// givesPattern reports whether an option brings the pattern or the script, so
// that the first operand is a file already.
func givesPattern(name string, args []string) bool {
	for _, w := range args {
		option, _, _ := strings.Cut(w, "=")
		switch {
		case strings.HasPrefix(w, "--") && len(option) > 2:
			if strings.HasPrefix("--regexp", option) || strings.HasPrefix("--file", option) || strings.HasPrefix("--expression", option) || strings.HasPrefix("--from-file", option) || strings.HasPrefix("--source", option) {
				return true
			}
			if name == "rg" && (option == "--files" || option == "--type-list") {
				return true
			}
		case strings.HasPrefix(w, "-") && name == "jq":
			if strings.Contains(w, "f") {
				return true
			}
		case strings.HasPrefix(w, "-") && strings.ContainsAny(w, "ef"):
			return true
		}
	}
	return false
}

// appendAttached finds a path in an option's attached value: --opt=PATH, -fPATH.
func appendAttached(targets []string, w string) []string {
	if _, value, ok := strings.Cut(w, "="); ok && value != "" {
		targets = append(targets, value)
	}
	if !strings.HasPrefix(w, "--") && strings.ContainsAny(w, "/.") {
		for i := 2; i < len(w); i++ {
			targets = append(targets, w[i:])
			if w[i] == '/' || w[i] == '.' {
				break
			}
		}
	}
	return targets
}

// appendGitReads takes the -C directories, and every word that could lead out
// of the repository: absolute, through "..", or behind "--".
func appendGitReads(targets, args []string) []string {
	behind := false
	for i, w := range args {
		switch {
		case i > 0 && args[i-1] == "-C":
			targets = append(targets, w)
		case w == "--":
			behind = true
		case strings.HasPrefix(w, "-"):
			if _, value, ok := strings.Cut(w, "="); ok && leavesTree(value) {
				targets = append(targets, value)
			}
			if !strings.HasPrefix(w, "--") && len(w) > 2 && leavesTree(w[2:]) {
				targets = append(targets, w[2:])
			}
		case behind || leavesTree(w):
			targets = append(targets, w)
		}
	}
	return targets
}

func leavesTree(w string) bool {
	return strings.HasPrefix(w, "/") || strings.HasPrefix(w, "~") || w == ".." ||
		strings.HasPrefix(w, "../") || strings.HasSuffix(w, "/..") || strings.Contains(w, "/../")
}

// Pattern reports whether the ith word is the pattern or script that a program
// such as grep or sed takes first.
func (t *Table) Pattern(words []string, i int) bool {
	if i < 1 || i >= len(words) || !patternFirst[words[0]] {
		return false
	}
	if i > 1 && selectsFiles(words[0], words[i-1]) {
		// What is left out is not read. Behind another option this may be a value.
		return strings.HasPrefix(words[i], "!") && words[0] == "rg"
	}
	if patternValue[words[i-1]] && words[0] != "jq" && !slices.Contains(words[1:i], "--") {
		return true
	}
	return patternAt(words) == i && !givesPattern(words[0], words[1:])
}

// patternAt returns the index of the first operand, where that can be told, or 0.
func patternAt(words []string) int {
	for j := 1; j < len(words); j++ {
		switch w := words[j]; {
		case w == "--":
			return j + 1
		case !strings.HasPrefix(w, "-"):
			return j
		case selectsFiles(words[0], w):
			j++ // the value names files
		case w[1:] != "" && w[1] != '-' && strings.HasSuffix(w, "g") && words[0] == "rg":
			return 0 // a cluster that may end with -g
		case words[0] == "rg" && typeValue[w]:
			j++
		case countValue[w] && j+1 < len(words) && words[j+1] != "" && strings.Trim(words[j+1], "0123456789") == "":
			if words[0] == "rg" || strings.HasSuffix(words[0], "grep") {
				j++
			}
		}
	}
	return 0
}

// countValue are options of grep and rg that are followed by a number.
var countValue = wordSet("-A -B -C -m --max-count --after-context --before-context --context")

// typeValue are options of rg that are followed by the name of a kind of files.
var typeValue = wordSet("-t -T --type --type-not")

// selectsFiles reports whether an option is followed by a pattern for the names
// of files that the program then reads.
func selectsFiles(program, option string) bool {
	return program == "rg" && (option == "-g" || option == "--glob" || option == "--iglob") || strings.HasSuffix(program, "grep") && option == "--include"
}
