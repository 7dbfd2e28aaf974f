package main

import (
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
		Commands   []explainedCommand `json:"commands"`
		Programs   []string           `json:"programs"`
		Reads      []string           `json:"reads"`
		Writes     []string           `json:"writes"`
		Hosts      []string           `json:"hosts"`
		Opaque     string             `json:"opaque"`
		OpaqueText string             `json:"opaque_text"`
	} `json:"analysis"`

	command  string
	matching string
	policy   string
}

type explainedCommand struct {
	Words        []string `json:"words"`
	Redirections []string `json:"redirections"`
	Matched      string   `json:"matched"`
	Needs        bool     `json:"needs_approval"`
}

// What a person can take in. JSON has all of it.
const (
	maxShownCommands = 24
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
		list = append(list, drawn{c.row(), e.note(c), c.writes(e.Analysis.Writes)})
	}
	return list, more
}

func (e *explanation) note(c *explainedCommand) row {
	switch {
	case c.Matched != "":
		return row{{green, "✓ " + shown(c.Matched)}}
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

// noEntry is how much it matters that no list entry vouches for a command: not
// at all, if the call may run for another reason.
var noEntry = map[string]string{"allow": "skipped", "ask": "ask", "deny": "ask"}

func (e *explanation) drawCommands(s *sheet, list []drawn, more int) {
	for i, c := range list {
		branch, below := "├─ ", "│  "
		if i == len(list)-1 && more == 0 {
			branch, below = "└─ ", "   "
		}
		s.pair(append(row{{faint, branch}}, c.words...).cut(s.at-2), c.note.cut(s.columns-s.at))
		if len(c.writes) > 0 && len(list) > 1 {
			s.add(row{{faint, below + "writes  "}, {yellow, items(c.writes)}}.cut(s.columns))
		}
	}
	if more > 0 {
		s.add(row{{faint, fmt.Sprintf("└─ … %d more", more)}})
	}
}

func (e *explanation) drawFacts(s *sheet) {
	s.fact("programs", items(e.Analysis.Programs))
	s.fact("reads", items(e.Analysis.Reads))
	s.fact("writes", items(e.Analysis.Writes))
	s.fact("hosts", items(e.Analysis.Hosts))
	check, why := e.check()
	s.fact("why", strings.TrimPrefix(e.Reason, "someone must approve this call: "))
	s.fact("check", check)
	for _, also := range why {
		s.fact("also", also)
	}
	s.fact("rule", e.Rule)
	s.fact("suggest", e.suggestion())
	for _, w := range e.Warnings {
		s.fact("warning", w)
	}
	s.fact("then", strings.Join(e.Obligations, ", "))
	s.fact("under", fmt.Sprintf("policy %s, %s matching, mode %s, risk %s", e.policy, e.matching, e.Mode, orUnclassified(e.Risk)))
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
