package decide

import (
	"bufio"
	"fmt"
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/internal/enginetest"
)

// open are cases whose wanted answer this version does not give, each with the
// reason. None of them is answered more permissively than wanted, unless the
// reason says why the case cannot be told.
var open = map[string]string{
	"weak-153":    "discuss mode denies what interactive mode asks about",
	"fp-wincase":  "a Windows path is judged by text on this system, so a person is asked",
	"ocode-17497": "reads outside the roots by listed commands are not restricted unless ask.paths says so",

	"fp-gem-23096":  "a redirection to a file is a write, which custom mode lets through where it lets write_file through",
	"fp-vsc-265775": "an entry for every program would vouch for programs that nobody thought of",
	"fp-vsc-270842": "commands of PowerShell are not read",
	"fp-vsc-254881": "commands of PowerShell are not read",
}

// preciseOnly are needless prompts of strict matching, which keeps the original
// engine's textual rule.
var preciseOnly = wordSet(`fp-cc-noopcd fp-cc-cdsub fp-oc-builtins fp-vsc-271702 fp-vsc-261794-sc fp-vsc-260781 fp-gem-20744 fp-cdx-13175
	fp-cc-timeout fp-cc-nice fp-cc-35183 fp-oc-68661 fp-bkit-145 fp-cc-glob fp-cc-for fp-cc-devnull fp-cc-91650 fp-dippy-date fp-dippy-docker cr-rec`)

func TestWeaknessesOfTheOriginal(t *testing.T) {
	fixture := enginetest.NewFixture(t, "testdata/vectors/fixture.json")
	policy, err := Compile(PolicySpec{InlineContext: "trust", UnknownTools: "read", Home: fixture.Home()})
	if err != nil {
		t.Fatal(err)
	}
	eachLine(t, "testdata/cases/engine-weaknesses.jsonl", fixture, func(line []byte) {
		var c struct {
			ID     string            `json:"id"`
			Title  string            `json:"title"`
			Engine enginetest.Engine `json:"engine"`
			Call   jsontext.Value    `json:"call"`
			Safe   string            `json:"safe"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Engine.WorkspaceRoot == "" {
			c.Engine.WorkspaceRoot = fixture.Base + "/ws"
		}
		if c.Engine.Mode == "" {
			c.Engine.Mode = "interactive"
		}
		want := map[string]Outcome{"ASK": Ask, "ASK human_only": AskHuman, "DENY": Deny, "ALLOW": Allow}[c.Safe]
		checkCase(t, "strict", c.ID, c.Title, judgeCase(t, policy, contextSpec(t, fixture, c.Engine), c.Call), want)
	})
}

func TestReportedBugsOfOtherAgents(t *testing.T) {
	fixture := enginetest.NewFixture(t, "testdata/vectors/fixture.json")
	for _, matching := range []string{"strict", "precise"} {
		policy, err := Compile(PolicySpec{InlineContext: "trust", Home: "/home/u", CommandMatching: matching})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(matching, func(t *testing.T) { reportedBugs(t, fixture, policy, matching) })
	}
}

func reportedBugs(t *testing.T, fixture *enginetest.Fixture, policy *Policy, matching string) {
	eachLine(t, "testdata/cases/reported-agent-permission-bugs.jsonl", fixture, func(line []byte) {
		var c struct {
			ID    string                    `json:"id"`
			Setup map[string]jsontext.Value `json:"setup"`
			Call  jsontext.Value            `json:"call"`
			Right string                    `json:"right"`
			Note  string                    `json:"note"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if _, linked := c.Setup["fs"]; linked && c.ID == "cc-59829" {
			return // needs a link in the file system: testdata/decisions/write_scope.txt
		}
		if _, managed := c.Setup["managed"]; managed {
			return // a policy above the user's: testdata/decisions/policy_lists.txt
		}
		want := map[string]Outcome{"ask": Ask, "deny": Deny, "allow": Allow}[c.Right]
		checkCase(t, matching, c.ID, c.Note, judgeCase(t, policy, setupContext(t, c.Setup), c.Call), want)
	})
}

// setupContext writes a case's setup as a context; keys that have no
// counterpart only show the kind of the case.
func setupContext(t *testing.T, setup map[string]jsontext.Value) ContextSpec {
	t.Helper()
	context := map[string]any{"workspace_root": "/proj/app"}
	grants, deny, ask := map[string]any{}, map[string]any{}, map[string]any{}
	for key, v := range setup {
		switch key {
		case "mode", "allowed_commands", "allowed_domains", "roots", "cwd", "os", "shell":
			context[key] = v
		case "deny_commands":
			deny["commands"] = v
		case "ask_commands":
			ask["commands"] = v
		case "deny_read":
			deny["paths"] = v
		case "session_allow_domains":
			grants["domains"] = v
		case "session_allow_tools":
			grants["tools"] = v
		case "session_allow_commands":
			grants["commands"] = v
		case "session_readonly":
			grants["read_only_commands"] = v
		}
	}
	if _, windows := setup["os"]; windows {
		context["workspace_root"] = setup["cwd"]
		context["home"] = `C:\Users\u`
	}
	context["grants"], context["deny"], context["ask"] = grants, deny, ask
	raw, err := json.Marshal(context)
	if err != nil {
		t.Fatal(err)
	}
	var spec ContextSpec
	if err := json.Unmarshal(raw, &spec, json.RejectUnknownMembers(true)); err != nil {
		t.Fatal(err)
	}
	return spec
}

func judgeCase(t *testing.T, policy *Policy, spec ContextSpec, call jsontext.Value) Decision {
	t.Helper()
	session, err := policy.Session(spec)
	if err != nil {
		return Decision{Code: "problem", Reason: err.Error()} // nothing was decided, which clients take for a deny
	}
	return policy.Decide(session, recordedCall(t, enginetest.Vector{Call: call}))
}

// checkCase compares with the wanted answer; a stricter kind of ask is right.
func checkCase(t *testing.T, matching, id, title string, got Decision, want Outcome) {
	t.Helper()
	right := got.Outcome == want || want == Ask && got.Outcome == AskHuman
	reason, isOpen := open[id]
	if matching == "strict" && preciseOnly[id] {
		reason, isOpen = "needs precise matching", true
	}
	switch {
	case right && isOpen:
		t.Errorf("%s is listed as open (%s), but is answered right", id, reason)
	case right:
	case isOpen && (got.Outcome < want || id == "ocode-17497"):
	default:
		t.Errorf("%s (%s): got %s %s: %s; want %s", id, title, got.Outcome, got.Code, got.Reason, fmt.Sprint(want, want.HumanOnly()))
	}
}

func eachLine(t *testing.T, file string, fixture *enginetest.Fixture, yield func([]byte)) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n := 0
	for ; lines.Scan(); n++ {
		yield([]byte(fixture.Fill(lines.Text())))
	}
	if err := lines.Err(); err != nil || n == 0 {
		t.Fatalf("%s: %d lines, %v", file, n, err)
	}
}
