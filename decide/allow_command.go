package decide

import (
	"github.com/agent-pdp/pdp/internal/shell"
)

// commandAllowlisted lets a command run if entries of the operator's list vouch
// for every part of it, and it points nowhere that they do not vouch for.
func commandAllowlisted(f *facts) (grant, bool) {
	if !f.judgedAsCommand() {
		return grant{}, false
	}
	if f.readCommand(); !f.commandOK {
		return grant{reason: "the command is missing or not a text"}, false
	}
	if f.policy.matching == shell.Strict && f.policy.allow.commands.Empty() && f.session.allow.commands.Empty() {
		return grant{}, false
	}
	cover := f.coverage()
	if !cover.Covered {
		return grant{reason: cover.Why}, false
	}
	if why := f.pointsElsewhere(cover); why != "" {
		return grant{reason: why}, false
	}
	return grant{code: CodeCommandAllowlisted, reason: "every command is on the allowlist"}, true
}

// coverage asks the lists of policy and session about the command, once.
func (f *facts) coverage() *shell.Coverage {
	if !f.coverRead {
		f.coverRead = true
		f.listBuf = [2]shell.Prefixes{f.policy.allow.commands, f.session.allow.commands}
		f.cover = f.command.Cover(f.policy.matching, shell.Lists{Table: f.policy.table, Prefixes: f.listBuf[:]})
	}
	return &f.cover
}

// pointsElsewhere says why a command that is vouched for asks all the same:
// the lists judge what a command does, not where.
func (f *facts) pointsElsewhere(cover *shell.Coverage) string {
	dirs, why := f.follow(cover.Changes)
	if why != "" {
		return why
	}
	if why := f.inputsInside(cover.Inputs, dirs); why != "" {
		return why
	}
	if why := f.outputsAllowed(cover.Outputs, dirs); why != "" {
		return why
	}
	for _, c := range append([]*shell.Command{&f.command}, cover.Inner...) {
		if why := f.codeInside(c, dirs); why != "" {
			return why
		}
		if address := f.fileAddress(c); address != "" {
			return "the command may read the file of " + clip(address)
		}
		if address := f.credentialAddress(c); address != "" {
			return "the command asks " + clip(address) + ", which may hand out credentials or take orders"
		}
		if dir, hit := f.sweeps(c, dirs); hit {
			return "the command reads everything below " + clip(dir) + ", where credentials are kept"
		}
	}
	if name := f.credential(dirs); name != "" {
		return namesCredentials(name)
	}
	return ""
}

// judgedAsCommand reports whether a word for the command is a word for the
// call: for the shell, and for a tool that an operator says is one. It is not
// for a tool that is known to do something else, whatever an override says.
func (f *facts) judgedAsCommand() bool {
	return f.risk == Exec && (f.own == Exec || f.own == Unclassified)
}

// follow resolves the directories that a text changes to; all of them must lie
// below a root: a list that vouches for cat does not vouch for cat in /etc.
func (f *facts) follow(changes []shell.Change) (dirs []string, why string) {
	for _, c := range changes {
		place := f.session.place
		if c.From >= 0 {
			place.Cwd = dirs[c.From]
		}
		abs, err := place.Absolute(c.Dir)
		if err != nil {
			return nil, err.Error()
		}
		resolved, err := f.resolveWord(abs)
		if err != nil {
			return nil, err.Error()
		}
		if _, inside := f.holder(resolved.Path); !inside {
			return nil, "the command changes to a directory outside every root"
		}
		dirs = append(dirs, resolved.Path)
	}
	return dirs, ""
}

// located resolves the target of a redirection from every directory that the
// text may be in: a cd may have failed.
func (f *facts) located(file shell.File, dirs []string) []target {
	list := []target{f.locateAt(file.Name, f.session.place.Cwd)}
	for _, dir := range dirs {
		list = append(list, f.locateAt(file.Name, dir))
	}
	return list
}

func (f *facts) locateAt(given, dir string) target {
	t := target{given: given}
	if t.abs, t.err = f.placeAt(dir).Absolute(given); t.err == nil {
		t.resolved, t.err = f.resolveWord(t.abs)
	}
	return t
}

func (f *facts) inputsInside(files []shell.File, dirs []string) string {
	for _, file := range files {
		for _, t := range f.located(file, dirs) {
			if t.err != nil {
				return t.err.Error()
			}
			if _, inside := f.holder(t.resolved.Path); !inside {
				return "the command reads " + clip(file.Name) + ", outside every root"
			}
			for _, name := range [...]string{file.Name, t.abs, t.resolved.Path} {
				if rule, hit := f.credentialPath(name); hit {
					return namesCredentials(rule)
				}
			}
		}
	}
	return ""
}

// outputsAllowed lets a redirection write only where a call of write_file
// would be let through by itself.
func (f *facts) outputsAllowed(files []shell.File, dirs []string) string {
	if len(files) == 0 {
		return ""
	}
	if f.session.mode != Custom || !f.session.allow.tools["write_file"] && !f.policy.allow.tools["write_file"] {
		return "the command writes to " + clip(files[0].Name)
	}
	if f.session.pathsMode == PathsLexical && !f.policy.trustText {
		return "the command writes to " + clip(files[0].Name) + ", and links in the path cannot be seen"
	}
	for _, file := range files {
		for _, t := range f.located(file, dirs) {
			held, inside := f.holder(t.resolved.Path)
			if t.err != nil || !inside || !held.writable || t.resolved.Links > 1 {
				return "the command writes to " + clip(file.Name)
			}
		}
	}
	return ""
}

// commandGranted honours a person's click for exactly this text. The click
// was for what the command did then, so it does not cover one that runs a file
// which may have changed since.
func commandGranted(f *facts) (grant, bool) {
	if !f.judgedAsCommand() || !f.sessionGrants() || len(f.session.grants.commands) == 0 {
		return grant{}, false
	}
	if f.readCommand(); !f.commandOK {
		return grant{}, false
	}
	granted, ok := f.session.grants.commands[f.commandText]
	if !ok {
		return grant{}, false
	}
	if !f.unchanged(granted) {
		return grant{reason: "the granted command runs a file, which may have changed since"}, false
	}
	return grant{code: CodeCommandGranted, reason: "exactly this command was granted for the session"}, true
}

// readOnlyCommand honours a person's click for commands that only read: the
// classifier vets what a command does, the roots what it reads; without both,
// "read only" would cover ~/.aws/credentials.
func readOnlyCommand(f *facts) (grant, bool) {
	if !f.judgedAsCommand() || !f.sessionGrants() || !f.session.grants.readOnlyCommands {
		return grant{}, false
	}
	if f.readCommand(); !f.commandOK {
		return grant{reason: "the command is missing or not a text"}, false
	}
	if !f.command.ReadOnly(f.policy.table) {
		return grant{reason: "the command may do more than read"}, false
	}
	for _, given := range f.command.Reads(f.policy.table) {
		t := f.locate(given)
		if t.err != nil {
			return grant{reason: t.err.Error()}, false
		}
		if _, inside := f.holder(t.resolved.Path); !inside {
			return grant{reason: "the command may read " + clip(given) + ", outside every root"}, false
		}
	}
	if name := f.credential(nil); name != "" {
		return grant{reason: namesCredentials(name)}, false
	}
	return grant{code: CodeReadOnlyCommand, reason: "the command only reads, below the roots"}, true
}

// suggestions returns the list entries that would have let the command run:
// what a person may safely add who is asked about it.
func (f *facts) suggestions() []string {
	if !f.judgedAsCommand() {
		return nil
	}
	if f.readCommand(); !f.commandOK {
		return nil
	}
	lists := shell.Lists{Table: f.policy.table, Prefixes: []shell.Prefixes{f.policy.allow.commands, f.session.allow.commands}}
	entries := f.command.Suggest(f.policy.matching, lists)
	if len(entries) == 0 || f.pointsElsewhere(f.coverage()) != "" {
		return nil
	}
	return entries
}

// unsuggested says why there is no such entry, where some other command would
// have one.
func (f *facts) unsuggested() string {
	if !f.judgedAsCommand() {
		return ""
	}
	if f.readCommand(); !f.commandOK {
		return ""
	}
	lists := shell.Lists{Table: f.policy.table, Prefixes: []shell.Prefixes{f.policy.allow.commands, f.session.allow.commands}}
	if len(f.command.Suggest(f.policy.matching, lists)) > 0 || f.coverage().Covered {
		return f.pointsElsewhere(f.coverage())
	}
	return f.command.Unsuggested(f.policy.matching, lists)
}

func namesCredentials(rule string) string {
	if rule == tooMany {
		return "the command names more files than can be looked at"
	}
	return "the command names " + rule + ", where credentials are kept"
}
