package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/handlers"
	"github.com/agent-pdp/pdp/internal/policyfile"
)

type explainCmd struct {
	Command  []string `arg:"" name:"command" help:"The command as one argument, in quotes; - is the standard input."`
	Policy   string   `placeholder:"FILE" setting:"PDP_POLICY" help:"The policy file. Without it, the built-in policy, which trusts the context."`
	Shell    string   `enum:"bash,posix,zsh,powershell,cmd" default:"bash" placeholder:"SHELL" help:"The shell that would run it: bash (default), posix, zsh, powershell or cmd."`
	Cwd      string   `placeholder:"DIR" help:"Where it would run, and the workspace (default: here)."`
	Allow    []string `sep:"none" placeholder:"PREFIX" help:"Let the context allow commands that start with these words (repeatable)."`
	Matching string   `enum:"strict,precise," default:"" placeholder:"HOW" help:"strict or precise, in place of the policy's command_matching."`
	Mode     string   `placeholder:"MODE" help:"The mode of the context: discuss, plan, interactive, auto-approve, bypass-approvals or custom (default: the policy's)."`
	Verbose  bool     `short:"v" help:"List every check, also those that found nothing."`
	Output   output   `short:"o" enum:"table,json," default:"" placeholder:"FORM" help:"table (default on a terminal) or json (default in a pipe)."`
}

func (*explainCmd) Help() string {
	return `Shows the commands that a shell text holds, what vouches for each, what they read
and write, and what would be decided. Nothing runs. Exits with 0 for allow, 1 for
deny or ask.

Example:

  pdp explain 'cd src && go test ./... | tee out.log' --allow 'go test'`
}

func (c *explainCmd) Run(a *app) error {
	command, err := c.command(a)
	if err != nil {
		return err
	}
	for _, entry := range c.Allow {
		if strings.TrimSpace(entry) == "" {
			return failure{exitUsage, errors.New("--allow: is blank; write the words that the commands start with, such as 'git status'")}
		}
	}
	f, err := c.policy()
	if err != nil {
		return err
	}
	body, err := c.request(a, command)
	if err != nil {
		return err
	}
	o, err := a.offline(f, c.Policy)
	if err != nil {
		return err
	}
	o.Explain = true
	answer, record, problem := o.Decide(body)
	if problem != nil {
		return refused(problem)
	}
	if c.Output.or(a.stdout) == asJSON {
		err = printJSONLine(a.stdout, answer)
	} else {
		checks := untold
		if c.Verbose {
			checks = listed
		}
		err = a.explain(f, o, body, answer, checks)
	}
	if err != nil {
		return err
	}
	if record.Outcome != decide.Allow {
		return errNegative
	}
	return nil
}

// offline decides under a policy as a server with these files would.
func (a *app) offline(f *policyfile.File, path string) (handlers.Offline, error) {
	policy, err := f.Compile(policyfile.Own{Files: ownFiles(path, a.stateDir(), "")})
	if err != nil {
		return handlers.Offline{}, err
	}
	return handlers.Offline{Policy: policy, InspectRoots: inspectRoots(f)}, nil
}

func printJSONLine(w io.Writer, answer []byte) error {
	_, err := w.Write(append(bytes.TrimRight(answer, "\n"), '\n'))
	return err
}

// command returns the text to explain. A text that JSON would change on the way
// is refused: what is shown must be what was asked.
func (c *explainCmd) command(a *app) (string, error) {
	if len(c.Command) > 1 {
		return "", failure{exitUsage, errors.New(inQuotes)}
	}
	text := c.Command[0]
	if text == "-" {
		a.awaits("a command")
		data, err := io.ReadAll(io.LimitReader(a.stdin, maxRequest+1))
		if err != nil {
			return "", fmt.Errorf("standard input: %w", err)
		}
		text = strings.TrimRight(string(data), "\r\n")
	}
	switch {
	case len(text) > maxRequest:
		return "", failure{exitUsage, errors.New("the command is larger than 1 MiB")}
	case !utf8.ValidString(text):
		return "", failure{exitUsage, errors.New("the command is not UTF-8")}
	case strings.TrimSpace(text) == "":
		return "", failure{exitUsage, errors.New("the command is empty")}
	}
	return text, nil
}

const inQuotes = `put the command in quotes, so that it arrives as one argument: pdp explain 'ls -l | head'`

// policy reads the policy, as the flags change it.
func (c *explainCmd) policy() (*policyfile.File, error) {
	f := policyfile.BuiltIn()
	if c.Policy != "" {
		var err error
		if f, err = policyfile.Load(c.Policy); err != nil {
			return nil, err
		}
	}
	if len(c.Allow) > 0 && f.Spec.InlineContext != "trust" {
		return nil, failure{exitUsage, fmt.Errorf("--allow speaks for the context, and %s trusts none (inline_context: %s); add the entry to its allowed_commands", c.Policy, f.Spec.InlineContext)}
	}
	if c.Matching != "" {
		f.Spec.CommandMatching = c.Matching
	}
	return f, nil
}

func (c *explainCmd) request(a *app, command string) ([]byte, error) {
	cwd, err := filepath.Abs(c.Cwd) // of nothing: here
	if err != nil {
		return nil, err
	}
	context := map[string]any{"workspace_root": cwd, "cwd": cwd, "shell": c.Shell}
	if home := a.getenv("HOME"); filepath.IsAbs(home) {
		context["home"] = home
	} else if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		context["home"] = home
	}
	if len(c.Allow) > 0 {
		context["allowed_commands"] = c.Allow
	}
	if c.Mode != "" {
		context["mode"] = c.Mode
	}
	return json.Marshal(map[string]any{
		"context": context,
		"call":    map[string]any{"tool_name": "run_shell", "arguments": map[string]any{"command": command}},
		"explain": true,
	})
}

// explain draws the answer to a request, for a person.
func (a *app) explain(f *policyfile.File, o handlers.Offline, body, answer []byte, checks shownChecks) error {
	e := explanation{matching: f.Spec.CommandMatching, policy: f.Name, checks: checks}
	if err := e.read(body, answer); err != nil {
		return err
	}
	strictAsks := e.Outcome == decide.Ask.String() && e.matching == "strict" && e.command != ""
	if inside := e.hasInside(); inside || strictAsks {
		precise, err := a.preciseOffline(f, o)
		if err != nil {
			return err
		}
		if strictAsks {
			_, record, problem := precise.Decide(body)
			e.onlyStrict = problem == nil && record.Outcome == decide.Allow
		}
		if inside {
			e.lookInside(precise, body)
		}
	}
	_, err := io.WriteString(a.stdout, e.draw(a.palette(), a.columns()))
	return err
}

// lineWidth is how long a line may be before a terminal breaks it: as the person
// says, or as wide as the terminal is; 0 without either.
func (a *app) lineWidth() int {
	const least = 40
	n, err := strconv.Atoi(a.getenv("COLUMNS"))
	if err != nil || n <= 0 {
		f, ok := a.stdout.(*os.File)
		if !ok || !isTerminal(f) {
			return 0
		}
		if n = terminalColumns(f.Fd()); n <= 0 {
			return 0
		}
	}
	return max(n, least)
}

// columns is how wide to write a text: lineWidth, or as wide as a terminal once was. Lines that are too long to read help nobody.
func (a *app) columns() int {
	const usual, most = 80, 140
	n := a.lineWidth()
	if n == 0 {
		n = usual
	}
	return min(n, most)
}
