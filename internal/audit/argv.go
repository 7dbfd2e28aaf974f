package audit

import (
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/decide"
)

// A command can be a list of words: ["curl", "-u", "user:secret"], also with the
// program beside it: {"command": "mysql", "args": ["-psecret"]}. It is read like
// one in a text, and what is hidden there is hidden in its words.

// Bounds of a list that is read as a command.
const (
	maxArgv      = 64
	maxArgvBytes = 4 << 10
)

var (
	programNames = set("command", "cmd", "program", "executable", "exec", "bin", "binary", "entrypoint")
	argvNames    = set("args", "arguments", "argv", "params", "parameters", "cmdargs", "commandargs")
	inputNames   = set("stdin", "input", "stdindata")
)

func isArgv(m *decide.Member) bool {
	return m.Value.Kind() == decide.List && argvNames[foldName(m.Name)]
}

func isInput(m *decide.Member) bool {
	if m.Name == "" || m.Name[0]|0x20 != 'i' && m.Name[0]|0x20 != 's' { // most names end here
		return false
	}
	return m.Value.Kind() == decide.String && inputNames[foldName(m.Name)]
}

// span is a part of a text.
type span struct{ from, to int }

// wordSpans returns what is hidden in each word of a command, or nil. program is
// the word before the list; empty: the list begins with it.
func wordSpans(program string, list []decide.Member) map[int][]span {
	if len(list) == 0 || program == "" && len(list) == 1 {
		return nil
	}
	var text strings.Builder
	text.WriteString(program)
	starts := make([]int, 0, maxArgv)
	for i := range list[:min(len(list), maxArgv)] {
		word, ok := list[i].Value.AsString()
		if !ok || text.Len()+len(word) > maxArgvBytes {
			break
		}
		quote := ""
		if strings.ContainsAny(word, " \t\r\n\"'`;|&<>()") {
			if quote = "'"; strings.Contains(word, "'") {
				quote = `"`
			}
		}
		text.WriteString(" " + quote)
		starts = append(starts, text.Len())
		text.WriteString(word + quote)
	}
	t := scanner{s: text.String(), of: text.String(), spans: new([]span)}
	t.scan()
	var hidden map[int][]span
	for _, h := range *t.spans {
		for i, start := range starts {
			word, _ := list[i].Value.AsString()
			part := span{max(h.from-start, 0), min(h.to-start, len(word))}
			if part.from >= part.to {
				continue
			}
			if hidden == nil {
				hidden = map[int][]span{}
			}
			hidden[i] = append(hidden[i], part)
		}
	}
	return hidden
}

// hideSpans writes a word without its hidden parts.
func (e *encoder) hideSpans(word string, hidden []span) {
	slices.SortFunc(hidden, func(a, b span) int { return a.from - b.from })
	var shown strings.Builder
	at := 0
	for _, h := range hidden {
		if h.from < at {
			continue
		}
		e.know(word[h.from:h.to])
		shown.WriteString(word[at:h.from] + redacted)
		at = h.to
	}
	shown.WriteString(word[at:])
	e.hits++
	e.text(shown.String())
}

// commandBeside returns the command that stands in an object: its program, or its
// whole line.
func commandBeside(list []decide.Member) string {
	for i := range list[:min(len(list), maxMembers)] {
		if !programNames[foldName(list[i].Name)] {
			continue
		}
		switch v := list[i].Value; v.Kind() {
		case decide.String:
			s, _ := v.AsString()
			return s[:min(len(s), maxArgvBytes)]
		case decide.List:
			var words []string
			for _, m := range v.Members()[:min(len(v.Members()), maxArgv)] {
				s, _ := m.Value.AsString()
				words = append(words, s)
			}
			line := strings.Join(words, " ")
			return line[:min(len(line), maxArgvBytes)]
		}
	}
	return ""
}

// keyLine says whether a line of a list begins the PEM block of a private key, or
// ends one: the lines between are hidden.
func keyLine(s string) (begins, ends bool) {
	if len(s) > maxKey || !strings.Contains(s, "----") {
		return false, false
	}
	up := strings.ToUpper(s)
	private := strings.Contains(up, "PRIVATE")
	return private && strings.Contains(up, "BEGIN "), private && strings.Contains(up, "END ")
}
