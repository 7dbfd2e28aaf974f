package inspect

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

type vector struct {
	ID     string          `json:"id"`
	Group  string          `json:"group"`
	Fn     string          `json:"fn"`
	As     string          `json:"as"`
	Args   vectorArgs      `json:"args"`
	Want   json.RawMessage `json:"want"`
	Throws json.RawMessage `json:"throws"`
}

type vectorArgs struct {
	Path       string            `json:"path"`
	PathB64    string            `json:"pathB64"`
	DirPrefix  string            `json:"dirPrefix"`
	Platform   string            `json:"platform"`
	Detail     bool              `json:"detail"`
	Mode       json.RawMessage   `json:"mode"`
	Bits       json.RawMessage   `json:"bits"`
	TargetPath string            `json:"targetPath"`
	PosixMode  json.Number       `json:"posixMode"`
	IsDir      bool              `json:"isDir"`
	Perms      vectorPerms       `json:"perms"`
	Env        map[string]string `json:"env"`
	UserInfo   *struct {
		Username *string `json:"username"`
	} `json:"userInfo"`
	Output                     string        `json:"output"`
	Entries                    []vectorEntry `json:"entries"`
	Summary                    vectorSummary `json:"summary"`
	CurrentUserSID             string        `json:"currentUserSid"`
	PrincipalTranslationFailed bool          `json:"principalTranslationFailed"`
	Exec                       *struct {
		Reply  json.RawMessage `json:"reply"`
		Reject *vectorReject   `json:"reject"`
	} `json:"exec"`
	Reject *vectorReject `json:"reject"`
	Value  *string       `json:"value"`
	Repeat *vectorRepeat `json:"repeat"`

	Paths   json.RawMessage `json:"paths"`
	Sparse  bool            `json:"sparse"`
	Options struct {
		TimeoutMS any    `json:"timeoutMs"`
		Platform  string `json:"platform"`
	} `json:"options"`
}

// want is the answer, or what was thrown with the codes that Go has for it.
func (v vector) want() any {
	if v.Throws == nil {
		return v.Want
	}
	var t struct {
		Name, Message, Code string
		Details             struct{ Reason string }
	}
	if err := json.Unmarshal(v.Throws, &t); err != nil {
		return v.Throws
	}
	if t.Code == "" { // an argument of the wrong type or range
		t.Code = string(CodeInvalid)
	}
	m := map[string]any{"message": t.Message, "code": t.Code}
	if t.Details.Reason != "" {
		m["reason"] = t.Details.Reason
	}
	return m
}

type vectorPerms struct {
	Source     Source  `json:"source"`
	Bits       *uint32 `json:"bits"`
	ACLSummary *string `json:"aclSummary"`
}

type vectorRepeat struct {
	S string `json:"s"`
	N int    `json:"n"`
}

type vectorReject struct {
	vectorRepeat
	Kind    string  `json:"kind"`
	Name    *string `json:"name"`
	Message string  `json:"message"`
	Value   any     `json:"value"`
}

// text is what a failure says as text. JavaScript values that neither Go nor JSON
// has (undefined, symbols, functions, proxies) have none.
func (r *vectorReject) text() (string, bool) {
	switch r.Kind {
	case "error":
		name := "Error"
		if r.Name != nil {
			name = *r.Name
		}
		return strings.TrimSuffix(name+": "+r.Message, ": "), true
	case "repeat":
		return strings.Repeat(r.S, r.N), true
	case "value", "object", "nullproto":
		return DescribeFailure(r.Value), true
	case "bigint":
		return DescribeFailure(json.Number(r.Value.(string))), true
	case "getter": // an accessor is never run: what is left is the name
		return DescribeFailure(map[string]any{"name": "Getter"}), true
	}
	return "", false
}

type vectorEntry struct {
	Principal string   `json:"principal"`
	SID       string   `json:"sid,omitempty"`
	Rights    []string `json:"rights"`
	RawRights string   `json:"rawRights"`
	CanRead   bool     `json:"canRead"`
	CanWrite  bool     `json:"canWrite"`
}

type vectorSummary struct {
	OK             bool          `json:"ok"`
	Entries        []vectorEntry `json:"entries"`
	Trusted        []vectorEntry `json:"trusted"`
	UntrustedWorld []vectorEntry `json:"untrustedWorld"`
	UntrustedGroup []vectorEntry `json:"untrustedGroup"`
}

func (v vectorSummary) summary() Summary {
	return Summary{
		OK: v.OK, Entries: toEntries(v.Entries), Trusted: toEntries(v.Trusted),
		UntrustedWorld: toEntries(v.UntrustedWorld), UntrustedGroup: toEntries(v.UntrustedGroup),
	}
}

func toEntries(in []vectorEntry) []Entry {
	out := make([]Entry, len(in))
	for i, e := range in {
		out[i] = Entry(e)
	}
	return out
}

func fromEntries(in []Entry) []vectorEntry {
	out := make([]vectorEntry, len(in))
	for i, e := range in {
		out[i] = vectorEntry(e)
	}
	return out
}

func principals(in []Entry) []string {
	out := make([]string, len(in))
	for i, e := range in {
		out[i] = e.Principal
	}
	return out
}

func readVectors(t *testing.T, dir string) []vector {
	t.Helper()
	file, err := os.Open("testdata/vectors.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		text := strings.ReplaceAll(lines.Text(), "{{DIR}}", dir)
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("%v in %.200s", err, text)
		}
		vectors = append(vectors, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return vectors
}

func readDivergences(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/divergences.txt")
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, why, ok := strings.Cut(line, " ")
		if _, twice := reasons[id]; !ok || twice {
			t.Errorf("divergences.txt: bad line %q", line)
		}
		reasons[id] = why
	}
	return reasons
}
