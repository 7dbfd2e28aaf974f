package sessions

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/store"
)

type change = func(w *world, c *decide.ContextSpec)

func value(t testing.TB, text string) decide.Value {
	t.Helper()
	v, err := decide.ParseValue([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func inMode(name string) change { return func(_ *world, c *decide.ContextSpec) { c.Mode = &name } }

func rooted(roots ...decide.RootSpec) change {
	return func(w *world, c *decide.ContextSpec) {
		c.Roots = []decide.RootSpec{}
		for _, r := range roots {
			if !filepath.IsAbs(r.Path) {
				r.Path = filepath.Join(w.dir, r.Path)
			}
			c.Roots = append(c.Roots, r)
		}
	}
}

func same(*world, *decide.ContextSpec) {}

func links(t testing.TB, w *world) {
	t.Helper()
	if err := os.Symlink(w.dir+"/out", w.dir+"/in/link"); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := os.Symlink("/", w.dir+"/in/root"); err != nil {
		t.Fatal(err)
	}
}

// What a runtime may create under a policy that bounds it.
func TestARuntimeCreatesWithinThePolicy(t *testing.T) {
	for name, row := range map[string]struct {
		change change
		ok     bool
	}{
		"the plain workspace":             {same, true},
		"the policy's mode":               {inMode("interactive"), true},
		"a stricter mode":                 {inMode("plan"), true},
		"a laxer mode":                    {inMode("bypass-approvals"), false},
		"a laxer mode by its old name":    {inMode("auto"), false},
		"a root in the policy's":          {rooted(decide.RootSpec{Path: "in", Writable: true}), true},
		"no root":                         {rooted(), true},
		"a root outside":                  {rooted(decide.RootSpec{Path: "/etc"}), false},
		"the root of everything":          {rooted(decide.RootSpec{Path: "/"}), false},
		"a root that leads out by dots":   {rooted(decide.RootSpec{Path: "in/../../.."}), false},
		"a root that leads out by a link": {rooted(decide.RootSpec{Path: "in/root"}), false},
		"a read-only root made writable":  {rooted(decide.RootSpec{Path: "out", Writable: true}), false},
		"a read-only root":                {rooted(decide.RootSpec{Path: "out"}), true},
		"a link into a read-only root":    {rooted(decide.RootSpec{Path: "in/link", Writable: true}), false},
		"a command list":                  {func(_ *world, c *decide.ContextSpec) { c.AllowedCommands = []string{"make"} }, false},
		"a domain list":                   {func(_ *world, c *decide.ContextSpec) { c.AllowedDomains = []string{"example.com"} }, false},
		"a tool list":                     {func(_ *world, c *decide.ContextSpec) { c.AutoAllowTools = []string{"write_file"} }, false},
		"a standing rule":                 {func(_ *world, c *decide.ContextSpec) { c.StandingRules = map[string][]string{"send_note": {"ann"}} }, false},
		"empty lists": {func(_ *world, c *decide.ContextSpec) {
			c.AllowedCommands, c.StandingRules = []string{}, map[string][]string{}
		}, true},
		"a restriction":                   {func(_ *world, c *decide.ContextSpec) { c.Deny.Commands = []string{"git push"} }, true},
		"a workspace elsewhere, no roots": {func(_ *world, c *decide.ContextSpec) { c.WorkspaceRoot = "/etc" }, false},
		"a workspace elsewhere, its root": {func(_ *world, c *decide.ContextSpec) {
			c.WorkspaceRoot = "/etc"
			c.Roots = []decide.RootSpec{{Path: "/etc", Writable: true}}
		}, false},
		"grants, which are not read": {func(_ *world, c *decide.ContextSpec) { c.Grants.ReadOnlyCommands = true }, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, decide.PolicySpec{})
			links(t, w)
			w.reload(decide.PolicySpec{MaxMode: "interactive", Mode: "interactive", Roots: []decide.RootSpec{
				{Path: w.dir, Writable: true}, {Path: w.dir + "/out"},
			}})
			c := w.context()
			row.change(w, &c)
			_, _, err := w.Put(ctx, alpha, "s", Spec{Context: c})
			var wrong *decide.SpecError // outside of what the policy lets a context be
			if ok := err == nil; ok != row.ok || err != nil && !errors.As(err, &wrong) && verdictOf(t, err) != 'x' {
				t.Errorf("got %v, want it done: %v", err, row.ok)
			}
			if err != nil {
				return
			}
			// Whatever was stored lets nothing out of the policy's roots.
			for _, path := range []string{"/etc/x", w.dir + "/out/x"} {
				w.code(alpha, "s", tool("write_file", "path", path), map[bool]decide.Code{
					true: decide.CodeReadOnlyMode, false: decide.CodeOutsideRoots,
				}[c.Mode != nil && *c.Mode == "plan"])
			}
		})
	}
}

// What a runtime may make of a session of its own, by PUT and by PATCH.
func TestARuntimeOnlyNarrows(t *testing.T) {
	in, whole := decide.RootSpec{Path: "in", Writable: true}, decide.RootSpec{Path: ".", Writable: true}
	override := func(rules ...string) change {
		return func(w *world, c *decide.ContextSpec) {
			c.RiskOverrides = nil
			for _, r := range rules {
				c.RiskOverrides = append(c.RiskOverrides, value(w.t, r))
			}
		}
	}
	deny := func(entries ...string) change {
		return func(_ *world, c *decide.ContextSpec) { c.Deny.Commands = entries }
	}
	paths := func(entries ...string) change {
		return func(_ *world, c *decide.ContextSpec) { c.Deny.Paths = entries }
	}
	strict := `{"pattern":"send_*","risk":"exec"}`
	for name, row := range map[string]struct {
		before, after change
		ok            bool
		patch         bool // PATCH can say it too
	}{
		"the same again":                   {same, same, true, false},
		"a stricter mode":                  {inMode("auto-approve"), inMode("plan"), true, true},
		"the other mode that reads":        {inMode("plan"), inMode("discuss"), true, true},
		"out of plan":                      {inMode("plan"), inMode("interactive"), false, true},
		"to bypass":                        {inMode("interactive"), inMode("bypass-approvals"), false, true},
		"from bypass":                      {inMode("bypass-approvals"), inMode("interactive"), true, true},
		"to another mode of the same rank": {inMode("interactive"), inMode("auto-approve"), false, true},
		"to custom":                        {inMode("interactive"), inMode("custom"), false, true},
		"no mode, which is the policy's, after plan": {inMode("plan"), same, false, false},
		"a root below":                     {rooted(whole), rooted(in), true, true},
		"a root above":                     {rooted(in), rooted(whole), false, true},
		"one more root":                    {rooted(in), rooted(in, decide.RootSpec{Path: "out"}), false, true},
		"no root":                          {rooted(in), rooted(), true, true},
		"some root after none":             {rooted(), rooted(in), false, true},
		"no roots, which is the workspace": {rooted(in), same, false, false},
		"a root to read only":              {rooted(in), rooted(decide.RootSpec{Path: "in"}), true, true},
		"a root to write again":            {rooted(decide.RootSpec{Path: "in"}), rooted(in), false, true},
		"a root by a link out of it":       {rooted(in), rooted(decide.RootSpec{Path: "in/link", Writable: true}), false, true},
		"a root by dots":                   {rooted(in), rooted(decide.RootSpec{Path: "in/../out", Writable: true}), false, true},
		"the workspace moved, roots as they are": {rooted(in), func(w *world, c *decide.ContextSpec) {
			rooted(in)(w, c)
			c.WorkspaceRoot = w.dir + "/in"
		}, true, false},
		"the workspace moved out":                 {same, func(_ *world, c *decide.ContextSpec) { c.WorkspaceRoot = "/" }, false, false},
		"another home":                            {same, func(_ *world, c *decide.ContextSpec) { c.Home = "/" }, false, false},
		"another shell":                           {same, func(_ *world, c *decide.ContextSpec) { c.Shell = "posix" }, false, false},
		"another system":                          {same, func(_ *world, c *decide.ContextSpec) { c.OS = "windows" }, false, false},
		"a restriction more":                      {deny("git push"), deny("git push", "make"), true, false},
		"a restriction less":                      {deny("git push", "make"), deny("make"), false, false},
		"a restriction reworded":                  {deny("git push"), deny("git push --force"), false, false},
		"a protected path less":                   {func(_ *world, c *decide.ContextSpec) { c.ProtectedPaths = []string{"/x"} }, same, false, false},
		"an ask less":                             {func(_ *world, c *decide.ContextSpec) { c.Ask.Paths = []string{"*.key"} }, same, false, false},
		"a path that is taken back":               {paths("x"), paths("x", "!x"), false, false},
		"a path that is taken back, with a blank": {paths("x"), paths("x", " !x"), false, false},
		"part of a path that is taken back":       {paths("x"), paths("x", "!x/a"), false, false},
		"taken back first, where nothing is":      {same, paths("!x", "x"), false, false},
		"taken back as before":                    {paths("x", "!x/a"), paths("x", "!x/a"), true, false},
		"taken back as before, and one path more": {paths("x", "!x/a"), paths("y", "x", "z", "!x/a", "u"), true, false},
		"no longer taken back":                    {paths("x", "!x/a", "y"), paths("y", "x"), false, false},
		"taken back later than before":            {paths("!x", "x"), paths("x", "!x"), false, false},
		"taken back twice":                        {paths("x", "!x/a", "x"), paths("x", "!x/a", "x", "!x/a"), false, false},
		"taken back behind more":                  {paths("!y", "x", "y"), paths("x", "y", "!y"), false, false},
		"paths in another order":                  {paths("x", "y"), paths("y", "x"), true, false},
		"an ask that is taken back": {
			func(_ *world, c *decide.ContextSpec) { c.Ask.Paths = []string{"x"} },
			func(_ *world, c *decide.ContextSpec) { c.Ask.Paths = []string{"x", "!x"} }, false, false,
		},
		"a first override":   {same, override(strict), true, false},
		"the same overrides": {override(strict), override(strict), true, false},
		"an override less":   {override(strict), same, false, false},
		"an override that outweighs another": {
			override(strict), override(strict, `{"pattern":"send_note","risk":"egress"}`), false, false,
		},
		"a list that allows": {same, func(_ *world, c *decide.ContextSpec) { c.AllowedCommands = []string{"make"} }, false, false},
		"a standing rule": {same, func(_ *world, c *decide.ContextSpec) {
			c.StandingRules = map[string][]string{"send_note": {"ann"}}
		}, false, true},
	} {
		for _, way := range []string{"PUT", "PATCH"} {
			if way == "PATCH" && !row.patch {
				continue
			}
			t.Run(name+" by "+way, func(t *testing.T) {
				w := newWorld(t, bypass)
				links(t, w)
				c := w.context()
				row.before(w, &c)
				if _, _, err := w.Put(ctx, alpha, "s", Spec{Context: c}); err != nil {
					t.Fatal(err)
				}
				next := w.context()
				row.after(w, &next)
				var err error
				if way == "PUT" {
					_, _, err = w.Put(ctx, alpha, "s", Spec{Context: next})
				} else {
					_, err = w.Patch(ctx, alpha, "s", Patch{Mode: next.Mode, Roots: next.Roots, StandingRules: next.StandingRules})
				}
				if ok := verdictOf(t, err) == '+'; ok != row.ok {
					t.Errorf("got %v, want it done: %v", err, row.ok)
				}
			})
		}
	}
}

// Roots that were narrowed cannot be led out of by a link that is made later,
// nor by narrowing twice.
func TestNarrowedRootsHoldLater(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s", mode("bypass-approvals"), func(c *decide.ContextSpec) {
		c.Roots = []decide.RootSpec{{Path: w.dir + "/in", Writable: true}}
	})
	if err := os.Mkdir(w.dir+"/in/sub", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Patch(ctx, alpha, "s", Patch{Roots: []decide.RootSpec{{Path: w.dir + "/in/sub", Writable: true}}}); err != nil {
		t.Fatal(err)
	}
	write := tool("write_file", "path", w.dir+"/in/sub/x")
	w.code(alpha, "s", write, decide.CodeFullAccess)
	if err := os.Remove(w.dir + "/in/sub"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(w.dir+"/out", w.dir+"/in/sub"); err != nil {
		t.Skip("no links here: ", err)
	}
	w.code(alpha, "s", write, decide.CodeOutsideRoots)
	if _, err := w.Patch(ctx, alpha, "s", Patch{Roots: []decide.RootSpec{{Path: w.dir + "/out", Writable: true}}}); verdictOf(t, err) != 'x' {
		t.Errorf("the link's target as a root: %v", err)
	}
	if _, _, err := w.Put(ctx, alpha, "s", Spec{Context: w.context(mode("bypass-approvals"))}); verdictOf(t, err) != 'x' {
		t.Errorf("the whole workspace again: %v", err)
	}
}

// An approver gives what a runtime may not take, and the runtime cannot write
// over it; what it may do is narrow.
func TestAnApproverGives(t *testing.T) {
	w := newWorld(t, decide.PolicySpec{MaxMode: "interactive", Mode: "interactive"})
	w.put(alpha, "s")
	bypass := "bypass-approvals"
	roots := []decide.RootSpec{{Path: "/", Writable: true}}
	if _, err := w.Patch(ctx, approver, "s", Patch{Mode: &bypass, Roots: roots}); err != nil {
		t.Fatal(err)
	}
	w.code(alpha, "s", shell("make"), decide.CodeFullAccess)
	if _, _, err := w.Put(ctx, alpha, "s", Spec{Context: w.context()}); verdictOf(t, err) != 'x' {
		t.Errorf("a runtime writes over what an approver gave: %v", err)
	}
	if err := w.Delete(ctx, alpha, "s"); verdictOf(t, err) != 'x' {
		t.Errorf("a runtime ends a session that an approver has changed: %v", err)
	}
	interactive := "interactive"
	if _, err := w.Patch(ctx, alpha, "s", Patch{Mode: &interactive}); err != nil {
		t.Error(err)
	}
	w.code(alpha, "s", shell("make"), decide.CodeApprovalRequired)
	if _, err := w.Patch(ctx, alpha, "s", Patch{Mode: &bypass}); verdictOf(t, err) != 'x' {
		t.Errorf("a runtime takes back what it gave up: %v", err)
	}
}

// Deleting a session and making it again gives back nothing of what was granted.
func TestASessionMadeAgainHasNothing(t *testing.T) {
	w := newWorld(t, bypass)
	for name, end := range map[string]func(){
		"deleted":                func() { _ = w.Delete(ctx, alpha, "s") },
		"expired":                func() { w.later(25 * time.Hour) },
		"expired and cleared up": func() { w.later(25 * time.Hour); w.sweep(ctx) },
	} {
		_ = w.Delete(ctx, admin, "s")
		w.put(alpha, "s")
		if _, err := w.Grant(ctx, approver, "s", decide.GrantSpec{Kind: decide.GrantCommand, Value: "make"}, 0); err != nil {
			t.Fatal(err)
		}
		w.code(alpha, "s", shell("make"), decide.CodeCommandGranted)
		once := w.try(alpha, "s", shell("make once"))
		w.resolve(once, decide.ResolveOnce)
		pending := w.try(alpha, "s", shell("make pending"))
		end()
		if _, err := w.Decide(ctx, alpha, Call{Session: "s", Call: shell("make")}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: the session still answers: %v", name, err)
		}
		if _, err := w.Get(ctx, admin, "s"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: the session can still be read: %v", name, err)
		}
		w.put(beta, "s")
		w.code(beta, "s", shell("make"), decide.CodeApprovalRequired)
		w.code(beta, "s", shell("make once"), decide.CodeApprovalRequired)
		if again := w.try(beta, "s", shell("make pending")); again.Approval.ID == pending.Approval.ID {
			t.Errorf("%s: an approval of the old session is that of the new one", name)
		}
		if _, err := w.Resolve(ctx, approver, pending.Approval.ID, decide.ResolveAlwaysCommand, ""); !errors.Is(err, ErrConflict) {
			t.Errorf("%s: an approval of the old session grants to the new one: %v", name, err)
		}
		if _, err := w.Approval(ctx, beta, pending.Approval.ID, 0); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: the new owner reads what the old one asked: %v", name, err)
		}
	}
}

// Grants and rules are for the place in which they were made.
func TestGrantsStayOnlyInThePlace(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*world, *decide.ContextSpec)
		keeps  bool
	}{
		"the same":          {same, true},
		"a narrower mode":   {inMode("interactive"), true},
		"narrower roots":    {rooted(decide.RootSpec{Path: "in", Writable: true}), true},
		"a directory":       {func(w *world, c *decide.ContextSpec) { c.Cwd = w.dir + "/in" }, false},
		"another workspace": {func(w *world, c *decide.ContextSpec) { c.WorkspaceRoot = w.dir + "/in" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, bypass)
			w.put(alpha, "s")
			if _, err := w.Grant(ctx, approver, "s", decide.GrantSpec{Kind: decide.GrantCommand, Value: "make"}, 0); err != nil {
				t.Fatal(err)
			}
			asked := w.try(alpha, "s", shell("make all"))
			note := withMetadata(t, tool("gmail_send_email", "to", "ops@example.com"), `{"category":"connector"}`)
			w.resolve(w.try(alpha, "s", note), decide.ResolveStandingRule)
			w.code(alpha, "s", note, decide.CodeStandingRule)
			c := w.context()
			row.change(w, &c)
			if _, _, err := w.Put(ctx, alpha, "s", Spec{Context: c}); err != nil {
				t.Fatal(err)
			}
			grant, rule := decide.CodeApprovalRequired, decide.CodeApprovalRequired
			if row.keeps {
				grant, rule = decide.CodeCommandGranted, decide.CodeStandingRule
			}
			w.code(alpha, "s", shell("make"), grant)
			w.code(alpha, "s", note, rule)
			_, err := w.Resolve(ctx, approver, asked.Approval.ID, decide.ResolveAlwaysCommand, "")
			if row.keeps != (err == nil) || err != nil && !errors.Is(err, ErrConflict) {
				t.Errorf("an approval from before is resolved: %v", err)
			}
		})
	}
}

// The policy counts as it is now, also for sessions that are in memory.
func TestAPolicyAppliesLive(t *testing.T) {
	w := newWorld(t, bypass)
	w.put(alpha, "s", mode("bypass-approvals"))
	w.code(alpha, "s", shell("make"), decide.CodeFullAccess)
	w.reload(decide.PolicySpec{MaxMode: "interactive", Mode: "interactive"})
	if a := w.code(alpha, "s", shell("make"), decide.CodeApprovalRequired); len(a.Warnings) == 0 {
		t.Error("the cap is not told")
	}
	w.reload(decide.PolicySpec{MaxMode: "interactive", Mode: "interactive", AllowedCommands: []string{"make"}})
	w.code(alpha, "s", shell("make"), decide.CodeCommandAllowlisted)
	w.reload(decide.PolicySpec{MaxMode: "interactive", AllowedCommands: []string{"make"}, Deny: decide.ListsSpec{Commands: []string{"make"}}})
	w.code(alpha, "s", shell("make"), decide.CodeDeniedByPolicy)
}
