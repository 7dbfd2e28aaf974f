package policyfile

import (
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// text is a one-line string. With names, it is one of them.
type text struct {
	at    *string
	names []string
}

func (t text) read(w *walker, n *yaml.Node, at place) {
	s, ok := w.text(n, at)
	switch {
	case !ok:
	case t.names != nil && !slices.Contains(t.names, s):
		w.fail(n, at, quote(s)+" is not known; write one of "+strings.Join(t.names, ", "))
	default:
		*t.at = s
	}
}

func (t text) write() *yaml.Node { return textNode(*t.at) }

// text reads a string. A scalar that YAML takes for something else is refused,
// not converted: the domain 1.10 would become 1.1.
func (w *walker) text(n *yaml.Node, at place) (string, bool) {
	if !w.visit(n, at, yaml.ScalarNode, "write one text") {
		return "", false
	}
	switch {
	case n.Tag == "!!null":
		w.fail(n, at, "has no value; give it one, or remove the key")
	case n.Tag != "!!str":
		w.fail(n, at, n.Value+" is "+kindName(n)+" where a text is meant; put it in quotes: "+quote(n.Value))
	case strings.ContainsAny(n.Value, "\r\n"):
		w.fail(n, at, "holds a line break; write one line, and a list item for each entry")
	case strings.ContainsFunc(n.Value, unicode.IsControl):
		w.fail(n, at, "holds a control character")
	case strings.ContainsFunc(n.Value, invisible):
		w.fail(n, at, quote(n.Value)+" holds an invisible character, so that it is not what it looks like; remove it")
	case strings.TrimSpace(n.Value) == "":
		w.fail(n, at, "is blank; remove it")
	case strings.TrimSpace(n.Value) != n.Value:
		w.fail(n, at, quote(n.Value)+" starts or ends with a blank; remove it")
	default:
		return n.Value, true
	}
	return "", false
}

// invisible leaves out the joiners that some scripts are written with.
func invisible(r rune) bool { return unicode.Is(unicode.Cf, r) && r != 0x200c && r != 0x200d }

// textNode quotes what a YAML 1.1 reader would take for another type.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	var probe yaml.Node
	plain := yaml.Unmarshal([]byte(s), &probe) == nil && len(probe.Content) == 1 &&
		probe.Content[0].Kind == yaml.ScalarNode && probe.Content[0].Tag == "!!str" && probe.Content[0].Value == s
	if !plain {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

type flag struct{ at *bool }

func (f flag) read(w *walker, n *yaml.Node, at place) {
	const instead = "write true or false"
	if !w.visit(n, at, yaml.ScalarNode, instead) {
		return
	}
	if n.Tag != "!!bool" || n.Value != "true" && n.Value != "false" {
		w.fail(n, at, quote(n.Value)+" is no truth value; "+instead)
		return
	}
	*f.at = n.Value == "true"
}

func (f flag) write() *yaml.Node { return plainNode("!!bool", strconv.FormatBool(*f.at)) }

// number is a whole number within bounds.
type number struct {
	at       *int
	min, max int
}

var decimal = regexp.MustCompile(`^(0|[1-9][0-9]{0,17})$`)

func (i number) read(w *walker, n *yaml.Node, at place) {
	instead := "write a whole number from " + strconv.Itoa(i.min) + " to " + strconv.Itoa(i.max)
	if !w.visit(n, at, yaml.ScalarNode, instead) {
		return
	}
	// 010, 0x10 and 1_000 mean different things to different readers.
	if n.Tag != "!!int" || !decimal.MatchString(n.Value) {
		w.fail(n, at, quote(n.Value)+" is no plain number; "+instead)
		return
	}
	v, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil || v > math.MaxInt || int(v) < i.min || int(v) > i.max {
		w.fail(n, at, n.Value+" is out of range; "+instead)
		return
	}
	*i.at = int(v)
}

func (i number) write() *yaml.Node { return plainNode("!!int", strconv.Itoa(*i.at)) }

// duration is a time with its unit.
type duration struct {
	at       *time.Duration
	min, max time.Duration
}

func (d duration) read(w *walker, n *yaml.Node, at place) {
	instead := "write a number with its unit, from " + d.min.String() + " to " + d.max.String() + ", such as 10s"
	if !w.visit(n, at, yaml.ScalarNode, instead) {
		return
	}
	v, err := time.ParseDuration(n.Value)
	if err != nil || n.Tag != "!!str" {
		w.fail(n, at, quote(n.Value)+" is no duration; "+instead)
		return
	}
	if v < d.min || v > d.max {
		w.fail(n, at, n.Value+" is out of range; "+instead)
		return
	}
	*d.at = v
}

func (d duration) write() *yaml.Node {
	if *d.at == 0 { // not given, and without a default of its own
		return nil
	}
	return plainNode("!!str", d.at.String())
}

const listInstead = `write a list: each entry on its own line after "- "`

// texts is a list of strings. Unset (nil) differs from empty where nilOpen is
// true: nothing was said, rather than "none".
type texts struct {
	at      *[]string
	nilOpen bool
	check   func(string) string // what is wrong with an entry, or ""
}

func (t texts) read(w *walker, n *yaml.Node, at place) {
	if !w.visit(n, at, yaml.SequenceNode, listInstead) {
		return
	}
	// A refused entry keeps its place, so that the indices of later findings hold.
	list := make([]string, len(n.Content))
	for i, item := range n.Content {
		s, ok := w.text(item, at.item(i))
		if ok && t.check != nil {
			if wrong := t.check(s); wrong != "" {
				w.fail(item, at.item(i), wrong)
			}
		}
		list[i] = s
	}
	*t.at = list
}

func (t texts) write() *yaml.Node {
	if *t.at == nil && t.nilOpen {
		return nil
	}
	n := listNode()
	for _, s := range *t.at {
		n.Content = append(n.Content, textNode(s))
	}
	return flowIfEmpty(n)
}

// object is a mapping with known keys.
type object struct {
	keys []key
	top  bool
}

func (o object) read(w *walker, n *yaml.Node, at place) {
	if !w.visit(n, at, yaml.MappingNode, "write its keys below it, each with a value") {
		return
	}
	given := map[string]bool{}
	w.pairs(n, at, func(name string, k, v *yaml.Node, at place) {
		given[name] = true
		for i := range o.keys {
			if o.keys[i].name == name {
				o.keys[i].value.read(w, v, at)
				return
			}
		}
		if w.full() { // a file full of them is not worth a thousand suggestions
			w.more++
			return
		}
		w.fail(k, at, unknownKey(name, o.keys, o.top))
	})
	for _, k := range o.keys {
		if k.required && !given[k.name] {
			w.fail(n, at, "has no "+k.name)
		}
	}
}

func (o object) write() *yaml.Node {
	n := mapNode()
	for _, k := range o.keys {
		if v := k.value.write(); v != nil {
			n.Content = append(n.Content, textNode(k.name), v)
		}
	}
	return flowIfEmpty(n)
}

// list is a list of mappings with known keys.
type list[T any] struct {
	at      *[]T
	keys    func(*T) []key
	nilOpen bool
}

func (l list[T]) read(w *walker, n *yaml.Node, at place) {
	if !w.visit(n, at, yaml.SequenceNode, listInstead) {
		return
	}
	items := make([]T, len(n.Content))
	for i, item := range n.Content {
		object{keys: l.keys(&items[i])}.read(w, item, at.item(i))
	}
	*l.at = items
}

func (l list[T]) write() *yaml.Node {
	if *l.at == nil && l.nilOpen {
		return nil
	}
	n := listNode()
	for i := range *l.at {
		n.Content = append(n.Content, object{keys: l.keys(&(*l.at)[i])}.write())
	}
	return flowIfEmpty(n)
}

// byName is a mapping whose keys the operator chooses.
type byName[T any] struct {
	at   *map[string]T
	item func(*T) value
}

func (m byName[T]) read(w *walker, n *yaml.Node, at place) {
	if !w.visit(n, at, yaml.MappingNode, "write a name and its value on each line below it") {
		return
	}
	items := map[string]T{}
	w.pairs(n, at, func(name string, k, v *yaml.Node, at place) {
		if name == "" || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) {
			w.fail(k, at, "is no usable name")
			return
		}
		var item T
		m.item(&item).read(w, v, at)
		items[name] = item
	})
	*m.at = items
}

func (m byName[T]) write() *yaml.Node {
	names := make([]string, 0, len(*m.at))
	for name := range *m.at {
		names = append(names, name)
	}
	sort.Strings(names)
	n := mapNode()
	for _, name := range names {
		item := (*m.at)[name]
		n.Content = append(n.Content, textNode(name), m.item(&item).write())
	}
	return flowIfEmpty(n)
}

func listNode() *yaml.Node { return &yaml.Node{Kind: yaml.SequenceNode} }
func mapNode() *yaml.Node  { return &yaml.Node{Kind: yaml.MappingNode} }

func plainNode(tag, s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: s}
}

func flowIfEmpty(n *yaml.Node) *yaml.Node {
	if len(n.Content) == 0 {
		n.Style = yaml.FlowStyle
	}
	return n
}

// optional is a text that is not written where it is empty.
type optional struct{ at *string }

func (o optional) read(w *walker, n *yaml.Node, at place) { text{at: o.at}.read(w, n, at) }

func (o optional) write() *yaml.Node {
	if *o.at == "" {
		return nil
	}
	return textNode(*o.at)
}

// checked is an optional text of a form; check says what is wrong with it, or "".
type checked struct {
	text  optional
	check func(string) string
}

func (c checked) read(w *walker, n *yaml.Node, at place) {
	before := *c.text.at
	c.text.read(w, n, at)
	if *c.text.at == before {
		return
	}
	if wrong := c.check(*c.text.at); wrong != "" {
		w.fail(n, at, wrong)
	}
}

func (c checked) write() *yaml.Node { return c.text.write() }

// hiddenSecret stands for a secret where the policy is shown.
const hiddenSecret = "(hidden)"

// secret is an optional text that is not shown.
type secret struct{ at *string }

func (s secret) read(w *walker, n *yaml.Node, at place) {
	text{at: s.at}.read(w, n, at)
	if *s.at == hiddenSecret {
		w.fail(n, at, "stands where a secret was hidden; write the secret, or name a file that holds it")
	}
}

func (s secret) write() *yaml.Node {
	if *s.at == "" {
		return nil
	}
	return textNode(hiddenSecret)
}

// days is how long something is kept: a number of days such as 90d, or 0 for ever.
type days struct{ at *time.Duration }

var dayCount = regexp.MustCompile(`^([1-9][0-9]{0,4})d$`)

func (d days) read(w *walker, n *yaml.Node, at place) {
	const instead = "write a number of days such as 90d, or 0 to keep everything"
	if !w.visit(n, at, yaml.ScalarNode, instead) {
		return
	}
	found := dayCount.FindStringSubmatch(n.Value)
	switch {
	case n.Value == "0" && n.Tag == "!!int":
		*d.at = 0
	case found == nil || n.Tag != "!!str":
		w.fail(n, at, quote(n.Value)+" is no time to keep records; "+instead)
	default:
		count, _ := strconv.Atoi(found[1]) // five digits
		*d.at = time.Duration(count) * 24 * time.Hour
	}
}

func (d days) write() *yaml.Node {
	if *d.at == 0 {
		return plainNode("!!int", "0")
	}
	return plainNode("!!str", strconv.Itoa(int(d.at.Hours()/24))+"d")
}
