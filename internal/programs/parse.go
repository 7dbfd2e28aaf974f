package programs

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed programs.txt
var builtinText string

// Spec is one stanza: what is true of all the named programs. Names and words
// are those of programs.txt, which explains them; an attribute without words
// has an empty list.
type Spec struct {
	Names      []string
	Attributes map[string][]string
}

// Builtin returns the table of programs.txt.
func Builtin() *Table { return builtin() }

var builtin = sync.OnceValue(func() *Table { return mustCompile(builtinText) })

func mustCompile(text string) *Table {
	t := &Table{}
	for _, spec := range parseSpecs(text) {
		if err := t.add(spec, freely); err.Problem != "" {
			panic(fmt.Sprintf("%v: %v", spec.Names, err))
		}
	}
	return t
}

// parseSpecs reads stanzas. Several lines of one attribute are one list. A bar
// separates the commands of examples.
func parseSpecs(text string) []Spec {
	var specs []Spec
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		for i, w := range words {
			if w[0] == '#' {
				words = words[:i]
				break
			}
		}
		switch {
		case len(words) == 0:
		case line[0] != ' ':
			specs = append(specs, Spec{words, map[string][]string{}})
		default:
			name := strings.TrimSuffix(words[0], ":")
			attributes := specs[len(specs)-1].Attributes
			list := words[1:]
			if name == "ok" || name == "ask" {
				list = strings.Split(strings.Join(list, " "), " | ")
			}
			attributes[name] = append(attributes[name], list...)
		}
	}
	return specs
}

func (t *Table) clone() *Table {
	c := &Table{}
	if t != nil {
		c.names = t.names
		c.names.list = slices.Clone(t.names.list) // which has its entries replaced
	}
	return c
}
