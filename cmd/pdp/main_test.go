package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pdp": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Cmds:                scriptCommands,
		Setup:               setupScript,
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("PDP_UPDATE_SCRIPTS") != "",
	})
}

// pdp runs the program in this process.
func pdp(t *testing.T, env map[string]string, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(stdin), &out, &errs, func(name string) string { return env[name] })
	return code, out.String(), errs.String()
}

// commandLines are all commands, as words.
func commandLines(t *testing.T) [][]string {
	t.Helper()
	var lines [][]string
	for _, n := range nodesOf(modelForTest(t).Node, nil) {
		lines = append(lines, n.path)
	}
	return lines
}

func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	lines := commandLines(t)
	if len(lines) < 11 {
		t.Fatalf("only %d commands", len(lines))
	}
	for _, words := range lines {
		code, out, errs := pdp(t, nil, "", append(words, "--help")...)
		name := strings.Join(append([]string{"pdp"}, words...), " ")
		if code != exitOK || errs != "" {
			t.Errorf("%s --help: exit %d, %s", name, code, errs)
		}
		_, example, ok := strings.Cut(out, "Example:")
		if !ok || !strings.Contains(example, name) {
			t.Errorf("%s --help shows no example of it:\n%s", name, out)
		}
	}
}

func TestAFlagWinsOverTheEnvironmentWhichWinsOverTheDefault(t *testing.T) {
	listen := func(env map[string]string, args ...string) string {
		_, _, errs := pdp(t, env, "", append([]string{"serve"}, args...)...)
		return errs
	}
	// An address that is none is named in the error, and nothing is opened.
	for _, row := range []struct {
		env, flag, want string
	}{
		{"from-env", "--listen=from-flag", `"from-flag"`},
		{"from-env", "", `"from-env"`},
	} {
		args := []string{}
		if row.flag != "" {
			args = append(args, row.flag)
		}
		if got := listen(map[string]string{"PDP_LISTEN": row.env}, args...); !strings.Contains(got, row.want) {
			t.Errorf("%+v: %s", row, got)
		}
	}
	code, _, errs := pdp(t, map[string]string{"PDP_LOG_LEVEL": "loud"}, "", "serve")
	if code != exitUsage || !strings.Contains(errs, "--log-level must be one of") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

func TestStateGoesWhereTheSystemWantsIt(t *testing.T) {
	for _, row := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"XDG_STATE_HOME": "/state", "HOME": "/home/me"}, "/state/pdp"},
		{map[string]string{"XDG_STATE_HOME": "relative", "HOME": "/home/me"}, "/home/me/.local/state/pdp"},
		{map[string]string{"HOME": "/home/me"}, "/home/me/.local/state/pdp"},
	} {
		a := &app{getenv: func(name string) string { return row.env[name] }}
		if got := strings.ReplaceAll(a.stateDir(), `\`, "/"); got != row.want {
			t.Errorf("%v: %s, want %s", row.env, got, row.want)
		}
	}
}
