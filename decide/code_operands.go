package decide

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/shell"
)

// codeInside says why a command that runs the code which its operands name must
// not do so on the word of a list: that vouches for the project's code, not for
// what anyone may have put elsewhere.
func (f *facts) codeInside(c *shell.Command, dirs []string) string {
	for i := range c.Simples {
		s := &c.Simples[i]
		at, ok := f.policy.table.Code(s.Words)
		for j := at + 1; ok && j < len(s.Words); j++ {
			if !f.policy.table.Operand(s.Words[at], s.Words[j]) {
				continue
			}
			texts, all := s.Values(j)
			if !all {
				texts = append(texts, s.Words[j])
			}
			for _, w := range texts {
				if w == "/dev/null" { // an output; as code it is empty
					continue
				}
				if why := f.isInside(w, dirs); why != "" {
					return why
				}
			}
		}
	}
	return ""
}

// isInside tests a place of code from every directory that the text may be in:
// DIR/..., FILE::TEST, FILE:LINE.
func (f *facts) isInside(w string, dirs []string) string {
	place, _, _ := strings.Cut(w, "::")
	if at := strings.IndexByte(place, ':'); at > 0 && strings.Trim(place[at+1:], "0123456789:") == "" {
		place = place[:at]
	}
	place = strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(place, "..."), "/"), "./")
	if place == "" && !strings.HasPrefix(w, "/") {
		return ""
	}
	if place == "" {
		place = "/"
	}
	if at := strings.IndexAny(place, "*?[{$`"); at >= 0 { // where what it becomes lies
		if place = place[:strings.LastIndexByte(place[:at], '/')+1]; place == "" {
			return ""
		}
	}
	for _, t := range f.located(shell.File{Name: place}, dirs) {
		if t.err != nil {
			return t.err.Error()
		}
		if _, inside := f.holder(t.resolved.Path); !inside {
			return "the command runs code of " + clip(w) + ", outside every root"
		}
	}
	return ""
}
