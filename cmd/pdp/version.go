package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/agent-pdp/pdp/handlers"
)

// Set by the linker.
var (
	version = "dev"
	commit  = "unknown"
)

// build says what is running; go install knows what the linker was not told.
func build() handlers.BuildInfo {
	b := handlers.BuildInfo{Version: version, Commit: commit}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if b.Version == "dev" && info.Main.Version != "" && info.Main.Version != "(devel)" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && b.Commit == "unknown" {
			b.Commit = s.Value[:min(len(s.Value), 12)]
		}
	}
	return b
}

type versionCmd struct {
	Output output `short:"o" enum:"table,json," default:"" placeholder:"FORM" help:"table (default) or json."`
}

func (*versionCmd) Help() string {
	return `Example:

  pdp version --output json`
}

func (c *versionCmd) Run(a *app) error {
	b := build()
	if c.Output == asJSON {
		return json.NewEncoder(a.stdout).Encode(map[string]string{
			"version": b.Version, "commit": b.Commit, "go": runtime.Version(),
		})
	}
	fmt.Fprintf(a.stdout, "pdp %s (commit %s, %s %s/%s)\n", b.Version, b.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
