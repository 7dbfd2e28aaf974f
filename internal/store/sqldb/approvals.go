package sqldb

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

const approvalColumns = "id, session, call_key, state, human_only, request, created, expires," +
	" outcome, note, resolver, resolved, usable_to, used, revision"

const selectApproval = "SELECT " + approvalColumns + " FROM approvals WHERE id = ?"

// usable are approvals that one call can take at the time ?.
const usable = "state = 'approved' AND used = 0 AND usable_to > ?"

func scanApproval(from scanner) (store.Approval, error) {
	var (
		a                  store.Approval
		humanOnly          int64
		created, expires   int64
		resolved, to, used int64
	)
	err := from.Scan(&a.ID, &a.Session, &a.Key, &a.State, &humanOnly, &a.Request, &created, &expires,
		&a.Outcome, &a.Note, &a.By, &resolved, &to, &used, &a.Revision)
	if err != nil {
		return store.Approval{}, err
	}
	a.HumanOnly, a.Request = humanOnly != 0, Bytes(a.Request)
	a.Created, a.Expires = fromMicros(created), fromMicros(expires)
	a.Resolved, a.UsableTo, a.Used = fromMicros(resolved), fromMicros(to), fromMicros(used)
	return a, nil
}

func checkApproval(a store.Approval) error {
	var c check
	c.name("the approval's id", a.ID)
	c.name("the session's id", a.Session)
	c.name("the call's key", a.Key)
	for _, text := range []string{a.Outcome, a.Note, a.By} {
		c.text("the resolution", text)
	}
	for _, t := range []time.Time{a.Created, a.Expires, a.Resolved, a.UsableTo, a.Used} {
		c.time("a time of the approval", t)
	}
	switch a.State {
	case store.Pending, store.Approved, store.Denied, store.Expired:
	default:
		c.refuse("%q is no state of an approval", a.State)
	}
	return c.err
}

// done is when nothing more can happen to an approval.
func done(a store.Approval) int64 {
	switch {
	case a.State == store.Pending:
		return micros(a.Expires)
	case !a.Used.IsZero():
		return micros(a.Used)
	case a.State == store.Approved && !a.UsableTo.IsZero():
		return micros(a.UsableTo)
	case a.Resolved.IsZero():
		return micros(a.Expires)
	}
	return micros(a.Resolved)
}

// OpenApproval stores a pending approval unless one is open for the same call.
func (d *DB) OpenApproval(ctx context.Context, a store.Approval) (store.Approval, bool, error) {
	var stored store.Approval
	var opened bool
	err := d.change(ctx, "open an approval", func(t *tx) error {
		if a.State != store.Pending {
			var c check
			c.refuse("an approval opens pending")
			return c.err
		}
		if err := checkApproval(a); err != nil {
			return err
		}
		// The session's lock lets one caller at a time look and store.
		session, err := t.lockSession(a.Session)
		if err != nil {
			return err
		}
		if session == nil {
			return store.ErrNotFound
		}
		now := micros(a.Created)
		open, err := rows(t, scanApproval, "SELECT "+approvalColumns+" FROM approvals WHERE session = ? AND call_key = ?"+
			" AND ((state = 'pending' AND expires > ?) OR ("+usable+")) ORDER BY id DESC LIMIT 1", a.Session, a.Key, now, now)
		if err != nil {
			return err
		}
		if opened = len(open) == 0; !opened {
			stored = open[0]
			return nil
		}
		pending, err := row(t, scanOne[int], "SELECT count(*) FROM (SELECT 1 FROM approvals WHERE session = ?"+
			" AND state = 'pending' AND expires > ? LIMIT ?) AS pending", a.Session, now, store.MaxPending)
		if err != nil {
			return err
		}
		if pending >= store.MaxPending {
			return store.ErrTooMany
		}
		revision, err := t.take(store.ApprovalChanged, a.ID)
		if err != nil {
			return err
		}
		stored, err = row(t, scanApproval, "INSERT INTO approvals (id, session, owner, call_key, state, human_only, request,"+
			" created, expires, outcome, note, resolver, resolved, usable_to, used, done, revision)"+
			" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', '', 0, 0, 0, ?, ?) RETURNING "+approvalColumns,
			a.ID, a.Session, session.Owner, a.Key, string(a.State), bit(a.HumanOnly), Bytes(a.Request),
			now, micros(a.Expires), done(a), revision)
		return err
	})
	if err != nil {
		return store.Approval{}, false, err
	}
	return stored, opened, nil
}

// Approval reads one approval.
func (d *DB) Approval(ctx context.Context, id string) (store.Approval, error) {
	const what = "read an approval"
	if !isName(id) {
		return store.Approval{}, d.fail(ctx, what, store.ErrNotFound)
	}
	return readRow(ctx, d, what, scanApproval, selectApproval, id)
}

// ListApprovals reads a page, newest first.
func (d *DB) ListApprovals(ctx context.Context, q store.ApprovalQuery) ([]store.Approval, string, error) {
	const what = "list approvals"
	var c check
	c.limit(q.Limit)
	if c.err != nil {
		return nil, "", d.fail(ctx, what, c.err)
	}
	c.optional("the session", q.Session)
	c.optional("the owner", q.Owner)
	c.text("the id", q.Before)
	c.time("the time", q.Now)
	if c.err != nil {
		return nil, "", nil // nothing is stored that would match
	}
	var w where
	w.equal("session", q.Session)
	w.equal("owner", q.Owner)
	if q.Before != "" {
		w.and("id < ?", q.Before)
	}
	now := micros(q.Now)
	switch {
	case q.State == "":
	case q.Now.IsZero():
		w.and("state = ?", string(q.State))
	case q.State == store.Pending:
		// Written out, so that the index of pending ones is used.
		w.and("state = 'pending' AND expires > ?", now)
	case q.State == store.Expired:
		w.and("(state = 'expired' OR (state = 'pending' AND expires <= ?))", now)
	default:
		w.and("state = ?", string(q.State))
	}
	list, next, err := readPage(ctx, d, what, scanApproval, listing{
		table: "approvals", columns: approvalColumns, size: d.dialect.ApprovalSize, last: "id >= ?", order: "id DESC",
	}, &w, q.Limit, q.Bytes)
	if err != nil {
		return nil, "", err
	}
	for i := range list {
		if a := &list[i]; a.State == store.Pending && !q.Now.IsZero() && micros(a.Expires) <= now {
			a.State = store.Expired
		}
	}
	return list, next, nil
}

// Resolve has an approval and its session changed, and stores both.
func (d *DB) Resolve(ctx context.Context, id string, change func(*store.Approval, *store.Session) error) (store.Approval, error) {
	var stored store.Approval
	err := d.change(ctx, "resolve an approval", func(t *tx) error {
		if !isName(id) {
			return store.ErrNotFound
		}
		// The session is locked before the approval, as everywhere.
		name, err := row(t, scanOne[string], "SELECT session FROM approvals WHERE id = ?", id)
		if err != nil {
			return err
		}
		session, err := t.lockSession(name)
		if err != nil {
			return err
		}
		before, err := row(t, scanApproval, selectApproval+t.db.dialect.Lock, id)
		if err != nil {
			return err
		}
		after, changed := before, clone(session)
		after.Request = bytes.Clone(before.Request)
		if err := change(&after, changed); err != nil {
			return callerError{err}
		}
		if stored, err = t.putApproval(before, after); err != nil {
			return err
		}
		return t.putChanged(session, changed)
	})
	if err != nil {
		return store.Approval{}, err
	}
	return stored, nil
}

// putChanged stores a locked session if it is no longer the same.
func (t *tx) putChanged(before, after *store.Session) error {
	if before == nil {
		return nil
	}
	was, err := encodeSession(*before)
	if err != nil {
		return err
	}
	is, err := encodeSession(*after)
	if err != nil {
		return err
	}
	if is.ID != was.ID {
		var c check
		c.refuse("a session cannot change its name")
		return c.err
	}
	if was.same(is) {
		return nil
	}
	_, err = t.putSession(before, *after)
	return err
}

// same compares all that is kept, but for the revision.
func (r sessionRow) same(other sessionRow) bool {
	a, b := r.Session, other.Session
	return a.Owner == b.Owner && a.Widened == b.Widened && a.TTL == b.TTL &&
		micros(a.Created) == micros(b.Created) && micros(a.Updated) == micros(b.Updated) && micros(a.Expires) == micros(b.Expires) &&
		bytes.Equal(a.Spec, b.Spec) && r.labels == other.labels && bytes.Equal(r.grants, other.grants)
}

// putApproval stores how a locked approval was resolved.
func (t *tx) putApproval(before, after store.Approval) (store.Approval, error) {
	a := before
	a.State, a.Outcome, a.Note, a.By = after.State, after.Outcome, after.Note, after.By
	a.Resolved, a.UsableTo, a.Used = after.Resolved, after.UsableTo, after.Used
	if err := checkApproval(a); err != nil {
		return store.Approval{}, err
	}
	revision, err := t.take(store.ApprovalChanged, a.ID)
	if err != nil {
		return store.Approval{}, err
	}
	return row(t, scanApproval, "UPDATE approvals SET state = ?, outcome = ?, note = ?, resolver = ?, resolved = ?,"+
		" usable_to = ?, used = ?, done = ?, revision = ? WHERE id = ? RETURNING "+approvalColumns,
		string(a.State), a.Outcome, a.Note, a.By, micros(a.Resolved),
		micros(a.UsableTo), micros(a.Used), done(a), revision, a.ID)
}

const selectUsable = "SELECT " + approvalColumns + " FROM approvals WHERE session = ? AND call_key = ? AND " + usable +
	" ORDER BY usable_to LIMIT 1"

// UseApproval takes the usable approval of a call, once.
func (d *DB) UseApproval(ctx context.Context, session, key string, now time.Time) (store.Approval, error) {
	const what = "use an approval"
	var c check
	c.time("the time", now)
	if c.err != nil {
		return store.Approval{}, d.fail(ctx, what, c.err)
	}
	if !isName(session) || !isName(key) || now.IsZero() {
		return store.Approval{}, d.fail(ctx, what, store.ErrNotFound)
	}
	// Most calls have none, and need not wait for those who write.
	if _, err := readRow(ctx, d, what, scanApproval, selectUsable, session, key, micros(now)); err != nil {
		return store.Approval{}, err
	}
	var stored store.Approval
	err := d.change(ctx, what, func(t *tx) error {
		locked, err := t.lockSession(session)
		if err != nil {
			return err
		}
		if locked == nil {
			return store.ErrNotFound
		}
		before, err := row(t, scanApproval, selectUsable+t.db.dialect.Lock, session, key, micros(now))
		if err != nil {
			return err
		}
		after := before
		after.Used = now
		stored, err = t.putApproval(before, after)
		return err
	})
	if err != nil {
		return store.Approval{}, err
	}
	return stored, nil
}

// DropApprovals deletes approvals that were done with before a time.
func (d *DB) DropApprovals(ctx context.Context, before time.Time, limit int) (int, error) {
	var dropped int
	err := d.change(ctx, "drop approvals", func(t *tx) error {
		var c check
		c.limit(limit)
		c.time("the time", before)
		if c.err != nil {
			return c.err
		}
		ids, err := rows(t, scanOne[string], "SELECT id FROM approvals WHERE done < ? ORDER BY done LIMIT ?"+
			t.db.dialect.LockFree, micros(before), limit)
		if err != nil {
			return err
		}
		if dropped = len(ids); dropped == 0 {
			return nil
		}
		if _, err := t.take(store.ApprovalChanged, ids...); err != nil {
			return err
		}
		for _, piece := range chunks(ids, 500) {
			if _, err := t.exec("DELETE FROM approvals WHERE id IN ("+marks("?", len(piece))+")", anys(piece)...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return dropped, nil
}

// ignoreMissing is nil for ErrNotFound.
func ignoreMissing(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}
