package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// helpCmd stands in the list of commands; asHelp answers it.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command, such as policy check."`
}

func (*helpCmd) Help() string {
	return `Example:

  pdp help policy check`
}

func (*helpCmd) Run() error { return nil }

// asHelp turns "help WORDS" into "WORDS --help", which kong answers.
func asHelp(args []string) []string {
	if len(args) == 0 || args[0] != "help" || slices.ContainsFunc(args, isFlag) {
		return args
	}
	return append(slices.Clone(args[1:]), "--help")
}

func isFlag(arg string) bool { return strings.HasPrefix(arg, "-") }

// printHelp prints kong's help. A command whose own work is that of one below it
// takes that one's words, which kong's usage line leaves out.
func printHelp(options kong.HelpOptions, k *kong.Context) error {
	if n := k.Selected(); n != nil && n.Target.Type() == reflect.TypeFor[privateDirCmd]() {
		for _, f := range n.Parent.Flags { // they are for reports
			f.Hidden = true
		}
	}
	to := k.Stdout
	var b bytes.Buffer
	k.Stdout = &b
	err := kong.DefaultHelpPrinter(options, k)
	k.Stdout = to
	if err != nil {
		return err
	}
	text := b.String()
	if n := k.Selected(); n != nil && n.DefaultCmd != nil {
		var words strings.Builder
		for _, arg := range n.DefaultCmd.Positional {
			words.WriteString("<" + arg.Name + ">")
			if arg.IsCumulative() {
				words.WriteString(" …")
			}
		}
		text = strings.Replace(text, " <command> ", " "+words.String()+" ", 1)
	}
	_, err = io.WriteString(to, text)
	return err
}

// versionFlag prints what pdp version prints.
type versionFlag bool

// BeforeReset is called by kong where it meets the flag.
func (versionFlag) BeforeReset(a *app, k *kong.Kong) error {
	if err := (&versionCmd{}).Run(a); err != nil {
		return err
	}
	k.Exit(exitOK)
	return nil
}

// reworded is an error of the command line in words for its author.
type reworded struct {
	text string
	err  error
}

func (r reworded) Error() string { return r.text }
func (r reworded) Unwrap() error { return r.err }

var notOneOf = regexp.MustCompile(`^(?s)(\S+) must be one of (\S+) but got (.*)$`)

// rewordings turn what the parser says of a value into what to write. Groups are
// the flag or argument, and the value as it was quoted.
var rewordings = []struct {
	said *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`^(\S+): expected \S+ value but got "EOL" \(<EOL>\)$`), "$1 needs a value"},
	{regexp.MustCompile(`^(?s)(\S+): expected a valid \d+ bit u?int but got (".*")$`), "$1 $2: write a whole number"},
	{regexp.MustCompile(`^(?s)(\S+): expected duration but got (".*"): time: .*$`), "$1 $2: write a time with its unit, such as 500ms, 10s or 2m"},
	{regexp.MustCompile(`^(?s)(\S+): bool value must be .* but got (".*")$`), "$1 $2: write true or false, or the flag alone"},
}

// asExplained says what is wrong with a command line.
func asExplained(err error) error {
	var parse *kong.ParseError
	if !errors.As(err, &parse) || parse.Context == nil {
		return err
	}
	node := parse.Context.Model.Node
	if selected := parse.Context.Selected(); selected != nil {
		node = selected
	} else if at := parse.Context.Path; len(at) > 0 && at[len(at)-1].Node() != nil {
		node = at[len(at)-1].Node()
	}
	text := err.Error()
	word, unexpected := strings.CutPrefix(text, "unexpected argument ")
	m := notOneOf.FindStringSubmatch(text)
	for _, r := range rewordings {
		if r.said.MatchString(text) {
			return reworded{r.said.ReplaceAllString(text, r.as), err}
		}
	}
	switch {
	case node.Name == "explain" && strings.HasPrefix(text, "unknown flag"):
		// An option of a command without quotes is taken for one of pdp's.
		text += "\npdp: " + inQuotes
	case m != nil: // without the empty one, which stands for the default
		known := strings.NewReplacer(`,""`, "", `"`, "", ",", ", ").Replace(m[2])
		text = fmt.Sprintf("%s must be one of %s, not %s", m[1], known, m[3])
	case unexpected && len(node.Children) > 0 && !strings.Contains(text, "did you mean"):
		text = fmt.Sprintf("%q is no command; write one of %s", word, childNames(node))
	}
	return reworded{text, err}
}

// isUnfinished reports whether a command line ends before it names a command.
func isUnfinished(err error) bool {
	var parse *kong.ParseError
	if !errors.As(err, &parse) || parse.Context == nil || !strings.HasPrefix(err.Error(), "expected one of ") {
		return false
	}
	at := parse.Context.Selected()
	return at == nil || len(at.Children) > 0
}

func childNames(n *kong.Node) string {
	names := make([]string, len(n.Children))
	for i, child := range n.Children {
		names[i] = child.Name
	}
	return strings.Join(names, ", ")
}
