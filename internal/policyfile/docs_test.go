package policyfile

import (
	"os"
	"strings"
	"testing"
)

// The page for operators holds the starter word for word.
func TestDocumentedPolicyIsTheStarter(t *testing.T) {
	page, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```yaml\n"+string(Starter())+"```\n") {
		t.Error("docs/policy.md does not hold what pdp policy init writes")
	}
}

// An entry that is indented too far would end the entry above it, and a deny
// list would lose both.
func TestFoldedTextIsRefused(t *testing.T) {
	_, err := Parse("p.yaml", []byte("version: 1\ndeny:\n  commands:\n    - git push\n      - rm\n"))
	if err == nil || !strings.Contains(err.Error(), "p.yaml:4:") || !strings.Contains(err.Error(), "indentation") {
		t.Errorf("got %v", err)
	}
	if _, err := Parse("p.yaml", []byte("version: 1\nallowed_commands:\n  - git status # é\n  - 'éé'\n")); err != nil {
		t.Error(err)
	}
}
