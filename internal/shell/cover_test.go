package shell

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

// Rows are: the list, a text that runs on its word in precise matching.
func TestCovered(t *testing.T) {
	for _, row := range [][2]string{
		// quoted operators, and expansions that are none
		{"git commit", `git commit -m "fix: a > b; c && d | e"`},
		{"git commit", `git commit -m 'costs $5 (at $(x))'`},
		{"grep", `grep -n "a\|b" f`},
		{"grep", `grep -E '^(a|b)$' f`},
		{"echo", `echo "a; b" 'c & d' \> \( \$x`},
		{"rg", `rg 'fn \w+\(' src`},
		{"awk", `awk '{print $1}' f`},
		{"jq", `jq '.a | .b' f`},
		{"sed -n", `sed -n '1,5p' f`},
		// redirections that write no file
		{"go test,tail", "go test ./... 2>&1 | tail -5"},
		{"go test", "go test ./... > /dev/null 2>&1"},
		{"go test", "go test ./... >/dev/null"},
		{"go test", "go test ./... 2>/dev/null >&2"},
		{"git status", "git status &> /dev/null"},
		{"git status", "git status &>>/dev/null"},
		{"git status", "git status </dev/null"},
		{"git status", "{ git status; } 2>/dev/null"},
		{"git status", "(git status) 2>&1"},
		// what needs no entry
		{"git status", "cd src && git status"},
		{"git status", "cd ~/x && pwd && git status"},
		{"git status", "git status || true"},
		{"git status", "git status || exit 1"},
		{"git status", "git status; exit $?"},
		{"git status", "false || git status; :"},
		{"git status", "set -e; git status"},
		{"git status", "set -euo pipefail\ngit status"},
		{"git status", "[ -f x ] && git status"},
		{"git status", "test -d x && git status"},
		{"git status", "# look\ngit status # at it"},
		{"git status", "pwd"},
		{"git status", "true"},
		// control flow
		{"git status", "! git status"},
		{"git status", "{ git status; }"},
		{"git status", "(git status)"},
		{"git status", "(cd x && git status)"},
		{"git status,ls", "if git status; then ls; elif ls; then ls; else git status; fi"},
		{"wc", `for i in a b; do wc -l "$i"; done`},
		{"wc", `for i in a b; do wc -l $i; done`},
		{"cat", `for i in *.go; do cat "$i"; done`},
		{"cat", `for i in src/*.go; do cat "$i"; done`},
		{"git log", `for i in a b; do git log "$i"; done`},
		{"git log", `for i in src/*; do git log -3 "$i"; done`},
		{"go test", "for i in ./a ./b; do go test \"$i/...\"; done"},
		{"echo", "for i in 1 2 3; do echo \"$i\"; done"},
		{"echo,sleep", "for i in {1..3}; do echo x; sleep 1; done"},
		{"git status", "git status &"},
		{"git status", "git status \\\n  -s"},
		{"git status", "time git status"},
		// names that the shell fills in
		{"ls", "ls *.go"},
		{"ls", "ls *"},
		{"cat", "cat a* [bc]? {d,e}.go"},
		{"wc", "wc -l src/*.go"},
		{"git add", "git add src/*.go"},
		{"git add", "git add ./*"},
		{"git add", "git add a{b,c}.go"},
		{"grep", "grep -n x *.go"},
		{"ls", "ls ~ ~/x $HOME/y \"$HOME\""},
		// here-documents and substitutions
		{"cat", "cat <<'E'\n$(rm x) > y\nE"},
		{"cat", "cat <<E\nplain text\nE"},
		{"git commit", "git commit -F - <<'E'\nfix\nE"},
		{"git commit", "git commit -m \"$(cat <<'EOF'\nfix: a > b\n\n`x` $(y)\nEOF\n)\""},
		{"git commit", "git commit -m \"$(cat <<'EOF'\nfix\nEOF\n)\" && git commit -m x"},
		{"git log,date", `git log "$(date +%F)"`},
		{"git log,git rev-parse", `git log "$(git rev-parse HEAD)"`},
		{"echo,wc", `echo "lines: $(wc -l f)"`},
		{"echo,git status", `echo "$(git status; pwd)"`},
		{"git status", "x=$(git status)"},
		{"git status,echo", `x=$(git status); echo "$x"`},
		{"git commit", `git commit -m "$MSG"`},
		{"gh pr view", "gh pr view 5"},
		{"echo", `echo "$PATH $x ${y}"`},
		{"echo", `echo "$BASE_URL $HOTKEY $OLDPWD"`},
		{"echo", "echo $? $# $$"},
		// assignments
		{"sort", "LC_ALL=C sort f"},
		{"npm test", "CI=1 NO_COLOR=1 npm test"},
		{"go build", "CGO_ENABLED=0 GOOS=linux go build ./..."},
		{"git log", "TZ=UTC git log -3"},
		{"git log", "x=HEAD; git log $x"},
		{"git log", "DIR=src; git log \"$DIR/a\""},
		{"git log", "x=HEAD\ny=$x\ngit log $y"},
		{"git log", "x='a b'; git log \"$x\""},
		// wrappers
		{"git status", "timeout 5 git status"},
		{"git status", "timeout -k 5 10s git status"},
		{"git status", "nice -n 5 git status"},
		{"git status", "nohup git status"},
		{"git status", "stdbuf -oL git status"},
		{"git status", "env LC_ALL=C git status"},
		{"git status", "/usr/bin/timeout 5 git status"},
		{"git status", "timeout 5 nice time git status"},
		{"git status", "timeout 5 bash -c 'git status'"},
		{"git status", "bash -lc 'git status'"},
		{"git status", "bash -c \"git status\""},
		{"git status", "sh -c 'cd x && git status 2>&1'"},
		{"git status", "/bin/bash -lc 'git status'"},
		{"git status", "zsh -c 'git status'"},
		{"go test,tail", "bash -lc 'cd x && go test ./... 2>&1 | tail -5'"},
		{"git status", "bash -c \"bash -c 'git status'\""},
		{"timeout 5 go test", "timeout 5 go test ./..."},
		{"time go test", "time go test ./..."},
		{"git status", "git --no-pager status"},
		{"git log,git rev-parse", "git --no-pager log \"$(git rev-parse HEAD~5)..HEAD\""},
		{"git commit", "git --no-pager commit -m \"$MSG\""},
		{"git log", "GIT_PAGER=cat git log"},
		{"git log", "env PAGER= git log"},
		// programs that only look, behind what hands them names
		{"git ls-files,wc", "git ls-files -z | xargs -0 wc -l"},
		{"find,grep", "find . -name '*.go' | xargs grep -n x 2>/dev/null"},
		{"rg,sort,head,wc", "rg -l x src | sort | head -5 | xargs wc -l"},
		{"x,echo", "x | xargs -I{} echo {}"},
		{"x,echo", "x | xargs"},
		{"find,wc,grep", "find . -name '*.go' -exec wc -l {} + -exec grep -n x {} \\;"},
		// numbers of the shell
		{"a,echo", "a | a; echo \"${PIPESTATUS[0]} ${?}\""},
		{"a", "for i in 1 2; do a && break || continue; done"},
		// launchers that only look
		{"docker ps", "docker ps -a"},
		{"docker logs", "docker logs --tail 5 x"},
		{"docker compose ps", "docker compose ps"},
		{"docker images", "docker images"},
		{"kubectl get", "kubectl get pods -n x"},
		{"kubectl get", "kubectl get -n x pods,services -o wide"},
		{"kubectl logs", "kubectl logs deploy/x"},
		{"kubectl describe", "kubectl describe pod x"},
	} {
		if got := covers(t, Precise, row[0], row[1]); !got.Covered || len(got.Outputs) > 0 {
			t.Errorf("%s, %q: %s %v", row[0], row[1], got.Why, got.Outputs)
		}
	}
}

// Rows are: the list, a text that does not run on its word, and a part of the
// reason.
func TestNotCovered(t *testing.T) {
	for _, row := range [][3]string{
		// a part that no entry names, wherever it stands
		{"git status", "rm x", `"rm x"`},
		{"git status", "git status; rm x", `"rm x"`},
		{"git status", "git status && rm x", `"rm x"`},
		{"git status", "git status || rm x", `"rm x"`},
		{"git status", "git status | rm x", `"rm x"`},
		{"git status", "git status & rm x", `"rm x"`},
		{"git status", "git status\nrm x", `"rm x"`},
		{"git status", "{ git status; rm x; }", `"rm x"`},
		{"git status", "(git status; rm x)", `"rm x"`},
		{"git status", "! rm x", `"rm x"`},
		{"git status", "if git status; then rm x; fi", `"rm x"`},
		{"git status", "if rm x; then git status; fi", `"rm x"`},
		{"git status", "if git status; then git status; else rm x; fi", `"rm x"`},
		{"git status", "for i in a; do rm x; done", `"rm x"`},
		{"git status", "for i in $(rm x); do git status; done", `"rm x"`},
		{"git status", "git status \"$(rm x)\"", `"rm x"`},
		{"git status,echo", "echo \"$(git status \"$(rm x)\")\"", `"rm x"`},
		{"git status", "x=$(rm x); git status", `"rm x"`},
		{"git status", "LC_ALL=$(rm x) git status", `"rm x"`},
		{"git status", "git status > \"$(rm x)\"", `"rm x"`},
		{"git status", "git status; exit $(rm x)", `"rm x"`},
		{"git status", "cd \"$(rm x)\"; git status", "cd cannot be told"},
		{"git status", "[ -n \"$(rm x)\" ] && git status", `"rm x"`},
		{"git status", "timeout 5 rm x", `"rm x"`},
		{"git status", "time rm x", `"rm x"`},
		{"git status", "bash -lc 'rm x'", `"rm x"`},
		{"git status", "bash -c 'git status; rm x'", `"rm x"`},
		{"git status", "bash -c 'git status `rm x`'", "substitution"},
		{"git status", "bash -c \"bash -c 'rm x'\"", `"rm x"`},
		{"git status", "git status | time rm x", `"rm x"`},
		{"git status", "git status # c\\\nrm x", "backslash"},
		{"cat", "cat <<E\n$(rm x)\nE", "here-document"},
		{"cat", "cat <<'E'\nx\nE\nrm x", `"rm x"`},
		{"git commit", "git commit -m \"$(cat <<'E'\nx\nE\nrm x)\"", `"cat"`},
		// names that are handed on
		{"cat,git ls-files", "git ls-files | xargs cat", "xargs"},
		{"grep,echo", "echo f | xargs grep x", "xargs"},
		{"grep,echo,ls", "{ echo f; ls; } | xargs grep x", "xargs"},
		{"grep,find", "find . -printf f | xargs grep x", "xargs"},
		{"grep,git ls-files", "git ls-files --format=f | xargs grep x", "xargs"},
		{"grep,ls,cut", "ls | cut -c2 | xargs grep x", "xargs"},
		{"grep,ls", "ls | grep x f | xargs grep x", "xargs"},
		{"grep,ls", "ls | xargs -I{} grep x ../{}", "xargs"},
		{"echo,ls", "ls | xargs -I e echo x", "xargs"},
		{"grep,ls", "ls | xargs -a f grep x", "xargs"},
		{"grep,ls", "ls | ./xargs grep x", "xargs"},
		{"wc,ls", "ls | xargs wc --files0-from=x", "xargs"},
		{"git ls-files", "git ls-files | xargs wc", "xargs"},
		{"find,cat", "find . -exec cat {} +", "-exec"},
		{"find,grep", "find . -exec grep x ../{} \\;", "-exec"},
		{"find,grep", "find . -exec grep x {} + -delete", "-exec"},
		{"find,grep", "find . -execdir grep x {} +", "-execdir"},
		{"find", "find . -exec grep x {} +", "-exec"},
		{"echo", "echo ${PIPESTATUS[x]}", "changes its value"},
		{"git log", "GIT_PAGER=less git log", "GIT_PAGER"},
		{"git log", "git --no-pager push", "--no-pager push"},
		{"git log", "git --no-pager log --output=f", "--output"},
		// another program, or another name of it
		{"git status", "git log", "git log"},
		{"git status", "git", `"git"`},
		{"git status", "./git status", "./git"},
		{"git status", "/tmp/git status", "/tmp/git"},
		{"git status", "GIT status", "GIT"},
		{"git status", "git -C x status", "git -C"},
		{"git status", "git statusx", "statusx"},
		// wrappers that are not the system's own, or are given more
		{"git status", "./timeout 5 git status", "./timeout"},
		{"git status", "bin/env LC_ALL=C git status", "bin/env"},
		{"git status", "./bash -c 'git status'", "./bash"},
		{"git status", "sh0 -c 'git status'", "sh0"},
		{"git status", "bash.exe -c 'git status'", "bash.exe"},
		{"git status", "timeout2 5 git status", "timeout2"},
		{"git status", "nice.cmd -n 5 git status", "nice.cmd"},
		{"git status", "timeout -x 5 git status", "timeout"},
		{"git status", "time -o f git status", "time"},
		{"git status", "env -S 'git status'", "env"},
		{"git status", "env -u x -C / git status", "env"},
		{"git status", "env PATH=/x git status", "env"},
		{"git status", "env PATH+=/x git status", "env"},
		{"git status", "env A[0]=x git status", "env"},
		{"git status", "env CI=1 BASH_FUNC_git%%=x git status", "env"},
		{"git status", "env LC_ALL=C GIT_DIR=x git status", "env"},
		{"git status", "nohup env LD_PRELOAD=./x git status", "LD_PRELOAD"},
		{"git status", "exec -a x git status", "exec"},
		{"git status", "xargs git status", "xargs"},
		{"git status", "sudo git status", "sudo"},
		{"git status", "find . -exec git status ;", "find"},
		{"git status", "ssh host git status", "ssh"},
		{"git status", "eval git status", "eval"},
		{"git status", "eval 'git status'", "eval"},
		{"git status", ". ./git status", "."},
		{"git status", "nice timeout 5 nohup nice nice git status", "nice"},
		{"git status", "bash --rcfile x -ic 'git status'", "bash"},
		{"git status", "bash -c 'git status' x", "bash"},
		{"git status", "bash -c \"$x\"", "bash"},
		{"git status", "bash -c \"git status $x\"", "bash"},
		{"git status", "bash -c \"$(cat f)\"", `"cat f"`},
		{"git status", "bash <<'E'\ngit status\nE", "bash"},
		{"git status", "bash -s 'git status'", "bash"},
		{"git status", "fish -c 'git status'", "fish"},
		{"git status", "zsh -c 'git status *'", "zsh"},
		{"timeout", "timeout 5 rm x", "rm x"},
		{"env", "env rm x", "rm x"},
		{"bash", "bash -c 'rm x'", `"rm x"`},
		{"xargs", "xargs rm", "xargs"},
		// options, and what may become one
		{"git log", "git log --output=f", "--output"},
		{"git diff", "git diff *", "git diff"},
		{"git diff", "git diff [ab]*", "git diff"},
		{"git diff", "git diff ?*", "git diff"},
		{"git diff", "git diff -*", "git diff"},
		{"git add", "git add *.go", "git add"},
		{"git log", "git log $x", "git log"},
		{"git log", `git log "$x"`, "git log"},
		{"git log", `git log "a$x"`, "git log"},
		{"git log", "git log ${x}", "git log"},
		{"git log,cat", "git log $(cat f)", "git log"},
		{"git log,cat", `git log "$(cat f)"`, "git log"},
		{"cat", `cat "$x"`, "cat"},
		{"cat,echo", `cat "$(echo /etc/shadow)"`, "cat"},
		{"rm", "rm $x", "rm"},
		{"git log", "x=--output=f; git log $x", "--output"},
		{"git log", "x=--output; git log \"$x=f\"", "--output"},
		{"git log", "x='HEAD --output=f'; git log $x", "git log"},
		{"git log", "x=*; git log $x", "git log"},
		{"git log", "for i in --output=f; do git log \"$i\"; done", "git log"},
		{"git log", "for i in HEAD --output=f; do git log $i; done", "git log"},
		{"git log", "for i in *; do git log \"$i\"; done", "git log"},
		{"git log", "for i in a*; do git log $i; done", "git log"},
		{"git log", "for i in a*; do git log \"-$i\"; done", "git log"},
		{"git log", "for i in $x; do git log \"$i\"; done", "git log"},
		{"git log", "for i in o; do git log \"--${i}utput=f\"; done", "git log"},
		{"git log", "git log \"$(cat <<'E'\n--output=f\nE\n)\"", "git log"},
		{"git log", "x=\"$(cat <<'E'\n--output=f\nE\n)\"; git log \"$x\"", "git log"},
		{"uniq", "uniq a*", "uniq"},
		{"find", "find *", "find"},
		{"git log,date", `git log "$(date '+--output=f')"`, "git log"},
		{"git log,date", `git log "$(date +-x)"`, "git log"},
		{"git log,date", "git log $(date +%n--output=f)", "git log"},
		{"awk,date", `awk "BEGIN{sys$(date +tem)(\"id\")}"`, "awk"},
		{"npm,date", `npm "$(date +publish)"`, "npm"},
		{"kubectl get,date", `kubectl get "$(date +secrets)"`, "kubectl"},
		{"jq", "jq -n e*", "jq"},
		{"git stash", "git stash {drop,}", "git stash"},
		{"git commit", `git commit -F "$x"`, "git commit"},
		// variables
		{"git status", "PATH=/x git status", "PATH"},
		{"git status", "PATH=/x; git status", "PATH"},
		{"git status", "GIT_EXTERNAL_DIFF=./x git status", "GIT_EXTERNAL_DIFF"},
		{"git status", "GIT_DIR=x; git status", "GIT_DIR"},
		{"git status", "LD_PRELOAD=./x git status", "LD_PRELOAD"},
		{"git status", "LC_ALL=C LD_PRELOAD=./x git status", "LD_PRELOAD"},
		{"git status", "IFS=/; git status", "IFS"},
		{"git status", "BASH_ENV=x; git status", "BASH_ENV"},
		{"git status", "HOME=x; git status", "HOME"},
		{"git status", "CDPATH=/etc; cd ssh; git status", "CDPATH"},
		{"git status", "NODE_OPTIONS=x git status", "NODE_OPTIONS"},
		{"git status", "https_proxy=x; git status", "https_proxy"},
		{"git status", "x=1 git status", "x"},
		{"git status", "LC_ALL=$x git status", "LC_ALL"},
		{"git status", "alias git=rm; git status", "alias"},
		{"git status", "export PATH=/x; git status", "export"},
		{"git status", "printf -v PATH /x; git status", "printf"},
		{"git status,printf", "printf -v PATH /x; git status", "printf"},
		{"git status", "read PATH < f; git status", "read"},
		{"git status", "hash -p ./x git; git status", "hash"},
		{"git status", "unset x; git status", "unset"},
		{"git status", "set -a; git status", "set"},
		{"git status", "set -- a; git status", "set"},
		{"git log", "true && x=HEAD; git log $x", "git log"},
		{"git log", "true || x=HEAD; git log $x", "git log"},
		{"git log", "(x=HEAD); git log $x", "git log"},
		{"git log", "x=HEAD | true; git log $x", "git log"},
		{"git log", "x=HEAD & git log $x", "git log"},
		{"git log", "if true; then x=HEAD; fi; git log $x", "git log"},
		{"git log", "for i in a; do x=HEAD; done; git log $x", "git log"},
		{"git log", "x=HEAD; for i in a; do x=--output=f; done; git log $x", "git log"},
		{"git log,read", "x=HEAD; read x; git log $x", "read"},
		{"git log,read x", "x=HEAD; read x; git log $x", "git log"},
		{"git log,export", "x=HEAD; export x=--output=f; git log $x", "export"},
		{"git log,printf", "x=HEAD; printf a; git log $x", "git log"},
		{"git log", "for i in HEAD; do :; done; git log \"$i\"", "git log"},
		// code on the input
		{"python3 x.py", "python3 x.py <<'E'\nx\nE", "input of python3"},
		{"sqlite3", "sqlite3 x.db <<'E'\n.shell id\nE", "input of sqlite3"},
		{"sqlite3", "sqlite3 x.db < f", "input of sqlite3"},
		{"psql -l", "psql -l < f", "input of psql"},
		{"make test", "make test < f", "input of make"},
		{"cat", "cat < \"$x\"", "does not show"},
		{"cat", "cat < *", "does not show"},
		{"git status", "git status > \"$x\"", "does not show"},
		{"git status", "git status > a*", "does not show"},
		// secrets
		{"echo", "echo $API_TOKEN", "API_TOKEN"},
		{"echo", `echo "$API_TOKEN"`, "API_TOKEN"},
		{"echo", `echo "x ${GITHUB_TOKEN}"`, "GITHUB_TOKEN"},
		{"echo", `echo "$REDIS_URL"`, "REDIS_URL"},
		{"echo", `echo "$AMQPURL"`, "AMQPURL"},
		{"echo", `echo "$MONGO_URI"`, "MONGO_URI"},
		{"echo", `echo "$MASTERKEY"`, "MASTERKEY"},
		{"echo", `echo "$DEPLOYKEY"`, "DEPLOYKEY"},
		{"echo", `echo "$PRIVKEY"`, "PRIVKEY"},
		{"echo", `echo "$STRIPE_SK"`, "STRIPE_SK"},
		{"echo", `echo "$DBPASS"`, "DBPASS"},
		{"echo", `echo "$MYSQL_PWD"`, "MYSQL_PWD"},
		{"printf", `printf %s "$DB_PASSWORD"`, "DB_PASSWORD"},
		{"git commit", `git commit -m "$AWS_SECRET_ACCESS_KEY"`, "AWS_SECRET_ACCESS_KEY"},
		{"env", "env", "env"},
		{"printenv", "printenv", "printenv"},
		{"printenv X", "printenv X", "printenv"},
		{"kubectl get", "kubectl get secret", "secret"},
		{"kubectl get", "kubectl get secrets -o yaml", "secrets"},
		{"kubectl get", "kubectl get -n ns pods,secrets", "secrets"},
		{"kubectl get", "kubectl -n ns get pods,secrets", "secrets"},
		{"kubectl get", "kubectl get secret/x", "secret"},
		{"kubectl get", "kubectl get pods,secret/x", "secret"},
		{"kubectl get", "kubectl get -Aojson secret", "secret"},
		{"kubectl get", "kubectl get --watch pods secret", "secret"},
		{"kubectl get", "kubectl get SECRETS", "SECRETS"},
		{"kubectl get", "kubectl get secrets.v1.", "secrets"},
		{"kubectl get", "kubectl get --raw /api/v1/secrets", "raw"},
		// launchers that do
		{"docker", "docker rm x", "docker rm"},
		{"docker", "docker run x", "docker run"},
		{"docker ps", "docker rm x", "docker rm"},
		{"docker ps", "docker -H x ps", "docker -H"},
		{"docker exec", "docker exec x rm y", "docker exec"},
		{"docker compose", "docker compose up", "docker compose"},
		{"kubectl", "kubectl delete pod x", "kubectl delete"},
		{"kubectl", "kubectl exec x -- rm y", "kubectl exec"},
		{"kubectl get", "kubectl delete pod x", "kubectl delete"},
		{"kubectl get", "kubectl get pods --kubeconfig=x", "kubeconfig"},
		// directories that cannot be followed
		{"git status", "cd; git status", "cd cannot be told"},
		{"git status", "cd -; git status", "cd cannot be told"},
		{"git status", "cd $x; git status", "cd cannot be told"},
		{"git status", "cd a; cd b; git status", "may have failed"},
		{"git status", "cd a/../..; git status", "climbs"},
		{"git status", "pushd a; git status", "pushd"},
		{"git status,pushd", "pushd a; git status", "pushd"},
		{"git status", "for i in a; do cd b; done; git status", "loop or condition"},
		{"git status", "bash -c 'cd $x; git status'", "cd cannot be told"},
		// tests that run what stands in a subscript
		{"git status", "[ -v 'a[$(rm x)]' ]", "["},
		{"git status", "test -v x", "test"},
		{"git status", "[ a -eq 'b[$(rm x)]' ]", "["},
	} {
		got := covers(t, Precise, row[0], row[1])
		if got.Covered || !strings.Contains(got.Why, row[2]) {
			t.Errorf("%s, %q: covered %v, because %q", row[0], row[1], got.Covered, got.Why)
		}
	}
}

// Where a covered text reads, writes and goes is for the caller to judge.
func TestCoveredElsewhere(t *testing.T) {
	for _, row := range []struct{ list, text, changes, inputs, outputs string }{
		{"ls", "ls", "", "", ""},
		{"ls", "ls > f", "", "", "f<-1"},
		{"ls", "ls >> f 2> g", "", "", "f<-1 g<-1"},
		{"ls", "ls &> f", "", "", "f<-1"},
		{"ls", "> f", "", "", "f<-1"},
		{"ls", "{ ls; } > f", "", "", "f<-1"},
		{"ls", "for i in a; do ls; done > f", "", "", "f<-1"},
		{"ls", "ls > ~/f", "", "", "~/f<-1"},
		{"ls", "ls > /dev/null > /dev/tcp/x/1", "", "", "/dev/tcp/x/1<-1"},
		{"cat", "cat < f", "", "f<-1", ""},
		{"cat", "cat < /etc/shadow", "", "/etc/shadow<-1", ""},
		{"cat", "cat < /dev/null", "", "", ""},
		{"cat", "cd a && cat < f > g", "a<-1", "f<0", "g<0"},
		{"cat", "(cd a && cat < f); cat < g", "a<-1", "f<0 g<-1", ""},
		{"cat", "cd a && bash -c 'cd b && cat < f > g'", "a<-1 b<0", "f<1", "g<1"},
		{"cat", "bash -c 'cat < f' > g", "", "f<-1", "g<-1"},
		{"cat", "bash -c 'cd a && cat < f'; bash -c 'cd b && cat < g'", "a<-1 b<-1", "f<0 g<1", ""},
	} {
		got := covers(t, Precise, row.list, row.text)
		var changes []string
		for _, ch := range got.Changes {
			changes = append(changes, fmt.Sprintf("%s<%d", ch.Dir, ch.From))
		}
		if !got.Covered || strings.Join(changes, " ") != row.changes || files(got.Inputs) != row.inputs || files(got.Outputs) != row.outputs {
			t.Errorf("%q: %v, inputs %v, outputs %v, %s", row.text, changes, got.Inputs, got.Outputs, got.Why)
		}
	}
}

func files(list []File) string {
	var shown []string
	for _, f := range list {
		shown = append(shown, fmt.Sprintf("%s<%d", f.Name, f.From))
	}
	return strings.Join(shown, " ")
}

func TestEntriesThatVouch(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"git log -3 | head", "git log,head"},
		{"cd x && git log", ",git log"},
		{"timeout 5 git log", "git log"},
		{"bash -c 'git log | head'", "git log, head"},
		{"git commit -m \"$(cat <<'E'\nx\nE\n)\"", ",git"},
		{"x=1; git log", ",git log"},
	} {
		got := covers(t, Precise, "git,git log,head", row.text)
		if !got.Covered || strings.Join(got.Entries, ",") != row.want || len(got.Missing) > 0 {
			t.Errorf("%q: %q %v %s", row.text, got.Entries, got.Missing, got.Why)
		}
	}
	got := covers(t, Precise, "git log", "git log; rm x; cd y; touch z")
	if want := []int{1, 3}; !slices.Equal(got.Missing, want) {
		t.Errorf("missing %v, want %v", got.Missing, want)
	}
}

// What is fed to a program that takes its input for commands is code in strict
// matching as well.
func TestCodeFromInput(t *testing.T) {
	for _, text := range []string{"cat x | git apply", "git status | at", "cat x | AT", "cat x | sqlite3 db", "cat x | make"} {
		for _, m := range []Matching{Strict, Precise} {
			if got := covers(t, m, "cat,git,at,AT,sqlite3,make", text); got.Covered || !strings.Contains(got.Why, "may be code") {
				t.Errorf("mode %d: %q: %v %s", m, text, got.Covered, got.Why)
			}
		}
	}
}

// Strict matching honours nothing of what precise matching adds.
func TestStrictIsPlain(t *testing.T) {
	for _, text := range []string{
		`git commit -m "a; b"`, "git status 2>&1", "git status > /dev/null", "timeout 5 git status", "bash -c 'git status'", "pwd", "cd src && git status", "true", "{ git status; }", "(git status)", "! git status",
		"for i in a; do git status; done", "if git status; then git status; fi", "git add *", "git status # x", "LC_ALL=C git status", "x=1", "git log \"$x\"", "git commit -F - <<'E'\nx\nE", "docker ps", "kubectl get pods", "git status \\\n-s", "git add ~", "git add {a,b}",
	} {
		if got := covers(t, Strict, "git,docker ps,kubectl get", text); got.Covered {
			t.Errorf("%q is covered in strict matching", text)
		}
	}
}

// An entry that is the whole text is honoured for shells that are not read.
func TestWholeTexts(t *testing.T) {
	for _, row := range []struct {
		list, text string
		want       bool
	}{
		{"npm test", "npm test", true},
		{"build.cmd", "build.cmd", true},
		{"npm test", "npm test -- x", false},
		{"npm", "npm test", false},
		{"echo a&b", "echo a&b", false},
		{"echo %PATH%", "echo %PATH%", false},
		{"powershell", "powershell", false},
	} {
		for _, dialect := range []Dialect{PowerShell, Cmd} {
			for _, m := range []Matching{Strict, Precise} {
				prefixes, _ := CompilePrefixes([]string{row.list})
				got := parsed(t, row.text, dialect).Cover(m, Lists{Table: programs.Builtin(), Prefixes: []Prefixes{prefixes}})
				if got.Covered != row.want {
					t.Errorf("%s: %q: %v", row.list, row.text, got.Covered)
				}
			}
		}
	}
}
