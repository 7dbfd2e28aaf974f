package decide

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agent-pdp/pdp/internal/programs"
	"github.com/agent-pdp/pdp/internal/shell"
)

// Analysis is what was understood of a call.
type Analysis struct {
	Commands   []AnalysedCommand
	Programs   []string // that run, wrappers and what is behind them
	Reads      []string // words of the command that may be files, which it does not write
	Writes     []string // files that the command plainly writes
	Hosts      []string // that the command names
	Opaque     string   // why nothing can vouch for the command; empty if lists can
	OpaqueText string   // the piece of the text that Opaque is about
	// Unsuggested is why an ask comes without suggestions, where that can be told.
	Unsuggested string
	Paths       []JudgedPath
	Host        string
}

// AnalysedCommand is one simple command of a shell text.
type AnalysedCommand struct {
	Words        []string
	Redirections []string // as in 2>&1
	Matched      string   // the list entry that vouches for it; empty if none does
	Needs        bool     // something has to vouch for it, and nothing does
	Restricted   *Restricted
}

// Restricted says that a list which restricts names a command.
type Restricted struct {
	List  string // deny or ask
	Names string // what it names, as in: the command "git push"
}

// analyse shows what was understood of the call.
func (f *facts) analyse() *Analysis {
	a := &Analysis{Unsuggested: f.noEntry}
	if f.runs {
		f.analyseCommand(a)
	}
	if f.writes {
		for i := range f.targets() {
			a.Paths = append(a.Paths, f.judged(&f.written[i], AccessWrite))
		}
	} else {
		for _, t := range f.pathArguments() {
			a.Paths = append(a.Paths, f.judged(&t, AccessRead))
		}
	}
	if f.fetches {
		if u, err := f.address(); err == nil {
			a.Host = u.Host
		}
	}
	return a
}

func (f *facts) analyseCommand(a *Analysis) {
	f.readCommand()
	a.Opaque, a.OpaqueText = f.command.Opaque(f.policy.matching), f.command.Piece(f.policy.matching)
	cover := f.coverage()
	missing := map[int]bool{}
	for _, i := range cover.Missing {
		missing[i] = true
	}
	for i := range f.command.Simples {
		s := &f.command.Simples[i]
		c := AnalysedCommand{Words: append([]string(nil), s.Words...), Redirections: redirections(s), Needs: missing[i]}
		if i < len(cover.Entries) {
			c.Matched = cover.Entries[i]
		}
		a.Commands = append(a.Commands, c)
	}
	opaque := f.command.Opaque(shell.Precise) != ""
	var mayRun []shell.Seen
	for _, seen := range f.commands() {
		if opaque && len(seen.Words) > 0 { // what may run, as far as it can be told
			a.Commands = append(a.Commands, AnalysedCommand{Words: seen.Words, Needs: true})
			mayRun = append(mayRun, seen)
		}
		for _, w := range f.programsOf(seen.Words) {
			a.Programs = appendNew(a.Programs, w)
		}
		for w, role := range seen.PathWords() {
			_, _, below := programs.CutBelow(w)
			switch {
			case role == shell.Landed && slices.ContainsFunc(a.Writes, func(dir string) bool { return strings.HasPrefix(w, dir+"/") }): // if that is a directory
			case role.Writes():
				a.Writes = appendNew(a.Writes, w)
			case below, len(seen.Words) == 0, w == seen.Words[0], strings.Contains(w, "://"):
			case strings.ContainsAny(w, "/."), f.policy.table.Reader(seen.Words, w):
				a.Reads = appendNew(a.Reads, w)
			}
		}
		for _, host := range f.hostsOf(seen) {
			a.Hosts = appendNew(a.Hosts, host)
		}
	}
	a.Reads = slices.DeleteFunc(a.Reads, func(w string) bool {
		return slices.Contains(a.Hosts, w[strings.LastIndexByte(w, '@')+1:])
	})
	f.noteRestricted(a.Commands, func(i int) []shell.Seen {
		if known := len(f.command.Simples); i >= known {
			return mayRun[i-known : i-known+1]
		}
		return f.command.SeenAlone(i)
	})
}

// programsOf returns the program of a command and, behind wrappers, xargs and
// find, the ones that they run.
func (f *facts) programsOf(words []string) []string {
	var list []string
	for i := range f.policy.table.Run(words) {
		if list = append(list, words[i]); len(list) == maxPrograms {
			break
		}
	}
	return list
}

// maxPrograms bounds the programs that are shown of one command.
const maxPrograms = 8

func redirections(s *shell.Simple) []string {
	var list []string
	for _, r := range s.Redirections() {
		text := r.Op + r.Target
		if r.FD >= 0 {
			text = strconv.Itoa(r.FD) + text
		}
		list = append(list, text)
	}
	return list
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
