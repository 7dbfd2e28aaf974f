package decide

import "github.com/agent-pdp/pdp/internal/shell"

// What is looked at to tell the command that a list names. Of a larger text the
// reason of the decision says which entry it is.
const (
	maxToldCommands = 16
	maxToldText     = 1 << 10 // bytes
	maxToldWork     = 128     // commands that these run, and words that may be paths
)

// noteRestricted notes which commands the lists that restrict name, each taken
// by itself. The lists have judged the whole text, and what its commands
// make of each other: where one is named by that alone, none is marked.
func (f *facts) noteRestricted(commands []AnalysedCommand, alone func(i int) []shell.Seen) {
	if len(commands) > maxToldCommands || len(f.commandText) > maxToldText {
		return
	}
	left := maxToldWork
	parts := make([][]shell.Seen, len(commands))
	for _, list := range [...]struct {
		name  string
		lists *restrictLists
	}{
		{"deny", &f.policy.deny}, {"deny", &f.session.deny}, {"ask", &f.policy.ask}, {"ask", &f.session.ask},
	} {
		if !list.lists.looksAtCommands() {
			continue
		}
		if _, hit := f.namedInCommand(list.lists); !hit {
			continue
		}
		before := f.variablesSet()
		for i := range commands {
			if commands[i].Restricted != nil {
				continue
			}
			if left <= 0 {
				return
			}
			if parts[i] == nil {
				parts[i] = alone(i)
			}
			only := f.only(append(before[:len(before):len(before)], parts[i]...))
			names, hit := only.namedInCommand(list.lists)
			left -= len(parts[i]) + len(only.words)
			if hit {
				commands[i].Restricted = &Restricted{list.name, names}
			} else {
				before = append(before, changesOf(parts[i])...)
			}
		}
	}
}

// only is the call as if its text ran these commands alone.
func (f *facts) only(commands []shell.Seen) *facts {
	part := &facts{policy: f.policy, session: f.session, call: f.call, sight: f.sight}
	part.lookups.sight = f.sight
	part.classify()
	part.commandRead, part.command, part.commandText, part.commandOK = true, f.command, f.commandText, f.commandOK
	part.seenRead, part.seenAll, part.seen = true, true, commands
	return part
}

// variablesSet are the variables that the text sets, anywhere.
func (f *facts) variablesSet() (sets []shell.Seen) {
	for _, c := range f.commands() {
		if len(c.Sets) > 0 {
			sets = append(sets, shell.Seen{Sets: c.Sets})
		}
	}
	return sets
}

// changesOf are the commands that change the directory for those behind them.
func changesOf(commands []shell.Seen) (changes []shell.Seen) {
	for _, c := range commands {
		if _, ok := c.ChangesTo(); ok {
			changes = append(changes, c)
		}
	}
	return changes
}
