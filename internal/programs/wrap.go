package programs

import (
	"iter"
	"slices"
	"strings"
)

// handover says where, behind a wrapper's own words, its program begins.
type handover struct {
	flags       map[string]bool // options; true if a value follows
	numbers     bool            // -5 is an option
	operands    int             // of its own
	assignments bool            // NAME=value words may stand before the program
	strict      bool            // strict matching sees through it
	pkg         bool            // the program is a package's name
	appends     bool            // it adds words to the program's
}

// newHandover reads the words of a "wraps" line. It returns the word that it
// cannot read, or "".
func newHandover(words []string) (*handover, string) {
	h := &handover{flags: map[string]bool{}}
	for _, w := range words {
		option, valued := strings.CutSuffix(w, ":")
		switch {
		case w == "strict":
			h.strict = true
		case w == "assignments":
			h.assignments = true
		case w == "package":
			h.pkg = true
		case w == "appends":
			h.appends = true
		case w == "-NUM":
			h.numbers = true
		case strings.HasPrefix(w, "operands=") && len(w) == len("operands=")+1 && w[len(w)-1] <= '9' && w[len(w)-1] >= '0':
			h.operands = int(w[len(w)-1] - '0')
		case len(option) > 1 && option[0] == '-':
			h.flags[option] = valued
		default:
			return nil, w
		}
	}
	return h, ""
}

// inner returns the index of the program; ok only if every word before it was
// understood. If not, at is the word that was not.
func (h *handover) inner(words []string) (at int, ok bool) {
	if h == nil {
		return 0, false
	}
	i := 1
	for ; i < len(words) && len(words[i]) > 1 && words[i][0] == '-'; i++ {
		if words[i] == "--" {
			i++
			break
		}
		values, ok := h.option(words[i])
		if !ok {
			return i, false
		}
		i += values
	}
	for own := h.operands; own > 0 && i < len(words); own-- {
		if words[i] == "" || words[i][0] == '-' {
			return i, false
		}
		i++
	}
	for h.assignments && i < len(words) && strings.Contains(words[i], "=") {
		if !isAssignment(words[i]) {
			return i, false
		}
		i++
	}
	return i, i < len(words) && !strings.HasPrefix(words[i], "-")
}

// option returns how many words follow the option as its value.
func (h *handover) option(w string) (values int, ok bool) {
	if valued, known := h.flags[w]; known {
		if valued {
			return 1, true
		}
		return 0, true
	}
	if h.numbers && strings.Trim(w[1:], "0123456789") == "" {
		return 0, true
	}
	if name, _, attached := strings.Cut(w, "="); attached && strings.HasPrefix(w, "--") {
		return 0, h.flags[name]
	}
	if strings.HasPrefix(w, "--") {
		return 0, false
	}
	for i := 1; i < len(w); i++ { // a cluster; a value ends it
		valued, known := h.flags["-"+w[i:i+1]]
		switch {
		case !known:
			return 0, false
		case valued && i == len(w)-1:
			return 1, true
		case valued:
			return 0, true
		}
	}
	return 0, true
}

// Inner returns the index of the program behind a transparent wrapper, such as
// `timeout 5 PROGRAM`; ok only if every word before it was understood. Of the
// assignments that env takes the caller must judge each word between.
func (t *Table) Inner(words []string) (at int, ok bool) {
	p, _ := t.here(words)
	if p == nil || onlyLooksUp(words, len(words)) {
		return 0, false
	}
	if at, ok = p.wraps.inner(words); !ok {
		return 0, false
	}
	return at, true
}

// InlineText finds the text that a shell is given to run: exactly the words
// `bash -lc TEXT`, the text being the last one. The option is a cluster of the
// letters c, e, l, u and x; -x and -u change nothing that matters, -l reads
// the profile, as the program that started the agent did.
func (t *Table) InlineText(words []string) (at int, shell string, ok bool) {
	if len(words) != 3 || strings.Contains(words[0], "/") && !systemFile(words[0]) {
		return 0, "", false
	}
	name, p := t.lookup(words[0])
	cluster := words[1]
	switch {
	case p == nil || p.kind != Interpreter || !textShells[name]:
	case len(cluster) < 2 || cluster[0] != '-' || strings.Count(cluster, "c") != 1 || strings.Trim(cluster[1:], "celux") != "":
	case strings.HasPrefix(words[2], "-") || strings.HasPrefix(words[2], "+"): // an option to the shell
	default:
		return 2, name, true
	}
	return 0, "", false
}

var textShells = wordSet("sh bash zsh dash ksh mksh ash")

// Wraps reports whether a word could hand over to a program behind it.
func (t *Table) Wraps(word string) bool {
	name, p := t.lookup(word)
	return wraps(word, name, p)
}

// wraps is Wraps of a word that was looked up.
func wraps(word, name string, p *program) bool {
	return isExec(word) || p != nil && (p.kind != Plain || projectRunners[name])
}

// projectRunners run a program in a project's environment by one of their
// sub-commands.
var projectRunners = wordSet("uv poetry pipenv pdm hatch rye mise bundle dotenv direnv")

// TakesCommands reports whether the input of the program that the first word
// names, behind which are its own, is command lines.
func (t *Table) TakesCommands(words []string) bool {
	name, p := t.lookup(words[0])
	if name == "sudo" || name == "doas" {
		return startsShell(words[1:])
	}
	return p != nil && p.commandsIn && (!p.alone || fewOperands(words[1:])) || makers[name] && makesInput(words[1:])
}

func isExec(w string) bool { return strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") }

// Programs yields the words that may be a program: the first one, and all that
// stand behind a word that could be a wrapper's name.
func (t *Table) Programs(words []string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		from := behind(words, t.Wraps)
		if from > 1 {
			from = min(from, behindOption(words, t.Name(words[0])))
		}
		firstAndFrom(words, from, yield)
	}
}

// HandedOver yields the words that are likely to be a program: the first one,
// and those behind it if it is a wrapper, or behind -exec.
func (t *Table) HandedOver(words []string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) { firstAndFrom(words, t.handedFrom(words), yield) }
}

// Handed is how many words of a command may be programs behind the first.
func (t *Table) Handed(words []string) int { return max(0, len(words)-t.handedFrom(words)) }

// HandedWork is how many words have to be looked at behind the programs that a
// command hands over to, beyond the few that people write. A caller bounds it, since
// what walks through the words behind each of many programs takes their square.
func (t *Table) HandedWork(words []string) (work int) {
	const (
		short = 24      // words, in which no number of programs is many
		few   = 8       // programs
		many  = 1 << 10 // words, each of which may be a program
	)
	if len(words) <= short {
		return 0
	}
	named, from := 0, t.handedFrom(words)
	if handed := len(words) - from; handed > many {
		return handed * handed
	}
	for i := from; i < len(words); i++ {
		if t.acts(words[i]) {
			if named++; named > few {
				work += len(words) - i
			}
		}
	}
	return work
}

// acts reports whether anything is known of a program's words.
func (t *Table) acts(word string) bool {
	name, p := t.lookup(word)
	return p != nil || commandOptions[name] != nil || programOptions[name] != nil || unpackers[name] != nil ||
		makers[name] || marked[name] || pagers[name] || codeHolders[name] || sqlShells[name] || name == "socat"
}

func (t *Table) handedFrom(words []string) int {
	if len(words) == 0 {
		return 0
	}
	name, p := t.lookup(words[0])
	if wraps(words[0], name, p) && p.readingWords(words, len(words)) == 0 {
		return 1
	}
	return min(behind(words, isExec), behindOption(words, name))
}

// startsShell reports whether options of sudo say so, before a program's name or
// the value of an option.
func startsShell(words []string) bool {
	for i, w := range words {
		switch {
		case w == "-s" || w == "-i" || w == "--shell" || w == "--login":
			return true
		case !isOption(w) && (i == 0 || !isOption(words[i-1])):
			return false
		}
	}
	return false
}

// fewOperands reports whether words name one thing at most, such as a host, and no
// command to run there.
func fewOperands(words []string) bool {
	operands := 0
	for i, w := range words {
		if !isOption(w) && (i == 0 || !isOption(words[i-1])) {
			operands++
		}
	}
	return operands < 2
}

// behindOption returns the index of the word behind the option of an otherwise
// plain program, of that name, that is followed by another program.
func behindOption(words []string, name string) int {
	follows := programFollows[name]
	if follows == nil {
		return len(words)
	}
	return behind(words, func(w string) bool {
		return follows[w] || len(w) > 2 && w[0] == '-' && w[1] != '-' && follows["-"+w[len(w)-1:]] // a cluster: -Hx
	})
}

// programFollows are the options and sub-commands of plain programs that are
// followed by another program and its words.
var programFollows = setsByName(map[string]string{
	"fd fdfind":                   "-x -X --exec --exec-batch",
	"cmake":                       "-E",
	"just":                        "-c --command",
	"ctest":                       "--test-command --build-and-test",
	"conda mamba micromamba pixi": "run",
	"nix guix":                    "-c --command run shell develop environment --",
	"opam pyenv rbenv asdf lerna": "exec",
	"devbox snap":                 "run shell --shell",
	"dotenvx doppler op heroku":   "run -- --command",
	"chamber aws-vault":           "exec",
	"sops":                        "exec-env exec-file",
	"vagrant flyctl fly":          "ssh -c --command console -C",
	"docker-compose nerdctl ctr crictl buildah lxc incus": "run exec",
	"toolbox distrobox":      "run enter",
	"limactl machinectl adb": "shell",
	"multipass":              "exec",
	"pueue":                  "add",
	"launchctl":              "submit asuser bsexec",
	"jobs":                   "-x",
})

// setsByName gives each of several names, which share a key, the words of its value.
func setsByName(wordsOf map[string]string) map[string]map[string]bool {
	byName := map[string]map[string]bool{}
	for names, words := range wordsOf {
		for name := range strings.FieldsSeq(names) {
			byName[name] = wordSet(words)
		}
	}
	return byName
}

// behind returns the index of the word behind the first one that starts says.
func behind(words []string, starts func(string) bool) int {
	for i, w := range words {
		if starts(w) {
			return i + 1
		}
	}
	return len(words)
}

// firstAndFrom is no sequence itself, so that a loop over one that is made of it
// needs no memory.
func firstAndFrom(words []string, from int, yield func(int, string) bool) {
	if len(words) == 0 || !yield(0, words[0]) {
		return
	}
	for i := max(from, 1); i < len(words); i++ {
		if !yield(i, words[i]) {
			return
		}
	}
}

// alone reports whether the first word is the only program.
func (t *Table) alone(words []string) bool {
	for _, w := range words {
		if isExec(w) {
			return false
		}
	}
	return len(words) > 0 && !t.Wraps(words[0])
}

// takesCommand are the options and sub-commands of otherwise plain programs
// that are followed by a command line.
var takesCommand = map[string]map[string]bool{
	"git":  wordSet("-c --config-env rebase foreach bisect filter-branch difftool mergetool"),
	"find": wordSet("-exec -execdir -ok -okdir"),
	"fd":   wordSet("-x -X --exec --exec-batch"),
	"tar":  wordSet("-I --to-command"),
}

// RunsText reports whether some word of the command is a shell or another
// program that takes a command line as one argument.
func (t *Table) RunsText(words []string) bool {
	last, asked := "", 0 // of takesCommand
	for i, w := range words {
		name, p := t.lookup(w)
		if i == 0 && behindOption(words, name) < len(words) {
			return true
		}
		if p == nil {
			if i == 0 && givesText(words[1:]) {
				return true
			}
			continue
		}
		if p.kind != Plain {
			return true
		}
		if takes := takesCommand[name]; takes != nil && name != last {
			last = name
			if asked++; asked > len(takesCommand) || slices.ContainsFunc(words, func(w string) bool { return takes[w] }) {
				return true
			}
		}
	}
	return false
}

// givesText reports whether a program that nobody knows is given a text as
// shells are: -c TEXT.
func givesText(words []string) bool {
	for _, w := range words {
		if len(w) < 2 || w[0] != '-' && w[0] != '+' {
			return false
		}
		if w[1] != '-' && len(w) < 8 && strings.Contains(w, "c") {
			return true
		}
	}
	return false
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && isName(strings.TrimSuffix(name, "+"))
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		b := s[i]
		if !(b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || i > 0 && (b >= '0' && b <= '9' || b == '[' || b == ']')) {
			return false
		}
	}
	return s != ""
}
