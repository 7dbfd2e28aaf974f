// Command pdp answers whether a tool call of an AI agent may run: allow, ask a
// human, or deny. It serves the answers over HTTP, or gives one at a time.
//
// This package reads flags, opens files and listeners, and ties the packages
// together that do not know each other. Nothing is decided here.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/serverfile"
	"github.com/agent-pdp/pdp/internal/store"
)

// Exit codes. A script can tell "no" from "could not say".
const (
	exitOK       = 0
	exitNegative = 1 // the answer is no: denied, asks, invalid, not ready, there already
	exitUsage    = 2 // the command line or the request makes no sense
	exitFailure  = 3 // no answer could be given
)

func main() {
	os.Exit(runIn(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv, os.Environ()))
}

// app is what a subcommand has of the world.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
	model  *kong.Application

	unknownVariables []string // of the environment

	// openStore opens what the service keeps.
	openStore func(ctx context.Context, url, stateDir string, how opening) (store.Store, error)
	// record writes down what such a visit changed.
	record func(ctx context.Context, log store.Log, stateDir string, ev *audit.Event) error

	config    *serverfile.File // nil: none was read
	configErr error
}

// cli is the command line. A flag with a setting tag can be set by that
// environment variable.
type cli struct {
	Serve       serveCmd       `cmd:"" help:"Serve decisions over HTTP."`
	Decide      decideCmd      `cmd:"" help:"Decide one request without a server."`
	Explain     explainCmd     `cmd:"" help:"Show what is understood of a shell command."`
	Policy      policyCmd      `cmd:"" help:"Check, show or start a policy file."`
	Inspect     inspectCmd     `cmd:"" help:"Report who can read, write or replace paths."`
	Token       tokenCmd       `cmd:"" help:"Make, list and revoke the tokens of callers."`
	Audit       auditCmd       `cmd:"" help:"Read, verify, export and erase the audit log."`
	Healthcheck healthcheckCmd `cmd:"" help:"Ask a running service whether it is ready."`
	Version     versionCmd     `cmd:"" help:"Print what this program is."`
	Completion  completionCmd  `cmd:"" help:"Print a completion script for a shell."`
	Help        helpCmd        `cmd:"" help:"Show what a command takes."`

	ShowVersion versionFlag `name:"version" help:"Print what this program is."`
}

const about = `Decides whether a tool call of an AI agent may run: allow, ask a human, or deny.

Exit codes: 0 success or allow, 1 a negative answer (also: what is to be made is
there already), 2 bad usage, 3 a failure.

Example:

  pdp serve --policy policy.yaml`

// run is runIn where nothing else stands in the environment.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	return runIn(ctx, args, stdin, stdout, stderr, getenv, nil)
}

// runIn is the program. It returns the exit code.
func runIn(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string, environ []string) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, openStore: openStore, record: recordVisit}
	helped := false
	var c cli
	k, err := kong.New(&c,
		kong.Name("pdp"),
		kong.Description(about),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }),
		kong.Resolvers(kong.ResolverFunc(a.setting)),
		kong.ValueFormatter(describeFlag),
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(a),
	)
	if err != nil {
		panic(err) // the cli type is wrong: every test fails here
	}
	a.model = k.Model
	parsed, err := k.Parse(asHelp(args))
	switch {
	case helped:
		return exitOK
	case isUnfinished(err):
		// Who writes only pdp, or pdp token, wants to know what there is.
		k.Stdout = stderr
		_, _ = k.Parse(append(slices.Clone(args), "--help"))
		return exitUsage
	case err != nil:
		if bad := misconfiguration(err); bad != nil {
			return a.exitCode(bad)
		}
		return a.misused(asExplained(err))
	}
	if a.unknownVariables, err = unknownVariables(environ); err != nil {
		return a.exitCode(err)
	}
	return a.exitCode(parsed.Run())
}

// describeFlag adds the environment variable to the help text.
func describeFlag(value *kong.Value) string {
	if name := value.Tag.Get("setting"); name != "" {
		return strings.TrimSuffix(value.Help, ".") + " ($" + name + ")."
	}
	return value.Help
}

// misused reports a command line that makes no sense.
func (a *app) misused(err error) int {
	fmt.Fprintf(a.stderr, "pdp: %v\n", err)
	command := "pdp"
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil && parse.Context.Selected() != nil {
		command = parse.Context.Selected().FullPath()
	}
	fmt.Fprintf(a.stderr, "Run \"%s --help\" for what it takes.\n", command)
	return exitUsage
}

// failure is an error with its exit code. Without a cause there is nothing to
// print: the output has said it.
type failure struct {
	code  int
	cause error
}

func (f failure) Error() string {
	if f.cause == nil {
		return fmt.Sprintf("exit code %d", f.code)
	}
	return f.cause.Error()
}

func (f failure) Unwrap() error { return f.cause }

var errNegative = failure{code: exitNegative}

// exitCode prints an error's cause and returns its code.
func (a *app) exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	code := exitFailure
	var f failure
	if errors.As(err, &f) {
		code = f.code
		if f.cause == nil {
			return code
		}
	}
	for line := range strings.Lines(plainly(err)) {
		fmt.Fprintf(a.stderr, "pdp: %s\n", strings.TrimSuffix(line, "\n"))
	}
	return code
}
