package handlers

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/decide"
)

var (
	readmeExample = regexp.MustCompile("(?s)```console\n\\$ curl -s http://127\\.0\\.0\\.1:8080(\\S+) -H 'Content-Type: application/json' -d '(.*?)'\n(.*?)\n```")
	changing      = regexp.MustCompile(`"(decision_id|decided_at)":"[^"]*"`)
)

// TestReadmeExamples sends each example of the README and compares the answer,
// apart from what is new in every answer.
func TestReadmeExamples(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := readmeExample.FindAllStringSubmatch(string(readme), -1)
	if len(examples) < 5 || len(examples) != strings.Count(string(readme), "$ curl ") {
		t.Fatalf("%d examples", len(examples))
	}
	policy, err := decide.Compile(decide.PolicySpec{InlineContext: "trust", MaxMode: "bypass-approvals", Revision: "built-in"})
	if err != nil {
		t.Fatal(err)
	}
	service := trustingService(t, func(d *Deps) { d.Policy = fixed(policy) })
	for _, e := range examples {
		path, body, want := e[1], e[2], e[3]
		got := ask(t, service, http.MethodPost, path, body, "Content-Type: application/json")
		if masked(got.text) != masked(want) {
			t.Errorf("%s %s\ngot  %s\nwant %s", path, body, got.text, want)
		}
	}
}

func masked(text string) string {
	return strings.TrimSpace(changing.ReplaceAllString(text, `"$1":"…"`))
}
