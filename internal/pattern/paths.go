package pattern

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/paths"
)

// Rule is a path pattern and why it is listed.
type Rule struct {
	Pattern string
	Reason  string
}

// Paths is a compiled list of gitignore-like path patterns:
//
//	name         a file or directory of that name anywhere, with what is below it
//	dir/name     the same for a path of several components
//	dir/         a directory anywhere, with what is below it
//	/abs  ~/x    from the root of the file system, or from the home directory
//	*  ?  [ab]   within a component;  **  any number of components
//	{a,b}        either; braces may be nested, and hold slashes
//	!pattern     takes back what earlier patterns of the list matched
//
// Letter case and Unicode normalisation do not count. The zero value matches
// nothing. A lookup costs the length of the path, not of the list, as far as
// patterns begin with a literal component.
type Paths struct {
	rules   []compiled
	literal map[string][]int // by first component
	rooted  rooted
	wild    *wilds  // rules whose first component is a pattern
	shapes  []shape // of the first component of each rule
}

// rooted holds the anchored rules that begin with literal components, of which
// many may share a home directory.
type rooted struct {
	first  map[string][]int // by first component
	whole  map[string][]int // by all literal components that they begin with
	depths [maxComponents + 1]bool
}

func (l *rooted) add(r int, c *compiled) {
	if l.first == nil {
		l.first, l.whole = map[string][]int{}, map[string][]int{}
	}
	depth := slices.IndexFunc(c.parts, func(part string) bool { return strings.ContainsAny(part, special) })
	if depth < 0 {
		depth = len(c.parts)
	}
	depth = min(depth, maxComponents) // a rule that a link leads elsewhere may have more
	begin := strings.Join(c.parts[:depth], "/")
	l.first[c.parts[0]] = append(l.first[c.parts[0]], r)
	l.whole[begin] = append(l.whole[begin], r)
	l.depths[depth] = true
}

// candidates yields the rules whose literal beginning the path has.
func (l *rooted) candidates(folded string, parts []string, yield func(r int)) {
	if len(parts) == 0 || len(l.first[parts[0]]) == 0 {
		return
	}
	folded = strings.TrimLeft(folded, "/")
	if strings.Contains(folded, "//") {
		folded = strings.Join(parts, "/")
	}
	end := -1
	for i, part := range parts[:min(len(parts), maxComponents)] {
		end += 1 + len(part)
		if l.depths[i+1] {
			for _, r := range l.whole[folded[:end]] {
				yield(r)
			}
		}
	}
}

// wilds holds the rules whose first component is a pattern by what a component
// must begin with or else end in: nearly all components end the search there.
type wilds struct {
	first [256][]int
	last  [256][]int
	any   []int
}

func (w *wilds) add(r int, c *compiled) {
	switch {
	case c.prefix != "":
		w.first[c.prefix[0]] = append(w.first[c.prefix[0]], r)
	case c.suffix != "":
		end := c.suffix[len(c.suffix)-1]
		w.last[end] = append(w.last[end], r)
	default:
		w.any = append(w.any, r)
	}
}

type compiled struct {
	Rule
	parts    []string // folded
	anchored bool     // only from the root of the file system
	negated  bool
	start    string // of an anchored rule, the path before its first wildcard as it was written
	// What surrounds the wildcards of the first component, to tell most paths
	// apart without matching them.
	prefix, suffix string
}

const maxComponents = 64 // of a pattern

var (
	errEmpty     = errors.New("is blank; write a name, a path or a pattern such as *.pem")
	errUpward    = errors.New("holds a .. component; write the path that is meant")
	errMalformed = errors.New("holds a malformed [set]")
	errLong      = errors.New("has too many components, or ** more than twice")
)

// CompilePaths compiles rules; home is where ~ points. The error of a rule
// that cannot be used is at the rule's index.
func CompilePaths(rules []Rule, home string) (Paths, map[int]error) {
	p := Paths{literal: map[string][]int{}}
	bad := map[int]error{}
	for i, rule := range rules {
		all, err := compileAll(rule, home)
		if err != nil {
			bad[i] = err
			continue
		}
		for _, c := range all {
			p.add(c)
		}
	}
	return p, bad
}

func (p *Paths) add(c compiled) {
	n := len(p.rules)
	p.rules = append(p.rules, c)
	p.shapes = append(p.shapes, shapeOf(c.parts[0]))
	switch first := c.parts[0]; {
	case strings.ContainsAny(first, special):
		if p.wild == nil {
			p.wild = &wilds{}
		}
		p.wild.add(n, &p.rules[n])
	case c.anchored:
		p.rooted.add(n, &p.rules[n])
	default:
		p.literal[first] = append(p.literal[first], n)
	}
}

// compileAll compiles what the braces of a rule stand for.
func compileAll(rule Rule, home string) (all []compiled, err error) {
	text := strings.TrimSpace(rule.Pattern)
	if strings.HasSuffix(text, `\`) && len(text) < len(rule.Pattern) {
		text += " " // behind a backslash a blank is meant
	}
	if err := foreign(text); err != nil {
		return nil, err
	}
	text, negated := strings.CutPrefix(text, "!")
	texts, err := alternatives(text)
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		if err := foreign(text); err != nil {
			return nil, err
		}
		c, err := compile(text, home)
		if err != nil {
			return nil, err
		}
		c.Rule, c.negated = rule, negated
		all = append(all, c)
	}
	return all, nil
}

func compile(text, home string) (c compiled, err error) {
	if text == "~" && home == "" {
		return c, errEmpty
	}
	if rest, ok := strings.CutPrefix(text, "~"); ok && (rest == "" || rest[0] == '/') {
		text = strings.TrimSuffix(home, "/") + "/" + rest
	}
	c.anchored = strings.HasPrefix(text, "/")
	for _, part := range strings.Split(text, "/") {
		switch part {
		case "", ".":
			continue
		case "..":
			return c, errUpward
		case "**":
			if len(c.parts) == 0 { // any depth is what an unanchored pattern means already
				c.anchored = false
				continue
			}
		}
		if _, err := path.Match(part, ""); err != nil {
			return c, errMalformed
		}
		c.parts = append(c.parts, paths.Fold(part))
	}
	if len(c.parts) == 0 && text != "" && strings.Trim(text, "*/") == "" { // /, **: every path
		c.parts, c.anchored = []string{"*"}, true
	}
	if c.anchored {
		c.start = literalPrefix(text)
	}
	if len(c.parts) > 0 {
		c.prefix, c.suffix = surroundings(c.parts[0])
	}
	switch {
	case len(c.parts) == 0:
		return c, errEmpty
	case len(c.parts) > maxComponents || strings.Count(text, "**") > 2:
		return c, errLong
	}
	return c, nil
}

// Empty reports whether the list has no usable pattern.
func (p Paths) Empty() bool { return len(p.rules) == 0 }

// Match returns the rule that an absolute path hits, itself or through a
// directory above it; of several the last one in the list decides.
func (p Paths) Match(abs string) (Rule, bool) {
	if len(p.rules) == 0 {
		return Rule{}, false
	}
	var buf [maxComponents]string
	folded := paths.Fold(abs)
	parts := split(folded, buf[:0])
	last := -1
	p.rooted.candidates(folded, parts, func(r int) { last = p.try(r, parts, 0, last) })
	for i, part := range parts {
		p.begin(part, func(r int) bool {
			last = p.try(r, parts, i, last)
			return true
		})
	}
	if last < 0 || p.rules[last].negated {
		return Rule{}, false
	}
	return p.rules[last].Rule, true
}

// begin yields the rules whose first component may match a name, but for rooted
// ones.
func (p Paths) begin(name string, yield func(r int) bool) {
	for _, r := range p.literal[name] {
		if !yield(r) {
			return
		}
	}
	if p.wild == nil {
		return
	}
	for _, rules := range [...][]int{p.wild.first[name[0]], p.wild.last[name[len(name)-1]], p.wild.any} {
		for _, r := range rules {
			if c := &p.rules[r]; strings.HasPrefix(name, c.prefix) && strings.HasSuffix(name, c.suffix) && !yield(r) {
				return
			}
		}
	}
}

// Above returns a rule of several components whose paths may lie below an
// absolute path, because the path ends in the first of them: .github for
// .github/workflows. Whoever moves a directory there puts them in place.
func (p Paths) Above(abs string) (Rule, bool) {
	var buf [maxComponents]string
	parts := split(paths.Fold(abs), buf[:0])
	for _, c := range p.rules {
		if !c.negated && c.above(parts) {
			return c.Rule, true
		}
	}
	return Rule{}, false
}

func (c *compiled) above(parts []string) bool {
	for n := 1; n < len(c.parts) && n <= len(parts); n++ {
		if c.parts[n-1] == "**" {
			return false // every directory is one of those
		}
		tail := parts[len(parts)-n:]
		if (!c.anchored || n == len(parts)) && covers(c.parts[:n], tail) {
			return true
		}
	}
	return false
}

func (p Paths) try(r int, parts []string, i, last int) int {
	c := &p.rules[r]
	if r > last && (i == 0 || !c.anchored) && covers(c.parts, parts[i:]) {
		return r
	}
	return last
}

// covers reports whether pattern matches parts or a directory above it. Where
// "**" can end at several places the first will do, since what follows only needs
// to come later; so no more than the last one is ever tried again.
func covers(pattern, parts []string) bool {
	star, resume := -1, 0 // behind the last "**": where to go on, in pattern and in parts
	p, at := 0, 0
	for p < len(pattern) {
		switch {
		case pattern[p] == "**":
			if p+1 == len(pattern) {
				return at < len(parts)
			}
			p++
			star, resume = p, at
		case at == len(parts):
			return false
		case component(pattern[p], parts[at]):
			p, at = p+1, at+1
		case star < 0:
			return false
		default:
			resume++
			p, at = star, resume
		}
	}
	return true
}

func component(pattern, part string) bool {
	if pattern == part {
		return true
	}
	if !strings.ContainsAny(pattern, special) {
		return false
	}
	ok, err := path.Match(pattern, part)
	return ok && err == nil
}

// split cuts an absolute path into components.
func split(abs string, parts []string) []string {
	for part := range strings.SplitSeq(abs, "/") {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}
