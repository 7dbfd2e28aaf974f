package audit

import (
	"bytes"
	"crypto/ed25519"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/auth"
	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqlite"
)

// sample is a SQLite file with one chain: 40 records of three sessions, a
// checkpoint for every ten, the last one at the shutdown.
type sample struct {
	dir  string
	file string
	id   Identity
}

func makeSample(t *testing.T) sample {
	t.Helper()
	s := sample{dir: t.TempDir()}
	s.file = filepath.Join(s.dir, "pdp.db")
	var err error
	if s.id, err = LoadIdentity(s.dir); err != nil {
		t.Fatal(err)
	}
	s.visit(t, func(db *sqlite.Store) {
		w := s.writer(t, db)
		for i := range 40 {
			ev := testEvent(i)
			ev.Session = fmt.Sprintf("s%d", i%3)
			if err := w.Write(ctx, ev); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(ctx); err != nil {
			t.Fatal(err)
		}
	})
	return s
}

func (s *sample) writer(t *testing.T, db *sqlite.Store) *Writer {
	t.Helper()
	w, err := Open(ctx, Options{Log: db, Identity: s.id, Settings: Settings{Sync: true, CheckpointEvery: 10}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (s *sample) visit(t *testing.T, do func(*sqlite.Store)) {
	t.Helper()
	db, err := sqlite.Open(ctx, s.file, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	do(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// tamper changes the file behind the service's back.
func (s *sample) tamper(t *testing.T, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", s.file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

func (s *sample) verify(t *testing.T, o VerifyOptions) *Report {
	t.Helper()
	var r *Report
	s.visit(t, func(db *sqlite.Store) {
		var err error
		if r, err = Verify(ctx, db, o); err != nil {
			t.Fatal(err)
		}
	})
	return r
}

// faults shows findings in short: the fault, and its records.
func faults(r *Report) string {
	var list []string
	for _, f := range r.Findings {
		if f.Text == "" {
			f.Text = "no text"
		}
		text := fmt.Sprintf("%s %d", f.Fault, f.Seq)
		if f.Until != f.Seq {
			text += fmt.Sprintf("-%d", f.Until)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func TestVerifyFindsNothingInAWholeLog(t *testing.T) {
	s := makeSample(t)
	r := s.verify(t, VerifyOptions{Keys: []ed25519.PublicKey{s.id.Public()}})
	if !r.Good() || r.Records != 40 || len(r.Chains) != 1 {
		t.Fatalf("%s: %+v", faults(r), r)
	}
	c := r.Chains[0]
	if c.First != 1 || c.Last != 40 || c.Signed != 40 || c.Checkpoints != 5 || c.Writer != s.id.Writer {
		t.Errorf("%+v", c)
	}
}

// Each row changes the file in one way.
func TestVerifyFindsTampering(t *testing.T) {
	for _, row := range []struct{ name, sql, want string }{
		{"an outcome was changed", `UPDATE records SET outcome = 'deny' WHERE seq = 17`, "changed 17"},
		{"a caller was changed", `UPDATE records SET caller = 'token:b' WHERE seq = 1`, "changed 1"},
		{"a session was changed", `UPDATE records SET session = 'other' WHERE seq = 40`, "changed 40"},
		{"a time was changed", `UPDATE records SET made = made + 1 WHERE seq = 20`, "changed 20"},
		{"an id was changed", `UPDATE records SET id = 'x' WHERE seq = 21`, "changed 21"},
		{"a hash was changed", `UPDATE records SET hash = zeroblob(32) WHERE seq = 25`, "changed 25, changed 26"},
		{"a hash was taken away", `UPDATE records SET hash = NULL WHERE seq = 25`, "changed 25"},
		{"a content was changed", `UPDATE records SET content = CAST(replace(CAST(content AS TEXT), 'git', 'rm') AS BLOB) WHERE seq = 5`, "content_changed 5"},
		{"a salt was changed", `UPDATE records SET salt = zeroblob(16) WHERE seq = 5`, "content_changed 5"},
		{"a salt was taken away", `UPDATE records SET salt = NULL WHERE seq = 5`, "content_changed 5"},
		{"content and its hash were changed", `UPDATE records SET content = '{}', content_hash = zeroblob(32) WHERE seq = 5`, "content_changed 5, changed 5"},
		{"a record is missing", `DELETE FROM records WHERE seq = 12`, "missing 12"},
		{"records are missing", `DELETE FROM records WHERE seq BETWEEN 9 AND 21`, "missing 9-21"},
		{"the first is missing", `DELETE FROM records WHERE seq = 1`, "missing 1"},
		{"the beginning is missing", `DELETE FROM records WHERE seq < 5`, "missing 1-4"},
		{"the beginning is said to be pruned", `DELETE FROM records WHERE seq < 5; UPDATE writers SET pruned = 4, pruned_hash = zeroblob(32)`, "bad_prune 1-4, changed 5"},
		{"the beginning is pruned up to a checkpoint of another kind", `UPDATE writers SET pruned = 10, pruned_hash = (SELECT hash FROM records WHERE seq = 10); DELETE FROM records WHERE seq <= 10`, "bad_prune 1-10"},
		{"said to be pruned, and still there", `UPDATE writers SET pruned = 2, pruned_hash = (SELECT hash FROM records WHERE seq = 2)`, "bad_prune 1-2, added 1, added 2"},
		{"the end is missing", `DELETE FROM records WHERE seq > 33`, "cut_off 34-40"},
		{"all are missing", `DELETE FROM records`, "cut_off 1-40"},
		{"the end and its checkpoints are missing", `DELETE FROM records WHERE seq > 33; DELETE FROM checkpoints WHERE seq > 33`, ""},
		{"all checkpoints are missing", `DELETE FROM checkpoints`, "unsigned 0"},
		{"a signature was changed", `UPDATE checkpoints SET signature = zeroblob(64) WHERE seq = 20`, "bad_signature 20"},
		{"a signature is missing", `UPDATE checkpoints SET signature = NULL WHERE seq = 20`, "bad_signature 20"},
		{"a checkpoint was moved", `UPDATE checkpoints SET seq = 21 WHERE seq = 20`, "bad_signature 21"},
		{"a checkpoint became one of pruning", `UPDATE checkpoints SET kind = 'pruned' WHERE seq = 20`, "bad_signature 20"},
		{"neighbours were exchanged", `UPDATE records SET seq = -1 WHERE seq = 14; UPDATE records SET seq = 14 WHERE seq = 15; UPDATE records SET seq = 15 WHERE seq = -1`, "reordered 14-16"},
		{"the last two were exchanged", `UPDATE records SET seq = -1 WHERE seq = 39; UPDATE records SET seq = 39 WHERE seq = 40; UPDATE records SET seq = 40 WHERE seq = -1`, "reordered 39-40"},
		{"records far apart were exchanged", `UPDATE records SET seq = -1 WHERE seq = 3; UPDATE records SET seq = 3 WHERE seq = 35; UPDATE records SET seq = 35 WHERE seq = -1`, "changed 3, changed 4, changed 35, changed 36"},
		{"a record was doubled", `DROP INDEX records_chain; INSERT INTO records SELECT 'copy', writer, seq, made, kind, session, caller, tool, outcome, code, content, salt, content_hash, hash FROM records WHERE seq = 8`, "duplicated 8"},
		{"a record was put behind the end", `INSERT INTO records SELECT 'copy', writer, 41, made, kind, session, caller, tool, outcome, code, content, salt, content_hash, hash FROM records WHERE seq = 8`, "changed 41"},
		{"a record was put before the beginning", `INSERT INTO records SELECT 'copy', writer, -7, made, kind, session, caller, tool, outcome, code, content, salt, content_hash, hash FROM records WHERE seq = 8`, "added -7"},
		{"a record was given to another writer", `INSERT INTO writers (id, public_key, started, pruned) SELECT 'w2', public_key, 0, 0 FROM writers; UPDATE records SET writer = (SELECT no FROM writers WHERE id = 'w2'), seq = 1 WHERE seq = 40`, "cut_off 40, unsigned 0, changed 1"},
		{"content was taken away without a record", `UPDATE records SET content = NULL, salt = NULL WHERE seq = 7`, "bad_erasure 7"},
		{"the public key was exchanged", `UPDATE writers SET public_key = zeroblob(32)`, "bad_signature 0, unsigned 0, bad_signature 10, bad_signature 20, bad_signature 30, bad_signature 40"},
		{"an outcome became bytes", `UPDATE records SET outcome = CAST(outcome AS BLOB) WHERE seq = 17`, "changed 17"},
		{"all texts of a record became bytes", `UPDATE records SET id = CAST(id AS BLOB), kind = CAST(kind AS BLOB), session = CAST(session AS BLOB), caller = CAST(caller AS BLOB), tool = CAST(tool AS BLOB), outcome = CAST(outcome AS BLOB), code = CAST(code AS BLOB) WHERE seq = 17`, "changed 17"},
		{"a kind became bytes", `UPDATE records SET kind = CAST(kind AS BLOB) WHERE seq = 17`, "changed 17"},
		{"an id became bytes", `UPDATE records SET id = CAST(id AS BLOB) WHERE seq = 17`, "changed 17"},
		{"a session became bytes", `UPDATE records SET session = CAST(session AS BLOB) WHERE seq = 17`, "changed 17"},
		{"a caller became bytes", `UPDATE records SET caller = CAST(caller AS BLOB) WHERE seq = 17`, "changed 17"},
		{"a tool became bytes", `UPDATE records SET tool = CAST(tool AS BLOB) WHERE seq = 17`, "changed 17"},
		{"a code became bytes", `UPDATE records SET code = CAST(code AS BLOB) WHERE seq = 17`, "changed 17"},
		{"a time became bytes", `UPDATE records SET made = CAST(CAST(made AS TEXT) AS BLOB) WHERE seq = 17`, "changed 17"},
		{"a number became bytes", `UPDATE records SET seq = CAST('17' AS BLOB) WHERE seq = 17`, "missing 17"},
		{"a writer became bytes", `UPDATE records SET writer = CAST('1' AS BLOB) WHERE seq = 17`, "missing 17"},
		{"a hash became a text", `UPDATE records SET hash = CAST(hash AS TEXT) WHERE seq = 17`, "changed 17"},
		{"a content became a text", `UPDATE records SET content = CAST(content AS TEXT) WHERE seq = 17`, "content_changed 17"},
		{"an outcome got a NUL and more", `UPDATE records SET outcome = outcome || char(0) || 'x' WHERE seq = 17`, "changed 17"},
		{"an outcome got a blank", `UPDATE records SET outcome = outcome || ' ' WHERE seq = 17`, "changed 17"},
		{"a code in other letters", `UPDATE records SET code = upper(code) WHERE seq = 17`, "changed 17"},
		{"several at once", `DELETE FROM records WHERE seq IN (4, 5, 30); UPDATE records SET code = '' WHERE seq = 20`, "missing 4-5, changed 20, missing 30"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := makeSample(t)
			s.tamper(t, row.sql)
			if got := faults(s.verify(t, VerifyOptions{})); got != row.want {
				t.Errorf("found %q, want %q", got, row.want)
			}
		})
	}
}

// Rows that belong to no chain are counted, though no chain is wrong for them.
func TestVerifyCountsStrays(t *testing.T) {
	const copied = `made, kind, session, caller, tool, outcome, code, content, salt, content_hash, hash FROM records WHERE seq`
	const mark = `INSERT INTO checkpoints (writer, seq, hash, kind, made, signature) SELECT `
	for _, row := range []struct {
		name, sql string
		want      int64
	}{
		{"nothing", ``, 0},
		{"a record of an unknown writer", `INSERT INTO records SELECT 'copy', 99, 1, ` + copied + ` = 8`, 1},
		{"of one before all writers", `INSERT INTO records SELECT 'copy', -5, 1, ` + copied + ` = 8`, 1},
		{"of one between two", `UPDATE writers SET no = 5; UPDATE records SET writer = 5; UPDATE checkpoints SET writer = 5; INSERT INTO writers (no, id, started, pruned) VALUES (2, 'v', 0, 0); INSERT INTO records SELECT 'copy', 3, 1, ` + copied + ` = 8`, 1},
		{"several", `INSERT INTO records SELECT 'copy' || seq, 7, seq, ` + copied + ` < 8`, 7},
		{"a writer that is no number", `INSERT INTO records SELECT 'copy', 'x', 1, ` + copied + ` = 8`, 1},
		{"a writer of bytes", `INSERT INTO records SELECT 'copy', x'01', 1, ` + copied + ` = 8`, 1},
		{"a number that is none", `INSERT INTO records SELECT 'copy', writer, 'x', ` + copied + ` = 8`, 1},
		{"a checkpoint of an unknown writer", mark + `99, seq, hash, kind, made, signature FROM checkpoints WHERE seq = 20`, 1},
		{"a chain whose writer was removed", `DELETE FROM writers`, 45},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := makeSample(t)
			if row.sql != "" {
				s.tamper(t, row.sql)
			}
			if r := s.verify(t, VerifyOptions{}); r.Strays != row.want || r.Good() != (row.want == 0) {
				t.Errorf("%d strays, want %d; good: %v (%s)", r.Strays, row.want, r.Good(), faults(r))
			}
		})
	}
}

// rewrite computes the hashes of a chain anew, as an attacker who knows how, but
// has no key.
func (s *sample) rewrite(t *testing.T, change func(*store.Record)) {
	t.Helper()
	var all []store.Record
	s.visit(t, func(db *sqlite.Store) {
		_ = db.WalkRecords(ctx, s.id.Writer, 0, func(r store.Record) error {
			all = append(all, r)
			return nil
		})
	})
	db, err := sql.Open("sqlite", s.file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var h hasher
	var prev []byte
	for i := range all {
		r := &all[i]
		change(r)
		sum := h.link(prev, r)
		prev = bytes.Clone(sum[:])
		if _, err := db.Exec("UPDATE records SET outcome = ?, hash = ? WHERE seq = ?", r.Outcome, prev, r.Seq); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHashesComputedAnewDisagreeWithCheckpoints(t *testing.T) {
	s := makeSample(t)
	s.rewrite(t, func(r *store.Record) {
		if r.Seq == 15 {
			r.Outcome = "deny"
		}
	})
	r := s.verify(t, VerifyOptions{})
	if got := faults(r); got != "changed 11-20" || r.Chains[0].Signed != 10 {
		t.Errorf("found %q, signed up to %d", got, r.Chains[0].Signed)
	}
}

// An erasure explains what was there when it happened, and nothing else.
func TestAnErasureExplainsNothingLater(t *testing.T) {
	s := makeSample(t)
	s.visit(t, func(db *sqlite.Store) {
		w := s.writer(t, db)
		if _, err := w.Erase(ctx, "s1", auth.Caller{}, ""); err != nil {
			t.Fatal(err)
		}
		for _, after := range []time.Duration{0, time.Hour} {
			ev := testEvent(41)
			ev.Session, ev.Time = "s1", time.Now().Add(after)
			if err := w.Write(ctx, ev); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(ctx); err != nil {
			t.Fatal(err)
		}
	})
	if got := faults(s.verify(t, VerifyOptions{})); got != "" {
		t.Fatalf("found %q in a whole log", got)
	}
	s.tamper(t, `UPDATE records SET content = NULL, salt = NULL WHERE seq = 44`)
	if got := faults(s.verify(t, VerifyOptions{})); got != "bad_erasure 44" {
		t.Errorf("found %q in the log", got)
	}
	if got := faults(verifyText(t, s.export(t, store.RecordQuery{}))); got != "bad_erasure 44" {
		t.Errorf("found %q in an export", got)
	}
}

// What only a checkpoint or a key that is kept elsewhere finds.
func TestVerifyWithWhatWasKeptElsewhere(t *testing.T) {
	s := makeSample(t)
	var marks []store.Checkpoint
	s.visit(t, func(db *sqlite.Store) { marks, _ = db.ListCheckpoints(ctx, s.id.Writer) })
	last := Known{Checkpoint: marks[len(marks)-1], Key: s.id.Public()}
	if got := faults(s.verify(t, VerifyOptions{Known: []Known{last}})); got != "" {
		t.Errorf("found %q in a whole log", got)
	}
	forged := last
	forged.Seq = 99
	if got := faults(s.verify(t, VerifyOptions{Known: []Known{forged}})); got != "bad_signature 99" {
		t.Errorf("found %q with a forged checkpoint", got)
	}
	other := testIdentity(t)
	if got := faults(s.verify(t, VerifyOptions{Keys: []ed25519.PublicKey{other.Public()}})); got != "foreign_key 0" {
		t.Errorf("found %q with another key", got)
	}
	for _, row := range []struct{ name, sql, alone, want string }{
		{"cut off with its checkpoints", `DELETE FROM records WHERE seq > 33; DELETE FROM checkpoints WHERE seq > 33`, "", "cut_off 34-40"},
		{"gone as a whole", `DELETE FROM records; DELETE FROM checkpoints; DELETE FROM writers`, "", "cut_off 1-40"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := makeSample(t)
			var marks []store.Checkpoint
			s.visit(t, func(db *sqlite.Store) { marks, _ = db.ListCheckpoints(ctx, s.id.Writer) })
			s.tamper(t, row.sql)
			if got := faults(s.verify(t, VerifyOptions{})); got != row.alone {
				t.Errorf("found %q alone, want %q", got, row.alone)
			}
			known := []Known{{Checkpoint: marks[len(marks)-1], Key: s.id.Public()}}
			if got := faults(s.verify(t, VerifyOptions{Known: known})); got != row.want {
				t.Errorf("found %q, want %q", got, row.want)
			}
		})
	}
	t.Run("signed by somebody else", func(t *testing.T) {
		s := makeSample(t)
		mark := s.marks(t)[4]
		s.tamper(t, `DELETE FROM checkpoints`)
		s.rewrite(t, func(r *store.Record) { r.Outcome = "allow" })
		evil := testIdentity(t)
		evil.Writer = s.id.Writer
		db, err := sql.Open("sqlite", s.file)
		if err != nil {
			t.Fatal(err)
		}
		var hash []byte
		if err := db.QueryRow("SELECT hash FROM records WHERE seq = 40").Scan(&hash); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("UPDATE writers SET public_key = ?", []byte(evil.Public())); err != nil {
			t.Fatal(err)
		}
		_ = db.Close()
		s.visit(t, func(db *sqlite.Store) {
			if err := db.Append(ctx, nil, []store.Checkpoint{evil.checkpoint("start", 40, hash, time.Now())}); err != nil {
				t.Fatal(err)
			}
		})
		if got := faults(s.verify(t, VerifyOptions{})); got != "" {
			t.Errorf("found %q alone", got)
		}
		if got := faults(s.verify(t, VerifyOptions{Known: []Known{{Checkpoint: mark, Key: s.id.Public()}}})); got != "foreign_key 0" {
			t.Errorf("found %q with a checkpoint", got)
		}
		if got := faults(s.verify(t, VerifyOptions{Keys: []ed25519.PublicKey{s.id.Public()}})); got != "foreign_key 0" {
			t.Errorf("found %q with the key", got)
		}
	})
}

func (s *sample) marks(t *testing.T) (marks []store.Checkpoint) {
	t.Helper()
	s.visit(t, func(db *sqlite.Store) {
		var err error
		if marks, err = db.ListCheckpoints(ctx, s.id.Writer); err != nil {
			t.Fatal(err)
		}
	})
	return marks
}

func TestVerifyBoundsFindings(t *testing.T) {
	log := newMemLog()
	w := openTest(t, log, testIdentity(t), Settings{})
	for i := range 3000 {
		if err := w.Commit(ctx, testEvent(i)); err != nil && i == 0 {
			t.Fatal(err)
		}
	}
	for i := range log.records[w.ID()] {
		log.records[w.ID()][i].Content = []byte("{}")
	}
	r, err := Verify(ctx, log, VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != maxFindings || r.More != 3000-maxFindings {
		t.Errorf("%d findings and %d more", len(r.Findings), r.More)
	}
}

// A file that SQLite can read and this program cannot is an error, no clean bill.
func TestVerifySaysWhatItCannotRead(t *testing.T) {
	for _, change := range []string{
		`UPDATE records SET made = 'yesterday' WHERE seq = 9`,
		`UPDATE records SET seq = seq + 0.5 WHERE seq = 9`,
		`UPDATE writers SET id = CAST(id AS BLOB)`,
		`UPDATE checkpoints SET kind = CAST(kind AS BLOB)`,
		`UPDATE checkpoints SET seq = CAST(CAST(seq AS TEXT) AS BLOB)`,
	} {
		s := makeSample(t)
		s.tamper(t, change)
		s.visit(t, func(db *sqlite.Store) {
			if _, err := Verify(ctx, db, VerifyOptions{}); err == nil {
				t.Errorf("no error after %s", change)
			}
		})
		_ = os.Remove(s.file)
	}
}
