package programs

import (
	"iter"
	"slices"
	"strings"
)

// Run yields the indices of the words that name the programs which a command
// runs: the first, and those behind wrappers and -exec. It is a guess for
// people to read where a wrapper's own words are not all known.
func (t *Table) Run(words []string) iter.Seq[int] {
	return func(yield func(int) bool) {
		due := true // the word may be a program
		for i := 0; i < len(words); i++ {
			w := words[i]
			switch {
			case isExec(w):
				due = true
				continue
			case !due:
				continue
			case i > 0 && (isOption(w) || isAssignment(w) || strings.Trim(w, "0123456789.smhd") == ""):
				continue
			}
			if !yield(i) {
				return
			}
			due = false
			rest := words[i:]
			if at, ok := t.Inner(rest); ok {
				due, i = true, i+at-1
				continue
			}
			p := t.program(w)
			if p == nil || p.kind != Wrapper && p.kind != Launcher || p.readingWords(rest, len(rest)) > 0 || len(p.subs) > 0 || onlyLooksUp(rest, len(rest)) {
				continue
			}
			if at := behindOptions(rest, plainValued[t.Name(w)]); at > 0 {
				due, i = true, i+at-1
			}
		}
	}
}

// plainValued are the options of wrappers that are followed by a value, for
// those whose program is worth showing.
var plainValued = map[string]map[string]bool{
	"xargs": wordSet("-I -n -P -L -d -a -E -s --max-args --max-procs --delimiter --arg-file --max-lines --replace"),
	"sudo":  wordSet("-u -g -p -C -h -r -t -T -U -D --user --group --chdir"),
	"doas":  wordSet("-u -C"),
}

// behindOptions returns the index of the first word behind options that is none.
func behindOptions(words []string, valued map[string]bool) int {
	if valued == nil {
		return 0
	}
	for i := 1; i < len(words); i++ {
		switch {
		case valued[words[i]]:
			i++
		case !isOption(words[i]) && !isAssignment(words[i]):
			return i
		}
	}
	return 0
}

// Reader reports whether a word is an operand that the command reads, for
// programs that take files: also a name without a dot or a slash.
func (t *Table) Reader(words []string, w string) bool {
	at := slices.Index(words, w)
	if at < 0 && len(words) > 0 && words[0] == "sed" { // named in its script
		return true
	}
	if at < 1 || isOption(w) || t.Pattern(words, at) {
		return false
	}
	p, sub := t.here(words)
	if p == nil || sub != nil {
		return false
	}
	if pathValue[words[at-1]] && patternFirst[words[0]] {
		return true
	}
	number := strings.Trim(w, "0123456789") == ""
	return !number && !isOption(words[at-1]) && (p.files || p.operands != nil && p.operands.last)
}
