package writeset

import "strings"

// UnifiedDiff reads a unified diff, plain or as git writes it, with any text
// around it.
//
// The set holds both the old and the new name of every header ("--- ", "+++ ",
// "Index:", "diff --git ", rename and copy lines), in the readings of git apply
// and of patch(1) with -p0 and -p1, and of appliers in other languages that end
// lines at more characters than LF. patch(1) also takes indented headers, so
// those count. Lines of a hunk are content as long as its counts add up; of a
// hunk whose counts do not, every line may be a header, since appliers differ
// in where they go on.
//
// The set is Unsure when nothing in it is a whole change (a lone "--- " line is
// none), and when the text holds something that patch(1) would apply and that
// names its files in other ways: a context diff, a normal diff, an ed script.
func UnifiedDiff(text string) Set {
	if len(text) > MaxText {
		return Set{Unsure: unsureTooLong}
	}
	d := differ{rest: text}
	for d.rest != "" {
		if d.ready == afterPlus && d.skipHunk() {
			continue
		}
		var line string
		line, d.rest = nextLine(d.rest)
		d.line(line)
	}
	d.flush()
	if !d.whole {
		d.unsure(unsureNoHeader)
	}
	// Where the hunks are in doubt, nothing in them is known to be content.
	keep := d.mention
	if d.set.Unsure != "" {
		keep = d.addText
	}
	plainPlusNames(text, keep)
	return d.set
}

// differ is the state of one reading.
type differ struct {
	collector
	rest  string
	ready readiness
	// nested is set once a header looked like a quoted mail (RFC 934). From
	// there patch(1) may take two characters off each line, so no hunk is
	// known to be content.
	nested bool
	stars  bool // the line before was a row of asterisks
	whole  bool // at least one section is a whole change
	sec    section
}

// readiness says how far the lines before got towards a header that all
// appliers accept: "--- " and "+++ " in two lines without indentation.
type readiness uint8

const (
	afterOther readiness = iota
	afterMinus
	afterPlus // or after a hunk that belongs to such a header
)

// line reads one line outside hunks.
func (d *differ) line(line string) {
	// patch(1) takes blanks and the letter X for indentation.
	s := strings.TrimLeft(line, " \tX")
	indented := len(s) < len(line)
	before, stars := d.ready, d.stars
	d.ready, d.stars = afterOther, strings.HasPrefix(s, "********")
	switch {
	case stars && strings.HasPrefix(s, "*** "):
		d.unsure(unsureContext)
		return
	case strings.HasPrefix(s, "+++ "):
		d.plus(s[4:])
		d.sec.indented = d.sec.indented || indented
		if before == afterMinus && !indented {
			d.ready = afterPlus
		}
		return
	case strings.HasPrefix(s, "--- "):
		d.minus(s[4:])
		d.sec.indented = d.sec.indented || indented
		if !indented {
			d.ready = afterMinus
		}
		return
	case strings.HasPrefix(s, "*** "):
		d.header(s[4:], Write) // patch(1) takes it for a "+++ " line
		return
	case strings.HasPrefix(s, "Index:"):
		if d.sec.minus || d.sec.plus {
			d.flush()
		}
		d.header(strings.TrimLeft(s[len("Index:"):], asciiBlanks), Write)
		return
	case strings.HasPrefix(s, "diff --git "):
		d.git(s[len("diff --git "):])
		d.sec.indented = indented
		return
	case strings.HasPrefix(s, "@@ -"):
		d.sec.hunk = true
	case strings.HasPrefix(s, "- "):
		d.nestedMinus(s)
	case strings.HasPrefix(line, "+"):
		d.sec.added(strings.TrimSuffix(line[1:], "\r"))
	case strings.HasPrefix(line, "Binary files "):
		d.binary(line[len("Binary files "):])
	case isEdCommand(s):
		d.unsure(unsureEd)
	case d.sec.git && !indented:
		d.extended(line)
	}
	d.embedded(line)
}

func (d *differ) minus(raw string) {
	if d.sec.minus || d.sec.plus || d.sec.hunk {
		d.flush()
	}
	d.sec.minus = true
	if isDevNull(raw) && d.sec.git && !d.sec.created {
		d.keepDevNull(raw)
	}
	d.sec.created = d.sec.created || isDevNull(raw) || isEpoch(raw)
	d.sec.minusFile = d.header(raw, Write)
}

func (d *differ) plus(raw string) {
	if d.sec.plus || d.sec.hunk {
		d.flush()
	}
	d.sec.plus = true
	if isDevNull(raw) {
		if nothing := d.sec.minus && d.sec.created && !d.sec.minusFile; nothing || d.sec.git && !d.sec.deleted {
			d.keepDevNull(raw)
		}
	}
	d.sec.deleted = d.sec.deleted || isDevNull(raw) || isEpoch(raw)
	d.sec.plusFile = d.header(raw, Write)
}

// keepDevNull is for a "diff --git" part without the line that says that the
// file is new or deleted, and for a part of which both names are /dev/null: there
// git takes it for a name like any other, strips its first slash, and makes or
// takes a file dev/null.
func (d *differ) keepDevNull(raw string) {
	name, _, _ := strings.Cut(d.clean(raw), "\t")
	d.keep(strings.TrimPrefix(name, "/"), Write)
}

// nestedMinus reads "- - --- name", which patch(1) takes for a quoted mail.
func (d *differ) nestedMinus(s string) {
	for strings.HasPrefix(s, "- ") {
		s = s[2:]
	}
	if raw, ok := strings.CutPrefix(s, "--- "); ok {
		d.nested = true
		d.minus(raw)
		d.sec.indented = true
	}
}

// git starts the section of a "diff --git " line.
func (d *differ) git(raw string) {
	d.flush()
	d.sec.git = true
	raw = d.clean(raw)
	gitNames(raw, func(name string) { d.name(name, Write) })
}

// extended reads the header lines that git puts below "diff --git ".
func (d *differ) extended(line string) {
	whole := line // git keeps blanks at the end of a name
	line = strings.TrimRightFunc(line, isBlank)
	for _, h := range extendedHeaders {
		value, ok := strings.CutPrefix(line, h.text)
		if !ok {
			continue
		}
		named := h.named && d.header(whole[len(h.text):], h.op)
		d.sec.change = d.sec.change || h.change || named
		if h.set != nil {
			h.set(&d.sec)
		}
		if !h.named && (value == linkMode || strings.HasSuffix(value, " "+linkMode)) {
			d.sec.link = true
		}
		return
	}
}

// linkMode is the file mode that git gives to a symbolic link.
const linkMode = "120000"

// extendedHeaders are the lines below "diff --git " that say what happens.
var extendedHeaders = []struct {
	text   string
	named  bool // a name follows
	change bool // it is a change even without a hunk
	op     Op   // of the name
	set    func(*section)
}{
	{"old mode ", false, true, Mode, func(s *section) { s.mode = true }},
	{"new mode ", false, true, Mode, func(s *section) { s.mode = true }},
	{"new file mode ", false, true, Create, func(s *section) { s.created = true }},
	{"deleted file mode ", false, true, Delete, func(s *section) { s.deleted = true }},
	{"index ", false, false, Write, nil},
	{"rename from ", true, false, Rename, nil},
	{"rename to ", true, false, Rename, nil},
	{"rename old ", true, false, Rename, nil},
	{"rename new ", true, false, Rename, nil},
	{"copy from ", true, false, Copy, nil},
	{"copy to ", true, false, Copy, nil},
	{"GIT binary patch", false, true, Write, func(s *section) { s.hunk = true }},
}

// binary reads "Binary files a/x and b/x differ".
func (d *differ) binary(raw string) {
	raw, ok := strings.CutSuffix(strings.TrimRightFunc(raw, isBlank), " differ")
	first, second, found := strings.Cut(raw, " and ")
	if !ok || !found {
		return
	}
	d.header(first, Write)
	d.header(second, Write)
	d.sec.change = d.sec.change || d.sec.git
}

// embedded reads headers that stand behind a line end which only some appliers
// know. Header lines themselves are cut there, see clean.
func (d *differ) embedded(line string) {
	at, width := separator(line)
	for at >= 0 {
		line = line[at+width:]
		at, width = separator(line)
		part := line
		if at >= 0 {
			part = line[:at]
		}
		for _, prefix := range embeddedHeaders {
			if raw, ok := strings.CutPrefix(part, prefix); ok {
				d.header(raw, Write)
			}
		}
		if raw, ok := strings.CutPrefix(part, "diff --git "); ok {
			gitNames(raw, func(name string) { d.name(name, Write) })
		}
	}
}

var embeddedHeaders = []string{"+++ ", "--- ", "rename from ", "rename to ", "copy to "}

// header adds the name of a header to the section in every reading and reports
// whether there was one.
func (d *differ) header(raw string, op Op) bool {
	raw = d.clean(raw)
	if isDevNull(raw) {
		return false
	}
	found := false
	nameReadings(raw, func(name string) { found = d.name(name, op) || found })
	return found
}

// clean cuts a header value where some applier ends the line or the string.
func (d *differ) clean(raw string) string {
	raw = strings.TrimRight(raw, "\r")
	if at, _ := separator(strings.TrimRightFunc(raw, isBlank)); at >= 0 {
		d.unsure(unsureSeparator)
		raw = raw[:at]
	}
	if at := strings.IndexByte(raw, 0); at >= 0 {
		d.unsure(unsureNUL)
		raw = raw[:at]
	}
	return raw
}

// name adds one reading of a name and reports whether it names a file.
func (d *differ) name(name string, op Op) bool {
	if at := strings.IndexByte(name, 0); at >= 0 { // from an escape in quotes
		d.unsure(unsureNUL)
		name = name[:at]
	}
	if isDevNullStamp(name) || name == "" {
		return false
	}
	// git writes rename and copy names without a prefix.
	if op == Rename || op == Copy {
		d.keep(name, op)
		return true
	}
	stripReadings(name, func(text string) { d.keep(text, op) })
	return true
}

// keep adds a name to the section. A section of a real diff has a handful; the
// bound is for hostile text.
func (d *differ) keep(text string, op Op) {
	if len(d.sec.names) >= MaxPaths {
		d.unsure(unsureTooMany)
		return
	}
	d.sec.add(text, op)
}
