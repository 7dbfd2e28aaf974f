package sqldb

import (
	"context"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
)

const tokenColumns = "id, name, role, hash, created, expires, revoked"

func scanToken(from scanner) (store.Token, error) {
	var t store.Token
	var created, expires, revoked int64
	if err := from.Scan(&t.ID, &t.Name, &t.Role, &t.Hash, &created, &expires, &revoked); err != nil {
		return store.Token{}, err
	}
	t.Hash = Bytes(t.Hash)
	t.Created, t.Expires, t.Revoked = fromMicros(created), fromMicros(expires), fromMicros(revoked)
	return t, nil
}

// AddToken stores a token.
func (d *DB) AddToken(ctx context.Context, token store.Token) error {
	return d.change(ctx, "add a token", func(t *tx) error {
		var c check
		c.name("the token's id", token.ID)
		c.name("the token's name", token.Name)
		c.name("the token's role", token.Role)
		c.time("the creation", token.Created)
		c.time("the expiry", token.Expires)
		c.time("the revocation", token.Revoked)
		if c.err != nil {
			return c.err
		}
		// The counter's lock lets one caller at a time look and store.
		revision, err := t.take(store.TokenChanged, token.ID)
		if err != nil {
			return err
		}
		taken, err := row(t, scanOne[int], "SELECT count(*) FROM tokens WHERE id = ?"+
			" OR (name = ? AND revoked = 0 AND (expires = 0 OR expires > ?))", token.ID, token.Name, micros(token.Created))
		if err != nil {
			return err
		}
		if taken > 0 {
			return store.ErrExists
		}
		_, err = t.exec("INSERT INTO tokens ("+tokenColumns+", made) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			token.ID, token.Name, token.Role, Bytes(token.Hash),
			micros(token.Created), micros(token.Expires), micros(token.Revoked), revision)
		return err
	})
}

// RevokeToken ends a token.
func (d *DB) RevokeToken(ctx context.Context, id string, now time.Time) error {
	return d.change(ctx, "revoke a token", func(t *tx) error {
		var c check
		c.time("the time", now)
		if now.IsZero() {
			c.refuse("a token is revoked at a time")
		}
		if c.err != nil {
			return c.err
		}
		if !isName(id) {
			return store.ErrNotFound
		}
		token, err := row(t, scanToken, "SELECT "+tokenColumns+" FROM tokens WHERE id = ?"+t.db.dialect.Lock, id)
		if err != nil || !token.Revoked.IsZero() {
			return err
		}
		if _, err := t.take(store.TokenChanged, id); err != nil {
			return err
		}
		_, err = t.exec("UPDATE tokens SET revoked = ? WHERE id = ?", micros(now), id)
		return err
	})
}

// ListTokens reads all tokens in the order in which they were made.
func (d *DB) ListTokens(ctx context.Context) ([]store.Token, error) {
	return readRows(ctx, d, "list tokens", scanToken, "SELECT "+tokenColumns+" FROM tokens ORDER BY made")
}
