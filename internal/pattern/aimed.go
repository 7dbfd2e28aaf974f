package pattern

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
)

// Aimed returns a rule that a search's pattern of file names is aimed at: some
// path of the form of glob hits it, and the pattern says so itself. What a
// search for many files meets by the way, as *.txt meets secret.txt and config*
// meets *.pem, does not count. Patterns that take back are ignored.
func (p Paths) Aimed(glob string) (Rule, bool) {
	var buf [maxComponents]string
	parts := split(paths.Fold(paths.Loosen(plainSets(glob))), buf[:0])
	for i := range p.rules {
		c := &p.rules[i]
		if c.negated {
			continue
		}
		for at := range parts {
			if (at == 0 || !c.anchored) && aimed(c.parts, parts[at:]) {
				return c.Rule, true
			}
		}
	}
	return Rule{}, false
}

func aimed(pattern, parts []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			if len(pattern) == 1 {
				return len(parts) > 0
			}
			for i := range parts {
				if aimed(pattern[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if parts[0] == "**" { // what it can be besides nothing, it does not say
			parts = parts[1:]
			continue
		}
		if !aimedAt(pattern[0], parts[0]) {
			return false
		}
		pattern, parts = pattern[1:], parts[1:]
	}
	return true
}

func aimedAt(rule, part string) bool {
	const wild = "*?["
	switch {
	case component(rule, part):
		return true
	case strings.IndexByte(part, '*') < 0:
		return strings.Trim(part, "?") != "" && overlap(rule, part, false)
	case strings.ContainsAny(rule, wild):
		return false
	}
	stem := part
	if dot := strings.LastIndexByte(part, '.'); dot > 0 {
		stem = part[:dot]
	}
	literal := false
	for i := 0; i < len(stem); i += element(stem, i) {
		literal = literal || !strings.ContainsRune(wild, rune(stem[i]))
	}
	return literal && overlap(rule, part, false)
}

// plainSets writes sets of one character as that character: secre[t].txt.
func plainSets(glob string) string {
	if strings.IndexByte(glob, '[') < 0 {
		return glob
	}
	var b strings.Builder
	for i := 0; i < len(glob); {
		n := element(glob, i)
		set := glob[i : i+n]
		if inner := strings.TrimSuffix(strings.TrimPrefix(set, "["), "]"); n > 2 && set[0] == '[' && set[n-1] == ']' &&
			len([]rune(inner)) == 1 && !strings.ContainsAny(inner, `/*?[\^!`) {
			set = inner
		}
		b.WriteString(set)
		i += n
	}
	return b.String()
}
