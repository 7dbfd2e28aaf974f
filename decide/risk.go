package decide

import (
	"fmt"
	"strings"
)

// Risk is what a call may do to the world. The zero value means that nobody
// has classified the call.
type Risk uint8

const (
	Unclassified Risk = iota
	Read              // observes only
	Egress            // sends a request to a host of the caller's choice
	External          // changes something in another system
	WriteLocal        // writes files on this machine
	Exec              // runs a program
)

// risks orders the classes. Two classes share the top rank, so an override may
// swap them; floors therefore look at the tool's own class as well.
var risks = [...]struct {
	name       string
	strictness int
}{
	Unclassified: {"", -1},
	Read:         {"read", 0},
	Egress:       {"egress", 1},
	External:     {"external", 2},
	WriteLocal:   {"write_local", 3},
	Exec:         {"exec", 3},
}

// ParseRisk reads a class's exact name.
func ParseRisk(text string) (Risk, error) {
	for i := range risks {
		if i > 0 && risks[i].name == text {
			return Risk(i), nil
		}
	}
	return Unclassified, fmt.Errorf("unknown risk class %q: use one of %s", clip(text), strings.Join(RiskNames(), ", "))
}

// RiskNames returns the names of the classes, mildest first.
func RiskNames() []string {
	names := make([]string, 0, len(risks)-1)
	for _, r := range risks[1:] {
		names = append(names, r.name)
	}
	return names
}

// String returns the class's name; it is empty for an unclassified call.
func (r Risk) String() string {
	if int(r) < len(risks) {
		return risks[r].name
	}
	return ""
}

// Consequential reports whether the call does more than observe.
func (r Risk) Consequential() bool { return r != Read }

// stricter returns the stricter of two classes; the first wins a tie.
func stricter(a, b Risk) Risk {
	if risks[b].strictness > risks[a].strictness {
		return b
	}
	return a
}

// override applies an operator's class to a tool's own. A milder class is
// ignored: an override can only take away.
func override(own, wanted Risk) Risk {
	if wanted != Unclassified && risks[wanted].strictness >= risks[own].strictness {
		return wanted
	}
	return own
}

// clip bounds a foreign text that goes into a message.
func clip(s string) string {
	const limit = 80
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
