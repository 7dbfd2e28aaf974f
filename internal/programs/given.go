package programs

import (
	"slices"
	"strings"
)

// Given returns the command that xargs runs, without what its input adds to it,
// and the mark that the input replaces, if there is one. ok is false unless every
// word before it was understood.
func (t *Table) Given(words []string) (inner []string, mark string, ok bool) {
	p := t.program(words[0])
	if p == nil || p.hands == nil || !p.hands.appends {
		return nil, "", false
	}
	i := 1
	for ; i < len(words) && isOption(words[i]) && words[i] != "--"; i++ {
		switch w := words[i]; {
		case w == "-I" && i+1 < len(words):
			i++
			mark = words[i]
		case strings.HasPrefix(w, "-I"):
			mark = w[2:]
		default:
			values, known := p.hands.option(w)
			if !known || cutsNames(words[i:]) {
				return nil, "", false
			}
			i += values
		}
	}
	if i < len(words) && words[i] == "--" {
		i++
	}
	switch {
	case i > len(words):
		return nil, "", false
	case i == len(words):
		return []string{"echo"}, mark, true
	}
	inner = words[i:]
	return inner, mark, mark == "" || !strings.Contains(inner[0], mark) // else the input names the program
}

// cutsNames reports whether an option of xargs ends the names at a sign that may
// stand in one, so that a part of it would be taken for another file.
func cutsNames(words []string) bool {
	w, sign := words[0], ""
	switch at := strings.IndexByte(w, 'd'); {
	case strings.HasPrefix(w, "--d"):
		option, value, attached := strings.Cut(w, "=")
		if sign = value; !strings.HasPrefix("--delimiter", option) {
			return false
		}
		if !attached && len(words) > 1 {
			sign = words[1]
		}
	case strings.HasPrefix(w, "--") || at < 0:
		return false
	default:
		if sign = w[at+1:]; sign == "" && len(words) > 1 {
			sign = words[1]
		}
	}
	return sign != `\n` && sign != "\n" && sign != `\0`
}

// Executed takes the commands that find runs out of its words; none of them is
// run in another directory or after a question. ok is false if there are none.
func (t *Table) Executed(words []string) (rest []string, inner [][]string, ok bool) {
	if t.Name(words[0]) != "find" {
		return nil, nil, false
	}
	for i := 0; i < len(words); i++ {
		if words[i] != "-exec" {
			rest = append(rest, words[i])
			continue
		}
		end := slices.IndexFunc(words[i:], func(w string) bool { return w == ";" })
		if plus := slices.Index(words[i:], "+"); plus > 0 && words[i+plus-1] == "{}" && (end < 0 || plus < end) {
			end = plus
		}
		if end < 2 || strings.Contains(words[i+1], "{}") {
			return nil, nil, false
		}
		if inner = append(inner, words[i+1:i+end]); len(inner) > maxExecuted {
			return nil, nil, false
		}
		i += end
	}
	return rest, inner, len(inner) > 0
}

// maxExecuted bounds the commands of one find.
const maxExecuted = 8

// WholeNames reports whether what replaces a mark is a word of its own, and not
// a part of the name of another file.
func WholeNames(words []string, mark string) bool {
	return mark == "" || all(words, func(w string) bool { return w == mark || !strings.Contains(w, mark) })
}

// TakesAnyNames reports whether a program only prints the names that it is
// given, whatever they are.
func (t *Table) TakesAnyNames(word string) bool { return printsNames[t.Name(word)] }

// TakesFoundNames reports whether a program does no more with the files that it
// is given than a search of the whole directory would: it looks for a text in
// them, counts, or says what they are.
func (t *Table) TakesFoundNames(word string) bool {
	name := t.Name(word)
	return printsNames[name] || looksAtFiles[name]
}

var (
	printsNames  = wordSet("echo basename dirname")
	looksAtFiles = wordSet("grep egrep fgrep wc ls stat file du realpath readlink md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum")
)

// ListsFiles reports whether a command prints nothing but the names of files
// that are there. An option that this does not know may make it print others.
func (t *Table) ListsFiles(words []string) bool {
	switch t.Name(words[0]) {
	case "find":
		return FindsOnly(words)
	case "ls":
		return onlyOptions(words[1:], "-", "1trSaAd", nil)
	case "git":
		return len(words) > 1 && (words[1] == "ls-files" && onlyOptions(words[2:], "-", "zmocd", wordSet("--cached --others --modified --deleted --exclude-standard")) ||
			words[1] == "diff" && slices.Contains(words, "--name-only") && onlyOptions(words[2:], "-", "z", wordSet("--name-only --cached --staged --diff-filter=")) ||
			words[1] == "grep" && namesMatches(words) && onlyOptions(words[2:], "-", "lniwEFIPez", nil))
	case "grep", "egrep", "fgrep":
		return namesMatches(words) && onlyOptions(words[1:], "-", "rRlLniwEFIPeZ", wordSet("--include= --exclude= --exclude-dir= --files-with-matches --null"))
	case "rg":
		return (namesMatches(words) || slices.Contains(words, "--files")) && onlyOptions(words[1:], "-", "lniwFgteS0", wordSet("--files --files-with-matches --hidden --glob --glob= --type --type= --null"))
	}
	return false
}

// namesMatches reports whether grep prints the names of files only.
func namesMatches(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return w == "--files-with-matches" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsAny(w, "lL")
	})
}

// onlyOptions reports whether all options are clusters of the letters, or long
// ones that are known; a name that ends with "=" stands for any value.
func onlyOptions(words []string, sign, letters string, long map[string]bool) bool {
	for _, w := range words {
		name, _, valued := strings.Cut(w, "=")
		switch {
		case w == "--":
			return true
		case !strings.HasPrefix(w, sign) || w == sign:
		case strings.HasPrefix(w, "--"):
			if valued && !long[name+"="] || !valued && !long[w] {
				return false
			}
		case strings.Trim(w[1:], letters) != "":
			return false
		}
	}
	return true
}

// FindsOnly reports whether find does no more than print the names that simple
// tests leave.
func FindsOnly(words []string) bool {
	for _, w := range words[1:] {
		if isTest(w) && !simpleTests[w] {
			return false
		}
	}
	return true
}

var simpleTests = wordSet(`-name -iname -path -ipath -type -not ! ( ) -o -or -a -and -maxdepth -mindepth -newer -size -mtime -mmin -empty -prune -print -print0 -1 -2 -3 -7 -10 -30`)

// PassesNames reports whether a command prints some of the lines that it reads,
// each as it is.
func (t *Table) PassesNames(words []string) bool {
	operands := 0
	for _, w := range words[1:] {
		if !isOption(w) {
			operands++
		}
	}
	switch t.Name(words[0]) {
	case "grep", "egrep", "fgrep":
		return operands == 1 && onlyOptions(words[1:], "-", "vEFiPwxz", nil)
	case "sort":
		return operands == 0 && onlyOptions(words[1:], "-", "urnVz", nil)
	case "uniq":
		return len(words) == 1
	case "head", "tail":
		return onlyOptions(words[1:], "-", "n0123456789", nil) && !slices.ContainsFunc(words[1:], func(w string) bool { return !isOption(w) && strings.Trim(w, "0123456789") != "" })
	case "tr":
		return slices.Equal(words[1:], []string{`\n`, `\0`})
	}
	return false
}
