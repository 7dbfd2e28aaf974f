package decide

import (
	"strconv"

	"github.com/agent-pdp/pdp/internal/hostname"
	"github.com/agent-pdp/pdp/internal/shell"
)

// deniedByPolicy and askByPolicy are the lists that restrict, of policy and
// context together.
func deniedByPolicy(f *facts) (refusal, bool) {
	return f.restricted(&f.policy.deny, &f.session.deny, refusal{Deny, CodeDeniedByPolicy, "the deny list names "})
}

func askByPolicy(f *facts) (refusal, bool) {
	return f.restricted(&f.policy.ask, &f.session.ask, refusal{Ask, CodeAskByPolicy, "the ask list names "})
}

func (f *facts) restricted(policy, session *restrictLists, r refusal) (refusal, bool) {
	for _, lists := range [...]*restrictLists{policy, session} {
		if what, hit := f.named(lists); hit {
			r.reason += what
			return r, true
		}
	}
	return refusal{}, false
}

// named returns what of the call the lists name.
func (f *facts) named(lists *restrictLists) (string, bool) {
	if len(lists.tools) > 0 {
		if glob, hit := lists.tool(foldName(f.call.Tool)); hit {
			return "the tool (" + glob + ")", true
		}
	}
	if f.runs && lists.looksAtCommands() {
		if what, hit := f.namedInCommand(lists); hit {
			return what, true
		}
	}
	if lists.domains.Len() > 0 && !fixedService[f.call.Tool] {
		if what, hit := f.namedDomain(&lists.domains); hit {
			return what, true
		}
	}
	if !lists.paths.Empty() {
		return f.namedPath(lists)
	}
	return "", false
}

// namedDomain looks at every address in the arguments, also at those that only
// some program would make one of.
func (f *facts) namedDomain(domains *hostname.Set) (string, bool) {
	for _, u := range f.addresses() {
		if e, hit := domains.MightCover(u); hit {
			return "the domain " + e.String(), true
		}
	}
	for _, text := range f.unreadable {
		e, hit, whole := domains.MightReach(text)
		if hit {
			return "the domain " + e.String() + ", which some program would find in " + strconv.Quote(clip(text)), true
		}
		if !whole {
			return "domains, and an address of this call is too long to be read", true
		}
	}
	if f.moreAddresses || len(f.unreadable) > maxAddresses {
		return "domains, and the call names more addresses than can be looked at", true
	}
	return "", false
}

func (f *facts) namedInCommand(lists *restrictLists) (string, bool) {
	commands := f.commands()
	entry, hit := "", false
	if f.seenAll {
		entry, hit = f.matchesFilled(&lists.commands, commands)
	} else { // a hit in any case; the reason names an entry if one stands far in front
		entry, hit = lists.commands.MatchesPlain(commands[:min(len(commands), unreadCommands)])
	}
	switch {
	case hit && entry != "":
		return "the command " + strconv.Quote(clip(entry)), true
	case hit:
		return "commands, and the words of this text may become too many to compare all of them", true
	}
	if !f.seenAll {
		return "commands, and this text is too long, too deep or decodes or rewrites what it runs, so that it cannot be read whole", true
	}
	if lists.domains.Len() > 0 {
		if what, hit := f.namedHost(&lists.domains, commands); hit {
			return what, true
		}
	}
	if !lists.paths.Empty() {
		words := f.shellWords()
		f.spend(ruleSteps * len(words))
		for i := range words {
			if rule, hit := f.matchPath(lists, &words[i].target); hit {
				return "the path " + strconv.Quote(clip(rule)), true
			}
			if rule, hit := words[i].inside(&lists.paths); hit {
				return "the path " + strconv.Quote(clip(rule.Pattern)) + ", all of which the command takes", true
			}
		}
		for _, rules := range f.readings(lists) {
			for i := range words {
				if rule, hit := f.mayName(&words[i], rules); hit {
					return "the path " + strconv.Quote(clip(rule.Pattern)), true
				}
			}
			if rule, hit := f.namedInCode(rules); hit {
				return "the path " + strconv.Quote(clip(rule.Pattern)), true
			}
		}
		if !f.seenAll {
			return "paths, and this text names too many to look at all of them", true
		}
	}
	if !f.seenAll { // it has become too much
		return "commands or domains, and this text has too many to look at all of them", true
	}
	return "", false
}

// matchesFilled compares commands with a list by what the shell may make of their
// words, at its cost.
func (f *facts) matchesFilled(list *shell.Restrictions, commands []shell.Seen) (entry string, hit bool) {
	left := shell.MaxFilled
	entry, hit = list.Matches(commands, &left)
	f.spend(passing(commands) + filledSteps*(shell.MaxFilled-left))
	return entry, hit
}

// unreadCommands is how many commands are compared with a list that a text hits
// anyway, to say which entry it is.
const unreadCommands = 64

// namedHost looks at the hosts of commands as they are written, and as what the
// shell makes of them.
func (f *facts) namedHost(domains *hostname.Set, commands []shell.Seen) (string, bool) {
	filled, whole := f.filledIn()
	f.spend(passing(commands) + passing(filled))
	found := newCommandHosts()
	for _, list := range [...][]shell.Seen{commands, filled, hostTexts(commands)} {
		hosts := make([][]string, len(list)) // that programs take for hosts
		for i, c := range list {
			var all bool
			if hosts[i], all = f.policy.table.Hosts(c.Words); !all {
				return "domains, and this command names too many hosts to look at all of them", true
			}
			urls, all := found.of(c, hosts[i])
			whole = whole && all
			for _, u := range urls {
				if e, hit := domains.MightCover(u); hit {
					return "the domain " + e.String(), true
				}
			}
		}
		if what, hit := doubtfulHost(domains, list, hosts); hit {
			return what, true
		}
	}
	if !whole {
		return "domains, and the words of this command may become too many to look at all of them", true
	}
	return "", false
}

func (f *facts) namedPath(lists *restrictLists) (string, bool) {
	list := f.pathArguments()
	if f.writes {
		list = f.targets()
	}
	for i := range list {
		if list[i].err != nil {
			return "paths, and one of this call cannot be read", true
		}
		if rule, hit := f.matchPath(lists, &list[i]); hit {
			return "the path " + strconv.Quote(clip(rule)), true
		}
	}
	if f.writes {
		return "", false
	}
	rule, hit := f.aimedAt(lists)
	if !hit {
		rule, hit = f.namedInRevision(lists)
	}
	return "the path " + strconv.Quote(clip(rule)), hit
}
