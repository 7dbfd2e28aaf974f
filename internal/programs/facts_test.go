package programs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

func check(t *testing.T, name string, is func([]string) bool, rows map[string]bool) {
	t.Helper()
	for text, want := range rows {
		if is(split(t, text)) != want {
			t.Errorf("%s %q: %v", name, text, !want)
		}
	}
}

func TestFacts(t *testing.T) {
	table := programs.Builtin()
	check(t, "harmless", table.Harmless, map[string]bool{
		"ls": true, "cat x": true, "wc x": false, "echo": true, "grep x": true, "/bin/ls": true, "gcat x": false,
		"sort": false, "find .": false, "sed p": false, "git add": false, "rg x": false, "unknown": false, "tail": true, "printf a": false, "rm": false, "bash": false, "tree": false, "date": false,
	})
	check(t, "files", table.Files, map[string]bool{
		"ls": true, "cat": true, "grep x": true, "sed -n": true, "sort": true, "git add": true, "git diff": true, "eslint": true, "go test": true, "gofmt": true, "pytest": true,
		"uniq": false, "xxd": false, "split": false, "cp": false, "mv": false, "git": false, "git push": false, "git -C add": false, "go run": false, "go": false, "find .": false, "make": false, "unknown": false, "rm": false, "echo": false,
	})
	check(t, "prints", table.Prints, map[string]bool{"echo": true, "printf": true, "cat": false, "git log": false})
	check(t, "stdin data", table.StdinData, map[string]bool{
		"cat": true, "grep x": true, "jq .": true, "git commit": true, "git hash-object": true, "gh pr": true, "sort": true,
		"bash": false, "python3": false, "xargs": false, "git": false, "git update-index": false, "cpio": false, "tar": false, "git push": false, "sed p": false, "patch": false, "tee": false, "psql": false, "unknown": false,
	})
	check(t, "plain words", table.PlainWords, map[string]bool{
		"pwd": true, "pwd -P": true, "whoami": true, "nproc": true, "uname -s": true, "date": true, "date -u": true, "date +%F": true, "date +%Y-%m-%d_%H": true, "id -u": true, "seq 5": true, "git rev-parse HEAD": true, "git rev-parse --short HEAD": true, "git rev-parse --short=8 HEAD": true, "git branch --show-current": false, "go env GOOS": true, "wc -l": true,
		"date +%z": false, "date +-x": false, "date +x-%F": false, "date '+%F -x'": false, "date +%F%n-x": false, "date +%F -d x": false, "date -d x": false, "seq -5": false, "seq 5 -1": false, "git rev-parse --foo": false, "git rev-parse -x": false, "git branch": false, "git log": false, "go env GOFLAGS": false, "echo x": false, "cat x": false, "wc -l f": false, "basename x": false, "hostname": false, "unknown": false, "id": true, "date +%": false, "git -C x rev-parse": false,
	})
}

func TestSuggest(t *testing.T) {
	for text, want := range map[string]int{
		"ls -la": 1, "cat x": 1, "git status": 2, "git log -3": 2, "git add x": 2, "git commit -m x": 2, "git stash list": 3, "git remote -v": 3, "git worktree list": 0, "npm test": 2, "npm run build": 3, "pnpm build": 2, "yarn test": 2, "go test ./...": 2, "go version": 2, "cargo build": 2, "cargo test -p x": 2, "docker ps -a": 2, "docker compose ps": 3, "kubectl get pods": 2, "gh pr list": 3, "gh pr view 5": 3, "aws s3 ls": 3, "aws ec2 describe-instances": 3, "make test": 2, "eslint src": 1, "pytest -q": 1, "tsc": 1, "ruff check .": 2, "mkdir -p x": 1, "uv run pytest -q": 0, "sort f": 1, "find . -name x": 1, "terraform plan": 2, "helm list": 2, "pip list": 2, "dotnet build": 2, "bun test": 0,
		// nothing is safe to grant
		"git": 0, "git push": 0, "git push origin main": 0, "git reset --hard": 0, "git clean -n": 0, "git config a b": 0, "git rebase main": 0, "git branch -D x": 0, "git stash drop": 0, "git -C x status": 0, "git --no-pager log": 0, "git foo": 0, "git credential fill": 0, "npm publish": 0, "npm install x": 0, "npm exec x": 0, "npm run": 0, "npm init x": 0, "cargo publish": 0, "cargo evil": 0, "cargo run": 0, "go run x": 0, "go generate": 0, "docker run x": 0, "docker": 0, "kubectl delete pod x": 0, "kubectl get secret": 0, "gh pr merge 5": 0, "gh auth token": 0, "gh pr": 0, "aws s3 rm x": 0, "rm x": 0, "rm -rf x": 0, "mv a b": 0, "cp a b": 0, "dd of=x": 0, "chmod 777 x": 0, "curl https://x": 0, "wget https://x": 0, "ssh h": 0, "scp a h:b": 0,
		"mix ecto.drop": 0, "mix test": 2, "mix run -e x": 0, "az vm delete x": 0, "az vm list -g x": 4, "gcloud compute ssh x": 0, "gcloud compute instances delete x": 0, "gcloud compute instances list": 4, "gcloud auth print-access-token x": 0, "dart run x": 0, "dart test": 2, "flutter clean": 0, "playwright test": 2, "playwright codegen x": 0, "nyc rm x": 0, "autossh h": 0, "meson install": 0, "terraform console": 0, "bazel run x": 0, "doctl compute droplet delete x": 0, "fly ssh console": 0, "vault read x": 0, "oc delete x": 0, "pulumi destroy": 0, "helm plugin install x": 0, "aws ec2 terminate-instances x": 0, "golangci-lint custom": 0, "conda run x": 0, "poetry run x": 0, "brew services stop x": 0, "composer run x": 3, "ip addr add x": 0, "tofu console": 0, "just x": 2,
		"bash x.sh": 0, "python3 x.py": 0, "python3 -m pytest": 0, "node x.js": 0, "timeout 5 ls": 0, "sudo ls": 0, "env ls": 0, "xargs ls": 0, "npx x": 0, "uvx x": 0, "uv run python x.py": 0, "unknown": 0, "./x": 0, "/bin/ls": 0, "find . -delete": 0, "sort -o x f": 0, "printf -v a x": 0, "less x": 0, "eval x": 0, "terraform apply": 0, "pip install x": 0, "kill 1": 0, "docker-compose up": 0, "heroku run x": 0, "psql -l": 0,
	} {
		n, ok := programs.Builtin().Suggest(split(t, text))
		if !ok {
			n = 0
		}
		if n != want {
			t.Errorf("%q: %d, want %d", text, n, want)
		}
		if ok && !vouched(t, strings.Join(split(t, text)[:n], " "), text, programs.Precise) {
			t.Errorf("%q: the suggestion does not vouch for it", text)
		}
	}
}

func TestHosts(t *testing.T) {
	for text, want := range map[string]string{
		"ssh u@h ls": "h", "ssh -p 22 h ls": "h", "ssh -J a,b:22 h": "a b h", "ssh -i k h x.y": "h", "ssh ssh://u@h:22": "ssh://u@h:22", "ssh -vp 22 h": "h", "scp a u@h:b": "h", "scp h:a /b:c": "h", "rsync -a h:a b": "h", "rsync rsync://h/a b": "rsync://h/a", "sftp u@h:d": "h",
		"git clone git@h:p/r": "h", "git clone https://h/r": "https://h/r", "git push ssh://h/r": "ssh://h/r", "git fetch h:r": "h", "git log HEAD~1 a/b:c": "",
		"curl h/x": "h", "curl h:80/x": "h", "curl https://h": "https://h", "curl -s -H a:b https://h": "https://h", "curl --url=h x": "h x", "curl -x p:80 h": "p h", "curl -xp:80 h": "p h", "curl --proxy http://p h": "http://p h", "curl --connect-to a:1:b:2 h": "a b h", "curl --resolve a:1:10.0.0.1 h": "a 10.0.0.1 h", "curl --socks5 s:1 h": "s h", "curl --prox p h": "p h", "curl -o f h": "h", "wget -q h": "h", "wget -O f h": "h", "curl [::1]:80/x": "[::1]",
		"nc -zv h 80": "h", "nc -w 3 h 80": "h", "telnet h 23": "h", "ping -c 3 h": "h", "dig @s h": "s", "nslookup h s": "h s", "host h": "h", "socat - TCP:h:80": "h", "socat TCP4:h:80,retry=1 TCP-LISTEN:8": "h", "socat - EXEC:x": "", "socat - OPENSSL:[::1]:443": "[::1]",
		"psql -h h db": "h", "psql -hh db": "h", "mysql --host=h": "h", "redis-cli -h h -p 1": "h", "mongosh mongodb://h/db": "mongodb://h/db", "docker -H tcp://h ps": "tcp://h", "kubectl --server=https://h get x": "https://h", "kubectl -s h get x": "h", "npm --registry http://h ls": "http://h", "pip install -i http://h x": "http://h", "pip install --index-url=http://h x": "http://h", "openssl s_client -connect h:443": "h", "sudo ssh h": "h", "timeout 5 curl h": "h", "env A=1 curl https://h": "https://h", "bash -c x": "",
		"ls h": "", "echo https://h": "", "cat h:x": "", "curl": "",
	} {
		if got := strings.Join(hosts(programs.Builtin(), split(t, text)...), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for path, want := range map[string]string{"/dev/tcp/h/80": "h", "/dev/udp/1.2.3.4/53": "1.2.3.4", "/dev/tcp/h": "h", "/dev/tcp/": "", "/dev/null": "", "dev/tcp/h/1": "", "": ""} {
		if got, ok := programs.DeviceHost(path); got != want || ok != (want != "") {
			t.Errorf("%q: %q %v", path, got, ok)
		}
	}
}

// Rows are: a command, and all that it is said to write, in any role.
func TestFurtherWriters(t *testing.T) {
	for text, want := range map[string]string{
		"uniq a /o": "/o", "uniq a": "", "xxd a /o": "/o", "split a /o": "/o", "split -b 5 a": "", "csplit -f /o a 5": "/o", "shuf -o /o a": "/o", "sort -uo /o a": "/o", "sort -o/o a": "/o", "iconv -o /o a": "/o", "perl -i -pe s /o": "s /o", "perl -pe s a": "", "ruby -i.bak -pe s /o": "s /o", "gawk -i inplace {x} /o": "{x} /o", "gofmt -w /o": "/o", "gofmt -l a": "", "prettier --write /o": "/o",
		"sed -n 'w /o' a": "/o", "sed 's/a/b/w /o' a": "/o", "patch /o a": "/o", "patch -o /o a": "/o a", "uniq -f 1 a": "", "uniq -c -f 1 a /o": "/o", "sponge /o": "/o", "link a /o": "/o", "zip /o a": "/o", "gzip /o": "/o! /o.gz", "gzip -c /o": "/o!", "gunzip -f /o.gz": "/o.gz! /o.gz.gz /o", "zstd -d /o.zst": "/o.zst! /o.zst.zst /o", "tar tzf a.gz": "", "ed /o": "/o", "vim -es /o": "/o",
		"git mv a /o": "a! /o /o/a", "git rm /o": "/o!", "git clone u /o": "/o", "git -C x clone u /o": "/o", "git init /o": "/o", "git worktree add /o b": "/o", "git restore /o": "/o", "git checkout -- /o": "/o", "git apply --directory=/o p": "/o", "git archive -o /o HEAD": "/o", "git log -3": "", "git status": "",
		"git config core.hooksPath /x": ".git/config", "git config core.fsmonitor /x": ".git/config", "git config alias.x '!y'": ".git/config", "git config --global core.pager x": "~/.gitconfig", "git config -f /o core.pager x": "/o", "git config filter.x.clean y": ".git/config", "git config set core.editor x": ".git/config", "git config --add include.path x": ".git/config", "git config -e": ".git/config", "git config user.name x": "", "git config --get core.pager": "", "git config core.pager": "", "git config --list": "",
		"cp -r x/.github .": ". ./.github", "cp a b /o": "/o /o/a /o/b", "mv a /o": "a! /o /o/a", "cp -t /o a": "/o /o/a a", "ln -s /x/.bashrc ~": "~ ~/.bashrc", "rsync -a x/.git .": ". ./.git", "install a /o": "/o /o/a",
		"curl -O https://h/a/.bashrc": ".bashrc", "curl -sOL https://h/f?x=1": "f", "curl -o /o h": "/o", "curl -so /o h": "/o", "curl -D /o h": "/o", "curl --remote-name https://h/f": "f", "curl https://h/f": "", "wget https://h/f": "f", "wget https://h": "index.html", "wget -P /o https://h/f": "/o /o/f /o/o", "wget -O /o https://h/f": "/o", "wget -qO- https://h/f": "-",
		"tar -xf a -C /o": "/o", "tar -cf /o a": "/o", "tar cf /o a": "/o", "tar czf /o a": "/o", "tar -czf /o a": "/o", "tar -c --file=/o a": "/o", "tar tf a": "", "tar -xf a": "", "unzip a -d /o": "/o", "cpio -o -O /o": "/o", "cpio -D /o -i": "/o", "dd if=a of=/o": "/o of=/o", "truncate -s 0 /o": "0 /o", "mktemp /o": "/o", "sqlite3 /o x": "/o", "openssl rand -out /o 5": "/o", "openssl rand --out=/o 5": "/o", "python3 -m zipfile -e a /o": "/o", "python3 -m pytest a": "", "busybox tee /o": "/o", "busybox rm /o": "/o!", "find . -exec cp a /o ;": "a a a /o ;", "find . -fprint /o": "/o", "find . -name a": "",
		"go build -o /o a": "/o", "go test -coverprofile=/o a": "/o", "kubectl get x -o yaml": "", "jq . a": "", "gsort -o /o": "/o", "grm /o": "/o!", "sudo tee /o": "/o", "timeout 5 git mv a /o": "a! /o /o/a", "ssh-keygen -f /o": "/o", "chattr +i /o": "/o!", "setfacl -m x /o": "/o!",
	} {
		if strings.HasPrefix(text, "find . -exec") {
			continue // below
		}
		var list []string
		for word, role := range programs.Builtin().Roles(split(t, text)) {
			switch {
			case role == programs.Deleted:
				list = append(list, word+"!")
			case role.Writes():
				list = append(list, word)
			}
		}
		slices.Sort(list)
		wanted := strings.Fields(want)
		slices.Sort(wanted)
		if got, want := strings.Join(slices.Compact(list), " "), strings.Join(slices.Compact(wanted), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if programs.Builtin().Writer(split(t, text)) != (want != "") {
			t.Errorf("%q: Writer is wrong", text)
		}
	}
	written := map[string]bool{}
	for word, role := range programs.Builtin().Roles(split(t, "find . -exec cp a /o ;")) {
		written[word] = written[word] || role.Writes()
	}
	if !written["/o/a"] && !written[";"] {
		t.Errorf("find -exec cp: %v", written)
	}
}
