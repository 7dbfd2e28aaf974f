package audit

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqlite"
)

func (s *sample) export(t *testing.T, q store.RecordQuery) string {
	t.Helper()
	var out bytes.Buffer
	s.visit(t, func(db *sqlite.Store) {
		if _, err := Export(ctx, db, q, &out); err != nil {
			t.Fatal(err)
		}
	})
	return out.String()
}

func verifyText(t *testing.T, text string) *Report {
	t.Helper()
	r, err := VerifyExport(ctx, strings.NewReader(text), VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestExportsVerify(t *testing.T) {
	s := makeSample(t)
	if r := verifyText(t, s.export(t, store.RecordQuery{})); !r.Good() || r.Records != 40 || r.Chains[0].Signed != 40 || r.Partial {
		t.Errorf("%s: %+v", faults(r), r)
	}
	if r := verifyText(t, s.export(t, store.RecordQuery{Session: "s1"})); !r.Good() || r.Records != 13 || !r.Partial {
		t.Errorf("%s: %+v", faults(r), r)
	}
	s.visit(t, func(db *sqlite.Store) {
		w := s.writer(t, db)
		defer w.Close(ctx)
		ev := testEvent(1)
		ev.Note = "a < b & \u2028 é \ufffd \"quoted\" \\ "
		if err := w.Write(ctx, ev); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Erase(ctx, "s2", auth.Caller{}, ""); err != nil {
			t.Fatal(err)
		}
	})
	if r := verifyText(t, s.export(t, store.RecordQuery{})); !r.Good() || r.Erased != 14 {
		t.Errorf("%s: %+v", faults(r), r)
	}
}

func TestTamperedExportsAreFound(t *testing.T) {
	s := makeSample(t)
	whole := strings.SplitAfter(strings.TrimSuffix(s.export(t, store.RecordQuery{}), "\n"), "\n")
	whole[len(whole)-1] += "\n"
	salt := regexp.MustCompile(`"salt":"[0-9a-f]*",`)
	// Line 0 is the head, 1 the writer, 2 to 6 the checkpoints: record n is line n+6.
	at := func(n int) int { return n + 6 }
	for _, row := range []struct {
		name   string
		change func([]string) []string
		want   string
	}{
		{"a word was changed", func(l []string) []string {
			l[at(7)] = strings.Replace(l[at(7)], `"outcome":"allow"`, `"outcome":"deny"`, 1)
			return l
		}, "changed 7"},
		{"a content was changed", func(l []string) []string {
			l[at(7)] = strings.Replace(l[at(7)], `git status`, `git push`, 1)
			return l
		}, "content_changed 7"},
		{"a line is missing", func(l []string) []string { return slices.Delete(l, at(7), at(8)) }, "missing 7, unreadable 0"},
		{"a line is doubled", func(l []string) []string { return slices.Insert(l, at(8), l[at(7)]) }, "duplicated 7, unreadable 0"},
		{"lines were exchanged", func(l []string) []string {
			l[at(7)], l[at(8)] = l[at(8)], l[at(7)]
			return l
		}, "reordered 7"},
		{"a line was moved far", func(l []string) []string {
			line := l[at(5)]
			return slices.Insert(slices.Delete(l, at(5), at(6)), at(30), line)
		}, "reordered 5"},
		{"the end is missing", func(l []string) []string { return l[:at(34)] }, "cut_off 34-40, cut_off 0"},
		{"no line", func(l []string) []string { l[at(9)] = "x\n"; return l }, "missing 9, unreadable 0, unreadable 0"},
		{"erased", func(l []string) []string {
			l[at(9)] = strings.Replace(l[at(9)], `"content":`, `"erased":true,"content":`, 1)
			return l
		}, "content_changed 9"},
		{"said to be erased, in a part", func(l []string) []string {
			l[0] = strings.Replace(l[0], `}`, `,"partial":true}`, 1)
			line := salt.ReplaceAllString(l[at(9)], "")
			line = strings.Replace(line, "git status", "git push", 1)
			l[at(9)] = strings.Replace(line, `"content":`, `"erased":true,"content":`, 1)
			return l
		}, "content_changed 9"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := strings.Join(row.change(slices.Clone(whole)), "")
			if got := faults(verifyText(t, text)); got != row.want {
				t.Errorf("found %q, want %q", got, row.want)
			}
		})
	}
	// Lines that hold what they should, and are not as they were written.
	replace := func(line int, old, now string) func([]string) {
		return func(l []string) {
			if l[line] = strings.Replace(l[line], old, now, 1); l[line] == whole[line] {
				t.Errorf("line %d holds no %q", line, old)
			}
		}
	}
	last := len(whole) - 1
	for _, row := range []struct {
		name   string
		change func([]string)
		want   string
	}{
		{"a record with another member", replace(at(7), `"kind":`, `"approved_by":"alice","kind":`), "altered 7"},
		{"a record with a member of another kind of line", replace(at(7), `"prev":`, `"pruned":7,"prev":`), "altered 7"},
		{"a member twice", replace(at(7), `"kind":`, `"kind":"decision","kind":`), "unreadable 7, missing 7, unreadable 0"},
		{"a member in other letters", replace(at(7), `"kind":`, `"Outcome":"deny","kind":`), "altered 7"},
		{"no kind of line", replace(at(7), `{"type":"record",`, `{`), "unreadable 7, missing 7, unreadable 0"},
		{"members in another order", func(l []string) {
			l[at(7)] = strings.Replace(strings.Replace(l[at(7)], `{"type":"record",`, `{`, 1), "}\n", `,"type":"record"}`+"\n", 1)
		}, "altered 7"},
		{"blanks", replace(at(7), `,"kind":`, `, "kind":`), "altered 7"},
		{"a blank behind", replace(at(7), "\n", " \n"), "altered 7"},
		{"a carriage return", replace(at(7), "\n", "\r\n"), "altered 7"},
		{"an escaped letter", replace(at(7), `"outcome":"allow"`, `"outcome":"\u0061llow"`), "altered 7"},
		{"hexadecimal digits in capitals", func(l []string) {
			l[at(7)] = regexp.MustCompile(`"salt":"[0-9a-f]*"`).ReplaceAllStringFunc(l[at(7)], func(s string) string { return `"salt":` + strings.ToUpper(s[len(`"salt":`):]) })
		}, "altered 7"},
		{"a time with more digits", replace(at(7), `Z","kind"`, `000Z","kind"`), "altered 7"},
		{"said not to be erased", replace(at(7), `"content":`, `"erased":false,"content":`), "altered 7"},
		{"a head with another member", replace(0, `}`, `,"note":"x"}`), "altered 0"},
		{"a writer with another member", replace(1, `}`, `,"kind":"x"}`), "altered 0"},
		{"a checkpoint with another member", replace(4, `}`, `,"caller":"x"}`), "altered 20"},
		{"a checkpoint with another key", func(l []string) {
			l[4] = regexp.MustCompile(`"public_key":"[0-9a-f]{2}`).ReplaceAllString(l[4], `"public_key":"00`)
		}, "altered 20"},
		{"a last line with another member", replace(last, `}`, `,"note":"x"}`), "altered 0"},
		{"a line behind the last one", func(l []string) { l[last] += l[at(7)] }, "unreadable 7"},
		{"a second last line", func(l []string) { l[last] += l[last] }, "unreadable 0"},
		{"an empty line", func(l []string) { l[at(7)] += "\n" }, "unreadable 0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			lines := slices.Clone(whole)
			row.change(lines)
			r := verifyText(t, strings.Join(lines, ""))
			if got := faults(r); got != row.want || r.Good() {
				t.Errorf("found %q, want %q", got, row.want)
			}
		})
	}
	if _, err := VerifyExport(ctx, strings.NewReader("{}\n"), VerifyOptions{}); err == nil {
		t.Error("any file is an export")
	}
	known, err := ReadKnown(strings.NewReader(whole[6]))
	if err != nil || len(known) != 1 || known[0].Seq != 40 || !signedBy(known[0].Key, &known[0].Checkpoint) {
		t.Errorf("read %+v (%v)", known, err)
	}
}

func TestCSVHoldsNoFormulas(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{Sync: true})
	for _, tool := range []string{`=HYPERLINK("x")`, "+1", "-1", "@SUM(1)", "\t=1", "plain", " =1", "＝1"} {
		ev := testEvent(1)
		ev.Tool = tool
		if err := w.Write(ctx, ev); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if n, err := ExportCSV(ctx, log, store.RecordQuery{}, &out); n != 8 || err != nil {
		t.Fatal(n, err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	col := slices.Index(Columns(), "tool_name")
	var got []string
	for _, row := range rows {
		got = append(got, row[col])
	}
	want := []string{"tool_name", `'=HYPERLINK("x")`, "'+1", "'-1", "'@SUM(1)", "'\t=1", "plain", "' =1", "'＝1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
