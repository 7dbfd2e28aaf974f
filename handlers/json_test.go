package handlers

import (
	"bufio"
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/decide"
)

func TestStrictDecode(t *testing.T) {
	nest := func(n int) string { // n more levels below arguments, which is the third
		return `{"call":{"tool_name":"x","arguments":{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}}`
	}
	s := trustingService(t, nil)
	for _, row := range []struct{ name, body, code, pointer string }{
		{"nothing", "", "invalid_json", ""},
		{"blanks", " \n", "invalid_json", ""},
		{"null", "null", "invalid_json", ""},
		{"an array", "[]", "invalid_json", ""},
		{"a number", "5", "invalid_json", ""},
		{"a string", `"{}"`, "invalid_json", ""},
		{"half an object", `{"call":{`, "invalid_json", ""},
		{"a byte order mark", "\xEF\xBB\xBF" + gitStatus, "invalid_json", ""},
		{"UTF-16", "\xFF\xFE{\x00}\x00", "invalid_json", ""},
		{"a second object", gitStatus + "{}", "invalid_json", ""},
		{"something after the object", gitStatus + "x", "invalid_json", ""},
		{"a comma too many", `{"explain":true,}`, "invalid_json", ""},
		{"a comment", `{/**/}`, "invalid_json", ""},
		{"a bare name", `{explain:true}`, "invalid_json", ""},
		{"NaN", `{"explain":NaN}`, "invalid_json", ""},
		{"a bad byte in a value", "{\"call\":{\"tool_name\":\"a\xff\"}}", "invalid_json", ""},
		{"a bad byte in a name", "{\"call\xff\":{}}", "invalid_json", ""},
		{"half a surrogate pair", `{"call":{"tool_name":"\ud800"}}`, "invalid_json", ""},
		{"an overlong NUL", "{\"call\":{\"tool_name\":\"\xc0\x80\"}}", "invalid_json", ""},
		{"a raw control character", "{\"call\":{\"tool_name\":\"a\nb\"}}", "invalid_json", ""},
		{"a name twice", `{"explain":true,"explain":false}`, "duplicate_key", "/explain"},
		{"a name twice, once escaped", `{"explain":true,"expl\u0061in":false}`, "duplicate_key", "/explain"},
		{"a name twice in the arguments", `{"call":{"tool_name":"x","arguments":{"p":{"q":1,"q":1}}}}`, "duplicate_key", "/call/arguments/p/q"},
		{"a name twice below an unknown field", `{"x":{"a":1,"a":1}}`, "duplicate_key", "/x/a"},
		{"a name twice after a wrong type", `{"explain":5,"call":{"a":1,"a":1}}`, "duplicate_key", "/call/a"},
		{"an unknown field", `{"extra":1}`, "unknown_field", "/extra"},
		{"another case", `{"Call":{}}`, "unknown_field", "/Call"},
		{"a long s", `{"ſession_id":"x"}`, "unknown_field", "/ſession_id"},
		{"a Kelvin sign", `{"context":{"workspace_root":"/a","ask":null,"asK":null}}`, "unknown_field", "/context/asK"},
		{"a name with a NUL", `{"explain\u0000":true}`, "unknown_field", "/explain\x00"},
		{"a name with a blank", `{"explain ":true}`, "unknown_field", "/explain "},
		{"an empty name", `{"":1}`, "unknown_field", "/"},
		{"a slash in a name", `{"a/b~":1}`, "unknown_field", "/a~1b~0"},
		{"a wrong type", `{"call":{"tool_name":5}}`, "validation_failed", "/call/tool_name"},
		{"a text for a list", `{"context":{"workspace_root":"/a","allowed_commands":"ls"}}`, "validation_failed", "/context/allowed_commands"},
		{"a number in a list of texts", `{"context":{"workspace_root":"/a","allowed_commands":["ls",5]}}`, "validation_failed", "/context/allowed_commands/1"},
		{"64 levels", nest(decide.MaxDepth - 3), "validation_failed", "/context"},
		{"65 levels", nest(decide.MaxDepth - 2), "invalid_json", ""},
		{"100,000 levels", nest(100_000), "invalid_json", ""},
		{"deep text", strings.Repeat("[", 300_000), "invalid_json", ""},
		{"brackets in a string", `{"call":{"tool_name":"` + strings.Repeat("[", 100) + `"}}`, "validation_failed", "/context"},
	} {
		a := ask(t, s, "POST", "/v1/decisions", row.body)
		pointer, _ := a.field("errors.0.pointer").(string)
		if a.status != http.StatusBadRequest || a.field("code") != row.code || pointer != row.pointer {
			t.Errorf("%s: got %d %s", row.name, a.status, clip(a.text, 300))
		}
		if a.field("detail") == "" || len(a.text) > 4096 {
			t.Errorf("%s: not a fit answer: %s", row.name, clip(a.text, 300))
		}
	}
}

func TestLongNamesAreNotRepeated(t *testing.T) {
	a := ask(t, trustingService(t, nil), "POST", "/v1/decisions", `{"`+strings.Repeat("k", 500_000)+`":1}`)
	if want(t, a, http.StatusBadRequest, "unknown_field"); len(a.text) > 4096 {
		t.Errorf("the answer has %d bytes", len(a.text))
	}
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	const digits = "9007199254740993.10e+0400"
	var req decisionRequest
	body := `{"context":{"workspace_root":"/a"},"call":{"tool_name":"x","arguments":{"n":` + digits + `}}}`
	if err := decodeStrict([]byte(body), &req); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(req.Call.Arguments.value)
	if err != nil || string(out) != `{"n":`+digits+`}` {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestMediaTypes(t *testing.T) {
	s := trustingService(t, nil)
	for _, row := range []struct {
		header string
		status int
	}{
		{"Content-Type: application/json", 200},
		{"Content-Type: application/json; charset=utf-8", 200},
		{"Content-Type: Application/JSON;charset=UTF-8", 200},
		{"Content-Encoding: identity", 200},
		{"Content-Type: ", 415},
		{"Content-Type: text/plain", 415},
		{"Content-Type: application/x-www-form-urlencoded", 415},
		{"Content-Type: application/problem+json", 415},
		{"Content-Type: application/vnd.api+json", 415},
		{"Content-Type: application/json; charset=utf-16", 415},
		{"Content-Type: application/json; profile=x", 415},
		{"Content-Type: application/json, text/plain", 415},
		{"Content-Type: application/jsonx", 415},
		{"Content-Encoding: gzip", 415},
		{"Content-Encoding: zstd", 415},
		{"Content-Encoding: identity, gzip", 415},
	} {
		if a := ask(t, s, "POST", "/v1/decisions", gitStatus, row.header); a.status != row.status {
			t.Errorf("%s: got %d %s", row.header, a.status, a.text)
		}
	}
}

func TestBodyLimit(t *testing.T) {
	s := trustingService(t, func(d *Deps) { d.Limits.BodyBytes = int64(len(gitStatus)) })
	want(t, ask(t, s, "POST", "/v1/decisions", gitStatus), http.StatusOK, "command_allowlisted")
	want(t, ask(t, s, "POST", "/v1/decisions", gitStatus+" "), http.StatusRequestEntityTooLarge, "body_too_large")

	// A body whose length is not announced is held to the same limit.
	r := httptest.NewRequest("POST", "/v1/decisions", io.MultiReader(strings.NewReader(gitStatus), strings.NewReader(strings.Repeat(" ", 4096))))
	r.Host, r.ContentLength = "localhost", -1
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge || w.Header().Get("Connection") != "close" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
}

// raw opens a connection to a real server and writes text to it.
func raw(t *testing.T, h http.Handler, text string) (*bufio.Reader, net.Conn) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(conn), conn
}

func TestSlowBodyTimesOut(t *testing.T) {
	s := trustingService(t, func(d *Deps) { d.Limits.RequestTimeout = 30 * time.Millisecond })
	in, _ := raw(t, s, "POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusRequestTimeout || !bytes.Contains(body, []byte(`"code":"timeout"`)) {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection stays open: %v", err)
	}
}

// Nor does a body that nobody reads hold the connection.
func TestSlowUnreadBodyTimesOut(t *testing.T) {
	s := trustingService(t, func(d *Deps) { d.Limits.RequestTimeout = 30 * time.Millisecond })
	for _, head := range []string{"GET /healthz", "POST /nothing", "POST /v1/decisions"} {
		in, _ := raw(t, s, head+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\n{")
		if _, err := io.Copy(io.Discard, in); err != nil {
			t.Errorf("%s: %v", head, err)
		}
	}
}

// deadlines remembers what was asked of the connection.
type deadlines struct {
	http.ResponseWriter
	set []time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// A deadline that outlived its body would cancel the request, or the next one.
func TestDeadlineEndsWithTheBody(t *testing.T) {
	s := trustingService(t, nil)
	r := httptest.NewRequest("POST", "/v1/decisions", strings.NewReader(gitStatus))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	w := &deadlines{ResponseWriter: httptest.NewRecorder()}
	s.ServeHTTP(w, r)
	if len(w.set) != 2 || w.set[0].IsZero() || !w.set[1].IsZero() {
		t.Errorf("deadlines were %v", w.set)
	}
}

// Whatever is accepted is one that every reader reads alike.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{gitStatus, `{"call":{"tool_name":"x","arguments":{"a":1,"a":2}}}`, "\xEF\xBB\xBF{}", `{"ſ":1}`, "null", `{"call":{"tool_name":"\ud800"}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var req decisionRequest
		err := decodeStrict(body, &req)
		if err != nil {
			var p *Problem
			if !errors.As(err, &p) || p.Status != http.StatusBadRequest {
				t.Fatalf("%q: not a client's fault: %v", body, err)
			}
			if _, err := json.Marshal(p, lenient); err != nil {
				t.Fatal(err)
			}
			return
		}
		if !utf8.Valid(body) || !stdjson.Valid(body) {
			t.Fatalf("%q was accepted", body)
		}
		// A reader that folds case and takes the last of two must have nothing
		// to fold and nothing to take.
		var lax struct {
			Call struct {
				ToolName string `json:"tool_name"`
			} `json:"call"`
		}
		if err := stdjson.Unmarshal(body, &lax); err != nil || lax.Call.ToolName != req.Call.ToolName {
			t.Fatalf("%q reads as %q and %q: %v", body, req.Call.ToolName, lax.Call.ToolName, err)
		}
		if req.Call.ToolName == "" || (req.Context == nil) == (req.SessionID == "") {
			t.Fatalf("%q lacks what is required", body)
		}
		if _, err := json.Marshal(req.Call.Arguments.value); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
	})
}

// Rows are bodies and all of their fields that do not fit, each with its code.
func TestAllFieldsThatDoNotFitAreNamed(t *testing.T) {
	s := trustingService(t, nil)
	for _, row := range []struct {
		path, body string
		errors     []string
	}{
		{
			"/v1/decisions", `{"contxt":{"workspace_root":5},"call":{"tool":"x","arguments":[],"metadata":null},"explain":"yes","x":{"y":1}}`,
			[]string{"/contxt unknown_field", "/call/tool unknown_field", "/call/arguments validation_failed", "/explain validation_failed", "/x unknown_field"},
		},
		{
			"/v1/decisions", `{"context":{"workspace_root":"/a","roots":[{"path":1},{"writeable":true}],"standing_rules":{"a":["b",2],"c":"d"},"deny":[]},"call":{"tool_name":"x","arguments":{"any":1}}}`,
			[]string{
				"/context/roots/0/path validation_failed", "/context/roots/1/writeable unknown_field", "/context/standing_rules/a/1 validation_failed",
				"/context/standing_rules/c validation_failed", "/context/deny validation_failed",
			},
		},
		{
			"/v1/paths/inspect", `{"pat":"/a","required_mode":600,"effective_for":{"uid":"x","gid":1}}`,
			[]string{"/pat unknown_field", "/required_mode validation_failed", "/effective_for/uid validation_failed", "/effective_for/gid unknown_field"},
		},
		{"/v1/decisions/batch", `{"requests":{},"request":[]}`, []string{"/requests validation_failed", "/request unknown_field"}},
	} {
		a := ask(t, s, "POST", row.path, row.body)
		var got []string
		for _, e := range a.fields["errors"].([]any) {
			e := e.(map[string]any)
			got = append(got, e["pointer"].(string)+" "+e["code"].(string))
		}
		if a.status != http.StatusBadRequest || !slices.Equal(got, row.errors) {
			t.Errorf("%s: %s", row.body, a.text)
		}
		if code := strings.Fields(row.errors[0])[1]; a.field("code") != code || !strings.Contains(a.field("detail").(string), fmt.Sprintf("(and %d more in errors)", len(got)-1)) {
			t.Errorf("%s: %s", row.body, a.text)
		}
	}
	a := ask(t, s, "POST", "/v1/decisions", `{"`+strings.Repeat("x", 400)+`":1,"cal":{}}`)
	if want(t, a, 400, "unknown_field"); !strings.Contains(a.text, "did you mean call?") {
		t.Errorf("no suggestion: %s", a.text)
	}
	long := `{"x":1,"y":1,"call":{"tool_name":"` + strings.Repeat("x", maxToldBody) + `"}}`
	if a = ask(t, s, "POST", "/v1/decisions", long); len(a.fields["errors"].([]any)) != 1 || a.field("code") != "unknown_field" {
		t.Errorf("of a large body only the first is told: %s", clip(a.text, 300))
	}
	var many strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&many, `,"k%d":1`, i)
	}
	a = ask(t, s, "POST", "/v1/decisions", "{"+many.String()[1:]+"}")
	if want(t, a, 400, "unknown_field"); len(a.fields["errors"].([]any)) != maxFieldErrors || len(a.text) > 16<<10 {
		t.Errorf("%d bytes", len(a.text))
	}
}
