package sqldb

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

const (
	sessionColumns = "id, owner, widened, spec, labels, grants, ttl, created, updated, expires, revision"
	selectSession  = "SELECT " + sessionColumns + " FROM sessions WHERE id = ?"
)

// sessionRow is a session as its row has it.
type sessionRow struct {
	store.Session
	labels string
	grants []byte
}

func (r sessionRow) args() []any {
	s := r.Session
	return []any{
		s.ID, s.Owner, bit(s.Widened), Bytes(s.Spec), r.labels, r.grants, int64(s.TTL),
		micros(s.Created), micros(s.Updated), micros(s.Expires), s.Revision,
	}
}

// encodeSession refuses what cannot be kept.
func encodeSession(s store.Session) (sessionRow, error) {
	var c check
	c.name("the session's id", s.ID)
	c.optional("the owner", s.Owner)
	for name, value := range s.Labels {
		c.name("a label's name", name)
		c.text("a label", value)
	}
	for _, g := range s.Grants {
		texts := []string{g.ID, g.Kind, g.Value, g.Definition, g.By, g.Approval}
		for path, digest := range g.Files {
			texts = append(texts, path, digest)
		}
		for _, text := range texts {
			c.text("a grant", text)
		}
		c.time("a grant's creation", g.Created)
		c.time("a grant's expiry", g.Expires)
	}
	c.time("the creation", s.Created)
	c.time("the update", s.Updated)
	c.time("the expiry", s.Expires)
	if c.err != nil {
		return sessionRow{}, c.err
	}
	labels, err := encodeLabels(s.Labels)
	if err != nil {
		return sessionRow{}, err
	}
	grants, err := encodeGrants(s.Grants)
	if err != nil {
		return sessionRow{}, err
	}
	return sessionRow{Session: s, labels: labels, grants: grants}, nil
}

func scanSession(from scanner) (store.Session, error) {
	var (
		s                         store.Session
		widened, ttl              int64
		labels, grants            []byte
		created, updated, expires int64
	)
	err := from.Scan(&s.ID, &s.Owner, &widened, &s.Spec, &labels, &grants, &ttl, &created, &updated, &expires, &s.Revision)
	if err != nil {
		return store.Session{}, err
	}
	s.Widened, s.TTL, s.Spec = widened != 0, time.Duration(ttl), Bytes(s.Spec)
	s.Created, s.Updated, s.Expires = fromMicros(created), fromMicros(updated), fromMicros(expires)
	if s.Labels, err = decodeLabels(labels); err != nil {
		return store.Session{}, err
	}
	if s.Grants, err = decodeGrants(grants); err != nil {
		return store.Session{}, err
	}
	return s, nil
}

// Session reads one session by its name.
func (d *DB) Session(ctx context.Context, id string) (store.Session, error) {
	const what = "read a session"
	ctx, cancel := d.deadline(ctx)
	defer cancel()
	if !isName(id) {
		return store.Session{}, d.fail(ctx, what, store.ErrNotFound)
	}
	var s store.Session
	var err error
	if d.sessionRead != nil {
		s, err = found(scanSession(d.sessionRead.QueryRowContext(ctx, id)))
	} else {
		s, err = found(scanSession(d.read.QueryRowContext(ctx, d.sql(selectSession), id)))
	}
	if err != nil {
		return store.Session{}, d.fail(ctx, what, err)
	}
	return s, nil
}

// lockSession reads a session that stays as it is until the transaction ends;
// nil if there is none.
func (t *tx) lockSession(id string) (*store.Session, error) {
	s, err := row(t, scanSession, selectSession+t.db.dialect.Lock, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &s, err
}

// ChangeSession reads a session, has it changed, and stores what it became.
func (d *DB) ChangeSession(ctx context.Context, id string, change func(*store.Session) (*store.Session, error)) (store.Session, error) {
	var stored store.Session
	err := d.change(ctx, "change a session", func(t *tx) error {
		var c check
		if c.name("the session's id", id); c.err != nil {
			return c.err
		}
		before, err := t.lockSession(id)
		if err != nil {
			return err
		}
		given := clone(before)
		after, err := change(given)
		switch {
		case err != nil:
			return callerError{err}
		case after == nil && before == nil:
			stored = store.Session{}
			return nil
		case after == nil:
			stored = *before
			stored.Revision, err = t.deleteSessions(id)
			return err
		case after.ID != id:
			var c check
			c.refuse("a session cannot change its name")
			return c.err
		}
		stored, err = t.putSession(before, *after)
		return err
	})
	if err != nil {
		return store.Session{}, err
	}
	return stored, nil
}

// clone gives a caller a session of its own to change.
func clone(s *store.Session) *store.Session {
	if s == nil {
		return nil
	}
	c := *s
	c.Spec = append([]byte(nil), s.Spec...)
	c.Grants = append([]store.Grant(nil), s.Grants...)
	for i := range c.Grants {
		c.Grants[i].Files = maps.Clone(c.Grants[i].Files)
	}
	c.Labels = maps.Clone(s.Labels)
	return &c
}

// putSession stores a session in place of the one that was locked, and returns
// it as it will be read.
func (t *tx) putSession(before *store.Session, after store.Session) (store.Session, error) {
	if _, err := encodeSession(after); err != nil {
		return store.Session{}, err
	}
	revision, err := t.take(store.SessionChanged, after.ID)
	if err != nil {
		return store.Session{}, err
	}
	after.Revision = revision
	r, err := encodeSession(after)
	if err != nil {
		return store.Session{}, err
	}
	if before != nil {
		s, err := row(t, scanSession, "UPDATE sessions SET (owner, widened, spec, labels, grants, ttl, created, updated, expires, revision)"+
			" = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ? RETURNING "+sessionColumns, append(r.args()[1:], after.ID)...)
		return s, err
	}
	list, err := rows(t, scanSession, "INSERT INTO sessions ("+sessionColumns+")"+
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING "+sessionColumns, r.args()...)
	if err != nil {
		return store.Session{}, err
	}
	if len(list) == 0 {
		// Made by somebody else since it was looked for.
		return store.Session{}, errAgain
	}
	return list[0], nil
}

// deleteSessions deletes sessions that are locked, ends what is open in them,
// and returns the last revision.
func (t *tx) deleteSessions(ids ...string) (int64, error) {
	var open []string
	for _, piece := range chunks(ids, 500) {
		list, err := rows(t, scanOne[string], "SELECT id FROM approvals WHERE session IN ("+marks("?", len(piece))+") AND "+
			"(state = 'pending' OR (state = 'approved' AND used = 0 AND usable_to > resolved))"+t.db.dialect.Lock, anys(piece)...)
		if err != nil {
			return 0, err
		}
		open = append(open, list...)
	}
	if len(open) > 0 {
		last, err := t.take(store.ApprovalChanged, open...)
		if err != nil {
			return 0, err
		}
		revision := last - int64(len(open))
		for _, piece := range chunks(open, 500) {
			var args []any
			for _, id := range piece {
				revision++
				args = append(args, id, revision)
			}
			if _, err := t.exec("UPDATE approvals SET revision = v.column2,"+
				" state = CASE state WHEN 'pending' THEN 'expired' ELSE state END,"+
				" usable_to = CASE state WHEN 'pending' THEN usable_to ELSE resolved END,"+
				" done = CASE state WHEN 'pending' THEN expires ELSE resolved END FROM (VALUES "+
				marks("(CAST(? AS TEXT), CAST(? AS BIGINT))", len(piece))+
				") AS v WHERE approvals.id = v.column1", args...); err != nil {
				return 0, err
			}
		}
	}
	last, err := t.take(store.SessionChanged, ids...)
	if err != nil {
		return 0, err
	}
	for _, piece := range chunks(ids, 500) {
		if _, err := t.exec("DELETE FROM sessions WHERE id IN ("+marks("?", len(piece))+")", anys(piece)...); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// ListSessions reads a page in the order of names.
func (d *DB) ListSessions(ctx context.Context, q store.SessionQuery) ([]store.Session, string, error) {
	const what = "list sessions"
	var c check
	c.limit(q.Limit)
	if c.err != nil {
		return nil, "", d.fail(ctx, what, c.err)
	}
	for name, value := range q.Labels {
		c.name("a label's name", name)
		c.text("a label", value)
	}
	c.optional("the owner", q.Owner)
	c.text("the name", q.After)
	c.time("the time", q.Alive)
	if c.err != nil {
		return nil, "", nil // nothing is stored that would match
	}
	var w where
	w.equal("owner", q.Owner)
	if q.After != "" {
		w.and("id > ?", q.After)
	}
	if !q.Alive.IsZero() {
		w.and("expires > ?", micros(q.Alive))
	}
	for name, value := range q.Labels {
		w.and(d.dialect.Label, name, value)
	}
	return readPage(ctx, d, what, scanSession, listing{
		table: "sessions", columns: sessionColumns, size: d.dialect.SessionSize, last: "id <= ?", order: "id",
	}, &w, q.Limit, q.Bytes)
}

// OwnedSessions counts what is stored for an owner.
func (d *DB) OwnedSessions(ctx context.Context, owner string) (sessions int, bytes int64, err error) {
	if !isName(owner) {
		return 0, 0, nil
	}
	type sum struct {
		sessions int
		bytes    int64
	}
	total, err := readRow(ctx, d, "count sessions", func(s scanner) (t sum, err error) {
		err = s.Scan(&t.sessions, &t.bytes)
		return t, err
	}, "SELECT COUNT(*), CAST(COALESCE(SUM("+d.dialect.SessionSize+"), 0) AS BIGINT) FROM sessions WHERE owner = ?", owner)
	return total.sessions, total.bytes, err
}

// TouchSessions notes when sessions were used.
func (d *DB) TouchSessions(ctx context.Context, used map[string]time.Time) error {
	ids := make([]string, 0, len(used))
	var c check
	for id, when := range used {
		c.time("the use", when)
		if isName(id) {
			ids = append(ids, id)
		}
	}
	if c.err != nil {
		return d.fail(ctx, "touch sessions", c.err)
	}
	// Two that touch the same sessions meet them in the same order.
	slices.Sort(ids)
	for _, piece := range chunks(ids, 500) {
		err := d.change(ctx, "touch sessions", func(t *tx) error {
			if t.db.dialect.Lock != "" {
				if _, err := rows(t, scanOne[string], "SELECT id FROM sessions WHERE id IN ("+marks("?", len(piece))+") ORDER BY id"+
					t.db.dialect.Lock, anys(piece)...); err != nil {
					return err
				}
			}
			var args []any
			for _, id := range piece {
				args = append(args, id, micros(used[id]))
			}
			// The row's own TTL counts: whoever used the session may have known another.
			_, err := t.exec("UPDATE sessions SET expires = v.column2 + ttl / 1000 FROM (VALUES "+
				marks("(CAST(? AS TEXT), CAST(? AS BIGINT))", len(piece))+
				") AS v WHERE sessions.id = v.column1 AND sessions.expires < v.column2 + ttl / 1000", args...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// DropSessions deletes sessions that expired before a time.
func (d *DB) DropSessions(ctx context.Context, before time.Time, limit int) ([]string, error) {
	var ids []string
	err := d.change(ctx, "drop sessions", func(t *tx) error {
		var c check
		c.limit(limit)
		c.time("the time", before)
		if c.err != nil {
			return c.err
		}
		var err error
		ids, err = rows(t, scanOne[string], "SELECT id FROM sessions WHERE expires < ? ORDER BY expires LIMIT ?"+
			t.db.dialect.LockFree, micros(before), limit)
		if err != nil || len(ids) == 0 {
			return err
		}
		_, err = t.deleteSessions(ids...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}
