package handlers

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agent-pdp/pdp/api"
	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/inspect"
)

// contract is openapi.yaml as a reader of JSON sees it.
type contract struct {
	doc      map[string]any
	compiler *jsonschema.Compiler
}

func loadContract(t *testing.T) contract {
	t.Helper()
	text, err := yamlToJSON(api.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	return contract{doc.(map[string]any), compiler}
}

// at follows names down from the root.
func (c contract) at(steps ...string) any {
	var v any = c.doc
	for _, step := range steps {
		m, _ := v.(map[string]any)
		v = m[step]
	}
	return v
}

func (c contract) validate(t *testing.T, where string, schema, value any) {
	t.Helper()
	ref, _ := schema.(map[string]any)["$ref"].(string)
	if ref == "" {
		return // a plain type, such as that of a text body
	}
	compiled, err := c.compiler.Compile("openapi.json" + ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Errorf("%s: %v", where, err)
	}
}

func (c contract) enum(name string) []string {
	list, _ := c.at("components", "schemas", name, "enum").([]any)
	words := make([]string, len(list))
	for i, v := range list {
		words[i], _ = v.(string)
	}
	return words
}

// resolve follows a reference to a shared response.
func (c contract) resolve(v any) map[string]any {
	m, _ := v.(map[string]any)
	if ref, ok := m["$ref"].(string); ok {
		m, _ = c.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...).(map[string]any)
	}
	return m
}

// operations calls visit for each method of each path.
func (c contract) operations(visit func(method, path string, op map[string]any)) {
	for path, methods := range c.at("paths").(map[string]any) {
		for method, op := range methods.(map[string]any) {
			visit(strings.ToUpper(method), path, op.(map[string]any))
		}
	}
}

func TestContractNamesEveryRoute(t *testing.T) {
	c := loadContract(t)
	var documented, served []string
	c.operations(func(method, path string, _ map[string]any) { documented = append(documented, method+" "+path) })
	walk := func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method != http.MethodHead { // which every GET answers
			served = append(served, method+" "+path)
		}
		return nil
	}
	if err := chi.Walk(trustingService(t, nil).mux, walk); err != nil {
		t.Fatal(err)
	}
	sort.Strings(documented)
	sort.Strings(served)
	if !slices.Equal(documented, served) {
		t.Errorf("documented:\n%s\nserved:\n%s", strings.Join(documented, "\n"), strings.Join(served, "\n"))
	}
}

func TestContractEnums(t *testing.T) {
	c := loadContract(t)
	var codes []string
	for _, info := range decide.Codes() {
		codes = append(codes, string(info.Code))
	}
	var problems []string
	for code := range problemKinds {
		problems = append(problems, code)
	}
	for name, words := range map[string][]string{
		"InspectProfile": profileWords(),
		"Mode":           append(decide.ModeNames(), "auto"),
		"CanonicalMode":  decide.ModeNames(),
		"Risk":           decide.RiskNames(),
		"Outcome":        {decide.Allow.String(), decide.Ask.String(), decide.Deny.String()},
		"Code":           codes,
		"ProblemCode":    problems,
		"Access":         {string(decide.AccessRead), string(decide.AccessWrite)},
		"PathsMode":      {string(decide.PathsLocal), string(decide.PathsLexical)},
		"Obligation":     {string(decide.NoFollowBeneathRoot), string(decide.RecheckRedirects), string(decide.PinAddress)},
	} {
		got := c.enum(name)
		sort.Strings(got)
		sort.Strings(words)
		if !slices.Equal(got, words) {
			t.Errorf("%s: the contract has %v, the code %v", name, got, words)
		}
	}
	for _, mode := range c.enum("Mode") {
		if _, err := decide.ParseMode(mode); err != nil {
			t.Error(err)
		}
	}
}

func profileWords() []string { return strings.Split(profileNames(), ", ") }

func TestContractDescribesEveryCode(t *testing.T) {
	c := loadContract(t)
	text, _ := c.at("components", "schemas", "Code", "description").(string)
	for _, info := range decide.Codes() {
		if !strings.Contains(text, "`"+string(info.Code)+"`: "+info.Meaning) {
			t.Errorf("%s is not described as %q", info.Code, info.Meaning)
		}
	}
	var problems strings.Builder
	for _, response := range c.at("components", "responses").(map[string]any) {
		problems.WriteString(response.(map[string]any)["description"].(string))
	}
	for code := range problemKinds {
		if !strings.Contains(problems.String(), "`"+code+"`") {
			t.Errorf("no response tells of %s", code)
		}
	}
}

// The names of the wire structs and of the contract are the same.
func TestContractFields(t *testing.T) {
	c := loadContract(t)
	for schema, v := range map[string]any{
		"DecisionRequest": decisionRequest{}, "Call": callRequest{}, "Context": decide.ContextSpec{}, "Root": decide.RootSpec{},
		"Lists": decide.ListsSpec{}, "Grants": decide.GrantsSpec{}, "BatchRequest": batchRequest{}, "PathCheckRequest": checkRequest{},
		"PathInspectRequest": inspectRequest{}, "Decision": decisionResponse{}, "TraceStep": traceStep{}, "JudgedPath": judgedPath{},
		"Analysis": analysisResponse{}, "PermissionReport": inspect.Report{}, "Health": healthResponse{}, "Readiness": readyResponse{},
		"Version": versionResponse{}, "Problem": Problem{}, "BatchResponse": batchResponse{},
		"InspectBatchRequest": inspectBatchRequest{}, "InspectBatch": inspectBatchResponse{}, "Subject": subjectRequest{},
		"OwnerDACLRequest": ownerDACLRequest{}, "OwnerDACLResponse": ownerDACLResponse{}, "ParseACLRequest": parseACLRequest{},
		"SummarizeACLRequest": summarizeACLRequest{}, "ClassifyACLRequest": classifyACLRequest{}, "ResetCommandRequest": resetCommandRequest{},
		"ParsedACL": inspect.Icacls{}, "ACLSummary": summarizeACLResponse{}, "ACLEntry": inspect.Entry{}, "ResetCommand": inspect.Command{},
		"ACLClassification": inspect.Classification{}, "Finding": inspect.Finding{},
	} {
		properties, _ := c.at("components", "schemas", schema, "properties").(map[string]any)
		var documented, coded []string
		for name := range properties {
			documented = append(documented, name)
		}
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				coded = append(coded, name)
			}
		}
		sort.Strings(documented)
		sort.Strings(coded)
		if !slices.Equal(documented, coded) {
			t.Errorf("%s: the contract has %v, the code %v", schema, documented, coded)
		}
		if strings.HasSuffix(schema, "Request") && c.at("components", "schemas", schema, "additionalProperties") != false {
			t.Errorf("%s takes unknown fields", schema)
		}
	}
}

// Every example in the contract is sent to the service, and the service
// answers with the example of that name.
func TestContractExamplesAreTrue(t *testing.T) {
	c := loadContract(t)
	s := trustingService(t, nil)
	c.operations(func(method, path string, op map[string]any) {
		body, ok := op["requestBody"].(map[string]any)
		if !ok || stored(path) { // TestStoredContract shows those
			return
		}
		media := body["content"].(map[string]any)["application/json"].(map[string]any)
		answers := op["responses"].(map[string]any)["200"].(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)
		examples, replies := media["examples"].(map[string]any), answers["examples"].(map[string]any)
		if len(examples) == 0 || len(examples) != len(replies) {
			t.Errorf("%s: %d requests and %d answers", path, len(examples), len(replies))
		}
		for name, example := range examples {
			where := path + " " + name
			value := example.(map[string]any)["value"]
			c.validate(t, where, media["schema"], value)
			text, err := json.Marshal(value) // which writes numbers as they were read
			if err != nil {
				t.Fatal(err)
			}
			a := ask(t, s, method, path, string(text))
			if a.status != http.StatusOK {
				t.Errorf("%s: got %d %s", where, a.status, a.text)
				continue
			}
			got, err := jsonschema.UnmarshalJSON(strings.NewReader(a.text))
			if err != nil {
				t.Fatal(err)
			}
			c.validate(t, where+" answer", answers["schema"], got)
			shown, _ := replies[name].(map[string]any)
			if want := timeless(shown["value"]); !reflect.DeepEqual(timeless(got), want) {
				t.Errorf("%s: the service answers\n%v\nthe contract shows\n%v", where, timeless(got), want)
			}
		}
	})
}

// timeless empties what differs from call to call and from machine to machine.
func timeless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			switch name {
			case "decision_id", "decided_at", "policy_revision", "request_id", "facts":
				member = "…"
			}
			out[name] = timeless(member)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = timeless(v[i])
		}
		return out
	}
	return v
}

func TestContractResponsesFitTheirSchemas(t *testing.T) {
	c := loadContract(t)
	seen := 0
	c.operations(func(method, path string, op map[string]any) {
		for status, response := range op["responses"].(map[string]any) {
			content, _ := c.resolve(response)["content"].(map[string]any)
			for mediaType, media := range content {
				media := media.(map[string]any)
				examples, _ := media["examples"].(map[string]any)
				for name, example := range examples {
					value := example.(map[string]any)["value"]
					c.validate(t, method+" "+path+" "+status+" "+name, media["schema"], value)
					if mediaType == "application/problem+json" {
						checkProblemExample(t, status, value.(map[string]any))
					}
					seen++
				}
			}
		}
	})
	if seen < 50 {
		t.Errorf("only %d examples", seen)
	}
}

func checkProblemExample(t *testing.T, status string, p map[string]any) {
	t.Helper()
	code, _ := p["code"].(string)
	kind := problemKinds[code]
	made := problem(code, "")
	if strconv.Itoa(kind.status) != status || p["title"] != kind.title || p["type"] != made.Type {
		t.Errorf("%s: the contract shows %v", status, p)
	}
}

// What is sent while the service is up fits the contract, probes included.
func TestOtherAnswersFitTheContract(t *testing.T) {
	c := loadContract(t)
	s := trustingService(t, nil)
	for path, schema := range map[string]string{
		"/healthz": "Health", "/readyz": "Readiness", "/version": "Version", "/nothing": "Problem", "/v1/decisions": "Problem",
	} {
		got, err := jsonschema.UnmarshalJSON(strings.NewReader(ask(t, s, "GET", path, "").text))
		if err != nil {
			t.Fatal(err)
		}
		c.validate(t, path, map[string]any{"$ref": "#/components/schemas/" + schema}, got)
	}
}
