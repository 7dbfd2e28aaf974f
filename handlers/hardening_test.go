package handlers

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/enginetest"
)

var update = flag.Bool("update", false, "rewrite the lists of vectors in docs/hardening.md")

const (
	vectorsFile   = "../decide/testdata/vectors/vectors.jsonl.gz"
	fixtureFile   = "../decide/testdata/vectors/fixture.json"
	hardeningFile = "../docs/hardening.md"
)

// difference is a recorded call that pdp answers otherwise than the original
// engine did.
type difference struct {
	vector  enginetest.Vector
	outcome string // "problem" for a request that was refused
	code    string
	why     string // the reason, and what the checks that did not decide saw
}

// hardenings says, in order, which entry of docs/hardening.md a difference
// belongs to: the first whose code and pattern fit.
var hardenings = []struct {
	entry  string
	codes  string // separated by blanks; empty: any
	why    string // a regular expression on why
	expect string // a regular expression on the original's code; empty: any
	laxer  bool   // a correction: the original's answer was needlessly strict
}{
	{entry: "one-name-of-a-host", codes: "domain_allowed", why: `^fetch`, expect: "approval_required", laxer: true},
	{entry: "unknown-risk-class", codes: "validation_failed", why: `unknown risk class`},
	{entry: "damaged-domain-lists", codes: "validation_failed", why: `allowed_domains`},
	{entry: "persistent-authority-has-consequences", codes: "read_only_mode", expect: "persistent_authority"},
	{entry: "connectors-have-consequences", expect: "low_risk", codes: "read_only_mode approval_required full_access tool_auto_allowed"},
	{entry: "own-files-by-identity", codes: "self_protection", why: `^(write|patch)`},
	{entry: "own-files-in-commands", codes: "self_protection", why: `^shell`},
	{entry: "own-files-through-any-tool", codes: "self_protection"},
	{entry: "unreadable-paths", codes: "invalid_path"},
	{entry: "every-path-of-a-patch", codes: "outside_writable_roots", why: `^patch`},
	{entry: "class-swap-keeps-floors", codes: "outside_writable_roots write_unlocated", why: `^write`, expect: "command_allowlisted"},
	{entry: "every-reading-of-a-path", codes: "outside_writable_roots", why: `^write`},
	{entry: "unlocated-writes", codes: "write_unlocated"},
	{entry: "more-deferred-files", codes: "deferred_execution"},
	{entry: "private-networks", codes: "private_network"},
	{entry: "linked-files", codes: "linked_file"},
	{entry: "ambiguous-arguments", codes: "ambiguous_arguments"},
	{entry: "commands-write-inside-the-roots", codes: "approval_required", why: `the command writes to`},
	{entry: "commands-must-be-readable", codes: "approval_required", why: `the command is missing or not a text`},
	{entry: "grants-for-tools", codes: "approval_required", why: `a grant for the tool does not cover`},
	{entry: "grants-for-tools", codes: "tool_auto_allowed", expect: "tool_granted"},
	{entry: "granted-files", codes: "approval_required", why: `the granted command runs a file`},
	{entry: "rules-bind-the-route", codes: "approval_required", why: `the rule says nothing about`},
	{entry: "strict-shell-reading", codes: "approval_required", why: `no list can vouch`, expect: "command_allowlisted"},
	{entry: "what-a-prefix-vouches-for", codes: "approval_required", why: `no list entry vouches`, expect: "command_allowlisted"},
	{entry: "prefixes-stay-inside-the-roots", codes: "approval_required", why: `outside every root|where credentials are kept`, expect: "command_allowlisted"},
	{entry: "read-only-means-read-only", codes: "approval_required", why: `the command may do more than read`, expect: "read_only_command"},
	{entry: "read-only-below-the-roots", codes: "approval_required", expect: "read_only_command"},
	{entry: "searches-have-their-own-service", codes: "approval_required", why: `^search`, expect: "domain_allowed"},
	{entry: "class-swap-keeps-floors", codes: "approval_required", expect: "command_allowlisted"},
	{entry: "one-url-grammar", codes: "approval_required", why: `^fetch: "|url argument`},
	{entry: "domain-entries", codes: "approval_required", expect: "domain_allowed"},
}

func (d difference) entry() string {
	for _, h := range hardenings {
		fits := h.laxer == d.laxer() && (h.codes == "" || slices.Contains(strings.Fields(h.codes), d.code)) &&
			regexp.MustCompile(h.why).MatchString(d.why) &&
			(h.expect == "" || regexp.MustCompile("^("+h.expect+")$").MatchString(d.vector.Expect.Code))
		if fits {
			return h.entry
		}
	}
	return ""
}

// TestNeverMorePermissive replays every recorded call of the original engine
// through the batch route. No answer may be more permissive, and each that
// differs must be listed in docs/hardening.md under the entry that explains it.
func TestNeverMorePermissive(t *testing.T) {
	fixture := enginetest.NewFixture(t, fixtureFile)
	vectors := enginetest.ReadVectors(t, fixture, vectorsFile)
	if len(vectors) < 6900 {
		t.Fatalf("only %d vectors", len(vectors))
	}
	found := map[string][]string{}
	answers := map[string]map[string]bool{}
	var corrected []enginetest.Vector
	for _, d := range replay(t, fixture, vectors) {
		entry := d.entry()
		switch {
		case d.laxer() && entry == "":
			t.Errorf("%s: got %s %s, which is more permissive than %+v: %s", d.vector.ID, d.outcome, d.code, d.vector.Expect, d.why)
		case d.laxer() && aboutProtectedFiles[d.vector.Expect.Code]:
			t.Errorf("%s: no correction may change an answer about protected files: got %s %s instead of %+v", d.vector.ID, d.outcome, d.code, d.vector.Expect)
		case d.laxer():
			corrected = append(corrected, d.vector)
		}
		if d.vector.Expect.Raises {
			continue // the original crashed; any refusal will do
		}
		if entry == "" {
			t.Errorf("%s: no hardening explains %s %s instead of %+v: %s: %s", d.vector.ID, d.outcome, d.code, d.vector.Expect, d.why, d.vector.Call)
			continue
		}
		found[entry] = append(found[entry], d.vector.ID)
		if answers[entry] == nil {
			answers[entry] = map[string]bool{}
		}
		answers[entry][d.outcome+" `"+d.code+"`"] = true
	}
	compareHardenings(t, found, answers)
	checkWithNode(t, corrected)
}

var aboutProtectedFiles = map[string]bool{"self_protection": true, "deferred_execution": true, "persistent_authority": true}

// laxer reports an answer that is more permissive than the original's.
func (d difference) laxer() bool { return rank(d.outcome) > expectedRank(d.vector) }

// checkWithNode shows that corrected answers about a host are right: Node's URL,
// which fetches, reads the host of the call as one of the listed hosts or as one
// below it, once the final dot of DNS is off.
func checkWithNode(t *testing.T, corrected []enginetest.Vector) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Log("node is not installed: the corrections are not shown right")
		return
	}
	type question struct {
		URL     string   `json:"url"`
		Entries []string `json:"entries"`
	}
	questions := []question{}
	for _, v := range corrected {
		var call struct {
			Arguments struct {
				URL string `json:"url"`
			} `json:"arguments"`
		}
		if err := json.Unmarshal(v.Call, &call); err != nil {
			t.Fatal(err)
		}
		questions = append(questions, question{call.Arguments.URL, append(v.Engine.AllowedDomains, v.Engine.SessionAllowDomains...)})
	}
	in, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "-e", `
const host = text => { try { return new URL(text.includes("://") ? text : "https://" + text).hostname.replace(/\.$/, ""); } catch { return null; } };
const right = q => q.entries.some(e => host(e) && (host(q.url) === host(e) || (host(q.url) ?? "").endsWith("." + host(e))));
console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf8")).map(right)));`)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var right []bool
	if err := json.Unmarshal(out, &right); err != nil {
		t.Fatal(err)
	}
	for i, ok := range right {
		if !ok {
			t.Errorf("%s: Node does not connect %q to any of %q", corrected[i].ID, questions[i].URL, questions[i].Entries)
		}
	}
}

func rank(outcome string) int {
	return slices.Index([]string{"problem", "deny", "ask!", "ask", "allow"}, outcome)
}

func expectedRank(v enginetest.Vector) int {
	switch {
	case v.Expect.Raises:
		return rank("ask")
	case v.Expect.HumanOnly:
		return rank("ask!")
	}
	return rank(v.Expect.Outcome)
}

// replay sends the calls in batches and returns the answers that differ.
func replay(t *testing.T, fixture *enginetest.Fixture, vectors []enginetest.Vector) []difference {
	t.Helper()
	policy, err := decide.Compile(decide.PolicySpec{InlineContext: "trust", UnknownTools: "read", Home: fixture.Home()})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(New(Deps{Anonymous: true, Policy: func() *decide.Policy { return policy }, InspectRoots: func() []string { return []string{"/"} }}))
	defer server.Close()
	var differing []difference
	for batch := range slices.Chunk(vectors, maxBatch) {
		requests := make([]map[string]any, len(batch))
		for i, v := range batch {
			requests[i] = map[string]any{"context": fixture.Context(v.Engine), "call": v.Call, "explain": true}
		}
		var answer struct {
			Results []struct {
				Decision *decisionResponse `json:"decision"`
				Error    *struct {
					Code   string `json:"code"`
					Detail string `json:"detail"`
				} `json:"error"`
			} `json:"results"`
		}
		postJSON(t, server.URL+"/v1/decisions/batch", map[string]any{"requests": requests}, &answer)
		for i, r := range answer.Results {
			d := difference{vector: batch[i]}
			if r.Error != nil {
				d.outcome, d.code, d.why = "problem", r.Error.Code, r.Error.Detail
			} else {
				d.outcome, d.code, d.why = r.Decision.Outcome, r.Decision.Code, explained(batch[i], r.Decision)
				if r.Decision.HumanOnly {
					d.outcome += "!"
				}
			}
			if e := d.vector.Expect; e.Raises || rank(d.outcome) != expectedRank(d.vector) || d.code != e.Code {
				differing = append(differing, d)
			}
		}
	}
	return differing
}

// explained names the kind of call, the reason, and what allowances saw.
func explained(v enginetest.Vector, d *decisionResponse) string {
	var call struct {
		Tool string `json:"tool_name"`
	}
	if err := json.Unmarshal(v.Call, &call, jsontext.AllowDuplicateNames(true)); err != nil {
		panic(err)
	}
	kind := map[string]string{
		"write_file": "write", "replace_in_file": "write", "apply_patch": "patch", "apply_unified_diff": "patch",
		"run_shell": "shell", "web_fetch": "fetch", "browser_open_url": "fetch",
	}[call.Tool]
	switch {
	case kind == "" && (strings.Contains(call.Tool, "search") || strings.HasPrefix(call.Tool, "apollo_") || strings.HasPrefix(call.Tool, "hunter_")):
		kind = "search"
	case kind == "":
		kind = "other"
	}
	why := []string{kind + ": " + d.Reason}
	for _, step := range *d.Trace {
		if step.Kind == "allowance" && step.Detail != "" {
			why = append(why, step.Detail)
		}
	}
	return strings.Join(why, "; ")
}

func postJSON(t *testing.T, url string, body, answer any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(url, "application/json", bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		var problem bytes.Buffer
		_, _ = problem.ReadFrom(res.Body)
		t.Fatalf("%s: %s", res.Status, problem.String())
	}
	if err := json.UnmarshalRead(res.Body, answer); err != nil {
		t.Fatal(err)
	}
}

// corrections are the entries whose answers are laxer than the original's.
var corrections = map[string]bool{"one-name-of-a-host": true, "lines-of-a-hunk": true, "located-deletions": true}

var entryHeading = regexp.MustCompile("(?m)^## `([a-z-]+)`$")

// compareHardenings holds the document to what was found, both ways.
func compareHardenings(t *testing.T, found map[string][]string, answers map[string]map[string]bool) {
	t.Helper()
	raw, err := os.ReadFile(hardeningFile)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	headings := entryHeading.FindAllStringSubmatchIndex(text, -1)
	var out strings.Builder
	documented := map[string]bool{}
	end := 0
	for i, h := range headings {
		entry := text[h[2]:h[3]]
		documented[entry] = true
		next := len(text)
		if i+1 < len(headings) {
			next = headings[i+1][0]
		}
		section := text[h[0]:next]
		prose, _, _ := strings.Cut(section, "\nAnswers: ")
		out.WriteString(text[end:h[0]] + prose)
		end = next
		if strings.Contains(prose, "\nKind: correction\n") != corrections[entry] {
			t.Errorf("%s: an entry says \"Kind: correction\" if and only if its answers are laxer", entry)
		}
		if !strings.Contains(prose, "\nShown by: ") {
			t.Errorf("%s: the entry names no case", entry)
		}
		want := listing(found[entry], answers[entry])
		if len(found[entry]) > 0 {
			out.WriteString(want + "\n")
		}
		if !*update && len(found[entry]) > 0 && !strings.Contains(section, want) {
			t.Errorf("%s: the list of vectors is not what the replay finds; run the test with -update and read the change", entry)
		}
		if !*update && len(found[entry]) == 0 && prose != section && strings.Contains(section, "Answers: ") {
			t.Errorf("%s: lists vectors, but none differs", entry)
		}
	}
	out.WriteString(text[end:])
	for entry, ids := range found {
		if !documented[entry] {
			t.Errorf("%s has no entry in %s: %s", entry, hardeningFile, strings.Join(ids[:min(5, len(ids))], " "))
		}
	}
	if *update {
		if err := os.WriteFile(hardeningFile, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func listing(ids []string, answers map[string]bool) string {
	slices.Sort(ids)
	var kinds []string
	for a := range answers {
		kinds = append(kinds, a)
	}
	slices.Sort(kinds)
	return fmt.Sprintf("\nAnswers: %s\n\n<details><summary>%d recorded answers that change</summary>\n\n%s\n\n</details>\n",
		strings.Join(kinds, ", "), len(ids), wrapped(ids))
}

func wrapped(ids []string) string {
	var b strings.Builder
	width := 0
	for _, id := range ids {
		if width+len(id) > 110 {
			b.WriteByte('\n')
			width = 0
		} else if width > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(id)
		width += len(id) + 1
	}
	return b.String()
}
