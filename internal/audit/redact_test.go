package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/store"
)

func TestNamesOfSecrets(t *testing.T) {
	tests := []struct {
		name string
		want meaning
	}{
		{"password", secret},
		{"Password", secret},
		{"PASSWORD", secret},
		{"db_password", secret},
		{"dbPassword", secret},
		{"dbpassword", secret},
		{"passwd", secret},
		{"MYSQL_PWD", secret},
		{"passphrase", secret},
		{"pass", secret},
		{"token", secret},
		{"access_token", secret},
		{"accessToken", secret},
		{"accesstoken", secret},
		{"AccessToken", secret},
		{"refresh-token", secret},
		{"GITHUB_TOKEN", secret},
		{"X-Auth-Token", secret},
		{"id.token", secret},
		{"secret", secret},
		{"client_secret", secret},
		{"clientSecret", secret},
		{"secret_id", secret},
		{"SECRET_KEY_BASE", secret},
		{"api_key", secret},
		{"apiKey", secret},
		{"APIKey", secret},
		{"apikey", secret},
		{"API-KEY", secret},
		{"x-api-key", secret},
		{"OPENAI_API_KEY", secret},
		{"authorization", secret},
		{"Authorization", secret},
		{"proxy-authorization", secret},
		{"auth", secret},
		{"cookie", secret},
		{"Set-Cookie", secret},
		{"cookies", countable},
		{"credential", secret},
		{"credentials", countable},
		{"aws_credentials", countable},
		{"private_key", secret},
		{"privateKey", secret},
		{"session_key", secret},
		{"sessionKey", secret},
		{"ssh-key", secret},
		{"AWS_SECRET_ACCESS_KEY", secret},
		{"aws_access_key_id", secret},
		{"AccountKey", secret},
		{"raw", secret},
		{"connectionString", secret},
		{"GH_PAT", secret},
		{"jwt", secret},
		{"bearer", secret},
		{"otp", secret},
		{"pin", secret},
		{"tokens", countable},
		{"api_keys", countable},
		{"passwords", countable},
		{"secrets", countable},
		{"max_tokens", countable},
		{"maxTokens", countable},

		{"tokens_used", harmless},
		{"token_count", harmless},
		{"tokenCount", harmless},
		{"token_type", harmless},
		{"token_limit", harmless},
		{"password_file", harmless},
		{"secret_name", harmless},
		{"tokenizer", harmless},
		{"secretary", harmless},
		{"passwordless", harmless},
		{"cookiecutter", harmless},
		{"key", harmless},
		{"keys", harmless},
		{"keyboard", harmless},
		{"monkey", harmless},
		{"author", harmless},
		{"authors", harmless},
		{"path", harmless},
		{"command", harmless},
		{"pattern", harmless},
		{"patch", harmless},
		{"compass", harmless},
		{"rawdata", harmless},
		{"drawing", harmless},
		{"passed", harmless},
		{"spinner", harmless},
		{"session", harmless},
		{"session_id", harmless},
		{"primary_key", harmless},
		{"foreign_key", harmless},
		{"url", harmless},
		{"", harmless},
		{"_", harmless},
		{"token_file", harmless},
	}
	for _, tc := range tests {
		if got := meaningOf(tc.name); got != tc.want {
			t.Errorf("%q means %d, want %d", tc.name, got, tc.want)
		}
	}
}

// What a text holds, and what is shown of it. S stands for a secret in the
// input, and must not be in the output.
func TestTexts(t *testing.T) {
	tests := []struct{ in, want string }{
		// Nothing to hide.
		{"git status", "git status"},
		{"", ""},
		{"mkdir -p /srv/x && docker run -p 8080:80 nginx", "mkdir -p /srv/x && docker run -p 8080:80 nginx"},
		{"max_tokens=4096 tokens: 12", "max_tokens=4096 tokens: 12"},
		{"the token expires soon", "the token expires soon"},
		{"basic authentication is off", "basic authentication is off"},
		{"https://example.com:8443/a?b=c#d", "https://example.com:8443/a?b=c#d"},
		{"git clone git@github.com:a/b.git", "git clone git@github.com:a/b.git"},
		{"ssh://git@github.com/a/b", "ssh://git@github.com/a/b"},
		{"npm i https://registry.npmjs.org/@scope/pkg", "npm i https://registry.npmjs.org/@scope/pkg"},
		{"http://[::1]:8080/x", "http://[::1]:8080/x"},
		{"cd $PWD && PWD=/srv make", "cd $PWD && PWD=/srv make"},
		{"TOKEN=$GITHUB_TOKEN curl", "TOKEN=$GITHUB_TOKEN curl"},
		{`curl --token "${TOKEN}"`, `curl --token "${TOKEN}"`},
		{"docker login --password-stdin", "docker login --password-stdin"},
		{"--token-file /run/secrets/t", "--token-file /run/secrets/t"},
		{"fix: auth: handle expiry", "fix: auth: handle expiry"},
		{"risk-management-and-disk-usage-monitoring-tools", "risk-management-and-disk-usage-monitoring-tools"},
		{"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"},
		{"password: null", "password: null"},

		// Assignments and flags.
		{"PASSWORD=hunter2S ./run", "PASSWORD=[redacted] ./run"},
		{"export DB_PASSWORD='hunter2 S' X=1", "export DB_PASSWORD=[redacted] X=1"},
		{`A=1 SECRET="a\"S" b`, "A=1 SECRET=[redacted] b"},
		{`TOKEN="aS"'bS'c d`, "TOKEN=[redacted] d"},
		{"AWS_SECRET_ACCESS_KEY=wJalrXUtS/K7MDENG+bPx aws s3 ls", "AWS_SECRET_ACCESS_KEY=[redacted] aws s3 ls"},
		{"x --password=S y", "x --password=[redacted] y"},
		{"x --password S y", "x --password [redacted] y"},
		{"x --api-key S", "x --api-key [redacted]"},
		{"x -Password S y", "x -Password [redacted] y"},
		{"kubectl create secret generic x --from-literal=password=S", "kubectl create secret generic x --from-literal=password=[redacted]"},
		{"psql 'host=db password=S user=x'", "psql 'host=db password=[redacted] user=x'"},
		{"Server=db;Uid=u;Pwd=S;Database=x", "Server=db;Uid=u;Pwd=[redacted];Database=x"},
		{"DefaultEndpointsProtocol=https;AccountKey=S+/x==;EndpointSuffix=x", "DefaultEndpointsProtocol=https;AccountKey=[redacted];EndpointSuffix=x"},
		{"ALTER USER a PASSWORD 'S'", "ALTER USER a PASSWORD [redacted]"},
		{"openssl rsa -passin pass:S -in k", "openssl rsa -passin pass:[redacted] -in k"},
		{"api_key := S", "api_key := [redacted]"},
		{`{password => "S"}`, `{password => [redacted]}`},
		{"export PASSPHRASE=S && make", "export PASSPHRASE=[redacted] && make"},
		{"MNEMONIC=S make", "MNEMONIC=[redacted] make"},
		{"export DB_PASS=S X=1", "export DB_PASS=[redacted] X=1"},
		{"set -x API_KEY S; make", "set -x API_KEY [redacted]; make"},
		{"npm config set //h/:_authToken S -g", "npm config set //h/:_authToken [redacted] -g"},
		{"echo S | docker login -u me --password-stdin reg && docker pull x", "echo [redacted] | docker login -u me --password-stdin reg && docker pull x"},
		{"sqlplus scott/S@db @x.sql", "sqlplus scott/[redacted]@db @x.sql"},
		{"machine h login u password S\nmachine g", "machine h login u password [redacted]\nmachine g"},
		{"a:\n  password: |\n    S\n    S\n  b: c", "a:\n  password: [redacted]\n  b: c"},
		{`<add key="ApiKey" value="S" x="y">`, `<add key="ApiKey" value=[redacted] x="y">`},
		{`[{"name":"TOKEN","value":"S"},{"name":"B","value":"c"}]`, `[{"name":"TOKEN","value":[redacted]},{"name":"B","value":"c"}]`},
		{"https://x.com/a;jsessionid=S?b=c", "https://x.com/a;jsessionid=[redacted]"},
		{"pаsswоrd=S и всё", "pаsswоrd=[redacted] и всё"},
		{"http -a user:S example.com", "http -a user:[redacted] example.com"},

		// Flags of programs that do not say what they are.
		{"curl -u alice:S https://x", "curl -u alice:[redacted] https://x"},
		{"curl -ualice:S https://x", "curl -ualice:[redacted] https://x"},
		{"curl --user 'alice:S' https://x", "curl --user 'alice:[redacted]' https://x"},
		{"mysql -uroot -pS db", "mysql -uroot -p[redacted] db"},
		{"sshpass -p S ssh host", "sshpass -p [redacted] ssh host"},
		{"sshpass -pS ssh -p 22 host", "sshpass -p[redacted] ssh -p [redacted] host"},
		{"/usr/bin/sshpass -p 'a S' x", "/usr/bin/sshpass -p [redacted] x"},
		{"docker login -u me -p S reg", "docker login -u me -p [redacted] reg"},
		{"redis-cli -a S get x; ls -a x", "redis-cli -a [redacted] get x; ls -a x"},
		{"zip -P S a.zip b", "zip -P [redacted] a.zip b"},

		// Headers.
		{`curl -H "Authorization: Bearer abcS.def" https://x`, `curl -H "Authorization: [redacted]" https://x`},
		{`curl -H 'X-Api-Key: S' https://x`, `curl -H 'X-Api-Key: [redacted]' https://x`},
		{"GET / HTTP/1.1\nCookie: a=S; b=S\nHost: x", "GET / HTTP/1.1\nCookie: [redacted]\nHost: x"},
		{"Set-Cookie: sid=S; Path=/\r\nX: y", "Set-Cookie: [redacted]\r\nX: y"},
		{"with bearer abcdefS123", "with bearer [redacted]"},
		{"Basic dXNlcjpTUw==", "Basic [redacted]"},

		// JSON, YAML, XML.
		{`{"password":"S","a":1}`, `{"password":[redacted],"a":1}`},
		{`{"password": "a\"S" , "a":1}`, `{"password": [redacted] , "a":1}`},
		{`{\"token\": \"S\", \"a\": 1}`, `{\"token\": \"[redacted]\", \"a\": 1}`},
		{`{"tokens":["S","S"],"a":1}`, `{"tokens":[redacted],"a":1}`},
		{`{"credentials": {"user":"S","x":{"y":"S"}}, "a":1}`, `{"credentials": [redacted], "a":1}`},
		{"user: me\npassword: correct horse S\nx: y", "user: me\npassword: [redacted]\nx: y"},
		{"token: S # x", "token: [redacted] # x"},
		{"<password>S</password>", "<password>[redacted]</password>"},

		// URLs.
		{"https://user:S@example.com/x", "https://[redacted]@example.com/x"},
		{"https://S@example.com/x", "https://[redacted]@example.com/x"},
		{"postgres://u:pS/w@db:5432/x", "postgres://[redacted]@db:5432/x"},
		{"https://x.com/?a=1&token=S&b=2", "https://x.com/?a=1&token=[redacted]&b=2"},
		{"https://x.com/?sig=S%2B&se=1", "https://x.com/?sig=[redacted]&se=1"},
		{"https://x.com/?key=S", "https://x.com/?key=[redacted]"},
		{"https://b.s3.amazonaws.com/k?X-Amz-Credential=S%2F1&X-Amz-Signature=S", "https://b.s3.amazonaws.com/k?X-Amz-Credential=[redacted]&X-Amz-Signature=[redacted]"},
		{"user=me&password=S&x=1", "user=me&password=[redacted]&x=1"},

		// Known shapes.
		{"echo ghp_0123456789abcdefS0123456789abcdef0123", "echo [redacted]"},
		{"xghp_0123456789abcdefS0123456789abcdef0123", "x[redacted]"},
		{"github_pat_11AAAAAAA0123456789S_abcdefgh", "[redacted]"},
		{"glpat-abcdefS0123456789xyz", "[redacted]"},
		{"xoxb-1234567890-S-abcdef", "[redacted]"},
		{"https://hooks.slack.com/services/T000/B000/SXXXXXXXX", "https://[redacted]"},
		{"AKIAIOSFODNN7SXAMPLE", "[redacted]"},
		{"sk-proj-abcdefghijS0123456789abcd", "[redacted]"},
		{"sk-ant-api03-S0123456789abcdefgh", "[redacted]"},
		{"AIzaSyS0123456789abcdefghijklmnopqrstuv", "[redacted]"},
		{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJTIn0.S_abc-def", "[redacted]"},
		{"npm_S0123456789abcdefghijklmnopqrstuvwx", "[redacted]"},
		{"sk_live_S0123456789abc", "[redacted]"},
		{"-----BEGIN RSA PRIVATE KEY-----\nS\n-----END RSA PRIVATE KEY-----\nx", "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\nx"},
		{"a -----BEGIN OPENSSH PRIVATE KEY-----\nS", "a -----BEGIN OPENSSH PRIVATE KEY-----[redacted]"},
	}
	for _, tc := range tests {
		if got := hideSecrets(tc.in); got != tc.want {
			t.Errorf("%q\n  is shown as %q\n        want %q", tc.in, got, tc.want)
		}
	}
}

// encoded returns the content of an event.
func encoded(rules *Redaction, ev *Event) string {
	if rules == nil {
		rules = &Redaction{body: DefaultBody}
	}
	enc := encoder{rules: rules}
	enc.encode(ev)
	return string(enc.buf)
}

func value(t *testing.T, raw string) decide.Value {
	t.Helper()
	v, err := decide.ParseValue([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func arguments(t *testing.T, content string) string {
	t.Helper()
	var c struct {
		Call struct{ Arguments json.RawMessage }
	}
	if err := json.Unmarshal([]byte(content), &c); err != nil {
		t.Fatalf("%v: %s", err, content)
	}
	return string(c.Call.Arguments)
}

func TestValues(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain values stay", `{"path":"/a","n":1.50,"b":true,"x":null,"l":[1,"a",{}]}`, `{"path":"/a","n":1.50,"b":true,"x":null,"l":[1,"a",{}]}`},
		{"a secret", `{"password":"S"}`, `{"password":"[redacted]"}`},
		{"a number that is a secret", `{"password":1234}`, `{"password":"[redacted]"}`},
		{"an empty secret", `{"password":""}`, `{"password":""}`},
		{"a missing secret", `{"password":null,"token":false}`, `{"password":null,"token":false}`},
		{"counted tokens", `{"max_tokens":5,"tokens_used":6,"tokens":"7"}`, `{"max_tokens":5,"tokens_used":6,"tokens":"7"}`},
		{"a list of secrets", `{"tokens":["S"]}`, `{"tokens":"[redacted]"}`},
		{"an object of secrets", `{"credentials":{"user":"S"}}`, `{"credentials":"[redacted]"}`},
		{"deep inside", `{"a":[{"b":{"apiKey":"S"}}]}`, `{"a":[{"b":{"apiKey":"[redacted]"}}]}`},
		{"name and value", `{"env":[{"name":"DB_PASSWORD","value":"S"}]}`, `{"env":[{"name":"DB_PASSWORD","value":"[redacted]"}]}`},
		{"value and name", `{"headers":[{"value":"S","key":"Authorization"}]}`, `{"headers":[{"value":"[redacted]","key":"Authorization"}]}`},
		{"a flag and its value", `{"argv":["x","--password","S","y"]}`, `{"argv":["x","--password","[redacted]","y"]}`},
		{"a flag with its value", `{"argv":["x","--password=S"]}`, `{"argv":["x","--password=[redacted]"]}`},
		{"in a command", `{"command":"TOKEN=S make"}`, `{"command":"TOKEN=[redacted] make"}`},
		{"in a name", `{"ghp_0123456789abcdefS0123456789abcdef0123":1}`, `{"[redacted]#0":1}`},
		{"names that become one", `{"ghp_0123456789abcdefS0123456789abcdef0123":1,"[redacted]#0":2}`, `{"[redacted]#0…":1,"[redacted]#0":2}`},
		{"a working directory", `{"pwd":"/home/me"}`, `{"pwd":"/home/me"}`},
		{"escapes", `{"a":"\u0000\n\"\\"}`, `{"a":"\u0000\n\"\\"}`},
		{"a short body", `{"content":"hello"}`, `{"content":"hello"}`},
		{"many digits", `{"n":` + strings.Repeat("1", 100) + `}`, `{"n":"[a number of 100 digits]"}`},
	}
	for _, tc := range tests {
		got := arguments(t, encoded(nil, &Event{Kind: DecisionMade, Tool: "t", Arguments: value(t, tc.in)}))
		if got != tc.want {
			t.Errorf("%s:\n%s\n  is recorded as %s\n  want           %s", tc.name, tc.in, got, tc.want)
		}
	}
}

// What the service itself says of callers, tokens and grants can be read, and
// what others put beside it cannot pass for that.
func TestOwnFactsStay(t *testing.T) {
	tests := []struct {
		name    string
		details any
		want    string
	}{
		{"a token that was revoked", map[string]any{"token_id": "4MZ3QJ7KXA"}, `{"token_id":"4MZ3QJ7KXA"}`},
		{"a token's role", map[string]any{"token_role": "runtime"}, `{"token_role":"runtime"}`},
		{"who gave a grant", map[string]any{"granted_by": "token:4MZ3QJ7KXA"}, `{"granted_by":"token:4MZ3QJ7KXA"}`},
		{"who answered", map[string]any{"resolved_by": "token:4MZ3QJ7KXA"}, `{"resolved_by":"token:4MZ3QJ7KXA"}`},
		{"what a grant is for", map[string]any{"value": "PASSWORD=S x"}, `{"value":"PASSWORD=[redacted] x"}`},
		{"the label of a session", map[string]any{"labels": map[string]any{"token_id": "S"}}, `{"labels":{"token_id":"[redacted]"}}`},
		{"a name that is no text", map[string]any{"token_id": []string{"S"}}, `{"token_id":"[redacted]"}`},
	}
	for _, tc := range tests {
		got := encoded(nil, &Event{Kind: Granted, Details: Detail(tc.details)})
		if !strings.Contains(got, `"details":`+tc.want) {
			t.Errorf("%s is recorded as %s, want %s", tc.name, got, tc.want)
		}
	}
	if got := arguments(t, encoded(nil, &Event{Tool: "t", Arguments: value(t, `{"token_id":"S"}`)})); got != `{"token_id":"[redacted]"}` {
		t.Errorf("an argument is recorded as %s", got)
	}
	rules, err := NewRedaction([]string{"/details/token_id"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := encoded(rules, &Event{Kind: TokenChanged, Details: Detail(map[string]any{"token_id": "S"})}); !strings.Contains(got, `"token_id":"[redacted]"`) {
		t.Errorf("the operator's rule does not hold: %s", got)
	}
}

func TestLongTexts(t *testing.T) {
	long := strings.Repeat("0123456789", 1000)
	for _, tc := range []struct {
		name string
		keep int
	}{{"content", DefaultBody}, {"newString", DefaultBody}, {"new_string", DefaultBody}, {"command", maxText}} {
		got := encoded(nil, &Event{Tool: "t", Arguments: decide.NewObject(decide.Member{Name: tc.name, Value: decide.Text(long)})})
		var shown map[string]string
		if err := json.Unmarshal([]byte(arguments(t, got)), &shown); err != nil {
			t.Fatal(err)
		}
		text := shown[tc.name]
		if !strings.HasPrefix(text, long[:tc.keep]+"… [10000 bytes, sha256 ") || len(text) != tc.keep+len("… [10000 bytes, sha256 ")+64+1 {
			t.Errorf("%s is recorded as %q", tc.name, text)
		}
	}
	// The digest of a text with a secret would help to guess it.
	got := encoded(nil, &Event{Tool: "t", Arguments: decide.NewObject(decide.Member{Name: "body", Value: decide.Text("PIN=1234 " + long)})})
	if strings.Contains(got, "sha256") || strings.Contains(got, "1234 ") {
		t.Error(got)
	}
	// Nor may a cut leave the start of one.
	for at := DefaultBody - 60; at < DefaultBody+10; at++ {
		text := strings.Repeat("x", at) + " ghp_0123456789abcdefS0123456789abcdef0123 " + long
		got := encoded(nil, &Event{Tool: "t", Arguments: decide.NewObject(decide.Member{Name: "body", Value: decide.Text(text)})})
		if strings.Contains(got, "ghp_0") {
			t.Fatal(got)
		}
	}
}

// Whatever is recorded, the record stays small and is JSON.
func TestRecordsAreBounded(t *testing.T) {
	var members []decide.Member
	for i := range 5000 {
		members = append(members, decide.Member{Name: fmt.Sprintf("k%d", i), Value: decide.Text(strings.Repeat("v", 100))})
	}
	deep := decide.Text("x")
	for range 200 {
		deep = decide.NewObject(decide.Member{Name: strings.Repeat("d", 500), Value: deep}, decide.Member{Name: "e", Value: deep})
	}
	var texts []string
	var paths []decide.JudgedPath
	for range 1000 {
		texts = append(texts, strings.Repeat("\x01", 3000))
		paths = append(paths, decide.JudgedPath{Given: strings.Repeat("\"", 9000), Resolved: strings.Repeat("é", 9000)})
	}
	for name, ev := range map[string]*Event{
		"many members":    {Tool: "t", Arguments: decide.NewObject(members...)},
		"deep":            {Tool: "t", Arguments: deep, Metadata: deep, Details: deep},
		"many texts":      {Tool: "t", Decision: &decide.Decision{Reason: texts[0], Rule: texts[1], Warnings: texts, Suggestions: texts, Paths: paths, URL: texts[0]}, Note: texts[0], Details: decide.NewObject(members...)},
		"long names":      {Tool: strings.Repeat("\x00", 100_000), Trace: texts[0], Request: texts[0], Approval: texts[0], Context: texts[0]},
		"no text at all":  {Tool: "\xff\xfe", Note: "\xc3", Arguments: decide.NewObject(decide.Member{Name: "\xff", Value: decide.Text("\xff")})},
		"control":         {Tool: "t", Arguments: decide.NewObject(decide.Member{Name: "a", Value: decide.Text(strings.Repeat("\x00", 100_000))})},
		"quotes in names": {Tool: "t", Arguments: decide.NewObject(decide.Member{Name: strings.Repeat("\"", 100_000), Value: decide.Text("x")})},
	} {
		got := encoded(nil, ev)
		if len(got) > maxRecord {
			t.Errorf("%s: %d bytes", name, len(got))
		}
		if !compactJSON([]byte(got)) {
			t.Errorf("%s: is no JSON: %.200s", name, got)
		}
	}
}

func TestPointers(t *testing.T) {
	rules, err := NewRedaction([]string{"/arguments/headers/X-Id", "/arguments/list/*/name", "/arguments/all/*", "/arguments/a~1b/c~0d", "/metadata", "/arguments/one/0"}, DefaultBody)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ in, want string }{
		{`{"headers":{"X-Id":"S","X-Other":"o"}}`, `{"headers":{"X-Id":"[redacted]","X-Other":"o"}}`},
		{`{"headers":"x"}`, `{"headers":"x"}`},
		{`{"list":[{"name":"S","n":1},{"name":{"a":"S"}}]}`, `{"list":[{"name":"[redacted]","n":1},{"name":"[redacted]"}]}`},
		{`{"all":{"a":"S","b":["S"]},"more":{"a":"m"}}`, `{"all":{"a":"[redacted]","b":"[redacted]"},"more":{"a":"m"}}`},
		{`{"a/b":{"c~d":"S","c":"c"}}`, `{"a/b":{"c~d":"[redacted]","c":"c"}}`},
		{`{"one":["S","two"]}`, `{"one":["[redacted]","two"]}`},
	}
	for _, tc := range tests {
		content := encoded(rules, &Event{Tool: "t", Arguments: value(t, tc.in), Metadata: value(t, `{"m":"S"}`)})
		if got := arguments(t, content); got != tc.want {
			t.Errorf("%s\n  is recorded as %s\n  want           %s", tc.in, got, tc.want)
		}
		if !strings.Contains(content, `"metadata":"[redacted]"`) {
			t.Error(content)
		}
	}
	for _, bad := range []string{"", "arguments", "/", "/args/x", "/arguments/~", "/arguments/~2", "/arguments/" + strings.Repeat("x", 2000)} {
		if CheckPointer(bad) == "" {
			t.Errorf("%.40q is taken for a pointer", bad)
		}
	}
}

func TestEntry(t *testing.T) {
	ev := testEvent(7)
	ev.Time = time.Date(2030, 1, 2, 3, 4, 5, 6789, time.UTC)
	ev.Context, ev.Trace, ev.Request, ev.Approval, ev.Note = "ctx", "4bf92f3577b34da6a3ce929d0e0e4736", "req", "appr", "as asked"
	ev.Metadata = value(t, `{"category":"mcp"}`)
	ev.Decision.Paths = []decide.JudgedPath{{Given: "a", Resolved: "/r/a", Root: "/r", Access: decide.AccessWrite}}
	ev.Decision.URL, ev.Decision.Warnings, ev.Decision.PolicyRevision = "https://x", []string{"w"}, "sha256:1"
	ev.Decision.Obligations = []decide.Obligation{decide.PinAddress}
	w := openTest(t, newMemLog(), testIdentity(t), Settings{Sync: true})
	if err := w.Write(ctx, ev); err != nil {
		t.Fatal(err)
	}
	e, err := Decode(w.log.all()[0])
	if err != nil {
		t.Fatal(err)
	}
	d := e.Decision
	if e.Seq != 1 || e.Writer != w.ID() || e.Kind != DecisionMade || e.Session != "s1" || e.Time != ev.Time.Truncate(time.Microsecond) ||
		e.Caller != (Who{ID: "token:a", Role: "runtime"}) || e.Context != "ctx" || e.Trace != ev.Trace || e.Request != "req" || e.Approval != "appr" ||
		e.Note != "as asked" || e.Duration != 1500 || e.Call.Tool != "run_shell" || string(e.Call.Arguments) != `{"command":"git status 7"}` ||
		string(e.Call.Metadata) != `{"category":"mcp"}` || e.Outcome != "allow" || e.Code != "low_risk" || !d.Allowed || d.NeedsUser || d.Outcome != "allow" ||
		d.Reason != "it only reads" || d.PolicyRevision != "sha256:1" || d.Paths[0] != (Path{"a", "/r/a", "/r", decide.AccessWrite}) || d.URL != "https://x" ||
		d.Warnings[0] != "w" || d.Obligations[0] != decide.PinAddress {
		t.Errorf("read back: %+v %+v", e, d)
	}
	if _, err := w.log.EraseContents(ctx, "s1"); err != nil {
		t.Fatal(err)
	}
	e, err = Decode(w.log.all()[0])
	if err != nil || !e.Erased || e.Call.Tool != "run_shell" || e.Caller.ID != "token:a" || e.Decision != nil {
		t.Errorf("read back after erasure: %+v, %v", e, err)
	}
	if _, err := Decode(store.Record{Content: []byte("x")}); err == nil {
		t.Error("a content that is no JSON is read")
	}
}
