package decide

// lowRisk lets run what has no consequences.
func lowRisk(f *facts) (grant, bool) {
	return grant{code: CodeLowRisk, reason: "the call only observes"}, !f.consequential() && !f.writes && !f.runs
}

// fullAccess lets everything run that no floor refused, in the mode that says
// so; a shell call without a readable command stays a question, since the
// floors could not look at it.
func fullAccess(f *facts) (grant, bool) {
	if !modes[f.session.mode].runsAll {
		return grant{}, false
	}
	if f.runs {
		if f.readCommand(); !f.commandOK {
			return grant{reason: "the command is missing or not a text"}, false
		}
	}
	return grant{code: CodeFullAccess, reason: "the mode bypasses approvals"}, true
}

// toolGranted honours a person's click for a tool. It cannot stand for shell
// commands, each of which is different, nor for tools of other systems, whose
// meaning lies in the arguments.
func toolGranted(f *facts) (grant, bool) {
	g := &f.session.grants
	if _, granted := g.tools[f.call.Tool]; !granted || !f.sessionGrants() {
		return grant{}, false
	}
	switch {
	case f.runs:
		return grant{reason: "a grant for the tool does not cover its commands"}, false
	case f.call.Metadata.Connector || f.call.fromMCP():
		return grant{reason: "a grant for the tool does not cover connectors"}, false
	}
	return grant{code: CodeToolGranted, reason: "the tool was granted for the session"}, true
}

func (f *facts) sessionGrants() bool { return modes[f.session.mode].sessionGrants }

// toolAutoAllowed runs the operator's configured tools in custom mode.
func toolAutoAllowed(f *facts) (grant, bool) {
	if !modes[f.session.mode].autoTools || !f.policy.allow.tools[f.call.Tool] && !f.session.allow.tools[f.call.Tool] {
		return grant{}, false
	}
	if f.runs {
		if f.readCommand(); !f.commandOK {
			return grant{reason: "the command is missing or not a text"}, false
		}
	}
	return grant{code: CodeToolAutoAllowed, reason: "the tool is configured to run in custom mode"}, true
}
