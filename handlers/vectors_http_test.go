package handlers

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
)

// recording is one of the inspections that package inspect replays, as far as it
// depends on what a client sends.
type recording struct {
	ID, Fn string
	Args   struct {
		Exec *struct {
			Reject *rejected
			None   bool
		}
		Reject  *rejected
		Paths   json.RawMessage
		Sparse  bool
		Options struct {
			TimeoutMS json.RawMessage `json:"timeoutMs"`
		}
	}
	Want   json.RawMessage
	Throws *struct{ Message string }
}

type rejected struct {
	Kind, Name, Message, S string
	N                      int
	Value                  json.RawMessage
}

// wire is what a client sends for a failure. JSON has no undefined, symbols,
// functions or proxies: nothing is left of these.
func (r *rejected) wire(t *testing.T) string {
	var v any
	switch r.Kind {
	case "value", "object", "nullproto":
		return string(r.Value)
	case "bigint":
		return strings.Trim(string(r.Value), `"`)
	case "error":
		name := r.Name
		if name == "" {
			name = "Error"
		}
		v = map[string]string{"name": name, "message": r.Message}
	case "repeat":
		v = strings.Repeat(r.S, r.N)
	case "getter":
		v = map[string]string{"name": "Getter"} // accessors are not run
	case "undefined", "symbol", "function", "proxy":
		return ""
	default:
		t.Fatalf("a failure of kind %q", r.Kind)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Whatever a query failed with, and whatever is sent for a list of paths, has the
// recorded answer over HTTP, or is refused: never an answer that clears anybody.
func TestRecordedRejectionsOverHTTP(t *testing.T) {
	d := Deps{Policy: fixed(trusting(t)), InspectRoots: func() []string { return []string{"/"} }, Anonymous: true}
	server := httptest.NewServer(New(d))
	defer server.Close()
	post := func(path, body string) (int, map[string]any) {
		t.Helper()
		res, err := http.Post(server.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatalf("%s: %v in %s", path, err, text)
		}
		return res.StatusCode, fields
	}
	failures, refused, batches := 0, 0, 0
	for _, v := range readRecorded(t) {
		reject := v.Args.Reject
		if e := v.Args.Exec; e != nil && (e.Reject != nil || e.None) {
			if reject = e.Reject; reject == nil {
				reject = &rejected{Kind: "undefined"}
			}
		}
		switch {
		case v.Fn == "readOwnerAndDaclBatch":
			batches++
			v.checkBatch(t, post)
		case reject == nil:
		case reject.wire(t) == "":
			refused++
			if status, a := post("/v1/windows/acl/classify", `{}`); status != http.StatusBadRequest || a["code"] != "validation_failed" {
				t.Errorf("%s: got %d %v", v.ID, status, a)
			}
		default:
			failures++
			status, a := post("/v1/windows/acl/classify", `{"failure":`+reject.wire(t)+`}`)
			if want := v.failure(t); status != http.StatusOK || !unverified(a) || a["error"] != want || a["owner_error"] != want {
				t.Errorf("%s: got %d %v, want %q", v.ID, status, a, want)
			}
		}
	}
	t.Logf("%d failures with the recorded text, %d that JSON cannot say, %d batches", failures, refused, batches)
	if failures == 0 || refused == 0 || batches == 0 {
		t.Error("some kind was not replayed")
	}
}

func unverified(a map[string]any) bool {
	for _, list := range []string{"entries", "trusted", "untrusted_world", "untrusted_group"} {
		if rows, ok := a[list].([]any); !ok || len(rows) > 0 {
			return false
		}
	}
	for _, flag := range []string{"world_writable", "group_writable", "world_readable", "group_readable", "ok"} {
		if a[flag] != false {
			return false
		}
	}
	return a["source"] == "unknown" && a["owner_trusted"] == nil
}

// failure is the text of the failure in the answer that was recorded.
func (v *recording) failure(t *testing.T) string {
	t.Helper()
	var text string
	if v.Fn == "formatCaughtPermissionFailure" {
		if err := json.Unmarshal(v.Want, &text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	var report struct {
		Error      string
		OwnerError *string
	}
	if err := json.Unmarshal(v.Want, &report); err != nil {
		t.Fatal(err)
	}
	if report.OwnerError != nil {
		return *report.OwnerError
	}
	return report.Error
}

// checkBatch: what was thrown is refused, and points to the same argument.
func (v *recording) checkBatch(t *testing.T, post func(path, body string) (int, map[string]any)) {
	t.Helper()
	var members []string
	switch {
	case v.Args.Sparse:
		members = append(members, `"paths":[null]`) // what JSON makes of a hole
	case v.Args.Paths != nil:
		members = append(members, `"paths":`+string(v.Args.Paths))
	}
	if ms := v.Args.Options.TimeoutMS; ms != nil {
		members = append(members, `"timeout_ms":`+string(ms))
	}
	status, a := post("/v1/paths/owner-dacl", "{"+strings.Join(members, ",")+"}")
	if v.Throws == nil {
		var want []any
		if err := json.Unmarshal(v.Want, &want); err != nil {
			t.Fatal(err)
		}
		if status != http.StatusOK || !reflect.DeepEqual(a["results"], want) {
			t.Errorf("%s: got %d %v, want %v", v.ID, status, a, want)
		}
		return
	}
	pointer, _ := (answer{fields: a}).field("errors.0.pointer").(string)
	about := "/paths"
	if strings.HasPrefix(v.Throws.Message, "timeoutMs") {
		about = "/timeout_ms"
	}
	if status != http.StatusBadRequest || a["code"] != "validation_failed" || !hasPointer(a, about) {
		t.Errorf("%s: got %d %v at %s, want %s", v.ID, status, a, pointer, about)
	}
}

func hasPointer(a map[string]any, prefix string) bool {
	list, _ := a["errors"].([]any)
	for _, e := range list {
		if at, _ := e.(map[string]any)["pointer"].(string); strings.HasPrefix(at, prefix) {
			return true
		}
	}
	return false
}

func readRecorded(t *testing.T) []recording {
	t.Helper()
	file, err := os.Open("../inspect/testdata/vectors.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []recording
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v recording
		err := json.Unmarshal(lines.Bytes(), &v)
		if err != nil {
			t.Fatalf("%v in %.200s", err, lines.Text())
		}
		list = append(list, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}
