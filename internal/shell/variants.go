package shell

import (
	"slices"
	"strings"
)

// values are what the text sets its variables to, wherever it does.
type values struct {
	of     map[string][]string
	picked []round            // the first ones, the second ones …
	left   *int               // words that may still be put together, of all that one reading puts together
	again  int                // words that were looked at behind env and git
	braced map[string]filling // what brace expansion makes of words without variables
}

// round is one value of each variable.
type round struct {
	of   map[string]string
	made map[string]filling // what some words become
}

// MaxFilled bounds the words that one reading of a text puts together.
const MaxFilled = 1 << 11

const (
	maxVariants = maxBound // values of a variable, and commands that one command may turn out to be
	bytesOfWord = 32       // that cost as much as a word
	namesOfWord = 8        // of variables that are given values, which cost as much
	maxAgain    = 1 << 12  // words behind programs that may run some of them
	maxChain    = 16       // variables that name one another
	maxMade     = 64       // words of a round of which it is kept what they become
)

func valuesOf(seen []Seen, left *int) values {
	v := values{left: left}
	var elements map[string]string // of arrays, together
	for _, s := range seen {
		if len(v.of[otherwiseKey]) == 0 && slices.ContainsFunc(s.Words, func(w string) bool { return strings.Contains(w, "${") && strings.Contains(w, "+") }) {
			v.add(otherwiseKey, "1")
			v.add(otherwiseKey, "")
		}
		for _, set := range s.Sets {
			name, value, _ := strings.Cut(set, "=")
			if name, more := strings.CutSuffix(name, "+"); more {
				if list := v.of[name]; len(list) > 0 {
					v.add(name, list[len(list)-1]+value)
				}
			}
			name = strings.TrimSuffix(name, "+")
			v.add(name, value)
			if array, _, element := strings.Cut(name, "["); element {
				v.add(array, value)
				if all := elements[array] + " " + value; len(all) <= maxValueText {
					if elements == nil {
						elements = map[string]string{}
					}
					elements[array] = all
				}
			}
		}
	}
	for array, all := range elements {
		v.add(array, all)
	}
	if len(v.of["IFS"]) > 0 { // where it is not set yet
		v.add("IFS", "")
	}
	return v
}

func (v *values) add(name, value string) {
	if v.of == nil {
		v.of = map[string][]string{}
	}
	switch list := v.of[name]; {
	case len(list) < maxVariants:
		v.of[name] = append(list, value)
	case *v.left > 0 && !slices.Contains(list, value):
		*v.left = 0
	}
}

// rounds returns one value of each variable at a time; a variable of fewer
// values keeps its last.
func (v *values) rounds() []round {
	if v.picked != nil {
		return v.picked
	}
	most := 1
	for _, list := range v.of {
		most = max(most, len(list))
	}
	var filled []string // the variables some of whose values hold expansions
	for name, list := range v.of {
		if slices.ContainsFunc(list, isFilled) {
			filled = append(filled, name)
		}
	}
	for i := range min(most, maxVariants) {
		picked := make(map[string]string, len(v.of))
		for name, list := range v.of {
			picked[name] = list[min(i, len(list)-1)]
		}
		*v.left -= len(picked) / namesOfWord
		v.followed(picked, filled)
		v.picked = append(v.picked, round{picked, map[string]filling{}})
	}
	return v.picked
}

// followed fills in values that name other variables, as far as a chain of maxChain
// goes.
func (v *values) followed(picked map[string]string, filled []string) {
	for range maxChain {
		changed := false
		for _, name := range filled {
			value := picked[name]
			if !isFilled(value) || *v.left <= 0 {
				continue
			}
			*v.left -= 1 + len(value)/bytesOfWord
			delete(picked, name) // what it was before itself, the text does not show
			words, whole := expanded(value, picked)
			*v.left -= len(words)
			picked[name] = value
			if next := strings.Join(words, " "); whole && next != value {
				picked[name], changed = next, true
			}
		}
		if !changed {
			return
		}
	}
	*v.left = 0
}

// variants lists what else a command may be: with what the shell makes of its
// words, as far as the text shows; what env makes of a text; what git makes of
// an alias; and what its variables tell its program to run.
func (v *values) variants(s Seen) (list [][]string) {
	add := func(words []string) {
		switch {
		case len(words) == 0:
		case len(list) < 4*maxVariants:
			list = append(list, words)
		default:
			*v.left = 0
		}
	}
	for _, set := range s.Sets {
		if name, value, _ := strings.Cut(set, "="); runs(name) {
			add(strings.Fields(value))
		}
	}
	if len(s.Words) == 0 {
		return list
	}
	if slices.ContainsFunc(s.Words, func(w string) bool { return strings.ContainsAny(w, "$`{") }) {
		for _, picked := range v.rounds() {
			if *v.left <= 0 {
				break
			}
			words, whole := v.filled(s.Words, picked)
			if !whole {
				words = append(words, anyWord)
			}
			if len(list) == 0 || !slices.Equal(words, list[len(list)-1]) {
				add(words)
			}
		}
	}
	own := len(list)
	for at := -1; at < own; at++ {
		words := s.Words
		if at >= 0 {
			words = list[at]
		}
		for i, w := range words {
			name := baseName(w)
			if name == "env" || strings.HasPrefix(name, "git") {
				if v.again += len(words) - i; v.again > maxAgain {
					*v.left = 0
					return list
				}
			}
			if sub, ok := strings.CutPrefix(name, "git-"); ok && (i == 0 || known.Wraps(words[0])) { // git's own directory of programs
				add(append([]string{"git", sub}, words[i+1:]...))
			}
			switch name {
			case "env":
				add(envText(words[i+1:]))
			case "git":
				for _, command := range v.gitAliases(words[i+1:]) {
					add(command)
				}
			}
		}
	}
	return list
}

// FilledIn lists, of the commands whose words, assignments or redirections hold what
// the shell fills in, what they become as far as the text shows it. whole is
// false if there are more than left.
func FilledIn(seen []Seen, left *int) (list []Seen, whole bool) {
	var v values
	made := false
	for _, s := range seen {
		texts := [...][]string{s.Words, s.Sets, s.Reads, s.Writes}
		if !slices.ContainsFunc(texts[:], func(words []string) bool { return slices.ContainsFunc(words, isOpen) }) {
			continue
		}
		if !made {
			v, made = valuesOf(seen, left), true
		}
		var last Seen
		first := true
		for _, picked := range v.rounds() {
			var next Seen
			for i, to := range [...]*[]string{&next.Words, &next.Sets, &next.Reads, &next.Writes} {
				words, all := v.filled(texts[i], picked)
				if *to = words; !all || *v.left <= 0 {
					return list, false
				}
			}
			if first || !next.same(last) {
				list = append(list, next)
			}
			last, first = next, false
		}
	}
	return list, true
}

func isOpen(w string) bool { return strings.ContainsAny(w, "$`{") }

// filled expands every word of a command, at its cost. whole is false if there
// are more words than it returns.
func (v *values) filled(words []string, picked round) (all []string, whole bool) {
	const most = 1000
	whole = true
	*v.left -= len(words)
	for _, w := range words {
		if !strings.ContainsAny(w, "$`{") {
			all = append(all, w)
			continue
		}
		if len(all) > most || *v.left <= 0 {
			return all, false
		}
		became := v.become(w, picked)
		*v.left -= len(became.words) + len(w)/bytesOfWord
		all = append(all, became.words...)
		if !became.whole {
			return all, false
		}
	}
	return all, whole
}

// filling is what a word becomes; whole is false if there is more.
type filling struct {
	words []string
	whole bool
}

// become expands one word, and remembers the result.
func (v *values) become(word string, picked round) filling {
	made := picked.made
	if !strings.ContainsAny(word, "$`") { // in every round the same
		if v.braced == nil {
			v.braced = map[string]filling{}
		}
		made = v.braced
	}
	became, known := made[word]
	if !known {
		became.words, became.whole = expanded(word, picked.of)
		for _, w := range became.words {
			*v.left -= len(w) / bytesOfWord
		}
		if len(made) < maxMade {
			made[word] = became
		}
	}
	return became
}

// runs reports whether programs run what a variable holds.
func runs(name string) bool {
	name = strings.ToUpper(strings.TrimSuffix(name, "+"))
	if runsVariables[name] || optionsOf[name] != "" || strings.HasPrefix(name, "GIT_CONFIG_VALUE_") {
		return true
	}
	return slices.ContainsFunc(runsEndings, func(end string) bool { return strings.HasSuffix(name, end) })
}

var (
	runsVariables = wordSet(`GIT_SSH GIT_EXTERNAL_DIFF LESSOPEN LESSCLOSE SHELL CC CXX LD AR MAKE BASH_ENV ENV PS0 PS1 PS2 PS4 VISUAL NODE PYTHON
		GIT_CONFIG_PARAMETERS GIT_TEMPLATE_DIR GIT_PROXY_COMMAND RUSTC RUSTDOC`)
	// optionsOf are the variables that hold options of a program.
	optionsOf = map[string]string{
		"TAR_OPTIONS": "tar", "MAKEFLAGS": "make", "GNUMAKEFLAGS": "make", "MFLAGS": "make", "GOFLAGS": "go", "FZF_DEFAULT_OPTS": "fzf",
		"LESS": "less", "ZIPOPT": "zip", "RSYNC_ARGS": "rsync", "XZ_OPT": "xz", "PSQL_OPTIONS": "psql",
	}
	runsEndings = []string{"PAGER", "EDITOR", "BROWSER", "COMMAND", "_CMD", "ASKPASS", "_RSH", "WRAPPER", "_RUNNER", "_SHELL"}
)

// envText returns the command of env's option -S, which holds it as one text.
func envText(words []string) []string {
	for i, w := range words {
		at := strings.IndexByte(w, 'S')
		switch {
		case strings.HasPrefix(w, "--s"):
			if _, text, ok := strings.Cut(w, "="); ok {
				return append(strings.Fields(text), words[i+1:]...)
			}
		case !strings.HasPrefix(w, "-"):
			if !isAssignment(w) {
				return nil
			}
		case at > 0:
			return append(strings.Fields(w[at+1:]), words[i+1:]...)
		}
	}
	return nil
}

// gitAliases returns the commands that git's words are by an alias which the
// text sets: by an option, in the configuration or by variables. A value that
// the text does not show may be any command, which an empty sub-command says.
func (v *values) gitAliases(words []string) (commands [][]string) {
	for i, w := range words {
		key, value, ok := "", "", true
		switch {
		case (w == "-c" || w == "--config-env") && i+1 < len(words):
			key, value, _ = strings.Cut(words[i+1], "=")
		case strings.HasPrefix(w, "-c"):
			key, value, _ = strings.Cut(w[2:], "=")
		case strings.HasPrefix(w, "--config-env="):
			key, value, _ = strings.Cut(w[len("--config-env="):], "=")
		default:
			ok = false
		}
		name, alias := cutFold(key, "alias.")
		if !ok || !alias {
			continue
		}
		at := slices.Index(words, name)
		if at < 0 {
			continue
		}
		if strings.Contains(w, "config-env") {
			if shown := v.of[value]; len(shown) > 0 {
				value = shown[len(shown)-1]
			} else {
				value = ""
			}
		}
		commands = append(commands, aliased(value, words[at+1:]))
	}
	for at, w := range words[:min(len(words), maxBetween)] {
		if len(commands) > maxVariants || len(v.of) == 0 {
			break
		}
		for _, value := range v.of["alias."+strings.ToLower(w)] {
			commands = append(commands, aliased(value, words[at+1:]))
		}
	}
	return commands
}

// aliased is the command that an alias stands for.
func aliased(value string, rest []string) []string {
	if text, ok := strings.CutPrefix(value, "!"); ok {
		return append(strings.Fields(text), rest...)
	}
	words := append([]string{"git"}, strings.Fields(value)...)
	if len(words) == 1 {
		words = append(words, anyWord)
	}
	return append(words, rest...)
}

// anyWord stands for a word that the text does not show.
const anyWord = "\x00"

func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return "", false
	}
	return s[len(prefix):], true
}

// configured adds the aliases that the text puts into git's configuration.
func (v *values) configured(seen []Seen) {
	for _, s := range seen {
		for _, set := range s.Sets {
			name, key, _ := strings.Cut(set, "=")
			if number, ok := strings.CutPrefix(name, "GIT_CONFIG_KEY_"); ok {
				if alias, ok := cutFold(key, "alias."); ok {
					v.alias(alias, strings.Join(v.of["GIT_CONFIG_VALUE_"+number], " "))
				}
			}
		}
		if len(s.Words) == 0 || !slices.ContainsFunc(s.Words, func(w string) bool { return baseName(w) == "git" }) {
			continue
		}
		for i, w := range s.Words {
			if alias, ok := cutFold(w, "alias."); ok && slices.Contains(s.Words[:i], "config") && i+1 < len(s.Words) {
				v.alias(alias, strings.Join(s.Words[i+1:min(len(s.Words), i+20)], " "))
			}
		}
	}
}

func (v *values) alias(name, value string) { v.add("alias."+strings.ToLower(name), value) }
