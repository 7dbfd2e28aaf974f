package shell

import (
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

func TestReadOnly(t *testing.T) {
	for _, text := range []string{
		"ls", "ls -la src", "cat f g", "head -5 f | tail -1", "grep -rn x src", "rg -n x", "find . -name '*.go'", "wc -l f | sort -n | uniq -c", "sort f", "uniq f", "xxd f", "xxd -l 16 f", "diff a b", "du -sh .", "jq . f", "jq -r .a f",
		"sed -n 1,5p f", "awk /a/ f", "date", "date +%F", "date -d tomorrow", "date -r f", "command -v git", "command -V git", "echo a b", "printf %s a", "pwd", "which git", "stat f", "file f", "md5sum f", "realpath f", "true",
		"git status", "git log --oneline -3", "git diff HEAD", "git show HEAD", "git blame f", "git -C sub status", "git --no-pager log", "git branch", "git branch -a", "git branch --format=x", "git tag -l", "git stash list", "git stash show", "git remote", "git remote -v", "git remote get-url origin",
		"git config --get user.name", "git config --list", "git reflog", "git reflog show", "git grep x", "git ls-files", "git rev-parse HEAD", "git cat-file -p HEAD",
	} {
		if c := parsed(t, text, Bash); !c.ReadOnly(programs.Builtin()) {
			t.Errorf("%q is not read-only (%s)", text, c.Opaque(Strict))
		}
	}
}

func TestNotReadOnly(t *testing.T) {
	for _, text := range []string{
		// more than a pipeline of plain words
		"", "ls; ls", "ls && ls", "ls || ls", "ls & ls", "ls &", "ls\nls", "ls |& cat", "ls |", "| ls", "ls $x", "echo $X", "ls `x`", "ls $(x)", "ls > f", "cat < f", "ls *", "ls ~", "cat {a,b}", "ls # x", "echo 'a#b'", "A=1 ls", "LC_ALL=C ls", "(ls)", "ls;(touch x)", "'ls\nrm'",
		// programs that are not on the list
		"env", "printenv", "touch f", "rm f", "tee f", "ls | tee f", "ls | xargs rm", "curl x", "bash", "cat f | sh", "python3 -c x", "less f", "man ls", "tree", "node --version", "make -n", "go env", "time ls", "command ls", "command", "builtin ls", "/bin/ls", "./ls", "LS", "cd x", "kubectl get secret", "bat f", "test -f x",
		// options that write or run something
		"sort -o f g", "sort -uof g", "sort --outp=f g", "sort --compress-prog=./x f", "sort -T d f", "sort --files0-from=f", "uniq f g", "uniq -c f g", "xxd f g", "xxd -r f", "date -s x", "date --set=x", "date 01010000", "date -f f", "find . -delete", "find . -exec id {} +", "find . -ok id", "find . -fprint f", "find . -fprint0 f", "find . -fls f", "find . -files0-from f",
		"rg --pre ./x y", "rg -z x", "rg -nz x", "rg --hostname-bin=x y", "ugrep --filter=x y", "file -C -m f", "file -z f", "file -f f", "wc --files0-from=f", "du --files0-from=f", "diff --to-file=f g", "actionlint -shellcheck ./x", "actionlint --shellcheck=./x", "yamllint -c f g", "printf -v a b",
		"sed -i p f", "sed -ni p f", "sed 's/a/b/w f' g", "sed 1e g", "sed --e=1e p", "sed -f f g", "awk -f f g", "awk 'BEGIN{system'", "awk 'BEGIN{ARGV[1]=x}'", "awk -i inplace x", "jq env", "jq -f f g", "jq -L d . f",
		// options that leave the tree
		"grep -R x .", "grep -rR x .", "grep --dereference-rec x .", "rg -L x", "rg --follow x", "find -L . -name x", "find . -follow", "du -L .", "diff -r a b", "diff --recur a b", "md5sum -c f", "sha256sum --check f",
		// git
		"git", "git push", "git commit", "git add f", "git checkout x", "git fetch", "git ls-remote", "git foo", "git -c a.b=c status", "git -p log", "git --exec-path=x status", "git --git-dir=x status", "git --git-dir x log", "git -C", "git --paginate log", "git log --output=f", "git diff --output f", "git diff --ext-diff", "git log --textconv", "git grep -O./x y", "git grep --open-files-in-p=./x y",
		"git grep -f f", "git cat-file --filters x", "git log --show-signature", "git log --format=%G?", "git diff --no-index a b", "git blame --contents f g", "git branch x", "git branch -D x", "git branch -m x", "git tag x", "git tag", "git tag -d x", "git stash", "git stash pop", "git stash drop", "git remote show origin", "git remote add x y", "git remote -v update",
		"git config a b", "git config --list --global", "git config --get -f f a", "git config --get --file=f a", "git config --edit --list", "git config --unset a --get", "git reflog expire", "git reflog delete", "git log -O/x", "git ls-files --exclude-from=f",
	} {
		if c := parsed(t, text, Bash); c.ReadOnly(programs.Builtin()) {
			t.Errorf("%q is read-only", text)
		}
	}
}

// Every path that a read-only text could open must be among its reads.
func TestReads(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"ls", "."},
		{"cat /a b", "/a b"},
		{"cat -n -- /a", "/a"},
		{"cat - /a", "/a"},
		{"head -c5 /a", "/a"},
		{"tail -n 5 /a", "/a"},
		{"tail --lines=5 /a", "/a"},
		{"grep x /a", "/a"},
		{"grep -r x /a /b", "/a /b"},
		{"grep -e x /a", "/a"},
		{"grep -es /a", "/a"},
		{"grep -ie x /a", "/a"},
		{"grep --regexp=x /a", "/a"},
		{"grep --reg x /a", "/a"},
		{"grep -f /a b", "/a b"},
		{"grep -v -f/a b", "/a b"},
		{"grep -f/a /b", "/a /b"},
		{"grep --file=/a /b", "/a /b"},
		{"grep --fil=/a /b", "/a /b"},
		{"grep --exclude-from=/a x .", "/a"},
		{"grep -rnf /a .", "/a"},
		{"grep -A 3 x /a", "/a"},
		{"grep -m1 x /a", "/a"},
		{"rg x /a", "/a"},
		{"rg --files /a", "/a"},
		{"rg -ex /a", "/a"},
		{"rg --type-list /a", "/a"},
		{"rg --ignore-file=/a x", "/a"},
		{"rg --ignore-file /a x", "/a"},
		{"sed -n 1p /a", "/a"},
		{"sed -e p /a", "/a"},
		{"sed -ne p /a", "/a"},
		{"sed --expression=p /a", "/a"},
		{"sed --exp=p /a", "/a"},
		{"sed --e=p /a", "/a"},
		{"awk /x/ /a", "/a"},
		{"awk -F: /x/ /a", "/a"},
		{"awk -v n=1 /x/ /a", "/a"},
		{"gawk --source=/x/ /a", "/a"},
		{"gawk --source /x/ /a", "/a"},
		{"gawk -e/x/ /a", "/a"},
		{"jq . /a", "/a"},
		{"jq --slurpfile x /a .", "/a"},
		{"jq --rawfile x /a .", "/a"},
		{"jq . --rawfile x /a", "/a"},
		{"jq --argfile x /a .", "/a"},
		{"sort /a /b", "/a /b"},
		{"sort -k2 /a", "/a"},
		{"uniq /a", "/a"},
		{"wc -l /a", "/a"},
		{"diff /a /b", "/a /b"},
		{"diff -X /a b c", "/a"},
		{"diff -X/a b c", "/a"},
		{"diff --exclude-from=/a b c", "/a"},
		{"find /a -name x", "/a"},
		{"find . -newer /a", "/a"},
		{"find . -samefile /a", "/a"},
		{"du -X /a .", "/a"},
		{"date -r /a", "/a"},
		{"date -r/a", "/a"},
		{"date --reference=/a", "/a"},
		{"stat /a", "/a"},
		{"strings @/a", "/a"},
		{"strings /a", "/a"},
		{"realpath /a", "/a"},
		{"file -m /a b", "/a"},
		{"file /a", "/a"},
		{"git -C /a status", "/a"},
		{"git -C a -C /b status", "/b"},
		{"git diff -- /a", "/a"},
		{"git log -- ../a", "../a"},
		{"git show HEAD -- a ../b", "a ../b"},
		{"git blame /a", "/a"},
		{"git blame --ignore-revs-file=/a b", "/a"},
		{"git blame -S/a b", "/a"},
		{"git blame -S /a b", "/a"},
		{"git grep x -- /a", "/a"},
		{"git grep x ../a", "../a"},
		{"git cat-file -p HEAD:/a/../b", "HEAD:/a/../b"},
		{"git log a/../../b", "a/../../b"},
		{"ls | cat /a", "/a"},
		{"cat '/a b'", "/a·b"},
		{"cat ''", ""},
		{"cat ./a", "./a"},
		{"cat ~a", ""}, // opaque
	} {
		c := parsed(t, row.text, Bash)
		have := map[string]bool{}
		for _, r := range c.Reads(programs.Builtin()) {
			have[r] = true
		}
		if !have["."] {
			t.Errorf("%q: the current directory is missing", row.text)
		}
		for _, want := range strings.Fields(row.want) {
			if !have[strings.ReplaceAll(want, "·", " ")] {
				t.Errorf("%q may read %q, which is not among %q", row.text, want, c.Reads(programs.Builtin()))
			}
		}
	}
}

// Words that cannot be paths must not be called paths, or every such command
// would ask.
func TestReadsLeavesOut(t *testing.T) {
	for _, text := range []string{
		"grep /api/v1 src", "rg /api src", "sed -n /x/p f", "awk /x/ f", "jq /a f", "grep -e /api src", "echo /a", "printf /a", "basename /a", "dirname /a", "tr /a b", "which /a", "id /a", "uname /a", "git log --format=%H", "git show HEAD", "git grep -n x", "command -v /a", "date +/a",
	} {
		for _, r := range parsed(t, text, Bash).Reads(programs.Builtin()) {
			if strings.HasPrefix(r, "/") {
				t.Errorf("%q is said to read %q", text, r)
			}
		}
	}
}
