package decide

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// A reportedFault is a fault of some product in reading paths, patches or URLs,
// as a call and the answer that is right.
type reportedFault struct {
	ID    string `json:"id"`
	Input struct {
		OS     string   `json:"os"`
		Setup  []string `json:"setup"`
		Config struct {
			Mode           string     `json:"mode"`
			WorkspaceRoot  string     `json:"workspace_root"`
			Roots          []RootSpec `json:"roots"`
			AllowedDomains []string   `json:"allowed_domains"`
		} `json:"config"`
		Call struct {
			Tool      string `json:"tool"`
			Arguments Value  `json:"arguments"`
		} `json:"call"`
		Then string `json:"then"`
	} `json:"input"`
	Right string `json:"right"`
	Why   string `json:"why"`
}

// openFaults are cases whose wanted answer this version does not give, each
// with the reason.
var openFaults = map[string]string{
	"A15": "a short name can be spelled out only on the volume that made it, and this service runs elsewhere: the root is refused",
}

// rightAnswers are the wanted answers that the prose does not begin with.
var rightAnswers = map[string]string{
	"A14": "deny", // the alias cannot be expanded here
	"A27": "deny", // the home lies outside the root
	"B14": "allow", "B15": "allow", "B34": "allow",
	"D12": "deny ask",
	"D17": "allow",
	"D21": "ask",
	"D24": "ask deny",
}

// details are what else must hold of an answer: words of its trace's sub-codes,
// obligations and warnings, and the paths that were judged.
var details = map[string]string{
	"A13": "trailing_dot_or_blank", "A14": "short_name", "A16": "unc", "A17": "unc", "A18": "unc", "A21": "process_relative", "A23": "loop", "A24": "nul",
	"A26": "unknown_user", "A37": "foreign_os", "A38": "foreign_os",
	"A34": "no_follow_beneath_root {{BASE}}/proj/app/d/x",
	"B04": "{{BASE}}/proj/app/x",
	"B14": "{{BASE}}/proj/app/src/x.go {{BASE}}/proj/app/w/src/x.go",
	"B15": "{{BASE}}/proj/app/main.go {{BASE}}/proj/app/b/main.go",
	"B24": "{{BASE}}/proj/app/my%20file.txt",
	"B34": "{{BASE}}/proj/app/run.sh {{BASE}}/proj/app/nosuch1 {{BASE}}/proj/app/nosuch2",
	"D01": "userinfo", "D02": "backslash", "D03": "backslash", "D05": "control", "D06": "control", "D07": "control", "D10": "empty_label", "D25": "unc",
	"D30": "percent_encoded", "D31": "idn", "D34": "invisible", "D35": "ipv6", "D37": "empty_label",
	"D09": "recheck_redirects pin_address https://good.example/",
	"D18": "recheck_redirects pin_address",
	"D21": "wildcard",
	"D32": "https://xn--bcher-kva.example/",
	"D40": "https://good.example/page.",
}

func TestReportedFaultsInPathsPatchesAndURLs(t *testing.T) {
	file, err := os.Open("testdata/cases/reported-path-faults.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, unanswered := 0, 0
	for lines := bufio.NewScanner(file); lines.Scan(); rows++ {
		var id struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(lines.Bytes(), &id); err != nil {
			t.Fatal(err)
		}
		text := lines.Text()
		t.Run(id.ID, func(t *testing.T) {
			right := checkFault(t, text)
			reason, isOpen := openFaults[id.ID]
			switch {
			case right && isOpen:
				t.Errorf("listed as open (%s), but answered right", reason)
			case !right && isOpen:
				unanswered++
			}
		})
	}
	if rows < 70 || 100*unanswered > 3*rows {
		t.Errorf("%d of %d cases are open", unanswered, rows)
	}
}

var placedPaths = regexp.MustCompile(`(^|[^\w.}/\\])/(proj|srv|private|tmp|secrets)\b`)

// checkFault judges one case in a fresh tree and reports whether it is right.
func checkFault(t *testing.T, line string) bool {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(line, `"os": "windows"`) {
		line = placedPaths.ReplaceAllString(line, "${1}"+base+"/${2}")
	}
	var c reportedFault
	if err := json.Unmarshal([]byte(line), &c); err != nil {
		t.Fatal(err)
	}
	spec := c.context(t, base)
	policy, err := Compile(PolicySpec{InlineContext: "trust", Home: base + "/home/u"})
	if err != nil {
		t.Fatal(err)
	}
	session, err := policy.Session(spec)
	if err != nil {
		if openFaults[c.ID] == "" {
			t.Errorf("the context is refused: %v", err)
		}
		return false
	}
	call := Call{Tool: c.Input.Call.Tool, Arguments: c.Input.Call.Arguments}
	d := policy.Explain(session, call)
	if hop, ok := strings.CutPrefix(c.Input.Then, "301 "); ok {
		d = policy.Explain(session, Call{Tool: call.Tool, Arguments: NewObject(Member{"url", Text(hop)})})
	}
	want := rightAnswers[c.ID]
	if want == "" {
		want = regexp.MustCompile(`^(allow|ask, human_only|ask|deny)`).FindString(c.Right)
	}
	got := d.Outcome.String()
	if d.Outcome.HumanOnly() {
		got = "ask, human_only"
	}
	right := got == want || want == "ask" && d.Outcome.HumanOnly() || slices.Contains(strings.Fields(want), got)
	if !right && openFaults[c.ID] == "" {
		t.Errorf("%s: got %s %s: %s; right is %s", c.Why, got, d.Code, d.Reason, c.Right)
	}
	seen := d.facts()
	for word := range strings.FieldsSeq(strings.ReplaceAll(details[c.ID], "{{BASE}}", base)) {
		if !slices.ContainsFunc(seen, func(s string) bool { return s == strings.ReplaceAll(word, "%20", " ") || strings.Contains(s, " "+word) }) {
			t.Errorf("the answer does not say %s: %q", word, seen)
		}
	}
	return right
}

// facts are what an answer says beside the outcome.
func (d Decision) facts() (list []string) {
	for _, s := range d.Trace {
		list = append(list, s.SubCode)
	}
	for _, p := range d.Paths {
		list = append(list, p.Resolved)
	}
	for _, o := range d.Obligations {
		list = append(list, string(o))
	}
	return append(append(list, d.URL), d.Warnings...)
}

func (c *reportedFault) context(t *testing.T, base string) ContextSpec {
	t.Helper()
	config := &c.Input.Config
	spec := ContextSpec{WorkspaceRoot: config.WorkspaceRoot, Roots: config.Roots, AllowedDomains: config.AllowedDomains, Home: base + "/home/u"}
	spec.OS, _, _ = strings.Cut(c.Input.OS, " ")
	if spec.OS == "windows" {
		spec.Home = `C:\Users\u`
	}
	if spec.WorkspaceRoot == "" {
		if spec.WorkspaceRoot = base + "/proj/app"; len(spec.Roots) > 0 {
			spec.WorkspaceRoot = spec.Roots[0].Path
		}
	}
	spec.Mode = &config.Mode
	if config.Mode == "" {
		mode := "bypass-approvals"
		if spec.AllowedDomains != nil {
			mode = "interactive"
		}
		spec.Mode = &mode
	}
	for _, step := range c.Input.Setup {
		c.prepare(t, base, step, &spec)
	}
	return spec
}

// prepare does one step of the setup; steps about time, names and processes
// have nothing to prepare.
func (c *reportedFault) prepare(t *testing.T, base, step string, spec *ContextSpec) {
	t.Helper()
	verb, rest, _ := strings.Cut(step, " ")
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case strings.Contains(step, "state dir ~/"):
		_, path, _ := strings.Cut(step, "~/")
		spec.ProtectedPaths = []string{"~/" + path}
	case verb == "mkdir":
		for dir := range strings.FieldsSeq(rest) {
			if strings.HasPrefix(dir, "/") {
				if _, err := os.Lstat(dir); err == nil {
					continue // a link that another step made
				}
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
	case verb == "symlink":
		link, target, _ := strings.Cut(rest, " -> ")
		target, _, _ = strings.Cut(target, " (")
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(link)
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	case strings.HasPrefix(step, "git worktree:"):
		_, text, _ := strings.Cut(step, `"`)
		write(base+"/proj/app/.git", strings.TrimSuffix(text, `"`)+"\n")
	case strings.HasPrefix(step, "git config core.hooksPath = "):
		write(base+"/proj/app/.git/config", "[core]\n\thooksPath = "+strings.TrimPrefix(step, "git config core.hooksPath = ")+"\n")
	}
}
