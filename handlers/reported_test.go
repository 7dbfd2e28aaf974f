package handlers

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/decide"
)

// Faults of HTTP services that were reported in public, as requests to this
// one. Each row says what a safe service answers.
func TestReportedFaults(t *testing.T) {
	const inPlan = `"context":{"workspace_root":"/a","mode":"plan"}`
	const free = `"context":{"workspace_root":"/a","mode":"bypass-approvals"}`
	allows := func() []string { return []string{"pdp.corp.example"} }
	for _, row := range []struct {
		fault   string
		body    string
		headers []string
		status  int
		code    string
		holds   string // a part of the answer
	}{
		{
			fault: "two readers take another of two modes",
			body:  `{"context":{"workspace_root":"/a","mode":"plan","mode":"bypass-approvals"},"call":{"tool_name":"run_shell"}}`, status: 400, code: "duplicate_key", holds: `"pointer":"/context/mode"`,
		},
		{
			fault: "a long s folds to s",
			body:  `{` + inPlan + `,"call":{"tool_name":"x","argumentſ":{}}}`, status: 400, code: "unknown_field",
		},
		{
			fault: "a Kelvin sign folds to k",
			body:  `{"context":{"workspace_root":"/a","risK_overrides":[]},"call":{"tool_name":"x"}}`, status: 400, code: "unknown_field",
		},
		{
			fault: "a name filled up with NUL matches",
			body:  `{"context":{"workspace_root":"/a","mode\u0000":"bypass-approvals"},"call":{"tool_name":"x"}}`, status: 400, code: "unknown_field",
		},
		{
			fault: "two paths in the arguments",
			body:  `{` + free + `,"call":{"tool_name":"write_file","arguments":{"path":"ok.txt","path":"/etc/x"}}}`, status: 400, code: "duplicate_key", holds: `"pointer":"/call/arguments/path"`,
		},
		{
			fault: "two paths in the arguments that a tool may fold",
			body:  `{` + free + `,"call":{"tool_name":"write_file","arguments":{"path":"ok.txt","Path":"/etc/x"}}}`, status: 200, code: "ambiguous_arguments", holds: `"human_only":true`,
		},
		{
			fault: "a byte order mark gives a riddle",
			body:  "\xEF\xBB\xBF" + `{` + inPlan + `,"call":{"tool_name":"x"}}`, status: 400, code: "invalid_json", holds: "byte order mark",
		},
		{
			fault: "a bad byte becomes another name",
			body:  `{` + free + `,"call":{"tool_name":"write_file","arguments":{"path":"caf` + "\xff" + `.txt"}}}`, status: 400, code: "invalid_json", holds: "UTF-8",
		},
		{
			fault: "half a surrogate pair becomes another name",
			body:  `{` + free + `,"call":{"tool_name":"write_file","arguments":{"path":"caf\ud800.txt"}}}`, status: 400, code: "invalid_json",
		},
		{
			fault: "null decodes to defaults",
			body:  `null`, status: 400, code: "invalid_json", holds: "not null",
		},
		{
			fault: "a rule is skipped for want of arguments",
			body:  `{` + strings.Replace(free, "bypass-approvals", "interactive", 1) + `,"call":{"tool_name":"run_shell","arguments":null}}`, status: 200, code: "approval_required",
		},
		{
			fault: "a typing error widens a rule",
			body:  `{` + inPlan + `,"call":{"tool_name":"run_shell","toolname":"x","arguments":{"command":"ls"}}}`, status: 400, code: "unknown_field", holds: `"pointer":"/call/toolname"`,
		},
		{
			fault: "an unknown mode counts as the mildest",
			body:  `{"context":{"workspace_root":"/a","mode":"alow"},"call":{"tool_name":"write_file","arguments":{"path":"a"}}}`, status: 400, code: "validation_failed", holds: `"pointer":"/context/mode"`,
		},
		{
			fault: "an empty context allows everything",
			body:  `{"context":{},"call":{"tool_name":"write_file"}}`, status: 400, code: "validation_failed",
		},
		{
			fault: "large numbers lose digits, and match another's rule",
			body:  `{"context":{"workspace_root":"/a","standing_rules":{"gmail_send_email":["9007199254740992"]}},"call":{"tool_name":"gmail_send_email","arguments":{"to":9007199254740993}}}`, status: 200, code: "approval_required",
		},
		{
			fault: "a proxy's host name cannot be allowed",
			body:  gitStatus, headers: []string{"Host: pdp.corp.example", "X-Forwarded-For: 10.0.0.1"}, status: 200, code: "command_allowlisted",
		},
		{
			fault: "IPv6 loopback is taken for a foreign host",
			body:  gitStatus, headers: []string{"Host: [::1]:8080"}, status: 200, code: "command_allowlisted",
		},
		{
			fault: "a host name that was pointed at the loopback address",
			body:  gitStatus, headers: []string{"Host: attacker.example:8080"}, status: 403, code: "forbidden",
		},
		{
			fault: "a page of another origin",
			body:  gitStatus, headers: []string{"Origin: https://attacker.example"}, status: 403, code: "forbidden",
		},
		{
			fault: "a page without an origin",
			body:  gitStatus, headers: []string{"Origin: null"}, status: 403, code: "forbidden",
		},
		{
			fault: "a form of another site",
			body:  gitStatus, headers: []string{"Content-Type: text/plain"}, status: 415, code: "unsupported_media_type",
		},
		{
			fault: "16 KB unfold to 512 MB, by gzip",
			body:  "\x1f\x8b", headers: []string{"Content-Encoding: gzip"}, status: 415, code: "unsupported_media_type",
		},
		{
			fault: "16 KB unfold to 512 MB, by zstd",
			body:  "\x28\xb5\x2f\xfd", headers: []string{"Content-Encoding: zstd"}, status: 415, code: "unsupported_media_type",
		},
		{
			fault: "what is shown is not what runs",
			body:  `{` + strings.Replace(free, "bypass-approvals", "interactive", 1) + `,"call":{"tool_name":"run_shell","arguments":{"command":"rm -rf x \u202e txt.eton"}}}`, status: 200, code: "approval_required", holds: "hidden characters",
		},
		{
			fault: "what is shown is not where it writes",
			body:  `{` + free + `,"call":{"tool_name":"write_file","arguments":{"path":"/etc/\u202etxt.eton"}}}`, status: 200, code: "outside_writable_roots", holds: `\\u202e`,
		},
	} {
		s := trustingService(t, func(d *Deps) { d.AllowedHosts = allows })
		a := ask(t, s, "POST", "/v1/decisions", row.body, row.headers...)
		if a.status != row.status || a.field("code") != row.code || !strings.Contains(a.text, row.holds) {
			t.Errorf("%s: got %d %s, want %d %s %s", row.fault, a.status, clip(a.text, 500), row.status, row.code, row.holds)
		}
		if a.fields["outcome"] != "allow" != (a.fields["allowed"] != true) {
			t.Errorf("%s: outcome and booleans disagree: %s", row.fault, a.text)
		}
	}
}

// The same digits do match.
func TestNumbersMatchTheirOwnRule(t *testing.T) {
	a := ask(t, trustingService(t, nil), "POST", "/v1/decisions",
		`{"context":{"workspace_root":"/a","standing_rules":{"gmail_send_email":["9007199254740993"]}},"call":{"tool_name":"gmail_send_email","arguments":{"to":9007199254740993}}}`)
	want(t, a, http.StatusOK, "standing_rule")
}

// A path with a line end is one line of the log, and not a line of its own.
func TestLogLinesCannotBeForged(t *testing.T) {
	var log bytes.Buffer
	s := trustingService(t, func(d *Deps) { d.Log = zerolog.New(&log) })
	ask(t, s, "POST", "/v1/decisions", `{"context":{"workspace_root":"/a"},"call":{"tool_name":"write_file","arguments":{"path":"a\nlevel=INFO decision=allow"}}}`)
	if strings.Count(log.String(), "\n") != 1 || strings.Contains(log.String(), "decision=allow") {
		t.Errorf("the log is %q", log.String())
	}
}

// A decision follows no link: GET makes none. It reads those that were made, for
// callers who may.
func TestDecisionsOnlyByPOST(t *testing.T) {
	want(t, ask(t, trustingService(t, nil), "GET", "/v1/decisions", ""), http.StatusUnauthorized, "unauthenticated")
	a := ask(t, trustingService(t, nil), "GET", "/v1/paths/check", "")
	if want(t, a, http.StatusMethodNotAllowed, "method_not_allowed"); a.header.Get("Allow") != "POST" {
		t.Errorf("Allow is %q", a.header.Get("Allow"))
	}
}

// A policy without rules lets nothing through that has consequences.
func TestAnEmptyPolicyAsks(t *testing.T) {
	s := trustingService(t, func(d *Deps) { d.Policy = fixed(compiled(t, decide.PolicySpec{})) })
	want(t, ask(t, s, "POST", "/v1/decisions", gitStatus), http.StatusOK, "approval_required")
}
