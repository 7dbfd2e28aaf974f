package audit

import (
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
)

// What comes while somebody follows is read once, of old and of new writers.
func TestFollowReadsEachRecordOnce(t *testing.T) {
	log := newMemLog()
	one := openTest(t, log, testIdentity(t), Settings{Sync: true, CheckpointEvery: 3})
	for i := range 5 {
		_ = one.Write(ctx, testEvent(i))
	}
	f, err := Follow(ctx, log)
	if err != nil {
		t.Fatal(err)
	}
	_ = one.Write(ctx, testEvent(6))
	two := openTest(t, log, testIdentity(t), Settings{Sync: true})
	_ = two.Write(ctx, testEvent(7))
	quiet := testEvent(8)
	quiet.Session = "other"
	_ = two.Write(ctx, quiet)

	page, err := Last(ctx, log, store.RecordQuery{Session: "s1"}, 10)
	if err != nil || len(page) != 7 {
		t.Fatalf("the page has %d records (%v)", len(page), err)
	}
	old := 0
	for i := range page {
		if f.Seen(&page[i]) {
			old++
		}
	}
	var came []int64
	visit := func(r store.Record) error {
		came = append(came, r.Seq)
		return nil
	}
	for range 2 {
		if err := f.Next(ctx, store.RecordQuery{Session: "s1"}, visit); err != nil {
			t.Fatal(err)
		}
	}
	if old != 5 || len(came) != 2 || came[0] != 6 || came[1] != 1 {
		t.Errorf("%d were there, and %v came", old, came)
	}
}
