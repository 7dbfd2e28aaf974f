package programs

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// Filter is what a grep that passes lines on asks of each of them. The zero
// value passes everything.
type Filter struct {
	pattern *regexp.Regexp
	inverts bool
}

// Passes reports whether a line is passed on.
func (f Filter) Passes(line string) bool {
	return f.pattern == nil || f.pattern.MatchString(line) != f.inverts
}

// NameFilter returns what a command of grep asks of the lines that it reads,
// where [Table.PassesNames] says that it passes them on. known is false if the
// pattern is not understood.
func (t *Table) NameFilter(words []string) (filter Filter, known bool) {
	basic, fixed, whole := true, false, false
	switch t.Name(words[0]) {
	case "grep":
	case "egrep":
		basic = false
	case "fgrep":
		fixed = true
	default:
		return Filter{}, true
	}
	pattern, fold := "", ""
	for _, w := range words[1:] {
		if !isOption(w) || w[0] != '-' {
			pattern = w
			continue
		}
		if w == "--" {
			continue
		}
		for _, letter := range w[1:] {
			switch letter {
			case 'v':
				filter.inverts = true
			case 'E', 'P':
				basic, fixed = false, false
			case 'F':
				fixed = true
			case 'i':
				fold = "(?i)"
			case 'x':
				whole = true
			}
		}
	}
	switch {
	case fixed:
		pattern = regexp.QuoteMeta(pattern)
	case len(pattern) > maxFilter || strings.Count(pattern, "{") > maxRepeats:
		return Filter{}, false
	default:
		pattern = goPattern(pattern, basic)
	}
	if whole {
		pattern = "^(?:" + pattern + ")$"
	}
	parsed, err := syntax.Parse(fold+pattern, syntax.Perl)
	if err != nil {
		return Filter{}, false
	}
	if prog, err := syntax.Compile(parsed.Simplify()); err != nil || len(prog.Inst) > maxSteps {
		return Filter{}, false
	}
	if filter.pattern, err = regexp.Compile(fold + pattern); err != nil {
		return Filter{}, false
	}
	return filter, true
}

// Bounds on the patterns that are read, so that none takes long.
const (
	maxFilter  = 128
	maxRepeats = 1
	maxSteps   = 500
)

// goPattern writes an expression of grep as Go reads it. In a basic one, the
// backslash gives signs their meaning that it takes from them elsewhere. Ends of
// words are left out, so that more lines match.
func goPattern(pattern string, basic bool) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			i++
			switch c := pattern[i]; {
			case strings.IndexByte("<>bB`'", c) >= 0:
			case basic && strings.IndexByte("(){}|+?", c) >= 0:
				b.WriteByte(c)
			default:
				b.WriteByte('\\')
				b.WriteByte(c)
			}
		case c == '[':
			end := setEnd(pattern, i)
			b.WriteString(strings.ReplaceAll(pattern[i:end], `\`, `\\`))
			i = end - 1
		case basic && strings.IndexByte("(){}|+?", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// setEnd returns where the set that begins at i ends: a bracket that comes
// first, or in a class, is one of its members.
func setEnd(pattern string, i int) int {
	i++
	if i < len(pattern) && pattern[i] == '^' {
		i++
	}
	for first := true; i < len(pattern); first = false {
		switch {
		case pattern[i] == ']' && !first:
			return i + 1
		case strings.HasPrefix(pattern[i:], "[:") && strings.Contains(pattern[i:], ":]"):
			i += strings.Index(pattern[i:], ":]") + 2
		default:
			i++
		}
	}
	return len(pattern)
}

// ChosenNames returns the pattern for the names of files that the ith word gives
// a program which looks for them: what is left out counts as none.
func (t *Table) ChosenNames(words []string, i int) (pattern string, ok bool) {
	if i < 1 || i >= len(words) {
		return "", false
	}
	w, before := words[i], words[i-1]
	switch name := t.Name(words[0]); {
	case name == "find":
		pattern, ok = w, i > 1 && (before == "-name" || before == "-iname")
	case name == "rg":
		if pattern, ok = longValue(w, before, "--glob", "--iglob", "--type-add"); !ok {
			pattern, ok = globValue(w, before)
		}
		if before == "--type-add" || strings.HasPrefix(w, "--type-add=") {
			pattern = pattern[strings.LastIndexByte(pattern, ':')+1:]
		}
	case strings.HasSuffix(name, "grep"):
		pattern, ok = longValue(w, before, "--include")
	}
	return pattern, ok && !strings.HasPrefix(pattern, "!")
}

// longValue returns the value of one of the long options, which may be
// abbreviated: the word itself, or what is attached to it.
func longValue(w, before string, names ...string) (value string, ok bool) {
	option, value, attached := strings.Cut(w, "=")
	if !attached {
		option, value = before, w
	}
	for _, name := range names {
		if len(option) > len("--i") && strings.HasPrefix(name, option) {
			return value, true
		}
	}
	return "", false
}

// globValue returns the value of rg's -g, also in a cluster.
func globValue(w, before string) (value string, ok bool) {
	for _, option := range [...]string{w, before} {
		if len(option) < 2 || option[0] != '-' || option[1] == '-' {
			continue
		}
		at := strings.IndexAny(option[1:], "gABCEMTdefjmrt") + 1 // options with a value
		switch {
		case at == 0 || option[at] != 'g':
		case option == w && at+1 < len(w):
			return strings.TrimPrefix(w[at+1:], "="), true
		case option == before && at+1 == len(before):
			return w, true
		}
	}
	return "", false
}
