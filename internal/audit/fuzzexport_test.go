package audit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
)

// Whatever a file holds, verifying it ends, and calls nothing good that is not
// byte for byte what was exported, but for what is no part of a record.
func FuzzVerifyExport(f *testing.F) {
	log := newMemLog()
	id, err := NewIdentity()
	if err != nil {
		f.Fatal(err)
	}
	w, err := Open(ctx, Options{Log: log, Identity: id, Settings: Settings{Sync: true, CheckpointEvery: 2}})
	if err != nil {
		f.Fatal(err)
	}
	for i := range 5 {
		if err := w.Write(ctx, testEvent(i)); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(ctx); err != nil {
		f.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Export(ctx, log, store.RecordQuery{}, &out); err != nil {
		f.Fatal(err)
	}
	whole := out.String()
	f.Add(0, 0, "")
	f.Add(200, 3, "x")
	f.Add(len(whole)/2, 40, `,"seq":9223372036854775807`)
	f.Fuzz(func(t *testing.T, at, size int, put string) {
		if at < 0 || at > len(whole) || size < 0 || size > len(whole)-at {
			return
		}
		text := whole[:at] + put + whole[at+size:]
		r, err := VerifyExport(ctx, strings.NewReader(text), VerifyOptions{})
		if err != nil || !r.Good() || r.Partial {
			return
		}
		if r.Records != 5 || len(r.Chains) != 1 || r.Chains[0].Last != 5 {
			t.Errorf("good: %q in place of %q: %+v", put, whole[at:at+size], r)
		}
	})
}
