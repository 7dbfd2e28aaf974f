package enginetest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Vector is one recorded call of the original engine.
type Vector struct {
	ID     string         `json:"id"`
	Engine Engine         `json:"engine"`
	Call   jsontext.Value `json:"call"`
	Expect struct {
		Outcome   string `json:"outcome"`
		HumanOnly bool   `json:"human_only"`
		Code      string `json:"code"`
		Raises    bool   `json:"raises"`
	} `json:"expect"`
}

// Engine is the original engine's state, under its own names.
type Engine struct {
	WorkspaceRoot        string              `json:"workspace_root"`
	Mode                 string              `json:"mode"`
	AllowedCommands      []string            `json:"allowed_commands"`
	AllowedDomains       []string            `json:"allowed_domains"`
	AutoAllowTools       []string            `json:"auto_allow_tools"`
	SessionAllowTools    []string            `json:"session_allow_tools"`
	SessionAllowCommands []string            `json:"session_allow_commands"`
	SessionAllowDomains  []string            `json:"session_allow_domains"`
	SessionReadonly      bool                `json:"session_readonly"`
	TaskRules            map[string][]string `json:"task_rules"`
	RiskOverrides        struct {
		Rules jsontext.Value `json:"rules"`
	} `json:"risk_overrides"`
	Roots    []jsontext.Value `json:"roots"`
	StateDir *string          `json:"state_dir"`
}

var stateFiles = []string{"config.toml", "risk_overrides.json", "workspace_trust.json", "unattended.json", "coworker.db", "secrets.json", "inbox_routing.json"}

// ReadVectors reads the recorded calls with the fixture's directories in place.
func ReadVectors(t testing.TB, f *Fixture, file string) []Vector {
	t.Helper()
	return readLines[Vector](t, f, file)
}

func readLines[T any](t testing.TB, f *Fixture, file string) []T {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".gz") {
		zr, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if raw, err = io.ReadAll(zr); err != nil {
			t.Fatal(err)
		}
	}
	var list []T
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal([]byte(f.Fill(lines.Text())), &v); err != nil {
			t.Fatalf("%s: %v: %.200s", file, err, lines.Text())
		}
		list = append(list, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// Context writes the engine's state as the context of a request.
func (f *Fixture) Context(e Engine) map[string]any {
	c := map[string]any{
		"workspace_root": e.WorkspaceRoot,
		"mode":           e.Mode,
		"grants": map[string]any{
			"tools": list(e.SessionAllowTools), "commands": list(e.SessionAllowCommands),
			"domains": list(e.SessionAllowDomains), "read_only_commands": e.SessionReadonly,
		},
		"protected_paths": f.protected(e.StateDir),
	}
	if e.Roots != nil {
		c["roots"] = f.roots(e.Roots)
	}
	if e.RiskOverrides.Rules != nil {
		c["risk_overrides"] = e.RiskOverrides.Rules
	}
	if e.TaskRules != nil {
		c["standing_rules"] = e.TaskRules
	}
	for name, l := range map[string][]string{"allowed_commands": e.AllowedCommands, "allowed_domains": e.AllowedDomains, "auto_allow_tools": e.AutoAllowTools} {
		c[name] = list(l)
	}
	return c
}

func list(l []string) []string { return append([]string{}, l...) }

func (f *Fixture) roots(entries []jsontext.Value) []map[string]any {
	roots := []map[string]any{}
	for _, raw := range entries {
		var r struct {
			Path     string `json:"path"`
			Writable bool   `json:"writable"`
		}
		if err := json.Unmarshal(raw, &r); err != nil { // a bare text
			if err := json.Unmarshal(raw, &r.Path); err != nil {
				panic(err)
			}
			r.Writable = true
		}
		if !strings.HasPrefix(r.Path, "~") && !filepath.IsAbs(r.Path) {
			r.Path = filepath.Join(f.Base, r.Path)
		}
		roots = append(roots, map[string]any{"path": r.Path, "writable": r.Writable})
	}
	return roots
}

// protected lists the original's own files. Its state directory was taken
// from the environment, where an empty one meant the default.
func (f *Fixture) protected(stateDir *string) []string {
	dir := f.Base + "/state"
	if stateDir != nil {
		dir = *stateDir
	}
	if dir == "" {
		dir = f.Home() + "/.config/coworker"
	}
	switch {
	case strings.HasPrefix(dir, "~/"):
		dir = f.Home() + dir[1:]
	case !filepath.IsAbs(dir):
		dir = f.Base + "/" + dir
	}
	paths := make([]string, len(stateFiles))
	for i, name := range stateFiles {
		paths[i] = dir + "/" + name
	}
	return paths
}
