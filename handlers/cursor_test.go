package handlers

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// A cursor leads on in its own list under its own filters, and nowhere else.
func TestCursors(t *testing.T) {
	s := withStore(t)
	const asJSON = "Content-Type: application/json"
	for i := range 3 {
		name := fmt.Sprintf("s%d", i)
		want(t, ask(t, s, "PUT", "/v1/sessions/"+name, `{"workspace_root":"/srv/app","labels":{"team":"core"}}`, "Authorization: runtime", asJSON), 201, nil)
		want(t, ask(t, s, "POST", "/v1/decisions", `{"session_id":"`+name+`","call":{"tool_name":"run_shell","arguments":{"command":"make test"}}}`, "Authorization: runtime"), 200, "approval_required")
	}
	lists := map[string]struct{ path, other string }{
		"sessions":  {"/v1/sessions?limit=1", "/v1/sessions?limit=1&label=team%3Dcore"},
		"approvals": {"/v1/approvals?limit=1", "/v1/approvals?limit=1&state=pending"},
		"decisions": {"/v1/decisions?limit=1", "/v1/decisions?limit=1&outcome=ask"},
	}
	cursors := map[string]string{}
	for name, list := range lists {
		a := ask(t, s, "GET", list.path, "", "Authorization: admin")
		want(t, a, 200, nil)
		next, ok := a.field("next_cursor").(string)
		if !ok {
			t.Fatalf("%s: no cursor in %s", name, a.text)
		}
		cursors[name] = next
		for _, length := range []string{"1", "2", "1000"} {
			again := ask(t, s, "GET", strings.Replace(list.path, "limit=1", "limit="+length, 1)+"&cursor="+next, "", "Authorization: admin")
			want(t, again, 200, nil)
			if len(again.field("items").([]any)) == 0 {
				t.Errorf("%s: nothing behind the first page: %s", name, again.text)
			}
		}
	}
	for name, list := range lists {
		raw, _ := base64.RawURLEncoding.DecodeString(cursors[name])
		forged := func(change func([]byte) []byte) string {
			return base64.RawURLEncoding.EncodeToString(change(append([]byte(nil), raw...)))
		}
		bad := map[string]string{
			"an id":            "s1",
			"an UUID":          "0198a4c2-7e0b-7cc3-98c4-dc0c0c07398f",
			"nothing":          "",
			"a NUL":            "\x00",
			"no base64":        "%%%",
			"a mark alone":     forged(func(b []byte) []byte { return b[:cursorMark] }),
			"another place":    forged(func(b []byte) []byte { b[len(b)-1] ^= 1; return b }),
			"another mark":     forged(func(b []byte) []byte { b[0] ^= 1; return b }),
			"a longer place":   forged(func(b []byte) []byte { return append(b, 'x') }),
			"much":             strings.Repeat("A", 10_000),
			"padded":           cursors[name] + "=",
			"a line end in it": cursors[name] + "\n",
		}
		for other, cursor := range cursors {
			if other != name {
				bad["that of "+other] = cursor
			}
		}
		for what, cursor := range bad {
			a := ask(t, s, "GET", list.path+"&cursor="+url.QueryEscape(cursor), "", "Authorization: admin")
			if a.status != 400 || a.field("code") != codeValidation || !strings.Contains(a.text, "query parameter cursor") {
				t.Errorf("%s, %s: %d %s", name, what, a.status, clip(a.text, 300))
			}
		}
		want(t, ask(t, s, "GET", list.other+"&cursor="+cursors[name], "", "Authorization: admin"), 400, codeValidation)
	}
	// A place that no id can be is refused, also with the right mark.
	for _, place := range []string{"a\x00b", "a b", "é", strings.Repeat("x", maxName+1)} {
		q := query{url.Values{}}
		want(t, ask(t, s, "GET", "/v1/sessions?cursor="+q.next("sessions", place), "", "Authorization: admin"), 400, codeValidation)
	}
	want(t, ask(t, s, "GET", "/v1/sessions/s1/grants?cursor=x", "", "Authorization: admin"), 400, codeValidation)
	for _, id := range []string{"x", "x-", "-1", "x-y", "x-01", "x--1", "x-99999999999999999999", "a\x00b-1", "X-1", strings.Repeat("x", 50) + "-1"} {
		want(t, ask(t, s, "GET", "/v1/events?last_event_id="+url.QueryEscape(id), "", "Authorization: admin"), 400, codeValidation)
		want(t, ask(t, s, "GET", "/v1/events", "", "Authorization: admin", "Last-Event-ID: "+id), 400, codeValidation)
	}
}

// A filter that can match nothing in the store is a mistake, and no empty list.
func TestFiltersThatNothingCanMatch(t *testing.T) {
	s := withStore(t)
	for _, list := range []string{
		"/v1/sessions?label=", "/v1/sessions?label=a%3D", "/v1/approvals?session_id=", "/v1/events?session_id=",
		"/v1/decisions?session_id=", "/v1/decisions?tool=", "/v1/decisions?code=", "/v1/decisions?outcome=", "/v1/decisions?since=",
	} {
		for _, text := range []string{"\x00", "a\x00", "\xff", "a\xed\xa0\x80"} {
			a := ask(t, s, "GET", list+url.QueryEscape(text), "", "Authorization: admin")
			if a.status != 400 || a.field("code") != codeValidation || !strings.Contains(a.text, "holds NUL or is not UTF-8") {
				t.Errorf("%s%q: %d %s", list, text, a.status, clip(a.text, 300))
			}
		}
	}
	for _, text := range []string{"é", "a\nb", "\ufffd", "'\"%_"} {
		want(t, ask(t, s, "GET", "/v1/decisions?tool="+url.QueryEscape(text), "", "Authorization: admin"), 200, nil)
	}
}
