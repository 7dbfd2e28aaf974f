package handlers

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestInspectBatch(t *testing.T) {
	dir := t.TempDir()
	open, closed := dir+"/open", dir+"/closed"
	for _, err := range []error{os.Mkdir(open, 0o700), os.Mkdir(closed, 0o700), os.WriteFile(open+"/key", nil, 0o600), os.WriteFile(closed+"/key", nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s := trustingService(t, func(d *Deps) { d.InspectRoots = func() []string { return []string{open} } })
	a := ask(t, s, "POST", "/v1/paths/inspect/batch", fmt.Sprintf(`{"paths":[%q,%q,%q,%q],"profile":"ssh-private-key","effective_for":{"uid":4711}}`,
		open+"/key", closed+"/key", open+"/missing", open+"/key"))
	if a.status != 200 || len(a.fields["results"].([]any)) != 4 {
		t.Fatalf("got %d %s", a.status, a.text)
	}
	for i, ok := range []bool{true, false, false, true} {
		if a.field(fmt.Sprintf("results.%d.ok", i)) != ok {
			t.Errorf("result %d: got %s", i, a.text)
		}
	}
	// Nothing is said of a path that may not be inspected, not even whether it exists.
	if a.field("results.1.error") != notShown || a.field("results.1.facts.replaceable_by_others") != nil || a.field("results.1.profile") != nil {
		t.Errorf("got %s", a.text)
	}
	if a.field("results.0.effective_access.read") != false {
		t.Errorf("got %s", a.text)
	}
	a = ask(t, s, "POST", "/v1/paths/inspect/batch", `{"paths":[]}`)
	if a.status != 200 || a.text != `{"results":[]}` {
		t.Errorf("got %d %s", a.status, a.text)
	}
}

func TestInspectRoutesRefuse(t *testing.T) {
	s := trustingService(t, nil)
	many := strings.Repeat(`"/a",`, 4096) + `"/a"`
	for _, row := range []struct{ path, body, pointer string }{
		{"/v1/paths/inspect", `{"path":"/x","profile":"none"}`, "/profile"},
		{"/v1/paths/inspect", `{"path":"/x","effective_for":{"uid":-1}}`, "/effective_for/uid"},
		{"/v1/paths/inspect", `{"path":"/x","effective_for":{"uid":1.5}}`, "/effective_for/uid"},
		{"/v1/paths/inspect/batch", `{}`, "/paths"},
		{"/v1/paths/inspect/batch", `{"paths":null}`, "/paths"},
		{"/v1/paths/inspect/batch", `{"paths":["/x","x"]}`, "/paths/1"},
		{"/v1/paths/inspect/batch", `{"paths":["/x",""]}`, "/paths/1"},
		{"/v1/paths/inspect/batch", `{"paths":[` + many + `]}`, "/paths"},
		{"/v1/paths/inspect/batch", `{"paths":["/x"],"timeout_ms":0}`, "/timeout_ms"},
		{"/v1/paths/inspect/batch", `{"paths":["/x"],"timeout_ms":2147483648}`, "/timeout_ms"},
		{"/v1/paths/inspect/batch", `{"paths":["/x"],"timeout_ms":"5"}`, "/timeout_ms"},
		{"/v1/paths/owner-dacl", `{"paths":["/x",""]}`, "/paths/1"},
		{"/v1/paths/owner-dacl", `{"paths":["a\u0000b"]}`, "/paths/0"},
		{"/v1/paths/owner-dacl", `{"paths":[5]}`, "/paths/0"},
		{"/v1/paths/owner-dacl", `{"paths":["/x"],"timeout_ms":1.5}`, "/timeout_ms"},
		{"/v1/windows/acl/parse", `{"output":5,"target_path":"x"}`, "/output"},
		{"/v1/windows/acl/summarize", `{"env":{}}`, "/entries"},
		{"/v1/windows/acl/classify", `{}`, "/facts"},
		{"/v1/windows/acl/classify", `{"facts":{},"failure":"x"}`, "/facts"},
		{"/v1/windows/acl/reset-command", `{"env":{}}`, "/path"},
	} {
		a := ask(t, s, "POST", row.path, row.body)
		if want(t, a, http.StatusBadRequest, "validation_failed"); a.field("errors.0.pointer") != row.pointer {
			t.Errorf("%s %.80s: got %s", row.path, row.body, a.text)
		}
	}
}

// The environment of the service names its user, not the caller's.
func TestACLRoutesDoNotReadTheService(t *testing.T) {
	t.Setenv("USERNAME", "service")
	t.Setenv("USERDOMAIN", "HOST")
	s := trustingService(t, nil)
	a := ask(t, s, "POST", "/v1/windows/acl/reset-command", `{"path":"C:\\key"}`)
	if a.status != 200 || strings.TrimSpace(a.text) != "null" {
		t.Errorf("got %d %s", a.status, a.text)
	}
	a = ask(t, s, "POST", "/v1/windows/acl/summarize", `{"entries":[{"principal":"HOST\\service","rights":["F"],"raw_rights":"(F)","can_read":true,"can_write":true}]}`)
	if a.status != 200 || len(a.fields["trusted"].([]any)) != 0 {
		t.Errorf("got %d %s", a.status, a.text)
	}
}

// Facts that make no sense have an answer in which nothing is verified.
func TestClassifyOfAnything(t *testing.T) {
	s := trustingService(t, nil)
	for _, facts := range []string{`null`, `5`, `[]`, `{}`, `"x"`, `{"owner_sid":"S-1-5-18","current_user_sid":"S-1-5-18","remote":false}`} {
		a := ask(t, s, "POST", "/v1/windows/acl/classify", `{"facts":`+facts+`}`)
		if a.status != 200 || a.fields["ok"] != false || a.fields["source"] != "unknown" || a.fields["error"] == "" {
			t.Errorf("%s: got %d %s", facts, a.status, a.text)
		}
	}
}
