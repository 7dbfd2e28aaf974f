package decide

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/internal/enginetest"
)

// The tables under testdata/decisions are the product's behaviour in rows that
// a reviewer can judge:
//
//	policy  {…}     replaces the policy for the rows below (keys of PolicySpec)
//	context {…}     replaces the context
//	MODES TOOL ARGUMENTS [METADATA] => OUTCOME CODE
//
// MODES is a mode, several with commas, or * for all. OUTCOME is allow, ask,
// ask! (only a person may answer) or deny; "problem" is a context that is
// refused. {{WS}} and its like are directories of the fixture.
func TestDecisionTables(t *testing.T) {
	files, err := filepath.Glob("testdata/decisions/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	fixture := enginetest.NewFixture(t, "testdata/vectors/fixture.json")
	met := map[Code]map[Mode]bool{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		table := &table{t: t, file: file, fixture: fixture, met: met}
		table.policyLine(`{"InlineContext": "trust"}`)
		table.contextLine(`{"workspace_root": "{{WS}}"}`)
		for n, line := range strings.Split(string(raw), "\n") {
			table.line = n + 1
			table.read(strings.TrimSpace(line))
		}
	}
	for _, info := range codes {
		if len(met[info.Code]) == 0 && !later[info.Code] {
			t.Errorf("no table has a row for %s", info.Code)
		}
	}
}

// later are the codes of checks that come with a store, a reviewer or the
// inspection of write targets.
var later = map[Code]bool{CodeDefinitionChanged: true, CodeExposedPath: true, CodeApprovedOnce: true, CodeReviewerApproved: true}

type table struct {
	t       *testing.T
	file    string
	line    int
	fixture *enginetest.Fixture
	policy  *Policy
	context string
	met     map[Code]map[Mode]bool
}

func (b *table) fail(format string, args ...any) {
	b.t.Helper()
	b.t.Errorf("%s:%d: %s", b.file, b.line, fmt.Sprintf(format, args...))
}

func (b *table) read(line string) {
	switch {
	case line == "" || strings.HasPrefix(line, "#"):
	case strings.HasPrefix(line, "policy "):
		b.policyLine(line[len("policy "):])
	case strings.HasPrefix(line, "context "):
		b.contextLine(line[len("context "):])
	default:
		b.row(line)
	}
}

func (b *table) policyLine(text string) {
	spec := PolicySpec{Home: b.fixture.Home()}
	if err := json.Unmarshal([]byte(b.fixture.Fill(text)), &spec, json.RejectUnknownMembers(true)); err != nil {
		b.fail("%v", err)
		return
	}
	policy, err := Compile(spec)
	if err != nil {
		b.fail("%v", err)
		return
	}
	b.policy = policy
}

func (b *table) contextLine(text string) { b.context = b.fixture.Fill(text) }

func (b *table) row(line string) {
	left, right, ok := strings.Cut(line, " => ")
	want := strings.Fields(right)
	names, left, _ := strings.Cut(left, " ")
	tool, rest, _ := strings.Cut(strings.TrimSpace(left), " ")
	if !ok || len(want) == 0 {
		b.fail("not a row: %s", line)
		return
	}
	call := Call{Tool: tool}
	dec := jsontext.NewDecoder(strings.NewReader(b.fixture.Fill(rest)))
	var metadata Value
	for _, v := range []*Value{&call.Arguments, &metadata} {
		if dec.PeekKind() != 0 {
			if err := v.UnmarshalJSONFrom(dec); err != nil {
				b.fail("%v", err)
				return
			}
		}
	}
	var err error
	if call.Metadata, err = ParseMetadata(metadata); err != nil {
		b.fail("%v", err)
		return
	}
	modeNames := strings.Split(names, ",")
	if names == "*" {
		modeNames = ModeNames()
	}
	for _, name := range modeNames {
		b.check(name, call, want)
	}
}

func (b *table) check(mode string, call Call, want []string) {
	var spec ContextSpec
	if err := json.Unmarshal([]byte(b.context), &spec, json.RejectUnknownMembers(true)); err != nil {
		b.fail("%v", err)
		return
	}
	if mode != "-" {
		spec.Mode = &mode
	}
	session, err := b.policy.Session(spec)
	if err != nil {
		if want[0] != "problem" {
			b.fail("%s: %v", mode, err)
		}
		return
	}
	d := b.policy.Decide(session, call)
	got := d.Outcome.String()
	if d.Outcome.HumanOnly() {
		got += "!"
	}
	if got != want[0] || len(want) > 1 && string(d.Code) != want[1] {
		b.fail("%s %s: got %s %s (%s), want %s", mode, call.Tool, got, d.Code, d.Reason, strings.Join(want, " "))
	}
	if b.met[d.Code] == nil {
		b.met[d.Code] = map[Mode]bool{}
	}
	b.met[d.Code][d.Mode] = true
	if explained := b.policy.Explain(session, call); explained.Outcome != d.Outcome || explained.Code != d.Code {
		b.fail("%s: explaining changes the answer to %v %s", mode, explained.Outcome, explained.Code)
	}
}
