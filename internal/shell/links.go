package shell

import (
	"path"
	"slices"
	"strings"
)

// Link is a name that a command of the text gives to another file.
type Link struct {
	Target string
	Name   string
	// Beside says that the target is read from the link's own directory, as the
	// text of a symbolic link is.
	Beside bool
}

// Links lists the links that the command makes, by ln or cp, or by mount. Where the last
// operand may be a directory, the link in it and the link of that name are both
// listed. all is false if there are more.
func (s Seen) Links() (links []Link, all bool) {
	left := maxLinkWords
	for i, w := range known.HandedOver(s.Words) {
		name := known.Name(w)
		if name != "ln" && name != "cp" && name != "mount" {
			continue
		}
		if left -= len(s.Words) - i; left < 0 {
			return links, false
		}
		if name == "mount" {
			links = append(links, bound(s.Words[i+1:])...)
		} else {
			links = append(links, linked(s.Words[i+1:], name == "cp")...)
		}
		if len(links) > maxBound {
			return links[:maxBound], false
		}
	}
	return links, true
}

// maxLinkWords bounds the words that are looked at behind all programs of one
// command that make links.
const maxLinkWords = 1 << 12

// bound is the directory that mount --bind lets appear in another place.
func bound(words []string) []Link {
	if len(words) < 2 || !slices.ContainsFunc(words, func(w string) bool {
		return strings.Contains(w, "bind") || w == "-B" || w == "-R" || w == "-M" || w == "--move"
	}) {
		return nil
	}
	return []Link{{Target: words[len(words)-2], Name: words[len(words)-1]}}
}

func linked(words []string, only bool) (links []Link) {
	var operands []string
	into, makes, beside := "", !only, false
	for i := 0; i < len(words) && words[i] != ";"; i++ {
		w := words[i]
		name, value, attached := strings.Cut(w, "=")
		switch {
		case strings.HasPrefix(w, "--"):
			makes = makes || strings.HasPrefix(name, "--s") || strings.HasPrefix(name, "--l")
			beside = beside || strings.HasPrefix(name, "--sy")
			if strings.HasPrefix(name, "--t") {
				if into = value; !attached && i+1 < len(words) {
					i++
					into = words[i]
				}
			}
		case len(w) > 1 && w[0] == '-':
			letters, dir, has := strings.Cut(w[1:], "t")
			makes = makes || strings.ContainsAny(letters, "sl")
			beside = beside || strings.Contains(letters, "s")
			switch {
			case has && dir != "":
				into = dir
			case has && i+1 < len(words):
				i++
				into = words[i]
			}
		default:
			operands = append(operands, w)
		}
	}
	if !makes {
		return nil
	}
	switch {
	case into != "":
	case len(operands) == 1:
		into = "."
	case len(operands) > 1:
		into, operands = operands[len(operands)-1], operands[:len(operands)-1]
		links = append(links, Link{operands[0], into, beside})
	}
	for _, target := range operands[:min(len(operands), maxBound+1)] {
		if base := path.Base(strings.TrimRight(target, "/")); base != "." && base != ".." && base != "/" {
			links = append(links, Link{target, strings.TrimRight(into, "/") + "/" + base, beside})
		}
	}
	return links
}
