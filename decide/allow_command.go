package decide

import (
	"strings"

	"github.com/agent-pdp/pdp/internal/shell"
)

// commandAllowlisted lets a command run if an entry of the operator's list
// vouches for every part of it.
func commandAllowlisted(f *facts) (grant, bool) {
	if !f.judgedAsCommand() {
		return grant{}, false
	}
	if f.readCommand(); !f.commandOK {
		return grant{reason: "the command is missing or not a text"}, false
	}
	if f.policy.allow.commands.Empty() && f.session.allow.commands.Empty() {
		return grant{}, false
	}
	if why := f.command.Opaque(); why != "" {
		return grant{reason: "the command cannot be vouched for: it holds " + why}, false
	}
	if !f.command.Cover(f.policy.allow.commands, f.session.allow.commands) {
		return grant{reason: "no list entry vouches for every part of the command"}, false
	}
	if !f.staysInside() {
		return grant{reason: "the command changes to a directory outside every root"}, false
	}
	if name := f.credential(); name != "" {
		return grant{reason: "the command names " + name + ", where credentials are kept"}, false
	}
	return grant{code: CodeCommandAllowlisted, reason: "every command is on the allowlist"}, true
}

// judgedAsCommand reports whether a word for the command is a word for the
// call: for the shell, and for a tool that an operator says is one. It is not
// for a tool that is known to do something else, whatever an override says.
func (f *facts) judgedAsCommand() bool {
	return f.risk == Exec && (f.own == Exec || f.own == Unclassified)
}

// staysInside reports whether every cd of the command leads below a root: a
// list that vouches for cat does not vouch for cat in /etc.
func (f *facts) staysInside() bool {
	dirs, ok := f.command.ChangesTo()
	if !ok {
		return false
	}
	at := f.session.place
	for _, dir := range dirs {
		abs, err := at.Absolute(dir)
		if err != nil {
			return false
		}
		resolved, err := f.resolver().Resolve(abs)
		if err != nil {
			return false
		}
		if _, inside := f.holder(resolved.Path); !inside {
			return false
		}
		at.Cwd = resolved.Path
	}
	return true
}

// commandGranted honours a person's click for exactly this text. The click
// was for what the command did then, so it does not cover one that runs a file
// which may have changed since.
func commandGranted(f *facts) (grant, bool) {
	if !f.judgedAsCommand() || !f.sessionGrants() || len(f.session.grants.commands) == 0 {
		return grant{}, false
	}
	if f.readCommand(); !f.commandOK || !f.session.grants.commands[f.commandText] {
		return grant{}, false
	}
	if runsFile(f.commands()) {
		return grant{reason: "the granted command runs a file, which may have changed since"}, false
	}
	return grant{code: CodeCommandGranted, reason: "exactly this command was granted for the session"}, true
}

// runsFile reports whether a command runs a file by its path.
func runsFile(commands []shell.Seen) bool {
	for _, c := range commands {
		if c.RunsFile() {
			return true
		}
	}
	return false
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
	if !f.command.ReadOnly() {
		return grant{reason: "the command may do more than read"}, false
	}
	for _, given := range f.command.Reads() {
		t := f.locate(given)
		if t.err != nil {
			return grant{reason: t.err.Error()}, false
		}
		if _, inside := f.holder(t.resolved.Path); !inside {
			return grant{reason: "the command may read " + clip(given) + ", outside every root"}, false
		}
	}
	if name := f.credential(); name != "" {
		return grant{reason: "the command names " + name + ", where credentials are kept"}, false
	}
	return grant{code: CodeReadOnlyCommand, reason: "the command only reads, below the roots"}, true
}

// credential returns the pattern of a place where credentials are kept that an
// operand of the command names.
func (f *facts) credential() string {
	for i := range f.command.Simples {
		words := f.command.Simples[i].Words
		if namesOnly[words[0]] {
			continue
		}
		for j, w := range words[1:] {
			if !strings.ContainsAny(w, "./_") {
				continue
			}
			if _, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "-") {
				w = value
			}
			if rule, hit := credentialFiles.Match(w); hit && !f.command.Simples[i].IsPattern(j+1) {
				return rule.Pattern
			}
		}
	}
	return ""
}

// namesOnly are programs that show that a file exists, not what is in it.
var namesOnly = wordSet("ls stat test [ du df basename dirname realpath readlink echo printf which mkdir touch file tree find")
