package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/agent-pdp/pdp/internal/store"
)

// Migrate brings the tables to the version that this program knows, one
// transaction for each step. ErrNewerSchema if they are beyond it.
func (d *DB) Migrate(ctx context.Context) error {
	const what = "migrate the store"
	for {
		behind, err := d.Behind(ctx)
		if err != nil {
			return err
		}
		if !behind {
			break
		}
		if err := d.step(ctx); err != nil {
			return d.fail(ctx, what, err)
		}
	}
	if !d.dialect.Prepared {
		return nil
	}
	stmt, err := d.read.PrepareContext(ctx, d.sql(selectSession))
	if err != nil {
		return d.fail(ctx, what, err)
	}
	d.sessionRead = stmt
	return nil
}

// Behind reports whether the tables are older than this program. ErrNewerSchema
// if they are newer.
func (d *DB) Behind(ctx context.Context) (bool, error) {
	const what = "read the version of the store"
	steps, err := d.steps()
	if err != nil {
		return false, err
	}
	version, err := readVersion(ctx, d.write, d.dialect.HasVersion)
	if err != nil {
		return false, d.fail(ctx, what, err)
	}
	if version > len(steps) {
		return false, fmt.Errorf("%w: it has version %d, this program knows %d", store.ErrNewerSchema, version, len(steps))
	}
	return version < len(steps), nil
}

// Made reports whether there are tables of the store, of whichever version.
func (d *DB) Made(ctx context.Context) (bool, error) {
	version, err := readVersion(ctx, d.write, d.dialect.HasVersion)
	if err != nil {
		return false, d.fail(ctx, "read the version of the store", err)
	}
	return version > 0, nil
}

// step takes the next step, unless somebody else has just taken it.
func (d *DB) step(ctx context.Context) error {
	steps, err := d.steps()
	if err != nil {
		return err
	}
	tx, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if d.dialect.MigrationLock != "" {
		if _, err := tx.ExecContext(ctx, d.dialect.MigrationLock); err != nil {
			return err
		}
	}
	version, err := readVersion(ctx, tx, d.dialect.HasVersion)
	if err != nil || version >= len(steps) {
		return err
	}
	text, err := fs.ReadFile(d.dialect.Migrations, steps[version])
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, string(text)); err != nil {
		return fmt.Errorf("%s: %w", steps[version], err)
	}
	if _, err := tx.ExecContext(ctx, d.sql("UPDATE schema_version SET version = ?"), version+1); err != nil {
		return err
	}
	return tx.Commit()
}

// steps lists the files of migrations in order.
func (d *DB) steps() ([]string, error) {
	names, err := fs.Glob(d.dialect.Migrations, "*.sql")
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		var n int
		if _, err := fmt.Sscanf(name, "%04d_", &n); err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %d is named %s", i+1, name)
		}
	}
	return names, nil
}

// queryer is a pool or a transaction.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// readVersion returns 0 for a database without tables. The first migration makes
// the table with its one row.
func readVersion(ctx context.Context, q queryer, hasVersion string) (int, error) {
	tables, err := scanOne[int](q.QueryRowContext(ctx, hasVersion))
	if err != nil || tables == 0 {
		return 0, err
	}
	version, err := scanOne[int](q.QueryRowContext(ctx, "SELECT version FROM schema_version"))
	if errors.Is(err, sql.ErrNoRows) {
		return 0, errors.New("the table schema_version is empty")
	}
	return version, err
}
