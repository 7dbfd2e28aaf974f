package programs

import (
	"slices"
	"strings"
)

var (
	readers = wordSet(`actionlint basename cat column comm cut date df diff dirname du echo egrep false fgrep file grep head
		hexdump id jq ls md5sum nl od printf pwd readlink realpath rg sha1sum sha256sum shasum sort stat strings tail tr
		true ugrep uname uniq wc which whoami xxd yamllint`)
	scripted  = wordSet("sed awk gawk mawk nawk")
	gitReads  = wordSet("blame cat-file check-ignore count-objects describe diff grep log ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show status var")
	gitBranch = wordSet("--all --contains --list --merged --no-merged --show-current -a -r -v -vv")
	gitTag    = wordSet("-l --list -n --contains --merged")
)

// followers are options with which a recursive reader leaves the tree that it
// was given, through links or through a list of names in a file.
var followers = followerRules(`
grep egrep fgrep ugrep
  reads: -R --dereference-recursive
rg
  reads: -L --follow
find
  options: one-dash-words
  reads: -L -H -follow
du
  reads: -L -D -H --dereference
diff
  reads: -r --recursive
md5sum sha1sum sha256sum shasum
  reads: -c --check
git
  reads: -O --contents --global --system --file --show-origin --exclude-from --blob
`)

func followerRules(text string) map[string]*rule {
	table := map[string]*rule{}
	for _, spec := range parseSpecs(text) {
		r, _ := newRule(spec, "")
		for _, name := range spec.Names {
			table[name] = r
		}
	}
	return table
}

// ReadOnly reports whether the command only reads and prints. It is an
// allow-list of programs and, where it matters, of their options; what the
// programs read is another question ([Table.Reads]).
func (t *Table) ReadOnly(words []string) bool {
	if t == nil || len(words) == 0 || strings.Contains(words[0], "/") {
		return false
	}
	name := words[0]
	p := t.names.find(name)
	if p == nil {
		return false
	}
	v := vetting{table: t}
	if r := followers[name]; r != nil {
		if _, hit := v.hit(r, words, 1); hit {
			return false
		}
	}
	n := 1
	switch {
	case name == "command":
		return len(words) > 1 && (words[1] == "-v" || words[1] == "-V")
	case name == "git":
		if n = gitSubcommand(words); !gitReadOnly(words[1:]) {
			return false
		}
	case name == "find":
		if originalRefuses(name, words) > 0 {
			return false
		}
	case name == "date":
		if !dateReads(words[1:]) {
			return false
		}
	case !readers[name] && !scripted[name]:
		return false
	}
	_, ok := v.plain(p, words, n)
	return ok
}

// dateReads refuses the operand that sets the clock.
func dateReads(args []string) bool {
	for i, w := range args {
		if w == "" || w[0] != '-' && w[0] != '+' && (i == 0 || !dateTakes(args[i-1])) || w[0] != '+' && slices.Contains(args[:i], "--") {
			return false
		}
	}
	return true
}

// dateTakes reports whether the next word is the value of the option: of -d, -r
// or -f at the end of a cluster that no other letter with a value begins.
func dateTakes(option string) bool {
	if strings.HasPrefix(option, "--") {
		return len(option) > 4 && (strings.HasPrefix("--date", option) || strings.HasPrefix("--reference", option) || strings.HasPrefix("--file", option))
	}
	return len(option) > 1 && option[0] == '-' && strings.IndexAny(option, "dfr") == len(option)-1 && !strings.ContainsAny(option, "Is")
}

// gitSubcommand returns the number of words up to and with the subcommand,
// since a reading subcommand is named here and need not be judged again.
func gitSubcommand(words []string) int {
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-C":
			i++
		case w != "--no-pager":
			return i + 1
		}
	}
	return len(words)
}

func gitReadOnly(args []string) bool {
	for len(args) > 0 && (args[0] == "-C" || args[0] == "--no-pager") {
		if args[0] == "--no-pager" {
			args = args[1:]
			continue
		}
		if len(args) < 2 {
			return false
		}
		args = args[2:]
	}
	if len(args) == 0 {
		return false
	}
	sub, rest := args[0], args[1:]
	for _, w := range rest {
		// %G… in a format makes git run the repository's gpg.program.
		if strings.HasPrefix(w, "--output") || strings.Contains(w, "%G") {
			return false
		}
	}
	first := ""
	if len(rest) > 0 {
		first = rest[0]
	}
	switch sub {
	case "branch":
		return all(rest, func(w string) bool {
			return gitBranch[w] || strings.HasPrefix(w, "--format=") || strings.HasPrefix(w, "--sort=")
		})
	case "tag":
		return len(rest) > 0 && all(rest, func(w string) bool { return gitTag[w] || strings.HasPrefix(w, "-n") })
	case "stash":
		return first == "list" || first == "show"
	case "remote": // show asks the other side
		return first == "" || first == "-v" && len(rest) == 1 || first == "get-url"
	case "config":
		return slices.ContainsFunc(rest, func(w string) bool {
			return w == "--get" || w == "--get-all" || w == "--get-regexp" || w == "--list" || w == "-l"
		}) && !slices.ContainsFunc(rest, func(w string) bool { return strings.HasPrefix(w, "-f") })
	case "reflog":
		return first == "" || first == "show"
	default:
		return gitReads[sub]
	}
}
