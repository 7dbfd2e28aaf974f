package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/agent-pdp/pdp/inspect"
)

type inspectCmd struct {
	Paths        []string `arg:"" name:"path" help:"Files and directories."`
	RequiredMode string   `placeholder:"MODE" help:"The most that the mode may allow, in octal (default 0600 for files, 0700 for directories)."`
	Output       output   `enum:"table,json," default:"" placeholder:"FORM" help:"table (default on a terminal) or json."`
}

func (*inspectCmd) Help() string {
	return `Reports on each path's permissions and what would tighten them. Exits with 1 if a
path could not be inspected.

Example:

  pdp inspect ~/.ssh/id_ed25519 ~/.config`
}

func (c *inspectCmd) Run(a *app) error {
	var opts inspect.Options
	if c.RequiredMode != "" {
		mode, err := strconv.ParseUint(c.RequiredMode, 8, 16)
		if err != nil || mode == 0 || mode > 0o7777 {
			return failure{exitUsage, fmt.Errorf("--required-mode %q: write an octal mode, such as 0600", c.RequiredMode)}
		}
		opts.RequiredMode = uint32(mode)
	}
	reports := make([]pathReport, len(c.Paths))
	var failed error
	for i, path := range c.Paths {
		reports[i] = pathReport{path, inspect.Path(path, opts)}
		if !reports[i].OK {
			failed = errNegative
		}
	}
	if err := c.print(a, reports); err != nil {
		return err
	}
	return failed
}

// pathReport is a report with the path that it is about.
type pathReport struct {
	Path string `json:"path"`
	inspect.Report
}

func (c *inspectCmd) print(a *app, reports []pathReport) error {
	var b bytes.Buffer
	if c.Output.or(a.stdout) == asJSON {
		enc := json.NewEncoder(&b)
		enc.SetIndent("", "  ")
		if err := enc.Encode(map[string]any{"results": reports}); err != nil {
			return err
		}
	} else {
		printReports(&b, reports, a.palette())
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}

// printReports writes a table. What it colours stands last on its line, where
// the invisible bytes do not shift a column.
func printReports(b *bytes.Buffer, reports []pathReport, p palette) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "PATH\tMODE\tFINDING\n")
	for _, r := range reports {
		colour, text := finding(r.Report)
		fmt.Fprintf(t, "%s\t%s\t%s\n", plain(r.Path), inspect.FormatOctal(r.Bits), p.paint(colour, text))
	}
	_ = t.Flush() // into memory
	for _, r := range reports {
		if r.Remediation != nil && r.Remediation.Command != "" {
			fmt.Fprintf(b, "fix: %s\n", plain(r.Remediation.Command))
		}
	}
}

// finding sums a report up in the worst that it says.
func finding(r inspect.Report) (colour, text string) {
	switch {
	case !r.OK:
		return red, plain(r.Error)
	case r.Source == inspect.SourceUnknown:
		return yellow, "not verified"
	case r.WorldWritable:
		return red, "anybody can write"
	case r.GroupWritable:
		return yellow, "its group can write"
	case r.WorldReadable:
		return yellow, "anybody can read"
	case r.GroupReadable:
		return yellow, "its group can read"
	default:
		return green, "only its owner"
	}
}
