package shell

import (
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/programs"
)

// rewriters are programs that print something else than what they are given or what
// stands in their words, and the options with which they do; none: always. What
// decoders print is another matter, since that hides from everybody.
var rewriters = rewritersOf(`
sed gsed awk gawk mawk nawk original-awk tr cut colrm paste join fold fmt pr column expand unexpand iconv recode dos2unix unix2dos envsubst m4 cpp
jq gojq yq xq dasel mlr xmllint xmlstarlet xsltproc bc dc expr dd
zcat gzcat gzip gunzip pigz unpigz bzcat bzip2 bunzip2 xzcat xz unxz lzcat lzma unlzma zstdcat zstd unzstd lz4 lz4cat unlz4 brotli uncompress lzop
gpg gpg2 age rage ccrypt
tar gtar bsdtar: -O --to-stdout xO xzO xjO xJO xvO
unzip: -p -c
7z 7za 7zr: -so
cpio: --to-stdout
head tail: -c --bytes
grep egrep fgrep rg ag ack ugrep: -o --only-matching
find: -printf
stat: -c -f --format --printf
git: --format --pretty
date: +
seq: -f --format
docker podman: --format -f
kubectl oc: -o --output --template
gh glab: -q --jq -t --template
`)

func rewritersOf(table string) map[string][]string {
	list := map[string][]string{}
	for line := range strings.Lines(table) {
		names, options, _ := strings.Cut(line, ":")
		for name := range strings.FieldsSeq(names) {
			list[name] = strings.Fields(options)
		}
	}
	return list
}

// rewrites reports whether what a command prints cannot be told from what it is
// given: it decodes, puts together anew, or is code.
func rewrites(words []string) bool {
	for i, w := range known.HandedOver(words) {
		name := known.Name(w)
		options, ok := rewriters[name]
		switch rest := words[i+1:]; {
		case ok && (len(options) == 0 || slices.ContainsFunc(rest, func(w string) bool { return hasOption(w, options) })):
			return true
		case i == 0 && decodes(words):
			return true
		case known.Kind(w) == programs.Interpreter && !textShells[name] && slices.ContainsFunc(rest, bringsCode):
			return true
		}
	}
	return false
}

// hasOption finds an option with its value attached, or a letter in a cluster.
func hasOption(word string, options []string) bool {
	return slices.ContainsFunc(options, func(option string) bool {
		return strings.HasPrefix(word, option) || len(option) == 2 && len(word) > 2 && word[0] == '-' && word[1] != '-' && strings.Contains(word, option[1:])
	})
}

// bringsCode reports whether a word may be the option of an interpreter that is
// followed by code.
func bringsCode(w string) bool {
	return len(w) > 1 && w[0] == '-' && (w[1] != '-' && strings.ContainsAny(w[1:], "ceprnE") || strings.HasPrefix(w, "--e") || strings.HasPrefix(w, "--p"))
}

var textShells = wordSet("sh bash zsh dash ksh mksh ash fish csh tcsh")

// sources are where the commands begin in what is seen whose output a command is
// given; 0 is nowhere, else 1 more than the index.
type sources struct {
	feed   int // through a pipe
	within int // what stands in its words, and in its process substitutions
}

// pipes follows the pipelines of one text. Where a compound command feeds one, all
// of the text before it counts.
type pipes struct {
	sources
	text     int // where its commands begin
	line     int // where those of the pipeline do
	compound int // what the compound command is given that has begun
	empty    bool
	closes   bool // the last command was the end of a compound one
	opens    bool // it was the beginning
}

func (p *pipes) begin(s *scanner) sources {
	p.text = len(s.seen) + 1
	p.line, p.within = p.text, p.text
	return p.sources
}

// ending looks at a command before its control words are dropped.
func (p *pipes) ending(cmd *pending) {
	cmd.endWord()
	first := ""
	if len(cmd.Words) > 0 {
		first = cmd.Words[0]
	}
	p.empty = len(cmd.Words)+len(cmd.Writes)+len(cmd.Reads) == 0
	p.closes = p.empty || compoundEnds[first]
	p.opens = reserved[first] && !compoundEnds[first] && first != "!" && first != "time"
}

var compoundEnds = wordSet("} done fi esac ]]")

// next says where the command is given its input from that begins behind text[i].
func (p *pipes) next(s *scanner, text string, i int) sources {
	joins := text[i] == '|' && !strings.HasPrefix(text[i+1:], "|") && (i == 0 || text[i-1] != '|')
	p.within = len(s.seen) + 1
	s.testing = s.testing && text[i] != ';'
	if p.feed > 0 && (p.opens || p.empty && text[i] == '(') {
		p.compound = p.feed
	}
	switch {
	case joins && p.closes:
		p.feed = p.text
	case joins && p.feed == 0:
		p.feed = p.line
	case joins:
		p.feed = min(p.feed, p.line)
	case p.empty && p.feed > 0 && (text[i] == '\n' || text[i] == '(' || text[i] == '&' && text[i-1] == '|'): // still to come
	default:
		p.feed, p.line = p.compound, p.within
	}
	return p.sources
}

// rewritten notes that a text runs what a program makes of another text, which
// may be anything. The command is the last one that was seen.
func (s *scanner) rewritten(seen *Seen, from sources, tests bool) {
	words := from.within > 0 && from.within < len(s.seen) && s.rewrote(from.within, len(s.seen))
	filled := func(text string) bool { return words && isFilled(text) || mentionsAny(text, s.unknown) }
	for _, set := range seen.Sets {
		if name, value, _ := strings.Cut(set, "="); filled(value) {
			s.unknownValue(strings.TrimSuffix(name, "+"))
		}
	}
	if len(seen.Words) == 0 || s.argument || tests {
		return
	}
	input := func() bool {
		return words && seen.piped || slices.ContainsFunc(seen.Reads, filled) || from.feed > 0 && seen.Input == "" && !seen.here && s.rewrote(from.feed, from.within)
	}
	switch name := baseName(seen.Words[0]); {
	case name == "read" || name == "mapfile" || name == "readarray":
		if !input() && !readsPart(seen.Words) {
			return
		}
		for _, w := range append(seen.Words[1:len(seen.Words):len(seen.Words)], "REPLY") {
			if isName(w) {
				s.unknownValue(w)
			}
		}
	case (words || len(s.unknown) > 0) && codeOf(seen.Words, filled), (from.feed > 0 || words || len(seen.Reads) > 0) && takesProgram(seen.Words) && input():
		s.full = true
	}
}

// rewrote reports whether a command that was seen between the two rewrites, or
// prints what such a one made.
func (s *scanner) rewrote(from, to int) bool {
	for ; s.followed < len(s.seen); s.followed++ { // each once
		if words := s.seen[s.followed].Words; rewrites(words) || s.printsUnknown(words) || len(words) > 0 && s.functions[words[0]] && len(s.rewriters) > 0 {
			s.rewriters = append(s.rewriters, s.followed+1)
		}
	}
	at, _ := slices.BinarySearch(s.rewriters, from)
	return at < len(s.rewriters) && s.rewriters[at] < to
}

func (s *scanner) printsUnknown(words []string) bool {
	return len(s.unknown) > 0 && len(words) > 1 && printers[baseName(words[0])] && slices.ContainsFunc(words[1:], func(w string) bool { return mentionsAny(w, s.unknown) })
}

// tests reports whether the words are those of a case or a part of a test, and no
// command.
func (s *scanner) tests(words []string) bool {
	within, chooses := s.testing, false
	for _, w := range words {
		within, chooses = within || w == "[[", chooses || w == "case"
		if !reserved[w] {
			break
		}
	}
	s.testing = within && !slices.Contains(words, "]]")
	return within || chooses
}

// readsPart reports whether a read ends at another place than a line does.
func readsPart(words []string) bool {
	return slices.ContainsFunc(words[1:], func(w string) bool {
		return len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsAny(w[1:], "nN")
	})
}

func (s *scanner) unknownValue(name string) {
	if s.unknown == nil {
		s.unknown = map[string]bool{}
	}
	s.unknown[name] = true
}

// takesProgram reports whether a command runs its input.
func takesProgram(words []string) bool {
	if runsGiven(words) || runsMarked(words) {
		return true
	}
	for i, w := range known.HandedOver(words) {
		if name := known.Name(w); name == "xargs" || name == "parallel" { // which keep the input for themselves
			return false
		}
		if known.TakesCommands(words[i:]) {
			return true
		}
		if sourcing := words[i] == "." || words[i] == "source"; sourcing || known.Kind(words[i]) == programs.Interpreter {
			if rest := words[i+1:]; inputOperand(rest, sourcing) && (sourcing || textShells[known.Name(words[i])] || !slices.ContainsFunc(rest, bringsCode)) {
				return true
			}
		}
	}
	return false
}

// runsMarked reports whether xargs takes the name of the program from its input.
func runsMarked(words []string) bool {
	for i, w := range known.HandedOver(words) {
		if known.Name(w) != "xargs" {
			continue
		}
		inner, mark, _ := known.Given(append([]string{"xargs"}, words[i+1:]...))
		if mark == "" {
			return false
		}
		for at := range known.Run(inner) {
			if strings.Contains(inner[at], mark) {
				return true
			}
		}
		return false
	}
	return false
}

// codeOf reports whether what the shell fills in of the words is a command: the
// program, all of them, or the text behind an option of a shell.
func codeOf(words []string, filled func(string) bool) bool {
	if whole(words[0]) && filled(words[0]) {
		return true
	}
	for i, w := range known.HandedOver(words) {
		name := known.Name(w)
		evaluates := name == "eval" || name == "trap"
		if !evaluates && !textShells[name] {
			continue
		}
		for j := i + 1; j < len(words); j++ {
			if filled(words[j]) && whole(words[j]) && (evaluates || isOption(words[j-1]) && strings.Contains(words[j-1], "c")) {
				return true
			}
			if !evaluates && !isOption(words[j]) {
				break
			}
		}
	}
	return false
}

// whole reports whether a word is nothing but one expansion.
func whole(word string) bool {
	if substituted(word) {
		return strings.HasSuffix(word, ")") || strings.HasSuffix(word, "`")
	}
	return len(word) > 1 && word[0] == '$' && (nameLength(word[1:]) == len(word)-1 || word[1] == '{' && strings.HasSuffix(word, "}"))
}
