// Command gotally reads the events of `go test -json` on standard input, prints
// what a person wants to see of them (the line of each package, and the whole
// output of what failed), and writes how many tests passed, failed and were
// skipped to a file.
//
//	go test -json ./... | gotally COUNTS
//
// A test counts with each of its subtests. A package that fails although none
// of its tests did (it does not build, or its TestMain failed) counts as one
// failure. The exit status is 1 if anything failed and 3 if the events could not
// be read; it does not stand for the exit status of go test, so use pipefail.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json ./... | gotally COUNTS")
		os.Exit(2)
	}
	t := newTally(os.Stdout)
	if err := t.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "gotally:", err)
		os.Exit(3)
	}
	counts := fmt.Sprintf("%d %d %d\n", t.passed, t.failed, t.skipped)
	if err := os.WriteFile(os.Args[1], []byte(counts), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "gotally:", err)
		os.Exit(3)
	}
	if t.failed > 0 {
		os.Exit(1)
	}
}

// An event is one line of `go doc test2json`, or of `go help buildjson`.
type event struct {
	Action      string
	Package     string
	Test        string
	Output      string
	ImportPath  string // of a build event
	FailedBuild string // the import path whose build failed this package
}

// subject is a test, or with an empty test the package itself.
type subject struct{ pkg, test string }

type tally struct {
	out                     io.Writer
	passed, failed, skipped int
	output                  map[subject]*bytes.Buffer
	build                   map[string]*bytes.Buffer
	failures                map[string]int // failed tests by package
}

func newTally(out io.Writer) *tally {
	return &tally{
		out:      out,
		output:   map[subject]*bytes.Buffer{},
		build:    map[string]*bytes.Buffer{},
		failures: map[string]int{},
	}
}

// read takes events to the end of r. A line that is no event (make and the
// compiler write such lines too) is printed as it is.
func (t *tally) read(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			t.line(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (t *tally) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Action == "" {
		t.out.Write(line)
		return
	}
	s := subject{e.Package, e.Test}
	switch e.Action {
	case "output":
		buffer(t.output, s).WriteString(e.Output)
	case "build-output":
		buffer(t.build, e.ImportPath).WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test != "" {
			t.test(s, e.Action)
		} else {
			t.pkg(s, e)
		}
	}
}

func (t *tally) test(s subject, action string) {
	switch action {
	case "pass":
		t.passed++
	case "skip":
		t.skipped++
		t.print(t.output[s])
	case "fail":
		t.failed++
		t.failures[s.pkg]++
		t.print(t.output[s])
	}
	delete(t.output, s)
}

func (t *tally) pkg(s subject, e event) {
	if e.Action == "fail" {
		t.print(t.build[e.FailedBuild])
		t.unfinished(s.pkg)
		if t.failures[s.pkg] == 0 {
			t.failed++
		}
		t.print(t.output[s])
	} else {
		fmt.Fprint(t.out, lastLine(t.output[s]))
	}
	delete(t.output, s)
}

// unfinished prints and counts the tests that had no end: a panic or a time-out
// took the whole package down with them.
func (t *tally) unfinished(pkg string) {
	for s, out := range t.output {
		if s.pkg != pkg || s.test == "" {
			continue
		}
		t.failed++
		t.failures[pkg]++
		t.print(out)
		delete(t.output, s)
	}
}

func (t *tally) print(b *bytes.Buffer) {
	if b != nil {
		t.out.Write(b.Bytes())
	}
}

func buffer[K comparable](m map[K]*bytes.Buffer, k K) *bytes.Buffer {
	if m[k] == nil {
		m[k] = &bytes.Buffer{}
	}
	return m[k]
}

// lastLine is the line that go test prints for a package, without what the
// tests printed before it.
func lastLine(b *bytes.Buffer) string {
	if b == nil {
		return ""
	}
	s := strings.TrimSuffix(b.String(), "\n")
	return s[strings.LastIndexByte(s, '\n')+1:] + "\n"
}
