package programs

import (
	"slices"
	"strings"
)

// harm is the words of one effect: what turns a program into something that its
// name does not say.
type harm struct {
	effect   Effect
	under    string   // the line counts only for this subcommand
	short    []option // letters, found anywhere in a cluster such as -uo
	long     []option // GNU long options, matched by any prefix of them
	exact    []option // options with one dash and a long name, as find has them
	valued   []string // harmless options that are followed by a value
	first    []string // first operands (subcommands) that ask
	only     []string // the only first operands that do not ask; a final * stands for any rest
	second   bool     // only judges the second operand
	operands int      // how many operands are read; a further one is written. 0: no limit
	targets  bool     // a further operand is another target
	names    bool     // the operand behind the subcommand is a program
	code     bool     // the operand behind the subcommand is code
	assigned []string // beginnings of operands that set something
	global   bool     // options count only before the first operand
	oneDash  bool     // the program has no clusters of short options
	anyCase  bool
	listing  bool // while parsing: bare words belong to only
}

// option is an option that asks, unless its value is harmless.
type option struct {
	name     string
	attached bool                    // also with the value right behind the name
	harmless func(value string) bool // nil: no value is
}

func (h *harm) add(w string) {
	name, values, guarded := strings.Cut(w, "?")
	name, attached := strings.CutSuffix(name, "*")
	opt := option{name: name, attached: attached}
	if guarded {
		opt.harmless = harmlessValues(values)
	}
	switch {
	case keywords[w] != nil:
		keywords[w](h)
	case strings.HasPrefix(w, "reads="):
		h.operands = int(w[len("reads=")] - '0')
	case w[0] == '-' && strings.HasSuffix(w, ":"):
		h.valued = append(h.valued, strings.TrimSuffix(w, ":"))
	case h.listing && w[0] != '-':
		h.only = append(h.only, w)
	case strings.HasPrefix(w, "--") && !h.oneDash:
		h.long = append(h.long, opt)
	case strings.HasSuffix(w, "="):
		h.assigned = append(h.assigned, strings.TrimSuffix(w, "="))
	case len(name) == 2 && w[0] == '-' && !h.oneDash:
		opt.name = name[1:]
		h.short = append(h.short, opt)
	case w[0] == '-' || w[0] == '+' || w[0] == '@':
		if strings.HasPrefix(name, "--") {
			opt.name = name[1:]
		}
		h.exact = append(h.exact, opt)
	default:
		h.first = append(h.first, w)
	}
}

var keywords = map[string]func(*harm){
	"before-operands": func(h *harm) { h.global = true },
	"one-dash-words":  func(h *harm) { h.oneDash = true },
	"any-case":        func(h *harm) { h.anyCase = true },
	"none-but":        func(h *harm) { h.listing = true },
	"second":          func(h *harm) { h.second = true },
	"targets":         func(h *harm) { h.targets = true },
	"names-program":   func(h *harm) { h.names = true },
	"local-program":   func(h *harm) { h.code = true },
}

// harmlessValues reads what stands behind the "?" of an option.
func harmlessValues(values string) func(string) bool {
	if values == "" {
		return local
	}
	if begins, ok := strings.CutPrefix(values, "!"); ok {
		return func(v string) bool {
			return !slices.ContainsFunc(strings.Split(begins, ","), func(b string) bool { return strings.HasPrefix(v, b) })
		}
	}
	return func(v string) bool { return slices.Contains(strings.Split(values, ","), v) }
}

// harmful returns a word behind the first n that turns the program into a
// writer, an executor or a sender.
func (t *Table) harmful(program string, words []string, n int) (Finding, bool) {
	harms := t.harms[program]
	for i := range harms {
		if at, hit := harms[i].hit(t, words, n); hit {
			return Finding{harms[i].effect, at}, true
		}
	}
	if check := scripts[program]; check != nil && !check(words[1:]) {
		return Finding{Runs, -1}, true
	}
	return Finding{}, false
}

// hit walks the words once. Where it cannot tell an option's value from an
// operand it takes the word for both.
func (h *harm) hit(t *Table, words []string, n int) (at int, hit bool) {
	if h.under != "" {
		if at, hit := h.hitUnder(t, words, n); hit {
			return at, true
		}
		if !slices.Contains(words[1:], h.under) {
			return 0, false
		}
	}
	operands, ended, perhapsFirst := 0, false, true
	for i := 1; i < len(words); i++ {
		w, beyond := words[i], i >= n
		if !ended && isOption(w) {
			ended = w == "--"
			if beyond && h.option(words, i) {
				return i, true
			}
			if slices.Contains(h.valued, w) {
				i++
			}
			continue
		}
		operands++
		if beyond && (h.subcommand(words, i, operands, perhapsFirst) || h.operand(w, operands, n)) {
			return i, true
		}
		perhapsFirst = perhapsFirst && mayTakeValue(words[i-1])
		if h.global && !perhapsFirst {
			break
		}
	}
	return 0, false
}

func isOption(w string) bool {
	return len(w) > 1 && (w[0] == '-' || w[0] == '+' || w[0] == '@')
}

func mayTakeValue(option string) bool {
	return isOption(option) && !strings.HasPrefix(option, "--no-") && !strings.Contains(option, "=")
}

// hitUnder judges the operand behind the subcommand as a program or as code.
func (h *harm) hitUnder(t *Table, words []string, n int) (at int, hit bool) {
	at = slices.Index(words[1:], h.under) + 1
	if at == 0 || !h.names && !h.code {
		return 0, false
	}
	for at++; at < len(words) && isOption(words[at]); at++ {
	}
	switch {
	case at >= len(words):
		return 0, false
	case h.code:
		return at, at >= n && (!local(words[at]) || strings.Contains(words[at], "@"))
	case at >= n:
		return at, true
	default:
		_, ok := t.Vouch(words[at:], n-at, Strict)
		return at, !ok
	}
}

// subcommand reports whether an operand that may be the subcommand is one that
// asks. Under a subcommand the next two operands count.
func (h *harm) subcommand(words []string, i, operands int, perhapsFirst bool) bool {
	w, before := words[i], words[i-1]
	if h.under != "" {
		return operands <= 3 && h.listsFirst(w)
	}
	if h.only != nil {
		judged := operands == 1 && !h.second || operands == 2 && h.second
		// An option in front might take the word as its value.
		return judged && (!h.allows(w) || i > 1 && mayTakeValue(before))
	}
	return perhapsFirst && h.listsFirst(w)
}

// listsFirst reports whether an operand, or one of those that commas join in
// it, is on the list.
func (h *harm) listsFirst(w string) bool {
	for part := range strings.SplitSeq(w, ",") {
		for _, f := range h.first {
			begins, any := strings.CutSuffix(f, "*")
			if part == f || any && strings.HasPrefix(part, begins) {
				return true
			}
		}
	}
	return false
}

func (h *harm) allows(w string) bool {
	return slices.ContainsFunc(h.only, func(o string) bool {
		begins, any := strings.CutSuffix(o, "*")
		return w == o || any && strings.HasPrefix(w, begins)
	})
}

func (h *harm) operand(w string, operands, n int) bool {
	return h.assigns(w) || h.operands > 0 && operands > h.operands || h.targets && n > 1
}

func (h *harm) assigns(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && slices.ContainsFunc(h.assigned, func(a string) bool { return a == "" || a == name })
}

// option reports whether the option words[i] asks.
func (h *harm) option(words []string, i int) bool {
	w := words[i]
	if h.oneDash && w[0] == '-' {
		w = "-" + strings.TrimLeft(w, "-") // such programs take -name and --name alike
	}
	name, value, attached := strings.Cut(w, "=")
	if !attached && i+1 < len(words) {
		value = words[i+1]
	}
	switch {
	case slices.Contains(h.valued, name):
		return false
	case h.exactly(w, name, value):
		return true
	case strings.HasPrefix(w, "--"):
		return len(name) > 2 && slices.ContainsFunc(h.long, func(o option) bool {
			return h.abbreviates(name, o.name) && o.asks(value)
		})
	case h.oneDash || w[0] != '-':
		return false
	}
	return h.clustered(words, i)
}

func (h *harm) abbreviates(name, long string) bool {
	if h.anyCase {
		name, long = strings.ToLower(name), strings.ToLower(long)
	}
	return strings.HasPrefix(long, name)
}

// exactly compares with options that have no abbreviations; some programs take
// their value attached without a sign between.
func (h *harm) exactly(w, name, value string) bool {
	return slices.ContainsFunc(h.exact, func(o option) bool {
		switch {
		case name == o.name || h.anyCase && strings.EqualFold(name, o.name):
			return o.asks(value)
		case strings.HasPrefix(w, o.name) && (o.attached || len(o.name) > 2 || o.name[0] != '-'):
			return o.asks(strings.TrimPrefix(w[len(o.name):], "="))
		default:
			return false
		}
	})
}

func (h *harm) clustered(words []string, i int) bool {
	w := words[i]
	for at := 1; at < len(w); at++ {
		for _, o := range h.short {
			if o.name[0] != w[at] {
				continue
			}
			value := strings.TrimPrefix(w[at+1:], "=")
			if value == "" && i+1 < len(words) {
				value = words[i+1]
			}
			if o.asks(value) {
				return true
			}
		}
	}
	return false
}

func (o option) asks(value string) bool { return o.harmless == nil || !o.harmless(value) }

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
