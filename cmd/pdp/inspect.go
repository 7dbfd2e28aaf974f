package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pdp/pdp/inspect"
)

type inspectCmd struct {
	Batch        string        `placeholder:"FILE" help:"Read paths from a file, or from standard input with -: one a line, or each ended by a NUL if there is one."`
	RequiredMode string        `placeholder:"MODE" help:"The most that the mode may allow, in octal (default 0600 for files, 0700 for directories)."`
	Profile      string        `placeholder:"NAME" help:"Judge the paths by the rule of one consumer."`
	For          string        `placeholder:"UID[:GID,…]" help:"Say what this user may do with the paths."`
	Timeout      time.Duration `default:"60s" help:"How long all paths together may take."`
	Output       output        `short:"o" enum:"table,json," default:"" placeholder:"FORM" help:"table (default on a terminal) or json (default in a pipe)."`

	Report     inspectPathsCmd `cmd:"" default:"withargs" help:"Report on paths; the word may be left out."`
	PrivateDir privateDirCmd   `cmd:"" name:"private-dir" help:"Make a directory that only you can use (Windows)."`
}

func (*inspectCmd) Help() string {
	return `Reports on each path's permissions: who can read, write or replace it, and what
would tighten them. A link is followed. Exits with 1 if a path could not be
inspected or does not satisfy the profile.

Profiles: ` + profileList() + `.

Example:

  pdp inspect ~/.ssh/id_ed25519 --profile ssh-private-key
  find ~/.config -print0 | pdp inspect --batch -`
}

func profileList() string {
	var names []string
	for _, p := range inspect.Profiles() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// inspectPathsCmd is what is meant when no other command is named.
type inspectPathsCmd struct {
	Paths []string `arg:"" optional:"" name:"path" help:"Files and directories."`
}

type privateDirCmd struct {
	Path string `arg:"" help:"The directory to make. Its parent must exist."`
}

func (*privateDirCmd) Help() string {
	return `Makes a directory with an access list for you, SYSTEM and the administrators, in one
step. Windows only: elsewhere nothing is made, and the exit code is 3.

Example:

  pdp inspect private-dir C:\Users\me\AppData\Local\pdp`
}

// Run makes the directory. Where the system has no such thing, that is a failure
// and nothing is made.
func (c *privateDirCmd) Run(above *inspectCmd, a *app) error {
	if flag := above.given(); flag != "" {
		return failure{exitUsage, fmt.Errorf("%s is for reports; pdp inspect private-dir takes a path alone", flag)}
	}
	if err := inspect.CreatePrivateDirectory(c.Path); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stdout, plain(c.Path))
	return err
}

func (*inspectPathsCmd) Help() string {
	return `Reports on paths: what pdp inspect does without a command. The word helps with a
file that is named like one.

Example:

  pdp inspect report private-dir`
}

// Run reports on the paths, with the flags of the command above it.
func (p *inspectPathsCmd) Run(ctx context.Context, c *inspectCmd, a *app) error {
	opts, err := c.options()
	if err != nil {
		return failure{exitUsage, err}
	}
	paths, err := c.paths(p.Paths, a)
	if err != nil {
		return err
	}
	bar := newProgress(a, len(paths))
	opts.Done = bar.show
	reports := inspect.DefaultPool.Batch(ctx, paths, opts)
	bar.clear()
	results := make([]pathReport, len(paths))
	var failed error
	for i, path := range paths {
		results[i] = pathReport{path, reports[i]}
		if !reports[i].OK || reports[i].Profile != nil && !reports[i].Profile.Pass {
			failed = errNegative
		}
	}
	if err := c.print(a, results); err != nil {
		return err
	}
	return failed
}

// given returns the flag of reports that the command line has, or "".
func (c *inspectCmd) given() string {
	for _, flag := range []struct{ name, value string }{
		{"--batch", c.Batch}, {"--required-mode", c.RequiredMode}, {"--profile", c.Profile}, {"--for", c.For}, {"--output", string(c.Output)},
	} {
		if flag.value != "" {
			return flag.name
		}
	}
	return ""
}

func (c *inspectCmd) options() (inspect.BatchOptions, error) {
	opts := inspect.BatchOptions{Timeout: c.Timeout}
	if c.RequiredMode != "" {
		mode, err := strconv.ParseUint(c.RequiredMode, 8, 16)
		if err != nil || mode == 0 || mode > 0o7777 {
			return opts, fmt.Errorf("--required-mode %q: write an octal mode, such as 0600", c.RequiredMode)
		}
		opts.RequiredMode = uint32(mode)
	}
	if c.Profile != "" {
		profile, err := inspect.ParseProfile(c.Profile)
		if err != nil {
			return opts, fmt.Errorf("--profile: %w", err)
		}
		opts.Profile = profile
	}
	if c.For != "" {
		who, err := parseSubject(c.For)
		if err != nil {
			return opts, fmt.Errorf("--for %q: write a user's number and its groups', such as 1000:1000,27", c.For)
		}
		opts.EffectiveFor = who
	}
	return opts, nil
}

// parseSubject reads UID[:GID,…]. A user alone is in the group of its number.
func parseSubject(text string) (*inspect.Subject, error) {
	user, groups, given := strings.Cut(text, ":")
	uid, err := strconv.ParseUint(user, 10, 32)
	if err != nil {
		return nil, err
	}
	who := &inspect.Subject{UID: uint32(uid), GIDs: []uint32{uint32(uid)}}
	if !given {
		return who, nil
	}
	who.GIDs = nil
	for group := range strings.SplitSeq(groups, ",") {
		gid, err := strconv.ParseUint(group, 10, 32)
		if err != nil {
			return nil, err
		}
		who.GIDs = append(who.GIDs, uint32(gid))
	}
	return who, nil
}

// maxBatchInput bounds the list of paths.
const maxBatchInput = 256 << 20

func (c *inspectCmd) paths(named []string, a *app) ([]string, error) {
	if c.Batch == "" {
		if len(named) == 0 {
			return nil, failure{exitUsage, errors.New("inspect: name at least one path, or --batch -")}
		}
		return named, nil
	}
	in, err := openInput(c.Batch, a)
	if err != nil {
		return nil, err
	}
	defer in.Close() // read only
	list, err := readPaths(in)
	if err == nil && len(named)+len(list) == 0 {
		// Nothing was inspected, which must not look as if all were well.
		return nil, failure{exitUsage, fmt.Errorf("--batch %s: names no path", plain(c.Batch))}
	}
	return append(named, list...), err
}

func openInput(name string, a *app) (io.ReadCloser, error) {
	if name == "-" {
		a.awaits("paths")
		return io.NopCloser(a.stdin), nil
	}
	return os.Open(name)
}

// readPaths splits at NULs if there are any, since a name may hold a line feed.
func readPaths(in io.Reader) ([]string, error) {
	text, err := io.ReadAll(io.LimitReader(bufio.NewReader(in), maxBatchInput+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxBatchInput:
		return nil, errors.New("the list of paths has more than 256 MiB")
	}
	sep := "\n"
	if bytes.IndexByte(text, 0) >= 0 {
		sep = "\x00"
	}
	var paths []string
	for path := range strings.SplitSeq(string(text), sep) {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// pathReport is a report with the path that it is about.
type pathReport struct {
	Path string `json:"path"`
	inspect.Report
}

func (c *inspectCmd) print(a *app, reports []pathReport) error {
	w := bufio.NewWriter(a.stdout)
	if c.Output.or(a.stdout) == asJSON {
		if err := writeReports(w, reports); err != nil {
			return err
		}
	} else {
		printReports(w, reports, a.palette(), a.lineWidth())
	}
	return w.Flush()
}

// writeReports writes one object, a report at a time: a batch may be large.
func writeReports(w *bufio.Writer, reports []pathReport) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("    ", "  ")
	_, _ = w.WriteString("{\n  \"results\": [")
	for i := range reports {
		if i > 0 {
			_, _ = w.WriteString(",")
		}
		_, _ = w.WriteString("\n    ")
		if err := enc.Encode(&reports[i]); err != nil {
			return err
		}
	}
	_, err := w.WriteString("  ]\n}\n") // keeps an earlier failure
	return err
}
