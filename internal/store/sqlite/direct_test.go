package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agent-pdp/pdp/internal/store"
)

// longest is how long a value may be here, in bytes.
const longest = 1_000_000

// onConn opens a store with one writer, and lends the connection that writes.
func onConn(t *testing.T, f func(conn any)) *Store {
	t.Helper()
	s := mustOpen(t, place(t), Options{})
	if _, err := s.OpenWriter(ctx, store.Writer{ID: "w"}); err != nil {
		t.Fatal(err)
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, longest); err != nil {
		t.Fatal(err)
	}
	if err := conn.Raw(func(c any) error { f(c); return nil }); err != nil {
		t.Fatal(err)
	}
	return s
}

// disguised is a connection whose statements are not those that the driver makes.
type disguised struct{ driver.ConnPrepareContext }

func (d disguised) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	s, err := d.ConnPrepareContext.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return struct {
		driver.Stmt
		driver.StmtExecContext
	}{s, s.(driver.StmtExecContext)}, nil
}

// If this fails after an update of the driver, nothing is broken, but records cost
// half more until directly knows the driver again.
func TestTheDriverIsKnown(t *testing.T) {
	onConn(t, func(conn any) {
		stmt, err := conn.(driver.ConnPrepareContext).PrepareContext(ctx, insertRecord)
		if err != nil {
			t.Fatal(err)
		}
		defer stmt.Close()
		d, ok := directly(stmt, 1, recordColumns)
		if !ok {
			t.Fatal("it is not")
		}
		d.close()
		if _, ok := directly(stmt, 1, recordColumns+1); ok {
			t.Error("a statement of other parameters was taken")
		}
	})
}

func TestWhatIsNoStatementOfTheDriver(t *testing.T) {
	type c struct{ db, tls uintptr }
	for i, stmt := range []driver.Stmt{
		nil,
		struct{ driver.Stmt }{},
		&struct{ driver.Stmt }{}, (*struct{ driver.Stmt })(nil),
		&struct {
			driver.Stmt
			c     *c
			pstmt uintptr
		}{c: &c{1, 2}, pstmt: 3},
		&struct {
			driver.Stmt
			c     int
			pstmt string
		}{},
	} {
		if _, ok := directly(stmt, 1, 0); ok {
			t.Errorf("number %d was taken", i)
		}
	}
}

// Records of all sizes in all orders are stored the same by either way.
func TestDirectRowsAreThoseOfTheDriver(t *testing.T) {
	var list []store.Record
	sizes := []int{0, 1, 63, 64, 65, 5, 0, 100_000, 3, 3, 200, 200, 0, 9000, 64}
	for n := range manyRows + 3*len(sizes) {
		size := sizes[n%len(sizes)]
		fill := func(c string) string { return strings.Repeat(c, size) }
		list = append(list, store.Record{
			Writer: "w", Seq: int64(n + 1), ID: fmt.Sprintf("%06d%s", n, strings.Repeat("x", size%90)),
			Kind: fill("k"), Session: fill("s")[:size%100], Caller: fill("ä"), Tool: fill(string(rune('a' + n%26))),
			Outcome: "allow", Code: fill("c"), Content: []byte(fill("\x00")), Salt: []byte(fill(string(rune('A' + n%26)))),
			ContentHash: []byte(fill("\xff")), Hash: []byte(fill("h")),
		})
	}
	stored := func(wrap func(any) any) []store.Record {
		s := onConn(t, func(conn any) {
			if err := insertOn(ctx, wrap(conn), make([]int64, len(list)), list); err != nil {
				t.Fatal(err)
			}
		})
		if _, err := s.write.Exec("UPDATE records SET writer = 1"); err != nil {
			t.Fatal(err)
		}
		var found []store.Record
		if err := s.WalkRecords(ctx, "w", 0, func(r store.Record) error { found = append(found, r); return nil }); err != nil {
			t.Fatal(err)
		}
		return found
	}
	direct := stored(func(c any) any { return c })
	usual := stored(func(c any) any { return disguised{c.(driver.ConnPrepareContext)} })
	if len(direct) != len(list) || !reflect.DeepEqual(direct, usual) {
		t.Fatalf("%d rows are not the %d of the driver", len(direct), len(usual))
	}
	for i := range direct {
		if direct[i].Odd != "" || string(direct[i].Content) != string(list[i].Content) || direct[i].Tool != list[i].Tool {
			t.Errorf("row %d is not what was written", i)
		}
	}
}

// What fails is told with the same code by either way, and stops the rest.
func TestDirectErrorsAreThoseOfTheDriver(t *testing.T) {
	for _, row := range []struct {
		name string
		list []store.Record
		code int
	}{
		{"the same id", []store.Record{{ID: "a", Seq: 1}, {ID: "b", Seq: 2}, {ID: "a", Seq: 3}, {ID: "d", Seq: 4}}, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY},
		{"the same number", []store.Record{{ID: "a", Seq: 1}, {ID: "b", Seq: 2}, {ID: "c", Seq: 2}, {ID: "d", Seq: 4}}, sqlite3.SQLITE_CONSTRAINT_UNIQUE},
		{"too large", []store.Record{{ID: "a", Seq: 1}, {ID: "b", Seq: 2}, {ID: "c", Seq: 3, Content: make([]byte, longest+1)}, {ID: "d", Seq: 4}}, sqlite3.SQLITE_TOOBIG},
	} {
		for name, wrap := range map[string]func(any) any{
			"direct": func(c any) any { return c },
			"usual":  func(c any) any { return disguised{c.(driver.ConnPrepareContext)} },
		} {
			t.Run(row.name+"/"+name, func(t *testing.T) {
				s := onConn(t, func(conn any) {
					err := insertOn(ctx, wrap(conn), make([]int64, len(row.list)), row.list)
					coded, ok := err.(interface{ Code() int })
					if !ok || coded.Code() != row.code {
						t.Errorf("the error is %v, not of code %d", err, row.code)
					}
				})
				var n int
				if err := s.write.QueryRow("SELECT count(*) FROM records").Scan(&n); err != nil || n != 2 {
					t.Errorf("%d rows %v", n, err)
				}
			})
		}
	}
}

// Of many rows none stays either, whichever of them cannot be stored.
func TestManyRowsAreStoredWholeOrNotAtAll(t *testing.T) {
	s := mustOpen(t, place(t), Options{})
	if _, err := s.OpenWriter(ctx, store.Writer{ID: "w"}); err != nil {
		t.Fatal(err)
	}
	next := int64(1)
	batch := func(n int) (list []store.Record) {
		for i := range n {
			seq := next + int64(i)
			list = append(list, store.Record{Writer: "w", Seq: seq, ID: fmt.Sprintf("%06d", seq), Hash: fmt.Append(nil, "hash ", seq)})
		}
		return list
	}
	for n := manyRows - 1; n < manyRows+2*rowsAtOnce; n++ {
		for _, wrong := range []int{1, rowsAtOnce - 1, rowsAtOnce, n - rowsAtOnce, n - 1} {
			list := batch(n)
			list[wrong].ID = list[0].ID
			if err := s.Append(ctx, list, nil); !errors.Is(err, store.ErrExists) {
				t.Fatalf("of %d rows, %d is wrong: %v", n, wrong, err)
			}
		}
		list := batch(n)
		if err := s.Append(ctx, list, nil); err != nil {
			t.Fatal(err)
		}
		next += int64(n)
		head, err := s.OpenWriter(ctx, store.Writer{ID: "w"})
		if err != nil || head.Seq != next-1 || string(head.Hash) != string(list[n-1].Hash) {
			t.Fatalf("after %d rows the end is %+v: %v", n, head, err)
		}
	}
	at := int64(0)
	if err := s.WalkRecords(ctx, "w", 0, func(r store.Record) error {
		if at++; r.Seq != at || r.ID != fmt.Sprintf("%06d", at) || string(r.Hash) != fmt.Sprint("hash ", at) {
			return fmt.Errorf("record %d is %+v", at, r)
		}
		return nil
	}); err != nil || at != next-1 {
		t.Fatalf("%d of %d: %v", at, next-1, err)
	}
}

// Who can write the file can put a trigger on the table: rows that it leaves out are
// no success by either way, and none of the batch stays.
func TestRowsThatATriggerLeavesOut(t *testing.T) {
	for _, n := range []int{1, manyRows + 1} {
		for _, left := range []int{0, n - 1} {
			for name, wrap := range map[string]func(any) any{
				"direct": func(c any) any { return c },
				"usual":  func(c any) any { return disguised{c.(driver.ConnPrepareContext)} },
			} {
				var list []store.Record
				for i := range n {
					list = append(list, store.Record{Writer: "w", Seq: int64(i + 1), ID: fmt.Sprintf("%06d", i)})
				}
				s := mustOpen(t, place(t), Options{})
				if _, err := s.OpenWriter(ctx, store.Writer{ID: "w"}); err != nil {
					t.Fatal(err)
				}
				trigger := fmt.Sprintf("CREATE TRIGGER out BEFORE INSERT ON records WHEN NEW.id = '%06d' BEGIN SELECT RAISE(IGNORE); END", left)
				if _, err := s.write.Exec(trigger); err != nil {
					t.Fatal(err)
				}
				conn, err := s.write.Conn(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if err := conn.Raw(func(c any) error { return insertOn(ctx, wrap(c), make([]int64, n), list) }); err == nil {
					t.Errorf("%s: of %d rows number %d was left out, without an error", name, n, left)
				}
				conn.Close()
				if _, err := s.write.Exec("DELETE FROM records"); err != nil {
					t.Fatal(err)
				}
				if err := s.Append(ctx, list, nil); err == nil {
					t.Errorf("%s: %d rows were appended", name, n)
				}
				var stored int
				if err := s.write.QueryRow("SELECT count(*) FROM records").Scan(&stored); err != nil || stored != 0 {
					t.Errorf("%s: %d rows stay: %v", name, stored, err)
				}
			}
		}
	}
}

// Bytes that are no text are stored as they are, by either way.
func TestTextsThatAreNoTexts(t *testing.T) {
	odd := []string{"", "\x00", "a\x00b", "\xff\xfe", "\xed\xa0\x80", "\ufeffa", "a\x00c"}
	stored := func(wrap func(any) any) (found []string) {
		s := onConn(t, func(conn any) {
			var list []store.Record
			for i := range manyRows + len(odd) {
				list = append(list, store.Record{Seq: int64(i + 1), ID: fmt.Sprintf("%06d", i), Tool: odd[i%len(odd)], Content: []byte(odd[i%len(odd)])})
			}
			if err := insertOn(ctx, wrap(conn), make([]int64, len(list)), list); err != nil {
				t.Fatal(err)
			}
		})
		rows, err := s.write.Query("SELECT hex(tool) || typeof(tool) || ' ' || hex(content) || typeof(content) FROM records ORDER BY seq")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				t.Fatal(err)
			}
			found = append(found, text)
		}
		return found
	}
	direct := stored(func(c any) any { return c })
	for i, text := range direct {
		want := fmt.Sprintf("%Xtext %Xblob", odd[i%len(odd)], odd[i%len(odd)])
		if odd[i%len(odd)] == "" {
			want = "text null"
		}
		if text != want {
			t.Errorf("row %d is %s, want %s", i, text, want)
		}
	}
	if usual := stored(func(c any) any { return disguised{c.(driver.ConnPrepareContext)} }); !reflect.DeepEqual(direct, usual) {
		t.Errorf("directly %q, by the driver %q", direct, usual)
	}
}

func TestRowsEndWithTheirContext(t *testing.T) {
	onConn(t, func(conn any) {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := insertOn(ended, conn, []int64{1}, []store.Record{{ID: "a", Seq: 1}}); err != context.Canceled {
			t.Error(err)
		}
	})
}
