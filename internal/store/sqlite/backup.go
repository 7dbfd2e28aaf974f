package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/sqldb"
)

// Backup writes a consistent copy to a file that must not exist yet, with
// store.ErrExists otherwise. Others go on reading and writing. The file appears
// under its name when it is whole and synced.
func (s *Store) Backup(ctx context.Context, file string) error {
	if err := s.backup(ctx, file); err != nil {
		return fmt.Errorf("back up to %s: %w", file, err)
	}
	return nil
}

func (s *Store) backup(ctx context.Context, file string) error {
	if !filepath.IsAbs(file) {
		return errors.New("the path is not absolute")
	}
	// Closed is closed, though the copy has a connection of its own.
	if _, err := s.Revision(ctx); err != nil {
		return err
	}
	part := file + "." + rand.Text() + ".part"
	if err := create(part); err != nil {
		return unavailable(err)
	}
	defer os.Remove(part)
	if err := s.copyTo(ctx, part); err != nil {
		return err
	}
	if err := syncFile(part); err != nil {
		return unavailable(err)
	}
	// A link, unlike a rename, takes nobody's name.
	if err := os.Link(part, file); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return store.ErrExists
		}
		return unavailable(err)
	}
	if err := syncDir(filepath.Dir(file)); err != nil {
		return unavailable(err)
	}
	return nil
}

func (s *Store) copyTo(ctx context.Context, part string) error {
	db, err := sql.Open("sqlite", source(s.path, sqldb.DefaultTimeout, readerPages, "_txlock=deferred"))
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return s.Fail(ctx, "copy", err)
	}
	return nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
