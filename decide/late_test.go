package decide

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func anywhere(work func()) error { work(); return nil }

var errDeaf = errors.New("it is deaf")

func never(func()) error { return errDeaf }

// A call that touches no file is judged without the file system; every other one
// is denied when that does not answer, whatever would have vouched for it.
func TestLate(t *testing.T) {
	base := tree(t, map[string]string{"app/x": "", "app/run.sh": ""})
	app := filepath.Join(base, "app")
	command := func(text string) Call {
		return Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text(text)})}
	}
	path := func(tool string) Call {
		return Call{Tool: tool, Arguments: NewObject(Member{"path", Text("x")}, Member{"content", Text("")})}
	}
	for _, row := range []struct {
		what string
		call Call
		mode Mode
		late bool
	}{
		{"a command on the list", command("git status"), Interactive, false},
		{"a command on no list", command("make"), Interactive, false},
		{"a fetch", Call{Tool: "web_fetch", Arguments: NewObject(Member{"url", Text("https://python.org/x")})}, Interactive, false},
		{"a write", path("write_file"), Interactive, true},
		{"a write that everything vouches for", path("write_file"), BypassApprovals, true},
		{"a command that writes", command("git status > x"), BypassApprovals, true},
		{"a long command that writes", command("echo " + strings.Repeat("a", maxTwice) + " > x"), BypassApprovals, true},
		{"a long command", command("echo " + strings.Repeat("a", maxTwice)), BypassApprovals, true},
		{"a write in a mode that only reads", path("write_file"), Plan, false},
	} {
		policy := policyOf(t, PolicySpec{InlineContext: "trust"})
		spec := ContextSpec{
			WorkspaceRoot: app, Mode: mode(row.mode), AllowedCommands: []string{"git status"}, AllowedDomains: []string{"python.org"},
		}
		session, err := policy.Session(spec)
		if err != nil {
			t.Fatal(err)
		}
		want := policy.Decide(session, row.call)
		if got := policy.InTime(anywhere).Decide(session, row.call); !reflect.DeepEqual(got, want) {
			t.Errorf("%s, in time: got %+v, want %+v", row.what, got, want)
		}
		if !row.late {
			if got := policy.InTime(never).Decide(session, row.call); !reflect.DeepEqual(got, want) {
				t.Errorf("%s touches no file: got %+v, want %+v", row.what, got, want)
			}
			continue
		}
		got, question := policy.InTime(never).Weigh(session, row.call, false)
		if got.Outcome != Deny || got.Code != CodeInvalidPath || question != nil || got.Risk != want.Risk || got.Mode != want.Mode ||
			!strings.Contains(got.Reason, errDeaf.Error()) {
			t.Errorf("%s, late: got %+v %v", row.what, got, question)
		}
		why := policy.InTime(never).Explain(session, row.call)
		if why.Outcome != Deny || len(why.Trace) != 1 || why.Trace[0].SubCode != SubCodeLate {
			t.Errorf("%s, late and explained: got %+v", row.what, why)
		}
	}
}

// What compiles a session or binds a grant may have to look at files as well.
func TestLateSession(t *testing.T) {
	base := tree(t, map[string]string{"app/x": "", "app/run.sh": ""})
	app := filepath.Join(base, "app")
	policy := policyOf(t, PolicySpec{InlineContext: "narrow", Roots: []RootSpec{{Path: base, Writable: true}}})
	spec := ContextSpec{WorkspaceRoot: app}
	session, err := policy.InTime(anywhere).Session(spec)
	if err != nil {
		t.Fatal(err)
	}
	deaf := policy.InTime(never)
	_, err = deaf.Session(spec)
	call := Call{Tool: "write_file", Arguments: NewObject(Member{"path", Text("x")})}
	if d, ok := deaf.Late(err, call); !ok || d.Outcome != Deny || d.Code != CodeInvalidPath || d.Risk != WriteLocal || !errors.Is(err, errDeaf) {
		t.Errorf("a session: got %+v, %v, %v", d, ok, err)
	}
	if _, ok := deaf.Late(ErrInlineContext, call); ok {
		t.Error("an error of another kind was taken for late")
	}
	var late *LateError
	if _, err := deaf.BindGrant(session, GrantSpec{Kind: GrantCommand, Value: "./run.sh"}); !errors.As(err, &late) {
		t.Errorf("a grant: got %v", err)
	}
	if _, err := deaf.BindGrant(session, GrantSpec{Kind: GrantTool, Value: "write_file"}); err != nil {
		t.Errorf("a grant that touches no file: got %v", err)
	}
	if !session.Holds(RootSpec{Path: app}) {
		t.Error("the session does not hold its root")
	}
	far, err := policy.Stored(StoredSpec{Context: spec})
	if err != nil {
		t.Fatal(err)
	}
	far.state.policy = deaf
	if far.Holds(RootSpec{Path: app}) {
		t.Error("a root is held that nobody could look at")
	}
	ask := Call{Tool: "run_shell", Arguments: NewObject(Member{"command", Text("./run.sh")})}
	for _, offer := range deaf.Offers(session, ask, policy.Decide(session, ask)) {
		if offer.Lasting() {
			t.Errorf("offered without a look at the file: %+v", offer)
		}
	}
}

// Every look at the file system is announced in the same function, or it could
// wait for ever.
func TestLooksAreAnnounced(t *testing.T) {
	looks := regexp.MustCompile(`paths\.Local\{\}\)?\.Resolve\(|paths\.Glob|gitrepo\.Find|\.looker\.(InBare|Find)|digestFile\(path|os\.(Open|Read|Stat|Lstat)|repositories\.of\(`)
	// Called by what has announced it.
	announced := map[string]bool{"digestFile": true, "resolve": true, "add": true}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	function := regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?(\w+)`)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		starts := function.FindAllSubmatchIndex(text, -1)
		for i, at := range starts {
			end := len(text)
			if i+1 < len(starts) {
				end = starts[i+1][0]
			}
			body, called := string(text[at[0]:end]), string(text[at[2]:at[3]])
			if looks.MatchString(body) && !strings.Contains(body, "sight.look()") && !announced[called] {
				t.Errorf("%s: %s looks at the file system unannounced", name, called)
			}
		}
	}
}
