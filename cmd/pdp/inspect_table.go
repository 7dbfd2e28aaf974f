package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/agent-pdp/pdp/inspect"
)

// maxTrees is up to how many reports each has its tree: more are a list.
const maxTrees = 20

// printReports writes a table, and below it what is worth knowing of each path.
// What it colours stands last on its line, where the invisible bytes do not
// shift a column. Texts are broken at so many columns, if they are not 0; a command
// is not, since it is there to be copied.
func printReports(w *bufio.Writer, reports []pathReport, p palette, columns int) {
	most := maxPathColumn
	if columns > 0 {
		most = min(most, max(columns-leastFinding-len("  unknown  "), leastPathColumn))
	}
	width := len("PATH")
	for _, r := range reports {
		width = max(width, utf8.RuneCountInString(shownPath(r.Path, most)))
	}
	fmt.Fprintf(w, "%-*s  %-7s  %s\n", width, "PATH", "MODE", "FINDING")
	for _, r := range reports {
		colour, text := finding(r.Report)
		p.hang(w, columns, span{text: fmt.Sprintf("%s  %-7s  ", pad(shownPath(r.Path, most), width), shownMode(r.Report))}, span{colour, text})
	}
	for _, r := range reports {
		if len(reports) <= maxTrees {
			printDetails(w, r, p, columns)
		}
		if r.Remediation != nil && r.Remediation.Command != "" {
			fmt.Fprintf(w, "fix: %s\n", plain(r.Remediation.Command))
		}
	}
}

// shownMode has the special bits, such as the sticky one of /tmp.
func shownMode(r inspect.Report) string {
	if r.Mode == nil || r.Bits == nil {
		return inspect.FormatOctal(r.Bits)
	}
	return inspect.Octal(*r.Mode & 0o7777).String()
}

// maxPathColumn keeps the findings on the same line of a usual terminal; in a
// narrow one paths are cut shorter, and leave the findings some room.
const (
	maxPathColumn   = 44
	leastPathColumn = 16
	leastFinding    = 24
)

// shownPath keeps the end of a long path, which tells it from its neighbours.
func shownPath(path string, most int) string {
	runes := []rune(plain(path))
	if len(runes) <= most {
		return string(runes)
	}
	return "…" + string(runes[len(runes)-most+1:])
}

// pad counts characters; fmt would do so too, but not for a text that holds
// escapes.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

var systemError = regexp.MustCompile(`^(?:Error: )?(E[A-Z]+): (.+?), \w+ '.*'$`)

// missed says in plain words why a path could not be inspected. The report's own
// words are part of the contract.
func missed(text string) string {
	m := systemError.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	switch m[1] {
	case "ENOENT":
		return "there is no such file or directory"
	case "EACCES", "EPERM":
		return "the system does not permit a look (" + m[2] + ")"
	case "ENOTDIR":
		return "a part of this path is a file, not a directory"
	}
	return "cannot be inspected: " + m[2]
}

// finding sums a report up in the worst that it says.
func finding(r inspect.Report) (colour, text string) {
	switch {
	case !r.OK:
		return red, plain(missed(r.Error))
	case r.Error != "":
		return yellow, plain(r.Error)
	case r.Profile != nil && !r.Profile.Pass:
		return red, "fails " + string(r.Profile.Name) + ": " + plain(r.Profile.Failures[0])
	case r.Source == inspect.SourceUnknown:
		return yellow, "not verified"
	case len(r.Findings) > 0 && r.Findings[0].Severity != inspect.SeverityInfo:
		return severityColour[r.Findings[0].Severity], inShort(r.Findings[0])
	case r.Profile != nil:
		return green, "satisfies " + string(r.Profile.Name)
	case r.WorldWritable:
		return yellow, "everybody may write"
	case r.GroupWritable:
		return yellow, "its group may write"
	case r.WorldReadable:
		return yellow, "everybody may read"
	case r.GroupReadable:
		return yellow, "its group may read"
	}
	return green, "only its owner"
}

// inShort is a finding for a table; what is missing stands below it.
func inShort(f inspect.Finding) string {
	if f.Code == inspect.FindReplaceable {
		return "others may put something else in its place"
	}
	return plain(f.Detail)
}

var severityColour = map[inspect.Severity]string{
	inspect.SeverityCritical: red, inspect.SeverityWarning: yellow, inspect.SeverityInfo: faint,
}

// printDetails writes the findings, what a user may do, and the way to a path.
func printDetails(w *bufio.Writer, r pathReport, p palette, columns int) {
	if len(r.Findings) == 0 && r.Effective == nil && r.Profile == nil && len(r.Facts.ReplaceableAt) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", p.paint(bold, plain(r.Path)))
	if pr := r.Profile; pr != nil {
		verdict := p.paint(green, "pass")
		if !pr.Pass {
			verdict = p.paint(red, "fail")
		}
		fmt.Fprintf(w, "  profile %s: %s\n", pr.Name, verdict)
		p.hang(w, columns, span{text: "    rule: "}, span{text: pr.Rule})
		for _, why := range pr.Failures {
			p.hang(w, columns, blank(4), span{red, plain(why)})
		}
	}
	for _, f := range r.Findings {
		colour := severityColour[f.Severity]
		p.hang(w, columns, span{colour, "  " + pad(string(f.Severity), 8) + "  "}, span{colour, plain(f.Detail)})
	}
	if e := r.Effective; e != nil {
		fmt.Fprintf(w, "  user %d may: read %s, write %s, replace %s, traverse %s\n", e.UID, answer(e.Read), answer(e.Write), answer(e.Replace), answer(e.Traverse))
		for _, why := range e.Why {
			p.hang(w, columns, blank(4), span{faint, plain(why)})
		}
	}
	printWay(w, r, p, columns)
}

func answer(v *bool) string {
	switch {
	case v == nil:
		return "unknown"
	case *v:
		return "yes"
	}
	return "no"
}

// printWay draws the directories on the way as a tree, and the object at its end.
func printWay(w *bufio.Writer, r pathReport, p palette, columns int) {
	way := r.Facts.Ancestors
	for i, a := range way {
		head := fmt.Sprintf("  %s%s  %s  %s", branch(i), lastPart(a.Path, i), a.Mode, numbers(a.UID, a.GID))
		if a.Reason != "" {
			head += "  "
		}
		p.hang(w, columns, span{text: head}, span{red, plain(a.Reason)})
	}
	if o := r.Facts.Owner; o != nil && len(way) > 0 && r.Mode != nil {
		name := r.Facts.Resolved
		if name == "" {
			name = r.Path
		}
		mode := inspect.Octal(*r.Mode & 0o7777)
		fmt.Fprintf(w, "  %s%s  %s  %s\n", branch(len(way)), p.paint(bold, strings.TrimSuffix(lastPart(name, 1), "/")), mode, numbers(o.UID, o.GID))
	}
}

// maxIndent keeps a deep path on the screen.
const maxIndent = 16

func branch(depth int) string {
	if depth == 0 {
		return ""
	}
	return strings.Repeat("  ", min(depth, maxIndent)-1) + "└ "
}

func numbers(uid, gid uint32) string { return fmt.Sprintf("%d:%d", uid, gid) }

// lastPart is the name that a branch adds to the one above it.
func lastPart(path string, depth int) string {
	shown := plain(path)
	if depth == 0 || shown == "/" {
		return shown
	}
	return shown[strings.LastIndexByte(strings.TrimSuffix(shown, "/"), '/')+1:] + "/"
}

// progress draws a bar for a person who waits for a long batch.
type progress struct {
	w     io.Writer // nil: nobody looks
	total int
	drawn int
}

// longBatch is from how many paths on a person is told how far it is.
const longBatch = 1000

func newProgress(a *app, total int) *progress {
	if total <= longBatch || !isTerminal(a.stderr) || a.getenv("TERM") == "dumb" {
		return &progress{}
	}
	return &progress{w: a.stderr, total: total, drawn: -1}
}

const progressWidth = 40

func (b *progress) show(finished int) {
	if b.w == nil {
		return
	}
	full := progressWidth * finished / b.total
	if full == b.drawn {
		return
	}
	b.drawn = full
	fmt.Fprintf(b.w, "\r[%s%s] %d of %d", strings.Repeat("#", full), strings.Repeat(".", progressWidth-full), finished, b.total)
}

// clear leaves the line as it was.
func (b *progress) clear() {
	if b.w != nil && b.drawn >= 0 {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
