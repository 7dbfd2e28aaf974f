package decide

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/internal/enginetest"
)

// sample is a recorded call in a recorded context; contexts and calls are
// paired anew, so that each sees many of the other.
type sample struct {
	policy  *Policy
	context ContextSpec
	call    Call
}

// samples draws pairs with a fixed seed; PDP_NIGHTLY=1 draws many more.
func samples(t *testing.T, yield func(s sample)) {
	t.Helper()
	n := 2000
	if os.Getenv("PDP_NIGHTLY") != "" {
		n = 200_000
	}
	fixture := enginetest.NewFixture(t, "testdata/vectors/fixture.json")
	vectors := enginetest.ReadVectors(t, fixture, "testdata/vectors/vectors.jsonl.gz")
	policies := []*Policy{}
	for _, spec := range []PolicySpec{
		{InlineContext: "trust"},
		{InlineContext: "trust", UnknownTools: "read"},
		{InlineContext: "trust", Deny: ListsSpec{Commands: []string{"rm"}, Paths: []string{"*.pem"}, Domains: []string{"evil.com"}}, Ask: ListsSpec{Tools: []string{"web_*"}}},
	} {
		spec.Home = fixture.Home()
		p, err := Compile(spec)
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, p)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		context := contextSpec(t, fixture, vectors[rng.IntN(len(vectors))].Engine)
		if context.Mode != nil {
			if _, err := ParseMode(*context.Mode); err != nil {
				continue
			}
		}
		yield(sample{policies[rng.IntN(len(policies))], context, recordedCall(t, vectors[rng.IntN(len(vectors))])})
	}
}

func contextSpec(t *testing.T, fixture *enginetest.Fixture, e enginetest.Engine) ContextSpec {
	t.Helper()
	raw, err := json.Marshal(fixture.Context(e))
	if err != nil {
		t.Fatal(err)
	}
	var spec ContextSpec
	if err := json.Unmarshal(raw, &spec, json.RejectUnknownMembers(true)); err != nil {
		t.Fatal(err)
	}
	spec.RiskOverrides = slices.DeleteFunc(spec.RiskOverrides, func(v Value) bool {
		class, _ := v.Get("risk").AsString()
		_, err := ParseRisk(class)
		return err != nil
	})
	spec.AllowedDomains = slices.DeleteFunc(spec.AllowedDomains, func(d string) bool { return len(d) > 0 && d[0] == '[' || d == "https://[::1" })
	return spec
}

func recordedCall(t *testing.T, v enginetest.Vector) Call {
	t.Helper()
	var call struct {
		Tool      string `json:"tool_name"`
		Arguments Value  `json:"arguments"`
		Metadata  Value  `json:"metadata"`
	}
	if err := json.Unmarshal(v.Call, &call); err != nil {
		t.Fatal(err)
	}
	metadata, err := ParseMetadata(call.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	return Call{call.Tool, call.Arguments, metadata}
}

// decide judges the sample in a changed context.
func (s sample) decide(t *testing.T, change func(*ContextSpec)) (Decision, bool) {
	t.Helper()
	context := s.context
	if change != nil {
		change(&context)
	}
	session, err := s.policy.Session(context)
	if err != nil {
		return Decision{}, false
	}
	return s.policy.Decide(session, s.call), true
}

// everythingGranted adds every allowance that could concern the call.
func (s sample) everythingGranted(c *ContextSpec) {
	command, _ := s.call.Arguments.Get("command").AsString()
	url, _ := s.call.Arguments.Get("url").AsString()
	c.Grants = GrantsSpec{Tools: []string{s.call.Tool}, Commands: []string{command}, ReadOnlyCommands: true}
	c.AllowedCommands = append(slices.Clone(c.AllowedCommands), "git", "ls", "cat", "rm", "echo", "find")
	c.AllowedDomains = append(slices.Clone(c.AllowedDomains), "python.org", "evil.com")
	if url != "" {
		c.AllowedDomains = append(c.AllowedDomains, "localhost")
	}
	c.AutoAllowTools = append(slices.Clone(c.AutoAllowTools), s.call.Tool)
}

func TestGrantsNeverChangeWhatAFloorDecided(t *testing.T) {
	refused := 0
	samples(t, func(s sample) {
		before, ok := s.decide(t, nil)
		if !ok || before.Outcome == Allow || before.Code == CodeApprovalRequired {
			return
		}
		refused++
		after, ok := s.decide(t, s.everythingGranted)
		if ok && (after.Outcome != before.Outcome || after.Code != before.Code) {
			t.Errorf("%s: %s (%s) became %s (%s): %s", s.call.Tool, before.Code, before.Reason, after.Code, after.Reason, s.call.Arguments.Text())
		}
	})
	if refused < 250 {
		t.Errorf("only %d samples met a floor", refused)
	}
}

func TestAllowancesOnlyAllow(t *testing.T) {
	samples(t, func(s sample) {
		before, ok := s.decide(t, nil)
		after, ok2 := s.decide(t, s.everythingGranted)
		if ok && ok2 && after.Outcome < before.Outcome {
			t.Errorf("%s: an allowance turned %s into %s (%s)", s.call.Tool, before.Code, after.Code, after.Reason)
		}
	})
}

func TestReadOnlyModesNeverAllowConsequences(t *testing.T) {
	for _, mode := range []string{"discuss", "plan"} {
		samples(t, func(s sample) {
			d, ok := s.decide(t, func(c *ContextSpec) {
				s.everythingGranted(c)
				c.Mode = &mode
			})
			if ok && d.Outcome == Allow && d.Risk != Read {
				t.Errorf("%s mode allows %s: %s", mode, s.call.Tool, d.Reason)
			}
		})
	}
}

func TestStricterOverrideNeverGivesALaxerAnswer(t *testing.T) {
	samples(t, func(s sample) {
		known := s.policy.tools.lookup(s.call.Tool)
		laxest := Allow // of the classes that are strictly milder
		var equals []Outcome
		for i, name := range RiskNames() {
			d, ok := s.decide(t, func(c *ContextSpec) {
				c.RiskOverrides = []Value{NewObject(Member{"pattern", Text(s.call.Tool)}, Member{"risk", Text(name)})}
			})
			if !ok {
				return
			}
			if risks[i+1].strictness > risks[i].strictness {
				laxest, equals = min(laxest, slices.Min(append(equals, laxest))), nil
			}
			// For a tool that nobody knows, its class says what it is: only a
			// shell has commands, and only egress has hosts, that a list can name.
			says := (known == nil || known.risk == Unclassified) && lists[d.Code]
			if d.Outcome > laxest && !says {
				t.Errorf("%s as %s: %s (%s), which is laxer than as a milder class", s.call.Tool, name, d.Code, d.Reason)
			}
			equals = append(equals, d.Outcome)
		}
	})
}

var lists = map[Code]bool{CodeCommandAllowlisted: true, CodeCommandGranted: true, CodeReadOnlyCommand: true, CodeDomainAllowed: true, CodeStandingRule: true, CodeToolGranted: true}

func TestSameInputSameAnswer(t *testing.T) {
	samples(t, func(s sample) {
		first, ok := s.decide(t, nil)
		again, ok2 := s.decide(t, nil)
		if ok != ok2 || first.Outcome != again.Outcome || first.Code != again.Code || first.Reason != again.Reason {
			t.Errorf("%s: %s (%s), then %s (%s)", s.call.Tool, first.Code, first.Reason, again.Code, again.Reason)
		}
	})
}

func TestTheZeroSessionIsDenied(t *testing.T) {
	p, err := Compile(PolicySpec{InlineContext: "trust"})
	if err != nil {
		t.Fatal(err)
	}
	if d := p.Decide(Session{}, Call{Tool: "read_file"}); d.Outcome != Deny {
		t.Errorf("got %v", d.Outcome)
	}
	if d := p.CheckPath(Session{}, "/x", AccessRead); d.Outcome != Deny {
		t.Errorf("path: got %v", d.Outcome)
	}
}
