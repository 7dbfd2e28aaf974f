package main

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/audit"
)

func TestFiltersThatNoRecordCouldMeetAreRefused(t *testing.T) {
	for _, row := range []struct{ kind, outcome, want string }{
		{"", "", ""},
		{"decision", "", ""},
		{"decision", "deny", ""},
		{"", "deny", ""},
		{"", "always_tool", ""},
		{"", "erased", ""},
		{"grant", "read_only_commands", ""},
		{"", "17", ""}, // so many were dropped
		{"dropped", "17", ""},
		{"foo", "", `--kind "foo": write one of decision, `},
		{"Decision", "", `--kind "Decision"`},
		{"", "denied", `--outcome "denied": write one of allow, ask, deny, pending, once, `},
		{"", "DENY", `--outcome "DENY"`},
		{"token", "allow", `--outcome "allow": of the kind token, write one of created, revoked`},
		{"token", "17", `--outcome "17": of the kind token`},
		{"dropped", "deny", `--outcome "deny": of the kind dropped, it is the number of records that were lost`},
	} {
		err := (&recordFlags{Kind: row.kind, Outcome: row.outcome}).known()
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("--kind %q --outcome %q: %v, want %s", row.kind, row.outcome, err, row.want)
		}
	}
}

// A kind that is added has its outcomes here, and both stand in the page.
func TestEveryKindOfRecordHasItsOutcomes(t *testing.T) {
	page, err := os.ReadFile("../../docs/audit.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range audit.Kinds() {
		outcomes, ok := outcomesOf[kind]
		if !ok {
			t.Errorf("%s: no outcomes are listed", kind)
		}
		for _, word := range append([]string{string(kind)}, outcomes...) {
			if !strings.Contains(string(page), "`"+word+"`") {
				t.Errorf("%s: docs/audit.md does not name %s", kind, word)
			}
		}
	}
}
