package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/mattn/go-isatty"
)

// isTerminal reports whether a person reads w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// awaits tells a person at a terminal what a command waits for: nothing else
// would show that it does.
func (a *app) awaits(what string) {
	if f, ok := a.stdin.(*os.File); ok && isTerminal(f) {
		fmt.Fprintf(a.stderr, "pdp: reading %s from the standard input; end it with %s\n", what, endOfInput)
	}
}

// output is the form of what a command prints.
type output string

const (
	asTable output = "table"
	asJSON  output = "json"
)

// or returns the form, by default a table for a person and JSON for a program.
func (o output) or(w io.Writer) output {
	switch {
	case o != "":
		return o
	case isTerminal(w):
		return asTable
	default:
		return asJSON
	}
}

// palette colours text, or does not.
type palette bool

// palette is on for terminals, unless the person asked for none.
func (a *app) palette() palette {
	return palette(isTerminal(a.stdout) && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb")
}

const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
	faint  = "2"
)

func (p palette) paint(colour, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// plain makes a foreign text safe to print on a terminal: control and
// invisible characters become escapes.
func plain(text string) string {
	quoted := strconv.QuoteToGraphic(text)
	inner := quoted[1 : len(quoted)-1]
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(inner)
}
