package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")

// walk PAGE runs the commands of a page's console blocks, one after the other in
// one shell, against the service that the script has started, and compares what
// they print; … stands for any text within a line.
func (s *scriptServer) walk(ts *testscript.TestScript, args []string) error {
	page, err := os.ReadFile("../../" + args[0])
	if err != nil {
		return err
	}
	text := strings.NewReplacer("\r\n", "\n", "http://127.0.0.1:8080", s.url, "/tmp/pdp-try", ts.MkAbs("state")).Replace(string(page))
	const mark = "\x1e\n"
	var commands, wants []string
	script := `exec 2>&1
go() { shift 2; pdp "$@"; }
`
	for _, block := range consoleBlock.FindAllStringSubmatch(text, -1) {
		for _, part := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			command, want, _ := strings.Cut(part, "\n")
			commands, wants = append(commands, command), append(wants, strings.TrimSpace(want))
			script += command + "\nprintf '\\x1e\\n'\n"
		}
	}
	if len(commands) == 0 {
		return fmt.Errorf("%s has no commands", args[0])
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", script)
	shell.Dir = ts.MkAbs(".")
	shell.Env = []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME")}
	out, err := shell.Output()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	got := strings.Split(string(out), mark)
	for i, want := range wants {
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*") + "$"
		if i >= len(got) || !regexp.MustCompile(pattern).MatchString(strings.TrimSpace(got[i])) {
			return fmt.Errorf("$ %s\nprints %q\nwant   %q", commands[i], got[min(i, len(got)-1)], want)
		}
	}
	return nil
}
