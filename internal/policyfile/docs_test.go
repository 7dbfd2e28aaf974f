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
