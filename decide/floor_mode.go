package decide

import "strconv"

// readOnlyMode refuses whatever has consequences in a mode that only reads.
func readOnlyMode(f *facts) (refusal, bool) {
	if !f.session.mode.ReadOnly() || !f.consequential() {
		return refusal{}, false
	}
	reason := " mode only reads, and this call has consequences"
	if f.runs {
		reason = " mode only reads, and runs no commands, whatever they do"
	}
	return refusal{Deny, CodeReadOnlyMode, f.session.mode.String() + reason}, true
}

// consequential reports whether the call does more than observe, by either of
// its classes.
func (f *facts) consequential() bool {
	return f.risk.Consequential() || f.persistent()
}

// unknownTool refuses a tool that nobody classifies, where the policy says so.
func unknownTool(f *facts) (refusal, bool) {
	if f.policy.unknown != unknownDeny || !f.unknown() {
		return refusal{}, false
	}
	return refusal{Deny, CodeUnknownTool, "nobody has classified the tool " + strconv.Quote(clip(f.call.Tool)) + ", and the policy denies such tools"}, true
}

// persistentAuthority asks a person about tools whose effect outlives the
// session: whoever bears it is not in the room when it happens.
func persistentAuthority(f *facts) (refusal, bool) {
	if !f.persistent() {
		return refusal{}, false
	}
	return refusal{AskHuman, CodePersistentAuthority, "the effect of this tool outlives the session"}, true
}

func (f *facts) persistent() bool { return f.policy.persistent[foldName(f.call.Tool)] }
