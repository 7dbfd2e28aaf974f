package programs

import (
	"slices"
	"strings"
)

// Effect is what a word makes of a program beyond what its name says.
type Effect uint8

// The effects. None is no effect.
const (
	None       Effect = iota
	Runs              // another program or code
	Writes            // a file, or state on the machine
	Reads             // files that the operands do not show
	Sends             // data to elsewhere
	Destroys          // what is not easily brought back
	Publishes         // for others to see
	Moves             // works in another place
	Configures        // the program, now or for later
	Reveals           // secrets
)

var effects = [...]struct{ attribute, phrase string }{
	None: {"", "does nothing else"}, Runs: {"runs", "runs another program or code"}, Writes: {"writes", "writes a file or other state"},
	Reads: {"reads", "reads files that its operands do not show"}, Sends: {"sends", "sends data away"},
	Destroys: {"destroys", "destroys what is not easily brought back"}, Publishes: {"publishes", "publishes for others to see"}, Moves: {"moves", "works in another directory or place"},
	Configures: {"configures", "changes settings"}, Reveals: {"reveals", "reveals secrets"},
}

// String returns a phrase for a reason: "runs another program or code".
func (e Effect) String() string {
	if int(e) < len(effects) {
		return effects[e].phrase
	}
	return "does something unknown"
}

// Finding is a word that asks, and what it does. Index 0 is the program itself.
type Finding struct {
	Effect Effect
	Index  int
}

// rule is the asking words of one stanza.
type rule struct {
	under    string   // it counts only for this sub-command
	short    []option // letters, found anywhere in a cluster such as -uo
	long     []option // GNU long options, matched by any prefix of them
	anyLong  Effect   // what any other long option does whose attached value leads out of the working directory
	exact    []option // options with one dash and a long name, as find has them
	valued   []string // harmless options that are followed by a value
	numbered []string // those of them whose value is a number, or not there
	flags    []string // harmless options without a value that an asking one begins with
	first    []option // first operands (sub-commands) that ask
	only     []string // the only first operands that do not ask; a final * stands for any rest
	others   Effect   // what the other ones do
	second   bool     // only judges the second operand
	operands int      // how many operands are read; a further one is written. 0: no limit
	beyond   Effect   // what a further one does
	targets  bool     // a further operand is another target
	names    bool     // the operand behind the sub-command is a program
	code     bool     // the operand behind the sub-command is code
	assigned []option // beginnings of operands that set something
	paths    Effect   // what an operand does that can only be a path
	deletes  Effect   // what an operand does that begins with a colon
	helpers  Effect   // what an operand does that names a program to reach a place with: HELPER::ADDRESS
	deep     bool     // sub-commands stand behind groups of them
	behind   bool     // options count only behind --: they are for another program
	global   bool     // options count only before the first operand
	oneDash  bool     // the program has no clusters of short options
	anyCase  bool
	colons   bool // a value may stand behind a colon, too
}

// option is a word that asks, unless its value is harmless.
type option struct {
	name     string
	effect   Effect
	attached bool                    // also with the value right behind the name
	harmless func(value string) bool // nil: no value is
}

// setOption reads a word of an "options" line.
func (r *rule) setOption(w string) bool {
	switch {
	case w == "before-operands":
		r.global = true
	case w == "one-dash-words":
		r.oneDash = true
	case w == "any-case":
		r.anyCase = true
	case w == "colons":
		r.colons = true
	case w == "in-groups":
		r.deep = true
	case w == "behind-dashes":
		r.behind = true
	case len(w) > 5 && w[0] == '-' && strings.HasSuffix(w, ":NUM"):
		r.numbered = append(r.numbered, strings.TrimSuffix(w, ":NUM"))
	case len(w) > 2 && w[0] == '-' && strings.HasSuffix(w, ":"):
		r.valued = append(r.valued, strings.TrimSuffix(w, ":"))
	case strings.HasPrefix(w, "--") && len(w) > 2 && !strings.HasSuffix(w, ":"):
		r.flags = append(r.flags, w)
	default:
		return false
	}
	return true
}

// addEffect reads the words of one effect's line. It returns the word that it
// cannot read, or "".
func (r *rule) addEffect(effect Effect, words []string) (bad string) {
	listing := false
	for _, w := range words {
		switch {
		case w == "" || strings.Contains(w, "|"):
			return w + " "
		case w == "none-but":
			listing, r.others = true, effect
			if r.only == nil {
				r.only = []string{}
			}
		case w == "second":
			r.second = true
		case w == "targets":
			r.targets = true
		case w == "paths":
			r.paths = effect
		case w == ":":
			r.deletes = effect
		case w == "HELPER::":
			r.helpers = effect
		case w == "names-program":
			r.names = true
		case w == "local-program":
			r.code = true
		case strings.HasPrefix(w, "reads="):
			digits := w[len("reads="):]
			if len(digits) != 1 || digits[0] < '1' || digits[0] > '9' {
				return w
			}
			r.operands, r.beyond = int(digits[0]-'0'), effect
		case listing && w[0] != '-':
			r.only = append(r.only, w)
		default:
			r.addWord(effect, w)
		}
	}
	if (r.names || r.code) && r.under == "" {
		return "names-program"
	}
	return ""
}

func (r *rule) addWord(effect Effect, w string) {
	name, values, guarded := strings.Cut(w, "?")
	name, attached := strings.CutSuffix(name, "*")
	opt := option{name: name, effect: effect, attached: attached}
	if guarded {
		opt.harmless = harmlessValues(values)
	}
	switch {
	case w == "--*?":
		r.anyLong = effect
	case strings.HasPrefix(w, "--") && !r.oneDash:
		r.long = append(r.long, opt)
	case strings.HasSuffix(w, "="):
		opt.name = strings.TrimSuffix(w, "=")
		r.assigned = append(r.assigned, opt)
	case len(name) == 2 && w[0] == '-' && !r.oneDash:
		opt.name = name[1:]
		r.short = append(r.short, opt)
	case w[0] == '-' || w[0] == '+' || w[0] == '@':
		if strings.HasPrefix(name, "--") {
			opt.name = name[1:]
		}
		r.exact = append(r.exact, opt)
	default:
		r.first = append(r.first, opt)
	}
}

// harmlessValues reads what stands behind the "?" of an option.
func harmlessValues(values string) func(string) bool {
	if values == "" {
		return func(v string) bool { return v == "/dev/null" || local(v) }
	}
	if begins, ok := strings.CutPrefix(values, "!"); ok {
		list := strings.Split(begins, ",")
		return func(v string) bool {
			return !slices.ContainsFunc(list, func(b string) bool { return strings.HasPrefix(v, b) })
		}
	}
	list := strings.Split(values, ",")
	return func(v string) bool { return slices.Contains(list, v) }
}

// hit walks the words once and returns the first one behind the first n that
// asks. Where it cannot tell an option's value from an operand it takes the
// word for both.
func (v vetting) hit(r *rule, words []string, n int) (Finding, bool) {
	if r.under != "" {
		if found, hit := v.hitUnder(r, words, n); hit {
			return found, true
		}
		if !slices.Contains(words[1:], r.under) {
			return Finding{}, false
		}
	}
	operands, ended, perhapsFirst := 0, false, true
	for i := 1; i < len(words); i++ {
		w, beyond := words[i], i >= n
		if ended == r.behind && isOption(w) || !ended && w == "--" {
			ended = ended || w == "--"
			if beyond {
				if effect := r.option(words, i); effect != None {
					return Finding{effect, i}, true
				}
			}
			if r.takesValue(words, i) {
				i++
			}
			continue
		}
		if r.behind && !ended {
			continue
		}
		operands++
		if beyond {
			effect := r.subcommand(words, i, operands, perhapsFirst)
			if effect == None {
				effect = r.operand(w, operands, n)
			}
			if effect == None && (ended || onlyPath(w)) {
				effect = r.paths
			}
			if effect != None {
				return Finding{effect, i}, true
			}
		}
		perhapsFirst = perhapsFirst && mayTakeValue(words[i-1])
		if r.global && !perhapsFirst {
			return Finding{}, false
		}
	}
	return Finding{}, false
}

// takesValue reports whether the next word is the value of a harmless option.
func (r *rule) takesValue(words []string, i int) bool {
	if i+1 < len(words) && slices.Contains(r.numbered, words[i]) {
		return words[i+1] != "" && strings.Trim(words[i+1], "0123456789.") == ""
	}
	return slices.Contains(r.valued, words[i])
}

// onlyPath reports whether a word that might name a branch, too, cannot.
func onlyPath(w string) bool {
	return w == "" || w[0] == '.' || w[0] == '/' || w[0] == ':' || w[len(w)-1] == '/' || strings.ContainsAny(w, "*?[")
}

func isOption(w string) bool {
	return len(w) > 1 && (w[0] == '-' || w[0] == '+' || w[0] == '@')
}

func mayTakeValue(option string) bool {
	return isOption(option) && !strings.HasPrefix(option, "--no-") && !strings.Contains(option, "=")
}

// hitUnder judges the operand behind the sub-command as a program or as code.
func (v vetting) hitUnder(r *rule, words []string, n int) (Finding, bool) {
	at := slices.Index(words[1:], r.under) + 1
	if at == 0 || !r.names && !r.code {
		return Finding{}, false
	}
	for at++; at < len(words) && isOption(words[at]); at++ {
	}
	switch {
	case at >= len(words):
		return Finding{}, false
	case r.code:
		return Finding{Runs, at}, at >= n && (!local(words[at]) || strings.Contains(words[at], "@"))
	case at >= n:
		return Finding{Runs, at}, true
	default:
		found, ok := v.vouch(words[at:], n-at)
		return found.behind(at), !ok
	}
}

func (f Finding) behind(words int) Finding { return Finding{f.Effect, f.Index + words} }

// subcommand judges an operand that may be the sub-command. Under a
// sub-command the next two operands count.
func (r *rule) subcommand(words []string, i, operands int, perhapsFirst bool) Effect {
	w, before := words[i], words[i-1]
	effect := None
	for j := range r.first {
		if r.first[j].name == w {
			effect = r.first[j].effect
		}
	}
	switch {
	case r.under != "" && operands > 3, r.deep && operands > maxGroups:
		return None
	case r.under != "", r.deep:
		return effect
	}
	if r.only != nil {
		judged := operands == 1 && !r.second || operands == 2 && r.second
		// An option in front might take the word as its value.
		if !judged || r.allows(w) && (i == 1 || !mayTakeValue(before)) {
			return None
		}
		return max(effect, r.others)
	}
	if perhapsFirst {
		return effect
	}
	return None
}

// maxGroups bounds the groups of sub-commands around one: gcloud compute
// instance-groups managed delete.
const maxGroups = 6

func (r *rule) allows(w string) bool {
	return slices.ContainsFunc(r.only, func(o string) bool {
		begins, any := strings.CutSuffix(o, "*")
		return w == o || any && strings.HasPrefix(w, begins)
	})
}

func (r *rule) operand(w string, operands, n int) Effect {
	if name, _, ok := strings.Cut(w, "="); ok {
		for i := range r.assigned {
			if a := &r.assigned[i]; a.name == "" || a.name == name {
				return a.effect
			}
		}
	}
	if w != "" && (w[0] == '+' || w[0] == '@') { // behind --
		for i := range r.exact {
			if o := &r.exact[i]; o.name[0] == w[0] && strings.HasPrefix(w, o.name) {
				return o.effect
			}
		}
	}
	switch {
	case r.deletes != None && strings.HasPrefix(w, ":"):
		return r.deletes
	case r.helpers != None && namesHelper(w):
		return r.helpers
	case r.operands > 0 && operands > r.operands:
		return r.beyond
	case r.targets && n > 1:
		return Runs
	}
	return None
}

// namesHelper reports whether an address begins with the name of the program
// that reaches it, as git's ext::COMMAND does.
func namesHelper(w string) bool {
	helper, _, ok := strings.Cut(w, "::")
	return ok && helper != "" && strings.Trim(helper, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._") == ""
}

// option returns what the option words[i] does.
func (r *rule) option(words []string, i int) Effect {
	w := words[i]
	if r.oneDash && strings.HasPrefix(w, "--") {
		w = "-" + strings.TrimLeft(w, "-") // such programs take -name and --name alike
	}
	name, value, attached := strings.Cut(w, "=")
	if at := strings.IndexByte(w, ':'); r.colons && at > 0 && at < len(name) {
		name, value, attached = w[:at], w[at+1:], true
	}
	if !attached && i+1 < len(words) {
		value = words[i+1]
	}
	if slices.Contains(r.valued, name) || slices.Contains(r.numbered, name) || slices.Contains(r.flags, w) {
		return None
	}
	if effect := r.exactly(w, name, value); effect != None {
		return effect
	}
	switch {
	case strings.HasPrefix(w, "--"):
		if len(name) > 2 {
			if effect := r.abbreviated(name, value); effect != None || !attached || !leadsOut(value) {
				return effect
			}
			return r.anyLong
		}
	case !r.oneDash && w[0] == '-':
		return r.clustered(words, i)
	}
	return None
}

func (r *rule) abbreviated(name, value string) Effect {
	for i := range r.long {
		o := &r.long[i]
		full := strings.HasPrefix(o.name, name) || r.anyCase && strings.HasPrefix(strings.ToLower(o.name), strings.ToLower(name))
		if full && o.asks(value) {
			return o.effect
		}
	}
	return None
}

// exactly compares with options that have no abbreviations; some programs take
// their value attached without a sign between.
func (r *rule) exactly(w, name, value string) Effect {
	for i := range r.exact {
		o := &r.exact[i]
		asks := false
		switch {
		case name == o.name || r.anyCase && strings.EqualFold(name, o.name):
			asks = o.asks(value)
		case strings.HasPrefix(w, o.name) && (o.attached || len(o.name) > 2 || o.name[0] != '-'):
			asks = o.asks(strings.TrimPrefix(w[len(o.name):], "="))
		}
		if asks {
			return o.effect
		}
	}
	return None
}

func (r *rule) clustered(words []string, i int) Effect {
	w := words[i]
	for at := 1; at < len(w) && w[at] != '='; at++ { // no option is called "="; a value begins there
		for j := range r.short {
			o := &r.short[j]
			if o.name[0] != w[at] {
				continue
			}
			value := strings.TrimPrefix(w[at+1:], "=")
			if value == "" && i+1 < len(words) {
				value = words[i+1]
			}
			if o.asks(value) {
				return o.effect
			}
		}
	}
	return None
}

func (o *option) asks(value string) bool { return o.harmless == nil || !o.harmless(value) }

// leadsOut reports whether a value may name a place outside the working
// directory: by itself, or behind a label as in html:DIR. Addresses of the
// network do not.
func leadsOut(value string) bool {
	if value == "/dev/null" {
		return false
	}
	if scheme, _, ok := strings.Cut(value, "://"); ok && scheme != "" && !strings.EqualFold(scheme, "file") {
		return false
	}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ':' || r == '=' || r == ',' || r == ';' }) {
		if strings.HasPrefix(part, "/") || strings.HasPrefix(part, "~") || slices.Contains(strings.FieldsFunc(part, func(r rune) bool { return r == '/' || r == '\\' }), "..") {
			return true
		}
	}
	return false
}

// local reports whether a path stays below the directory that the program
// works in and names no hidden file: those configure other programs.
func local(path string) bool {
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") || strings.ContainsAny(path, `\:`) {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if len(part) > 1 && part[0] == '.' && part != "..." { // go's ./... is no name
			return false
		}
	}
	return true
}
