package policyfile

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func mustParse(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse("policy.yaml", []byte(text))
	if err != nil {
		t.Fatalf("unexpected:\n%v", err)
	}
	return f
}

func TestEveryFaultIsReportedWithItsPlaceAndWhatToWrite(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		// What every file needs.
		{"mode: plan", "policy.yaml:1: version: is missing"},
		{"", "policy.yaml:1: version: is missing; the first line of a policy is: version: 1"},
		{" \n\n  \n", "policy.yaml:1: version: is missing"},
		{"\ufeff", "policy.yaml:1: version: is missing"},
		{"# nothing yet\n", "policy.yaml:1: version: is missing"},
		{"#version: 1\n#deny:\n#  commands: [git push]\n", "policy.yaml:1: version: is missing"},
		{"---\n", "policy.yaml:1: version: is missing"},
		{"--- # nothing yet\n...\n", "policy.yaml:1: version: is missing"},
		{"%YAML 1.1\n---\n", "policy.yaml:1: version: is missing"},
		{"~", "policy.yaml:1: version: is missing"},
		{"null\n", "policy.yaml:1: version: is missing"},
		{"Null", "policy.yaml:1: version: is missing"},
		{"NULL", "policy.yaml:1: version: is missing"},
		{"&a ~", "policy.yaml:1: version: is missing"},
		{"!!null ''", "policy.yaml:1: version: is missing"},
		{"''", "policy.yaml:1:1: is a text; write its keys below it"},
		{"{}", "policy.yaml:1: version: is missing"},
		{"[]", "policy.yaml:1:1: is a list; write its keys below it"},
		{"version: 2", "policy.yaml:1:10: version: 2 is out of range; write a whole number from 1 to 1"},
		{"version: '1'", `policy.yaml:1:10: version: "1" is no plain number`},
		{"version: 1.0", `policy.yaml:1:10: version: "1.0" is no plain number`},
		{"- version: 1", "policy.yaml:1:1: is a list; write its keys below it"},
		{"just words", "policy.yaml:1:1: is a text; write its keys below it"},

		// Keys.
		{"version: 1\nallowed_comands: []", "policy.yaml:2:1: allowed_comands: is no key of a policy; did you mean allowed_commands?"},
		{"version: 1\nAllowed-Domains: []", `policy.yaml:2:1: Allowed-Domains: is no key of a policy; did you mean allowed_domains?`},
		{"version: 1\nfrobnicate: 1", "policy.yaml:2:1: frobnicate: is no key of a policy; known here: version, mode,"},
		{"version: 1\ndeny:\n  comands: [ls]", "policy.yaml:3:3: deny.comands: is no key of a policy; did you mean commands?"},
		{"version: 1\nruntimes: {}", "policy.yaml:2:1: runtimes: not supported by this version; remove it"},
		{"version: 1\ntrusted_mcp_servers:\n  mode: sync", "policy.yaml:2:1: trusted_mcp_servers: not supported by this version; remove it"},
		{"version: 1\ncommand_matching: loose", "policy.yaml:2:19: command_matching: "},
		{"version: 1\ndeny: {audit: x}", "policy.yaml:2:8: deny.audit: is no key of a policy; known here: tools, commands, domains, paths"},
		{"version: 1\nmode: plan\nmode: auto", "policy.yaml:3:1: mode: stands here a second time; the first is on line 2"},
		{"version: 1\ntools:\n  x: {risk: read}\n  x: {risk: exec}", "policy.yaml:4:3: tools.x: stands here a second time; the first is on line 3"},
		{"version: 1\ntools:\n  7: {risk: read}", `policy.yaml:3:3: tools: 7 is a number where a name is meant; put it in quotes: "7"`},
		{"version: 1\n? [a]\n: b", "policy.yaml:2:3: a key must be a text, not a list"},
		{"version: 1\ntools:\n  ' ': {risk: read}", `policy.yaml:3:3: tools." ": is no usable name`},

		// Kinds of value.
		{"version: 1\nallowed_commands: yes", `policy.yaml:2:19: allowed_commands: is a text; write a list: each entry on its own line after "- "`},
		{"version: 1\nallowed_commands:", "policy.yaml:2:18: allowed_commands: has no value; write a list"},
		{"version: 1\nallowed_domains: [1.10]", `policy.yaml:2:19: allowed_domains[0]: 1.10 is a number where a text is meant; put it in quotes: "1.10"`},
		{"version: 1\nallowed_commands:\n  - true", `policy.yaml:3:5: allowed_commands[0]: true is a truth value where a text is meant`},
		{"version: 1\nallowed_commands:\n  - 2026-01-02", "allowed_commands[0]: 2026-01-02 is a date where a text is meant"},
		{"version: 1\nallowed_commands:\n  -\n  - ls", "policy.yaml:3:4: allowed_commands[0]: has no value"},
		{"version: 1\nallowed_commands:\n  - git: status", "policy.yaml:3:5: allowed_commands[0]: is a mapping; write one text"},
		{"version: 1\nallowed_commands:\n  - |\n    ls\n    cat", "allowed_commands[0]: holds a line break; write one line"},
		{"version: 1\nallowed_commands: [\"a\\0b\"]", "allowed_commands[0]: holds a control character"},
		{"version: 1\ndeny:\n  commands: [git push, ' ']", "policy.yaml:3:24: deny.commands[1]: is blank; remove it"},
		{"version: 1\nauto_allow_tools: ['']", "policy.yaml:2:20: auto_allow_tools[0]: is blank; remove it"},
		{"version: 1\ndeny: {tools: [' x']}", `deny.tools[0]: " x" starts or ends with a blank`},
		{"version: 1\nroots: [/srv]", "policy.yaml:2:9: roots[0]: is a text; write its keys below it"},
		{"version: 1\nroots:\n  - writable: true", "policy.yaml:3:5: roots[0]: has no path"},
		{"version: 1\nroots:\n  - {path: /srv, writable: yes}", `roots[0].writable: "yes" is no truth value; write true or false`},
		{"version: 1\nroots:\n  - {path: /srv, writable: True}", `roots[0].writable: "True" is no truth value`},
		{"version: 1\nmode: Plan", `policy.yaml:2:7: mode: "Plan" is not known; write one of discuss, plan,`},
		{"version: 1\nrisk_overrides: [{pattern: x, risk: low}]", `risk_overrides[0].risk: "low" is not known; write one of read, egress,`},
		{"version: 1\nrisk_overrides: [{pattern: x}]", "risk_overrides[0]: has no risk"},
		{"version: 1\nstanding_rules: {send: '#ops'}", "standing_rules.send: is a text; write a list"},
		{"version: 1\nlimits: {concurrency: 010}", `limits.concurrency: "010" is no plain number`},
		{"version: 1\nlimits: {concurrency: -1}", `limits.concurrency: "-1" is no plain number`},
		{"version: 1\nlimits: {body_bytes: 99999999999999999999}", `limits.body_bytes: "99999999999999999999" is no plain number`},
		{"version: 1\nlimits: {request_timeout: 10}", `limits.request_timeout: "10" is no duration; write a number with its unit`},
		{"version: 1\nlimits: {drain_timeout: 100h}", "limits.drain_timeout: 100h is out of range"},
		{"version: 1\nallowed_hosts: ['https://a.example/']", "is an address of a page; write the host alone"},
		{"version: 1\nallowed_hosts: ['*.example']", "holds a wildcard; write each host out"},
		{"version: 1\nprotected_paths: [/a, conf/x]", `protected_paths[1]: the path "conf/x" is not absolute; write the whole path of a file or directory`},
		{"version: 1\ninspect: {allowed_roots: [srv]}", `inspect.allowed_roots[0]: "srv" is not absolute`},
		{"version: 1\ninspect: {allowed_roots: [~me/x]}", `inspect.allowed_roots[0]: "~me/x" is not absolute`},

		// What makes YAML a language.
		{"version: 1\nask: &a {}\ndeny: *a", "policy.yaml:2:6: anchors (&a) are not supported"},
		{"version: 1\nask: &a {}\ndeny: *a", "policy.yaml:3:7: aliases (*a) are not supported"},
		{"version: 1\nask: !!map {}", "policy.yaml:2:6: tags (!!map) are not supported"},
		{"version: 1\nallowed_commands: [!rm x]", "policy.yaml:2:20: tags (!rm) are not supported; a text that starts with ! needs quotes"},
		{"version: 1\nask: {<<: {tools: [a]}}", "policy.yaml:2:7: ask: merge keys (<<) are not supported"},
		{"version: 1\n---\nversion: 1", "policy.yaml:2:1: starts a second document (---); a policy is one"},
		{"---\nversion: 1\n---\n", "policy.yaml:3:1: starts a second document (---)"},
		{"---\n---\nversion: 1", "policy.yaml:2:1: starts a second document (---)"},
		{"# first\n---\nversion: 1\n---\n# second\n", "starts a second document (---)"},
		{"version: 1\n...\n---\nmode: plan", "starts a second document (---)"},
		{"~\n--- ~\n", "starts a second document (---)"},
		{"version: 1\nallowed_commands:\n  - *", "a text that starts with * or & needs quotes"},
		{"version: 1\nallowed_commands:\n  - *foo", "policy.yaml:3: is not valid YAML: unknown anchor 'foo' referenced (a text that starts with * needs quotes)"},
		{"version: 1\nmode: [[[[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]]]]", "nests too deeply for a policy"},
		{"version: 1\ndeny:\n\tcommands: [ls]", "policy.yaml:3:1: is indented with a tab; YAML takes blanks only"},
		{"version: 1\nmode: \xff", "policy.yaml:2: is not UTF-8 text"},
		{"\xff\xfev\x00e\x00", "policy.yaml:1: is not UTF-8 text"},
		{"version: 1\nmode: 'plan", "is not valid YAML: found unexpected end of stream (a quote is opened and not closed)"},
		{"version: 1\nmode: plan\x01", "control characters are not allowed"},
		{"version: 1\nmode: a: b", "mapping values are not allowed"},
		{"version: 1\n" + strings.Repeat("#", MaxBytes), "policy.yaml: is larger than 1 MiB"},

		// What an editor may not show.
		{"version: 1 # harmless\rmode: bypass-approvals", "policy.yaml:1: holds the hidden character U+000D"},
		{"version: 1 # harmless\u2028mode: bypass-approvals", "policy.yaml:1: holds the hidden character U+2028"},
		{"version: 1 # harmless\u0085mode: bypass-approvals", "policy.yaml:1: holds the hidden character U+0085"},
		{"version: 1\n# \u202e\n", "policy.yaml:2: holds the hidden character U+202E"},
		{"version: 1\ndeny: {tools: [\"send\u200b\"]}", `deny.tools[0]: "send\u200b" holds an invisible character`},
		{"version: 1\ndeny: {tools: [\"send\\u202e\"]}", `deny.tools[0]: "send\u202e" holds an invisible character`},

		// What programs do.
		{"version: 1\nprograms:\n  - names: [acme]\n    wraps: [operands=1]", "policy.yaml:4:12: programs[0].wraps: of acme: says nothing of a plain program; add kind: wrapper"},
		{"version: 1\nprograms:\n  - names: [acme]\n    kind: wrappr", `policy.yaml:4:11: programs[0].kind: of acme: "wrappr" is no kind; write one of plain, wrapper,`},
		{"version: 1\nprograms:\n  - names: [acme]\n    kind: {}", "policy.yaml:4:11: programs[0].kind: is a mapping; write a list"},
		{"version: 1\nprograms:\n  - names: [acme]\n    runs: true", "policy.yaml:4:11: programs[0].runs: is a truth value; write a list"},
		{"version: 1\nprograms:\n  - names: [acme]\n    runs: exec", "policy.yaml:4:11: programs[0].runs: is a text; write a list"},
		{"version: 1\nprograms:\n  - names: [acme]\n    files: false", "policy.yaml:4:12: programs[0].files: is false, which is said by leaving the key out"},
		{"version: 1\nprograms:\n  - names: [acme]\n    writes: [-o]\n    ok:\n      - acme x\n      - acme -o f", `policy.yaml:7:9: programs[0].ok[1]: of acme: "acme -o f" would ask under the entry "acme"`},
		{"version: 1\nprograms:\n  - names: [acme]\n    ask: [acme x]", `policy.yaml:4:11: programs[0].ask[0]: of acme: "acme x" would run under the entry "acme"`},
		{"version: 1\nprograms:\n  - names: [ls]\n    harmless: true", "policy.yaml:4:15: programs[0].harmless: of ls: cannot be said of a program that is known already"},
		{"version: 1\nprograms:\n  - names: [acme, /bin/x]\n    files: true", `policy.yaml:3:19: programs[0].names[1]: "/bin/x" is a path`},

		// Entries that no command can match.
		{"version: 1\nallowed_commands: [ls, \"*\"]", `policy.yaml:2:24: allowed_commands[1]: "*" lets nothing run`},
		{"version: 1\nallowed_commands:\n  - FOO=1 ls", `policy.yaml:3:5: allowed_commands[0]: "FOO=1 ls" begins with an assignment`},

		// What the compiler finds stands at the value's own line.
		{"version: 1\nallowed_domains:\n  - a.example\n  - b.example\n  - com", `policy.yaml:5:5: allowed_domains[2]: `},
	} {
		f, err := Parse("policy.yaml", []byte(row.text))
		if err == nil {
			t.Errorf("%q: read as %s, want: %s", clip(row.text), f.Revision, row.want)
			continue
		}
		var list Errors
		if !errors.As(err, &list) {
			t.Errorf("%q: %T is no Errors", clip(row.text), err)
		}
		if !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q:\n got %s\nwant %s", clip(row.text), err, row.want)
		}
	}
}

func TestWhatIsSaidOfPrograms(t *testing.T) {
	f := mustParse(t, `version: 1
programs:
  - names: [again]
    kind: wrapper
    wraps: true
  - names: [acme]
    stdin: data
    suggest: 2
    harmless: true
    ok: [acme list, acme show x]
  - names: [acme2]
    suggest: never
`)
	again := mustParse(t, string(f.Show()))
	if !reflect.DeepEqual(f.Spec.Programs, again.Spec.Programs) {
		t.Errorf("got %v, printed %v", f.Spec.Programs, again.Spec.Programs)
	}
	if got := f.Spec.Programs[1].Attributes; !reflect.DeepEqual(got["ok"], []string{"acme list", "acme show x"}) || !reflect.DeepEqual(got["suggest"], []string{"2"}) {
		t.Errorf("got %v", got)
	}
}

func TestWhatDoesLessThanItSeemsToIsAWarning(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"version: 1\nallowed_commands: [ls, bash]", `policy.yaml:2:24: warning: allowed_commands[1]: "bash" vouches for next to nothing`},
		{"version: 1\nallowed_commands:\n  - env\n  - ls", `policy.yaml:3:5: warning: allowed_commands[0]: "env" vouches for next to nothing`},
		{"version: 1\nallowed_commands: [docker ps]", "in strict matching, but would with command_matching: precise"},
		{"version: 1\ncommand_matching: precise\nallowed_commands: [docker ps]", ""},
		{"version: 1\nprograms: [{names: [acme], kind: interpreter}]\nallowed_commands: [acme]", "the words behind acme decide"},
		{"version: 1\nallowed_commands: [ls, git status]", ""},
	} {
		f := mustParse(t, row.text)
		if row.want == "" && len(f.Warnings) == 0 {
			continue
		}
		if len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0].Warning(), row.want) {
			t.Errorf("%q: %v, want %s", row.text, f.Warnings, row.want)
		}
	}
}

func clip(s string) string { return s[:min(len(s), 80)] }

func TestAllFaultsAreReportedInTheOrderOfTheLines(t *testing.T) {
	_, err := Parse("p.yaml", []byte(`version: 1
mode: wild
allowed_commands: yes
allowed_domains:
  - com
  - 12
tols: {}
`))
	want := []string{"p.yaml:2:7: mode:", "p.yaml:3:19: allowed_commands:", "p.yaml:5:5: allowed_domains[0]:", "p.yaml:6:5: allowed_domains[1]:", "p.yaml:7:1: tols:"}
	var list Errors
	if !errors.As(err, &list) || len(list) != len(want) {
		t.Fatalf("got:\n%v", err)
	}
	for i := range want {
		if !strings.HasPrefix(list[i].Error(), want[i]) {
			t.Errorf("got %s, want %s", list[i], want[i])
		}
	}
}

func TestAFileThatIsNoPolicyGetsABoundedReport(t *testing.T) {
	_, err := Parse("p", []byte("version: 1\nallowed_commands:\n"+strings.Repeat("  - 1\n", 50_000)))
	var list Errors
	if !errors.As(err, &list) || len(list) != mostErrors+1 {
		t.Fatalf("%d errors", len(list))
	}
	if last := list[mostErrors].Error(); last != "p: 49900 more errors are not shown" {
		t.Error(last)
	}
}

func TestValuesArriveWhereTheyBelong(t *testing.T) {
	f := mustParse(t, "\ufeff# a comment\r\nversion: 1\r\n"+`
mode: auto
max_mode: bypass-approvals
roots:
  - {path: /srv, writable: true}
  - path: ~/docs
allowed_commands: [git status, "yes"]
allowed_domains: [docs.python.org]
auto_allow_tools: [write_file]
standing_rules: {send_message: ["#ops", "#dev"]}
risk_overrides: [{pattern: "mcp__*", risk: external}]
deny: {tools: [a], commands: [git push], domains: [b.example], paths: [.env]}
ask: {tools: [c]}
protected_paths: [/etc/agent]
deferred_execution: [{pattern: "*.sh", reason: runs later}]
persistent_authority_tools: [install]
tools: {deploy: {risk: exec, target_arg: env, path_args: ["files[].path"]}}
unknown_tools: deny
inline_context: trust
paths: lexical
lexical_writes: trust
allow_private_networks: [10.0.0.0/8]
inspect: {allowed_roots: []}
limits: {body_bytes: 2048, unauthenticated_per_second: 0, request_timeout: 1s}
allowed_hosts: [pdp.internal]
`)
	s := f.Spec
	pattern, _ := s.RiskOverrides[0].Get("pattern").AsString()
	for _, row := range []struct{ what, got, want string }{
		{"mode", s.Mode, "auto"},
		{"max_mode", s.MaxMode, "bypass-approvals"},
		{"root 0", s.Roots[0].Path, "/srv"},
		{"root 1", s.Roots[1].Path, "~/docs"},
		{"commands", strings.Join(s.AllowedCommands, "|"), "git status|yes"},
		{"domains", strings.Join(s.AllowedDomains, "|"), "docs.python.org"},
		{"auto tools", strings.Join(s.AutoAllowTools, "|"), "write_file"},
		{"standing rules", strings.Join(s.StandingRules["send_message"], "|"), "#ops|#dev"},
		{"override", pattern, "mcp__*"},
		{"deny tools", strings.Join(s.Deny.Tools, "|"), "a"},
		{"deny commands", strings.Join(s.Deny.Commands, "|"), "git push"},
		{"deny domains", strings.Join(s.Deny.Domains, "|"), "b.example"},
		{"deny paths", strings.Join(s.Deny.Paths, "|"), ".env"},
		{"ask tools", strings.Join(s.Ask.Tools, "|"), "c"},
		{"protected", strings.Join(s.ProtectedPaths, "|"), "/etc/agent"},
		{"deferred", s.DeferredExecution[0].Pattern + s.DeferredExecution[0].Reason, "*.shruns later"},
		{"persistent", strings.Join(s.PersistentAuthorityTools, "|"), "install"},
		{"tool", s.Tools["deploy"].Risk + s.Tools["deploy"].TargetArg + s.Tools["deploy"].PathArgs[0], "execenvfiles[].path"},
		{"unknown tools", s.UnknownTools, "deny"},
		{"inline context", s.InlineContext, "trust"},
		{"paths", s.Paths + s.LexicalWrites, "lexicaltrust"},
		{"networks", strings.Join(s.AllowPrivateNetworks, "|"), "10.0.0.0/8"},
		{"hosts", strings.Join(f.AllowedHosts, "|"), "pdp.internal"},
		{"revision", s.Revision, f.Revision},
	} {
		if row.got != row.want {
			t.Errorf("%s: got %q, want %q", row.what, row.got, row.want)
		}
	}
	if !s.Roots[0].Writable || s.Roots[1].Writable {
		t.Error("only the root that says so is writable")
	}
	if f.Inspect.AllowedRoots == nil {
		t.Error("an empty list of inspectable roots means none, not the default")
	}
	want := Limits{2048, 256, time.Second, 2 * time.Second, 0, 50_000, 64 << 20, 20 * time.Second}
	if f.Limits != want {
		t.Errorf("limits %+v, want %+v", f.Limits, want)
	}
}

func TestDefaultsAreTheCautiousOnesOnceThereIsAFile(t *testing.T) {
	for _, row := range []struct{ text, mode, maxMode, inline string }{
		{"version: 1", "interactive", "interactive", "narrow"},
		{"version: 1\nmode: plan", "plan", "plan", "narrow"},
		{"version: 1\nmode: plan\nmax_mode: custom", "plan", "custom", "narrow"},
		{"version: 1\ninline_context: trust", "interactive", "interactive", "trust"},
	} {
		s := mustParse(t, row.text).Spec
		if s.Mode != row.mode || s.MaxMode != row.maxMode || s.InlineContext != row.inline {
			t.Errorf("%q: mode %s, max_mode %s, inline_context %s", row.text, s.Mode, s.MaxMode, s.InlineContext)
		}
		if s.UnknownTools != "external" || s.Roots != nil || s.AllowedCommands != nil {
			t.Errorf("%q: something is allowed that nobody wrote", row.text)
		}
	}
	s := BuiltIn().Spec
	if s.Mode != "interactive" || s.MaxMode != "bypass-approvals" || s.InlineContext != "trust" {
		t.Errorf("built-in: mode %s, max_mode %s, inline_context %s", s.Mode, s.MaxMode, s.InlineContext)
	}
}

func TestTheRevisionIsThatOfTheBytes(t *testing.T) {
	a, b := mustParse(t, "version: 1\n"), mustParse(t, "version: 1 # again\n")
	if a.Revision == b.Revision || a.Revision != mustParse(t, "version: 1\n").Revision {
		t.Error("equal bytes have equal revisions, others have not")
	}
	if want := "sha256:"; !strings.HasPrefix(a.Revision, want) || len(a.Revision) != len(want)+64 {
		t.Error(a.Revision)
	}
}

func TestTheServicesOwnFilesJoinTheProtectedPaths(t *testing.T) {
	f := mustParse(t, "version: 1\nprotected_paths: [/etc/agent]\n")
	if _, err := f.Compile(Own{Files: []string{"/run/pdp"}}); err != nil {
		t.Fatal(err)
	}
	if len(f.Spec.ProtectedPaths) != 1 {
		t.Error("compiling must not change the file")
	}
}

func TestWhatCannotBeReadSaysSo(t *testing.T) {
	dir := t.TempDir()
	for _, row := range []struct{ path, want string }{
		{filepath.Join(dir, "absent.yaml"), "absent.yaml: cannot be read: "},
		{dir, ": is not a regular file"},
		{os.DevNull, ": is not a regular file"},
	} {
		_, err := Load(row.path)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", row.path, err, row.want)
		}
		if err != nil && strings.Count(err.Error(), row.path) > 1 {
			t.Errorf("%v names the file twice", err)
		}
	}
}

func TestAPolicyOnAnotherMachineIsRefusedOnWindows(t *testing.T) {
	for _, row := range []struct {
		path, goos string
		ok         bool
	}{
		{`\\host\share\policy.yaml`, "windows", false},
		{`//host/share/policy.yaml`, "windows", false},
		{`\/host/share/policy.yaml`, "windows", false},
		{`\\?\C:\policy.yaml`, "windows", false},
		{`C:\pdp\policy.yaml`, "windows", true},
		{`\pdp\policy.yaml`, "windows", true},
		{`policy.yaml`, "windows", true},
		{`//srv/policy.yaml`, "linux", true},
	} {
		if err := checkPath(row.path, row.goos); (err == nil) != row.ok {
			t.Errorf("%s on %s: %v", row.path, row.goos, err)
		}
	}
}

func TestEveryKeyIsDescribed(t *testing.T) {
	for _, k := range keys(newFile("")) {
		if k.doc == "" || k.example == "" {
			t.Errorf("%s has no description or example", k.name)
		}
		if strings.Contains("\n"+k.doc, "\n ") {
			t.Errorf("%s: an indented line would look like an example in the starter", k.name)
		}
		if later[k.name] {
			t.Errorf("%s is both read and refused", k.name)
		}
	}
}
