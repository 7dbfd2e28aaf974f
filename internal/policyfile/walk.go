package policyfile

import (
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// key is one row of the table: a name, where its value goes, and what a person
// should know about it.
type key struct {
	name     string
	value    value
	required bool
	doc      string // plain lines
	example  string // YAML; its lines stand commented out in the starter
	active   bool   // the example stands in the starter as it is
}

// value reads a node into its place and writes the place as a node. write
// returns nil for a value that is not set and cannot be written otherwise.
type value interface {
	read(w *walker, n *yaml.Node, at place)
	write() *yaml.Node
}

// place names a value, for people and as a JSON pointer.
type place struct{ key, pointer string }

func (p place) child(name string) place {
	label := name
	if !plainName(name) {
		label = quote(name)
	}
	if p.key != "" {
		label = p.key + "." + label
	}
	escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	return place{label, p.pointer + "/" + escaped}
}

func (p place) item(i int) place {
	n := strconv.Itoa(i)
	return place{p.key + "[" + n + "]", p.pointer + "/" + n}
}

func plainName(name string) bool {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' {
			return false
		}
	}
	return name != ""
}

// walker reads nodes and remembers where each value stood.
type walker struct {
	collector
	nodes map[string]located // by JSON pointer
	lines []string           // of the file
}

type located struct {
	node *yaml.Node
	key  string
}

func (w *walker) fail(n *yaml.Node, at place, message string) {
	w.add(n.Line, n.Column, at.key, message)
}

// visit remembers the node's place and reports whether it has the wanted kind.
func (w *walker) visit(n *yaml.Node, at place, want yaml.Kind, instead string) bool {
	w.nodes[at.pointer] = located{n, at.key}
	switch {
	case n.Kind == want:
		return true
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		w.fail(n, at, "has no value; "+instead+", or remove the key")
	default:
		w.fail(n, at, "is "+kindName(n)+"; "+instead)
	}
	return false
}

// finding returns what was read at a pointer, or at the nearest value above it.
func (w *walker) finding(pointer string) (located, bool) {
	for pointer != "" {
		if l, ok := w.nodes[pointer]; ok {
			return l, true
		}
		pointer = pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
	}
	return located{}, false
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "a truth value"
	case "!!timestamp":
		return "a date"
	case "!!null":
		return "nothing"
	}
	return "a text"
}

const deepest = 16 // far more than any key needs

// lint refuses what makes YAML a language: it walks the whole tree, so that
// nothing hides below a key that is not read.
func (w *walker) lint(n *yaml.Node, depth int) {
	at := place{}
	switch {
	case depth > deepest:
		w.fail(n, at, "nests too deeply for a policy")
		return
	case n.Kind == yaml.AliasNode:
		w.fail(n, at, "aliases (*"+n.Value+") are not supported; a text that starts with * needs quotes: "+quote("*"+n.Value))
		return
	case n.Anchor != "":
		w.fail(n, at, "anchors (&"+n.Anchor+") are not supported; a text that starts with & needs quotes")
	case n.Style&yaml.TaggedStyle != 0:
		w.fail(n, at, "tags ("+n.Tag+") are not supported; a text that starts with ! needs quotes")
	case w.folded(n):
		w.fail(n, at, "goes on over several lines and would read "+quote(n.Value)+"; mind the indentation, or put the text in quotes on one line")
	}
	for _, child := range n.Content {
		w.lint(child, depth+1)
	}
}

// folded reports whether a text without quotes goes on in the next line. YAML
// joins the lines, so that a list entry with too deep an indentation silently
// becomes the end of the one before it.
func (w *walker) folded(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Style != 0 || n.Line < 1 || n.Line > len(w.lines) {
		return false
	}
	line := []rune(w.lines[n.Line-1])
	return n.Column < 1 || n.Column > len(line)+1 || !strings.HasPrefix(string(line[n.Column-1:]), n.Value)
}

// pairs calls visit for each member of a mapping whose key is a plain text and
// new.
func (w *walker) pairs(n *yaml.Node, at place, visit func(name string, key, val *yaml.Node, at place)) {
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode:
			w.fail(k, at, "a key must be a text, not "+kindName(k))
		case k.Tag == "!!merge":
			w.fail(k, at, "merge keys (<<) are not supported; write the keys out")
		case k.Tag != "!!str":
			w.fail(k, at, k.Value+" is "+kindName(k)+" where a name is meant; put it in quotes: "+quote(k.Value))
		case first[k.Value] > 0:
			w.fail(k, at.child(k.Value), "stands here a second time; the first is on line "+strconv.Itoa(first[k.Value]))
		default:
			first[k.Value] = k.Line
			visit(k.Value, k, v, at.child(k.Value))
		}
	}
}
