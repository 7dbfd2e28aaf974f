package programs

import (
	"slices"
	"strings"
)

// Below joins a directory and the pattern of a file's name to a word that
// stands for such files anywhere below the directory.
func Below(dir, name string) string {
	if name == "" {
		name = "*"
	}
	return strings.TrimRight(dir, "/") + below + name
}

// CutBelow takes such a word apart.
func CutBelow(word string) (dir, name string, ok bool) {
	at := strings.LastIndex(word, below)
	if at < 0 {
		return word, "", false
	}
	dir, name = word[:at], word[at+len(below):]
	if dir == "" {
		dir = "/"
	}
	return dir, name, name != "" && !strings.Contains(name, "/")
}

const below = "/**/"

// found lists what find may come across: the names that its tests leave, below
// the directories that it begins at.
func found(words []string) []string {
	var starts, names []string
	i := 1
	for ; i < len(words) && (words[i] == "-H" || words[i] == "-L" || words[i] == "-P" || strings.HasPrefix(words[i], "-O")); i++ {
	}
	for ; i < len(words) && !isTest(words[i]); i++ {
		starts = append(starts, words[i])
	}
	narrow := true
	for ; i < len(words); i++ {
		switch w := words[i]; {
		case isExec(w):
			if end := slices.IndexFunc(words[i:], func(w string) bool { return w == ";" || w == "+" }); end > 0 {
				i += end
			}
		case (w == "-name" || w == "-iname") && i+1 < len(words):
			i++
			names = append(names, words[i])
		case w == "!" || w == "-not" || w == "-o" || w == "-or" || w == ",":
			narrow = false // other names may do
		}
	}
	if len(starts) == 0 {
		starts = []string{"."}
	}
	if len(names) == 0 || !narrow {
		names = []string{"*"}
	}
	var list distinct
	for _, dir := range starts {
		list.add(Below(dir, names[0])) // of several tests that all must hold one is enough
	}
	return list.list
}

func isTest(w string) bool {
	return len(w) > 1 && w[0] == '-' || w == "(" || w == ")" || w == "!" || w == ","
}

// Found lists what a command may print the names of, for a program that is
// given them: words that stand for files. ok is false if the command prints no
// names that can be told.
func (t *Table) Found(words []string) (list []string, ok bool) {
	if len(words) == 0 {
		return nil, false
	}
	name, _ := t.lookup(words[0])
	switch {
	case name == "find":
		return found(words), true
	case listsNames[name], name == "git" && len(words) > 1 && gitListsNames[words[1]]:
	default:
		return nil, false
	}
	var names distinct
	operands := 0
	if name == "git" { // the sub-command is none
		words, operands = words[1:], 1
	}
	for _, w := range words[1:] {
		if isOption(w) || w == "" {
			continue
		}
		operands++
		names.add(w, Below(w, ""))
	}
	if operands < leastOperands[name] {
		names.add(Below(".", ""))
	}
	return names.list, true
}

var (
	listsNames    = wordSet("ls fd fdfind rg grep egrep fgrep ugrep ag ack tree du")
	gitListsNames = wordSet("ls-files grep diff status")
	// leastOperands are those without which the program looks everywhere below.
	leastOperands = map[string]int{"ls": 1, "tree": 1, "du": 1, "fd": 2, "fdfind": 2, "rg": 2, "grep": 2, "egrep": 2, "fgrep": 2, "ugrep": 2, "ag": 2, "ack": 2, "git": 2}
)

// changesFound reports whether find, or fd, does something to what it comes
// across. A search that runs another that runs programs counts as one that does:
// to follow each of many would double the work at every one of them.
func (t *Table) changesFound(words []string) bool {
	for i, w := range words {
		switch {
		case w == "-delete" || w == "--delete":
			return true
		case runsFound(w) && i+1 < len(words):
			if run := own(words, i)[1:]; slices.ContainsFunc(run, runsFound) || t.Writer(run) {
				return true
			}
		}
	}
	return false
}

// runsFound reports an option behind which find or fd are told a program.
func runsFound(w string) bool {
	return isExec(w) || w == "-x" || w == "-X" || w == "--exec-batch" || w == "--exec"
}

// comesAcross lists the files that find or fd changes.
func (t *Table) comesAcross(d doer, words []string) []string {
	switch rest := words[d.at:]; {
	case d.name != "find" && d.name != "fd" && d.name != "fdfind" || !t.changesFound(rest):
		return nil
	case d.name == "find":
		return found(rest)
	default:
		return []string{Below(".", "")}
	}
}
