package shell

import (
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/programs"
)

// runsInput reports whether a command runs what it is given as its input, or
// what another command of the text prints: sh -s, . /dev/stdin, eval "$(…)".
func runsInput(words []string) bool {
	if len(words) == 0 {
		return false
	}
	if runsGiven(words) || substituted(words[0]) || known.RunsText(words) && anySubstituted(words[1:]) {
		return true
	}
	for i := range known.HandedOver(words) {
		if known.TakesCommands(words[i:]) {
			return true
		}
		if sourcing := words[i] == "." || words[i] == "source"; sourcing || known.Kind(words[i]) == programs.Interpreter {
			if inputOperand(words[i+1:], sourcing) {
				return true
			}
		}
	}
	return false
}

// inputRunners tells which commands of a list run what they are given as their
// input; of each it is found out once. The list may grow.
type inputRunners []bool

func (r *inputRunners) at(commands []Seen, i int) bool {
	for len(*r) <= i {
		*r = append(*r, runsInput(commands[len(*r)].Words))
	}
	return (*r)[i]
}

// runsGiven reports whether a command is given command lines by its input which it
// runs: xargs sh -c, parallel.
func runsGiven(words []string) bool {
	name, last := baseName(words[0]), words[len(words)-1]
	switch {
	case name == "parallel" && !slices.ContainsFunc(words[1:], func(w string) bool { return !isOption(w) }):
		return true
	case name != "xargs" && name != "parallel" || len(words) < 3:
		return false
	}
	shell := slices.ContainsFunc(words, func(w string) bool { return known.Kind(w) == programs.Interpreter })
	return shell && (isOption(last) && strings.Contains(last, "c") || isOption(words[len(words)-2]) && strings.Contains(strings.Join(words[:len(words)-1], " "), last))
}

// decodes reports whether a command turns text that hides what it says into plain.
func decodes(words []string) bool {
	if len(words) == 0 {
		return false
	}
	options, ok := decoders[known.Name(words[0])]
	return ok && (options == nil || slices.ContainsFunc(words[1:], func(w string) bool {
		return options[w] || len(w) > 2 && w[0] == '-' && w[1] != '-' && options["-"+w[len(w)-1:]] || strings.HasPrefix(w, "--dec")
	}))
}

// runsDecoded reports whether the text may run what it decodes: as the input of a
// shell that does not stand in the text, in a file, or in a variable.
func runsDecoded(commands []Seen, m made, runners *inputRunners) bool {
	if !slices.ContainsFunc(commands, func(c Seen) bool { return decodes(c.Words) }) {
		return false
	}
	filled := slices.ContainsFunc(commands, func(c Seen) bool { return isFilled(c.Input) })
	files := map[string]bool{} // whose content does not stand in the text
	names := map[string]bool{} // of variables that hold what a command prints
	for _, c := range commands {
		if len(c.Words) == 0 || !printers[baseName(c.Words[0])] && (filled || decodes(c.Words) || !c.plainInput()) {
			for _, w := range c.Writes {
				files[baseName(w)] = true
			}
			if decodes(c.Words) || known.Writer(c.Words) {
				for _, w := range c.Words[min(1, len(c.Words)):] {
					files[baseName(w)] = true
				}
			}
		}
		for _, set := range c.Sets {
			if name, value, _ := strings.Cut(set, "="); isSubstituted(value) {
				names[strings.TrimSuffix(name, "+")] = true
			}
		}
	}
	for i, c := range commands {
		if runners.at(commands, i) && (filled || !c.plainInput()) || slices.ContainsFunc(c.Sets, runsStartFile) || slices.ContainsFunc(c.Words, runsStartFile) {
			return true
		}
		if len(c.Words) > 0 && (mentionsAny(c.Words[0], names) || known.RunsText(c.Words) && mentionsAny(strings.Join(c.Words[1:], " "), names)) {
			return true
		}
	}
	// By its name alone a program is found where the text says, or where it wrote it to.
	searched := slices.ContainsFunc(commands, func(c Seen) bool {
		return slices.ContainsFunc(c.Sets, func(set string) bool { return strings.HasPrefix(strings.ToLower(set), "path") }) ||
			slices.ContainsFunc(c.Writes, func(w string) bool { return strings.IndexByte(w, '/') >= 0 })
	})
	return slices.ContainsFunc(m.both, func(name string) bool {
		return isGlob(name) || name == "{}" || files[name] && (m.called[name] || searched)
	})
}

// plainInput reports whether the command's own redirections give it an input that
// stands in the text. What the shell fills in of here-documents is not looked at.
func (s *Seen) plainInput() bool {
	return (s.here || s.Input != "" && !isFilled(s.Input)) && !s.piped && !slices.ContainsFunc(slices.Concat(s.Words, s.Reads), substituted)
}

// decoders are programs that read a text which nobody can, and the options with
// which they do.
var decoders = map[string]map[string]bool{
	"base64": wordSet("-d -D --decode"), "base32": wordSet("-d -D --decode"), "basenc": wordSet("-d --decode"), "xxd": wordSet("-r"),
	"openssl": wordSet("-d"), "rev": nil, "uudecode": nil, "ascii85": wordSet("-d"), "rot13": nil,
}

// inputOperand reports whether the words behind an interpreter leave it with
// its input to read: no operand, one that names the input, or -s. A text option
// (-c) gives the code instead.
func inputOperand(words []string, sourcing bool) bool {
	for i, w := range words {
		switch {
		case w == "-" || isInput(w) || substituted(w):
			return true
		case w == "--" && i+1 < len(words):
			return isInput(words[i+1])
		case strings.HasPrefix(w, "--"):
		case isOption(w):
			if strings.Contains(w, "s") && !strings.Contains(w, "c") {
				return true
			}
			if strings.Contains(w, "c") {
				return false
			}
		case i > 0 && isOption(words[i-1]) && strings.ContainsAny(words[i-1][len(words[i-1])-1:], "oO"):
		default:
			return false
		}
	}
	return !sourcing || len(words) == 0 // . <(…) keeps no operand
}

func isInput(w string) bool {
	return w == "/dev/stdin" || strings.HasPrefix(w, "/dev/fd/") || strings.HasPrefix(w, "/proc/") && strings.Contains(w, "/fd/")
}

func substituted(w string) bool {
	return strings.HasPrefix(w, "$(") || strings.HasPrefix(w, "`") || strings.HasPrefix(w, "<(") || strings.HasPrefix(w, "=(")
}

func anySubstituted(words []string) bool {
	for _, w := range words {
		if substituted(w) {
			return true
		}
	}
	return false
}

// printers are the programs whose output their words show.
var printers = wordSet("echo printf print yes")

// output returns what a printing command may print, as texts.
func output(words []string) []string {
	rest := words[1:]
	for len(rest) > 0 && isOption(rest[0]) && !strings.ContainsAny(rest[0], " \t\n\\%") {
		end := rest[0] == "--"
		if rest = rest[1:]; end {
			break
		}
	}
	if len(rest) == 0 {
		return nil
	}
	plain := strings.Join(rest, " ")
	texts := []string{plain}
	if escaped := withoutEscapes(plain); escaped != plain {
		texts = append(texts, escaped)
	}
	if words[0] == "printf" && strings.Contains(rest[0], "%") {
		texts = append(texts, withoutEscapes(formatted(rest[0], rest[1:])))
	}
	return texts
}

// formatted fills the words in at the verbs of a format; it is used again as
// long as there are words.
func formatted(format string, words []string) string {
	var b strings.Builder
	for b.Len() <= maxFormatted {
		used := false
		for i := 0; i < len(format); i++ {
			if format[i] != '%' || i+1 == len(format) {
				b.WriteByte(format[i])
				continue
			}
			for i++; i+1 < len(format) && strings.IndexByte("-+ #0123456789.$", format[i]) >= 0; i++ {
			}
			switch {
			case format[i] == '%':
				b.WriteByte('%')
			case len(words) > 0:
				b.WriteString(words[0])
				words, used = words[1:], true
			}
		}
		if !used || len(words) == 0 {
			break
		}
	}
	return b.String()
}

const maxFormatted = 4096

// withoutEscapes reads the backslashes that echo -e and printf do.
func withoutEscapes(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var s scanner
	var cmd pending
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			cmd.add(text[i])
			continue
		}
		i += s.escape(text[i+1:], &cmd)
	}
	return string(cmd.word)
}

// runPrinted reads what the text prints as commands, where a command may run it.
func (s *scanner) runPrinted() {
	var texts []string
	runs, runners := false, make(inputRunners, 0, len(s.seen))
	for i, seen := range s.seen {
		texts = append(texts, seen.Reads...) // a here-string, in the simplest case
		if len(seen.Words) > 0 && printers[baseName(seen.Words[0])] {
			texts = append(texts, output(seen.Words)...)
		}
		runs = runs || runners.at(s.seen, i) || slices.ContainsFunc(seen.Sets, runsStartFile) || slices.ContainsFunc(seen.Words, runsStartFile)
	}
	m := makes(s.seen, &runners, &s.left)
	s.made = m
	if s.full = s.full || m.cut; s.full {
		return
	}
	s.embeddedInput(texts, m.makers(s.seen))
	if runsDecoded(s.seen, m, &runners) {
		s.full = true // it says anything
	}
	if !runs && !m.itself() {
		return
	}
	set := valuesOf(s.seen, &s.left)
	s.full = s.full || len(texts) > maxBound
	for _, text := range texts[:min(len(texts), maxBound)] {
		if s.full {
			return
		}
		s.given(text, 1)
		if at := timed(text); at > 0 {
			s.given(text[at:], 1)
		}
		if strings.IndexByte(text, '$') < 0 {
			continue
		}
		for _, picked := range set.rounds() {
			if s.full {
				return
			}
			var lines []string
			for line := range strings.SplitSeq(text, "\n") {
				words, whole := set.filled([]string{line}, picked)
				s.full = s.full || !whole
				lines = append(lines, strings.Join(words, " "))
			}
			s.given(strings.Join(lines, "\n"), 1)
		}
	}
}

// timed returns where the command of a line of a crontab begins, or 0.
func timed(text string) int {
	if strings.HasPrefix(text, "@") { // @daily
		return strings.IndexAny(text, " \t") + 1
	}
	fields := 0
	for i := 0; i < len(text); fields++ {
		end := strings.IndexAny(text[i:], " \t")
		if end <= 0 || fields == 5 || strings.Trim(text[i:i+end], "0123456789*,-/") != "" {
			break
		}
		i += end + 1
		if fields == 4 {
			return i
		}
	}
	return 0
}

// runsStartFile reports whether a variable names a file that shells run when they
// start: what the text prints may be in it.
func runsStartFile(set string) bool {
	name, value, ok := strings.Cut(set, "=")
	return ok && (name == "BASH_ENV" || name == "MAKEFILES" || name == "ENV" && (value == "" || strings.ContainsAny(value, "/$.")))
}

// embeddedInput reads the command lines in what the text prints, and in its
// here-documents, as the named programs would, and a program of the text that runs
// some: ed, m4, awk.
func (s *scanner) embeddedInput(texts, names []string) {
	const most = 8 // such programs
	for _, seen := range s.seen {
		if name := known.ScriptProgram(seen.Words); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if seen.Input != "" {
			texts = append(texts, seen.Input)
		}
	}
	if len(names) > most || len(names) > 0 && len(texts) > maxBound {
		s.full = true
		return
	}
	for _, name := range names {
		for _, text := range texts {
			if s.work += len(text); s.work > s.most {
				s.full = true
				return
			}
			embedded, all := known.InputTexts(name, text)
			s.full = s.full || !all
			for _, text := range embedded {
				s.given(text, 1)
			}
		}
	}
}
