package programs

// Effect is what a word makes of a command beyond what its program's name says.
type Effect uint8

const (
	None       Effect = iota
	Runs              // another program, or code
	Writes            // a file
	Reads             // a file that the operands do not show
	Sends             // data to elsewhere
	Destroys          // work
	Publishes         // something
	Moves             // works in another place
	Configures        // changes or replaces settings
	Reveals           // secrets
)

var effects = map[string]Effect{
	"runs": Runs, "writes": Writes, "reads": Reads, "sends": Sends, "destroys": Destroys,
	"publishes": Publishes, "moves": Moves, "configures": Configures, "reveals": Reveals,
}

// String is a phrase for a reason: "-o …".
func (e Effect) String() string {
	return [...]string{
		"is not vouched for", "runs another program or code", "writes a file", "reads a file that the operands do not show", "sends data away",
		"destroys something", "publishes or changes something for others", "works somewhere else", "changes or replaces settings", "shows secrets",
	}[e]
}

// Finding is the word of a command for which no short list entry can vouch.
// Index is -1 if it is no single word.
type Finding struct {
	Effect Effect
	Index  int
}

// Matching says how much of the shell's language a list may vouch for.
type Matching uint8

const (
	Strict  Matching = iota // like the original engine, and stricter where that was wrong
	Precise                 // also behind wrappers and launchers that an entry names
)

// Hosts returns what words of the command name as a host.
func (t *Table) Hosts(words []string) []string { return nil }
