package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-pdp/pdp/internal/audit"
	"github.com/agent-pdp/pdp/internal/store"
)

// auditRow is a record as the log has it, with this content.
func auditRow(kind audit.Kind, outcome, session, content string) store.Record {
	return store.Record{
		Time: time.Date(2031, 5, 1, 12, 0, 0, 0, time.FixedZone("", 2*3600)), Kind: string(kind), Outcome: outcome,
		Session: session, Content: []byte(content),
	}
}

var auditRows = []store.Record{
	auditRow(audit.PolicyChanged, "loaded", "", `{"caller":{"id":"pdp","name":"pdp","role":""},"details":{"name":"policy.yaml","revision":"sha256:4f1d","rules":9}}`),
	auditRow(audit.TokenChanged, "created", "", `{"caller":{"id":"uid:0","name":"root","role":"admin"},"details":{"token_id":"4MZ3QJ7KXA","token_name":"agent","token_role":"runtime"}}`),
	auditRow(audit.TokenChanged, "revoked", "", `{"caller":{"id":"uid:0","role":"admin"},"details":{"token_id":"4MZ3QJ7KXA"}}`),
	auditRow(audit.DecisionMade, "ask", "build-42", `{"caller":{"id":"token:4MZ3QJ7KXA","name":"agent","role":"runtime"},`+
		`"call":{"tool_name":"run_shell","arguments":{"command":"make \u202etest"}},"decision":{"reason":"nothing vouches for this call, so someone must approve it"}}`),
	auditRow(audit.ApprovalResolved, "always_command", "build-42", `{"caller":{"id":"token:X","name":"alice","role":"approver"},"call":{"tool_name":"run_shell"},"approval_id":"01a2382d","note":"looked\nat it"}`),
	auditRow(audit.Granted, "command", "build-42", `{"caller":{"id":"token:X","name":"alice","role":"approver"},"details":{"id":"01a2382e","value":"make test"}}`),
	auditRow(audit.PolicyChanged, "refused", "", `{"caller":{"id":"pdp","name":"pdp","role":""},"details":{"problems":["policy.yaml:2:7: mode is not known"]}}`),
	auditRow(audit.DecisionMade, "deny", "汉字汉字", `{"caller":{"id":"","role":""},"call":{"tool_name":"x"},"decision":{"reason":"汉字汉字汉字汉字汉字汉字汉字汉字汉字汉字汉字"}}`),
	auditRow(audit.Erased, "erased", "s1", ``),
}

func tailDrawn(t *testing.T, columns int, follows bool, page ...store.Record) []string {
	t.Helper()
	var b bytes.Buffer
	table := &tailTable{to: &b, columns: columns}
	if err := table.begin(page, follows); err != nil {
		t.Fatal(err)
	}
	for i := range page {
		if err := table.show(&page[i]); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// A table says when, in which zone, and what each record is about.
func TestTheTableOfRecords(t *testing.T) {
	lines := tailDrawn(t, 0, false, auditRows...)
	for i, want := range []string{
		"TIME KIND OUTCOME SESSION CALLER ABOUT",
		"2031-05-01 10:00:00Z policy loaded pdp policy.yaml sha256:4f1d",
		"2031-05-01 10:00:00Z token created root 4MZ3QJ7KXA agent (runtime)",
		"2031-05-01 10:00:00Z token revoked uid:0 4MZ3QJ7KXA",
		`2031-05-01 10:00:00Z decision ask build-42 agent run_shell make \u202etest: nothing vouches for this call, so someone must approve it`,
		`2031-05-01 10:00:00Z approval_resolved always_command build-42 alice run_shell 01a2382d: looked\nat it`,
		"2031-05-01 10:00:00Z grant command build-42 alice make test 01a2382e",
		"2031-05-01 10:00:00Z policy refused pdp policy.yaml:2:7: mode is not known",
	} {
		if got := strings.Join(strings.Fields(lines[i]), " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// No line is longer than the terminal is wide, whatever is in it, and the columns
// stand below their names.
func TestTheTableOfRecordsFits(t *testing.T) {
	for _, columns := range []int{40, 60, 80, 100, 120, 200} {
		for _, follows := range []bool{false, true} {
			lines := tailDrawn(t, columns, follows, auditRows...)
			for _, line := range lines {
				if n := cells(line); n > columns {
					t.Errorf("%d columns of %d: %s", n, columns, line)
				}
			}
			if columns < 80 {
				continue
			}
			if whole := strings.Contains(lines[2], "agent (runtime)"); whole != (columns >= 100) {
				t.Errorf("at %d, following %v: %s", columns, follows, lines[2])
			}
			at := strings.Index(lines[0], "ABOUT")
			if got := lines[2]; !strings.HasPrefix(got[at:], "4MZ3QJ7KXA") {
				t.Errorf("at %d, following %v: nothing says which token:\n%s\n%s", columns, follows, lines[0], got)
			}
		}
	}
}

// What comes later fits as well, also where nothing was there at first.
func TestTheTableOfRecordsFollows(t *testing.T) {
	var b bytes.Buffer
	table := &tailTable{to: &b, columns: 80}
	if err := table.begin(nil, true); err != nil {
		t.Fatal(err)
	}
	for i := range auditRows {
		if err := table.show(&auditRows[i]); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(b.String()) {
		if n := cells(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// A column that has nothing to say is left out.
func TestTheTableOfRecordsWithoutSessions(t *testing.T) {
	if head := tailDrawn(t, 80, false, auditRows[:3]...)[0]; strings.Contains(head, "SESSION") || !strings.Contains(head, "CALLER") {
		t.Errorf("got %s", head)
	}
}

// A record is hostile text: nothing of it reaches the terminal as it is.
func TestTheTableOfRecordsIsSafe(t *testing.T) {
	bad := "\x1b[2J\u202e\r\n\u200b\x9b"
	quoted, err := jsontext.AppendQuote(nil, bad)
	if err != nil {
		quoted = []byte(`"\u001b[2J\u202e\r\n"`)
	}
	r := auditRow(audit.TokenChanged, bad, bad, `{"caller":{"id":`+string(quoted)+`,"role":"admin"},"details":{"token_id":`+string(quoted)+`,"token_name":`+string(quoted)+`,"token_role":"x"}}`)
	r.Kind = bad
	for _, line := range tailDrawn(t, 80, false, r, auditRow("nosuch", "x", "", "no JSON")) {
		if strings.ContainsAny(line, "\x1b\u202e\r\u200b") {
			t.Errorf("got %q", line)
		}
	}
}
