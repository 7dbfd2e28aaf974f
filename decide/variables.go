package decide

import (
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
	"github.com/agent-pdp/pdp/internal/shell"
)

// variables are the values that the text itself shows: a loop gives its
// variable several.
type variables struct {
	values map[string][]string
	left   int  // bytes that may still be put together
	over   bool // a bound was met, so that values are missing
}

const (
	maxVariable = 64      // values of one variable
	maxExpanded = 4096    // bytes of one word
	maxFilled   = 1 << 17 // bytes of all words
	wordCost    = 32      // what a word costs besides its bytes
)

func newVariables(place paths.Place) *variables {
	return &variables{values: map[string][]string{"HOME": {place.Home}, "PWD": {place.Cwd}}, left: maxFilled}
}

func (v *variables) set(name string, values []string) {
	for _, value := range values {
		switch {
		case slices.Contains(v.values[name], value):
		case len(v.values[name]) == maxVariable:
			v.over = true
			return
		default:
			v.values[name] = append(v.values[name], value)
		}
	}
}

// assign sets a variable to what a text sets it to. What it was before itself, the
// text does not show where it did not set it; such a value is filled in no further.
func (v *variables) assign(name, value string) {
	values := v.expand(value)
	for i := range values {
		v.left -= len(values[i])
		values[i] = v.hide(name, strings.ReplaceAll(values[i], "${"+name+"}", unshown))
	}
	v.set(name, values)
}

// hide puts what the text does not show in the place of each $name.
func (v *variables) hide(name, value string) string {
	var b strings.Builder
	for {
		found := strings.Index(value, "$"+name)
		if found < 0 {
			break
		}
		got, rest := variable(value[found+1:])
		if b.WriteString(value[:found]); got == name {
			b.WriteString(unshown)
		} else {
			rest = value[found+1:]
			b.WriteByte('$')
		}
		value = rest
	}
	if b.Len() == 0 {
		return value
	}
	return b.String() + value
}

// unshown stands for a value that the text does not show; no text can set it.
const unshown = "${-before-}"

// expand fills in variables whose value the text shows, and the home
// directory's; others stay as they are.
func (v *variables) expand(word string) []string {
	if strings.IndexByte(word, '$') < 0 {
		return []string{word}
	}
	words := []string{word}
	for range 8 {
		var next []string
		changed := false
		for _, w := range words {
			filled := v.once(w)
			changed = changed || len(filled) != 1 || filled[0] != w
			if next = append(next, filled...); len(next) > maxVariable {
				v.over = true
				return next[:maxVariable]
			}
		}
		if words = next; !changed {
			break
		}
	}
	return words
}

// once fills in the first variable that is known.
func (v *variables) once(word string) []string {
	for at := 0; ; at++ {
		found := strings.IndexByte(word[at:], '$')
		if found < 0 {
			return []string{word}
		}
		at += found
		name, rest := variable(word[at+1:])
		values := v.valuesOf(name)
		if len(values) == 0 {
			continue
		}
		words := make([]string, 0, len(values))
		for _, value := range values {
			size := at + len(value) + len(rest) + wordCost
			if size > maxExpanded+wordCost || size > v.left {
				v.over = true
				return []string{word}
			}
			v.left -= size
			words = append(words, word[:at]+value+rest)
		}
		return words
	}
}

// valuesOf returns what an expansion of the text between the braces may become.
func (v *variables) valuesOf(inner string) (values []string) {
	if values = v.values[inner]; len(values) > 0 && !strings.HasSuffix(inner, "*") && !strings.HasSuffix(inner, "[*]") {
		return values
	}
	if pointer, ok := strings.CutPrefix(inner, "!"); ok { // the variable that it names
		name, _ := shell.Operation(pointer)
		if v.left -= wordCost * len(v.values[name]); v.left <= 0 {
			v.over = true
			return nil
		}
		for _, other := range v.values[name] {
			if values = append(values, v.values[other]...); len(values) > maxVariable {
				v.over = true
				return values[:maxVariable]
			}
		}
		return values
	}
	name, operation := shell.Operation(inner)
	text, sign := shell.Otherwise(operation)
	set := v.values[name]
	switch {
	case sign == '+' && len(set) == 0:
		return []string{text, ""}
	case sign == '+', sign != 0 && len(set) == 0 && text != "":
		return []string{text}
	case sign != 0:
		return set
	}
	separators := ""
	if list := v.values["IFS"]; len(list) > 0 {
		separators = list[len(list)-1]
	}
	operation, told := shell.Numbered(operation, func(name string) string {
		if list := v.values[name]; len(list) > 0 {
			return list[len(list)-1]
		}
		return ""
	})
	if !told {
		return v.parts(set)
	}
	for _, value := range set {
		if v.left -= len(value); v.left <= 0 {
			v.over = true
			return set
		}
		values = append(values, shell.Expansion(inner, value, operation, separators))
	}
	return values
}

// parts are the values from wherever a part of them may begin.
func (v *variables) parts(set []string) (values []string) {
	for _, value := range set {
		if len(values)+len(value) > maxVariable {
			v.over = true
			return values
		}
		for at := range value {
			values = append(values, value[at:])
		}
	}
	return values
}

func variable(s string) (name, rest string) {
	if braced, ok := strings.CutPrefix(s, "{"); ok {
		name, rest, _ = strings.Cut(braced, "}")
		return name, rest
	}
	if s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '@' || s[0] == '*') {
		return s[:1], s[1:]
	}
	i := 0
	for i < len(s) && (s[i] == '_' || s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z') {
		i++
	}
	return s[:i], s[i:]
}
