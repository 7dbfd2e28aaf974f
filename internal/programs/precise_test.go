package programs_test

import (
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

// Rows are: an entry, a command that runs on its word in precise matching
// only.
func TestPreciseVouchesFor(t *testing.T) {
	for _, row := range [][2]string{
		// a word that only looks like inline code or an action
		{`python3 x.py`, `python3 x.py -c conf`},
		{`node server.js`, `node server.js --eval`},
		{`bash x.sh`, `bash x.sh -e prod`},
		// sub-commands of launchers that only read
		{`docker ps`, `docker ps -a`},
		{`docker logs`, `docker logs -f --tail 5 x`},
		{`docker compose ps`, `docker compose ps web`},
		{`docker volume ls`, `docker volume ls`},
		{`podman inspect`, `podman inspect x`},
		{`kubectl get`, `kubectl get pods -n a -o wide`},
		{`kubectl get pods`, `kubectl get pods`},
		{`kubectl describe`, `kubectl describe secret x`},
		{`kubectl logs`, `kubectl logs -f x -c web`},
		{`kubectl config get-contexts`, `kubectl config get-contexts`},
		{`kubectl get`, `kubectl get externalsecrets`},
		{`kubectl get secret x`, `kubectl get secret x`},
		// the entry names the wrapper and the inner command
		{`timeout 60 go test`, `timeout 60 go test ./...`},
		{`timeout -s KILL 60 go test`, `timeout -s KILL 60 go test -v`},
		{`timeout --signal=KILL -k 5 60 go test`, `timeout --signal=KILL -k 5 60 go test`},
		{`nice -n 5 make test`, `nice -n 5 make test -j 4`},
		{`nice -5 make test`, `nice -5 make test`},
		{`env A=1 go test`, `env A=1 go test ./...`},
		{`env -u A go test`, `env -u A go test ./...`},
		{`stdbuf -oL grep`, `stdbuf -oL grep -n x f`},
		{`time -p go test`, `time -p go test ./...`},
		{`sudo systemctl status`, `sudo systemctl status x`},
		{`sudo -u web ls`, `sudo -u web ls -la /srv`},
		{`npx prettier`, `npx prettier --check src`},
		{`npx -y prettier@3 --check`, `npx -y prettier@3 --check src`},
		{`npx eslint`, `npx eslint src`},
		{`uvx ruff check`, `uvx ruff check .`},
		{`xargs grep`, `xargs grep -n x`},
		{`xargs -0 head`, `xargs -0 head -n 5`},
		{`timeout 5 bash x.sh`, `timeout 5 bash x.sh a`},
		{`nohup timeout 5 go test`, `nohup timeout 5 go test ./...`},
		// an entry that equals the command
		{`docker run --rm x`, `docker run --rm x`},
		{`ssh host uptime`, `ssh host uptime`},
		{`bash -c 'go test ./...'`, `bash -c 'go test ./...'`},
		{`sudo -i`, `sudo -i`},
		{`python3 -c 'print(1)'`, `python3 -c 'print(1)'`},
		{`xargs rm`, `xargs rm`},
	} {
		if !vouched(t, row[0], row[1], programs.Precise) {
			t.Errorf("%s does not vouch for %q", row[0], row[1])
		}
		// Strict knows nothing of these, or the entry names a plain script.
		if vouched(t, row[0], row[1], programs.Strict) && row[0] != `time -p go test` {
			t.Errorf("strict vouches for %q", row[1])
		}
	}
}

// Rows are: an entry, a command that does more than it says, in either mode.
func TestPreciseDoesNotVouchFor(t *testing.T) {
	for _, row := range [][2]string{
		{`docker`, `docker ps`},
		{`docker`, `docker run x`},
		{`docker run`, `docker run x`},
		{`docker exec`, `docker exec x sh`},
		{`docker compose`, `docker compose ps`},
		{`docker compose`, `docker compose up`},
		{`docker volume`, `docker volume rm x`},
		{`docker ps`, `docker ps --context x`},
		{`docker logs`, `docker logs --host tcp://x y`},
		{`docker -H x ps`, `docker -H x ps -a`},
		{`kubectl`, `kubectl get pods`},
		{`kubectl get`, `kubectl get secret`},
		{`kubectl get`, `kubectl get SECRETS`},
		{`kubectl get`, `kubectl get pods,secrets`},
		{`kubectl get`, `kubectl get -o yaml secret/x`},
		{`kubectl get`, `kubectl get secrets.v1. x`},
		{`kubectl get`, `kubectl get --raw /api/v1/secrets`},
		{`kubectl get`, `kubectl get pods --kubeconfig x`},
		{`kubectl get`, `kubectl get pods --token=x`},
		{`kubectl get`, `kubectl get --filename https://x`},
		{`kubectl config`, `kubectl config get-contexts`},
		{`kubectl config view`, `kubectl config view --raw`},
		{`kubectl exec x`, `kubectl exec x sh`},
		{`kubectl --as get`, `kubectl --as get delete pod x`},
		{`timeout`, `timeout 5 rm x`},
		{`timeout 5`, `timeout 5 rm x`},
		{`timeout 60 git`, `timeout 60 git push`},
		{`timeout 60 sort`, `timeout 60 sort -o x f`},
		{`timeout --foo 60 sort`, `timeout --foo 60 sort f`},
		{`timeout -s`, `timeout -s KILL 5 rm`},
		{`env`, `env`},
		{`env`, `env A=1 rm x`},
		{`env -S`, `env -S 'rm x'`},
		{`env -S x`, `env -S x y`},
		{`env -C /x ls`, `env -C /x ls f`},
		{`sudo`, `sudo ls`},
		{`sudo -u`, `sudo -u x ls`},
		{`sudo bash`, `sudo bash x.sh`},
		{`sudo -s ls`, `sudo -s ls x`},
		{`npx`, `npx prettier`},
		{`npx prettier`, `npx prettier --write src`},
		{`npx prettier@3`, `npx prettier@3 --write src`},
		{`npx -c x`, `npx -c x y`},
		{`npx eslint`, `npx eslint --rulesdir /x src`},
		{`xargs sed`, `xargs sed -n p`},
		{`xargs rm`, `xargs rm -rf`},
		{`xargs -I{} rm`, `xargs -I{} rm {}`},
		{`ssh host`, `ssh host id`},
		{`ssh host ls`, `ssh host ls x`},
		{`bash -c`, `bash -c id`},
		{`bash -c ls`, `bash -c ls x`},
		{`perl -e 1`, `perl -e 1 -e 2`},
		{`perl -we 1`, `perl -we 1 -we 2`},
		{`ruby -e 1`, `ruby -e 1 -e 2`},
		{`node --eval=1 x`, `node --eval=1 x --eval=2`},
		{`python3 -m`, `python3 -m pytest`},
		{`busybox`, `busybox rm x`},
		{`nohup bash`, `nohup bash x.sh`},
		{`watch ls`, `watch ls x`},
		{`parallel grep`, `parallel grep x`},
		{`env A=1 bash`, `env A=1 bash x.sh`},
	} {
		for _, m := range []programs.Matching{programs.Strict, programs.Precise} {
			if vouched(t, row[0], row[1], m) {
				t.Errorf("%s vouches for %q (%d)", row[0], row[1], m)
			}
		}
	}
}

func TestFinding(t *testing.T) {
	for _, row := range []struct {
		text  string
		n     int
		found programs.Finding
	}{
		{"git push", 1, programs.Finding{Effect: programs.Publishes, Index: 1}},
		{"git push --force", 2, programs.Finding{Effect: programs.Destroys, Index: 2}},
		{"sort -u -o x f", 1, programs.Finding{Effect: programs.Writes, Index: 2}},
		{"curl -d x https://y", 1, programs.Finding{Effect: programs.Sends, Index: 1}},
		{"git -C /x status", 1, programs.Finding{Effect: programs.Moves, Index: 1}},
		{"git config a b", 1, programs.Finding{Effect: programs.Configures, Index: 1}},
		{"find . -exec id ;", 1, programs.Finding{Effect: programs.Runs, Index: 2}},
		{"kubectl get pods secret", 2, programs.Finding{Effect: programs.Reveals, Index: 3}},
		{"gh auth token", 2, programs.Finding{Effect: programs.Reveals, Index: 2}},
		{"env", 1, programs.Finding{Effect: programs.Reveals, Index: 0}},
		{"timeout 5 sort -o x f", 3, programs.Finding{Effect: programs.Writes, Index: 3}},
		{"uv run pytest --basetemp=/x", 3, programs.Finding{Effect: programs.Writes, Index: 3}},
		{"uniq a b", 1, programs.Finding{Effect: programs.Writes, Index: 2}},
		{"rg --files -z x", 1, programs.Finding{Effect: programs.Runs, Index: 2}},
	} {
		found, ok := programs.Builtin().Vouch(split(t, row.text), row.n, programs.Precise)
		if ok || found != row.found {
			t.Errorf("%q: %v at %d (%v), want %v at %d", row.text, found.Effect, found.Index, ok, row.found.Effect, row.found.Index)
		}
	}
	if programs.Runs.String() == "" || programs.Effect(99).String() == "" {
		t.Error("an effect has no phrase")
	}
}

func TestInner(t *testing.T) {
	for text, want := range map[string]int{
		"timeout 5 go test": 2, "timeout -s KILL -k 5 10 ls": 6, "timeout -sKILL 5 ls": 3, "timeout --signal=KILL 5 ls": 3, "timeout --preserve-status 5 ls": 3, "timeout -- 5 ls": 3, "nice ls": 1, "nice -n 5 ls": 3, "nice -n5 ls": 2, "nice -5 ls": 2, "nohup ls": 1, "stdbuf -oL -eL ls": 3,
		"time ls": 1, "time -p ls": 2, "command ls": 1, "exec ls": 1, "setsid -w ls": 2, "setsid -fw ls": 2, "ionice -c 3 ls": 3, "ionice -c3 ls": 2, "chrt -b 0 ls": 3, "env ls": 1, "env A=1 B=2 ls": 3, "env -i A=1 ls": 3, "env -u A ls": 3, "env -- A=1 ls": 3, "caffeinate -di ls": 2, "/usr/bin/timeout 5 ls": 2, "gtimeout 5 ls": 2, "ccache gcc x": 1,
		// nothing that was not understood
		"timeout": 0, "timeout 5": 0, "timeout ls": 0, "timeout -x 5 ls": 0, "timeout --sig=KILL 5 ls": 0, "timeout -s": 0, "timeout 5 -x ls": 0, "nice -n": 0, "env": 0, "env A=1": 0, "env -S 'ls x'": 0, "env -C /x ls": 0, "env --split-string=ls": 0, "env -iS ls": 0, "env 1A=2 ls": 0, "exec -a x ls": 0, "command -v ls": 0, "command -V ls": 0, "command -pv ls": 0, "time -o f ls": 0,
		"sudo ls": 0, "xargs ls": 0, "npx x": 0, "ssh h ls": 0, "docker exec x ls": 0, "bash -c ls": 0, "watch ls": 0, "ls": 0, "git x": 0, "chrt -p 5 1": 0, "ionice -p 1": 0, "parallel ls": 0, "busybox ls": 0, "eval ls": 0, "script ls": 0, "caffeinate -w 5 ls": 0,
	} {
		at, ok := programs.Builtin().Inner(split(t, text))
		if at != want || ok != (want > 0) {
			t.Errorf("%q: %d %v, want %d", text, at, ok, want)
		}
	}
}

func TestInlineText(t *testing.T) {
	for text, want := range map[string]string{
		"bash -c 'a b'": "bash", "bash -lc 'a b'": "bash", "sh -c a": "sh", "/bin/sh -ec a": "sh", "zsh -cl a": "zsh", "dash -euxc a": "dash", "bash5.2 -c a": "bash",
		"bash": "", "bash -c": "", "bash x.sh a": "", "bash -c a b": "", "bash -l a": "", "bash -ic a": "", "bash -cc a": "", "bash --c a": "", "bash -c -x": "", "bash -c +x": "", "bash +c a": "", "bash - a": "", "./bash -c a": "", "python -c a": "", "fish -c a": "", "pwsh -c a": "", "ls -c a": "", "bash -oc a": "", "sh -sc a": "",
	} {
		at, shell, ok := programs.Builtin().InlineText(split(t, text))
		if shell != want || ok != (want != "") || ok && at != 2 {
			t.Errorf("%q: %d %q %v, want %q", text, at, shell, ok, want)
		}
	}
}

func TestKindAndWraps(t *testing.T) {
	for word, want := range map[string]programs.Kind{
		"ls": programs.Plain, "git": programs.Plain, "unknown": programs.Plain, "jq": programs.Plain, "time": programs.Wrapper, "less": programs.Wrapper, "docker": programs.Launcher, "npx.cmd": programs.Launcher, "/usr/bin/sudo": programs.Launcher, "python3.11": programs.Interpreter, "bash": programs.Interpreter, "gtimeout": programs.Launcher,
	} {
		if got := programs.Builtin().Kind(word); got != want {
			t.Errorf("%s: %d, want %d", word, got, want)
		}
		if got := programs.Builtin().Wraps(word); got != (want != programs.Plain) {
			t.Errorf("%s wraps: %v", word, got)
		}
	}
	for _, word := range []string{"-exec", "-okdir", "uv", "poetry"} {
		if !programs.Builtin().Wraps(word) {
			t.Errorf("%s may be followed by a program", word)
		}
	}
}
