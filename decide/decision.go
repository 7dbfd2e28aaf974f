package decide

import "time"

// Decision is the answer to one call: the outcome, and why.
type Decision struct {
	Outcome        Outcome
	Code           Code
	Reason         string // one sentence for a person
	Rule           string // the standing rule that allowed the call: "<tool> → <target>"
	Risk           Risk
	Mode           Mode
	StandingTarget string // the target that a standing rule could name; empty if none
	PolicyRevision string
	PathsMode      PathsMode
	Paths          []JudgedPath // what an allowed write was judged by
	URL            string       // what an allowed fetch was judged by
	Obligations    []Obligation // what the runtime must do when it acts on an allow
	Suggestions    []string     // list entries that would have let the command run and are safe to add; only with an ask
	Warnings       []string     // context entries that were ignored
	Trace          []Step       // only from Explain
	Analysis       *Analysis    // only from Explain
}

// PathsMode says how paths were resolved.
type PathsMode string

const (
	PathsLocal   PathsMode = "local"   // on this machine's file system, links followed
	PathsLexical PathsMode = "lexical" // by text alone, links not seen
)

// Access is what a call does with a path.
type Access string

const (
	AccessRead  Access = "read"
	AccessWrite Access = "write"
)

// JudgedPath is one path of a call: as given, as the tool will see it, and the
// root that holds it (empty if none does).
type JudgedPath struct {
	Given    string
	Resolved string
	Root     string
	Writable bool // the root is writable
	Access   Access
}

// Obligation is something that the runtime must do for an allow to hold.
type Obligation string

const (
	NoFollowBeneathRoot Obligation = "no_follow_beneath_root" // open the resolved path without following links
	RecheckRedirects    Obligation = "recheck_redirects"      // ask again for each redirect's target
	PinAddress          Obligation = "pin_address"            // connect to the address that was checked
)

// Step is what one check found, in the order of the checks.
type Step struct {
	Check  string // the check's name
	Kind   string // "floor" or "allowance"
	Result string // "pass", "deny", "ask", "allow", or "skipped" where an earlier answer made it moot
	Detail string // what it saw
	// SubCode is the stable name of what is wrong with a path or URL that has no
	// safe reading ("nul", "unc", "userinfo", …), or of the kind of address that
	// a fetch would reach ("metadata", "loopback", …); else empty.
	SubCode string
}

// Record is a decision as it is handed out and written down.
type Record struct {
	ID        string // UUIDv7
	DecidedAt time.Time
	Decision
}
