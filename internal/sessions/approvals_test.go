package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/storetest"
)

// One call of one session is asked about once, until that is answered or over.
func TestOneApprovalForEachCall(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	w.put(alpha, "other")
	first := w.try(alpha, "s", shell("make")).Approval
	if first.State != store.Pending || !first.Expires.Equal(w.now().Add(time.Hour)) {
		t.Errorf("opened as %+v", first)
	}
	if again := w.try(alpha, "s", shell("make")).Approval; again.ID != first.ID {
		t.Error("the same call opens another approval")
	}
	for name, other := range map[string]Answer{
		"another call": w.try(alpha, "s", shell("make all")), "another session": w.try(alpha, "other", shell("make")),
	} {
		if other.Approval.ID == first.ID {
			t.Errorf("%s has the same approval", name)
		}
	}
	w.later(time.Hour - time.Second)
	if again := w.try(alpha, "s", shell("make")).Approval; again.ID != first.ID {
		t.Error("it is over before its hour")
	}
	w.later(time.Second)
	a, err := w.Approval(ctx, alpha, first.ID, 0)
	if err != nil || a.State != store.Expired {
		t.Errorf("after an hour it is %v, %v", a.State, err)
	}
	if _, err := w.Resolve(ctx, approver, first.ID, decide.ResolveOnce, ""); !errors.Is(err, ErrConflict) {
		t.Errorf("an expired approval is resolved: %v", err)
	}
	if again := w.try(alpha, "s", shell("make")).Approval; again.ID == first.ID || again.State != store.Pending {
		t.Error("after an hour the call opens no new approval")
	}
	list, _, err := w.Approvals(ctx, approver, store.ApprovalQuery{Session: "s", State: store.Expired, Limit: 10})
	if err != nil || len(list) != 2 { // make all has expired too
		t.Errorf("%d are listed as expired, %v", len(list), err)
	}
}

// Once is for exactly the call that was seen.
func TestOnceIsForExactlyThatCall(t *testing.T) {
	meta := func(w *world, text string) decide.Call {
		return withMetadata(w.t, tool("send_note", "text", "hi"), text)
	}
	write := func(w *world) decide.Call { return tool("write_file", "path", w.dir+"/in/link/x", "content", "1") }
	relink := func(w *world) {
		_ = os.Remove(w.dir + "/in/link")
		if err := os.Symlink(w.dir, w.dir+"/in/link"); err != nil {
			w.t.Fatal(err)
		}
	}
	script := func(text string) func(*world) {
		return func(w *world) {
			if err := os.WriteFile(w.dir+"/x.sh", []byte(text), 0o755); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	nothing := func(*world) {}
	for name, row := range map[string]struct {
		asked  func(*world) decide.Call
		change func(*world)
		then   func(*world) decide.Call
		want   decide.Code
	}{
		"the very same":    {func(*world) decide.Call { return shell("make") }, nothing, func(*world) decide.Call { return shell("make") }, decide.CodeApprovedOnce},
		"a space more":     {func(*world) decide.Call { return shell("make") }, nothing, func(*world) decide.Call { return shell("make ") }, decide.CodeApprovalRequired},
		"an argument more": {func(*world) decide.Call { return tool("send_note") }, nothing, func(*world) decide.Call { return tool("send_note", "cc", "x") }, decide.CodeApprovalRequired},
		"arguments in another order": {
			func(*world) decide.Call { return tool("send_note", "a", "1", "b", "2") }, nothing,
			func(*world) decide.Call { return tool("send_note", "b", "2", "a", "1") }, decide.CodeApprovedOnce,
		},
		"another tool":                {func(*world) decide.Call { return tool("send_note") }, nothing, func(*world) decide.Call { return tool("send_mail") }, decide.CodeApprovalRequired},
		"other metadata":              {func(w *world) decide.Call { return meta(w, `{"definition":"1"}`) }, nothing, func(w *world) decide.Call { return meta(w, `{"definition":"2"}`) }, decide.CodeApprovalRequired},
		"metadata nobody reads":       {func(w *world) decide.Call { return meta(w, `{"x":1}`) }, nothing, func(w *world) decide.Call { return meta(w, `{"x":2}`) }, decide.CodeApprovalRequired},
		"no metadata":                 {func(w *world) decide.Call { return meta(w, `{"x":1}`) }, nothing, func(w *world) decide.Call { return meta(w, `{}`) }, decide.CodeApprovalRequired},
		"a link":                      {write, nothing, write, decide.CodeApprovedOnce},
		"a link that leads elsewhere": {write, relink, write, decide.CodeApprovalRequired},
		"a command through a link": {
			func(*world) decide.Call { return shell("touch in/link/y") }, relink,
			func(*world) decide.Call { return shell("touch in/link/y") }, decide.CodeApprovalRequired,
		},
		"a script":         {func(*world) decide.Call { return shell("./x.sh") }, script("one"), func(*world) decide.Call { return shell("./x.sh") }, decide.CodeApprovedOnce},
		"a changed script": {func(*world) decide.Call { return shell("./x.sh") }, script("two"), func(*world) decide.Call { return shell("./x.sh") }, decide.CodeApprovalRequired},
		"a changed script behind its interpreter": {func(*world) decide.Call { return shell("bash x.sh") }, script("two"), func(*world) decide.Call { return shell("bash x.sh") }, decide.CodeApprovalRequired},
		"behind a pipe, after a minute":           {func(*world) decide.Call { return shell("cat x | bash") }, func(w *world) { w.later(unboundLife) }, func(*world) decide.Call { return shell("cat x | bash") }, decide.CodeApprovalRequired},
		"behind a pipe, a moment before":          {func(*world) decide.Call { return shell("cat x | bash") }, func(w *world) { w.later(unboundLife - time.Second) }, func(*world) decide.Call { return shell("cat x | bash") }, decide.CodeApprovedOnce},
		"a changed script in another directory":   {func(*world) decide.Call { return shell("cd in && ../x.sh") }, script("three"), func(*world) decide.Call { return shell("cd in && ../x.sh") }, decide.CodeApprovalRequired},
		"a script in another directory":           {func(*world) decide.Call { return shell("cd in && ../x.sh") }, nothing, func(*world) decide.Call { return shell("cd in && ../x.sh") }, decide.CodeApprovedOnce},
		"after ten minutes":                       {func(*world) decide.Call { return shell("make") }, func(w *world) { w.later(onceLife) }, func(*world) decide.Call { return shell("make") }, decide.CodeApprovalRequired},
		"a moment before":                         {func(*world) decide.Call { return shell("make") }, func(w *world) { w.later(onceLife - time.Second) }, func(*world) decide.Call { return shell("make") }, decide.CodeApprovedOnce},
		"a stricter mode": {func(*world) decide.Call { return shell("make") }, func(w *world) {
			plan := "plan"
			if _, err := w.Patch(ctx, alpha, "s", Patch{Mode: &plan}); err != nil {
				w.t.Fatal(err)
			}
		}, func(*world) decide.Call { return shell("make") }, decide.CodeReadOnlyMode},
		"a policy that denies": {
			func(*world) decide.Call { return shell("make") },
			func(w *world) { w.reload(decide.PolicySpec{Deny: decide.ListsSpec{Commands: []string{"make"}}}) },
			func(*world) decide.Call { return shell("make") }, decide.CodeDeniedByPolicy,
		},
		"a policy with other roots": {
			write, func(w *world) { w.reload(decide.PolicySpec{Roots: []decide.RootSpec{{Path: w.dir}}}) }, write, decide.CodeOutsideRoots,
		},
		"roots that are narrower": {write, func(w *world) {
			if _, err := w.Patch(ctx, alpha, "s", Patch{Roots: []decide.RootSpec{{Path: w.dir + "/in", Writable: true}}}); err != nil {
				w.t.Fatal(err)
			}
		}, write, decide.CodeOutsideRoots},
		"another directory": {func(*world) decide.Call { return shell("make") }, func(w *world) {
			if _, _, err := w.Put(ctx, alpha, "s", Spec{Context: w.context(func(c *decide.ContextSpec) { c.Cwd = w.dir + "/in" })}); err != nil {
				w.t.Fatal(err)
			}
		}, func(*world) decide.Call { return shell("make") }, decide.CodeApprovalRequired},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, bypass)
			links(t, w)
			script("one")(w)
			w.put(alpha, "s")
			asked := w.try(alpha, "s", row.asked(w))
			if !slices.Contains(asked.Approval.Options(), decide.ResolveOnce) {
				t.Fatalf("options %v", asked.Approval.Options())
			}
			w.resolve(asked, decide.ResolveOnce)
			row.change(w)
			a := w.code(alpha, "s", row.then(w), row.want)
			if row.want != decide.CodeApprovedOnce {
				return
			}
			if a.Outcome != decide.Allow || a.Approval.ID != asked.Approval.ID || a.Approval.Used.IsZero() {
				t.Errorf("passed as %v with %+v", a.Outcome, a.Approval)
			}
			if again := w.try(alpha, "s", row.then(w)); again.Outcome == decide.Allow || again.Approval.ID == asked.Approval.ID {
				t.Errorf("a second time: %v %s", again.Outcome, again.Code)
			}
		})
	}
}

// Of the callers at the same time, one gets the approval.
func TestOnceIsUsedOnce(t *testing.T) {
	w := newWorld(t, bypass)
	other := w.replica()
	w.put(alpha, "s")
	for range 5 {
		w.resolve(w.try(alpha, "s", shell("make")), decide.ResolveOnce)
		passed := concurrently(8, func(i int) bool {
			k := []*Keeper{w.Keeper, other}[i%2]
			a, err := k.Decide(ctx, alpha, Call{Session: "s", Call: shell("make")})
			if err != nil {
				t.Error(err)
			}
			return a.Outcome == decide.Allow
		})
		if passed != 1 {
			t.Errorf("%d callers passed", passed)
		}
	}
}

// concurrently runs f n times at once, and counts how often it holds.
func concurrently(n int, f func(i int) bool) (held int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	start := make(chan struct{})
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-start
			if f(i) {
				mu.Lock()
				defer mu.Unlock()
				held++
			}
		}()
	}
	close(start)
	wg.Wait()
	return held
}

func TestResolvedOnce(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	asked := w.try(alpha, "s", shell("make"))
	won := concurrently(8, func(i int) bool {
		how := []decide.Resolution{decide.ResolveAlwaysCommand, decide.ResolveDeny}[i%2]
		_, err := w.Resolve(ctx, approver, asked.Approval.ID, how, "")
		if err != nil && !errors.Is(err, ErrConflict) {
			t.Error(err)
		}
		return err == nil
	})
	a, err := w.Approval(ctx, approver, asked.Approval.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	grants, err := w.Grants(ctx, approver, "s")
	if err != nil {
		t.Fatal(err)
	}
	if won != 1 || (a.State == store.Approved) != (len(grants) == 1) || a.By != approver.ID {
		t.Errorf("%d won; the approval is %s by %s, %d grants", won, a.State, a.By, len(grants))
	}
}

// What each answer does to the next call, and to another one.
func TestWhatAResolutionGives(t *testing.T) {
	fetch := func(url string) decide.Call { return tool("web_fetch", "url", url) }
	mail := func(to string) decide.Call {
		c := tool("gmail_send_email", "to", to)
		c.Metadata, _ = decide.ParseMetadata(decide.NewObject(decide.Member{Name: "category", Value: decide.Text("connector")}))
		return c
	}
	for how, row := range map[decide.Resolution]struct {
		asked, other decide.Call
		same, then   decide.Code
	}{
		decide.ResolveOnce:          {shell("make"), shell("make all"), decide.CodeApprovedOnce, decide.CodeApprovalRequired},
		decide.ResolveDeny:          {shell("make"), shell("make all"), decide.CodeApprovalRequired, decide.CodeApprovalRequired},
		decide.ResolveAlwaysTool:    {tool("write_file", "path", "x"), tool("edit_file", "path", "y"), decide.CodeToolGranted, decide.CodeApprovalRequired},
		decide.ResolveAlwaysCommand: {shell("make"), shell("make all"), decide.CodeCommandGranted, decide.CodeApprovalRequired},
		decide.ResolveAlwaysDomain:  {fetch("https://www.example.com/a"), fetch("https://example.org/"), decide.CodeDomainAllowed, decide.CodeApprovalRequired},
		decide.ResolveReadOnly:      {shell("ls"), shell("make"), decide.CodeReadOnlyCommand, decide.CodeApprovalRequired},
		decide.ResolveStandingRule:  {mail("ops@example.com"), mail("eve@example.com"), decide.CodeStandingRule, decide.CodeApprovalRequired},
	} {
		t.Run(string(how), func(t *testing.T) {
			w := newWorld(t, bypass)
			w.put(alpha, "s")
			asked := w.code(alpha, "s", row.asked, decide.CodeApprovalRequired)
			if !slices.Contains(asked.Approval.Options(), how) {
				t.Fatalf("the options are %v", asked.Approval.Options())
			}
			done := w.resolve(asked, how)
			lasting := slices.Contains([]decide.Resolution{decide.ResolveAlwaysTool, decide.ResolveAlwaysCommand, decide.ResolveAlwaysDomain, decide.ResolveReadOnly}, how)
			if (done.Grant != nil) != lasting {
				t.Errorf("minted %+v", done.Grant)
			}
			if g := done.Grant; g != nil && (g.By != approver.ID || g.Approval != asked.Approval.ID) {
				t.Errorf("the grant says %+v", g)
			}
			w.code(alpha, "s", row.asked, row.same)
			w.code(alpha, "s", row.other, row.then)
			if done.Grant == nil {
				return
			}
			if _, err := w.Revoke(ctx, approver, "s", done.Grant.ID); err != nil {
				t.Fatal(err)
			}
			w.code(alpha, "s", row.asked, decide.CodeApprovalRequired)
		})
	}
}

// An answer that was not offered grants nothing and leaves the ask open.
func TestOnlyWhatIsOffered(t *testing.T) {
	annotated := withMetadata(t, tool("mcp__docs__write"), `{"annotations":{"readOnlyHint":false}}`)
	for name, row := range map[string]struct {
		call  decide.Call
		code  decide.Code
		never []decide.Resolution
	}{
		"a command":         {shell("make"), decide.CodeApprovalRequired, []decide.Resolution{decide.ResolveAlwaysTool, decide.ResolveAlwaysDomain, decide.ResolveReadOnly, decide.ResolveStandingRule}},
		"a connector":       {withMetadata(t, tool("crm_update"), `{"category":"connector"}`), decide.CodeApprovalRequired, []decide.Resolution{decide.ResolveAlwaysTool, decide.ResolveAlwaysCommand}},
		"an annotated tool": {annotated, decide.CodeApprovalRequired, []decide.Resolution{decide.ResolveAlwaysTool}},
		"a fetch":           {tool("web_fetch", "url", "https://example.com"), decide.CodeApprovalRequired, []decide.Resolution{decide.ResolveAlwaysTool, decide.ResolveAlwaysCommand}},
		"what only a person decides": {
			tool("write_file", "path", ".git/hooks/pre-commit"), decide.CodeDeferredExecution,
			[]decide.Resolution{decide.ResolveAlwaysTool, decide.ResolveAlwaysCommand, decide.ResolveAlwaysDomain, decide.ResolveReadOnly, decide.ResolveStandingRule},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, bypass)
			w.put(alpha, "s")
			asked := w.code(alpha, "s", row.call, row.code)
			for _, how := range row.never {
				if slices.Contains(asked.Approval.Options(), how) {
					t.Errorf("%s is offered", how)
				}
				var invalid *InvalidError
				if _, err := w.Resolve(ctx, admin, asked.Approval.ID, how, ""); !errors.As(err, &invalid) || !strings.Contains(invalid.Detail, "once") {
					t.Errorf("%s: %v", how, err)
				}
			}
			for _, how := range []decide.Resolution{"", "Once", "once ", "always", "allow", "approve", "\x00"} {
				var invalid *InvalidError
				if _, err := w.Resolve(ctx, admin, asked.Approval.ID, how, ""); !errors.As(err, &invalid) {
					t.Errorf("%q: %v", how, err)
				}
			}
			grants, err := w.Grants(ctx, admin, "s")
			if err != nil || len(grants) > 0 {
				t.Errorf("granted %v, %v", grants, err)
			}
			if a := w.code(alpha, "s", row.call, row.code); a.Approval.ID != asked.Approval.ID || a.Approval.State != store.Pending {
				t.Errorf("the ask is %+v", a.Approval)
			}
		})
	}
}

// A wait ends with the answer, on the replica that gave it and on another one.
func TestAWaitEndsWithTheAnswer(t *testing.T) {
	w := newWorld(t, bypass)
	other := w.replica()
	w.put(alpha, "s")
	for name, resolve := range map[string]func(id string) error{
		"here": func(id string) error {
			_, err := w.Resolve(ctx, approver, id, decide.ResolveOnce, "")
			return err
		},
		"elsewhere": func(id string) error {
			_, err := other.Resolve(ctx, approver, id, decide.ResolveOnce, "")
			w.look(ctx)
			return err
		},
		"by the end of the session": func(string) error {
			err := w.Delete(ctx, alpha, "s")
			w.look(ctx)
			w.put(alpha, "s")
			return err
		},
	} {
		id := w.try(alpha, "s", shell("make "+name)).Approval.ID
		done := make(chan Approval)
		go func() {
			a, err := w.Approval(ctx, alpha, id, time.Minute)
			if err != nil {
				t.Error(err)
			}
			done <- a
		}()
		for w.waiters.waiting(id) == 0 {
			time.Sleep(time.Millisecond)
		}
		if err := resolve(id); err != nil {
			t.Fatal(err)
		}
		if a := <-done; a.State == store.Pending {
			t.Errorf("%s: the wait ended with %s", name, a.State)
		}
		if n := w.waiters.waiting(id); n != 0 {
			t.Errorf("%s: %d still wait", name, n)
		}
	}
}

func (w *waiters) waiting(id string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.list[id])
}

// A wait ends with its client, and leaves nothing behind.
func TestAWaitEndsWithItsClient(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	id := w.try(alpha, "s", shell("make")).Approval.ID
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if a, err := w.Approval(gone, alpha, id, time.Minute); err == nil && a.State != store.Pending {
		t.Errorf("%v %v", a.State, err)
	}
	if a, err := w.Approval(ctx, alpha, id, time.Nanosecond); err != nil || a.State != store.Pending {
		t.Errorf("%v %v", a.State, err)
	}
	if _, err := w.Approval(ctx, alpha, "none", time.Minute); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if len(w.waiters.list) != 0 {
		t.Errorf("%v are left", w.waiters.list)
	}
}

// Each change of an approval is told, with the owner of its session.
func TestApprovalsAreAnnounced(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	asked := w.try(alpha, "s", shell("make"))
	w.resolve(asked, decide.ResolveOnce)
	w.try(alpha, "s", shell("make"))
	w.look(ctx)
	var told []string
	for _, a := range w.announced {
		told = append(told, fmt.Sprint(a.State, " ", !a.Used.IsZero(), " ", a.Request.Owner))
	}
	if got := strings.Join(told, ", "); got != "pending false token:alpha, approved false token:alpha, approved true token:alpha" {
		t.Errorf("told: %s", got)
	}
}

// However the goroutines meet that tell of an approval, its last state is told
// last.
func TestAnOldStateIsNotAnnouncedLast(t *testing.T) {
	w := newWorld(t, bypass)
	var mu sync.Mutex
	var told []int64
	var ran sync.WaitGroup
	older := store.Approval{ID: "a", Request: []byte("{}"), Revision: 1}
	newer := older
	newer.Revision = 2
	w.OnApproval = func(a Approval) {
		if a.Revision == older.Revision {
			ran.Go(func() { w.announce(newer) })
			for range 1000 {
				runtime.Gosched() // it may overtake here
			}
		}
		mu.Lock()
		defer mu.Unlock()
		told = append(told, a.Revision)
	}
	w.announce(older)
	ran.Wait()
	if !slices.Equal(told, []int64{1, 2}) {
		t.Errorf("told of the revisions %v", told)
	}
}

// A session has a bounded number of open asks; more are asks all the same.
func TestOpenAsksAreBounded(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	w.put(alpha, "other")
	ask := func(i int) Answer {
		a := w.try(alpha, "s", shell(fmt.Sprint("make ", i)))
		if a.Approval == nil {
			t.Fatalf("ask %d has no approval", i)
		}
		return a
	}
	next := 1
	first := ask(0)
	if os.Getenv("PDP_NIGHTLY") == "" { // the store's own tests fill it too
		next = store.MaxPending - 10
		w.exec(storetest.CopyApproval(first.Approval.ID, next-1))
	}
	for i := next; i < store.MaxPending; i++ {
		ask(i)
	}
	more := w.code(alpha, "s", shell("make more"), decide.CodeApprovalRequired)
	if more.Approval != nil || len(more.Warnings) == 0 {
		t.Errorf("one more has %v, warnings %q", more.Approval, more.Warnings)
	}
	if again := w.try(alpha, "s", shell("make 0")); again.Approval == nil {
		t.Error("an ask that is open has lost its approval")
	}
	if a := w.try(alpha, "other", shell("make")); a.Approval == nil {
		t.Error("another session is held to it")
	}
	w.resolve(w.try(alpha, "s", shell("make 0")), decide.ResolveDeny)
	if a := w.try(alpha, "s", shell("make more")); a.Approval == nil {
		t.Error("an answer makes no room")
	}
	w.later(time.Hour)
	if a := w.try(alpha, "s", shell("make even more")); a.Approval == nil {
		t.Error("expiry makes no room")
	}
}

// What nobody could read whole is kept in part, and allowed one time at most.
func TestLongCallsAreCut(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	long := strings.Repeat("é", maxShown) // two bytes each
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprint("name", i), strings.Repeat("x", 1000))
	}
	for name, call := range map[string]decide.Call{
		"one long text":  tool("write_file", "path", w.dir+"/in/x", "content", long),
		"a long name":    tool("send_note", long, long),
		"many arguments": tool("send_note", many...),
		"a long command": shell("make " + long),
		"a long target":  withMetadata(t, tool("gmail_send_email", "to", long+"@example.com"), `{"category":"connector"}`),
	} {
		a := w.try(alpha, "s", call)
		if a.Approval == nil {
			t.Errorf("%s: %s has no approval", name, a.Code)
			continue
		}
		if r := a.Approval.Approval.Request; len(r) > 2*maxShown || !a.Approval.Request.Cut {
			t.Errorf("%s: %d bytes are kept, cut %v", name, len(r), a.Approval.Request.Cut)
		}
		if got := fmt.Sprint(a.Approval.Options()); got != "[once deny]" {
			t.Errorf("%s: offered %s", name, got)
		}
		w.resolve(a, decide.ResolveOnce)
		w.code(alpha, "s", call, decide.CodeApprovedOnce)
	}
	described := Call{Session: "s", Call: tool("send_note"), Metadata: decide.Text(long)}
	a, err := w.Decide(ctx, alpha, described)
	if err != nil || !a.Approval.Request.Cut || len(a.Approval.Approval.Request) > 2*maxShown {
		t.Errorf("long metadata: %+v, %v", a.Approval, err)
	}
}

// A runtime cannot answer itself, whatever it says.
func TestARuntimeCannotApproveItself(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	asked := w.try(alpha, "s", shell("make"))
	for _, c := range []auth.Caller{alpha, beta, viewer, nobody, nameless, {ID: "reviewer", Role: auth.Runtime}} {
		for _, how := range append(decide.Resolutions(), "unknown") {
			var forbidden *ForbiddenError
			if _, err := w.Resolve(ctx, c, asked.Approval.ID, how, ""); !errors.As(err, &forbidden) {
				t.Errorf("%v %s: %v", c, how, err)
			}
		}
	}
	w.code(alpha, "s", shell("make"), decide.CodeApprovalRequired)
}

// An answer is for the reason that was given: a floor or a policy that asks about
// the same call later is another question.
func TestAnAnswerIsForItsReason(t *testing.T) {
	w := newWorld(t, decide.PolicySpec{})
	w.put(alpha, "s")
	given := w.code(alpha, "s", shell("make"), decide.CodeApprovalRequired)
	w.resolve(given, decide.ResolveOnce)
	w.reload(decide.PolicySpec{Ask: decide.ListsSpec{Commands: []string{"make"}}})
	again := w.code(alpha, "s", shell("make"), decide.CodeAskByPolicy)
	if again.Approval == nil || again.Approval.ID == given.Approval.ID || again.Approval.State != store.Pending {
		t.Errorf("the new question is %+v", again.Approval)
	}
	w.reload(decide.PolicySpec{})
	w.code(alpha, "s", shell("make"), decide.CodeApprovedOnce)
}

// A runtime cannot let a session run out that an approver wrote: it could put one
// of the same name in its place.
func TestARuntimeEndsNoSessionOfAnApprover(t *testing.T) {
	w := newWorld(t, decide.PolicySpec{})
	w.put(approver, "given")
	w.put(alpha, "own")
	w.put(alpha, "widened")
	interactive := "interactive"
	if _, err := w.Patch(ctx, approver, "widened", Patch{Mode: &interactive}); err != nil {
		t.Fatal(err)
	}
	short, long := time.Second, 80*24*time.Hour
	for _, row := range []struct {
		session string
		patch   Patch
		may     bool
	}{
		{"own", Patch{TTL: &short}, true},
		{"own", Patch{Labels: map[string]string{"a": "b"}}, true},
		{"widened", Patch{TTL: &short}, false},
		{"widened", Patch{Labels: map[string]string{"a": "b"}}, true},
		{"given", Patch{TTL: &short}, false},
		{"given", Patch{TTL: &long}, false},
		{"given", Patch{Labels: map[string]string{}}, false},
	} {
		_, err := w.Patch(ctx, alpha, row.session, row.patch)
		var forbidden *ForbiddenError
		if errors.As(err, &forbidden) == row.may || row.may && err != nil {
			t.Errorf("%s %+v: %v", row.session, row.patch, err)
		}
	}
}

// An approval that changed elsewhere is told, though it could not be read when
// the change was noticed; of too many, listeners are told to read for themselves.
func TestWhatCouldNotBeReadIsToldLater(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	var told []string
	missed := 0
	other := w.replica()
	other.OnApproval = func(a Approval) { told = append(told, a.ID) }
	other.OnMissed = func() { missed++ }

	asked := w.try(alpha, "s", shell("make"))
	w.flaky.unread.Store(true)
	other.look(ctx)
	other.look(ctx)
	if len(told) != 0 {
		t.Errorf("told of %v, which nobody read", told)
	}
	w.flaky.unread.Store(false)
	other.look(ctx)
	other.look(ctx)
	if !slices.Equal(told, []string{asked.Approval.ID}) || missed != 0 || len(other.untold) != 0 {
		t.Errorf("told of %v, %d times of too many, %v are left", told, missed, other.untold)
	}

	w.flaky.unread.Store(true)
	for i := range maxUntold + 1 {
		w.try(alpha, "s", shell(fmt.Sprint("make ", i)))
	}
	other.look(ctx)
	if missed != 1 || len(other.untold) > maxUntold {
		t.Errorf("told %d times of too many, %d are left", missed, len(other.untold))
	}
}

// Who was away so long that changes are forgotten has listeners read anew.
func TestForgottenChangesAreMissed(t *testing.T) {
	w := newWorld(t, bypass)
	missed := 0
	w.OnMissed = func() { missed++ }
	if err := w.startOver(ctx); err != nil || missed != 1 {
		t.Errorf("%v, told %d times", err, missed)
	}
}
