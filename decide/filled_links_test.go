package decide

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A pattern that finds more files than are looked at may have found another name
// of a protected file: what writes to them is not let through.
func TestTooManyFilledNames(t *testing.T) {
	base := tree(t, map[string]string{"app/x": "", "state/settings.json": "{}"})
	for i := range maxFilledNames + 1 {
		if err := os.WriteFile(filepath.Join(base, "app", fmt.Sprintf("a%04d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(base, "state/settings.json"), filepath.Join(base, "app/z")); err != nil {
		t.Skipf("files cannot be given a second name here: %v", err)
	}
	policy := policyOf(t, PolicySpec{InlineContext: "trust"})
	session, err := policy.Session(ContextSpec{
		WorkspaceRoot: filepath.Join(base, "app"), Mode: mode(BypassApprovals),
		ProtectedPaths: []string{filepath.Join(base, "state/settings.json")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]Outcome{
		"echo x | tee a*": AskHuman,
		"rm a*":           AskHuman,
		"echo x | tee z*": Deny,
		"ls a*":           Allow,
	} {
		if d := policy.Decide(session, toolCall("run_shell", "command", command)); d.Outcome != want {
			t.Errorf("%s: got %s (%s)", command, d.Outcome, d.Reason)
		}
	}
}
