package audit

import (
	"crypto/ed25519"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
)

// A log is not called whole for a key that has signed nothing in it, nor, whatever
// the key, if nothing was ever written to it.
func TestVerifyWithKeys(t *testing.T) {
	mine, theirs := testIdentity(t), testIdentity(t)
	full, empty := newMemLog(), newMemLog()
	w := openTest(t, full, mine, Settings{Sync: true})
	_ = w.Write(ctx, testEvent(0))
	stripped := newMemLog() // the chain is there, its checkpoints are not
	gone := openTest(t, stripped, mine, Settings{Sync: true})
	if err := gone.Close(ctx); err != nil {
		t.Fatal(err)
	}
	stripped.marks = nil
	tests := []struct {
		name  string
		log   *memLog
		keys  []ed25519.PublicKey
		found []Fault
	}{
		{"the key that signed", full, []ed25519.PublicKey{mine.Public()}, nil},
		{"another key", full, []ed25519.PublicKey{theirs.Public()}, []Fault{ForeignKey}},
		{"one that signed, one that did not", full, []ed25519.PublicKey{mine.Public(), theirs.Public()}, []Fault{IdleKey}},
		{"an empty log", empty, []ed25519.PublicKey{mine.Public()}, []Fault{IdleKey}},
		{"an empty log, and no key", empty, nil, nil},
		{"an empty chain without a checkpoint", stripped, []ed25519.PublicKey{mine.Public()}, []Fault{IdleKey}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			o := VerifyOptions{Keys: tc.keys}
			direct, err := Verify(ctx, tc.log, o)
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			if _, err := Export(ctx, tc.log, store.RecordQuery{}, &text); err != nil {
				t.Fatal(err)
			}
			exported, err := VerifyExport(ctx, strings.NewReader(text.String()), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []*Report{direct, exported} {
				var found []Fault
				for _, f := range r.Findings {
					found = append(found, f.Fault)
				}
				slices.Sort(found)
				if !slices.Equal(found, tc.found) || r.Good() != (len(tc.found) == 0 && len(tc.log.writers) > 0) {
					t.Errorf("found %v, want %v", found, tc.found)
				}
			}
		})
	}
}

func TestUnsignedRecordsAreCounted(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{Sync: true, CheckpointEvery: 3})
	for i := range 5 {
		_ = w.Write(ctx, testEvent(i))
	}
	r, err := Verify(ctx, log, VerifyOptions{})
	if err != nil || !r.Good() || r.Chains[0].Signed != 3 || r.Chains[0].Unsigned != 2 {
		t.Errorf("%v: %+v", err, r)
	}
	ends, err := Ends(ctx, log)
	if err != nil || len(ends) != 1 || ends[0].Unsigned != 2 || ends[0].Latest.Seq != 3 {
		t.Errorf("%v: %+v", err, ends)
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if ends, err = Ends(ctx, log); err != nil || ends[0].Unsigned != 0 {
		t.Errorf("%v: %+v", err, ends)
	}
}
