package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// calls is one call of each method, and what it answers in an empty store.
var calls = []struct {
	name string
	call func(ctx context.Context, s store.Store) error
	want error
}{
	{"Session", func(ctx context.Context, s store.Store) error { _, err := s.Session(ctx, "x"); return err }, store.ErrNotFound},
	{"ChangeSession", func(ctx context.Context, s store.Store) error {
		_, err := s.ChangeSession(ctx, "x", func(*store.Session) (*store.Session, error) { return &store.Session{ID: "x"}, nil })
		return err
	}, nil},
	{"ListSessions", func(ctx context.Context, s store.Store) error {
		_, _, err := s.ListSessions(ctx, store.SessionQuery{Limit: 1})
		return err
	}, nil},
	{"TouchSessions", func(ctx context.Context, s store.Store) error {
		return s.TouchSessions(ctx, map[string]time.Time{"x": at(0)})
	}, nil},
	{"DropSessions", func(ctx context.Context, s store.Store) error { _, err := s.DropSessions(ctx, at(0), 1); return err }, nil},
	{"OpenApproval", func(ctx context.Context, s store.Store) error {
		_, _, err := s.OpenApproval(ctx, question("a", "none", "k", 0, 1))
		return err
	}, store.ErrNotFound},
	{"Approval", func(ctx context.Context, s store.Store) error { _, err := s.Approval(ctx, "a"); return err }, store.ErrNotFound},
	{"ListApprovals", func(ctx context.Context, s store.Store) error {
		_, _, err := s.ListApprovals(ctx, store.ApprovalQuery{Limit: 1})
		return err
	}, nil},
	{"Resolve", func(ctx context.Context, s store.Store) error {
		_, err := s.Resolve(ctx, "a", func(*store.Approval, *store.Session) error { return nil })
		return err
	}, store.ErrNotFound},
	{"UseApproval", func(ctx context.Context, s store.Store) error {
		_, err := s.UseApproval(ctx, "x", "k", at(0))
		return err
	}, store.ErrNotFound},
	{"DropApprovals", func(ctx context.Context, s store.Store) error { _, err := s.DropApprovals(ctx, at(0), 1); return err }, nil},
	{"AddToken", func(ctx context.Context, s store.Store) error { return s.AddToken(ctx, token("t", "one")) }, nil},
	{"RevokeToken", func(ctx context.Context, s store.Store) error { return s.RevokeToken(ctx, "none", at(0)) }, store.ErrNotFound},
	{"ListTokens", func(ctx context.Context, s store.Store) error { _, err := s.ListTokens(ctx); return err }, nil},
	{"Revision", func(ctx context.Context, s store.Store) error { _, err := s.Revision(ctx); return err }, nil},
	{"ChangesSince", func(ctx context.Context, s store.Store) error { _, err := s.ChangesSince(ctx, 0, 1); return err }, nil},
	{"ForgetChanges", func(ctx context.Context, s store.Store) error { return s.ForgetChanges(ctx, at(0)) }, nil},
	{"OpenWriter", func(ctx context.Context, s store.Store) error {
		_, err := s.OpenWriter(ctx, store.Writer{ID: "w", PublicKey: []byte("key"), Started: at(0)})
		return err
	}, nil},
	{"Append", func(ctx context.Context, s store.Store) error {
		return s.Append(ctx, []store.Record{record("w", 1)}, nil)
	}, nil},
	{"Record", func(ctx context.Context, s store.Store) error { _, err := s.Record(ctx, "none"); return err }, store.ErrNotFound},
	{"ListRecords", func(ctx context.Context, s store.Store) error {
		_, _, _, err := s.ListRecords(ctx, store.RecordQuery{Limit: 1})
		return err
	}, nil},
	{"WalkRecords", func(ctx context.Context, s store.Store) error {
		return s.WalkRecords(ctx, "w", 0, func(store.Record) error { return nil })
	}, nil},
	{"ListWriters", func(ctx context.Context, s store.Store) error { _, err := s.ListWriters(ctx); return err }, nil},
	{"ListCheckpoints", func(ctx context.Context, s store.Store) error { _, err := s.ListCheckpoints(ctx, "w"); return err }, nil},
	{"CountStrays", func(ctx context.Context, s store.Store) error { _, err := s.CountStrays(ctx); return err }, nil},
	{"EraseContents", func(ctx context.Context, s store.Store) error { _, err := s.EraseContents(ctx, "x"); return err }, nil},
	{"Prune", func(ctx context.Context, s store.Store) error { _, err := s.Prune(ctx, pruned("w", 1)); return err }, nil},
}

var storeTests = map[string]func(*testing.T, kit){
	"every call answers": func(t *testing.T, k kit) {
		s := k.open(t)
		for _, c := range calls {
			if err := c.call(ctx, s); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", c.name, err, c.want)
			}
		}
	},
	"a closed store is unavailable": func(t *testing.T, k kit) {
		s := k.open(t)
		ok(t, s.Close())
		for _, c := range calls {
			if err := c.call(ctx, s); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if err := s.Backup(ctx, t.TempDir()+"/backup"); !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrUnsupported) {
			t.Errorf("Backup: %v", err)
		}
		ok(t, s.Close())
	},
	"a context that has ended is unavailable, and says why": func(t *testing.T, k kit) {
		s := k.open(t)
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		late, cancel := context.WithDeadline(ctx, at(0).AddDate(-20, 0, 0))
		defer cancel()
		for cause, ended := range map[error]context.Context{context.Canceled: canceled, context.DeadlineExceeded: late} {
			for _, c := range calls {
				if err := c.call(ended, s); !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, cause) {
					t.Errorf("%s: %v", c.name, err)
				}
			}
		}
		// It still works.
		session(t, s, "x")
		same(t, must(s.Revision(ctx))(t), 1)
	},
	"what was stored is there when it is opened again": func(t *testing.T, k kit) {
		db := k.fresh(t)
		s := open(t, db)
		x := session(t, s, "x")
		a := must2(s.OpenApproval(ctx, question("a", "x", "k", 0, 10)))(t)
		ok(t, s.AddToken(ctx, token("t", "one")))
		list := chain(t, s, "w", 3)
		ok(t, s.Close())
		s = open(t, db)
		same(t, must(s.Session(ctx, "x"))(t), x)
		same(t, must(s.Approval(ctx, "a"))(t), a)
		same(t, must(s.ListTokens(ctx))(t), []store.Token{token("t", "one")})
		same(t, walk(t, s, "w", 0), list)
		same(t, must(s.Revision(ctx))(t), 3)
	},
	"a newer schema is refused": func(t *testing.T, k kit) {
		db := k.fresh(t)
		ok(t, open(t, db).Close())
		db.Exec(t, "UPDATE schema_version SET version = version + 1")
		s, err := db.Open(t)
		if err == nil {
			s.Close()
		}
		is(t, err, store.ErrNewerSchema)
		db.Exec(t, "UPDATE schema_version SET version = version - 1")
		ok(t, open(t, db).Close())
	},
	"a table that is missing is no reason to start anew": func(t *testing.T, k kit) {
		db := k.fresh(t)
		s := open(t, db)
		session(t, s, "x")
		db.Exec(t, "DROP TABLE sessions")
		_, err := s.Session(ctx, "x")
		if err == nil || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrUnavailable) {
			t.Fatal(err)
		}
		if strings.Contains(err.Error(), "%!") {
			t.Fatal(err)
		}
	},
	"no error of a driver comes out": func(t *testing.T, k kit) {
		db := k.fresh(t)
		s := open(t, db)
		db.Exec(t, "DROP TABLE revision")
		_, err := s.Revision(ctx)
		for e := err; e != nil; e = errors.Unwrap(e) {
			if kind := strings.TrimPrefix(typeName(e), "*"); !strings.HasPrefix(kind, "errors.") && !strings.HasPrefix(kind, "fmt.") {
				t.Errorf("%s in %v", kind, err)
			}
		}
	},
	"replicas see each other's changes at once": func(t *testing.T, k kit) {
		pair := k.pair(t)
		for i := range 10 {
			x := session(t, pair[i%2], "x")
			same(t, must(pair[1-i%2].Session(ctx, "x"))(t), x)
		}
	},
	"stores that start together agree": func(t *testing.T, k kit) {
		db := k.fresh(t)
		if !db.Replicas {
			return // they do not start together
		}
		type opened struct {
			s   store.Store
			err error
		}
		results := make(chan opened)
		const replicas = 6
		for range replicas {
			go func() {
				s, err := db.Open(t)
				results <- opened{s, err}
			}()
		}
		for range replicas {
			o := <-results
			if o.err != nil {
				t.Error(o.err)
				continue
			}
			session(t, o.s, "x")
			defer o.s.Close()
		}
	},
}
