package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// A person who sees nothing happen is told what is waited for; a pipe is not.
func TestWhatIsReadFromATerminalIsSaid(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer terminal.Close()
	if !isTerminal(terminal) {
		t.Skip("a pseudo-terminal does not look like one here")
	}
	var errs bytes.Buffer
	a := &app{stdin: terminal, stderr: &errs}
	a.awaits("a request")
	if got, want := errs.String(), "pdp: reading a request from the standard input; end it with Ctrl-D\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, args := range [][]string{{"decide"}, {"explain", "-"}, {"inspect", "--batch", "-"}, {"policy", "check", "-"}} {
		if _, _, got := pdp(t, nil, "", args...); strings.Contains(got, "reading") {
			t.Errorf("%v: of a pipe: %q", args, got)
		}
	}
}
