package programs_test

import (
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

func TestReveals(t *testing.T) {
	check(t, "reveals", func(words []string) bool {
		_, ok := programs.Builtin().Reveals(words)
		return ok
	}, map[string]bool{
		"env": true, "env -0": true, "/usr/bin/env": true, "printenv": true, "printenv HOME": true, "sudo env": true, "export -p": true, "set": true, "declare -x": true, "kubectl get secret": true, "kubectl get -o yaml Secrets": true, "gh auth token": true, "gh auth status -t": true, "aws sts get-session-token": true, "aws secretsmanager get-secret-value --x y": true, "git credential fill": true, "npm token list": true, "timeout 5 gh auth token": true,
		"env A=1 ls": false, "export A=1": false, "set -e": false, "kubectl get pods": false, "kubectl describe secret x": false, "gh auth status": false, "git log": false, "ls env": false, "echo printenv": false, "docker inspect x": false, "aws s3 ls": false, "unknown": false,
		"ps e": true, "ps auxe": true, "ps auxeww": true, "ps -E": true, "ps ax e": true, "sudo ps e -p 1": true, "ps -p 1 e": true,
		"ps": false, "ps aux": false, "ps -ef": false, "ps -eo pid,cmd": false, "ps -C node": false, "ps -u someone": false, "ps --sort size": false, "ps axf": false,
	})
}
