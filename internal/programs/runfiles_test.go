package programs_test

import (
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

func TestRunsFile(t *testing.T) {
	for text, want := range map[string]bool{
		"./x": true, "bin/x": true, "/opt/x": true, "bash x.sh": true, "sudo ./x": true, "python3 x.py": true, "source x": true, ". x": true, "env A=1 ./x": true, "env ./x": true, "timeout 5s ./x": true, "sudo -u x ./y": true, "nice -n 5 bin/x": true, "timeout 5 cat ./x": false, "sudo cat ./x": false, "node ./x.js": true,
		"bash -x x.sh": true, "sh -e x.sh": true, "bash -euo pipefail x.sh": true, "python3 -u x.py": true, "deno run x.ts": true, "node --test a.test.js": true, "java -jar x.jar": true,
		"make -f x": true, "make -fx": true, "make --file=x all": true, "sudo make all --makefile x": true, "awk -f x data": true, "cmake -P x": true, "just --justfile x": true,
		"make all": false, "make -f": false, "bash -c 'x.y z'": false, "python3 -c 'a.b'": false, "python3 -m a.b": false, "perl -we 'a.b' f": false, "php -r a.b": false, "deno test": false, "bun install": false,
		"ls": false, "/bin/ls": false, "/usr/bin/git status": false, "/bin/../x": true, "ls ./x": false, "cat x.sh": false, "grep -n env ./x": false, "python3 -m pytest": false, "git add ./x": false,
	} {
		if got := programs.Builtin().RunsFile(split(t, text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What is named counts wherever the interpreter may take it for its script.
func TestMayRun(t *testing.T) {
	for text, want := range map[string]string{
		"bash build":                "build",
		"bash -x build out":         "build",
		"python3 -X dev run a":      "dev run",
		"node -r ./a.js b.js c":     "./a.js b.js",
		"node --import=./a.js b.js": "./a.js b.js",
		"deno run x":                "run x",
		"sudo make -f a --file=b c": "a b",
		"awk -fa b":                 "a",
		"make all":                  "",
		"ls -f x":                   "",
		"bash":                      "",
		"make -f":                   "",
	} {
		if got := strings.Join(programs.Builtin().MayRun(split(t, text)), " "); got != want {
			t.Errorf("%q may run %q, want %q", text, got, want)
		}
	}
}
