// Package enginetest replays recorded answers of the original engine and
// reported cases against pdp. It is used by tests only.
package enginetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// Fixture is the directory tree in which the recorded calls ran.
type Fixture struct {
	Base string
	vars *strings.Replacer
}

type fixtureFile struct {
	Entries []struct {
		Type    string `json:"type"`
		Path    string `json:"path"`
		Target  string `json:"target"`
		Content string `json:"content"`
	} `json:"entries"`
}

// NewFixture builds the tree that file describes below a fresh directory.
func NewFixture(t testing.TB, file string) *Fixture {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &Fixture{Base: base, vars: strings.NewReplacer(
		"{{BASE}}", base, "{{WS}}", base+"/ws", "{{HOME}}", base+"/home", "{{STATE}}", base+"/state", "{{OUT}}", base+"/out",
		"{{STATE_UPPER}}", strings.ToUpper(base+"/state"),
		"{{STATE_BACKSLASH}}", strings.ReplaceAll(base+"/state", "/", `\\`), // as JSON text
	)}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var tree fixtureFile
	if err := json.Unmarshal(raw, &tree); err != nil {
		t.Fatal(err)
	}
	for _, e := range tree.Entries {
		path, target := f.Fill(e.Path), f.Fill(e.Target)
		switch e.Type {
		case "dir":
			err = os.MkdirAll(path, 0o755)
		case "file":
			err = os.WriteFile(path, []byte(f.Fill(e.Content)), 0o600)
		case "symlink":
			err = os.Symlink(target, path)
		case "hardlink":
			err = os.Link(target, path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// Home is the home directory of the recorded calls.
func (f *Fixture) Home() string { return f.Base + "/home" }

// Fill puts the tree's directories in for {{WS}} and its like.
func (f *Fixture) Fill(text string) string { return f.vars.Replace(text) }
