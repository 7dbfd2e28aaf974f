package programs

import (
	"iter"
	"slices"
	"strings"
)

// Role is what a command does with a word that may be a path.
type Role uint8

// The roles.
const (
	Named   Role = iota // it is there; nothing says what for
	Filled              // written, or a directory that something is written into
	Deleted             // removed or changed with everything below it
	Landed              // no word of the command: a path that it writes all the same, put together from its words
)

// Writes reports whether the command writes to the word.
func (r Role) Writes() bool { return r != Named }

// operandRule says which operands of a program are written.
type operandRule struct {
	role  Role
	last  bool // only the last operand; the ones before it are sources
	into  bool // if the last one is a directory, the sources keep their names below it
	skip  int  // operands that are no path, such as a mode
	after int  // operands before these are read
	most  int  // only so many are written; 0: all
	from  Role // what happens to the sources
	given []string
}

// newOperandRule reads the words of an "operands" line. It returns the word
// that it cannot read, or "".
func newOperandRule(words []string) (*operandRule, string) {
	o := &operandRule{role: Filled}
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		number := -1
		if len(value) == 1 && value[0] >= '0' && value[0] <= '9' {
			number = int(value[0] - '0')
		}
		switch {
		case w == "write":
		case w == "write-last":
			o.last = true
		case w == "delete", w == "change":
			o.role = Deleted
		case w == "moved":
			o.from = Deleted
		case w == "into":
			o.into = true
		case name == "if" && len(value) > 1 && value[0] == '-':
			o.given = append(o.given, value)
		case name == "skip" && number >= 0:
			o.skip = number
		case name == "after" && number >= 0:
			o.after = number
		case name == "most" && number > 0:
			o.most = number
		default:
			return nil, w
		}
	}
	return o, ""
}

// applies reports whether the option that makes the program a writer is there.
func (o *operandRule) applies(words []string) bool {
	return len(o.given) == 0 || slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc(o.given, func(option string) bool {
			switch {
			case strings.HasPrefix(option, "--"):
				name, _, _ := strings.Cut(w, "=")
				return len(name) > 3 && strings.HasPrefix(option, name)
			case len(option) == 2:
				return strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.IndexByte(w, option[1]) > 0
			default:
				return w == option
			}
		})
	})
}

// apply gives each operand its role. valued says which options are followed by
// a value; where the number of operands matters that is none.
func (o *operandRule) apply(words []string, roles []Role, valued func(option string) bool) {
	last, operands := 0, 0
	for i, w := range words {
		if i == 0 || strings.HasPrefix(w, "-") && len(w) > 1 {
			continue
		}
		if (o.after > 0 || o.most > 0) && valued(words[i-1]) {
			continue
		}
		if operands++; operands <= o.skip+o.after || o.most > 0 && operands > o.skip+o.after+o.most {
			continue
		}
		last = i
		if o.last {
			roles[i] = max(roles[i], o.from)
		} else {
			roles[i] = max(roles[i], o.role)
		}
	}
	if o.last && last > 0 && operands > 1 {
		roles[last] = o.role
	}
}

// usualOutputs are options that are followed by a file, or a directory, that
// is written, unless the table says otherwise.
var usualOutputs = wordSet("-o --output --output-file --output-dir")

// outputSet are such options of all programs of a command.
type outputSet []*program

func (p *program) outputOptions() map[string]bool {
	if p == nil || p.outputs == nil {
		return usualOutputs
	}
	return p.outputs
}

func (set outputSet) has(option string) bool {
	return slices.ContainsFunc(set, func(p *program) bool { return p.outputOptions()[option] })
}

func (set outputSet) abbreviated(name string) bool {
	for _, p := range set {
		for o := range p.outputOptions() {
			if strings.HasPrefix(o, name) {
				return true
			}
		}
	}
	return false
}

// maxCluster bounds the letters that are searched for an output option inside a
// cluster such as -sSLo; a longer word is a one-dash name, unless a path is in it.
const maxCluster = 6

// output splits an option word into the output option and its attached value.
func (set outputSet) output(w string) (value string, ok bool) {
	if w == "" || w[0] != '-' && w[0] != '+' {
		return "", set.has(w)
	}
	name, value, attached := strings.Cut(w, "=")
	switch {
	case set.has(w):
		return "", true
	case strings.HasPrefix(w, "--"):
		return value, len(name) > 4 && set.abbreviated(name) || len(name) > 3 && set.has(name[1:]) // --out is -out
	case attached:
		return value, set.has(name)
	case len(w) > 2 && set.has(w[:2]):
		return w[2:], true
	}
	for i := 2; i < min(len(w), maxCluster); i++ {
		// In a longer word the value shows itself.
		if value := w[i+1:]; len(w) > maxCluster && !strings.ContainsAny(value, "./~$") {
			continue
		}
		if slices.ContainsFunc(set, func(p *program) bool { return p != nil && p.outputs["-"+w[i:i+1]] }) {
			return w[i+1:], true
		}
	}
	return w[min(2, len(w)):], false // the value of some other option, if it has one
}

// doer is a program in a command, and what its words are.
type doer struct {
	name     string
	at       int // its sub-command's word, or its own
	operands *operandRule
	program  *program
}

// valued reports whether an option is known to be followed by a value.
func (p *program) valued(option string) bool {
	return p.outputs[option] || slices.ContainsFunc(p.rules, func(r rule) bool { return slices.Contains(r.valued, option) })
}

// doers appends the programs of the command that the table knows, and the
// programs and sub-commands whose output options count.
func (t *Table) doers(words []string, list []doer, outputs outputSet) ([]doer, outputSet) {
	for i := range t.HandedOver(words) {
		d, p, sub := t.doer(words, i)
		if !slices.Contains(outputs, p) {
			outputs = append(outputs, p)
		}
		if p == nil {
			continue
		}
		if sub != nil && sub.outputs != nil && !slices.Contains(outputs, sub) {
			outputs = append(outputs, sub)
		}
		if list = append(list, d); len(list) > maxRules {
			break // what is behind them counts as written
		}
	}
	return list, outputs
}

// few is the number of programs that most commands do not exceed.
const few = 4

// doer looks up the program at words[i] and its sub-command.
func (t *Table) doer(words []string, i int) (d doer, p, sub *program) {
	name, p := t.lookup(words[i])
	if p == nil {
		return doer{}, nil, nil
	}
	d = doer{name, i, p.operands, p}
	sub, at := p.subcommand(words, i)
	if sub != nil {
		d.at = at
		if sub.operands != nil {
			d.operands = sub.operands
		}
	}
	if d.operands != nil && !d.operands.applies(words) {
		d.operands = nil
	}
	return d, p, sub
}

// own returns the words of the program at words[at]: behind find's -exec they
// end at ; or +.
func own(words []string, at int) []string {
	for i := at + 1; i < len(words); i++ {
		if words[i] == ";" || words[i] == "+" {
			return words[at:i]
		}
	}
	return words[at:]
}

// maxGlobal bounds the words in which a sub-command is looked for.
const maxGlobal = 8

func (p *program) subcommand(words []string, i int) (sub *program, at int) {
	if len(p.subs) == 0 {
		return nil, i
	}
	for at = i + 1; at < len(words) && at <= i+maxGlobal; at++ {
		if sub = p.subs[words[at]]; sub != nil {
			return sub, at
		}
	}
	return nil, i
}

// Writer reports whether the command plainly writes somewhere.
func (t *Table) Writer(words []string) bool {
	if t.alone(words) { // most commands are, and need no lists
		d, p, sub := t.doer(words, 0)
		pair := [2]*program{p, sub}
		outputs := outputSet(pair[:1])
		if sub != nil && sub.outputs != nil {
			outputs = pair[:]
		}
		return p != nil && (d.writes(words) || len(t.comesAcross(d, words)) > 0) || outputs.in(words)
	}
	var doers [few]doer
	var programs [few]*program
	list, outputs := t.doers(words, doers[:0], programs[:0])
	if len(list) > maxRules {
		return true
	}
	for _, d := range list {
		if d.writes(words) || len(t.comesAcross(d, words)) > 0 {
			return true
		}
	}
	return outputs.in(words)
}

func (d doer) writes(words []string) bool {
	return d.name == "dd" || d.operands != nil && d.marks(own(words, d.at)) || composes(d.name) && len(d.lands(words, new(landed))) > 0
}

// marks reports whether the program writes to an operand; where any number of
// operands is written, without one as well: they may come from elsewhere.
func (d doer) marks(words []string) bool {
	if d.operands.after == 0 {
		return true
	}
	roles := make([]Role, len(words))
	d.operands.apply(words, roles, d.program.valued)
	return slices.ContainsFunc(roles, Role.Writes)
}

func (set outputSet) in(words []string) bool {
	for _, w := range words {
		if _, ok := set.output(w); ok {
			return true
		}
	}
	return false
}

// maxRules bounds the programs of one command that are looked at closely;
// behind more of them every word counts as written.
const maxRules = 16

// Roles yields every word of the command that may be a path, with what the
// command does to it; behind a wrapper the inner program counts as well. A
// word may come more than once. Values of options and of NAME=value come
// without their names. The paths that a command puts together come last.
func (t *Table) Roles(words []string) iter.Seq2[string, Role] {
	return func(yield func(string, Role) bool) {
		var doers [few]doer
		var programs [few]*program
		list, outputs := t.doers(words, doers[:0], programs[:0])
		roles := make([]Role, len(words))
		rules := 0
		for _, d := range list {
			if d.operands == nil {
				continue
			}
			if rules++; rules > maxRules {
				for j := d.at; j < len(roles); j++ {
					roles[j] = Deleted
				}
				break
			}
			d.operands.apply(own(words, d.at), roles[d.at:], d.program.valued)
		}
		if len(list) > maxRules {
			for j := list[maxRules].at; j < len(roles); j++ {
				roles[j] = Deleted
			}
		}
		if !yieldWords(words, roles, outputs, yield) {
			return
		}
		var before landed
		for i, d := range list {
			if i == maxRules {
				return
			}
			for _, w := range d.lands(words, &before) {
				if !yield(w, Landed) {
					return
				}
			}
			for _, w := range t.comesAcross(d, words) {
				role := Landed
				if dir, name, _ := CutBelow(w); name == "*" {
					w, role = dir, Deleted
				}
				if !yield(w, role) {
					return
				}
			}
			for _, w := range d.opens(own(words, d.at)[1:]) {
				if !yield(w, Named) {
					return
				}
			}
		}
	}
}

// opens lists the paths that a script among the program's words reads.
func (d doer) opens(words []string) (read []string) {
	switch {
	case d.name == "sed" || d.name == "gsed":
		_, read = sedFiles(words)
	case sqlShells[d.name]:
		_, read = sqlFilesOf(words)
	}
	return read
}

// bareValue takes off what says that a file of the name is read: @NAME,
// <NAME;type=…, file://NAME.
func bareValue(w string) string {
	bare := strings.TrimPrefix(strings.TrimPrefix(w, "@"), "<")
	if bare != w {
		bare, _, _ = strings.Cut(bare, ";")
	}
	return strings.TrimPrefix(bare, "file://")
}

// isLabel reports whether the text in front of an equals sign is a plain word.
func isLabel(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == ""
}

func yieldWords(words []string, roles []Role, outputs outputSet, yield func(string, Role) bool) bool {
	due := false // the word before is an output option without its value
	for i, w := range words {
		role := roles[i]
		if due {
			role, due = max(role, Filled), false
		}
		switch name, value, assigned := strings.Cut(w, "="); {
		case strings.HasPrefix(w, "-") && len(w) > 1:
			attached, out := outputs.output(w)
			due = out && attached == ""
			if out {
				role = max(role, Filled)
			}
			for at := 2; at < min(len(w), maxCluster); at++ { // the value of some letter
				tail := bareValue(w[at:])
				if tail != attached && tail != "" && strings.ContainsAny(tail, "./~$") && w[1] != '-' && !yield(tail, Named) {
					return false
				}
			}
			w = attached
		case assigned && isName(name):
			if name == "of" {
				role = Filled
			}
			if !yield(value, role) {
				return false
			}
			if bare := bareValue(value); bare != value && !yield(bare, role) {
				return false
			}
		}
		// A file behind a word: go-template-file=PATH, also as an option's value.
		if label, value, ok := strings.Cut(w, "="); ok && value != "" && isLabel(label) && !yield(bareValue(value), Named) {
			return false
		}
		w = bareValue(w)
		if w != "" && !yield(w, role) {
			return false
		}
	}
	return true
}
