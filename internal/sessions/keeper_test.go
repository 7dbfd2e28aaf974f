package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
)

func command(value string) decide.GrantSpec {
	return decide.GrantSpec{Kind: decide.GrantCommand, Value: value}
}

func (w *world) grant(spec decide.GrantSpec, ttl time.Duration) store.Grant {
	w.t.Helper()
	g, err := w.Grant(ctx, approver, "s", spec, ttl)
	if err != nil {
		w.t.Fatal(err)
	}
	return g
}

// When the store cannot be reached, what it may have taken back is not
// honoured after two seconds; floors and policy decide, and what restricts stays.
func TestAStoreThatCannotBeReached(t *testing.T) {
	w := newWorld(t, decide.PolicySpec{
		MaxMode: "bypass-approvals", Mode: "interactive", AllowedCommands: []string{"git status"}, Deny: decide.ListsSpec{Commands: []string{"git push"}},
	})
	note := withMetadata(t, tool("gmail_send_email", "to", "ops@example.com"), `{"category":"connector"}`)
	w.put(approver, "s", func(c *decide.ContextSpec) {
		c.AllowedCommands = []string{"make"}
		c.StandingRules = map[string][]string{"gmail_send_email": {"ops@example.com"}}
		c.Deny.Commands = []string{"rm"}
	})
	w.put(approver, "free", mode("bypass-approvals"))
	w.put(approver, "custom", mode("custom"), func(c *decide.ContextSpec) { c.AutoAllowTools = []string{"write_file"} })
	w.put(approver, "plan", mode("plan"))
	w.grant(command("ls -l"), 0)
	w.resolve(w.try(alpha, "s", shell("build once")), decide.ResolveOnce)

	reachable := map[string]decide.Code{
		"make": decide.CodeCommandAllowlisted, "ls -l": decide.CodeCommandGranted, "git status": decide.CodeCommandAllowlisted,
		"git push": decide.CodeDeniedByPolicy, "rm x": decide.CodeDeniedByPolicy, "mail": decide.CodeStandingRule,
		"free": decide.CodeFullAccess, "custom": decide.CodeToolAutoAllowed, "plan": decide.CodeReadOnlyMode, "read": decide.CodeLowRisk,
	}
	check := func(when string, want map[string]decide.Code, approval bool) {
		t.Helper()
		for what, code := range want {
			session, call := "s", shell(what)
			switch what {
			case "mail":
				call = note
			case "free", "plan":
				session, call = what, shell("make free")
			case "custom":
				session, call = what, tool("write_file", "path", "x")
			case "read":
				call = tool("read_file", "path", "x")
			}
			a := w.try(alpha, session, call)
			if a.Code != code {
				t.Errorf("%s: %s is %s, want %s", when, what, a.Code, code)
			}
			if a.Outcome == decide.Ask && (a.Approval != nil) != approval {
				t.Errorf("%s: the approval of %s is %v", when, what, a.Approval)
			}
			if !approval && len(a.Warnings) == 0 {
				t.Errorf("%s: nothing warns of %s", when, what)
			}
		}
	}
	check("at first", reachable, true)

	w.flaky.down.Store(true)
	w.look(ctx)
	w.pass(maxStale)
	if a := w.code(alpha, "s", shell("build other"), decide.CodeApprovalRequired); a.Approval != nil || len(a.Warnings) == 0 {
		t.Errorf("an ask that could not be put before anybody: %v, %q", a.Approval, a.Warnings)
	}
	w.code(alpha, "s", shell("ls -l"), decide.CodeCommandGranted) // not yet
	w.pass(1)
	w.look(ctx)
	withdrawn := map[string]decide.Code{
		"make": decide.CodeApprovalRequired, "ls -l": decide.CodeApprovalRequired, "build once": decide.CodeApprovalRequired,
		"git status": decide.CodeCommandAllowlisted, "git push": decide.CodeDeniedByPolicy, "rm x": decide.CodeDeniedByPolicy,
		"mail": decide.CodeApprovalRequired, "free": decide.CodeApprovalRequired, "custom": decide.CodeApprovalRequired,
		"plan": decide.CodeReadOnlyMode, "read": decide.CodeLowRisk,
	}
	check("cut off", withdrawn, false)
	if _, ok := w.Fresh(); ok {
		t.Error("it calls itself fresh")
	}
	if s, err := w.Keeper.Session(ctx, alpha, "s"); err != nil || w.policy.Load().Decide(s, shell("ls -l")).Outcome == decide.Allow {
		t.Errorf("a path check would honour grants: %v", err)
	}
	for what, err := range map[string]error{
		"a session that is not in memory": second(w.Decide(ctx, alpha, Call{Session: "unknown", Call: shell("ls")})),
		"a grant":                         second(w.Grant(ctx, approver, "s", command("make"), 0)),
		"a look at one":                   second(w.Get(ctx, approver, "s")),
		"a change":                        second(w.Patch(ctx, approver, "s", Patch{})),
		"an end":                          w.Delete(ctx, approver, "s"),
	} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: %v", what, err)
		}
	}

	w.flaky.down.Store(false)
	w.look(ctx)
	check("again", reachable, true)
	w.code(alpha, "s", shell("build once"), decide.CodeApprovedOnce)
}

func second[T any](_ T, err error) error { return err }

// A change that failed is looked up before anything is said of the session.
func TestAChangeThatMayHaveHappened(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	g := w.grant(command("make"), 0)
	w.code(alpha, "s", shell("make"), decide.CodeCommandGranted)
	w.Store = &unsure{w.flaky}
	if _, err := w.Revoke(ctx, approver, "s", g.ID); !errors.Is(err, store.ErrUnavailable) {
		t.Fatal(err)
	}
	w.Store = w.flaky
	w.code(alpha, "s", shell("make"), decide.CodeApprovalRequired)
}

// What one replica takes back is gone on the others with their next look.
func TestReplicasSeeEachOthersChanges(t *testing.T) {
	w := newWorld(t, bypass)
	other := &world{Keeper: w.replica(), t: t, clock: w.clock, dir: w.dir}
	w.put(alpha, "s", mode("bypass-approvals"))
	plan := "plan"
	for name, row := range map[string]struct {
		change       func()
		before, then decide.Code
	}{
		"a grant that is revoked": {func() {
			grants, err := w.Grants(ctx, approver, "s")
			if err != nil || len(grants) != 1 {
				t.Fatal(grants, err)
			}
			if _, err := w.Revoke(ctx, approver, "s", grants[0].ID); err != nil {
				t.Fatal(err)
			}
		}, decide.CodeCommandGranted, decide.CodeApprovalRequired},
		"a mode that is narrowed": {func() {
			if _, err := w.Patch(ctx, alpha, "s", Patch{Mode: &plan}); err != nil {
				t.Fatal(err)
			}
		}, decide.CodeCommandGranted, decide.CodeReadOnlyMode},
	} {
		_ = w.Delete(ctx, admin, "s")
		w.put(alpha, "s")
		w.grant(command("make"), 0)
		other.look(ctx)
		other.code(alpha, "s", shell("make"), row.before)
		row.change()
		w.code(alpha, "s", shell("make"), row.then)
		other.look(ctx)
		other.code(alpha, "s", shell("make"), row.then)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	if err := w.Delete(ctx, alpha, "s"); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Get(ctx, alpha, "s"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a deleted session is still shown by another replica: %v", err)
	}
	other.look(ctx)
	if _, err := other.Decide(ctx, alpha, Call{Session: "s", Call: shell("ls")}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a deleted session lives on another replica: %v", err)
	}
	if _, err := w.Decide(ctx, alpha, Call{Session: "s", Call: shell("ls")}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a deleted session lives on the replica that deleted it: %v", err)
	}
}

// A read that another change has overtaken is not what later reads see.
func TestAnOldReadIsNotRemembered(t *testing.T) {
	for name, revoke := range map[string]func(w *world, other *Keeper, grant string){
		"by the same replica": func(w *world, _ *Keeper, grant string) { _, _ = w.Revoke(ctx, approver, "s", grant) },
		"by another one": func(w *world, other *Keeper, grant string) {
			_, _ = other.Revoke(ctx, approver, "s", grant)
			w.look(ctx)
		},
	} {
		w := newWorld(t, bypass)
		other := w.replica()
		w.put(alpha, "s")
		g := w.grant(command("make"), 0)
		w.cache.forget("s")
		w.flaky.afterRead = func() {
			w.flaky.afterRead = nil
			revoke(w, other, g.ID)
		}
		w.try(alpha, "s", shell("make")) // it began before the change, and may see either
		if a := w.try(alpha, "s", shell("make")); a.Code != decide.CodeApprovalRequired {
			t.Errorf("revoked %s: %s", name, a.Code)
		}
	}
}

// A write that another one has overtaken is not what later reads see.
func TestAnOldWriteIsNotRemembered(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	w.flaky.afterChange = func() {
		w.flaky.afterChange = nil
		grants, err := w.flaky.Store.Session(ctx, "s")
		if err != nil {
			t.Error(err)
		}
		if _, err := w.Revoke(ctx, approver, "s", grants.Grants[0].ID); err != nil {
			t.Error(err)
		}
		w.look(ctx)
	}
	w.grant(command("make"), 0) // revoked before the keeper knows of it
	w.code(alpha, "s", shell("make"), decide.CodeApprovalRequired)
}

// Sessions end when they are not used, and only then.
func TestSessionsEndIdle(t *testing.T) {
	for name, row := range map[string]struct {
		ttl   time.Duration
		use   func(w *world)
		after time.Duration // since the use
		alive bool
	}{
		"unused for a day":         {0, func(*world) {}, 24 * time.Hour, false},
		"unused for less":          {0, func(*world) {}, 24*time.Hour - time.Second, true},
		"used":                     {0, func(w *world) { w.later(23 * time.Hour); w.try(alpha, "s", shell("ls")) }, 23 * time.Hour, true},
		"used, long ago":           {0, func(w *world) { w.later(23 * time.Hour); w.try(alpha, "s", shell("ls")) }, 24 * time.Hour, false},
		"looked at by an approver": {0, func(w *world) { w.later(23 * time.Hour); _, _ = w.Get(ctx, approver, "s") }, 2 * time.Hour, false},
		"a short life, used": {3 * time.Second, func(w *world) {
			for range 10 {
				w.later(2 * time.Second)
				w.try(alpha, "s", shell("ls"))
			}
		}, 2 * time.Second, true},
		"a short life, unused": {3 * time.Second, func(*world) {}, 3 * time.Second, false},
		"a new life": {time.Hour, func(w *world) {
			life := 10 * time.Hour
			if _, err := w.Patch(ctx, alpha, "s", Patch{TTL: &life}); err != nil {
				w.t.Fatal(err)
			}
		}, 9 * time.Hour, true},
		"a new, shorter life": {time.Hour, func(w *world) {
			w.later(30 * time.Minute)
			w.try(alpha, "s", shell("ls"))
			if _, _, err := w.Put(ctx, alpha, "s", Spec{Context: w.context(), TTL: time.Minute}); err != nil {
				w.t.Fatal(err)
			}
		}, time.Minute, false},
	} {
		for _, written := range []bool{false, true} {
			w := newWorld(t, bypass)
			if _, _, err := w.Put(ctx, alpha, "s", Spec{Context: w.context(), TTL: row.ttl}); err != nil {
				t.Fatal(err)
			}
			row.use(w)
			if written {
				w.flushTouched(ctx)
				w.cache.purge()
			}
			w.later(row.after)
			_, err := w.Get(ctx, approver, "s")
			if alive := err == nil; alive != row.alive {
				t.Errorf("%s (written down: %v): %v", name, written, err)
			}
			// Whoever changes the session sees the same.
			_, patched := w.Patch(ctx, approver, "s", Patch{Labels: map[string]string{"a": "b"}})
			if alive := patched == nil; alive != row.alive {
				t.Errorf("%s (written down: %v): changing it: %v", name, written, patched)
			}
		}
	}
}

// A shorter life is not undone by whoever used the session before, here or
// elsewhere, and has not written that down yet.
func TestAShorterLifeHolds(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	other := w.replica()
	w.later(2 * time.Hour)
	if _, err := other.Decide(ctx, alpha, Call{Session: "s", Call: shell("ls"), DecisionID: "d"}); err != nil {
		t.Fatal(err)
	}
	life := time.Minute
	if _, err := w.Patch(ctx, alpha, "s", Patch{TTL: &life}); err != nil {
		t.Fatal(err)
	}
	other.flushTouched(ctx)
	other.look(ctx)
	w.later(life)
	for _, k := range []*Keeper{w.Keeper, other} {
		if _, err := k.Get(ctx, approver, "s"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("it lives longer: %v", err)
		}
	}
	s, err := w.flaky.Store.Session(ctx, "s")
	if err != nil || s.Expires.After(w.now()) {
		t.Errorf("stored until %s, now is %s (%v)", s.Expires, w.now(), err)
	}
}

// The use of a session survives a failure to write it down, and is written once
// the store is back.
func TestUseIsWrittenDownLater(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	w.later(12 * time.Hour)
	w.try(alpha, "s", shell("ls"))
	w.flaky.down.Store(true)
	w.flushTouched(ctx)
	w.flaky.down.Store(false)
	w.flushTouched(ctx)
	s, err := w.flaky.Store.Session(ctx, "s")
	if err != nil || !s.Expires.Equal(w.now().Add(DefaultTTL).UTC()) {
		t.Errorf("%v, %v", s.Expires, err)
	}
}

// While a store takes long to write something down, the keeper goes on looking
// for what was revoked.
func TestLooksDoNotWaitForWrites(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	w.later(12 * time.Hour)
	w.try(alpha, "s", shell("ls")) // so that there is something to write down
	entered, leave, looked := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var once sync.Once
	w.flaky.touching = func() {
		once.Do(func() { close(entered); <-leave })
	}
	w.flaky.looked = func() {
		select {
		case looked <- struct{}{}:
		default:
		}
	}
	running, stop := context.WithCancel(ctx)
	var ran sync.WaitGroup
	ran.Go(func() { w.Run(running) })
	<-entered
	select {
	case <-looked:
	case <-time.After(time.Minute):
		t.Error("nobody looks while the use of sessions is written down")
	}
	close(leave)
	stop()
	ran.Wait()
}

// A sweep goes on until nothing is left that it could drop.
func TestASweepDropsAll(t *testing.T) {
	w := newWorld(t, bypass)
	left, calls := []int{2*sweepAtOnce + 3, sweepAtOnce}, 0 // sessions, approvals
	w.flaky.dropped = func(limit int) int {
		calls++
		n := min(limit, left[0])
		if left[0] -= n; n < limit {
			left = left[1:]
		}
		return n
	}
	w.sweep(ctx)
	if len(left) != 0 || calls != 5 {
		t.Errorf("%d calls, left: %v", calls, left)
	}
}

// A grant ends at its time, in memory too.
func TestGrantsEnd(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	w.grant(command("make"), time.Hour)
	w.grant(command("make all"), 0)
	w.code(alpha, "s", shell("make"), decide.CodeCommandGranted)
	w.later(time.Hour)
	w.code(alpha, "s", shell("make"), decide.CodeApprovalRequired)
	w.code(alpha, "s", shell("make all"), decide.CodeCommandGranted)
	if grants, err := w.Grants(ctx, alpha, "s"); err != nil || len(grants) != 1 {
		t.Errorf("%v, %v", grants, err)
	}
}

// A grant says what was granted, and what it is bound to.
func TestGrants(t *testing.T) {
	long := strings.Repeat("x", maxValue+1)
	for name, row := range map[string]struct {
		spec decide.GrantSpec
		want string // the value; empty: refused
	}{
		"a command":                  {command("make all"), "make all"},
		"a script":                   {command("./x.sh"), "./x.sh"},
		"a script that is not there": {command("./y.sh"), ""},
		"no command":                 {command(" "), ""},
		"a domain":                   {decide.GrantSpec{Kind: decide.GrantDomain, Value: "www.Example.com"}, "example.com"},
		"two www":                    {decide.GrantSpec{Kind: decide.GrantDomain, Value: "www.www.example.com"}, "www.example.com"},
		"a public suffix":            {decide.GrantSpec{Kind: decide.GrantDomain, Value: "co.uk"}, ""},
		"www before a public suffix": {decide.GrantSpec{Kind: decide.GrantDomain, Value: "www.com"}, "www.com"},
		"a pattern of domains":       {decide.GrantSpec{Kind: decide.GrantDomain, Value: "*.example.com"}, ""},
		"a tool":                     {decide.GrantSpec{Kind: decide.GrantTool, Value: "write_file"}, "write_file"},
		"every tool":                 {decide.GrantSpec{Kind: decide.GrantTool, Value: "*"}, ""},
		"the shell":                  {decide.GrantSpec{Kind: decide.GrantTool, Value: "run_shell"}, ""},
		"no tool":                    {decide.GrantSpec{Kind: decide.GrantTool}, ""},
		"a read-only with value":     {decide.GrantSpec{Kind: decide.GrantReadOnly, Value: "ls"}, ""},
		"an unknown kind":            {decide.GrantSpec{Kind: "everything"}, ""},
		"a very long command":        {command("echo " + long), ""},
		"a very long definition":     {decide.GrantSpec{Kind: decide.GrantTool, Value: "write_file", Definition: long}, ""},
	} {
		w := newWorld(t, bypass)
		if err := os.WriteFile(w.dir+"/x.sh", []byte("one"), 0o755); err != nil {
			t.Fatal(err)
		}
		w.put(alpha, "s")
		g, err := w.Grant(ctx, approver, "s", row.spec, 0)
		var invalid *InvalidError
		switch {
		case row.want == "" && !errors.As(err, &invalid):
			t.Errorf("%s: %+v, %v", name, g, err)
		case row.want != "" && (err != nil || g.Value != row.want || g.By != approver.ID || g.ID == ""):
			t.Errorf("%s: %+v, %v", name, g, err)
		}
		if strings.HasPrefix(row.want, "./") && len(g.Files) != 1 {
			t.Errorf("%s is bound to %v", name, g.Files)
		}
	}
}

// The same grant twice is one, and a session holds a bounded number and size.
func TestGrantsAreBounded(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	w.grant(command("make"), 0)
	last := w.grant(command("make"), 0)
	grants, err := w.Grants(ctx, approver, "s")
	if err != nil || len(grants) != 1 || grants[0].ID != last.ID {
		t.Errorf("%+v, %v", grants, err)
	}
	// All but the last of them past the keeper: each change writes all of them.
	large := strings.Repeat("x", maxValue-100)
	_, err = w.flaky.ChangeSession(ctx, "s", func(s *store.Session) (*store.Session, error) {
		for i := range maxGiven/maxValue - 12 {
			s.Grants = append(s.Grants, store.Grant{
				ID: fmt.Sprint("g", i), Kind: string(decide.GrantCommand), Value: fmt.Sprint("true ", i, large), By: approver.ID, Created: w.clock.now(),
			})
		}
		return s, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		_, err := w.Grant(ctx, approver, "s", command(fmt.Sprint("echo ", i, large)), 0)
		if errors.Is(err, ErrConflict) && i > 8 {
			break
		}
		if err != nil || i > 14 {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if _, err := w.Grant(ctx, approver, "s", decide.GrantSpec{Kind: decide.GrantReadOnly}, 100*365*24*time.Hour); err == nil {
		t.Error("a grant for a century")
	}
}

// What a session may be called, and what it may carry.
func TestNamesAndLabels(t *testing.T) {
	labels := func(n int) map[string]string {
		m := map[string]string{}
		for i := range n {
			m[fmt.Sprint(i)] = "x"
		}
		return m
	}
	w := newWorld(t, bypass)
	for _, row := range []struct {
		id     string
		labels map[string]string
		ttl    time.Duration
		ok     bool
	}{
		{"s", nil, 0, true},
		{"A-1.b_c:d@e+f", nil, 0, true},
		{strings.Repeat("x", 128), nil, 0, true},
		{strings.Repeat("x", 129), nil, 0, false},
		{strings.Repeat("x", 1<<20), nil, 0, false},
		{"", nil, 0, false},
		{".", nil, 0, false},
		{"..", nil, 0, false},
		{"a/b", nil, 0, false},
		{"a\\b", nil, 0, false},
		{"a%2Fb", nil, 0, false},
		{"a\x00b", nil, 0, false},
		{"a\n", nil, 0, false},
		{"a b", nil, 0, false},
		{"é", nil, 0, false},
		{"s", labels(32), 0, true},
		{"s", labels(33), 0, false},
		{"s", map[string]string{"": "x"}, 0, false},
		{"s", map[string]string{"x": strings.Repeat("x", 257)}, 0, false},
		{"s", map[string]string{"é \n": "\u202e"}, 0, true},
		{"s", map[string]string{"x": "\x00"}, 0, false},
		{"s", nil, 90 * 24 * time.Hour, true},
		{"s", nil, 91 * 24 * time.Hour, false},
		{"s", nil, -1, false},
	} {
		_, _, err := w.Put(ctx, alpha, row.id, Spec{Context: w.context(), Labels: row.labels, TTL: row.ttl})
		var invalid *InvalidError
		if ok := err == nil; ok != row.ok || err != nil && !errors.As(err, &invalid) && !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%.20q %d labels %v: %v", row.id, len(row.labels), row.ttl, err)
		}
	}
}

// Memory holds a bounded number and a bounded size of sessions.
func TestMemoryIsBounded(t *testing.T) {
	w := newWorld(t, bypass)
	for name, row := range map[string]struct {
		sessions int
		bytes    int64
		most     int
	}{
		"by number": {10, maxCachedSize, 10},
		"by size":   {1000, 100 << 10, 20},
	} {
		c, err := newCache(row.sessions, row.bytes)
		if err != nil {
			t.Fatal(err)
		}
		w.cache = c
		for i := range 50 {
			id := fmt.Sprint("s", i)
			w.put(alpha, id)
			w.try(alpha, id, shell("ls"))
			if c.lru.Len() > row.most || c.size > row.bytes {
				t.Fatalf("%s: %d sessions of %d bytes", name, c.lru.Len(), c.size)
			}
		}
		for i := range 50 {
			w.try(alpha, fmt.Sprint("s", i), shell("ls"))
		}
		c.purge()
		if c.size != 0 {
			t.Errorf("%s: empty, it holds %d bytes", name, c.size)
		}
	}
}

// Revoking, deciding, deleting and resolving at once: nothing that was taken
// back passes afterwards.
func TestRaces(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	for i := range 20 {
		text := fmt.Sprint("make ", i)
		g := w.grant(command(text), 0)
		pending := w.try(alpha, "s", shell(text+" pending"))
		concurrently(6, func(n int) bool {
			var err error
			switch n {
			case 0:
				_, err = w.Revoke(ctx, approver, "s", g.ID)
			case 1:
				_, err = w.Resolve(ctx, approver, pending.Approval.ID, decide.ResolveAlwaysCommand, "")
			case 2:
				_, err = w.Patch(ctx, alpha, "s", Patch{Labels: map[string]string{"n": text}})
			case 3:
				w.cache.forget("s")
				w.look(ctx)
			default:
				_, err = w.Decide(ctx, alpha, Call{Session: "s", Call: shell(text)})
			}
			if err != nil {
				t.Error(n, err)
			}
			return true
		})
		w.code(alpha, "s", shell(text), decide.CodeApprovalRequired)
		w.code(alpha, "s", shell(text+" pending"), decide.CodeCommandGranted)
	}
}

// Either the answer came before the session's end, or it is refused.
func TestAnEndRacesWithAnAnswer(t *testing.T) {
	w := newWorld(t, bypass)
	for range 20 {
		w.put(alpha, "s")
		asked := w.try(alpha, "s", shell("make"))
		concurrently(3, func(n int) bool {
			var err error
			switch n {
			case 0:
				err = w.Delete(ctx, alpha, "s")
			case 1:
				_, err = w.Resolve(ctx, approver, asked.Approval.ID, decide.ResolveAlwaysCommand, "")
				if errors.Is(err, ErrConflict) {
					err = nil
				}
			case 2:
				_, err = w.Decide(ctx, alpha, Call{Session: "s", Call: shell("make")})
				if errors.Is(err, store.ErrNotFound) {
					err = nil
				}
			}
			if err != nil {
				t.Error(n, err)
			}
			return true
		})
		if _, err := w.Get(ctx, auth.Caller{ID: "x", Role: auth.Viewer}, "s"); !errors.Is(err, store.ErrNotFound) {
			t.Error("the session lives on: ", err)
		}
		w.put(alpha, "s")
		w.code(alpha, "s", shell("make"), decide.CodeApprovalRequired)
		if err := w.Delete(ctx, alpha, "s"); err != nil {
			t.Fatal(err)
		}
	}
}

// A session that is not in memory costs one read of the store, and then none.
func TestAColdSessionIsReadOnce(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s")
	if _, err := w.Grant(ctx, approver, "s", decide.GrantSpec{Kind: decide.GrantCommand, Value: "make"}, 0); err != nil {
		t.Fatal(err)
	}
	cold := w.replica()
	reads := 0
	w.flaky.afterRead = func() { reads++ }
	for range 2 {
		a, err := cold.Decide(ctx, alpha, Call{Session: "s", Call: shell("make")})
		if err != nil || a.Code != decide.CodeCommandGranted || reads != 1 {
			t.Errorf("%s %v after %d reads", a.Code, err, reads)
		}
	}
}
