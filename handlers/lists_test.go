package handlers

import (
	"fmt"
	"strings"
	"testing"
)

// However many and heavy the sessions of a runtime are, a page stays small, and
// the cursor leads through all of them.
func TestListsAreCutByTheirWeight(t *testing.T) {
	s := withStore(t)
	heavy := `["make ` + strings.Repeat("y", 100_000) + `"` + strings.Repeat(`,"make `+strings.Repeat("y", 100_000)+`"`, 7) + `]`
	for i := range 12 {
		a := ask(t, s, "PUT", fmt.Sprintf("/v1/sessions/heavy-%02d", i),
			`{"workspace_root":"/srv/app","deny":{"commands":`+heavy+`}}`, "Authorization: runtime", "Content-Type: application/json")
		want(t, a, 201, nil)
	}
	seen, pages, cursor := 0, 0, ""
	for {
		a := ask(t, s, "GET", "/v1/sessions?limit=1000"+cursor, "", "Authorization: runtime")
		want(t, a, 200, nil)
		if len(a.text) > 5<<20 {
			t.Errorf("a page of %d bytes", len(a.text))
		}
		seen += len(a.field("items").([]any))
		pages++
		next, ok := a.field("next_cursor").(string)
		if !ok {
			break
		}
		cursor = "&cursor=" + next
	}
	if seen != 12 || pages != 3 {
		t.Errorf("%d sessions on %d pages", seen, pages)
	}
}

func TestOneCallerHasFewListsAtOnce(t *testing.T) {
	s := withStore(t)
	for range maxListsOfOne {
		s.lists.take("test:runtime")
	}
	for _, path := range []string{"/v1/sessions", "/v1/approvals"} {
		want(t, ask(t, s, "GET", path, "", "Authorization: runtime"), 429, codeTooManyWaiting)
		want(t, ask(t, s, "GET", path, "", "Authorization: approver"), 200, nil)
	}
}
