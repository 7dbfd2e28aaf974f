package programs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

// written returns what the words of a command are said to be written to: NAME,
// or NAME! where it is removed or changed with everything below.
func written(t *testing.T, text string) string {
	t.Helper()
	var list []string
	for word, role := range programs.Builtin().Roles(split(t, text)) {
		switch role {
		case programs.Filled:
			list = append(list, word)
		case programs.Deleted:
			list = append(list, word+"!")
		}
	}
	return strings.Join(list, " ")
}

func TestWrittenWords(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"cp a b /d", "/d"},
		{"cp -r a /d", "/d"},
		{"cp -t /d a b", "/d b"},
		{"cp --target-directory=/d a", "/d"},
		{"cp --target=/d a", "/d"},
		{"cp -t/d a", "/d"},
		{"mv a /d", "a! /d"},
		{"ln -s a /d", "/d"},
		{"install -m 644 a /d", "/d"},
		{"rsync -a a /d", "/d"},
		{"tee /f /g", "/f /g"},
		{"tee -a /f", "/f"},
		{"touch /f", "/f"},
		{"mkdir -p /d", "/d"},
		{"truncate -s0 /f", "/f"},
		{"dd if=a of=/f", "/f of=/f"},
		{"rm -rf /d", "/d!"},
		{"rmdir /d", "/d!"},
		{"shred /f", "/f!"},
		{"unlink /f", "/f!"},
		{"chmod 755 /f", "/f!"},
		{"chown -R u /f", "/f!"},
		{"sed -i s/a/b/ /f", "/f"},
		{"sed -Ei s/a/b/ /f", "/f"},
		{"sed --in-place=.b s/a/b/ /f", "/f"},
		{"sed s/a/b/ /f", ""},
		{"find /d -delete", "/d!"},
		{"find /d -name x", ""},
		{"sort -o /f a", "/f"},
		{"sort --output=/f a", "/f"},
		{"sort --outp=/f a", "/f"},
		{"sort -o/f a", "/f"},
		{"curl -o /f u", "/f"},
		{"curl -D /f u", "/f"},
		{"wget -O /f u", "/f"},
		{"wget -P /d u", "/d"},
		{"tar -xf a -C /d", "/d"},
		{"tar -xf a --directory=/d", "/d"},
		{"unzip a -d /d", "/d"},
		{"gcc -o /f a.c", "/f"},
		{"git diff --output=/f", "/f"},
		{"openssl rand -out /f", "/f"},
		{"anything --output /f", "/f"},
		{"sudo rm /f", "/f!"},
		{"sudo -u x cp a /d", "/d"},
		{"env A=1 tee /f", "/f"},
		{"xargs rm /f", "/f!"},
		{"find . -exec rm /f {} +", "/f! {}! .!"},
		{"find -H /d /e -type f -exec sed -i p {} +", "{} /d! /e!"},
		{"find /d ! -name x -delete", "/d!"},
		{"find /d -name x -exec cat {} +", ""},
		{"fd -e o -x rm", ".!"},
		{"curl -so/f u", "/f"},
		{"curl -sSfLo./f u", "./f"},
		{"unzip -qod./d a", "./d"},
		{"timeout 5 touch /f", "/f"},
		// these read, or give another meaning to the option
		{"cat /f", ""},
		{"ls -t /d", ""},
		{"ls -o /d", ""},
		{"grep -o /x f", ""},
		{"rg -o /x f", ""},
		{"ps -o pid", ""},
		{"echo rm /f", ""},
		{"grep -n env ./cp /x", ""},
	} {
		if got := written(t, row.text); got != row.want {
			t.Errorf("%q: %q, want %q", row.text, got, row.want)
		}
		writes := programs.Builtin().Writer(split(t, row.text))
		if writes != (row.want != "") {
			t.Errorf("%q: Writer says %v", row.text, writes)
		}
	}
}

func TestRolesStayLinear(t *testing.T) {
	words := strings.Repeat("sudo cp sed -i find ", 3000)
	if got := written(t, words+"/f"); !strings.Contains(got, "/f!") {
		t.Error("behind many programs a word counts as written")
	}
}

func TestRunsText(t *testing.T) {
	for text, want := range map[string]bool{
		"bash -c 'rm x'": true, "eval 'a b'": true, "ssh host 'a b'": true, "env -S 'a b'": true, "git -c alias.x='!rm y' x": true, "git rebase -x 'a b' main": true, "find . -exec sh -c 'a b' {} +": true,
		"git commit -m 'a b'": false, "grep 'a b' f": false, "bash x.sh": false, "echo 'a b'": false,
	} {
		words := split(t, text)
		hasText := slices.ContainsFunc(words[1:], func(w string) bool { return strings.Contains(w, " ") }) // which only the caller judges
		if got := hasText && programs.Builtin().RunsText(words); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestPattern(t *testing.T) {
	for _, row := range []struct {
		text string
		i    int
		want bool
	}{
		{"grep x f", 1, true},
		{"grep x f", 2, false},
		{"grep -n x f", 2, true},
		{"grep -e x f", 2, true},
		{"grep -e x f", 3, false},
		{"sed -n p f", 2, true},
		{"sed -n p f", 3, false},
		{"cat f", 1, false},
		{"grep -f x .env", 3, false},
		{"rg --files .env", 2, false},
		{"grep -- -x .env", 3, false},
		{"grep -- -x .env", 2, true},
		{"sed -n -- p f", 3, true},
		{"sed -n -- p f", 4, false},
		{"rg -g .env x", 2, false},
		{"rg -g !.env x", 2, true},
		{"rg -g *.go x .env", 3, true},
		{"rg -g *.go x .env", 4, false},
		{"rg --glob .env x", 2, false},
		{"rg -ng .env x", 2, false},
		{"rg -Tg x .env", 3, false},
		{"grep --include .env x .", 2, false},
		{"grep --include !x x .", 2, false},
		{"grep -A 3 x .env", 3, true},
		{"grep -A 3 x .env", 4, false},
		{"grep -A x .env", 3, false},
		{"sed -A 3 p f", 3, false},
	} {
		if got := programs.Builtin().Pattern(split(t, row.text), row.i); got != row.want {
			t.Errorf("%q %d: %v", row.text, row.i, got)
		}
	}
}

// Rows are commands, and the words of them that are texts and no files.
func TestText(t *testing.T) {
	for command, want := range map[string]string{
		"tr a .env": "a .env", "tr -d .env": ".env", "tr -- -d": "-d",
		"gh pr list --jq .a .env": ".a", "gh pr list --jq=.a": "--jq=.a", "gh pr list -q.a": "-q.a", "gh pr list --jqx=.a -x .env": "", "gh pr list -- -q .env": "",
		"kubectl get pods -o jsonpath=.a": "jsonpath=.a", "kubectl get pods -o=jsonpath=.a": "-o=jsonpath=.a", "kubectl get pods -o jsonpath-file=.env": "", "kubectl get pods -o=go-template-file=.env": "", "kubectl get -f -o .env": "",
		"pytest -k x .env": "x", "go test -run .* .env": ".*", "go test -run=.* x": "-run=.*", "go build -run .env": "",
		"npm test -- --testPathPattern .x .env": ".x", "npm test -- -t .x -- -t .env": ".x", "npm test -- .env": "",
		"git commit -m .env": ".env", "git commit -am .env x": ".env", "git commit --message=.env": "--message=.env", "git commit -F .env": "", "git commit -Fm .env": "", "git commit -m x -- .env": "x", "git log -m .env": "", "git log -S.env": "-S.env", "git log -G .env": ".env", "git log -- -G .env": "", "git show -S x .env": "x",
		"cat .env": "", "acme -q .env": "",
	} {
		words := split(t, command)
		var got []string
		for i := range words {
			if programs.Builtin().Text(words, i) {
				got = append(got, words[i])
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q", command, got)
		}
	}
}

// Rows are commands and the paths that they put together of their words.
func TestPutTogether(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"cp a /d", "/d/a"},
		{"find /d -name *.o -delete", "/d/**/*.o"},
		{"find -name *.o -exec rm {} ;", "./**/*.o"},
		{"find /d -iname a -o -name b -delete", ""}, // then all of /d counts
		{"sed w/f a", "/f"},
		{"sed 'w /f' a", "/f"},
		{"sed -n /x/w/f a", "/f"},
		{"sed -n '1,5{p;W/f\n}' a", "/f"},
		{"sed -e s/a/b/gw/f a", "/f"},
		{"sed s/w/x/ w/y", ""},
		{"sed 'a w /f' a", ""},
		{"sed -l 5 w/f a", "/f"},
		{"sed 'k w/f' a", "/f"}, // what is not understood is searched
		{"tar xfC a /d", "/d"},
		{"tar cfb /f 20 a", "/f"},
		{"tar -xf a -C /d", ""},
		{"tar --create --fil=/f a", "/f"},
	} {
		var list []string
		text := strings.ReplaceAll(row.text, "\\n", "\n")
		for word, role := range programs.Builtin().Roles(split(t, text)) {
			if role == programs.Landed {
				list = append(list, word)
			}
		}
		if got := strings.Join(list, " "); got != row.want {
			t.Errorf("%q: %q, want %q", row.text, got, row.want)
		}
	}
}

func TestFound(t *testing.T) {
	for text, want := range map[string]string{
		"ls a*": "a* a*/**/*", "ls": "./**/*", "grep -rl x d": "x x/**/* d d/**/*", "grep -rl x": "x x/**/* ./**/*", "git ls-files": "./**/*", "find d -name x": "d/**/x", "cat x": "-", "git log": "-",
	} {
		list, ok := programs.Builtin().Found(split(t, text))
		if got := strings.Join(list, " "); ok && got != want || ok == (want == "-") {
			t.Errorf("%q: %q %v, want %q", text, got, ok, want)
		}
	}
	for word, want := range map[string]string{"d/**/x": "d x", "/**/x": "/ x", "d/x": "d/x  no", "d/**/a/b": "d a/b no"} {
		dir, name, ok := programs.CutBelow(word)
		got := dir + " " + name
		if !ok {
			got += " no"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
