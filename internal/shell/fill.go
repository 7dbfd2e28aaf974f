package shell

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/programs"
)

// vouched reports whether an entry that names the first n words may stand for
// the phrase, whatever the shell makes of the words that it fills in.
func (cov *coverer) vouched(p phrase, n int) (found programs.Finding, ok bool) {
	if p.literal(n, len(p.words)) {
		return cov.Table.Vouch(p.words, n, cov.m)
	}
	variants := [][]string{nil}
	for i, w := range p.words {
		texts := []value{{text: w}}
		if o := p.opened(i); o != nil {
			if !cov.mayFill(p, o) {
				return programs.Finding{Index: i}, false
			}
			if o.values != nil {
				texts = o.values
			}
		}
		if len(variants)*len(texts) > maxValues {
			return programs.Finding{Index: i}, false
		}
		variants = extended(variants, texts)
	}
	for _, words := range variants {
		if found, ok := cov.Table.Vouch(words, n, cov.m); !ok {
			return found, false
		}
	}
	return programs.Finding{}, true
}

func extended(variants [][]string, texts []value) [][]string {
	var next [][]string
	for _, words := range variants {
		for _, t := range texts {
			longer := words
			if len(texts) > 1 {
				longer = append([]string(nil), words...)
			}
			if !t.pattern {
				next = append(next, append(longer, t.text))
				continue
			}
			// It may become several words.
			forms, _ := Braces(t.text) // mayMatch saw that these are all
			next = append(next, append(append(longer, forms...), forms[len(forms)-1]))
		}
	}
	return next
}

// mayFill reports whether a word that the shell fills in can only become plain
// arguments: no option, unless none of the program's does harm, and nothing
// where a path that the text does not show matters.
func (cov *coverer) mayFill(p phrase, o *open) bool {
	if cov.leaks(p, o) {
		return false
	}
	if o.values != nil {
		for _, v := range o.values {
			if v.pattern && cov.Table.Pattern(p.words, o.word-p.offset) {
				return false // a file's name would be the script or expression
			}
			if v.pattern && !cov.mayMatch(p, v.text) {
				return false
			}
		}
		return true
	}
	lead, plain, quoted := byte(0), true, true
	for i, part := range o.parts {
		switch part.kind {
		case literalPart:
			if i == 0 {
				lead = part.text[0]
			}
		case numberPart, homePart:
		case commandPart:
			plain = plain && cov.plainOutput(part)
			quoted = quoted && part.quoted
		case variablePart:
			plain, quoted = false, quoted && part.quoted
			if looksSecret(part.text) {
				return false
			}
		default:
			return false
		}
	}
	if plain && lead != '-' {
		return true
	}
	if cov.Table.Prints(p.words) && cov.Table.Harmless(p.words) {
		return true // any number of words, and of options
	}
	return quoted && (cov.Table.Prints(p.words) || o.word > p.offset+1 && takesText(p, o.word-p.offset))
}

// leaks reports whether a word takes to another machine what the text does not
// show: what a command prints, or where things lie on this one.
func (cov *coverer) leaks(p phrase, o *open) bool {
	literal, hidden := "", false
	for _, part := range o.parts {
		switch part.kind {
		case literalPart:
			literal += part.text
		case commandPart:
			_, shown := cov.c.passedOn(part)
			hidden = hidden || !shown
		case variablePart:
			hidden = hidden || o.values == nil || part.text == "HOME" || part.text == "PWD"
		}
	}
	return hidden && cov.Table.SendsWord(p.words, literal)
}

func (cov *coverer) mayMatch(p phrase, pattern string) bool {
	forms, all := Braces(pattern)
	switch {
	case !all:
		return false
	case cov.Table.Harmless(p.words):
		return true
	case !cov.Table.Files(p.words):
		return false
	}
	for _, form := range forms {
		if form == "" || strings.IndexByte("-*?[{", form[0]) >= 0 {
			return false
		}
	}
	return true
}

func (cov *coverer) plainOutput(p part) bool {
	if p.to-p.from != 1 {
		return false
	}
	s := &cov.c.Simples[p.from]
	return s.more == nil && len(s.Words) > 0 && cov.Table.PlainWords(s.Words) && (p.quoted || s.Words[0] != "pwd")
}

// textOptions are followed by a text that a program only stores or shows.
var textOptions = map[string]map[string]bool{
	"git commit": wordSet("-m --message"),
}

func takesText(p phrase, i int) bool {
	return textOptions[p.words[0]+" "+p.words[1]][p.words[i-1]] && p.literal(0, 2) && p.opened(i-1) == nil
}
