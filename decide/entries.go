package decide

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pdp/pdp/internal/shell"
)

// compileCommands compiles a list of commands that run without asking. bad is
// told of entries that can match no command, which are left out; idle of those
// that vouch for less than they seem to.
func (p *Policy) compileCommands(entries []string, bad, idle report) shell.Prefixes {
	if len(entries) == 0 {
		return shell.Prefixes{}
	}
	const pointer = "/allowed_commands"
	usable := make([]string, 0, len(entries))
	index := make([]int, 0, len(entries))
	for i, entry := range entries {
		words := entryWords(entry)
		if err := unmatchable(entry, words); err != nil {
			bad(fmt.Sprintf("%s/%d", pointer, i), "%q %v", clip(entry), err)
			continue
		}
		usable, index = append(usable, entry), append(index, i)
		if why := p.idle(entry, words); why != "" {
			idle(fmt.Sprintf("%s/%d", pointer, i), "%q %s", clip(entry), why)
		}
	}
	prefixes, errs := shell.CompilePrefixes(usable)
	for _, e := range errs {
		bad(fmt.Sprintf("%s/%d", pointer, index[e.Index]), "%q %v", clip(e.Entry), e.Err)
	}
	return prefixes
}

// entryWords are the words of an entry; none of one that is no command.
func entryWords(entry string) []string {
	if !strings.ContainsAny(entry, "\\'\"") {
		return strings.FieldsFunc(entry, func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) })
	}
	words, err := shell.Split(entry)
	if err != nil {
		return nil
	}
	return words
}

var (
	errWildcard   = errors.New("has a * where none means anything: an entry is the beginning of a command, word for word; leave the * out")
	errAnything   = errors.New("lets nothing run, as * is no wildcard; list the commands that may run")
	errAssignment = errors.New("begins with an assignment, which is no part of a command's words; write the command alone")
	errFilledIn   = errors.New("begins with a name that only a shell can fill in, and such a command always asks; write the program's name or absolute path")
	errKeyword    = errors.New("begins with a word of the shell's language, which is no program; list the commands by themselves")
)

// unmatchable says why no command can be one that an entry vouches for.
func unmatchable(entry string, words []string) error {
	if len(words) == 0 {
		return nil // the list's compiler says more
	}
	program := words[0]
	switch {
	case len(words) == 1 && strings.Trim(program, "*") == "":
		return errAnything
	case len(words) > 1 && strings.Trim(words[len(words)-1], "*") == "" && words[len(words)-1] != "" && !quotes(entry):
		return errWildcard
	case isAssigned(program):
		return errAssignment
	case strings.ContainsAny(program, "*?$`{") && program != "{" || program[:min(1, len(program))] == "~":
		return errFilledIn
	case slices.Contains(keywords, program):
		return errKeyword
	}
	return nil
}

var keywords = strings.Fields("! { } [[ ]] if then elif else fi for while until do done case esac select function coproc in")

func quotes(entry string) bool { return strings.ContainsAny(entry, "\\'\"") }

// isAssigned reports whether a word sets a variable for the command behind it.
func isAssigned(word string) bool {
	name, _, assigned := strings.Cut(word, "=")
	name = strings.TrimSuffix(name, "+")
	return assigned && name != "" && !('0' <= name[0] && name[0] <= '9') && strings.IndexFunc(name, notOfAName) < 0
}

func notOfAName(r rune) bool {
	return r != '_' && !('0' <= r && r <= '9') && !('a' <= r|0x20 && r|0x20 <= 'z')
}

// idle says what an entry seems to vouch for and does not.
func (p *Policy) idle(entry string, words []string) string {
	switch {
	case len(words) == 0 || words[0] == "":
		return ""
	case strings.Contains(entry, "*") && !quotes(entry):
		return "compares the * as it stands, not as a wildcard; write the words before it"
	default:
		return p.table.Idle(words, p.matching)
	}
}
