package main

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/inspect"
)

func TestATableGoesOnBelowItsCells(t *testing.T) {
	head := []wrappedColumn{{"ID", 0}, {"NAME", 8}, {"CREATED", 10}, {"EXPIRES", 10}}
	rows := [][]string{
		{"KWBYNM447S", "ci", "2026-12-03 06:05:46Z", "never"},
		{"4MZ3QJ7KXA", "a-long-name", "2026-12-03 06:05:46Z", "2027-01-01 00:00:00Z"},
	}
	for _, row := range []struct {
		columns int
		want    string
	}{
		{0, `
ID          NAME         CREATED               EXPIRES
KWBYNM447S  ci           2026-12-03 06:05:46Z  never
4MZ3QJ7KXA  a-long-name  2026-12-03 06:05:46Z  2027-01-01 00:00:00Z
`},
		{60, `
ID          NAME         CREATED               EXPIRES
KWBYNM447S  ci           2026-12-03 06:05:46Z  never
4MZ3QJ7KXA  a-long-name  2026-12-03 06:05:46Z  2027-01-01
                                               00:00:00Z
`},
		{46, `
ID          NAME        CREATED     EXPIRES
KWBYNM447S  ci          2026-12-03  never
                        06:05:46Z
4MZ3QJ7KXA  a-long-nam  2026-12-03  2027-01-01
            e           06:05:46Z   00:00:00Z
`},
	} {
		var b bytes.Buffer
		if err := writeTable(&b, row.columns, head, rows); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != row.want[1:] {
			t.Errorf("%d columns:\n%s\nwant:%s", row.columns, got, row.want)
		}
	}
}

func TestReportsFitTheTerminal(t *testing.T) {
	mode, bits := uint32(0o41777), uint32(0o777)
	shared := pathReport{Path: "/tmp"}
	shared.OK, shared.IsDir, shared.Mode, shared.Bits = true, true, &mode, &bits
	shared.WorldWritable, shared.Source = true, inspect.SourcePOSIX
	shared.Facts.Owner = &inspect.Owner{}
	shared.Facts.Ancestors = []inspect.Ancestor{{Path: "/", Mode: 0o755, Reason: "a reason that is too long for the line that it stands on"}}
	shared.Findings = []inspect.Finding{{Severity: inspect.SeverityInfo, Detail: "shared on purpose: everybody may make entries"}}
	shared.Remediation = &inspect.Remediation{Command: "chmod 700 /a/path/that/is/longer/than/the/terminal/is"}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	printReports(w, []pathReport{shared}, false, 40)
	w.Flush()
	const want = `PATH  MODE     FINDING
/tmp  1777     everybody may write

/tmp
  info      shared on purpose: everybody
            may make entries
  /  755  0:0  a reason that is too long
               for the line that it
               stands on
  └ tmp  1777  0:0
fix: chmod 700 /a/path/that/is/longer/than/the/terminal/is
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if cells(line) > 40 && !strings.HasPrefix(line, "fix: ") {
			t.Errorf("%q is too long", line)
		}
	}
}

func TestOneWordingForWhoMayDoWhat(t *testing.T) {
	for _, row := range []struct {
		set  func(*inspect.Report)
		want string
	}{
		{func(r *inspect.Report) { r.WorldWritable = true }, "everybody may write"},
		{func(r *inspect.Report) { r.GroupWritable = true }, "its group may write"},
		{func(r *inspect.Report) { r.WorldReadable = true }, "everybody may read"},
		{func(r *inspect.Report) { r.GroupReadable = true }, "its group may read"},
		{func(*inspect.Report) {}, "only its owner"},
	} {
		r := inspect.Report{}
		r.OK, r.Source = true, inspect.SourcePOSIX
		row.set(&r)
		if _, got := finding(r); got != row.want {
			t.Errorf("got %s, want %s", got, row.want)
		}
	}
}
