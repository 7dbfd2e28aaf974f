// Package storetest is the conformance kit of package store: every promise that
// is written there is a test here, and an engine that passes Run keeps them. It
// knows nothing of SQL but the table that says which version a database has, and
// those of approvals and records, which it fills.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// Database is one that starts empty and ends with its test.
type Database struct {
	// Open opens it once more. The kit closes what it opens.
	Open func(t testing.TB) (store.Store, error)
	// Replicas says that it can be open several times at once.
	Replicas bool
	// Exec runs a statement past the store.
	Exec func(t testing.TB, statement string)
}

// Run tests the engine that makes databases with fresh.
func Run(t *testing.T, fresh func(t testing.TB) Database) {
	k := kit{fresh: fresh}
	for name, test := range map[string]map[string]func(*testing.T, kit){
		"sessions":  sessionTests,
		"approvals": approvalTests,
		"tokens":    tokenTests,
		"changes":   changeTests,
		"log":       logTests,
		"store":     storeTests,
	} {
		t.Run(name, func(t *testing.T) {
			for name, test := range test {
				t.Run(name, func(t *testing.T) { test(t, k) })
			}
		})
	}
}

type kit struct{ fresh func(t testing.TB) Database }

// open gives a test an empty store.
func (k kit) open(t testing.TB) store.Store {
	t.Helper()
	return open(t, k.fresh(t))
}

func open(t testing.TB, db Database) store.Store {
	t.Helper()
	s, err := db.Open(t)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// pair gives two open stores on one database, the same one twice where the
// engine serves one service.
func (k kit) pair(t *testing.T) [2]store.Store {
	t.Helper()
	db := k.fresh(t)
	one := open(t, db)
	if !db.Replicas {
		return [2]store.Store{one, one}
	}
	return [2]store.Store{one, open(t, db)}
}

var ctx = context.Background()

// at is a moment so many seconds after the start of all tests, with a part that
// only microseconds hold.
func at(seconds int) time.Time {
	return time.Date(2031, 5, 17, 12, 0, 0, 123_456_000, time.UTC).Add(time.Duration(seconds) * time.Second)
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func is(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}

func same[T any](t testing.TB, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got\n%+v\nwant\n%+v", got, want)
	}
}

// must is the value of a call that has to succeed.
func must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		ok(t, err)
		return value
	}
}

// page is must for a page of a list, whatever comes behind it.
func page[T any](list []T, _ string, err error) func(t testing.TB) []T { return must(list, err) }

// session stores a session of that name and returns it.
func session(t testing.TB, s store.Store, id string, edit ...func(*store.Session)) store.Session {
	t.Helper()
	return must(s.ChangeSession(ctx, id, func(*store.Session) (*store.Session, error) {
		made := store.Session{
			ID: id, Owner: "owner", Spec: []byte(`{"mode":"interactive"}`), TTL: time.Hour,
			Created: at(0), Updated: at(0), Expires: at(3600),
		}
		for _, e := range edit {
			e(&made)
		}
		return &made, nil
	}))(t)
}

func remove(t testing.TB, s store.Store, id string) {
	t.Helper()
	_, err := s.ChangeSession(ctx, id, func(*store.Session) (*store.Session, error) { return nil, nil })
	ok(t, err)
}

// question is an approval that is pending from one second to another.
func question(id, session, key string, from, to int) store.Approval {
	return store.Approval{
		ID: id, Session: session, Key: key, State: store.Pending, Request: []byte(`{"tool":"run"}`),
		Created: at(from), Expires: at(to),
	}
}

// once resolves an approval for one call, usable up to a second.
func once(t testing.TB, s store.Store, id string, now, to int) store.Approval {
	t.Helper()
	return must(s.Resolve(ctx, id, func(a *store.Approval, _ *store.Session) error {
		a.State, a.Outcome, a.By = store.Approved, "once", "ann"
		a.Resolved, a.UsableTo = at(now), at(to)
		return nil
	}))(t)
}

// uuid is an id that sorts by its number.
func uuid(n int) string { return fmt.Sprintf("019%05x-0000-7000-8000-%012x", n>>16, n) }

// names are texts that can be kept as they are, and that a store might confuse.
var names = []string{
	"a", "A", "\u00e1", "a\u0301", "a ", " a", "a\n", "a\t", "'", `"`, `\`, "%", "_", "?", "$1", "--", ";", "null", "0", "00",
	"ß", "ss", "ﬀ", "ff", "\u200b", "\x01", "\x7f", "💥", "\uffff", "\U0010ffff", "../a", "a/b",
}

// refused are texts that no name can be.
func refused() []string {
	long := make([]byte, store.MaxName+1)
	for i := range long {
		long[i] = 'x'
	}
	return []string{"\x00", "a\x00b", "\xff", "a\xc3", "\xed\xa0\x80", string(long)}
}

func typeName(v any) string { return reflect.TypeOf(v).String() }
