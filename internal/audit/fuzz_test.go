package audit

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/store"
)

// planted are secrets in the places where they are known for what they are; the
// mark stands in for the secret.
const mark = "Zq7Kx9Wv3Tn5Rm1P"

var planted = []string{
	"password=" + mark, "DB_PASSWORD='a " + mark + "'", `SECRET="` + mark + `"`, "--token " + mark, "--api-key=" + mark,
	"Authorization: Bearer " + mark, "Authorization: Basic " + mark, "bearer " + mark, "X-Api-Key: " + mark, "Cookie: sid=" + mark,
	"https://user:" + mark + "@example.com/", "https://" + mark + "@example.com", "https://x.com/?token=" + mark + "&a=b", "https://x.com/?a=b&sig=" + mark,
	"curl -u me:" + mark + " x", "mysql -p" + mark + " db", "sshpass -p " + mark + " ssh x",
	"AKIAZQ7KX9WV3TN5RM1P", "ghp_" + mark + mark, "github_pat_" + mark + mark, "glpat-" + mark + mark, "xoxb-" + mark, "sk-" + mark + mark,
	"sk-ant-" + mark + mark, "eyJhbGciOiJIUzI1NiJ9." + mark + "." + mark,
	"-----BEGIN RSA PRIVATE KEY-----\n" + mark + "\n-----END RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----" + mark,
	`{"password":"` + mark + `"}`, `{\"token\":\"` + mark + `\"}`, "<secret>" + mark + "</secret>", "password: " + mark,
	"DB_PASS=" + mark, "JSESSIONID=" + mark, "https://discord.com/api/webhooks/1/" + mark, "https://api.telegram.org/bot1:" + mark + "/x",
	"pаsswоrd=" + mark, "pass%77ord=" + mark, "pass\u200bword=" + mark, "setenv API_KEY " + mark, "[{\"name\":\"TOKEN\",\"value\":\"" + mark + "\"}]",
}

func survives(s string) bool {
	return strings.Contains(s, mark) || strings.Contains(s, "AKIAZQ7KX9WV3TN5RM1P") || strings.Contains(s, mark[:8])
}

// A planted secret does not survive, whatever stands around it.
func FuzzTexts(f *testing.F) {
	f.Add("", "", 0)
	f.Add("echo ", " && x", 5)
	f.Add(strings.Repeat("x", maxText-20)+" ", "y", 9)
	f.Fuzz(func(t *testing.T, before, after string, which int) {
		if survives(before) || survives(after) || strings.Contains(mark, strings.TrimSpace(after)) && strings.TrimSpace(after) != "" {
			return
		}
		secret := planted[uint(which)%uint(len(planted))]
		text := before + "\n" + secret + " " + after
		if shown := hideSecrets(text); survives(shown) {
			t.Errorf("%q is shown as %q", text, shown)
		}
		for _, name := range []string{"command", "content", "x"} {
			got := encoded(nil, &Event{
				Tool: before, Note: text, Arguments: decide.NewObject(decide.Member{Name: name, Value: decide.Text(text)}),
				Decision: &decide.Decision{Reason: text, URL: text, Warnings: []string{text}},
			})
			if survives(got) {
				t.Errorf("%s: %q is recorded as %s", name, text, got)
			}
			if len(got) > maxRecord || !compactJSON([]byte(got)) {
				t.Errorf("%q is recorded as %d bytes: %s", text, len(got), got)
			}
		}
	})
}

// Any arguments give a small record that is JSON, keeps no member of a secret
// name, and can be read back.
func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"a":1}`), "password", "/arguments/a/*")
	f.Add([]byte(`{"a":[{"name":"TOKEN","value":"x"}],"…":{"b":"\u0000"}}`), "apiKey", "/arguments/*")
	f.Fuzz(func(t *testing.T, raw []byte, name, pointer string) {
		v, err := decide.ParseValue(raw)
		if err != nil || bytes.Contains(raw, []byte(mark[:8])) {
			return
		}
		rules, err := NewRedaction([]string{pointer}, DefaultBody)
		if err != nil {
			rules = &Redaction{body: DefaultBody}
		}
		members := []decide.Member{{Name: "inner", Value: v}}
		if meaningOf(name) != harmless {
			members = append(members, decide.Member{Name: name, Value: decide.Text(mark)})
		}
		got := encoded(rules, &Event{Tool: name, Arguments: decide.NewObject(members...), Details: v})
		if len(got) > maxRecord || !compactJSON([]byte(got)) {
			t.Fatalf("%s is recorded as %d bytes: %s", raw, len(got), got)
		}
		if survives(got) {
			t.Errorf("%q in %s is recorded as %s", name, raw, got)
		}
		if _, err := Decode(store.Record{Content: []byte(got)}); err != nil {
			t.Errorf("%s cannot be read back: %v", got, err)
		}
	})
}

// The bytes of a header can be read back in one way only, so no two headers have
// the same.
func FuzzHeader(f *testing.F) {
	f.Add("w", int64(1), "id", int64(5), "decision", "s", "c", "t", "allow", "code", []byte("hash"))
	f.Fuzz(func(t *testing.T, writer string, seq int64, id string, at int64, kind, session, caller, tool, outcome, code string, hash []byte) {
		r := store.Record{
			Writer: writer, Seq: seq, ID: id, Time: time.UnixMicro(at), Kind: kind, Session: session,
			Caller: caller, Tool: tool, Outcome: outcome, Code: code, ContentHash: hash,
		}
		raw := appendHeader(nil, &r)
		rest, ok := bytes.CutPrefix(raw, []byte(headerVersion))
		if !ok {
			t.Fatal("no version")
		}
		number := func() (n int64) {
			for _, b := range rest[:8] {
				n = n<<8 | int64(b)
			}
			rest = rest[8:]
			return n
		}
		text := func() string {
			n := int(rest[0])<<24 | int(rest[1])<<16 | int(rest[2])<<8 | int(rest[3])
			s := string(rest[4 : 4+n])
			rest = rest[4+n:]
			return s
		}
		var back store.Record
		back.Writer, back.Seq, back.ID = text(), number(), text()
		micros := number()
		back.Kind, back.Session, back.Caller, back.Tool, back.Outcome, back.Code = text(), text(), text(), text(), text(), text()
		back.ContentHash = []byte(text())
		if len(rest) > 0 || back.Writer != writer || back.Seq != seq || back.ID != id || micros != r.Time.UnixMicro() || back.Kind != kind ||
			back.Session != session || back.Caller != caller || back.Tool != tool || back.Outcome != outcome || back.Code != code ||
			!bytes.Equal(back.ContentHash, hash) {
			t.Errorf("%q reads back as %+v", raw, back)
		}
	})
}
