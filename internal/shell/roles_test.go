package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

// written returns what the words of a text are said to be written to: NAME, or
// NAME! where it is removed or changed with everything below.
func written(t *testing.T, text string) string {
	t.Helper()
	seen, ok := scannedText(text, Bash)
	if !ok {
		t.Fatalf("%q was not read whole", text)
	}
	return writtenBy(seen)
}

func writtenBy(seen []Seen) string {
	var list []string
	for _, s := range seen {
		for word, role := range s.PathWords() {
			switch role {
			case Filled:
				list = append(list, word)
			case Deleted:
				list = append(list, word+"!")
			}
		}
	}
	return strings.Join(list, " ")
}

func TestWrittenWords(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"echo a > /f", "/f"},
		{"echo a >> /f", "/f"},
		{"echo a >| /f", "/f"},
		{"ls 2> /f", "/f"},
		{"> /f", "/f"},
		{"ls &> /f", "/f"},
		{"cat <> /f", "/f"},
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
		{"find . -exec rm /f {} +", "/f! {}!"},
		{"timeout 5 touch /f", "/f"},
		{"bash -c 'rm /f'", "/f!"},
		{"ls; rm /f", "/f!"},
		{"echo $(rm /f)", "/f!"},
		// these read, or give another meaning to the option
		{"cat /f", ""},
		{"ls -t /d", ""},
		{"ls -o /d", ""},
		{"grep -o /x f", ""},
		{"rg -o /x f", ""},
		{"ps -o pid", ""},
		{"echo rm /f", ""},
		{"grep -n env ./cp /x", ""},
		{"cat < /f", ""},
	} {
		// A copy is also seen as the name that it gets inside the target.
		got := strings.Fields(written(t, row.text))
		for _, want := range strings.Fields(row.want) {
			if !slices.Contains(got, want) {
				t.Errorf("%q: %q, want %q", row.text, got, row.want)
			}
		}
		if row.want == "" && len(got) > 0 {
			t.Errorf("%q: %q is written", row.text, got)
		}
		seen, _ := scannedText(row.text, Bash)
		writes := false
		for _, s := range seen {
			writes = writes || s.Writer()
		}
		if writes != (row.want != "") {
			t.Errorf("%q: Writer says %v", row.text, writes)
		}
	}
}

func TestRolesStayLinear(t *testing.T) {
	words := strings.Repeat("sudo cp sed -i find ", 3000) // more programs than are told apart
	seen, _ := scannedText(words+"/f", Bash)
	if got := writtenBy(seen); !strings.Contains(got, "/f!") {
		t.Errorf("behind many programs a word counts as written: %d commands", len(seen))
	}
}

func TestRunsFile(t *testing.T) {
	for text, want := range map[string]bool{
		"./x": true, "bin/x": true, "/opt/x": true, "bash x.sh": true, "sudo ./x": true, "python3 x.py": true, "source x": true, ". x": true, "env A=1 ./x": true, "env ./x": true, "timeout 5s ./x": true, "sudo -u x ./y": true, "nice -n 5 bin/x": true, "timeout 5 cat ./x": false, "sudo cat ./x": false, "node ./x.js": true,
		"ls": false, "/bin/ls": false, "/usr/bin/git status": false, "/bin/../x": true, "ls ./x": false, "cat x.sh": false, "grep -n env ./x": false, "python3 -m pytest": false, "git add ./x": false,
	} {
		seen, _ := scannedText(text, Bash)
		if got := len(seen) > 0 && seen[0].RunsFile(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestIndirect(t *testing.T) {
	for text, want := range map[string]bool{
		"bash -c 'rm x'": true, "eval 'a b'": true, "ssh host 'a b'": true, "env -S 'a b'": true, "bash x.sh": true, "env A=1 ls": true, "export A=1": true, "git -c alias.x='!rm y' x": true, "git rebase -x 'a b' main": true, "find . -exec sh -c 'a b' {} +": true,
		"git commit -m 'a b'": false, "grep 'a b' f": false, "echo 'a b'": false,
	} {
		if got := parsed(t, text, Bash).Indirect(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestIsPattern(t *testing.T) {
	for _, row := range []struct {
		text string
		i    int
		want bool
	}{
		{"grep x f", 1, true}, {"grep x f", 2, false}, {"grep -n x f", 2, true}, {"grep -e x f", 2, true}, {"grep -e x f", 3, false}, {"sed -n p f", 2, true}, {"sed -n p f", 3, false}, {"cat f", 1, false}, {"grep -f x .env", 3, false}, {"rg --files .env", 2, false},
	} {
		if got := programs.Builtin().Pattern(parsed(t, row.text, Bash).Simples[0].Words, row.i); got != row.want {
			t.Errorf("%q %d: %v", row.text, row.i, got)
		}
	}
}
