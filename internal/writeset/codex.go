package writeset

import "strings"

// codexHeaders are the header lines that name a path. Several appliers do
// without the blank after the colon, so it is not part of the table. Case is
// not folded: no applier is known to accept another one, and a header in
// another case is reported as unknown.
var codexHeaders = []struct {
	text  string
	op    Op
	plain bool // read by every applier
}{
	{"*** Add File:", Create, true},
	{"*** Update File:", Write, true},
	{"*** Delete File:", Delete, true},
	{"*** Move to:", Rename, true},
	{"*** Copy to:", Copy, false},
}

// codexSilent are the marker lines that name no path.
var codexSilent = []string{
	"*** Begin Patch", "*** End Patch", "*** End of File", "*** Environment ID:",
}

// CodexPatch reads the text of an apply_patch call: "*** Begin Patch", then
// "*** Add File: ", "*** Update File: ", "*** Delete File: " and "*** Move to: "
// headers with their bodies.
//
// Markers are not needed, text around and between patches is skipped, and
// headers count wherever an applier may see one: at the start of a line, after
// blanks, and after each character that Python's str.splitlines takes for a
// line end. Lines that start with '+' or '-' are content, and so are lines that
// start with ' ' in the hunks of an update; elsewhere appliers strip the blank
// and see a header. A header without a name gives the path "".
//
// The set is Unsure when no header has the usual spelling, and when a line
// looks like a header but is none of the known ones.
func CodexPatch(text string) Set {
	if len(text) > MaxText {
		return Set{Unsure: unsureTooLong}
	}
	var p codexParser
	for rest := text; rest != ""; {
		var line string
		line, rest = nextLine(rest)
		p.line(line)
	}
	switch {
	case len(p.set.Paths) == 0:
		p.unsure(unsureNoHeader)
	case !p.plain:
		p.unsure(unsureSpelling)
	}
	return p.set
}

type codexParser struct {
	collector
	plain  bool // a header in the usual spelling was seen
	update bool // the innermost header is an update
	hunk   bool // inside a hunk of an update: ' ' starts content
}

func (p *codexParser) line(line string) {
	// The CR of a CRLF line end is not a line end of its own.
	defer p.rest(strings.TrimSuffix(line, "\r"))
	if p.header(line, true) {
		return
	}
	if len(p.set.Paths) == 0 && changesDirectory(line) {
		p.unsure(unsureDirectory)
	}
	switch leadingRune(line) {
	case '@':
		p.hunk = p.update && strings.HasPrefix(line, "@@")
	case ' ', '+', '-', '\r':
	default:
		// An applier may give up on the hunk here and look for a header.
		p.hunk = p.hunk && line == ""
	}
}

// rest looks for headers behind the other line ends within an LF line.
func (p *codexParser) rest(line string) {
	first := true
	for {
		at, width := separator(line)
		if at < 0 {
			if !first {
				p.header(line, false)
			}
			return
		}
		p.header(line[:at], false)
		line, first = line[at+width:], false
	}
}

// header adds the path of a header line and reports whether it was one.
// whole is set for a line that starts and ends at an LF.
func (p *codexParser) header(line string, whole bool) bool {
	trimmed := strings.TrimLeftFunc(line, isBlank)
	if !strings.HasPrefix(trimmed, "***") {
		return false
	}
	atStart := strings.HasPrefix(line, "***")
	if p.hunk && strings.HasPrefix(line, " ") {
		return false
	}
	for _, h := range codexHeaders {
		name, ok := strings.CutPrefix(trimmed, h.text)
		if !ok {
			continue
		}
		p.path(name, h.op)
		if whole && atStart && h.plain {
			// The usual spelling has a blank and at least one character more.
			after := line[len(h.text):]
			p.plain = p.plain || len(after) > 1 && after[0] == ' '
		}
		// Only an update that all appliers see opens hunks.
		p.update, p.hunk = whole && atStart && h.op == Write, false
		return true
	}
	p.hunk = false
	if atStart && looksLikeHeader(trimmed) {
		p.unsure(unsureUnknown)
	}
	return true
}

func (p *codexParser) path(name string, op Op) {
	p.add(Path{Text: strings.TrimFunc(name, isPythonSpace), Op: op})
	p.add(Path{Text: strings.TrimFunc(name, isBlank), Op: op})
	// Some appliers split the line at its colons and take the second part.
	if before, _, more := strings.Cut(name, ":"); more {
		p.add(Path{Text: strings.TrimFunc(before, isBlank), Op: op})
	}
}

// changesDirectory reports a shell line that makes the patch behind it apply
// elsewhere, as in "cd /srv && apply_patch <<'EOF'".
func changesDirectory(line string) bool {
	for part := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune("&|;(){}", r) }) {
		switch word, _, _ := strings.Cut(strings.TrimFunc(part, isBlank), " "); word {
		case "cd", "pushd", "chdir":
			return true
		}
	}
	return false
}

// looksLikeHeader reports whether a line has the form "*** Words:" without
// being one of the silent markers.
func looksLikeHeader(line string) bool {
	for _, s := range codexSilent {
		if strings.HasPrefix(line, s) {
			return false
		}
	}
	words, _, ok := strings.Cut(strings.TrimLeft(line, "*"), ":")
	if !ok {
		return false
	}
	for _, r := range words {
		letter := r|0x20 >= 'a' && r|0x20 <= 'z'
		if !letter && r != ' ' && r != '\t' {
			return false
		}
	}
	return true
}
