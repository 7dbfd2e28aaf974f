package sqlite

import (
	"database/sql/driver"
	"fmt"
	"math"
	"reflect"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agent-pdp/pdp/internal/store/sqldb"
)

// direct runs a compiled statement past the driver, which for each row allocates,
// copies and binds all values, and forgets them again: a third of what a row costs.
// Here a parameter keeps its memory and stays bound, and a value of the size of the
// one before is copied to where that one was.
//
// The statement and its connection remain the driver's, with all that belongs to
// them: opening, transactions, waiting for locks. A direct is used by one goroutine
// within Raw, inside of a transaction that has its locks, and closed before the
// statement. The file keeps texts as UTF-8, or SQLite would convert what is bound
// into memory of its own, and store it again at each run.
type direct struct {
	tls        *libc.TLS
	db, stmt   uintptr
	rows       int64 // that a run stores
	parameters []parameter
	err        error // the first of a value since the last run
}

// parameter is where SQLite reads a value at each run.
type parameter struct {
	memory uintptr
	size   int // of the memory
	bound  int // so many bytes of it are the value; unbound: none are
}

const unbound = -1

// directly takes out of a statement of the driver what the driver does not give. It
// reports false if the driver does not look as it did: then rows go its usual way.
func directly(stmt driver.Stmt, rows, parameters int) (*direct, bool) {
	s := reflect.ValueOf(stmt)
	conn := field(s, "c")
	tls := field(conn, "tls")
	if !tls.IsValid() || tls.Type() != reflect.TypeFor[*libc.TLS]() || tls.IsNil() {
		return nil, false
	}
	d := &direct{
		tls: (*libc.TLS)(tls.UnsafePointer()), db: handle(conn, "db"), stmt: handle(s, "pstmt"),
		rows: int64(rows), parameters: make([]parameter, parameters),
	}
	if d.db == 0 || d.stmt == 0 || sqlite3.Xsqlite3_db_handle(d.tls, d.stmt) != d.db ||
		int(sqlite3.Xsqlite3_bind_parameter_count(d.tls, d.stmt)) != parameters {
		return nil, false
	}
	for i := range d.parameters {
		d.parameters[i].bound = unbound
	}
	return d, true
}

// field is a field of the struct that a pointer leads to; invalid without one.
func field(pointer reflect.Value, name string) reflect.Value {
	if pointer.Kind() != reflect.Pointer || pointer.Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return pointer.Elem().FieldByName(name)
}

// handle is a field that holds a pointer of C; 0 without one.
func handle(pointer reflect.Value, name string) uintptr {
	f := field(pointer, name)
	if f.Kind() != reflect.Uintptr {
		return 0
	}
	return uintptr(f.Uint())
}

func (d *direct) number(i int, n int64) {
	d.note(sqlite3.Xsqlite3_bind_int64(d.tls, d.stmt, int32(i+1), n))
}

func (d *direct) text(i int, s string) {
	memory, bound := d.room(i, len(s))
	if memory == 0 {
		return
	}
	copy(libc.GoBytes(memory, len(s)), s)
	if !bound {
		d.note(sqlite3.Xsqlite3_bind_text(d.tls, d.stmt, int32(i+1), memory, int32(len(s)), 0))
	}
}

func (d *direct) blob(i int, b []byte) {
	if len(b) == 0 {
		d.parameters[i].bound = unbound
		d.note(sqlite3.Xsqlite3_bind_null(d.tls, d.stmt, int32(i+1)))
		return
	}
	memory, bound := d.room(i, len(b))
	if memory == 0 {
		return
	}
	copy(libc.GoBytes(memory, len(b)), b)
	if !bound {
		d.note(sqlite3.Xsqlite3_bind_blob(d.tls, d.stmt, int32(i+1), memory, int32(len(b)), 0))
	}
}

// room is memory for so many bytes, and says whether so many of it are bound; 0 if
// there is none.
func (d *direct) room(i, size int) (memory uintptr, bound bool) {
	p := &d.parameters[i]
	if p.bound == size {
		return p.memory, true
	}
	if size > math.MaxInt32 {
		d.fail(&failure{code: sqlite3.SQLITE_TOOBIG, message: "a value is too large"})
		return 0, false
	}
	if p.memory == 0 || p.size < size {
		libc.Xfree(d.tls, p.memory) // of 0 too; what is bound is not read before the next run
		p.size, p.bound = max(size, 2*p.size, 64), unbound
		if p.memory = libc.Xmalloc(d.tls, types.Size_t(p.size)); p.memory == 0 {
			d.fail(&failure{code: sqlite3.SQLITE_NOMEM, message: "no memory for a value"})
			return 0, false
		}
	}
	p.bound = size
	return p.memory, false
}

// run runs the statement, which answers no rows, and must store all of its own:
// a trigger that somebody has put on the table may leave them out without an error.
// After an error no more is run.
func (d *direct) run() error {
	if d.err != nil {
		return d.err
	}
	if rc := sqlite3.Xsqlite3_step(d.tls, d.stmt); rc != sqlite3.SQLITE_DONE {
		d.note(rc)
		if d.err == nil { // no answer of a step, but nothing was stored
			d.fail(&failure{code: sqlite3.SQLITE_INTERNAL, message: "the statement did not run to its end"})
		}
		_ = sqlite3.Xsqlite3_reset(d.tls, d.stmt) // tells the same again
		return d.err
	}
	d.note(sqlite3.Xsqlite3_reset(d.tls, d.stmt))
	if d.err == nil {
		d.err = sqldb.AllStored(sqlite3.Xsqlite3_changes64(d.tls, d.db), d.rows)
	}
	return d.err
}

// close gives the memory back.
func (d *direct) close() {
	_ = sqlite3.Xsqlite3_clear_bindings(d.tls, d.stmt) // never fails
	for i := range d.parameters {
		libc.Xfree(d.tls, d.parameters[i].memory)
	}
}

// note keeps what a call answers if it is no success.
func (d *direct) note(code int32) {
	if code == sqlite3.SQLITE_OK {
		return
	}
	message := libc.GoString(sqlite3.Xsqlite3_errstr(d.tls, code))
	if more := libc.GoString(sqlite3.Xsqlite3_errmsg(d.tls, d.db)); more != message {
		message += ": " + more
	}
	d.fail(&failure{code: int(code), message: message})
}

func (d *direct) fail(f *failure) {
	if d.err == nil {
		d.err = f
	}
}

// failure is an error of SQLite, as the driver's own is one.
type failure struct {
	code    int
	message string
}

func (f *failure) Error() string { return fmt.Sprintf("%s (%d)", f.message, f.code) }

// Code is SQLite's, with its extension.
func (f *failure) Code() int { return f.code }
