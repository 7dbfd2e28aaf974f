package sessions

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/agent-pdp/pdp/decide"
	"github.com/agent-pdp/pdp/internal/auth"
)

// full reports whether an error says that the caller keeps as much as it may.
func full(err error) bool {
	var full *QuotaError
	return errors.As(err, &full)
}

func (w *world) tryPut(c auth.Caller, id string, change ...func(*decide.ContextSpec)) error {
	_, _, err := w.Put(ctx, c, id, Spec{Context: w.context(change...)})
	return err
}

func heavy(bytes int) func(*decide.ContextSpec) {
	return func(c *decide.ContextSpec) {
		for i := range bytes / 100 {
			c.Deny.Commands = append(c.Deny.Commands, fmt.Sprintf("make %d ", i)+strings.Repeat("y", 90))
		}
	}
}

func TestARuntimeKeepsABoundedNumberOfSessions(t *testing.T) {
	w := newWorld(t, decide.PolicySpec{})
	w.Quota = Quota{Sessions: 3, Bytes: 1 << 20}
	for i := range 3 {
		w.put(alpha, fmt.Sprintf("s%d", i))
	}
	if err := w.tryPut(alpha, "s3"); !full(err) {
		t.Errorf("the fourth session: %v", err)
	}
	for _, c := range []auth.Caller{beta, approver, admin} {
		for i := range 4 {
			if err := w.tryPut(c, fmt.Sprintf("%s-%d", c.ID, i)); full(err) != (c == beta && i == 3) {
				t.Errorf("session %d of %s: %v", i, c.ID, err)
			}
		}
	}
	if err := w.tryPut(alpha, "s2"); err != nil {
		t.Errorf("replacing one: %v", err)
	}
	if err := w.Delete(ctx, alpha, "s2"); err != nil {
		t.Fatal(err)
	}
	if err := w.tryPut(alpha, "s3"); err != nil {
		t.Errorf("after one was deleted: %v", err)
	}
	if err := w.tryPut(alpha, "s2"); !full(err) {
		t.Errorf("the fourth session again: %v", err)
	}
}

func TestARuntimeKeepsABoundedNumberOfBytes(t *testing.T) {
	w := newWorld(t, decide.PolicySpec{})
	w.Quota = Quota{Sessions: 100, Bytes: 11_000}
	for _, row := range []struct {
		what string
		id   string
		size int
		full bool
	}{
		{"the first", "a", 4000, false},
		{"the second", "b", 4000, false},
		{"no room for a third", "c", 4000, true},
		{"one that fits", "c", 100, false},
		{"a session that grows too large", "c", 4000, true},
		{"nor if it grows in place of itself", "b", 8000, true},
	} {
		if err := w.tryPut(alpha, row.id, heavy(row.size)); full(err) != row.full || err != nil && !row.full {
			t.Errorf("%s: %v", row.what, err)
		}
	}
	_, err := w.Patch(ctx, alpha, "a", Patch{Labels: map[string]string{"x": strings.Repeat("y", 200)}})
	if err != nil {
		t.Errorf("a label: %v", err)
	}
	labels := map[string]string{}
	for i := range 20 {
		labels[fmt.Sprint(i)] = strings.Repeat("y", 200)
	}
	if _, err := w.Patch(ctx, alpha, "a", Patch{Labels: labels}); !full(err) {
		t.Errorf("many labels: %v", err)
	}
	// What an approver gives to a session is not held up by what its owner keeps.
	if _, err := w.Grant(ctx, approver, "a", decide.GrantSpec{Kind: "command", Value: "make " + strings.Repeat("z", 9000)}, 0); err != nil {
		t.Errorf("a grant: %v", err)
	}
	// An owner that has too much can still take away.
	if _, err := w.Patch(ctx, alpha, "b", Patch{Labels: map[string]string{}}); err != nil {
		t.Errorf("a patch that adds nothing: %v", err)
	}
	if err := w.Delete(ctx, alpha, "b"); err != nil {
		t.Errorf("deleting: %v", err)
	}
}

// Callers that come at the same time do not get by the bound together.
func TestAQuotaHoldsForManyAtOnce(t *testing.T) {
	w := newWorld(t, decide.PolicySpec{})
	w.Quota = Quota{Sessions: 5, Bytes: 1 << 20}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { _ = w.tryPut(alpha, fmt.Sprintf("s%d", i)) })
	}
	all.Wait()
	n, _, err := w.Store.OwnedSessions(ctx, alpha.ID)
	if err != nil || n > 5 {
		t.Errorf("%d sessions, %v", n, err)
	}
}
