package audit

import (
	"bytes"
	"crypto/ed25519"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqlite"
)

// forge appends a record to a chain as somebody does who knows how hashes are
// made, and has no key.
func (s *sample) forge(t *testing.T, writer, kind, session string) {
	t.Helper()
	s.visit(t, func(db *sqlite.Store) {
		var last store.Record
		_ = db.WalkRecords(ctx, writer, 0, func(r store.Record) error {
			last = r
			return nil
		})
		r := store.Record{
			Writer: writer, Seq: last.Seq + 1, ID: "forged-" + kind + "-" + session, Time: time.Now().Truncate(time.Microsecond),
			Kind: kind, Session: session, Caller: "token:a", Outcome: "erased", Content: []byte(`{}`), Salt: make([]byte, saltSize),
		}
		var h hasher
		sum := h.content(r.Salt, r.Content)
		r.ContentHash = sum[:]
		link := h.link(last.Hash, &r)
		r.Hash = link[:]
		if err := db.Append(ctx, []store.Record{r}, nil); err != nil {
			t.Fatal(err)
		}
	})
}

// restart lets the service sign what it finds, and write on.
func (s *sample) restart(t *testing.T, do func(*Writer)) {
	t.Helper()
	s.visit(t, func(db *sqlite.Store) {
		w := s.writer(t, db)
		do(w)
		if err := w.Close(ctx); err != nil {
			t.Fatal(err)
		}
	})
}

func (s *sample) eraseNow(t *testing.T, session string) {
	t.Helper()
	s.restart(t, func(w *Writer) {
		if _, err := w.Erase(ctx, session, auth.Caller{ID: "token:a"}, ""); err != nil {
			t.Fatal(err)
		}
	})
}

// foreign opens a chain with another key, of which the operator knows nothing.
func (s *sample) foreign(t *testing.T, do func(*Writer)) string {
	t.Helper()
	id, err := NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	s.visit(t, func(db *sqlite.Store) {
		w, err := Open(ctx, Options{Log: db, Identity: id, Settings: Settings{Sync: true}})
		if err != nil {
			t.Fatal(err)
		}
		do(w)
		if err := w.Close(ctx); err != nil {
			t.Fatal(err)
		}
	})
	return id.Writer
}

const takeS1 = `UPDATE records SET content = NULL, salt = NULL WHERE session = 's1'`

// What somebody without the key tries, so that contents or records are gone and
// verify finds it in order. In the sample, s1 has the records 2, 5, …, 38.
func TestForgedReasonsExplainNothing(t *testing.T) {
	for _, row := range []struct {
		name, want string
		do         func(*testing.T, *sample)
	}{
		{"an erasure behind the last checkpoint", "bad_erasure 2", func(t *testing.T, s *sample) {
			s.tamper(t, takeS1)
			s.forge(t, s.id.Writer, "erasure", "s1")
		}},
		{"an erasure that the next start of the service signs with all it finds", "bad_erasure 2", func(t *testing.T, s *sample) {
			s.tamper(t, takeS1)
			s.forge(t, s.id.Writer, "erasure", "s1")
			s.restart(t, func(*Writer) {})
		}},
		{"… and that checkpoint is deleted", "bad_erasure 2", func(t *testing.T, s *sample) {
			s.tamper(t, takeS1)
			s.forge(t, s.id.Writer, "erasure", "s1")
			s.restart(t, func(w *Writer) {
				if err := w.Write(ctx, testEvent(1)); err != nil {
					t.Fatal(err)
				}
			})
			s.tamper(t, `DELETE FROM checkpoints WHERE seq = 41`)
		}},
		{"… and a true erasure of another session follows", "bad_erasure 2", func(t *testing.T, s *sample) {
			s.tamper(t, takeS1)
			s.forge(t, s.id.Writer, "erasure", "s1")
			s.eraseNow(t, "s2")
		}},
		{"an erasure without content", "bad_erasure 2", func(t *testing.T, s *sample) {
			s.forge(t, s.id.Writer, "erasure", "s1")
			s.tamper(t, takeS1)
		}},
		{"an erasure in a chain that nobody signed", "bad_erasure 2, unsigned 0", func(t *testing.T, s *sample) {
			s.tamper(t, takeS1)
			s.tamper(t, `INSERT INTO writers (id, public_key, started, pruned) SELECT 'w2', public_key, 0, 0 FROM writers`)
			s.forge(t, "w2", "erasure", "s1")
		}},
		{"an erasure in a chain with the forger's key", "bad_erasure 2, foreign_key 0, bad_erasure 1", func(t *testing.T, s *sample) {
			s.tamper(t, takeS1)
			s.foreign(t, func(w *Writer) {
				if _, err := w.Erase(ctx, "s1", auth.Caller{ID: "token:a"}, ""); err != nil {
					t.Fatal(err)
				}
			})
		}},
		{"a record from after a true erasure", "bad_erasure 43", func(t *testing.T, s *sample) {
			s.eraseNow(t, "s1") // 41 and 42
			s.restart(t, func(w *Writer) {
				if err := w.Write(ctx, testEvent(1)); err != nil {
					t.Fatal(err)
				}
			})
			s.tamper(t, `UPDATE records SET content = NULL, salt = NULL WHERE seq = 43`)
		}},
		{"a true erasure became one of another session", "bad_erasure 2, bad_erasure 3, changed 41, changed 42", func(t *testing.T, s *sample) {
			s.eraseNow(t, "s1")
			s.tamper(t, `UPDATE records SET session = 's2' WHERE kind = 'erasure'; UPDATE records SET content = NULL, salt = NULL WHERE session = 's2'`)
		}},
		{"the checkpoints of a true erasure were deleted", "bad_erasure 2", func(t *testing.T, s *sample) {
			s.eraseNow(t, "s1")
			s.tamper(t, `DELETE FROM checkpoints WHERE kind = 'erasure'`)
		}},
		{"a checkpoint is said to be one of an erasure", "bad_erasure 2, bad_signature 41", func(t *testing.T, s *sample) {
			s.tamper(t, takeS1)
			s.forge(t, s.id.Writer, "erasure", "s1")
			s.restart(t, func(*Writer) {})
			s.tamper(t, `UPDATE checkpoints SET kind = 'erasure' WHERE seq = 41`)
		}},
		{"contents without a session", "bad_erasure 2", func(t *testing.T, s *sample) {
			s.rewriteAll(t, func(r *store.Record) {
				if r.Session == "s1" {
					r.Session = ""
				}
			})
			s.tamper(t, `DELETE FROM checkpoints WHERE seq > 0; UPDATE records SET content = NULL, salt = NULL WHERE session = ''`)
			s.forge(t, s.id.Writer, "erasure", "")
		}},
		{"a record of retention", "missing 2-6", func(t *testing.T, s *sample) {
			s.tamper(t, `DELETE FROM records WHERE seq BETWEEN 2 AND 6`)
			s.forge(t, s.id.Writer, "retention", "")
			s.restart(t, func(*Writer) {})
		}},
		{"a record of retention, and the beginning is gone", "bad_prune 1-10", func(t *testing.T, s *sample) {
			s.tamper(t, `UPDATE writers SET pruned = 10, pruned_hash = (SELECT hash FROM records WHERE seq = 10); DELETE FROM records WHERE seq <= 10`)
			s.forge(t, s.id.Writer, "retention", "")
			s.restart(t, func(*Writer) {})
		}},
		{"more is gone than retention took", "bad_prune 1-42", func(t *testing.T, s *sample) {
			s.restart(t, func(w *Writer) {
				if n, err := w.Prune(ctx, time.Now()); n != 40 || err != nil {
					t.Fatal(n, err)
				}
				for range 5 {
					if err := w.Write(ctx, testEvent(1)); err != nil {
						t.Fatal(err)
					}
				}
			})
			s.tamper(t, `UPDATE writers SET pruned = 42, pruned_hash = (SELECT hash FROM records WHERE seq = 42); DELETE FROM records WHERE seq <= 42`)
		}},
		{"a record of dropped ones", "missing 9", func(t *testing.T, s *sample) {
			s.tamper(t, `DELETE FROM records WHERE seq = 9`)
			s.forge(t, s.id.Writer, "dropped", "")
			s.restart(t, func(*Writer) {})
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := makeSample(t)
			row.do(t, &s)
			o := VerifyOptions{Keys: []ed25519.PublicKey{s.id.Public()}}
			if got := faults(s.verify(t, o)); got != row.want {
				t.Errorf("found %q, want %q", got, row.want)
			}
			var file bytes.Buffer
			s.visit(t, func(db *sqlite.Store) {
				if _, err := Export(ctx, db, store.RecordQuery{}, &file); err != nil {
					t.Fatal(err)
				}
			})
			if r, err := VerifyExport(ctx, &file, o); err != nil || r.Good() {
				t.Errorf("an export is good: %v", err)
			}
		})
	}
}

// rewriteAll is rewrite, for a change of the session.
func (s *sample) rewriteAll(t *testing.T, change func(*store.Record)) {
	t.Helper()
	s.rewrite(t, change)
	db, err := sql.Open("sqlite", s.file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s.visit(t, func(v *sqlite.Store) {
		_ = v.WalkRecords(ctx, s.id.Writer, 0, func(r store.Record) error {
			change(&r)
			if _, err := db.Exec("UPDATE records SET session = ? WHERE seq = ?", r.Session, r.Seq); err != nil {
				t.Error(err)
			}
			return nil
		})
	})
}

// An erasure is signed at once: nothing has to end or restart for it to count.
func TestErasuresAreSignedAtOnce(t *testing.T) {
	s := makeSample(t)
	s.visit(t, func(db *sqlite.Store) {
		w := s.writer(t, db)
		defer w.Close(ctx)
		if _, err := w.Erase(ctx, "s1", auth.Caller{ID: "token:a"}, ""); err != nil {
			t.Fatal(err)
		}
		r, err := Verify(ctx, db, VerifyOptions{Keys: []ed25519.PublicKey{s.id.Public()}})
		if err != nil || !r.Good() || r.Erased != 14 || r.Chains[0].Signed != 42 {
			t.Errorf("%s (%v): %+v", faults(r), err, r)
		}
	})
}

// One replica erases what another wrote, and its own chain says so.
func TestErasuresReachOtherChains(t *testing.T) {
	s := makeSample(t)
	s.foreign(t, func(w *Writer) {
		if _, err := w.Erase(ctx, "s1", auth.Caller{ID: "token:a"}, ""); err != nil {
			t.Fatal(err)
		}
	})
	if r := s.verify(t, VerifyOptions{}); !r.Good() {
		t.Error(faults(r))
	}
	// Not what is written there long after.
	s.restart(t, func(w *Writer) {
		ev := testEvent(1)
		ev.Session, ev.Time = "s1", time.Now().Add(2*clockSkew)
		if err := w.Write(ctx, ev); err != nil {
			t.Fatal(err)
		}
	})
	s.tamper(t, `UPDATE records SET content = NULL, salt = NULL WHERE seq = 41 AND kind = 'decision'`)
	if got := faults(s.verify(t, VerifyOptions{})); got != "bad_erasure 41" {
		t.Errorf("found %q", got)
	}
}

// Retention signs where a chain begins, so it must not be led to sign for young
// records that somebody made old, or for those that were exchanged.
func TestRetentionTakesOnlyWhatIsAsItWasWritten(t *testing.T) {
	past := time.Now().Add(-24 * time.Hour)
	for _, row := range []struct{ name, sql, want string }{
		{"records were made old", `UPDATE records SET made = 1 WHERE seq <= 7`, "record 1 was changed"},
		{"one old record is missing", `UPDATE records SET made = 1 WHERE seq <= 7; DELETE FROM records WHERE seq = 3`, "record 1 was changed"},
		{"the first is missing, and the next was made old", `DELETE FROM records WHERE seq = 1; UPDATE records SET made = 1 WHERE seq = 2`, "record 1 is missing"},
	} {
		s := makeSample(t)
		s.tamper(t, row.sql)
		s.visit(t, func(db *sqlite.Store) {
			w := s.writer(t, db)
			defer w.Close(ctx)
			if n, err := w.Prune(ctx, past); n != 0 || err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%s: pruned %d (%v)", row.name, n, err)
			}
		})
	}
	// With hashes computed anew, the checkpoint behind them tells.
	s := makeSample(t)
	s.rewriteTimes(t, 7)
	s.visit(t, func(db *sqlite.Store) {
		w := s.writer(t, db)
		defer w.Close(ctx)
		if n, err := w.Prune(ctx, past); n != 0 || err == nil || !strings.Contains(err.Error(), "record 10 is not the one that was signed") {
			t.Errorf("hashes computed anew: pruned %d (%v)", n, err)
		}
	})
}

func (s *sample) rewriteTimes(t *testing.T, upTo int64) {
	t.Helper()
	s.rewrite(t, func(r *store.Record) {
		if r.Seq <= upTo {
			r.Time = time.UnixMicro(1).UTC()
		}
	})
	s.tamper(t, `UPDATE records SET made = 1 WHERE seq <= 7`)
}
