package pattern

import (
	"strings"
	"unicode/utf8"
)

// shape is what every name that a component matches has, to tell most components
// apart without comparing them.
type shape struct {
	ends
	least, most int  // characters
	deep        bool // the component is **, and stands for any number of components
}

// ends are the characters that every name of a component begins and ends with;
// 0 where they may be several.
type ends struct{ first, last byte }

const anyLength = 1 << 30

func shapeOf(component string) shape {
	if component == "" || component == "**" {
		return shape{most: anyLength, deep: component != ""}
	}
	s := shape{ends: endsOf(component)}
	for i := 0; i < len(component); i += element(component, i) {
		switch c := component[i]; {
		case c >= utf8.RuneSelf: // for some locales it is several characters
			return shape{ends: s.ends, most: anyLength}
		case c == '*':
			s.most = anyLength
		default:
			s.least++
		}
	}
	s.most = max(s.least, s.most)
	return s
}

func (s shape) differs(from shape) bool {
	return s.least > from.most || from.least > s.most || s.differ(from.ends)
}

func endsOf(component string) ends {
	if component == "" {
		return ends{}
	}
	last := "*?"
	if strings.IndexByte(component, '[') >= 0 {
		last = "*?]"
	}
	return ends{only(component[0], special), only(component[len(component)-1], last)}
}

// only returns a character that matches nothing but itself, else 0.
func only(c byte, wild string) byte {
	if c >= utf8.RuneSelf || strings.IndexByte(wild, c) >= 0 {
		return 0
	}
	return c
}

func (e ends) differ(from ends) bool {
	return e.first != from.first && e.first != 0 && from.first != 0 ||
		e.last != from.last && e.last != 0 && from.last != 0
}
