package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/audit"
)

func readPage(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(page), "\r\n", "\n")
}

// What exists is told.
func TestTheDocumentedNames(t *testing.T) {
	for _, kind := range audit.Kinds() {
		if !strings.Contains(readPage(t, "audit.md"), "`"+string(kind)+"`") {
			t.Errorf("docs/audit.md lacks the kind %s", kind)
		}
	}
	for _, how := range decide.Resolutions() {
		if !strings.Contains(readPage(t, "sessions.md"), "| `"+string(how)+"` |") {
			t.Errorf("docs/sessions.md lacks the answer %s", how)
		}
	}
	for _, key := range []string{"mode", "on_failure", "redact", "body_bytes", "checkpoint_every", "checkpoint_interval", "retention"} {
		if !strings.Contains(readPage(t, "audit.md"), "| `"+key+"` |") {
			t.Errorf("docs/audit.md lacks the key %s", key)
		}
	}
}

// What docs/authentication.md and docs/sessions.md name exists: flags, variables,
// keys and commands.
func TestTheDocumentedFlags(t *testing.T) {
	page := readPage(t, "authentication.md")
	model := modelForTest(t)
	var flags, variables []string
	for _, child := range model.Children {
		for _, n := range append(child.Children, child) {
			for _, f := range n.Flags {
				flags = append(flags, "--"+f.Name)
				variables = append(variables, f.Tag.Get("setting"))
			}
		}
	}
	variables = append(variables, "PDP_ADMIN_TOKEN")
	named := page + readPage(t, "sessions.md")
	for _, flag := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(named, -1) {
		if !slices.Contains(flags, flag) {
			t.Errorf("there is no %s", flag)
		}
	}
	for _, name := range regexp.MustCompile(`PDP_[A-Z_]+`).FindAllString(named, -1) {
		if !slices.Contains(variables, name) {
			t.Errorf("there is no %s", name)
		}
	}
	settings, _ := (&app{}).serverSettings(model)
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(page)[1]
	for _, key := range regexp.MustCompile(`(?m)^[a-z_]+`).FindAllString(block, -1) {
		if key != "auth" && !slices.Contains(settings, key) {
			t.Errorf("there is no key %s", key)
		}
	}
}

// Who comes from a link into the middle of the pages can call what they show.
func TestThePagesSayHowToCallTheProgram(t *testing.T) {
	entries, err := os.ReadDir("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`(?m)^(\$ )?(\w+=.*\$\()?pdp [a-z]`)
	said := 0
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		page := readPage(t, e.Name())
		var shows bool
		for _, block := range regexp.MustCompile("(?s)```(?:sh|console)\n(.*?)```").FindAllStringSubmatch(page, -1) {
			shows = shows || calls.MatchString(block[1])
		}
		if !shows {
			continue
		}
		said++
		if !strings.Contains(page, `export PATH="$PWD/bin:$PATH"`) {
			t.Errorf("docs/%s shows pdp, and does not say how to call it", e.Name())
		}
	}
	if said < 5 {
		t.Errorf("only %d pages", said)
	}
}
