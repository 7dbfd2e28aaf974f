package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-pdp/pdp/internal/policyfile"
)

type policyCmd struct {
	Check policyCheckCmd `cmd:"" help:"Find every mistake in a policy file."`
	Show  policyShowCmd  `cmd:"" help:"Print the policy that holds, defaults included."`
	Init  policyInitCmd  `cmd:"" help:"Write a commented policy file to start from."`
}

func (*policyCmd) Help() string {
	return `Example:

  pdp policy init policy.yaml && pdp policy check policy.yaml`
}

// stdinName stands for the standard input in messages.
const stdinName = "stdin"

// readPolicy reads a policy file, or the standard input for "-".
func (a *app) readPolicy(path string) (*policyfile.File, error) {
	if path != "-" {
		return policyfile.Load(path)
	}
	a.awaits("a policy")
	data, err := io.ReadAll(io.LimitReader(a.stdin, policyfile.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return policyfile.Parse(stdinName, data)
}

type policyCheckCmd struct {
	File   string `arg:"" help:"The policy file; - is the standard input."`
	Output output `short:"o" enum:"table,json," default:"" placeholder:"FORM" help:"table (default) or json."`
}

func (*policyCheckCmd) Help() string {
	return `Prints one line for each mistake, with its line and column, and exits with 1 if
there are any. A warning is about what is valid and yet does less than it seems
to; it changes no exit code. Nothing is changed.

Example:

  pdp policy check policy.yaml`
}

func (c *policyCheckCmd) Run(a *app) error {
	f, err := a.readPolicy(c.File)
	var mistakes policyfile.Errors
	switch {
	case err != nil && !errors.As(err, &mistakes):
		return err
	case c.Output == asJSON:
		return c.printJSON(a, mistakes, f)
	case len(mistakes) > 0:
		for _, m := range mistakes {
			fmt.Fprintln(a.stdout, plain(m.Error()))
		}
		return errNegative
	}
	for _, w := range f.Warnings {
		fmt.Fprintln(a.stdout, plain(w.Warning()))
	}
	facts := []string{count(f.Rules(), "rule"), "mode " + f.Spec.Mode, "inline contexts: " + f.Spec.InlineContext}
	if n := len(f.Warnings); n > 0 {
		facts = append(facts, count(n, "warning"))
	}
	fmt.Fprintf(a.stdout, "%s: ok (%s)\n", f.Name, strings.Join(facts, ", "))
	return nil
}

// count is a number of things, for a person.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// printJSON prints lists that are never null. Without a file there are only
// mistakes.
func (c *policyCheckCmd) printJSON(a *app, mistakes policyfile.Errors, f *policyfile.File) error {
	answer := struct {
		OK       bool              `json:"ok"`
		Errors   policyfile.Errors `json:"errors"`
		Warnings policyfile.Errors `json:"warnings"`
	}{len(mistakes) == 0, append(policyfile.Errors{}, mistakes...), policyfile.Errors{}}
	if f != nil {
		answer.Warnings = append(answer.Warnings, f.Warnings...)
	}
	if err := json.NewEncoder(a.stdout).Encode(answer); err != nil {
		return err
	}
	if !answer.OK {
		return errNegative
	}
	return nil
}

type policyShowCmd struct {
	File string `arg:"" optional:"" help:"The policy file; - is the standard input. Without it, the built-in policy."`
}

func (*policyShowCmd) Help() string {
	return `Prints every key with the value that holds, as a policy file. What the file does
not say is marked as a default.

Example:

  pdp policy show policy.yaml`
}

func (c *policyShowCmd) Run(a *app) error {
	f := policyfile.BuiltIn()
	if c.File != "" {
		var err error
		if f, err = a.readPolicy(c.File); err != nil {
			return negativeIfMistaken(err)
		}
	}
	_, err := a.stdout.Write(f.Show())
	return err
}

// negativeIfMistaken tells a policy with mistakes from one that cannot be read.
func negativeIfMistaken(err error) error {
	var mistakes policyfile.Errors
	if errors.As(err, &mistakes) {
		return failure{exitNegative, err}
	}
	return err
}

type policyInitCmd struct {
	File  string `arg:"" optional:"" default:"policy.yaml" help:"Where to write; - is the standard output."`
	Force bool   `help:"Replace a file that exists."`
}

func (*policyInitCmd) Help() string {
	return `Writes a policy that asks before everything with consequences, with every key
explained. Remove the # in front of a key to use it.

Example:

  pdp policy init policy.yaml`
}

func (c *policyInitCmd) Run(a *app) error {
	if c.File == "-" {
		_, err := a.stdout.Write(policyfile.Starter())
		return err
	}
	write := createFile
	if c.Force {
		write = replaceFile
	}
	switch err := write(c.File, policyfile.Starter()); {
	case errors.Is(err, fs.ErrExist):
		return failure{exitNegative, fmt.Errorf("%s is there already; --force replaces it", c.File)}
	case err != nil:
		return err
	}
	fmt.Fprintf(a.stdout, "wrote %s; next: pdp policy check %s\n", c.File, c.File)
	return nil
}

// createFile writes a new file. Only its owner may read and write it.
func createFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(path) // ours, and incomplete
	}
	return err
}

// replaceFile puts a complete file in the place of another at once: a service
// that watches it never sees half of it.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".pdp-policy-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
