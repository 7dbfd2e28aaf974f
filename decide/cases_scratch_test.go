package decide

import (
	"bufio"
	"os"
	"testing"

	"github.com/agent-pdp/pdp/internal/enginetest"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func TestScratchCases(t *testing.T) {
	f := enginetest.NewFixture(t, "testdata/vectors/fixture.json")
	p, err := Compile(PolicySpec{InlineContext: "trust", UnknownTools: "read", Home: f.Home()})
	if err != nil {
		t.Fatal(err)
	}
	file, _ := os.Open("testdata/cases/engine-weaknesses.jsonl")
	sc := bufio.NewScanner(file)
	for sc.Scan() {
		var c struct {
			ID     string            `json:"id"`
			Title  string            `json:"title"`
			Engine enginetest.Engine `json:"engine"`
			Call   jsontext.Value    `json:"call"`
			Safe   string            `json:"safe"`
		}
		if err := json.Unmarshal([]byte(f.Fill(sc.Text())), &c); err != nil {
			t.Fatal(err)
		}
		if c.Engine.WorkspaceRoot == "" {
			c.Engine.WorkspaceRoot = f.Base + "/ws"
		}
		if c.Engine.Mode == "" {
			c.Engine.Mode = "interactive"
		}
		d := decideJSON(t, p, f.Context(c.Engine), c.Call)
		want := map[string]Outcome{"ASK": Ask, "ASK human_only": AskHuman, "DENY": Deny, "ALLOW": Allow}[c.Safe]
		if d.Outcome != want {
			t.Logf("%s want %s got %v/%v %s | %s || %s %.150s", c.ID, c.Safe, d.Outcome, d.Outcome.HumanOnly(), d.Code, d.Reason, c.Title, c.Call)
			if d.Outcome > want {
				t.Errorf("^^ LAXER")
			}
		}
	}
	file, _ = os.Open("testdata/cases/reported-agent-permission-bugs.jsonl")
	sc = bufio.NewScanner(file)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var c struct {
			ID    string                    `json:"id"`
			Kind  string                    `json:"kind"`
			Setup map[string]jsontext.Value `json:"setup"`
			Call  jsontext.Value            `json:"call"`
			Right string                    `json:"right"`
			Note  string                    `json:"note"`
		}
		if err := json.Unmarshal(sc.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		ctx := map[string]any{"workspace_root": "/proj/app"}
		grants := map[string]any{}
		other := ""
		for k, v := range c.Setup {
			switch k {
			case "mode", "allowed_commands", "allowed_domains", "roots", "cwd", "os", "shell":
				ctx[k] = v
			case "deny_commands":
				ctx["deny"] = map[string]any{"commands": v}
			case "ask_commands":
				ctx["ask"] = map[string]any{"commands": v}
			case "deny_read":
				ctx["deny"] = map[string]any{"paths": v}
			case "session_allow_domains":
				grants["domains"] = v
			case "session_allow_tools":
				grants["tools"] = v
			case "session_allow_commands":
				grants["commands"] = v
			case "session_readonly":
				grants["read_only_commands"] = v
			default:
				other += k + "=" + string(v) + " "
			}
		}
		ctx["grants"] = grants
		d := decideJSON(t, p, ctx, c.Call)
		want := map[string]Outcome{"ask": Ask, "deny": Deny, "allow": Allow}[c.Right]
		if d.Outcome.String() != want.String() {
			tag := ""
			if d.Outcome > want {
				tag = "LAXER"
			}
			t.Logf("%s %s %s want %s got %v %s | %s || %.200s | %s | %s", tag, c.ID, c.Kind, c.Right, d.Outcome, d.Code, d.Reason, c.Call, c.Note, other)
		}
	}
}

func decideJSON(t *testing.T, p *Policy, ctx map[string]any, call jsontext.Value) Decision {
	raw, err := json.Marshal(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var spec ContextSpec
	if err := json.Unmarshal(raw, &spec); err != nil {
		t.Fatal(err)
	}
	var c struct {
		ToolName  string `json:"tool_name"`
		Arguments Value  `json:"arguments"`
		Metadata  Value  `json:"metadata"`
	}
	if err := json.Unmarshal(call, &c); err != nil {
		t.Fatal(err)
	}
	md, err := ParseMetadata(c.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Session(spec)
	if err != nil {
		return Decision{Reason: err.Error()}
	}
	return p.Decide(s, Call{Tool: c.ToolName, Arguments: c.Arguments, Metadata: md})
}
