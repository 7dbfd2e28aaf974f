package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/handlers"
	"github.com/agent-pdp/pdp/internal/policyfile"
)

type decideCmd struct {
	File    string `arg:"" optional:"" default:"-" help:"The request, as for POST /v1/decisions; - is the standard input."`
	Policy  string `placeholder:"FILE" setting:"PDP_POLICY" help:"The policy file. Without it, the built-in policy, which trusts the request's context."`
	Explain bool   `help:"Show what was understood of the call, and which check decided."`
	Verbose bool   `short:"v" help:"With --explain, list every check."`
	Output  output `short:"o" enum:"table,json," default:"" placeholder:"FORM" help:"table (default on a terminal and with --explain) or json."`
}

func (*decideCmd) Help() string {
	return `Reads one request and prints the decision that a server with this policy and
these files would give. Exits with 0 for allow, 1 for deny or ask, 2 for a
request that is not valid, and 3 if no answer could be given.

Example:

  echo '{"context": {"workspace_root": "/proj"}, "call":
    {"tool_name": "run_shell", "arguments": {"command": "ls"}}}' | pdp decide`
}

// maxRequest is that of the server.
const maxRequest = 1 << 20

func (c *decideCmd) Run(a *app) error {
	f := policyfile.BuiltIn()
	if c.Policy != "" {
		var err error
		if f, err = policyfile.Load(c.Policy); err != nil {
			return err
		}
	}
	o, err := a.offline(f, c.Policy)
	if err != nil {
		return err
	}
	o.Explain = c.Explain || c.Verbose
	body, err := c.request(a)
	if err != nil {
		return err
	}
	answer, record, problem := o.Decide(body)
	if problem != nil {
		return refused(problem)
	}
	switch {
	case c.Output == asJSON || c.Output.or(a.stdout) == asJSON && !o.Explain:
		err = printJSONLine(a.stdout, answer)
	case o.Explain:
		checks := folded
		if c.Verbose {
			checks = listed
		}
		err = a.explain(f, o, body, answer, checks)
	default:
		err = c.print(a, answer)
	}
	if err != nil {
		return err
	}
	if record.Outcome != decide.Allow {
		return errNegative
	}
	return nil
}

func (c *decideCmd) request(a *app) ([]byte, error) {
	in := a.stdin
	if c.File == "-" {
		a.awaits("a request")
	} else {
		f, err := os.Open(c.File)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, maxRequest+1))
	if err == nil && len(body) > maxRequest {
		err = failure{exitUsage, errors.New("the request is larger than 1 MiB")}
	}
	return body, err
}

// refused reports a request about which nothing was decided.
func refused(p *handlers.Problem) error {
	lines := []string{p.Code + ": " + p.Detail}
	if len(p.Errors) > 1 { // the detail tells only the first
		lines[0] = p.Code + ": " + p.Errors[0].Pointer + ": " + p.Errors[0].Detail
		for _, e := range p.Errors[1:] {
			lines = append(lines, e.Pointer+": "+e.Detail)
		}
	}
	code := exitUsage
	if p.Status >= 500 {
		code = exitFailure
	}
	return failure{code, errors.New(plainLines(lines))}
}

func plainLines(lines []string) string {
	for i := range lines {
		lines[i] = plain(lines[i])
	}
	return strings.Join(lines, "\n")
}

func (c *decideCmd) print(a *app, answer []byte) error {
	var d shownDecision
	if err := json.Unmarshal(answer, &d); err != nil {
		return err
	}
	var b bytes.Buffer
	d.print(&b, a.palette())
	_, err := a.stdout.Write(b.Bytes())
	return err
}

// shownDecision is the part of an answer that a person is shown.
type shownDecision struct {
	Outcome     string   `json:"outcome"`
	HumanOnly   bool     `json:"human_only"`
	Code        string   `json:"code"`
	Reason      string   `json:"reason"`
	Rule        string   `json:"rule"`
	Risk        string   `json:"risk"`
	Mode        string   `json:"mode"`
	Obligations []string `json:"obligations"`
	Warnings    []string `json:"warnings"`
	Trace       []struct {
		Check, Kind, Result, Detail string
	} `json:"trace"`
}

var outcomeColours = map[string]string{"allow": green, "ask": yellow, "deny": red, "skipped": faint, "pass": faint}

func (d *shownDecision) print(b *bytes.Buffer, p palette) {
	who := ""
	if d.HumanOnly {
		who = ", a person only"
	}
	fmt.Fprintf(b, "%s%s: %s\n", p.paint(outcomeColours[d.Outcome], d.Outcome), who, plain(d.Reason))
	fmt.Fprintf(b, "  code %s, risk %s, mode %s\n", d.Code, orUnclassified(d.Risk), d.Mode)
	if d.Rule != "" {
		fmt.Fprintf(b, "  rule %s\n", plain(d.Rule))
	}
	if len(d.Obligations) > 0 {
		fmt.Fprintf(b, "  obligations: %s\n", strings.Join(d.Obligations, ", "))
	}
	for _, w := range d.Warnings {
		fmt.Fprintf(b, "  warning: %s\n", plain(w))
	}
}

func orUnclassified(risk string) string {
	if risk == "" {
		return "unclassified"
	}
	return risk
}
