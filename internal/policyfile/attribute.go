package policyfile

import (
	"go.yaml.in/yaml/v3"

	"github.com/agent-pdp/pdp/internal/programs"
)

// attribute is what a policy says of a program: a list of words; one word, where
// there can be no more; or true, for what needs none.
type attribute struct {
	of   *programs.Spec
	name string
}

func (a attribute) read(w *walker, n *yaml.Node, at place) {
	words, ok := a.words(w, n, at)
	if !ok {
		return
	}
	if a.of.Attributes == nil {
		a.of.Attributes = map[string][]string{}
	}
	a.of.Attributes[a.name] = words
}

func (a attribute) words(w *walker, n *yaml.Node, at place) (words []string, ok bool) {
	w.nodes[at.pointer] = located{n, at.key}
	scalar := n.Kind == yaml.ScalarNode
	switch {
	case scalar && n.Tag == "!!bool" && n.Value == "true" && programs.NeedsNoWords(a.name):
		return []string{}, true
	case scalar && n.Tag == "!!bool" && n.Value == "false":
		w.fail(n, at, "is false, which is said by leaving the key out; remove it")
		return nil, false
	case scalar && n.Tag == "!!int" && a.name == "suggest":
		return []string{n.Value}, true
	case scalar && n.Tag == "!!str" && programs.TakesOneWord(a.name):
		word, ok := w.text(n, at)
		return []string{word}, ok
	}
	texts{at: &words}.read(w, n, at)
	return words, words != nil
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
