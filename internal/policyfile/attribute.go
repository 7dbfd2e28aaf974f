package policyfile

import (
	"go.yaml.in/yaml/v3"

	"github.com/agent-pdp/pdp/internal/programs"
)

// attribute is what a policy says of a program: a list of words, or true for
// what needs none.
type attribute struct {
	of   *programs.Spec
	name string
}

func (a attribute) read(w *walker, n *yaml.Node, at place) {
	var words []string
	if n.Kind == yaml.ScalarNode && n.Tag == "!!bool" && n.Value == "true" {
		words = []string{}
	} else {
		texts{at: &words}.read(w, n, at)
	}
	if a.of.Attributes == nil {
		a.of.Attributes = map[string][]string{}
	}
	a.of.Attributes[a.name] = words
}

func (a attribute) write() *yaml.Node {
	words, given := a.of.Attributes[a.name]
	if !given {
		return nil
	}
	if len(words) == 0 {
		return plainNode("!!bool", "true")
	}
	return texts{at: &words}.write()
}
