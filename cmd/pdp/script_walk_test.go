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

// walk PAGE [SECTION] runs the commands of a page's console blocks, or those of one section, one after the other in
// one shell, against the service that the script has started, and compares what
// they print; … stands for any text within a line.
func (s *scriptServer) walk(ts *testscript.TestScript, args []string) error {
	page, err := os.ReadFile("../../" + args[0])
	if err != nil {
		return err
	}
	text := strings.NewReplacer("\r\n", "\n", "http://127.0.0.1:8080", s.url, "/tmp/pdp-try", ts.MkAbs("state"), "/tmp/pdp-copy", ts.MkAbs("copy")).Replace(string(page))
	if len(args) > 1 {
		_, text, _ = strings.Cut(text, "\n## "+args[1]+"\n")
		text, _, _ = strings.Cut(text, "\n## ")
	}
	const mark = "\x1e\n"
	var commands, wants []string
	script := "exec 2>&1\n"
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
	out, err := bash(ts, script)
	if err != nil {
		return err
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

// paste PAGE TEXT gives a shell the page's first sh block that has the text, twice
// in two shells, as who reads the page on two days does.
func (s *scriptServer) paste(ts *testscript.TestScript, args []string) error {
	page, err := os.ReadFile("../../" + args[0])
	if err != nil {
		return err
	}
	text := strings.NewReplacer("\r\n", "\n", "http://127.0.0.1:8080", s.url, "bin/pdp", "pdp",
		"date +%s", "date +%s%N", // nobody pastes twice in a second, but for this
	).Replace(string(page))
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		if !strings.Contains(block[1], args[1]) {
			continue
		}
		for range 2 {
			out, err := bash(ts, "exec 2>&1\n"+block[1])
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(ts.Stdout(), "%s\n", out); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%s has no such block", args[0])
}

func bash(ts *testscript.TestScript, script string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", script)
	shell.Dir = ts.MkAbs(".")
	shell.Env = []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME")}
	out, err := shell.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return out, nil
}
