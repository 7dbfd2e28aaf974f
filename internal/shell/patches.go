package shell

import (
	"slices"
	"strings"
)

// Patcher is how a command applies a patch that it is given as text.
type Patcher struct {
	Dirs  []string // that names in the patch are read from, besides where the command runs
	Strip int      // leading components that are dropped; 0 and 1 are usual
	Base  bool     // a name may lose all its directories
	Given bool     // a text of the command is the patch
	Input bool     // it is what the command reads, since no word can be a file
}

// Patches reports whether the command applies a patch, and how: apply_patch,
// git apply, git am or patch.
func (s Seen) Patches() (p Patcher, ok bool) {
	if !slices.ContainsFunc(s.Words, namesPatch) && !slices.ContainsFunc(s.Words, appliesPatch) {
		return p, false
	}
	return s.patcher()
}

func (s Seen) patcher() (p Patcher, ok bool) {
	looked := 0
	for i, w := range known.HandedOver(s.Words) {
		if !mayPatch(w) {
			continue
		}
		if looked++; looked > maxPatchers {
			p.Given = true
			break
		}
		rest := s.Words[i+1:]
		switch name := known.Name(w); {
		case patchPrograms[name]:
		case name == "git" && slices.ContainsFunc(rest[:min(len(rest), maxGlobal)], appliesPatch):
		default:
			continue
		}
		ok = true
		p.Base = p.Base || known.Name(w) == "patch"
		operands := 0
		for _, w := range rest {
			if !isOption(w) && !appliesPatch(w) {
				operands++
			}
		}
		p.Input = p.Input || operands == 0
		p.read(rest)
	}
	p.Given = ok && s.Input != "" || slices.ContainsFunc(s.Words, isLines)
	return p, ok
}

// mayPatch is a quick look at what may be a program.
func mayPatch(w string) bool { return namesPatch(w) || strings.Contains(lowerEnd(w), "git") }

func namesPatch(w string) bool { return strings.Contains(lowerEnd(w), "patch") }

// appliesPatch reports one of git's sub-commands.
func appliesPatch(w string) bool { return w == "apply" || w == "am" }

// lowerEnd is the end of a word, in which the name of a program stands.
func lowerEnd(w string) string {
	const longest = 256
	return strings.ToLower(w[max(0, len(w)-longest):])
}

// maxPatchers bounds the programs of one command that may apply a patch.
const maxPatchers = 16

var patchPrograms = wordSet("patch gpatch apply_patch applypatch apply-patch")

// maxGlobal bounds the words in which a sub-command is looked for.
const maxGlobal = 8

// read takes the options that say where the names of the patch begin.
func (p *Patcher) read(words []string) {
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		name, value, attached := strings.Cut(w, "=")
		switch {
		case w == "-d" || (w == "--directory" && !attached):
			p.Dirs = append(p.Dirs, next)
		case name == "--directory":
			p.Dirs = append(p.Dirs, value)
		case strings.HasPrefix(w, "-d") && len(w) > 2:
			p.Dirs = append(p.Dirs, w[2:])
		case w == "-p" || w == "--strip" && !attached:
			p.strip(next)
		case name == "--strip":
			p.strip(value)
		case strings.HasPrefix(w, "-p"):
			p.strip(w[2:])
		}
	}
}

func (p *Patcher) strip(number string) {
	if number != "" && len(number) < 3 && strings.Trim(number, "0123456789") == "" {
		n := 0
		for _, digit := range number {
			n = 10*n + int(digit-'0')
		}
		p.Strip = max(p.Strip, n)
	}
}

// Names returns what else a name of the patch may be for the command.
func (p Patcher) Names(name string) (names []string) {
	names = append(names, name)
	if p.Strip > 1 {
		rest, ok := name, true
		for range p.Strip {
			if _, rest, ok = strings.Cut(rest, "/"); !ok {
				break
			}
			rest = strings.TrimLeft(rest, "/")
		}
		if ok && rest != "" {
			names = append(names, rest)
		}
	}
	if at := strings.LastIndexByte(name, '/'); p.Base && at >= 0 && at+1 < len(name) {
		names = append(names, name[at+1:])
	}
	return names
}

// LinesGiven lists the texts of several lines in the commands, any of which may
// be given to a command as its input: here-documents and here-strings, words,
// values of variables, and what echo and printf print.
// all is false if there are more.
func LinesGiven(seen []Seen) (texts []string, all bool) {
	var lines fewTexts
	add := func(text string) {
		if isLines(text) {
			lines.add([]string{text})
		}
	}
	for _, s := range seen {
		add(s.Input)
		for _, list := range [...][]string{s.Words, s.Reads} {
			for _, w := range list {
				add(w)
			}
		}
		for _, set := range s.Sets {
			_, value, _ := strings.Cut(set, "=")
			add(value)
		}
		if len(s.Words) > 1 && printers[baseName(s.Words[0])] {
			for _, text := range output(s.Words) {
				add(text)
			}
		}
	}
	return lines.list, !lines.cut
}

func isLines(text string) bool { return strings.IndexByte(text, '\n') >= 0 }
