package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// explanation is the part of an answer that explains a command, with what the
// person asked.
type explanation struct {
	shownDecision
	Suggestions []string `json:"suggestions"`
	Revision    string   `json:"policy_revision"`
	Analysis    struct {
		Commands    []explainedCommand `json:"commands"`
		Programs    []string           `json:"programs"`
		Reads       []string           `json:"reads"`
		Writes      []string           `json:"writes"`
		Hosts       []string           `json:"hosts"`
		Opaque      string             `json:"opaque"`
		OpaqueText  string             `json:"opaque_text"`
		Unsuggested string             `json:"unsuggested"`
		Paths       []explainedPath    `json:"paths"`
		Host        string             `json:"host"`
	} `json:"analysis"`

	tool     string
	command  string // the text for a shell; empty for another call
	matching string
	policy   string
	// onlyStrict says that precise matching would let it run.
	onlyStrict bool
	checks     shownChecks
}

// shownChecks says how much is told of the checks that did not decide.
type shownChecks uint8

const (
	untold shownChecks = iota
	folded
	listed
)

type explainedPath struct {
	Given    string `json:"given"`
	Resolved string `json:"resolved"`
	Root     string `json:"root"`
	Writable bool   `json:"writable"`
	Access   string `json:"access"`
}

type explainedCommand struct {
	Words        []string `json:"words"`
	Redirections []string `json:"redirections"`
	Matched      string   `json:"matched"`
	Needs        bool     `json:"needs_approval"`

	Restricted *struct {
		List  string `json:"list"`
		Names string `json:"names"`
	} `json:"restricted"`

	inside       []explainedCommand // of the text that it gives a shell
	opaqueInside bool
}

// read takes over an answer, and what the request was about.
func (e *explanation) read(request, answer []byte) error {
	var r struct {
		Call struct {
			Tool      string `json:"tool_name"`
			Arguments struct {
				Command any `json:"command"`
			} `json:"arguments"`
		} `json:"call"`
	}
	if err := json.Unmarshal(request, &r); err != nil {
		return err
	}
	if err := json.Unmarshal(answer, e); err != nil {
		return err
	}
	e.tool = r.Call.Tool
	if text, ok := r.Call.Arguments.Command.(string); ok && (len(e.Analysis.Commands) > 0 || e.Analysis.Opaque != "") {
		e.command = text
	}
	return nil
}

// What a person can take in. JSON has all of it.
const (
	maxShownCommands = 24
	maxShownInside   = 8
	maxShownItems    = 16
	maxShownWord     = 48 // columns
)

// draw shows the command with the verdict beside it, the commands in it below,
// and then what holds for all of them.
func (e *explanation) draw(p palette, columns int) string {
	s := sheet{columns: columns}
	text, marked := e.text(columns)
	commands, more := e.shownCommands()
	s.gauge(text, commands)
	e.drawText(&s, text, marked)
	e.drawCommands(&s, commands, more)
	e.drawFacts(&s)
	return s.paint(p)
}

// text is the command as it was given, with the opaque piece marked.
func (e *explanation) text(columns int) (lines []markedLine, marked bool) {
	from, to := locate(e.command, e.Analysis.OpaqueText)
	if e.command == "" {
		return []markedLine{{row: row{{bold, cut(shown(e.tool), columns)}}}}, false
	}
	return markedLines(e.command, from, to, columns), from < to
}

func (e *explanation) drawText(s *sheet, text []markedLine, marked bool) {
	verdict := e.verdict()
	beside := len(text) == 1 && s.fits(text[0].row, verdict)
	if !beside {
		s.add(verdict)
	}
	last := -1
	for i, line := range text {
		if line.to > line.from {
			last = i
		}
	}
	skipped := 0
	for i, line := range text {
		if i >= maxShownLines && line.to == line.from {
			skipped++
			continue
		}
		if beside {
			s.pair(line.row, verdict)
		} else {
			s.add(line.row)
		}
		if line.to == line.from {
			continue
		}
		carets := row{blank(line.from), {red, strings.Repeat("^", line.to-line.from)}}
		if reason := (row{{text: " "}, {red, shown(e.Analysis.Opaque)}}); i == last && carets.width()+reason.width() <= s.columns {
			carets = append(carets, reason...)
			last = -1
		}
		s.add(carets)
	}
	if skipped > 0 {
		s.add(row{{faint, fmt.Sprintf("… %d more lines", skipped)}})
	}
	if e.Analysis.Opaque != "" && (!marked || last >= 0) {
		s.fact("opaque", e.Analysis.Opaque)
	}
}

func (e *explanation) verdict() row {
	r := row{{bold + ";" + outcomeColours[e.Outcome], strings.ToUpper(e.Outcome)}}
	if e.HumanOnly {
		r = append(r, span{text: "  a person only"})
	}
	return append(r, span{text: "  "}, span{faint, e.Code})
}

// drawn is a command as the tree shows it.
type drawn struct {
	words, note row
	writes      []string
	inside      []drawn
}

// shownCommands are the commands without repetition: of a text that could not
// be read, the same may be found in more than one way.
func (e *explanation) shownCommands() (list []drawn, more int) {
	var texts []string
	for i := range e.Analysis.Commands {
		c := &e.Analysis.Commands[i]
		text := c.text()
		if slices.Contains(texts, text) {
			continue
		}
		if len(list) == maxShownCommands {
			more++
			continue
		}
		texts = append(texts, text)
		list = append(list, e.drawn(c))
	}
	return list, more
}

func (e *explanation) drawn(c *explainedCommand) drawn {
	d := drawn{words: c.row(), note: e.note(c), writes: c.writes(e.Analysis.Writes)}
	for i := range c.inside[:min(len(c.inside), maxShownInside)] {
		child := &c.inside[i]
		below := e.drawn(child)
		if child.Restricted == nil && (e.matching == "strict" || c.opaqueInside && child.Matched == "") {
			below.note = row{{faint, "? no list can vouch for it"}}
		}
		d.inside = append(d.inside, below)
	}
	if more := len(c.inside) - len(d.inside); more > 0 {
		d.inside = append(d.inside, drawn{words: row{{faint, fmt.Sprintf("… %d more", more)}}})
	}
	return d
}

func (e *explanation) note(c *explainedCommand) row {
	switch {
	case c.Restricted != nil:
		return row{{outcomeColours[c.Restricted.List], "✗ " + c.Restricted.List + " list: " + shown(c.Restricted.Names)}}
	case len(c.inside) > 0 && c.Matched != "":
		return row{{green, "✓ all of its text"}}
	case len(c.inside) > 0 && e.Analysis.Opaque == "" && e.matching != "strict" && c.Needs:
		return row{{outcomeColours[noEntry[e.Outcome]], "✗ not all of its text"}}
	case c.Matched != "":
		return row{{green, "✓ " + shown(c.Matched)}}
	case e.Analysis.Opaque != "" && e.Code == codeAllowlisted:
		return row{{green, "✓ an entry that is the whole text"}}
	case e.Analysis.Opaque != "" && len(e.Analysis.Commands) > 0:
		return row{{faint, "? no list can vouch for it"}}
	case c.Needs:
		return row{{outcomeColours[noEntry[e.Outcome]], "✗ no list entry vouches for it"}}
	case e.matching == "strict":
		return row{{faint, "? no list can vouch for it"}}
	case len(c.Words) > 0 && c.Words[0] == "cd":
		return row{{faint, "· changes the directory"}}
	default:
		return row{{faint, "· needs no entry"}}
	}
}

// codeAllowlisted is the code of a command for which a list vouches.
const codeAllowlisted = "command_allowlisted"

// noEntry is how much it matters that no list entry vouches for a command: not
// at all, if the call may run for another reason.
var noEntry = map[string]string{"allow": "skipped", "ask": "ask", "deny": "ask"}

func (e *explanation) drawCommands(s *sheet, list []drawn, more int) {
	if more > 0 {
		list = append(list, drawn{words: row{{faint, fmt.Sprintf("… %d more", more)}}})
	}
	s.tree("", list)
}

// tree draws commands and those inside them; lines lead to what is below.
func (s *sheet) tree(lines string, list []drawn) {
	for i, c := range list {
		branch, below := lines+"├─ ", lines+"│  "
		if i == len(list)-1 {
			branch, below = lines+"└─ ", lines+"   "
		}
		words := append(row{{faint, branch}}, c.words...)
		if len(c.note) == 0 {
			s.add(words.cut(s.columns))
			continue
		}
		s.pair(words.cut(s.at-2), c.note.cut(s.columns-s.at))
		if len(c.writes) > 0 && (len(list) > 1 || lines != "") {
			s.add(row{{faint, below + "writes  "}, {yellow, items(c.writes)}}.cut(s.columns))
		}
		s.tree(below, c.inside)
	}
}

func (e *explanation) drawFacts(s *sheet) {
	s.fact("programs", items(e.Analysis.Programs))
	s.fact("reads", items(e.Analysis.Reads))
	s.fact("writes", items(e.Analysis.Writes))
	s.fact("hosts", items(e.Analysis.Hosts))
	s.fact("host", e.Analysis.Host)
	for i, path := range e.Analysis.Paths[:min(len(e.Analysis.Paths), maxShownItems)] {
		s.fact([]string{"paths", ""}[min(i, 1)], path.describe())
	}
	if more := len(e.Analysis.Paths) - maxShownItems; more > 0 {
		s.fact("", fmt.Sprintf("… %d more", more))
	}
	check, why := e.check()
	s.fact("why", strings.TrimPrefix(e.Reason, "someone must approve this call: "))
	s.fact("check", check)
	for _, also := range why {
		s.fact("also", also)
	}
	s.fact("rule", e.Rule)
	s.fact("suggest", e.suggestion())
	if e.onlyStrict {
		s.fact("or", "it would run with command_matching: precise")
	}
	for _, w := range e.Warnings {
		s.fact("warning", w)
	}
	s.fact("then", strings.Join(e.Obligations, ", "))
	under := []string{"policy " + e.policy, "mode " + e.Mode, "risk " + orUnclassified(e.Risk)}
	if e.command != "" {
		under = slices.Insert(under, 1, e.matching+" matching")
	}
	s.fact("under", strings.Join(under, ", "))
	e.drawTrace(s)
}

// drawTrace lists the checks, or says how many found nothing in the way.
func (e *explanation) drawTrace(s *sheet) {
	passed, longest := 0, 0
	for _, step := range e.Trace {
		if step.Result == "pass" {
			passed++
		}
		longest = max(longest, len(step.Check))
	}
	switch e.checks {
	case untold:
		return
	case folded:
		s.fact("passed", fmt.Sprintf("%d of %s; --verbose lists them", passed, count(len(e.Trace), "check")))
		return
	}
	s.add(nil)
	for _, step := range e.Trace {
		name := fmt.Sprintf("%-*s  %-*s  ", keyWidth-1, step.Kind, longest, step.Check)
		colour := outcomeColours[step.Result]
		details := wrap(shown(step.Detail), max(s.columns-len(name)-len("skipped  "), leastLeft))
		first := ""
		if len(details) > 0 {
			first, details = "  "+details[0], details[1:]
			first = strings.Repeat(" ", len("skipped")-len(step.Result)) + first
		}
		s.add(row{{faint, name}, {colour, step.Result}, {text: first}}.cut(s.columns))
		for _, line := range details {
			s.add(row{blank(len(name) + len("skipped  ")), {text: line}}.cut(s.columns))
		}
	}
}

func (p explainedPath) describe() string {
	text := p.Access + " " + quoted(p.Given)
	if p.Resolved != "" && p.Resolved != p.Given {
		text += ", which is " + quoted(p.Resolved)
	}
	switch {
	case p.Root == "":
		return text + ", in no root"
	case p.Writable:
		return text + ", in the writable root " + quoted(p.Root)
	default:
		return text + ", in the read-only root " + quoted(p.Root)
	}
}

// check names the check that decided, and what others found that would have
// stopped the call as well.
func (e *explanation) check() (decided string, also []string) {
	for _, step := range e.Trace {
		switch {
		case step.Result == "pass" || step.Result == "skipped":
		case decided == "" && step.Result == e.Outcome && (step.Result == "allow" || step.Detail == e.Reason):
			decided = step.Kind + " " + step.Check
		case step.Result != "allow":
			also = append(also, step.Result+", "+step.Check+": "+step.Detail)
		}
	}
	return decided, also
}

func (e *explanation) suggestion() string {
	if len(e.Suggestions) == 0 {
		if why := e.Analysis.Unsuggested; why != "" && why != e.Reason && !strings.HasSuffix(e.Reason, ": "+why) {
			return "none: " + why
		}
		return ""
	}
	entries := make([]string, len(e.Suggestions))
	for i, entry := range e.Suggestions {
		entries[i] = quoted(entry)
	}
	return "it would run with allowed_commands: " + strings.Join(entries, ", ")
}

func items(list []string) string {
	more := ""
	if n := len(list) - maxShownItems; n > 0 {
		list, more = list[:maxShownItems], fmt.Sprintf(", … %d more", n)
	}
	texts := make([]string, len(list))
	for i, text := range list {
		texts[i] = cut(quoted(text), maxShownWord)
	}
	return strings.Join(texts, ", ") + more
}

func (c *explainedCommand) text() string {
	return strings.Join(c.Words, "\x00") + "\x00\x00" + strings.Join(c.Redirections, "\x00")
}

// row shows the program, its words, and its redirections.
func (c *explainedCommand) row() row {
	var r row
	for i, word := range c.Words {
		if i == 0 {
			r = append(r, span{bold, cut(quoted(word), maxShownWord)})
			continue
		}
		r = append(r, span{text: " " + cut(quoted(word), maxShownWord)})
	}
	for _, redirection := range c.Redirections {
		if len(r) > 0 {
			redirection = " " + redirection
		}
		r = append(r, span{text: cut(shown(redirection), maxShownWord)})
	}
	return r
}

// writes are the files of the list that this command names. What is thrown away
// is no news.
func (c *explainedCommand) writes(files []string) []string {
	var mine []string
	for _, file := range files {
		if file == os.DevNull {
			continue
		}
		if slices.Contains(c.Words, file) || slices.ContainsFunc(c.Redirections, func(r string) bool {
			return strings.TrimLeft(r, "0123456789<>&|") == file
		}) {
			mine = append(mine, file)
		}
	}
	return mine
}

// quoted shows where a word begins and ends, if it does not show by itself. It
// is for the eye: a $ may be one that the shell fills in.
func quoted(word string) string {
	if word == "" || strings.ContainsAny(word, " \t\n'\"\\;|&<>") {
		return "'" + shown(strings.ReplaceAll(word, "'", `'\''`)) + "'"
	}
	return shown(word)
}
