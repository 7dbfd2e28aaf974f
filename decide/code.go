package decide

// Code is the stable, machine-readable name of the check that decided. Codes
// may be added, never renamed.
type Code string

const (
	CodeSelfProtection      Code = "self_protection"
	CodeReadOnlyMode        Code = "read_only_mode"
	CodeWriteUnlocated      Code = "write_unlocated"
	CodeOutsideRoots        Code = "outside_writable_roots"
	CodeInvalidPath         Code = "invalid_path"
	CodeDeniedByPolicy      Code = "denied_by_policy"
	CodeAskByPolicy         Code = "ask_by_policy"
	CodeLinkedFile          Code = "linked_file"
	CodePrivateNetwork      Code = "private_network"
	CodeAmbiguousArguments  Code = "ambiguous_arguments"
	CodeUnknownTool         Code = "unknown_tool"
	CodeDefinitionChanged   Code = "definition_changed"
	CodeExposedPath         Code = "exposed_path"
	CodePersistentAuthority Code = "persistent_authority"
	CodeLowRisk             Code = "low_risk"
	CodeDeferredExecution   Code = "deferred_execution"
	CodeFullAccess          Code = "full_access"
	CodeCommandAllowlisted  Code = "command_allowlisted"
	CodeCommandGranted      Code = "command_granted"
	CodeReadOnlyCommand     Code = "read_only_command"
	CodeDomainAllowed       Code = "domain_allowed"
	CodeToolGranted         Code = "tool_granted"
	CodeStandingRule        Code = "standing_rule"
	CodeToolAutoAllowed     Code = "tool_auto_allowed"
	CodeApprovedOnce        Code = "approved_once"
	CodeReviewerApproved    Code = "reviewer_approved"
	CodeApprovalRequired    Code = "approval_required"
)

// CodeInfo tells what a code means and with which outcomes it comes.
type CodeInfo struct {
	Code     Code
	Outcomes []Outcome
	Meaning  string
}

var codes = []CodeInfo{
	{CodeSelfProtection, []Outcome{Deny}, "would touch files that govern the permission system"},
	{CodeReadOnlyMode, []Outcome{Deny}, "the mode only reads, and the call has consequences"},
	{CodeWriteUnlocated, []Outcome{AskHuman}, "the target of a write cannot be determined"},
	{CodeOutsideRoots, []Outcome{Deny}, "a path lies in no writable root"},
	{CodeInvalidPath, []Outcome{Deny}, "a path for which no safe reading exists, or about which the file system did not answer in time"},
	{CodeDeniedByPolicy, []Outcome{Deny}, "the deny list of the policy or the context names it"},
	{CodeAskByPolicy, []Outcome{Ask}, "the ask list of the policy or the context names it"},
	{CodeLinkedFile, []Outcome{AskHuman}, "the target of a write has other names (hard links)"},
	{CodePrivateNetwork, []Outcome{Deny, AskHuman}, "a cloud metadata address, or a private address that the policy does not list"},
	{CodeAmbiguousArguments, []Outcome{AskHuman}, "argument names that differ only in letter case"},
	{CodeUnknownTool, []Outcome{Deny}, "nobody classifies the tool, and the policy denies such tools"},
	{CodeDefinitionChanged, []Outcome{AskHuman}, "the definition of the tool is not the one that was granted"},
	{CodeExposedPath, []Outcome{Ask}, "someone else can replace the target of the write"},
	{CodePersistentAuthority, []Outcome{AskHuman}, "the effect outlives the session"},
	{CodeLowRisk, []Outcome{Allow}, "the call has no consequences"},
	{CodeDeferredExecution, []Outcome{AskHuman}, "writes a file that runs on a later action"},
	{CodeFullAccess, []Outcome{Allow}, "the mode bypasses approvals"},
	{CodeCommandAllowlisted, []Outcome{Allow}, "every command is on the operator's list"},
	{CodeCommandGranted, []Outcome{Allow}, "exactly this command was granted for the session"},
	{CodeReadOnlyCommand, []Outcome{Allow}, "only reads below the roots, and the session was granted that"},
	{CodeDomainAllowed, []Outcome{Allow}, "the host is on the list"},
	{CodeToolGranted, []Outcome{Allow}, "the tool was granted for the session"},
	{CodeStandingRule, []Outcome{Allow}, "a task's standing rule names this tool and target"},
	{CodeToolAutoAllowed, []Outcome{Allow}, "custom mode, and the tool is configured to run"},
	{CodeApprovedOnce, []Outcome{Allow}, "a person approved exactly this call"},
	{CodeReviewerApproved, []Outcome{Allow}, "auto-approve mode, and the reviewer cleared the call"},
	{CodeApprovalRequired, []Outcome{Ask}, "nothing vouches for the call"},
}

// Codes returns every code with its meaning, in the order of the contract.
func Codes() []CodeInfo { return append([]CodeInfo(nil), codes...) }
