package serverfile

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/auth"
)

var settings = []string{"listen", "policy", "state_dir"}

const whole = `
listen: 127.0.0.1:9000
policy: policy.yaml
state_dir: /var/lib/pdp
auth:
  jwt:
    issuer: https://id.example
    audience: pdp
    jwks_file: keys.json
    leeway: 10s
    algorithms: [RS256, ES256]
    role_claim: realm_access.roles
    roles: {agents: runtime, approvers: approver}
  certificates:
    - {uri: "spiffe://example/agent", role: runtime}
    - {dns: "*.agents.example", role: viewer, name: fleet}
    - {email: a@example.org, role: approver}
  peers:
    - {uid: 1001, role: approver}
  tokens:
    - name: ci
      role: runtime
      sha256: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
`

func TestTheWholeFile(t *testing.T) {
	f, err := Parse("server.yaml", []byte(whole), settings)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Settings["listen"]; got != (Setting{"127.0.0.1:9000", 2}) || len(f.Settings) != 3 {
		t.Errorf("settings %v", f.Settings)
	}
	j := f.Auth.JWT
	if j.Issuer != "https://id.example" || j.Audience != "pdp" || j.KeysFile != "keys.json" || j.Leeway != 10*time.Second ||
		len(j.Algorithms) != 2 || j.RoleClaim != "realm_access.roles" || j.Roles["approvers"] != auth.Approver {
		t.Errorf("jwt %+v", j)
	}
	if c := f.Auth.Certificates; len(c) != 3 || c[1] != (auth.SAN{DNS: "*.agents.example", Role: auth.Viewer, Name: "fleet"}) {
		t.Errorf("certificates %+v", c)
	}
	if f.Auth.Peers[1001] != auth.Approver || len(f.Auth.Peers) != 1 {
		t.Errorf("peers %v", f.Auth.Peers)
	}
	if k := f.Auth.Tokens; len(k) != 1 || k[0].ID != "config/ci" || k[0].Role != auth.Runtime || k[0].Digest[0] != 1 {
		t.Errorf("tokens %+v", k)
	}
	if !f.Auth.Credentials() {
		t.Error("no credentials")
	}
}

func TestAFileThatSaysNothing(t *testing.T) {
	for _, text := range []string{"", "# a comment\n", "{}", "\ufeff", " \n\n"} {
		f, err := Parse("server.yaml", []byte(text), settings)
		if err != nil || f.Auth.Credentials() {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	jwt := func(change, by string) string {
		return "auth:\n  jwt:\n" + strings.Replace(
			"    issuer: i\n    audience: pdp\n    jwks_file: k\n    role_claim: r\n    roles: {a: runtime}\n", change, by, 1)
	}
	token := func(name, role, sum string) string {
		return "    - {name: " + name + ", role: " + role + ", sha256: \"" + sum + "\"}\n"
	}
	for _, row := range []struct{ why, text, want string }{
		{"an unknown key", "listne: x", `:1: listne: is no key of this file; known here: auth, listen, policy, state_dir`},
		{"a key of a policy", "mode: plan", ":1: mode: is no key"},
		{"a dash for a line", "state-dir: /x", ":1: state-dir: is no key"},
		{"another case", "Listen: x", ":1: Listen: is no key"},
		{"a key twice", "listen: a\nlisten: b", ":2: listen: stands here a second time; the first is on line 1"},
		{"a list for a text", "listen: [a]", ":1: listen: must be one value"},
		{"no value", "listen:", ":1: listen: has no value"},
		{"an anchor", "listen: &a x", ":1: listen: must be one value"},
		{"an alias", "listen: x\npolicy: *x", "unknown anchor"},
		{"a merge", "<<: {listen: x}", "is no key"},
		{"a tag", "listen: !!binary eA==", ":1: listen: must be one value"},
		{"a line break", "listen: \"a\\nb\"", ":1: listen: holds a line break"},
		{"two documents", "listen: a\n---\nlisten: b", "more than one document"},
		{"a second document of comments", "listen: a\n---\n# listen: b\n", "more than one document"},
		{"a second document without content", "---\n---\n", "more than one document"},
		{"a second document after an end", "listen: a\n...\n---\n", "more than one document"},
		{"a document without content", "---\n", ":2: must be keys with values"},
		{"null", "null\n", ":1: must be keys with values"},
		{"a tilde", "~", ":1: must be keys with values"},
		{"no mapping", "- a", ":1: must be keys with values"},
		{"no YAML", "a: [", "server.yaml: "},
		{"an unknown key of auth", "auth: {oauth: {}}", ":1: auth.oauth: is no key"},

		{"a role that is none", "auth:\n  peers: [{uid: 1, role: root}]", `:2: auth.peers[0].role: "root" is not a role`},
		{"a user without a role", "auth:\n  peers: [{uid: 1}]", ":2: auth.peers[0]: needs a role"},
		{"a role without a user", "auth:\n  peers: [{role: admin}]", ":2: auth.peers[0]: needs one of uid and user"},
		{"both of them", "auth:\n  peers: [{uid: 1, user: root, role: admin}]", "needs one of uid and user"},
		{"a user twice", "auth:\n  peers: [{uid: 1, role: viewer}, {uid: 1, role: admin}]", ":2: auth.peers[1]: uid 1 stands in the list twice"},
		{"a negative user", "auth:\n  peers: [{uid: -1, role: viewer}]", "no number of a user"},
		{"an octal user", "auth:\n  peers: [{uid: 010, role: viewer}]", "no number of a user"},
		{"a user beyond all", "auth:\n  peers: [{uid: 4294967296, role: viewer}]", "no number of a user"},
		{"a user that is nobody's", "auth:\n  peers: [{user: no-such-user-here, role: viewer}]", "auth.peers[0]: "},
		{"users of other namespaces", "auth:\n  peers: [{uid: 65534, role: viewer}]", "other namespaces"},

		{"a certificate without a role", "auth:\n  certificates: [{dns: a.example}]", ":2: auth.certificates[0]: a certificate needs a role"},
		{"a certificate of two names", "auth:\n  certificates: [{dns: a.example, email: a@b.c, role: viewer}]", "one of uri, dns and email"},
		{"a certificate twice", "auth:\n  certificates:\n    - {dns: a.example, role: viewer}\n    - {dns: A.example, role: admin}", ":4: auth.certificates[1]: dns:a.example stands in the table twice"},

		{"a token without a role", "auth:\n  tokens:\n    - {name: a, sha256: " + hash + "}", ":3: auth.tokens[0]: a token needs a role"},
		{"a token in clear", "auth:\n  tokens:\n    - {name: a, role: admin, token: secret}", ":3: auth.tokens[0].token: is no key"},
		{"a short hash", "auth:\n  tokens:\n" + token("a", "admin", hash[2:]), "64 hexadecimal digits"},
		{"a hash of other letters", "auth:\n  tokens:\n" + token("a", "admin", "xx"+hash[2:]), "64 hexadecimal digits"},
		{"a name with a space", "auth:\n  tokens:\n" + token("a b", "admin", hash), "has a character other than"},
		{"a name twice", "auth:\n  tokens:\n" + token("a", "admin", hash) + token("a", "admin", "ff"+hash[2:]), ":4: auth.tokens[1]: has the name or the hash of another"},
		{"a hash twice", "auth:\n  tokens:\n" + token("a", "admin", hash) + token("b", "runtime", strings.ToUpper(hash)), ":4: auth.tokens[1]: has the name or the hash of another"},

		{"no issuer", jwt("issuer: i", "leeway: 1s"), "auth.jwt: a JWT needs an issuer"},
		{"no audience", jwt("audience: pdp", "leeway: 1s"), "auth.jwt: a JWT needs an audience"},
		{"no keys", jwt("jwks_file: k", "leeway: 1s"), "auth.jwt: needs one of jwks_url and jwks_file"},
		{"keys in two places", jwt("jwks_file: k", "jwks_file: k\n    jwks_url: https://a.example"), "needs one of jwks_url and jwks_file"},
		{"keys in clear", jwt("jwks_file: k", "jwks_url: http://a.example"), "auth.jwt.jwks_url: "},
		{"no role claim", jwt("role_claim: r", "leeway: 1s"), "needs a claim for the role"},
		{"no roles", jwt("roles: {a: runtime}", "leeway: 1s"), "needs a claim for the role"},
		{"roles that are a list", jwt("roles: {a: runtime}", "roles: [a]"), "auth.jwt.roles: must be a role for each value"},
		{"a value twice", jwt("{a: runtime}", "{a: runtime, a: admin}"), "a second time"},
		{"HS256", jwt("leeway", "") + "    algorithms: [HS256]\n", `the algorithm "HS256" is not one of`},
		{"none", jwt("leeway", "") + "    algorithms: [none]\n", `the algorithm "none" is not one of`},
		{"no algorithm", jwt("leeway", "") + "    algorithms: []\n", "names none"},
		{"a long leeway", jwt("leeway", "") + "    leeway: 1h\n", "the leeway is 0 to 5m0s"},
		{"a leeway without a unit", jwt("leeway", "") + "    leeway: 30\n", "is no time, such as 30s"},
	} {
		_, err := Parse("server.yaml", []byte(row.text), settings)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", row.why, err)
		}
	}
}

func TestManyMistakesAreBounded(t *testing.T) {
	_, err := Parse("server.yaml", []byte(strings.Repeat("x: 1\n", 5000)), settings)
	if err == nil || strings.Count(err.Error(), "\n") > mostErrors {
		t.Errorf("got %d lines", strings.Count(err.Error(), "\n"))
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "server.yaml")
	if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path, settings, []string{"policy", "state_dir"})
	if err != nil {
		t.Fatal(err)
	}
	// Names are relative to the file, wherever the program was started.
	if got := f.Settings["policy"].Value; got != filepath.Join(dir, "policy.yaml") {
		t.Errorf("policy is %s", got)
	}
	if got := f.Auth.JWT.KeysFile; got != filepath.Join(dir, "keys.json") {
		t.Errorf("keys are in %s", got)
	}
	if got := f.Settings["listen"].Value; got != "127.0.0.1:9000" {
		t.Errorf("listen is %s", got)
	}
	if _, err := Load(dir, settings, nil); err == nil {
		t.Error("a directory is a file")
	}
	if _, err := Load(filepath.Join(dir, "none"), settings, nil); err == nil {
		t.Error("nothing is a file")
	}
	if err := os.WriteFile(path, make([]byte, maxBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path, settings, nil); err == nil {
		t.Error("a huge file is read")
	}
}

func TestAFileThatEverybodyMayWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mode bits say nothing there")
	}
	path := filepath.Join(t.TempDir(), "server.yaml")
	if err := os.WriteFile(path, []byte("listen: x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, ok := range map[os.FileMode]bool{0o600: true, 0o644: true, 0o660: true, 0o602: false, 0o666: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path, settings, nil); (err == nil) != ok {
			t.Errorf("%o: %v", mode, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{whole, "", "auth: {tokens: [{}]}", "listen: &a [*a]", "a: b: c", "auth:\n  jwt: {}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("server.yaml", []byte(text), settings)
		if (err == nil) == (file == nil) {
			t.Errorf("%v, %v", file, err)
		}
	})
}
