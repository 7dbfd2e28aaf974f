package sessions

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/store"
)

// reviewed is a world in auto-approve mode whose reviewer answers as told, and
// counts how often it was asked.
func reviewed(t *testing.T, answer http.HandlerFunc) (*world, *atomic.Int64) {
	t.Helper()
	w := newWorld(t, bypass)
	asked := &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(res http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer(res, r)
	}))
	t.Cleanup(server.Close)
	w.setReviewer(&Reviewer{URL: server.URL, Timeout: time.Minute, Secret: "s3cret"})
	w.put(alpha, "s", mode("auto-approve"))
	return w, asked
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// Only a clear yes clears an ask. Everything else leaves it for a person.
func TestWhatAReviewerSays(t *testing.T) {
	elsewhere := httptest.NewServer(says(`{"verdict":"allow"}`))
	defer elsewhere.Close()
	for name, row := range map[string]struct {
		answer  http.HandlerFunc
		code    decide.Code
		verdict Verdict
	}{
		"yes":                {says(`{"verdict":"allow","reason":"a test"}`), decide.CodeReviewerApproved, ReviewAllow},
		"yes without reason": {says(`{"verdict":"allow"}`), decide.CodeReviewerApproved, ReviewAllow},
		"yes, and more":      {says(`{"verdict":"allow","score":1}`), decide.CodeReviewerApproved, ReviewAllow},
		"yes, with a reason that nobody can store": {says(`{"verdict":"allow","reason":"a\u0000b` + strings.Repeat("é", 10_000) + `"}`), decide.CodeReviewerApproved, ReviewAllow},
		"no":               {says(`{"verdict":"deny","reason":"no"}`), decide.CodeApprovalRequired, ReviewDeny},
		"unsure":           {says(`{"verdict":"unsure"}`), decide.CodeApprovalRequired, ReviewUnsure},
		"nothing":          {says(``), decide.CodeApprovalRequired, ReviewUnsure},
		"null":             {says(`null`), decide.CodeApprovalRequired, ReviewUnsure},
		"an empty object":  {says(`{}`), decide.CodeApprovalRequired, ReviewUnsure},
		"the bare word":    {says(`allow`), decide.CodeApprovalRequired, ReviewUnsure},
		"the word as text": {says(`"allow"`), decide.CodeApprovalRequired, ReviewUnsure},
		"another word":     {says(`{"verdict":"ALLOW"}`), decide.CodeApprovalRequired, ReviewUnsure},
		"another key":      {says(`{"Verdict":"allow"}`), decide.CodeApprovalRequired, ReviewUnsure},
		"both":             {says(`{"verdict":"deny","verdict":"allow"}`), decide.CodeApprovalRequired, ReviewUnsure},
		"two values":       {says(`{"verdict":"allow"}{"verdict":"deny"}`), decide.CodeApprovalRequired, ReviewUnsure},
		"a list":           {says(`["allow"]`), decide.CodeApprovalRequired, ReviewUnsure},
		"true":             {says(`{"verdict":true}`), decide.CodeApprovalRequired, ReviewUnsure},
		"a long answer":    {says(`{"verdict":"allow","reason":"` + strings.Repeat("x", maxReview) + `"}`), decide.CodeApprovalRequired, ReviewUnsure},
		"a cut answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"verdict":"allow"}`)
		}, decide.CodeApprovalRequired, ReviewUnsure},
		"a yes with an error": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, `{"verdict":"allow"}`)
		}, decide.CodeApprovalRequired, ReviewUnsure},
		"a yes that is no 200": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, `{"verdict":"allow"}`)
		}, decide.CodeApprovalRequired, ReviewUnsure},
		"a redirection": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, decide.CodeApprovalRequired, ReviewUnsure},
		"nobody": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, decide.CodeApprovalRequired, ReviewUnsure},
	} {
		t.Run(name, func(t *testing.T) {
			w, asked := reviewed(t, row.answer)
			a := w.code(alpha, "s", shell("make"), row.code)
			if a.Reviewed == nil || a.Reviewed.Verdict != row.verdict || asked.Load() < 1 {
				t.Errorf("asked %d times, %+v", asked.Load(), a.Reviewed)
			}
			if row.verdict == ReviewAllow {
				if a.Outcome != decide.Allow || a.Approval.State != store.Approved || a.Approval.By != "reviewer" || a.Approval.Used.IsZero() {
					t.Errorf("cleared as %v %+v", a.Outcome, a.Approval)
				}
				return
			}
			if a.Outcome != decide.Ask || a.Approval.State != store.Pending {
				t.Errorf("%v, the approval is %s", a.Outcome, a.Approval.State)
			}
			before := asked.Load()
			if w.code(alpha, "s", shell("make"), decide.CodeApprovalRequired); asked.Load() != before {
				t.Error("asked again about the same call")
			}
			w.resolve(a, decide.ResolveOnce)
			w.code(alpha, "s", shell("make"), decide.CodeApprovedOnce)
		})
	}
}

func TestALateReviewerIsUnsure(t *testing.T) {
	end := make(chan struct{})
	w, _ := reviewed(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-end:
		}
	})
	defer close(end)
	w.reviewer.Timeout = time.Millisecond
	if a := w.code(alpha, "s", shell("make"), decide.CodeApprovalRequired); a.Reviewed.Verdict != ReviewUnsure || a.Approval.State != store.Pending {
		t.Errorf("%+v", a.Reviewed)
	}
}

// What a reviewer is told, and how it knows who tells it.
func TestWhatAReviewerSees(t *testing.T) {
	var body []byte
	var header http.Header
	w, _ := reviewed(t, func(res http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		header = r.Header
		_, _ = io.WriteString(res, `{"verdict":"unsure"}`)
	})
	a := w.try(alpha, "s", shell("make"))
	mac := hmac.New(sha256.New, []byte("s3cret"))
	mac.Write(body)
	if got, want := header.Get("X-Pdp-Signature"), "sha256="+hex.EncodeToString(mac.Sum(nil)); got != want {
		t.Errorf("signed %s, want %s", got, want)
	}
	var sent struct {
		SessionID  string `json:"session_id"`
		ApprovalID string `json:"approval_id"`
		Request    struct {
			Tool      string         `json:"tool_name"`
			Arguments map[string]any `json:"arguments"`
			Cwd       string         `json:"cwd"`
		} `json:"request"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	if sent.SessionID != "s" || sent.ApprovalID != a.Approval.ID || sent.Request.Tool != "run_shell" ||
		sent.Request.Arguments["command"] != "make" || sent.Request.Cwd != w.dir {
		t.Errorf("it was sent %s", body)
	}
	if header.Get("Content-Type") != "application/json" {
		t.Error(header)
	}
}

// A reviewer is asked only about what it may decide.
func TestWhatAReviewerIsAsked(t *testing.T) {
	for name, row := range map[string]struct {
		mode  string
		call  decide.Call
		code  decide.Code
		asked int64
	}{
		"an ask":                            {"auto-approve", shell("make"), decide.CodeReviewerApproved, 1},
		"an ask that only a person answers": {"auto-approve", tool("write_file", "path", ".git/hooks/pre-commit"), decide.CodeDeferredExecution, 0},
		"a deny":                            {"auto-approve", tool("write_file", "path", "/etc/passwd"), decide.CodeOutsideRoots, 0},
		"an allow":                          {"auto-approve", tool("read_file", "path", "x"), decide.CodeLowRisk, 0},
		"an ask in another mode":            {"interactive", shell("make"), decide.CodeApprovalRequired, 0},
		"an ask in custom mode":             {"custom", shell("make"), decide.CodeApprovalRequired, 0},
		"a deny of the mode":                {"plan", shell("make"), decide.CodeReadOnlyMode, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w, asked := reviewed(t, says(`{"verdict":"allow"}`))
			w.put(approver, "s", mode(row.mode))
			w.code(alpha, "s", row.call, row.code)
			if asked.Load() != row.asked {
				t.Errorf("asked %d times", asked.Load())
			}
		})
	}
}

// A yes counts for the call that was asked about, and once.
func TestAReviewersYesIsForOneCall(t *testing.T) {
	w, asked := reviewed(t, says(`{"verdict":"allow"}`))
	first := w.code(alpha, "s", shell("make"), decide.CodeReviewerApproved)
	second := w.code(alpha, "s", shell("make"), decide.CodeReviewerApproved)
	if asked.Load() != 2 || first.Approval.ID == second.Approval.ID {
		t.Errorf("asked %d times for two calls", asked.Load())
	}
	w.setReviewer(nil)
	w.code(alpha, "s", shell("make"), decide.CodeApprovalRequired)
}

// A person who answers while the reviewer thinks has the last word.
func TestAPersonIsFasterThanTheReviewer(t *testing.T) {
	var w *world
	w, _ = reviewed(t, func(res http.ResponseWriter, r *http.Request) {
		var sent struct {
			ApprovalID string `json:"approval_id"`
		}
		if err := json.UnmarshalRead(r.Body, &sent); err != nil {
			t.Error(err)
		}
		if _, err := w.Resolve(ctx, approver, sent.ApprovalID, decide.ResolveDeny, ""); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(res, `{"verdict":"allow"}`)
	})
	w.code(alpha, "s", shell("make"), decide.CodeApprovalRequired)
}

// Five denials in a row end reviewing for the session, until a person answers.
func TestDenialsPauseTheReviewer(t *testing.T) {
	verdict := "deny"
	w, asked := reviewed(t, func(res http.ResponseWriter, _ *http.Request) { fmt.Fprintf(res, `{"verdict":%q}`, verdict) })
	w.put(alpha, "other", mode("auto-approve"))
	n := 0
	call := func(session string) Answer {
		n++
		return w.try(alpha, session, shell(fmt.Sprint("make ", n)))
	}
	for range pauseAfter - 1 {
		call("s")
	}
	verdict = "unsure"
	call("s") // ends the row
	verdict = "deny"
	for range pauseAfter {
		call("s")
	}
	if got := asked.Load(); got != 2*pauseAfter {
		t.Fatalf("asked %d times", got)
	}
	verdict = "allow"
	paused := call("s")
	if paused.Outcome != decide.Ask || paused.Reviewed != nil || asked.Load() != 2*pauseAfter {
		t.Errorf("after five denials: %v, asked %d times", paused.Outcome, asked.Load())
	}
	if a := call("other"); a.Code != decide.CodeReviewerApproved {
		t.Errorf("another session is paused too: %s", a.Code)
	}
	w.resolve(paused, decide.ResolveOnce)
	if a := call("s"); a.Code != decide.CodeReviewerApproved {
		t.Errorf("after a person's answer: %s", a.Code)
	}
}

// A yes is for what was asked. What has changed while the reviewer thought is
// judged anew, and what it was not shown whole is not put before it.
func TestAReviewersYesComesTooLate(t *testing.T) {
	for name, row := range map[string]struct {
		meanwhile func(*world)
		want      decide.Code
	}{
		"nothing changed": {func(*world) {}, decide.CodeReviewerApproved},
		"a stricter mode": {func(w *world) {
			plan := "plan"
			if _, err := w.Patch(ctx, approver, "s", Patch{Mode: &plan}); err != nil {
				t.Error(err)
			}
		}, decide.CodeReadOnlyMode},
		"no longer reviewed": {func(w *world) {
			interactive := "interactive"
			if _, err := w.Patch(ctx, approver, "s", Patch{Mode: &interactive}); err != nil {
				t.Error(err)
			}
		}, decide.CodeApprovalRequired},
		"a policy that denies": {func(w *world) {
			w.reload(decide.PolicySpec{MaxMode: "bypass-approvals", Deny: decide.ListsSpec{Commands: []string{"make"}}})
		}, decide.CodeDeniedByPolicy},
		"a policy that asks a person": {func(w *world) {
			w.reload(decide.PolicySpec{MaxMode: "bypass-approvals", Ask: decide.ListsSpec{Commands: []string{"make"}}})
		}, decide.CodeApprovalRequired},
	} {
		var w *world
		w, _ = reviewed(t, func(res http.ResponseWriter, _ *http.Request) {
			row.meanwhile(w)
			_, _ = io.WriteString(res, `{"verdict":"allow"}`)
		})
		if got := w.try(alpha, "s", shell("make")); got.Code != row.want {
			t.Errorf("%s: %s, want %s", name, got.Code, row.want)
		}
	}
	w, asked := reviewed(t, says(`{"verdict":"allow"}`))
	if got := w.try(alpha, "s", shell("make "+strings.Repeat("a", maxShown)+"; rm -rf /")); got.Outcome != decide.Ask || asked.Load() != 0 {
		t.Errorf("what cannot be shown: %s, asked %d times", got.Code, asked.Load())
	}
}
