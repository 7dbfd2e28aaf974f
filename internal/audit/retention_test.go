package audit

import (
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqlite"
)

func TestErasedContentIsGoneAndExplained(t *testing.T) {
	s := makeSample(t)
	s.visit(t, func(db *sqlite.Store) {
		w := s.writer(t, db)
		defer w.Close(ctx)
		if _, err := w.Erase(ctx, "", auth.Caller{}, ""); err == nil {
			t.Error("records without a session were erased")
		}
		n, err := w.Erase(ctx, "s1", auth.Caller{ID: "token:a", Role: auth.Admin}, "asked for")
		if err != nil || n != 13 {
			t.Fatalf("erased %d (%v)", n, err)
		}
		page, _, _, err := db.ListRecords(ctx, store.RecordQuery{Session: "s1", Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page[1:] {
			if r.Content != nil || r.Salt != nil {
				t.Errorf("record %d has content", r.Seq)
			}
		}
		if e, err := Decode(page[0]); err != nil || e.Kind != Erased || e.Outcome != "erased" || string(e.Details) != `{"records":13}` {
			t.Errorf("the record of it is %+v (%v)", e, err)
		}
	})
	r := s.verify(t, VerifyOptions{})
	if !r.Good() || r.Erased != 14 || r.Chains[0].Erased != 14 {
		t.Errorf("%s: %+v", faults(r), r)
	}
	s.tamper(t, `UPDATE records SET content = NULL, salt = NULL WHERE session = 's2'`)
	if got := faults(s.verify(t, VerifyOptions{})); got != "bad_erasure 3" {
		t.Errorf("found %q", got)
	}
}

func TestPrunedChainsVerify(t *testing.T) {
	s := makeSample(t)
	marks := s.marks(t)
	s.visit(t, func(db *sqlite.Store) {
		w := s.writer(t, db)
		defer w.Close(ctx)
		if n, err := w.Prune(ctx, time.Unix(0, 0)); n != 0 || err != nil {
			t.Errorf("pruned %d (%v)", n, err)
		}
		if n, err := w.Prune(ctx, time.Now().Add(time.Hour)); n != 40 || err != nil {
			t.Errorf("pruned %d (%v)", n, err)
		}
		if err := w.Write(ctx, testEvent(1)); err != nil {
			t.Fatal(err)
		}
	})
	known := []Known{{Checkpoint: marks[2]}, {Checkpoint: marks[4]}}
	r := s.verify(t, VerifyOptions{Known: known})
	if !r.Good() || r.Records != 2 || r.Chains[0].Pruned != 40 || r.Chains[0].First != 41 {
		t.Errorf("%s: %+v", faults(r), r)
	}
	s.tamper(t, `DELETE FROM checkpoints WHERE kind = 'pruned'`)
	if got := faults(s.verify(t, VerifyOptions{})); got != "bad_prune 1-40" {
		t.Errorf("found %q", got)
	}
}

// A replica signs for its own chains only.
func TestOthersChainsAreNotPruned(t *testing.T) {
	log := newMemLog()
	one, two := openTest(t, log, testIdentity(t), Settings{Sync: true}), openTest(t, log, testIdentity(t), Settings{Sync: true})
	for _, w := range []*testWriter{one, two} {
		if err := w.Write(ctx, testEvent(1)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := one.Prune(ctx, time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("pruned %d (%v)", n, err)
	}
	if len(log.records[two.ID()]) != 1 {
		t.Error("another replica's records are gone")
	}
	if kinds := markKinds(log, one.ID()); !strings.Contains(kinds, "pruned 1") {
		t.Errorf("checkpoints: %s", kinds)
	}
}

// While the log cannot be written, nothing is erased, also where decisions go on.
func TestNothingIsErasedUnrecorded(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{Sync: true, Answer: true})
	if err := w.Write(ctx, testEvent(1)); err != nil {
		t.Fatal(err)
	}
	log.mu.Lock()
	log.before = func([]store.Record) error { return store.ErrUnavailable }
	log.mu.Unlock()
	if _, err := w.Erase(ctx, "s1", auth.Caller{}, ""); err == nil {
		t.Error("no error")
	}
	for _, r := range log.all() {
		if r.Content == nil {
			t.Error("content is gone")
		}
	}
}

// An erasure that breaks off leaves a log that verifies, and can be repeated.
func TestAnErasureThatBreaksOffIsExplained(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{Sync: true})
	for i := range 5 {
		_ = w.Write(ctx, testEvent(i))
	}
	log.eraseMost = 3
	n, err := w.Erase(ctx, "s1", auth.Caller{}, "")
	if n != 3 || err == nil || !strings.Contains(err.Error(), "erase the session again") {
		t.Errorf("erased %d (%v)", n, err)
	}
	if r, err := Verify(ctx, log, VerifyOptions{}); err != nil || !r.Good() || r.Erased != 3 {
		t.Errorf("%v: %+v", err, r)
	}
	log.eraseMost = 0
	// Two of the records, and the one that announced the first attempt.
	if n, err = w.Erase(ctx, "s1", auth.Caller{}, ""); n != 3 || err != nil {
		t.Errorf("erased %d (%v)", n, err)
	}
	if r, err := Verify(ctx, log, VerifyOptions{}); err != nil || !r.Good() || r.Erased != 7 {
		t.Errorf("%v: %+v", err, r)
	}
}
