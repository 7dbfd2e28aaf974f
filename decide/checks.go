package decide

// A floor cannot allow and an allowance cannot refuse, by type.

type floor struct {
	name string
	hit  func(*facts) (refusal, bool)
}

type allowance struct {
	name   string
	grants func(*facts) (grant, bool)
}

// refusal is what a floor found. Its outcome is never Allow.
type refusal struct {
	outcome Outcome
	code    Code
	reason  string
}

// grant is why an allowance lets a call run.
type grant struct {
	code   Code
	reason string
	rule   string
}

// The two lists below are the security policy of the product.
//
// Every floor is asked, in order; the strictest refusal stands, and of equally
// strict ones the first. Only if no floor refuses are the allowances asked, in
// order; the first that grants lets the call run. If none does, someone must
// approve.
var (
	floors = []floor{
		{"self_protection", selfProtection},
		{"denied_by_policy", deniedByPolicy},
		{"unknown_tool", unknownTool},
		{"read_only_mode", readOnlyMode},
		{"write_scope", writeScope},
		{"private_network", privateNetwork},
		{"write_located", writeLocated},
		{"definition_changed", definitionChanged},
		{"persistent_authority", persistentAuthority},
		{"deferred_execution", deferredExecution},
		{"linked_file", linkedFile},
		{"ambiguous_arguments", ambiguousArguments},
		{"shell_write_scope", shellWriteScope},
		{"landing_scope", landingScope},
		{"ask_by_policy", askByPolicy},
	}
	allowances = []allowance{
		{"low_risk", lowRisk},
		{"full_access", fullAccess},
		{"command_allowlisted", commandAllowlisted},
		{"command_granted", commandGranted},
		{"read_only_command", readOnlyCommand},
		{"domain_allowed", domainAllowed},
		{"tool_granted", toolGranted},
		{"standing_rule", standingRule},
		{"tool_auto_allowed", toolAutoAllowed},
	}
)

// Checks returns the names of all checks in the order in which they are asked,
// floors first.
func Checks() (floorNames, allowanceNames []string) {
	for _, c := range floors {
		floorNames = append(floorNames, c.name)
	}
	for _, c := range allowances {
		allowanceNames = append(allowanceNames, c.name)
	}
	return floorNames, allowanceNames
}
