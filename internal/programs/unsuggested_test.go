package programs_test

import (
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/programs"
)

// Rows are commands and why no entry is suggested for them; none for those that
// have one.
func TestWhyNothingIsSuggested(t *testing.T) {
	for _, row := range []struct{ text, why string }{
		{"ls -la", ""},
		{"make test", ""},
		{"make", `an entry of "make" alone would vouch for all`},
		{"git", `an entry of "git" alone`},
		{"npm run", `an entry of "npm run" alone`},
		{"git -C x status", "an option stands where an entry for git names what it is to do"},
		{"git push", "an entry for git push is never suggested"},
		{"rm x", "an entry for rm is never suggested"},
		{"git foo", `an entry for git does not vouch for "foo"`},
		{"find . -delete", `an entry for find does not vouch for "-delete", which destroys`},
		{"sort -o x f", `an entry for sort does not vouch for "-o", which writes`},
		{"bash x.sh", "bash runs code"},
		{"python3 x.py", "python3 runs code"},
		{"npx x", "npx runs another program"},
		{"sudo ls", "sudo runs another program"},
		{"unknown", "nothing is known of what unknown does"},
		{"/bin/ls", "an entry with a path"},
		{"./x", "an entry with a path"},
	} {
		why := programs.Builtin().Unsuggested(split(t, row.text))
		if !strings.HasPrefix(why, row.why) || (why == "") != (row.why == "") {
			t.Errorf("%q: %q, want %q", row.text, why, row.why)
		}
	}
}

// Whatever has no entry has a reason.
func TestNothingSuggestedHasAReason(t *testing.T) {
	table := programs.Builtin()
	for _, words := range [][]string{{"x"}, {"git", "x", "y"}, {"docker", "run", "x"}, {"kubectl", "get", "secret"}, {"env", "ls"}, {"mix", "run", "-e", "x"}, {"less", "x"}, {"eval", "x"}, {"uv", "run", "x"}} {
		_, ok := table.Suggest(words)
		if ok == (table.Unsuggested(words) != "") {
			t.Errorf("%q: %v %q", words, ok, table.Unsuggested(words))
		}
	}
}
