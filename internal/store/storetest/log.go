package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

// record is the n-th record of a writer.
func record(writer string, n int, edit ...func(*store.Record)) store.Record {
	r := store.Record{
		Writer: writer, Seq: int64(n), ID: uuid(n), Time: at(n), Kind: "decision", Session: "x", Caller: "ann",
		Tool: "run", Outcome: "allow", Code: "ok", Content: []byte(`{"n":1}`), Salt: []byte{1, 2},
		ContentHash: []byte{3}, Hash: []byte(fmt.Sprint("hash ", n)),
	}
	for _, e := range edit {
		e(&r)
	}
	return r
}

// chain appends the records of a writer up to a number, and returns them.
func chain(t testing.TB, s store.Store, writer string, to int, edit ...func(*store.Record)) []store.Record {
	t.Helper()
	must(s.OpenWriter(ctx, store.Writer{ID: writer, PublicKey: []byte("key"), Started: at(0)}))(t)
	var list []store.Record
	for n := 1; n <= to; n++ {
		list = append(list, record(writer, n, edit...))
	}
	ok(t, s.Append(ctx, list, nil))
	return list
}

func walk(t testing.TB, s store.Store, writer string, above int64) []store.Record {
	t.Helper()
	var list []store.Record
	ok(t, s.WalkRecords(ctx, writer, above, func(r store.Record) error { list = append(list, r); return nil }))
	return list
}

func pruned(writer string, n int) store.Checkpoint {
	return store.Checkpoint{
		Writer: writer, Seq: int64(n), Hash: record(writer, n).Hash, Kind: "pruned", Time: at(n), Signature: []byte("signed"),
	}
}

var logTests = map[string]func(*testing.T, kit){
	"what is appended is read": func(t *testing.T, k kit) {
		s := k.open(t)
		list := chain(t, s, "w", 3)
		for _, want := range list {
			same(t, must(s.Record(ctx, want.ID))(t), want)
		}
		same(t, walk(t, s, "w", 0), list)
	},
	"the least record, and odd texts": func(t *testing.T, k kit) {
		s := k.open(t)
		must(s.OpenWriter(ctx, store.Writer{ID: "w"}))(t)
		list := []store.Record{{Writer: "w", Seq: 1, ID: "a"}}
		for i, name := range names {
			list = append(list, store.Record{
				Writer: "w", Seq: int64(i + 2), ID: "id" + name, Kind: name, Session: name, Caller: name, Tool: name,
				Outcome: name, Code: strings.Repeat(name, 1000), Content: []byte{0, 0xff},
			})
		}
		ok(t, s.Append(ctx, list, nil))
		same(t, walk(t, s, "w", 0), list)
	},
	"the end of a chain": func(t *testing.T, k kit) {
		s := k.open(t)
		w := store.Writer{ID: "w", PublicKey: []byte("key"), Started: at(0)}
		same(t, must(s.OpenWriter(ctx, w))(t), store.Head{})
		list := chain(t, s, "w", 3)
		again := w
		again.Started = at(5)
		same(t, must(s.OpenWriter(ctx, again))(t), store.Head{Seq: 3, Hash: list[2].Hash})
		same(t, must(s.ListWriters(ctx))(t), []store.Writer{w})
		for _, key := range []string{"", "other", "key\x00"} {
			_, err := s.OpenWriter(ctx, store.Writer{ID: "w", PublicKey: []byte(key)})
			is(t, err, store.ErrExists)
		}
	},
	"writers in the order in which they came": func(t *testing.T, k kit) {
		s := k.open(t)
		for _, id := range []string{"b", "a", "c", "a"} {
			must(s.OpenWriter(ctx, store.Writer{ID: id}))(t)
		}
		same(t, must(s.ListWriters(ctx))(t), []store.Writer{{ID: "b"}, {ID: "a"}, {ID: "c"}})
	},
	"a number and an id are given once, and a batch is stored whole": func(t *testing.T, k kit) {
		s := k.open(t)
		list := chain(t, s, "w", 3)
		must(s.OpenWriter(ctx, store.Writer{ID: "v"}))(t)
		sameID := record("v", 4, func(r *store.Record) { r.ID = uuid(1) })
		sameSeq := record("w", 2, func(r *store.Record) { r.ID = uuid(9) })
		for _, batch := range [][]store.Record{{record("w", 4), sameID}, {record("w", 4), sameSeq}, {record("w", 4), record("w", 4)}} {
			is(t, s.Append(ctx, batch, []store.Checkpoint{{Writer: "w", Seq: 4}}), store.ErrExists)
			same(t, walk(t, s, "w", 0), list)
			same(t, must(s.ListCheckpoints(ctx, "w"))(t), nil)
		}
		ok(t, s.Append(ctx, nil, nil))
	},
	"writers have numbers of their own": func(t *testing.T, k kit) {
		s := k.open(t)
		one := chain(t, s, "w", 2)
		must(s.OpenWriter(ctx, store.Writer{ID: "v"}))(t)
		two := record("v", 1, func(r *store.Record) { r.ID = uuid(7) })
		ok(t, s.Append(ctx, []store.Record{two, record("w", 3)}, nil))
		same(t, walk(t, s, "v", 0), []store.Record{two})
		same(t, walk(t, s, "w", 0), append(one, record("w", 3)))
	},
	"nothing of an unknown writer, and nothing that cannot be kept": func(t *testing.T, k kit) {
		s := k.open(t)
		is(t, s.Append(ctx, []store.Record{record("w", 1)}, nil), store.ErrNotFound)
		is(t, s.Append(ctx, nil, []store.Checkpoint{{Writer: "w"}}), store.ErrNotFound)
		must(s.OpenWriter(ctx, store.Writer{ID: "w"}))(t)
		for _, bad := range refused() {
			_, err := s.OpenWriter(ctx, store.Writer{ID: bad})
			is(t, err, store.ErrInvalid)
			is(t, s.Append(ctx, []store.Record{record(bad, 1)}, nil), store.ErrNotFound)
			is(t, s.Append(ctx, []store.Record{record("w", 1, func(r *store.Record) { r.ID = bad })}, nil), store.ErrInvalid)
			is(t, s.Append(ctx, []store.Record{record("w", 1, func(r *store.Record) { r.Session = bad })}, nil), store.ErrInvalid)
			if len(bad) < 10 {
				is(t, s.Append(ctx, []store.Record{record("w", 1, func(r *store.Record) { r.Tool = bad })}, nil), store.ErrInvalid)
			}
			_, err = s.Record(ctx, bad)
			is(t, err, store.ErrNotFound)
			same(t, walk(t, s, bad, 0), nil)
			same(t, must(s.ListCheckpoints(ctx, bad))(t), nil)
			same(t, must(s.EraseContents(ctx, bad))(t), 0)
		}
		is(t, s.Append(ctx, []store.Record{record("w", 0)}, nil), store.ErrInvalid)
		same(t, walk(t, s, "w", 0), nil)
	},
	"what the store wrote itself is no stray": func(t *testing.T, k kit) {
		s := k.open(t)
		same(t, must(s.CountStrays(ctx))(t), int64(0))
		for _, w := range []string{"a", "b", "c"} {
			must(s.OpenWriter(ctx, store.Writer{ID: w}))(t)
		}
		ok(t, s.Append(ctx, []store.Record{record("a", 1), record("c", 1, func(r *store.Record) { r.ID = uuid(7) })},
			[]store.Checkpoint{{Writer: "b"}, {Writer: "c", Seq: 1}}))
		same(t, must(s.CountStrays(ctx))(t), int64(0))
	},
	"checkpoints in the order of their numbers": func(t *testing.T, k kit) {
		s := k.open(t)
		chain(t, s, "w", 1)
		point := func(n int64, kind string) store.Checkpoint {
			return store.Checkpoint{Writer: "w", Seq: n, Hash: []byte{1}, Kind: kind, Time: at(1), Signature: []byte{0, 2}}
		}
		ok(t, s.Append(ctx, nil, []store.Checkpoint{point(5, "periodic"), point(1, "start")}))
		ok(t, s.Append(ctx, []store.Record{record("w", 2)}, []store.Checkpoint{point(1, "a"), {Writer: "w"}}))
		same(t, must(s.ListCheckpoints(ctx, "w"))(t),
			[]store.Checkpoint{{Writer: "w"}, point(1, "start"), point(1, "a"), point(5, "periodic")})
		same(t, must(s.ListCheckpoints(ctx, "none"))(t), nil)
	},
	"walking": func(t *testing.T, k kit) {
		s := k.open(t)
		list := chain(t, s, "w", 1203)
		same(t, walk(t, s, "w", 1000), list[1000:])
		same(t, walk(t, s, "w", 1203), nil)
		same(t, walk(t, s, "none", 0), nil)
		mine, n := errors.New("mine"), 0
		err := s.WalkRecords(ctx, "w", 0, func(r store.Record) error {
			if n++; n == 700 {
				return mine
			}
			// The store can be called meanwhile, also to write.
			if n == 300 {
				return s.Append(ctx, []store.Record{record("w", 1204)}, nil)
			}
			return nil
		})
		if err != mine || n != 700 {
			t.Fatalf("ended after %d with %v", n, err)
		}
		same(t, len(walk(t, s, "w", 0)), 1204)
	},
	"erasing leaves the header": func(t *testing.T, k kit) {
		s := k.open(t)
		list := chain(t, s, "w", 6, func(r *store.Record) { r.Session = []string{"x", "y", ""}[r.Seq%3] })
		same(t, must(s.EraseContents(ctx, "y"))(t), 2)
		same(t, must(s.EraseContents(ctx, "y"))(t), 0)
		same(t, must(s.EraseContents(ctx, "none"))(t), 0)
		same(t, must(s.EraseContents(ctx, ""))(t), 0)
		for i := range list {
			if list[i].Session == "y" {
				list[i].Content, list[i].Salt = nil, nil
			}
		}
		same(t, walk(t, s, "w", 0), list)
	},
	"erasing in steps": func(t *testing.T, k kit) {
		s := k.open(t)
		list := chain(t, s, "w", 2500, func(r *store.Record) { r.Session = []string{"x", "y"}[r.Seq/2400] })
		same(t, must(s.EraseContents(ctx, "x"))(t), 2399)
		for _, r := range walk(t, s, "w", 0) {
			if gone := r.Content == nil && r.Salt == nil; gone != (r.Session == "x") {
				t.Fatalf("record %d of session %s: erased is %t", r.Seq, r.Session, gone)
			}
		}
		same(t, len(list), 2500)
		// What was written since is found by doing it again.
		ok(t, s.Append(ctx, []store.Record{record("w", 2501, func(r *store.Record) { r.Session = "x" })}, nil))
		same(t, must(s.EraseContents(ctx, "x"))(t), 1)
	},
	"pruning": func(t *testing.T, k kit) {
		s := k.open(t)
		list := chain(t, s, "w", 6)
		must(s.OpenWriter(ctx, store.Writer{ID: "v"}))(t)
		other := record("v", 1, func(r *store.Record) { r.ID = uuid(9) })
		ok(t, s.Append(ctx, []store.Record{other}, []store.Checkpoint{{Writer: "w", Seq: 1, Kind: "start"}}))

		same(t, must(s.Prune(ctx, pruned("w", 4)))(t), 4)
		same(t, walk(t, s, "w", 0), list[4:])
		same(t, walk(t, s, "v", 0), []store.Record{other})
		points := must(s.ListCheckpoints(ctx, "w"))(t)
		same(t, points[len(points)-1], pruned("w", 4))
		same(t, len(points), 2)
		w := must(s.ListWriters(ctx))(t)[0]
		same(t, w.Pruned, 4)
		same(t, w.PrunedHash, list[3].Hash)

		// What is gone is not written again.
		is(t, s.Append(ctx, []store.Record{record("w", 4)}, nil), store.ErrExists)
		_, err := s.Prune(ctx, pruned("w", 4))
		is(t, err, store.ErrNotFound)
		_, err = s.Prune(ctx, pruned("w", 7))
		is(t, err, store.ErrNotFound)
		_, err = s.Prune(ctx, pruned("none", 1))
		is(t, err, store.ErrNotFound)
		wrong := pruned("w", 5)
		wrong.Hash = []byte("other")
		_, err = s.Prune(ctx, wrong)
		is(t, err, store.ErrInvalid)
		wrong = pruned("w", 5)
		wrong.Kind = "periodic"
		_, err = s.Prune(ctx, wrong)
		is(t, err, store.ErrInvalid)
		same(t, walk(t, s, "w", 0), list[4:])

		// A chain that was pruned whole goes on where it ended.
		same(t, must(s.Prune(ctx, pruned("w", 6)))(t), 2)
		same(t, must(s.OpenWriter(ctx, store.Writer{ID: "w", PublicKey: []byte("key")}))(t), store.Head{Seq: 6, Hash: list[5].Hash})
		ok(t, s.Append(ctx, []store.Record{record("w", 7)}, nil))
	},
	"lists are cut into pages, newest first": func(t *testing.T, k kit) {
		s := k.open(t)
		chain(t, s, "w", 8, func(r *store.Record) {
			odd := func(yes, no string) string { return map[bool]string{true: yes, false: no}[r.Seq%2 == 1] }
			r.Session, r.Caller, r.Outcome = odd("x", "y"), odd("ann", "bob"), odd("allow", "deny")
			switch r.Seq {
			case 3:
				r.Kind = "grant"
			case 4:
				r.Tool = "read"
			case 5:
				r.Code = "floor"
			}
		})
		for _, row := range []struct {
			name string
			q    store.RecordQuery
			want []int64
			more bool
		}{
			{"all", store.RecordQuery{Limit: 8}, []int64{8, 7, 6, 5, 4, 3, 2, 1}, false},
			{"the first", store.RecordQuery{Limit: 2}, []int64{8, 7}, true},
			{"the next", store.RecordQuery{Limit: 2, Before: uuid(7)}, []int64{6, 5}, true},
			{"the last", store.RecordQuery{Limit: 2, Before: uuid(3)}, []int64{2, 1}, false},
			{"below the last", store.RecordQuery{Limit: 2, Before: uuid(1)}, nil, false},
			{"of a session", store.RecordQuery{Limit: 8, Session: "x"}, []int64{7, 5, 3, 1}, false},
			{"of a session, a page", store.RecordQuery{Limit: 1, Session: "x", Before: uuid(7)}, []int64{5}, true},
			{"of a caller", store.RecordQuery{Limit: 8, Caller: "bob"}, []int64{8, 6, 4, 2}, false},
			{"of an outcome", store.RecordQuery{Limit: 8, Outcome: "deny"}, []int64{8, 6, 4, 2}, false},
			{"of a kind", store.RecordQuery{Limit: 8, Kind: "grant"}, []int64{3}, false},
			{"of a tool", store.RecordQuery{Limit: 8, Tool: "read"}, []int64{4}, false},
			{"of a code", store.RecordQuery{Limit: 8, Code: "floor"}, []int64{5}, false},
			{"since", store.RecordQuery{Limit: 8, Since: at(7)}, []int64{8, 7}, false},
			{"until", store.RecordQuery{Limit: 8, Until: at(3)}, []int64{2, 1}, false},
			{"all at once", store.RecordQuery{
				Limit: 8, Kind: "decision", Session: "x", Caller: "ann", Tool: "run", Outcome: "allow", Code: "ok",
				Since: at(1), Until: at(7), Before: uuid(8),
			}, []int64{1}, false},
			{"none", store.RecordQuery{Limit: 8, Kind: "none"}, nil, false},
			{"of no possible session", store.RecordQuery{Limit: 8, Session: "\xff"}, nil, false},
		} {
			page, last, more, err := s.ListRecords(ctx, row.q)
			ok(t, err)
			var got []int64
			for _, r := range page {
				got = append(got, r.Seq)
			}
			if !slices.Equal(got, row.want) || more != row.more || (last != "") != more || (more && last != page[len(page)-1].ID) {
				t.Errorf("%s: got %v %q %v, want %v %v", row.name, got, last, more, row.want, row.more)
			}
		}
		_, _, _, err := s.ListRecords(ctx, store.RecordQuery{})
		is(t, err, store.ErrInvalid)
	},
	"a list ends, and says where it goes on": func(t *testing.T, k kit) {
		db := k.fresh(t)
		s := open(t, db)
		must(s.OpenWriter(ctx, store.Writer{ID: "w"}))(t)
		// The rare one is the fifth of so many that it is out of sight of the last.
		const byDoor, total = 10, 60_000
		var list []store.Record
		for n := 1; n <= byDoor; n++ {
			list = append(list, store.Record{
				Writer: "w", Seq: int64(n), ID: fmt.Sprint(100_000 + n), Session: "x", Kind: map[bool]string{true: "rare", false: "usual"}[n == 5],
			})
		}
		ok(t, s.Append(ctx, list, nil))
		db.Exec(t, copyRecord("100001", byDoor+1, total))
		ctx, cancel := context.WithTimeout(ctx, time.Minute) // it is not about how long that takes
		defer cancel()
		for _, q := range []store.RecordQuery{{Kind: "rare"}, {Kind: "rare", Session: "x"}} {
			q.Limit = 10
			page, last, more, err := s.ListRecords(ctx, q)
			ok(t, err)
			if len(page) != 0 || !more || last == "" {
				t.Fatalf("got %d, %q, %v", len(page), last, more)
			}
			q.Before = last
			page, _, more, err = s.ListRecords(ctx, q)
			ok(t, err)
			if len(page) != 1 || page[0].Seq != 5 || more {
				t.Fatalf("got %d, %v", len(page), more)
			}
		}
	},
}

// copyRecord is a statement that stores a record again as those from first to
// last, with ids that are numbers above 100,000.
func copyRecord(id string, first, last int) string {
	const same = "writer, made, kind, session, caller, tool, outcome, code, content, salt, content_hash, hash"
	return fmt.Sprintf("INSERT INTO records (id, seq, "+same+")"+
		" WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n WHERE i < %d)"+
		" SELECT CAST(100000 + i AS TEXT), i, "+same+" FROM records, n WHERE id = '%s'", first, last, id)
}
