package shell

import (
	"slices"
	"strings"
)

// maxEarly bounds the lines of a text that may end a here-document early.
const maxEarly = 8

// endedEarly reads what follows a here-document that some shells end before its
// delimiter stands alone on a line: inside a substitution, bash ends one already
// at a line that begins with the delimiter and goes on, as in `EOF)`. What is
// behind it is read with its quotes, since one of them may be closed there, and
// without.
func (s *scanner) endedEarly(text string, dialect Dialect) {
	if !strings.Contains(text, "<<") || !strings.Contains(text, "$(") && !strings.Contains(text, "`") && !strings.Contains(text, "<(") && !strings.Contains(text, ">(") {
		return
	}
	ends, whole := delimiters(text)
	if !whole {
		s.full = true
		return
	}
	found := 0
	for _, end := range ends {
		for at := 0; at < len(text); {
			next := strings.IndexByte(text[at:], '\n')
			if next < 0 {
				break
			}
			at += next + 1
			line, _, _ := strings.Cut(text[at:], "\n")
			bare := strings.TrimLeft(line, "\t")
			if len(bare) == len(end) || !strings.HasPrefix(bare, end) {
				continue
			}
			if found++; found > maxEarly {
				s.full = true
				return
			}
			rest := text[at+len(line)-len(bare)+len(end):]
			for _, rest := range [...]string{rest, strings.TrimLeft(rest, " \t)}`\"'"), unquoted(rest)} {
				s.given(rest, 1)
				s.seen = secondSeen(rest, dialect, s.seen, false)
			}
		}
	}
}

// delimiters lists the words behind the operators of here-documents, each once.
// It is whole unless there are more than can be listed.
func delimiters(text string) (ends []string, whole bool) {
	for {
		_, rest, ok := strings.Cut(text, "<<")
		if !ok {
			return ends, true
		}
		text = rest
		end := delimiter(rest)
		switch {
		case end == "" || slices.Contains(ends, end):
		case len(ends) == maxBound:
			return ends, false
		default:
			ends = append(ends, end)
		}
	}
}
