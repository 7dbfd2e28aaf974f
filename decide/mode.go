package decide

import (
	"fmt"
	"strings"
)

// Mode says how much a session may do without asking. The zero value is
// Discuss, which only reads.
type Mode uint8

const (
	Discuss         Mode = iota // conversation: reads only
	Plan                        // exploring before acting: reads only
	Interactive                 // reads run, the rest asks unless a list vouches for it
	AutoApprove                 // as Interactive, but a reviewer sees asks first and in-session grants do not skip it
	BypassApprovals             // everything runs, except what a floor refuses
	Custom                      // as Interactive, and configured tools run
)

// modes is the one place that says what a mode means. rank orders how much a
// mode lets through, for max_mode.
var modes = [...]struct {
	name          string
	readOnly      bool // consequential calls are refused
	runsAll       bool // whatever the floors let through runs
	sessionGrants bool // clicks made during the session count
	autoTools     bool // auto_allow_tools counts
	rank          int
}{
	Discuss:         {name: "discuss", readOnly: true, sessionGrants: true, rank: 0},
	Plan:            {name: "plan", readOnly: true, sessionGrants: true, rank: 0},
	Interactive:     {name: "interactive", sessionGrants: true, rank: 1},
	AutoApprove:     {name: "auto-approve", rank: 1},
	BypassApprovals: {name: "bypass-approvals", sessionGrants: true, runsAll: true, rank: 2},
	Custom:          {name: "custom", sessionGrants: true, autoTools: true, rank: 1},
}

// ParseMode reads a mode's exact name; "auto" is the older name of
// bypass-approvals. Other texts are an error, never a default.
func ParseMode(text string) (Mode, error) {
	if text == "auto" {
		return BypassApprovals, nil
	}
	for i := range modes {
		if modes[i].name == text {
			return Mode(i), nil
		}
	}
	return 0, fmt.Errorf("unknown mode %q: use one of %s", clip(text), strings.Join(ModeNames(), ", "))
}

// ModeNames returns the canonical names, in the order of the constants.
func ModeNames() []string {
	names := make([]string, len(modes))
	for i := range modes {
		names[i] = modes[i].name
	}
	return names
}

// String returns the canonical name.
func (m Mode) String() string {
	if int(m) < len(modes) {
		return modes[m].name
	}
	return modes[Discuss].name
}

// ReadOnly reports whether consequential calls are refused outright.
func (m Mode) ReadOnly() bool { return int(m) >= len(modes) || modes[m].readOnly }

// Exceeds reports whether m lets more through than limit.
func (m Mode) Exceeds(limit Mode) bool { return modes[m].rank > modes[limit].rank }
