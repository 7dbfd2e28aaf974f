package decide

import (
	"strings"
	"testing"
)

// A text that is not read whole is a hit of any list that restricts, whatever
// the list names.
func TestUnreadTextIsAHit(t *testing.T) {
	text := strings.Repeat("ls; ", 2000)
	for name, list := range map[string]ListsSpec{
		"commands": {Commands: []string{"denied"}},
		"paths":    {Paths: []string{"secret"}},
		"domains":  {Domains: []string{"denied.example"}},
	} {
		spec := PolicySpec{InlineContext: "trust", AllowedCommands: []string{"ls"}}
		p := policyOf(t, spec)
		s, err := p.Session(ContextSpec{Mode: new("bypass-approvals"), WorkspaceRoot: "/w"})
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Decide(s, shellCall(text)); d.Code == CodeDeniedByPolicy || d.Code == CodeAskByPolicy {
			t.Errorf("%s: without a list: %s", name, d.Code)
		}
		for _, row := range []struct {
			lists [2]ListsSpec
			want  Code
		}{
			{[2]ListsSpec{list, {}}, CodeDeniedByPolicy},
			{[2]ListsSpec{{}, list}, CodeApprovalRequired}, // a floor asks before the list does
		} {
			spec.Deny, spec.Ask = row.lists[0], row.lists[1]
			p := policyOf(t, spec)
			s, err := p.Session(ContextSpec{Mode: new("bypass-approvals"), WorkspaceRoot: "/w"})
			if err != nil {
				t.Fatal(err)
			}
			if d := p.Decide(s, shellCall(text)); d.Code != row.want || d.Outcome.Allowed() {
				t.Errorf("%s: %s, want %s: %s", name, d.Code, row.want, d.Reason)
			}
		}
	}
}
