package sessions

import (
	"cmp"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqlite"
	"github.com/agent-pdp/pdp/internal/store/storetest"
)

// Callers of the tests: two runtimes, and one of each other role.
var (
	alpha    = auth.Caller{ID: "token:alpha", Role: auth.Runtime}
	beta     = auth.Caller{ID: "token:beta", Role: auth.Runtime}
	viewer   = auth.Caller{ID: "token:viewer", Role: auth.Viewer}
	approver = auth.Caller{ID: "token:approver", Role: auth.Approver}
	admin    = auth.Caller{ID: "token:admin", Role: auth.Admin}
	nobody   = auth.Caller{}
	nameless = auth.Caller{Role: auth.Admin}
)

// world is a keeper over a real store, with a clock and a policy that a test
// can change, and a project on the disk.
type world struct {
	*Keeper
	t      testing.TB
	file   string // the store's
	flaky  *flaky
	policy atomic.Pointer[decide.Policy]
	clock  *clock
	dir    string // of the project; has in/ and out/

	mu        sync.Mutex
	announced []Approval
	reviewer  *Reviewer
}

type clock struct {
	at      atomic.Int64 // the time of day, in microseconds
	running atomic.Int64 // how long the keepers have been running
}

func (c *clock) now() time.Time                { return time.UnixMicro(c.at.Load()) }
func (c *clock) move(d time.Duration)          { c.at.Add(d.Microseconds()) }
func (w *world) later(d time.Duration)         { w.clock.move(d) }
func (w *world) setReviewer(r *Reviewer)       { w.mu.Lock(); defer w.mu.Unlock(); w.reviewer = r }
func (w *world) reload(spec decide.PolicySpec) { w.policy.Store(policyOf(w.t, spec)) }

func policyOf(t testing.TB, spec decide.PolicySpec) *decide.Policy {
	t.Helper()
	p, err := decide.Compile(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bypass lets a policy allow every mode, so that what a test forbids is
// forbidden by the session.
var bypass = decide.PolicySpec{MaxMode: "bypass-approvals", Mode: "interactive"}

func newWorld(t testing.TB, spec decide.PolicySpec) *world {
	t.Helper()
	file := filepath.Join(storetest.Memory(t), "state", "pdp.db")
	s, err := sqlite.Open(context.Background(), file, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"in", "out"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{t: t, file: file, flaky: &flaky{Store: s}, clock: &clock{}, dir: dir}
	w.clock.at.Store(time.Now().UnixMicro())
	w.reload(spec)
	w.Keeper = w.replica()
	return w
}

// exec runs a statement past the store.
func (w *world) exec(statement string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.file)
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, statement); err != nil {
		w.t.Fatal(err)
	}
}

// replica is another keeper over the same store.
func (w *world) replica() *Keeper {
	w.t.Helper()
	k, err := New(context.Background(), Options{
		Store: w.flaky, Policy: w.policy.Load, Log: zerolog.Nop(),
		now: w.clock.now, elapsed: func() time.Duration { return time.Duration(w.clock.running.Load()) },
		Reviewer: func() *Reviewer { w.mu.Lock(); defer w.mu.Unlock(); return w.reviewer },
		OnApproval: func(a Approval) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.announced = append(w.announced, a)
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return k
}

// pass has time pass without any look at the store.
func (w *world) pass(d time.Duration) { w.clock.running.Add(int64(d)) }

// flaky is a store that can be cut off.
type flaky struct {
	store.Store
	down atomic.Bool
	// unread has approvals not be read.
	unread atomic.Bool
	// afterChange runs when a session was changed, before the keeper knows.
	afterChange func()
	// touching runs before the use of sessions is written down.
	touching func()
	// looked runs when changes were asked for.
	looked func()
	// dropped answers for how many sessions and approvals are dropped.
	dropped func(limit int) int
	// held is how many changes of sessions are being made in the store.
	held atomic.Int64
	// afterRead runs when a session was read, before the keeper knows.
	afterRead func()
}

func (f *flaky) err() error {
	if f.down.Load() {
		return store.ErrUnavailable
	}
	return nil
}

func (f *flaky) Session(ctx context.Context, id string) (store.Session, error) {
	if err := f.err(); err != nil {
		return store.Session{}, err
	}
	s, err := f.Store.Session(ctx, id)
	if f.afterRead != nil {
		f.afterRead()
	}
	return s, err
}

func (f *flaky) ChangeSession(ctx context.Context, id string, change func(*store.Session) (*store.Session, error)) (store.Session, error) {
	if err := f.err(); err != nil {
		return store.Session{}, err
	}
	s, err := f.Store.ChangeSession(ctx, id, func(old *store.Session) (*store.Session, error) {
		f.held.Add(1)
		defer f.held.Add(-1)
		return change(old)
	})
	if f.afterChange != nil {
		f.afterChange()
	}
	return s, err
}

func (f *flaky) Approval(ctx context.Context, id string) (store.Approval, error) {
	if err := f.err(); err != nil || f.unread.Load() {
		return store.Approval{}, cmp.Or(err, store.ErrUnavailable)
	}
	return f.Store.Approval(ctx, id)
}

func (f *flaky) OpenApproval(ctx context.Context, a store.Approval) (store.Approval, bool, error) {
	if err := f.err(); err != nil {
		return store.Approval{}, false, err
	}
	return f.Store.OpenApproval(ctx, a)
}

func (f *flaky) ChangesSince(ctx context.Context, revision int64, limit int) ([]store.Change, error) {
	if err := f.err(); err != nil {
		return nil, err
	}
	if f.looked != nil {
		f.looked()
	}
	return f.Store.ChangesSince(ctx, revision, limit)
}

func (f *flaky) TouchSessions(ctx context.Context, used map[string]time.Time) error {
	if err := f.err(); err != nil {
		return err
	}
	if f.touching != nil {
		f.touching()
	}
	return f.Store.TouchSessions(ctx, used)
}

func (f *flaky) DropSessions(ctx context.Context, before time.Time, limit int) ([]string, error) {
	if f.dropped != nil {
		return make([]string, f.dropped(limit)), nil
	}
	return f.Store.DropSessions(ctx, before, limit)
}

func (f *flaky) DropApprovals(ctx context.Context, before time.Time, limit int) (int, error) {
	if f.dropped != nil {
		return f.dropped(limit), nil
	}
	return f.Store.DropApprovals(ctx, before, limit)
}

var ctx = context.Background()

// context is a context in the project.
func (w *world) context(change ...func(*decide.ContextSpec)) decide.ContextSpec {
	c := decide.ContextSpec{WorkspaceRoot: w.dir, Home: w.dir + "/home", Shell: "bash"}
	for _, f := range change {
		f(&c)
	}
	return c
}

func mode(name string) func(*decide.ContextSpec) {
	return func(c *decide.ContextSpec) { c.Mode = &name }
}

// put stores a session, which must work.
func (w *world) put(c auth.Caller, id string, change ...func(*decide.ContextSpec)) View {
	w.t.Helper()
	v, _, err := w.Put(ctx, c, id, Spec{Context: w.context(change...)})
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

func tool(name string, arguments ...string) decide.Call {
	var members []decide.Member
	for i := 0; i+1 < len(arguments); i += 2 {
		members = append(members, decide.Member{Name: arguments[i], Value: decide.Text(arguments[i+1])})
	}
	return decide.Call{Tool: name, Arguments: decide.NewObject(members...)}
}

func shell(command string) decide.Call { return tool("run_shell", "command", command) }

func withMetadata(t testing.TB, c decide.Call, text string) decide.Call {
	t.Helper()
	v, err := decide.ParseValue([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if c.Metadata, err = decide.ParseMetadata(v); err != nil {
		t.Fatal(err)
	}
	return c
}

// try has a call judged, which must work.
func (w *world) try(c auth.Caller, session string, call decide.Call) Answer {
	w.t.Helper()
	a, err := w.Decide(ctx, c, Call{Session: session, Call: call, DecisionID: "d"})
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// code has a call judged, and fails unless that gives the code.
func (w *world) code(c auth.Caller, session string, call decide.Call, want decide.Code) Answer {
	w.t.Helper()
	a := w.try(c, session, call)
	if a.Code != want {
		w.t.Errorf("%s %v: %s (%s), want %s", call.Tool, call.Arguments.Get("command").Text(), a.Code, a.Reason, want)
	}
	return a
}

// resolve answers the approval of an ask, which must work.
func (w *world) resolve(a Answer, how decide.Resolution) Resolved {
	w.t.Helper()
	if a.Approval == nil {
		w.t.Fatalf("%s has no approval", a.Code)
	}
	r, err := w.Resolve(ctx, approver, a.Approval.ID, how, "")
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// unsure is a store whose changes happen, but whose answers are lost.
type unsure struct{ store.Store }

func (u *unsure) ChangeSession(ctx context.Context, id string, change func(*store.Session) (*store.Session, error)) (store.Session, error) {
	if _, err := u.Store.ChangeSession(ctx, id, change); err != nil {
		return store.Session{}, err
	}
	return store.Session{}, store.ErrUnavailable
}
