package shell

import (
	"strings"
	"testing"
)

// Rows are: the list, a text, and the entries that a person is offered.
func TestSuggest(t *testing.T) {
	for _, row := range []struct{ list, text, want string }{
		// the program and what it is asked to do
		{"x", "git status", "git status"},
		{"x", "git log --oneline -3", "git log"},
		{"x", "npm test", "npm test"},
		{"x", "npm run build", "npm run build"},
		{"x", "npm run build -- --watch", "npm run build"},
		{"x", "pnpm run lint", "pnpm run lint"},
		{"x", "docker ps -a", "docker ps"},
		{"x", "docker compose ps", "docker compose ps"},
		{"x", "kubectl get pods -n x", "kubectl get"},
		{"x", "kubectl rollout status deploy/x", "kubectl rollout status"},
		{"x", "go test ./...", "go test"},
		{"x", "cargo test --workspace", "cargo test"},
		{"x", "make test", "make test"},
		{"x", "gh pr view 5", "gh pr view"},
		{"x", "gh run list", "gh run list"},
		{"x", "aws s3 ls", "aws s3 ls"},
		{"x", "aws ec2 describe-instances --region x", "aws ec2 describe-instances"},
		{"x", "ls -la src", "ls"},
		{"x", "grep -rn a src", "grep"},
		{"x", "pytest -q tests", "pytest"},
		{"x", "ruff check .", "ruff check"},
		// words that need quotes
		{"x", "npm run 'a b'", "npm run 'a b'"},
		{"x", "npm run \"it's\"", `npm run 'it'"'"'s'`},
		{"x", "npm run 'a;b'", "npm run 'a;b'"},
		{"x", `npm run a\\b`, `npm run 'a\b'`},
		// none for a program that nobody described
		{"x", "acme deploy", ""},
		{"x", "./acme deploy", ""},
		{"x", "./git status", ""},
		{"x", "'my tool' it", ""},
		// each part once, and only those that are not on the list
		{"ls", "ls; git status && git log -3; git status -s", "git status,git log"},
		{"git status", "git status", ""},
		{"x", "git log | head -3", "git log,head"},
		{"x", "cd src && go test ./... 2>&1 | tail -5", "go test,tail"},
		{"x", "for i in a b; do wc -l \"$i\"; done", "wc"},
		{"x", "git commit -m \"$(cat <<'E'\na > b\nE\n)\"", "git commit"},
		{"x", "LC_ALL=C sort f", "sort"},
		{"date", "git log \"--since=x\" \"$(date +%F)\"", "git log"},
		{"x", "timeout 5 go test ./...", "go test"},
		{"x", "nice -n 5 make test", "make test"},
		{"x", "env CI=1 npm test", "npm test"},
		// none: what could run anything, or is gone for good
		{"x", "python3 -c 'print(1)'", ""},
		{"x", "python3 x.py", ""},
		{"x", "node -e 1", ""},
		{"x", "bash x.sh", ""},
		{"x", "bash", ""},
		{"x", "sudo ls", ""},
		{"x", "xargs ls", ""},
		{"x", "eval ls", ""},
		{"x", "ssh host ls", ""},
		{"x", "find . -exec ls ;", ""},
		{"x", "npx tsc", ""},
		{"x", "uvx ruff", ""},
		{"x", "npm exec tsc", ""},
		{"x", "npm install x", ""},
		{"x", "npm publish", ""},
		{"x", "pip install x", ""},
		{"x", "rm x", ""},
		{"x", "mv a b", ""},
		{"x", "cp a b", ""},
		{"x", "chmod 755 x", ""},
		{"x", "dd if=a of=b", ""},
		{"x", "kill 5", ""},
		{"x", "git push", ""},
		{"x", "git reset --hard", ""},
		{"x", "git clean -f", ""},
		{"x", "git config a b", ""},
		{"x", "git -c a.b=c log", ""},
		{"x", "git", ""},
		{"x", "git log --output=f", ""},
		{"x", "docker run x", ""},
		{"x", "docker exec x ls", ""},
		{"x", "kubectl exec x ls", ""},
		{"x", "kubectl get secret", ""},
		{"x", "curl https://x", ""},
		{"x", "sed -i s/a/b/ f", ""},
		{"x", "sort -o f g", ""},
		// none, if one part has none
		{"x", "git status; rm x", ""},
		{"x", "git log | sh", ""},
		{"x", "git status && python3 x.py", ""},
		{"x", "cd a; cd b; git status", ""},
		{"x", "GIT_DIR=x git status", ""},
		{"x", "git log \"$x\"", ""},
		{"x", "git log *", ""},
		{"x", "git status `rm x`", ""},
		{"x", "", ""},
	} {
		l := lists(t, row.list)
		c := parsed(t, row.text, Bash)
		got := c.Suggest(Precise, l)
		if strings.Join(got, ",") != row.want {
			t.Errorf("%q under %q: %q, want %q", row.text, row.list, got, row.want)
		}
		if len(got) == 0 {
			continue
		}
		more, bad := CompilePrefixes(got)
		if l.Prefixes = append(l.Prefixes, more); len(bad) > 0 || !c.Cover(Precise, l).Covered {
			t.Errorf("%q: %q would not let it run", row.text, got)
		}
	}
}

// Strict matching is offered what it honours.
func TestSuggestInStrict(t *testing.T) {
	for text, want := range map[string]string{
		"git status": "git status", "git log | head": "git log,head", "docker ps": "", "timeout 5 go test": "", "git log 2>&1": "", "cd src && ls": "cd,ls", "git commit -m 'a;b'": "", "git commit -m 'a b'": "git commit", "npm run 'a  b'": "npm run 'a  b'", "acme x": "",
	} {
		if got := strings.Join(parsed(t, text, Bash).Suggest(Strict, lists(t)), ","); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
