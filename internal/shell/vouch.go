package shell

import (
	_ "embed"
	"slices"
	"strings"
)

// vouches reports whether an entry that named the first n words may stand for
// the whole command: the words behind it must be plain arguments, not another
// program, code, or an option that writes or runs something.
func vouches(words []string, n int) bool {
	program := programName(words[0])
	if originalRefuses(program, words) {
		return false
	}
	rest := words[n:]
	switch classes[program] {
	case barred:
		return false
	case runner:
		return len(rest) == 0
	case interpreter:
		return vouchesInterpreter(words, n)
	}
	return !harmful(program, words, n)
}

// originalRefuses is the original engine's whole test: what it refuses is
// refused whatever the entry names.
func originalRefuses(program string, words []string) bool {
	for _, w := range words[1:] {
		if dangerous[strings.ToLower(w)] || inlineCode[w] && originalInterpreters[program] {
			return true
		}
	}
	return false
}

// vouchesInterpreter accepts an entry that names the script or module itself;
// a shorter one would vouch for code that it never saw.
func vouchesInterpreter(words []string, n int) bool {
	rest := words[n:]
	if len(rest) == 0 {
		return n > 1
	}
	for i := 1; i < n; i++ {
		switch w := words[i]; {
		case interpreterValue[w]:
			i++
		case !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "/"):
			return true
		case strings.HasPrefix(w, "/") && len(w) > 2:
			return true
		}
	}
	return len(rest) == 1 && versionOnly[rest[0]]
}

// interpreterValue are options whose next word is a value, not the script.
var interpreterValue = wordSet("-W -X -r -I -L -M -l --require --import --loader -o -O --rcfile --init-file -S")

//go:embed options.txt
var optionsText string

// harm lists what turns a program into something that its name does not say.
type harm struct {
	short    string   // letters, found anywhere in a cluster such as -uo
	long     []string // GNU long options, matched by any prefix of them
	exact    []string // options with one dash and a long name, as find has them
	first    []string // first operands (subcommands)
	operands int      // how many operands are read; a further one is written. 0: no limit
	assigned []string // beginnings of operands that set something
	global   bool     // options count only before the first operand
	oneDash  bool     // the program has no clusters of short options
}

var harms = parseHarms(optionsText)

func parseHarms(text string) map[string][]harm {
	table := map[string][]harm{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		names, words, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		h := harm{}
		for _, w := range strings.Fields(words) {
			h.add(w)
		}
		for _, name := range strings.Fields(names) {
			table[name] = append(table[name], h)
		}
	}
	return table
}

func (h *harm) add(w string) {
	switch {
	case w == "before-operands":
		h.global = true
	case w == "one-dash-words":
		h.oneDash = true
	case strings.HasPrefix(w, "reads="):
		h.operands = int(w[len("reads=")] - '0')
	case strings.HasPrefix(w, "--"):
		h.long = append(h.long, w)
	case strings.HasSuffix(w, "="):
		h.assigned = append(h.assigned, strings.TrimSuffix(w, "="))
	case len(w) == 2 && w[0] == '-' && !h.oneDash:
		h.short += w[1:]
	case w[0] == '-' || w[0] == '+' || w[0] == '@':
		h.exact = append(h.exact, w)
	default:
		h.first = append(h.first, w)
	}
}

// harmful reports whether a word behind the first n turns the program into a
// writer, an executor or a sender.
func harmful(program string, words []string, n int) bool {
	for _, h := range harms[program] {
		if h.hit(words, n) {
			return true
		}
	}
	if check := scripts[program]; check != nil {
		return !check(words[1:])
	}
	return false
}

func (h *harm) hit(words []string, n int) bool {
	operands := 0
	ended := false
	for i, w := range words[1:] {
		beyond := i+1 >= n
		if !ended && len(w) > 1 && (w[0] == '-' || w[0] == '+' || w[0] == '@') {
			ended = w == "--"
			if beyond && h.option(w) {
				return true
			}
			continue
		}
		operands++
		if operands == 1 && beyond && slices.Contains(h.first, w) {
			return true
		}
		if beyond && h.assigns(w) {
			return true
		}
		if h.operands > 0 && operands > h.operands {
			return true
		}
		if h.global {
			return false
		}
	}
	return false
}

func (h *harm) assigns(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && slices.ContainsFunc(h.assigned, func(a string) bool { return a == "" || a == name })
}

func (h *harm) option(w string) bool {
	name, _, _ := strings.Cut(w, "=")
	for _, e := range h.exact {
		// Programs with such options take no abbreviation, but some take the
		// value attached or the name in another case.
		if strings.EqualFold(name, e) || len(e) > 2 && strings.HasPrefix(w, e) {
			return true
		}
	}
	if strings.HasPrefix(w, "--") {
		return len(name) > 2 && slices.ContainsFunc(h.long, func(l string) bool { return strings.HasPrefix(l, name) })
	}
	return w[0] == '-' && strings.ContainsAny(w[1:], h.short) && h.short != ""
}
