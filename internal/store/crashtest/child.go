package crashtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// child is a process that writes until it is killed. Each thing that the store
// has acknowledged it says in a line on standard output, in one write: a line is
// said whole or not at all.
type child struct {
	s    store.Store
	run  string
	next atomic.Int64
}

var ctx = context.Background()

func work(open func(ctx context.Context, address string) (store.Store, error), address, run string) {
	s, err := open(ctx, address)
	if err != nil {
		fmt.Println("broken opening:", err)
		os.Exit(1)
	}
	c := &child{s: s, run: run}
	for n := range sessions {
		c.change(sessionOf(run, n), "")
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(c.forever(c.grants))
		wg.Go(c.forever(c.approvals))
	}
	wg.Go(c.leftovers)
	wg.Go(c.records("w0"))
	wg.Go(c.records("w1"))
	wg.Go(c.forever(c.others))
	wg.Wait()
	select {} // until it is killed
}

// forever repeats something until it fails.
func (c *child) forever(do func() bool) func() {
	return func() {
		for do() {
		}
	}
}

// say tells the parent, and must be called after the store has answered.
func say(words ...string) {
	_, _ = os.Stdout.WriteString(strings.Join(words, " ") + "\n")
}

// failed reports an error to the parent.
func failed(what string, err error) bool {
	if err == nil {
		return false
	}
	word := "broken"
	if errors.Is(err, store.ErrUnavailable) {
		word = "unavailable"
	}
	say(word, what+":", strings.ReplaceAll(err.Error(), "\n", " "))
	return true
}

// id is a name that no other process has; later ones are greater.
func (c *child) id() string { return fmt.Sprintf("%s-%06d", c.run, c.next.Add(1)) }

// sessions is how many sessions each process writes to, with all its goroutines.
const sessions = 3

func sessionOf(run string, n int) string { return fmt.Sprintf("s-%s-%d", run, n) }

func (c *child) session() string { return sessionOf(c.run, rand.IntN(sessions)) }

// addGrant puts a grant into a session, and with it what shows that the session
// is whole.
func addGrant(x *store.Session, g store.Grant) {
	g.Kind, g.Value, g.By = "tool", g.ID, "w"
	x.Grants = append(x.Grants[:len(x.Grants):len(x.Grants)], g)
	x.Spec, x.Labels = proof(x.Grants)
}

// proof is what belongs to these grants; its length varies by pages.
func proof(grants []store.Grant) ([]byte, map[string]string) {
	h := sha256.New()
	for _, g := range grants {
		fmt.Fprintf(h, "%s %s\n", g.ID, g.Approval)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	return []byte(`{"proof":"` + strings.Repeat(sum, 1+len(grants)*7%100) + `"}`),
		map[string]string{"grants": strconv.Itoa(len(grants))}
}

// change adds a grant, or makes the session.
func (c *child) change(session, grant string) bool {
	stored, err := c.s.ChangeSession(ctx, session, func(x *store.Session) (*store.Session, error) {
		if x == nil {
			x = &store.Session{ID: session, Owner: "w", Created: time.Now(), Expires: time.Now().Add(time.Hour)}
			x.Spec, x.Labels = proof(nil)
		}
		if grant != "" {
			addGrant(x, store.Grant{ID: grant, Created: time.Now()})
		}
		return x, nil
	})
	if failed("change a session", err) {
		return false
	}
	revision := strconv.FormatInt(stored.Revision, 10)
	if grant == "" {
		say("session", session, revision)
	} else {
		say("grant", session, grant, revision)
	}
	return true
}

func (c *child) grants() bool { return c.change(c.session(), c.id()) }

// together does the same thing several times at once.
func together(n int, do func()) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(do)
	}
	wg.Wait()
}

var errResolved = errors.New("it is resolved")

// approvals opens an approval, resolves it and mostly uses it, each step by two
// at the same time.
func (c *child) approvals() bool {
	session, key := c.session(), c.id()
	var ended atomic.Bool
	var id atomic.Value
	together(2, func() {
		a, _, err := c.s.OpenApproval(ctx, store.Approval{
			ID: c.id(), Session: session, Key: key, State: store.Pending,
			Request: []byte(`{"call":"` + key + `"}`), Created: time.Now(), Expires: time.Now().Add(time.Hour),
		})
		if failed("open an approval", err) {
			ended.Store(true)
			return
		}
		say("opened", a.ID, session, key, strconv.FormatInt(a.Revision, 10))
		id.Store(a.ID)
	})
	if ended.Load() {
		return false
	}
	name := id.Load().(string)
	outcome := []string{"once", "once", "session"}[rand.IntN(3)]
	together(2, func() {
		a, err := c.s.Resolve(ctx, name, func(a *store.Approval, x *store.Session) error {
			if a.State != store.Pending {
				return errResolved
			}
			a.State, a.Outcome, a.By, a.Resolved = store.Approved, outcome, "w", time.Now()
			if outcome == "once" {
				a.UsableTo = time.Now().Add(24 * time.Hour)
			}
			addGrant(x, store.Grant{ID: c.id(), Approval: a.ID, Created: time.Now()})
			return nil
		})
		switch {
		case errors.Is(err, errResolved):
		case failed("resolve", err):
			ended.Store(true)
		default:
			say("resolved", a.ID, session, outcome, strconv.FormatInt(a.Revision, 10))
		}
	})
	if ended.Load() {
		return false
	}
	if rand.IntN(4) > 0 {
		together(3, func() {
			if !c.use(session, key) {
				ended.Store(true)
			}
		})
	}
	return !ended.Load()
}

func (c *child) use(session, key string) bool {
	a, err := c.s.UseApproval(ctx, session, key, time.Now())
	if errors.Is(err, store.ErrNotFound) {
		return true
	}
	if failed("use an approval", err) {
		return false
	}
	say("used", a.ID, strconv.FormatInt(a.Revision, 10))
	return true
}

// leftovers uses what earlier processes have left, and tries what they have used.
func (c *child) leftovers() {
	list, _, err := c.s.ListApprovals(ctx, store.ApprovalQuery{State: store.Approved, Now: time.Now(), Limit: 200})
	if failed("list approvals", err) {
		return
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, a := range list {
		together(2, func() { c.use(a.Session, a.Key) })
	}
}

// others makes and deletes sessions, and makes and revokes tokens.
func (c *child) others() bool {
	name := "d-" + c.id()
	made, err := c.s.ChangeSession(ctx, name, func(*store.Session) (*store.Session, error) {
		return &store.Session{ID: name, Owner: "w", Expires: time.Now().Add(time.Hour)}, nil
	})
	if failed("make a session", err) {
		return false
	}
	say("made", name, strconv.FormatInt(made.Revision, 10))
	if rand.IntN(2) > 0 {
		say("deleting", name)
		_, err := c.s.ChangeSession(ctx, name, func(*store.Session) (*store.Session, error) { return nil, nil })
		if failed("delete a session", err) {
			return false
		}
		say("deleted", name)
	}
	token := c.id()
	if failed("add a token", c.s.AddToken(ctx, store.Token{ID: token, Name: token, Role: "agent", Hash: []byte(token), Created: time.Now()})) {
		return false
	}
	say("token", token)
	if rand.IntN(2) > 0 {
		if failed("revoke a token", c.s.RevokeToken(ctx, token, time.Now())) {
			return false
		}
		say("revoked", token)
	}
	return true
}

// records appends batches to a chain, at times with a checkpoint.
func (c *child) records(writer string) func() {
	return func() {
		head, err := c.s.OpenWriter(ctx, store.Writer{ID: writer, PublicKey: []byte(writer), Started: time.Now()})
		if failed("open a writer", err) {
			return
		}
		for {
			batch := make([]store.Record, 1+rand.IntN(60))
			last := head.Seq + int64(len(batch))
			for i := range batch {
				batch[i] = record(c.id(), writer, head, last)
				head = store.Head{Seq: batch[i].Seq, Hash: batch[i].Hash}
			}
			var points []store.Checkpoint
			if rand.IntN(3) == 0 {
				points = []store.Checkpoint{{Writer: writer, Seq: head.Seq, Hash: head.Hash, Kind: "periodic", Time: time.Now()}}
			}
			if failed("append", c.s.Append(ctx, batch, points)) {
				return
			}
			say("records", writer, strconv.FormatInt(last, 10), strconv.Itoa(len(points)))
		}
	}
}

// record is the next one of a chain, in a batch that ends with number last.
func record(id, writer string, before store.Head, last int64) store.Record {
	r := store.Record{ID: id, Writer: writer, Seq: before.Seq + 1, Time: time.Now(), Kind: "decision", Session: "s"}
	r.Content = []byte(fmt.Sprintf(`{"last":%d,"text":"%s"}`, last, strings.Repeat("t", int(r.Seq%7)*100)))
	r.Salt = []byte(id)
	r.ContentHash = sum(r.Salt, r.Content)
	r.Hash = sum(before.Hash, []byte(r.ID), []byte(strconv.FormatInt(r.Seq, 10)), r.ContentHash)
	return r
}

func sum(parts ...[]byte) []byte {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d ", len(p))
		h.Write(p)
	}
	return h.Sum(nil)
}
