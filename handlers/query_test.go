package handlers

import (
	"strings"
	"testing"
)

// A parameter of the query is told as such: nothing is wrong with a body.
func TestProblemsOfTheQuery(t *testing.T) {
	s := withStore(t)
	for _, row := range []struct{ path, detail string }{
		{"/v1/decisions?cod=deny", "query parameter cod is not known here"},
		{"/v1/decisions?code=a&code=b", "query parameter code is given twice"},
		{"/v1/decisions?limit=0", "query parameter limit must be"},
		{"/v1/decisions?since=now", "query parameter since must be a time"},
		{"/v1/decisions?code=%00", "query parameter code holds NUL"},
		{"/v1/decisions?%zz", "the query string cannot be read"},
		{"/v1/decisions?a=b;c", "the query string cannot be read"},
	} {
		a := ask(t, s, "GET", row.path, "", "Authorization: admin")
		if want(t, a, 400, codeValidation); a.field("title") != "A parameter of the query is not valid" || !strings.HasPrefix(a.field("detail").(string), row.detail) {
			t.Errorf("%s: %s", row.path, a.text)
		}
	}
}
