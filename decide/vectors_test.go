package decide

import (
	"errors"
	"fmt"
	"sort"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/internal/enginetest"
)

func rank(outcome string, human bool) int {
	switch {
	case outcome == "allow":
		return 3
	case outcome == "ask" && !human:
		return 2
	case outcome == "ask":
		return 1
	}
	return 0
}

func TestScratchVectors(t *testing.T) {
	f := enginetest.NewFixture(t, "testdata/vectors/fixture.json")
	p, err := Compile(PolicySpec{InlineContext: "trust", UnknownTools: "read", Home: f.Home()})
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string][]string{}
	laxer := 0
	for _, v := range enginetest.ReadVectors(t, f, "testdata/vectors/vectors.jsonl.gz") {
		raw, _ := json.Marshal(f.Context(v.Engine))
		var spec ContextSpec
		if err := json.Unmarshal(raw, &spec); err != nil {
			t.Fatal(v.ID, err)
		}
		var call struct {
			ToolName  string `json:"tool_name"`
			Arguments Value  `json:"arguments"`
			Metadata  Value  `json:"metadata"`
		}
		if err := json.Unmarshal(v.Call, &call); err != nil {
			t.Fatal(v.ID, err)
		}
		md, err := ParseMetadata(call.Metadata)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Session(spec)
		got, human, code := "", false, ""
		reason := ""
		var se *SpecError
		switch {
		case errors.As(err, &se):
			got, code, reason = "problem", "validation_failed", err.Error()
		case err != nil:
			t.Fatal(err)
		default:
			d := p.Decide(s, Call{Tool: call.ToolName, Arguments: call.Arguments, Metadata: md})
			got, human, code, reason = d.Outcome.String(), d.Outcome.HumanOnly(), string(d.Code), d.Reason
		}
		want := fmt.Sprint(v.Expect.Outcome, v.Expect.HumanOnly, " ", v.Expect.Code)
		if v.Expect.Raises {
			want = "raises"
			if got == "allow" {
				laxer++
				t.Errorf("%s raises, got allow", v.ID)
			}
		} else if rank(got, human) > rank(v.Expect.Outcome, v.Expect.HumanOnly) {
			laxer++
			if laxer < 30 {
				t.Errorf("LAXER %s want %s got %s %v %s (%s)\n  %.300s\n %.400s", v.ID, want, got, human, code, reason, v.Call, raw)
			}
		}
		have := fmt.Sprint(got, human, " ", code)
		if have != want {
			k := want + " => " + have
			groups[k] = append(groups[k], fmt.Sprintf("%s %.200s | %s || mode=%s cmds=%q dom=%q ro=%v over=%s", v.ID, v.Call, reason, v.Engine.Mode, v.Engine.AllowedCommands, append(v.Engine.AllowedDomains, v.Engine.SessionAllowDomains...), v.Engine.SessionReadonly, v.Engine.RiskOverrides.Rules))
		}
	}
	var keys []string
	for k := range groups {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return len(groups[keys[i]]) > len(groups[keys[j]]) })
	for _, k := range keys {
		t.Logf("%4d %s", len(groups[k]), k)
	}
	for _, k := range keys {
		t.Logf("== %s (%d)", k, len(groups[k]))
		for i, s := range groups[k] {
			if i%(1+len(groups[k])/12) == 0 {
				t.Log("   ", s)
			}
		}
	}
	t.Log("laxer", laxer)
}
