package decide

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var update = flag.Bool("update", false, "rewrite the table of rates in docs/shell.md")

const shellPage = "../docs/shell.md"

// Bounds of the two rates. A permission system that asks too often is clicked
// away, one that allows too much is none; so both are held, together.
const (
	mostNeedless = 0.03 // of the harmless commands whose every program is on the list
	mostWrong    = 2    // commands that should ask and are allowed, each with a reason in wrongAllows
	leastGone    = 0.85 // of the needless prompts that people reported of other agents
)

// needlessAsks are the harmless commands with every program on the list about
// which precise matching asks all the same, each with the reason.
var needlessAsks = map[string]string{
	"ev-0114": "a script for sed that a substitution fills in: `w` and `e` of sed write files and run programs",
	"ev-0311": "a redirection to a file is a write, for which no entry for a command vouches (in custom mode, `write_file` in `auto_allow_tools` does)",
	"ev-0460": "`$1`, which the text does not set",
	"ev-0534": "`$1`, which the text does not set",
	"ev-0651": "a loop over the unquoted output of a command: a file's name may begin with `-` or name a credential",
	"ev-0772": "a redirection to a file is a write, for which no entry for a command vouches (in custom mode, `write_file` in `auto_allow_tools` does)",
}

// wrongAllows are the commands that a sensible team wants to be asked about
// and that precise matching allows, each with the reason; at most mostWrong.
var wrongAllows = map[string]string{}

// everyday is a command that coding agents run, and what a team wants that has
// put testdata/team-allowlist.json on its list.
type everyday struct {
	ID      string                       `json:"id"`
	Command string                       `json:"command"`
	Class   string                       `json:"class"`
	Ask     bool                         `json:"ask_wanted"`
	OnList  bool                         `json:"on_list"` // every program of the text is
	Others  struct{ Original string }    `json:"-"`
	Raw     map[string]jsontext.Value    `json:",inline"`
}
