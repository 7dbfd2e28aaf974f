package decide

import "strings"

// standingRule honours a task's rule for one tool and one exact target.
func standingRule(f *facts) (grant, bool) {
	if len(f.policy.allow.rules) == 0 && len(f.session.allow.rules) == 0 {
		return grant{}, false
	}
	target := f.standingTarget()
	if target == "" || !f.policy.allow.rules[f.call.Tool][target] && !f.session.allow.rules[f.call.Tool][target] {
		return grant{}, false
	}
	if name := f.unbound(); name != "" {
		return grant{reason: "the rule says nothing about the argument " + name}, false
	}
	rule := f.call.Tool + " → " + target
	return grant{CodeStandingRule, "a standing rule of the task allows " + rule, rule}, true
}

// standingTarget is the value by which a standing rule could bind this call:
// only for a tool of another system that declares such an argument.
func (f *facts) standingTarget() string {
	if f.risk != External {
		return ""
	}
	name := targetArgs[f.call.Tool]
	if f.tool != nil && f.tool.targetArg != "" {
		name = f.tool.targetArg
	}
	if name == "" {
		return ""
	}
	value := f.call.Arguments.Get(name)
	if !value.Truthy() {
		return ""
	}
	return strings.TrimFunc(value.Text(), isBlank)
}

// isBlank is the original language's notion of white space.
func isBlank(r rune) bool {
	switch {
	case r >= 0x09 && r <= 0x0d, r >= 0x1c && r <= 0x20, r >= 0x2000 && r <= 0x200a:
		return true
	}
	switch r {
	case 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return false
}

// routing are arguments that change from where or to whom something goes, so
// that a rule about the target alone does not cover them.
var routing = wordSet("account account_id from from_address sender send_as on_behalf_of cc bcc reply_to recipients additional_recipients profile workspace workspace_id team_id tenant tenant_id")

func (f *facts) unbound() string {
	for _, m := range f.call.Arguments.members {
		if routing[foldName(m.Name)] && m.Value.Truthy() {
			return m.Name
		}
	}
	return ""
}
