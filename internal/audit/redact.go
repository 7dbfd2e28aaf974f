package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-pdp/pdp/decide"
)

// redacted stands in the place of a secret.
const redacted = "[redacted]"

// Bounds of what is kept of one value.
const (
	// maxText is how much is kept of a text that is no body.
	maxText = 4 << 10
	// DefaultBody is how much is kept of a body.
	DefaultBody = 256
	// MaxBody is the most that may be kept of a body.
	MaxBody    = maxText
	maxMembers = 256 // of one object or list
	maxKey     = 128 // of a member's name
	// lookahead is how far beyond the kept part secrets are looked for, so that
	// one that starts within it is known for what it is.
	lookahead = 512
)

// Redaction says what is left out of records. It is immutable.
type Redaction struct {
	body int
	root *pointerNode
}

// NewRedaction returns the rules: beside what is always left out, what the JSON
// pointers name, which start at the record: /arguments/headers/X-Id. A segment
// that is * stands for any one. bodyBytes is how much is kept of a body.
func NewRedaction(pointers []string, bodyBytes int) (*Redaction, error) {
	r := &Redaction{body: min(max(bodyBytes, 0), MaxBody)}
	for _, p := range pointers {
		if wrong := CheckPointer(p); wrong != "" {
			return nil, fmt.Errorf("%q %s", p, wrong)
		}
		if r.root == nil {
			r.root = new(pointerNode)
		}
		r.root.add(strings.Split(p[1:], "/"))
	}
	return r, nil
}

// CheckPointer says what is wrong with a pointer of the operator's, or nothing.
func CheckPointer(p string) string {
	first, rest, deep := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	switch {
	case !strings.HasPrefix(p, "/"):
		return "is no JSON pointer; write one that starts with /arguments, /metadata or /details"
	case first != "arguments" && first != "metadata" && first != "details" && first != "*":
		return "starts at no part of a record; write /arguments, /metadata or /details in front"
	case deep && len(rest) > 1024:
		return "is too long for a JSON pointer"
	}
	for i := 0; i < len(p); i++ {
		if p[i] == '~' && (i+1 == len(p) || p[i+1] != '0' && p[i+1] != '1') {
			return "holds a ~ that is neither ~0 (for ~) nor ~1 (for /)"
		}
	}
	return ""
}

// pointerNode is one step of all pointers that share the way to it.
type pointerNode struct {
	next map[string]*pointerNode
	any  *pointerNode
	end  bool
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

func (n *pointerNode) add(segments []string) {
	if len(segments) == 0 {
		n.end = true
		return
	}
	var child **pointerNode
	name := unescapePointer.Replace(segments[0])
	if segments[0] == "*" {
		child = &n.any
	} else {
		if n.next == nil {
			n.next = map[string]*pointerNode{}
		}
		if n.next[name] == nil {
			n.next[name] = new(pointerNode)
		}
		n.next[name].add(segments[1:])
		return
	}
	if *child == nil {
		*child = new(pointerNode)
	}
	(*child).add(segments[1:])
}

// step appends the nodes that a member of this name leads to from the given
// ones, and says whether a pointer ends there.
func step(from, to []*pointerNode, name string) (next []*pointerNode, end bool) {
	for _, n := range from {
		for _, child := range [...]*pointerNode{n.next[name], n.any} {
			if child != nil {
				to = append(to, child)
				end = end || child.end
			}
		}
	}
	return to, end
}

// roots are the nodes at a part of the record. A pointer to a whole part is
// found by a node that ends.
func (r *Redaction) roots(to []*pointerNode, part string) []*pointerNode {
	if r.root == nil {
		return to
	}
	to, _ = step([]*pointerNode{r.root}, to, part)
	return to
}

func ends(nodes []*pointerNode) bool {
	for _, n := range nodes {
		if n.end {
			return true
		}
	}
	return false
}

// value writes a value that others made. The pointers that lead into it are
// e.nodes[from:].
func (e *encoder) value(v decide.Value, depth, from int) {
	switch {
	case e.full() || depth > decide.MaxDepth:
		e.note("[left out]")
		return
	case len(e.nodes) > from && ends(e.nodes[from:]):
		e.note(redacted)
		return
	}
	switch v.Kind() {
	case decide.String:
		s, _ := v.AsString()
		e.text(s)
	case decide.Number, decide.Bool:
		e.literal(v)
	case decide.List:
		e.elements(v.Members(), depth, from, false)
	case decide.Object:
		e.members(v.Members(), depth, from)
	default:
		e.raw("null")
	}
}

// note writes a text of ours in the place of something.
func (e *encoder) note(s string) {
	e.hits++
	e.quote(s)
}

// literal writes a number or a truth value, digits as they were sent.
func (e *encoder) literal(v decide.Value) {
	text := v.Literal()
	if len(text) > 64 {
		e.note("[a number of " + strconv.Itoa(len(text)) + " digits]")
		return
	}
	e.raw(text)
}

// elements writes a list. In one of pairs, each second text is the value of the
// name before it.
func (e *encoder) elements(list []decide.Member, depth, from int, pairs bool) {
	e.words("", list, depth, from, pairs)
}

// words is elements, for a list that may be the words of a command behind its
// program.
func (e *encoder) words(program string, list []decide.Member, depth, from int, pairs bool) {
	e.raw("[")
	defer e.raw("]")
	hidden := wordSpans(program, list)
	inKey := false // within a private key that is a list of lines
	flag := false  // the element before is a flag or name whose value comes next
	for i := range list {
		if i > 0 {
			e.raw(",")
		}
		if i == maxMembers || e.full() {
			e.note("[" + strconv.Itoa(len(list)-i) + " more]")
			return
		}
		v := list[i].Value
		text, isText := v.AsString()
		top := len(e.nodes)
		hit := false
		if top > from {
			e.nodes, hit = step(e.nodes[from:top], e.nodes, strconv.Itoa(i))
		}
		begins, ends := keyLine(text)
		inKey = inKey && !ends
		switch {
		case inKey && isText:
			e.hideValue(v)
		case !hit && isText && hidden[i] != nil:
			e.hideSpans(text, hidden[i])
		case hit, flag && isText && !strings.HasPrefix(text, "--"):
			e.hideValue(v)
		case v.Kind() == decide.List && len(e.nodes) == top && depth < decide.MaxDepth:
			e.elements(v.Members(), depth+1, top, len(v.Members()) == 2)
		default:
			e.value(v, depth+1, top)
		}
		e.nodes = e.nodes[:top]
		inKey = inKey || begins && !ends
		flag = isText && pairs && i%2 == 0 && len(text) <= maxNameRead && meaningOf(text) != harmless ||
			isText && isFlag(text) && secretFlag(text)
	}
}

func (e *encoder) members(list []decide.Member, depth, from int) {
	e.raw("{")
	defer e.raw("}")
	pair := namesSecret(list)
	for i := range list {
		if i > 0 {
			e.raw(",")
		}
		if i == maxMembers || e.full() {
			e.quote(freeKey("…", list))
			e.raw(":")
			e.note("[" + strconv.Itoa(len(list)-i) + " more]")
			return
		}
		m := &list[i]
		e.key(m.Name, i, list)
		e.raw(":")
		top := len(e.nodes)
		hit := false
		if top > from {
			e.nodes, hit = step(e.nodes[from:top], e.nodes, m.Name)
		}
		ours, isOurs := e.ownName(m, depth)
		switch {
		case hit:
			e.hideValue(m.Value)
		case isOurs:
			e.plain(ours)
		case isInput(m) && takesSecret(commandBeside(list)):
			e.hideValue(m.Value)
		case isArgv(m) && len(e.nodes) == top && depth < decide.MaxDepth && !e.full():
			e.words(commandBeside(list), m.Value.Members(), depth+1, top, false)
		case secretMember(m), pair && valueNames[foldName(m.Name)]:
			e.hideValue(m.Value)
		default:
			e.memberValue(m, depth+1, top)
		}
		e.nodes = e.nodes[:top]
	}
}

// ownNames are members of details that the service makes itself. They name callers,
// tokens, roles and records, and are no secrets though they may look like some:
// "granted_by": "token:4MZ3QJ7KXA".
var ownNames = set("id", "token_id", "token_role", "granted_by", "resolved_by", "owner", "approval_id", "decision_id", "grant_id", "session_id")

func (e *encoder) ownName(m *decide.Member, depth int) (string, bool) {
	if !e.own || depth > 0 || !ownNames[m.Name] {
		return "", false
	}
	return m.Value.AsString()
}

func (e *encoder) memberValue(m *decide.Member, depth, from int) {
	if s, ok := m.Value.AsString(); ok && len(s) > e.rules.body && isBody(m.Name) {
		e.cut(s, e.rules.body)
		return
	}
	if v := m.Value; v.Kind() == decide.List && headerLists[foldName(m.Name)] && len(e.nodes) == from && depth <= decide.MaxDepth && !e.full() {
		e.elements(v.Members(), depth, from, len(v.Members())%2 == 0)
		return
	}
	e.value(m.Value, depth, from)
}

// key writes a member's name. One that had to be changed gets its place, so that
// no two names of an object become one.
func (e *encoder) key(name string, i int, list []decide.Member) {
	shown := name
	if len(shown) > maxKey {
		shown = hideSecrets(shown[:min(len(shown), maxKey+lookahead)])
		shown = cutText(shown, maxKey) + "…"
	} else {
		shown = hideRecurring(shown)
	}
	if shown != name {
		e.hits++
		shown = freeKey(shown+"#"+strconv.Itoa(i), list)
	}
	e.quote(shown)
}

// freeKey returns a name that no member has.
func freeKey(name string, list []decide.Member) string {
	for taken := true; taken; {
		taken = false
		for i := range list[:min(len(list), maxMembers)] {
			if list[i].Name == name {
				name, taken = name+"…", true
				break
			}
		}
	}
	return name
}

// text writes a text, without what looks like a secret, and not too long.
func (e *encoder) text(s string) {
	if e.again && !e.inCall {
		s = e.hideKnown(s)
	}
	e.cut(s, maxText)
}

// hide is hideSecrets, and remembers what it hides in the call.
func (e *encoder) hide(s string) string {
	switch {
	case recurs(s):
		return s
	case e.inCall && !e.again:
		return hideSecretsTold(s, e)
	}
	shown := hideSecrets(s)
	if shown == s && !e.inCall {
		e.fresh = append(e.fresh, s)
	}
	return shown
}

// cut writes at most so many bytes of a text. Of a longer one, its size and
// digest say what it was; the digest is left out where it would help to guess a
// secret.
func (e *encoder) cut(s string, limit int) {
	limit = min(limit, max(e.end-len(e.buf), 64))
	if len(s) <= limit {
		shown := e.hide(s)
		if shown != s {
			e.hits++
		}
		e.bounded(shown, limit)
		return
	}
	e.hits++
	window := s[:min(len(s), limit+lookahead)]
	shown := e.hide(window)
	note := "… [" + strconv.Itoa(len(s)) + " bytes"
	if shown == window {
		sum := sha256.Sum256([]byte(s))
		note += ", sha256 " + hex.EncodeToString(sum[:])
	}
	e.bounded(cutText(shown, limit), limit)
	e.buf = append(e.buf[:len(e.buf)-1], note...)
	e.raw(`]"`)
}

// bounded quotes a text. One that grows by its escapes is cut again.
func (e *encoder) bounded(s string, limit int) {
	start := len(e.buf)
	e.quote(s)
	if len(e.buf)-start > limit+limit/2+128 {
		e.hits++
		e.buf = e.buf[:start]
		e.quote(cutText(s, limit/6) + "…")
	}
}

// cutText cuts between characters.
func cutText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
