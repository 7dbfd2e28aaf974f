package decide

// Outcome is what a decision says, ordered from the least to the most
// permissive, so that outcomes can be compared. The zero value denies.
type Outcome uint8

const (
	Deny     Outcome = iota // the call must not run, whoever asks
	AskHuman                // a person must see the call; no reviewer may clear it
	Ask                     // nobody vouches for the call yet; a person or a reviewer may
	Allow                   // the call may run
)

// String returns the outcome's name on the wire; both asks are "ask" there and
// differ in human_only.
func (o Outcome) String() string {
	switch o {
	case Allow:
		return "allow"
	case Ask, AskHuman:
		return "ask"
	default:
		return "deny"
	}
}

// Allowed, NeedsUser and HumanOnly are the three booleans of the wire format.
// They are derived, so they cannot contradict each other.
func (o Outcome) Allowed() bool { return o == Allow }

// NeedsUser reports whether someone should be asked.
func (o Outcome) NeedsUser() bool { return o == Ask || o == AskHuman }

// HumanOnly reports whether only a person may answer.
func (o Outcome) HumanOnly() bool { return o == AskHuman }
