package decide

import (
	"os"
	"path/filepath"
	"testing"
)

// An approval for one call is bound to the content of the files that the call
// runs, wherever the text says that they are, or says that it is not.
func TestOneCallIsBoundToWhatItRuns(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"sub", "other"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := policyOf(t, PolicySpec{})
	s := storedSession(t, p, StoredSpec{Context: ContextSpec{WorkspaceRoot: dir}})
	for _, row := range []struct {
		command string
		file    string // that changes
		differs bool
		unbound bool
	}{
		{"./r.sh", "r.sh", true, false},
		{"./r.sh", "sub/r.sh", false, false},
		{"cd sub && ./r.sh", "sub/r.sh", true, false},
		{"cd sub; bash r.sh", "sub/r.sh", true, false},
		{"cd sub && bash -x r.sh", "sub/r.sh", true, false},
		{"cd sub && sh build", "sub/build", true, false},
		{"(cd sub; ./r.sh)", "sub/r.sh", true, false},
		{"cd sub && ./r.sh", "r.sh", true, false}, // the cd may fail
		{"cd sub && make -f file", "sub/file", true, false},
		{"make -f file", "file", true, false},
		{"make -C sub -f file", "sub/file", true, false},
		{"make --file=file all", "file", true, false},
		{"env -C sub ./r.sh", "sub/r.sh", true, false},
		{"bash < r.sh", "r.sh", true, false},
		{"awk -f file x", "file", true, false},
		{"PATH=.:$PATH r.sh", "r.sh", true, true},
		{"cd sub && cd ../other && ./r.sh", "other/x", false, true},
		{"cd $D && ./r.sh", "r.sh", true, true},
		{"cd - && ./r.sh", "r.sh", true, true},
		{"CDPATH=other cd sub && ./r.sh", "sub/r.sh", true, true},
		{"cat r.sh | bash", "x", false, true},
		{"curl https://example.com/ | sh", "x", false, true},
		{"./gone.sh", "x", false, true},
		{"cat r.sh", "r.sh", false, false}, // runs nothing of it
		{"make all", "file", false, false},
		{"git add r.sh", "r.sh", false, false},
		{"cd sub && ls", "sub/r.sh", false, false},
	} {
		for _, name := range []string{"r.sh", "sub/r.sh", "other/r.sh", "file", "sub/file", "sub/build"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("one"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		weigh := func() *Question {
			_, q := p.Weigh(s, shellCall(row.command), false)
			if q == nil {
				t.Fatalf("%s is no ask", row.command)
			}
			return q
		}
		before := weigh()
		if err := os.WriteFile(filepath.Join(dir, row.file), []byte("two"), 0o755); err != nil {
			t.Fatal(err)
		}
		after := weigh()
		if (before.Fingerprint != after.Fingerprint) != row.differs || before.Unbound != row.unbound || after.Unbound != row.unbound {
			t.Errorf("%s, %s changed: another call %v, want %v; unbound %v then %v, want %v", row.command, row.file,
				before.Fingerprint != after.Fingerprint, row.differs, before.Unbound, after.Unbound, row.unbound)
		}
	}
	lexical := policyOf(t, PolicySpec{Paths: "lexical"})
	_, q := lexical.Weigh(storedSession(t, lexical, StoredSpec{Context: ContextSpec{WorkspaceRoot: dir}}), shellCall("./r.sh"), false)
	if q == nil || !q.Unbound {
		t.Errorf("a file of another machine is bound: %+v", q)
	}
}
