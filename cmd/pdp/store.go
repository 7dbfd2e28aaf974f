package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/postgres"
	"github.com/agent-pdp/pdp/internal/store/sqlite"
)

// storeFile is the database in the state directory.
const storeFile = "pdp.db"

// openTime bounds how long a start waits for the database.
const openTime = 20 * time.Second

// noStore is the --store of a service that keeps nothing.
const noStore = "none"

// opening is what a store is opened for.
type opening struct {
	visits bool // for a short time, beside a service that may be running
	makes  bool // if there is none
	// records needs the state directory, where the key is that signs what is recorded.
	records bool
}

var (
	toServe = opening{makes: true}
	// toVisit makes nothing, so that a mistyped directory is not taken for a store
	// in which all is well.
	toVisit = opening{visits: true}
	// toChange is to visit and to record what was changed.
	toChange = opening{visits: true, records: true}
	// toBegin is for what a store may begin with.
	toBegin = opening{visits: true, makes: true}
)

// openStore opens the store that an address names: sqlite:/path, or
// postgres://…; empty is the file in the state directory.
func openStore(ctx context.Context, address, stateDir string, how opening) (store.Store, error) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	scheme, rest, _ := strings.Cut(address, ":")
	if how.records && address != "" && address != noStore {
		if err := findStateDir(stateDir); err != nil {
			return nil, err
		}
	}
	switch {
	case address == noStore:
		return nil, failure{exitUsage, errors.New("with --store none nothing is kept; name the service's store")}
	case address == "" && stateDir == "" && how.visits:
		return nil, errors.New("there is no home directory to look for the state in; name it with --state-dir")
	case address == "" && stateDir == "":
		return nil, errors.New("there is no home directory to keep state in; name one with --state-dir, or use --store none")
	case address == "":
		return openFile(ctx, filepath.Join(stateDir, storeFile), how, "--state-dir ($PDP_STATE_DIR)")
	case scheme == "sqlite":
		return openFile(ctx, strings.TrimPrefix(rest, "//"), how, "--store ($PDP_STORE)")
	case scheme == "postgres", scheme == "postgresql":
		return openServer(ctx, address, how)
	}
	return nil, failure{exitUsage, fmt.Errorf("--store %q: write sqlite:/path/file.db, postgres://host/database, or none", shownStore(address))}
}

// findStateDir refuses a state directory that is missing: a new key in a mistyped
// one would sign what nobody can verify by the service's.
func findStateDir(dir string) error {
	if dir == "" {
		return errors.New("there is no home directory to look for the state in; name it with --state-dir")
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist), err == nil && !info.IsDir():
		return fmt.Errorf("there is no state directory %s; name the service's with --state-dir ($PDP_STATE_DIR), "+
			"or make one: its key signs what is recorded. Nothing was changed", plain(dir))
	case err != nil:
		return err
	}
	return nil
}

// openFile opens a file, which the flag has named.
func openFile(ctx context.Context, path string, how opening, flag string) (store.Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{Shared: how.visits, Existing: !how.makes})
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("there is no store in %s (%s); name the service's with %s: pdp serve makes one at its first start",
			plain(filepath.Dir(path)), plain(filepath.Base(path)), flag)
	}
	var taken *sqlite.InUse
	if errors.As(err, &taken) {
		who := "another process"
		if taken.PID != 0 && taken.PID != os.Getpid() { // or in another container
			who += fmt.Sprintf(" (pid %d)", taken.PID)
		}
		if how.visits {
			return nil, fmt.Errorf("the store %s is in use by %s, and was written by an older version of pdp: use that version, or stop the service first", plain(path), who)
		}
		return nil, fmt.Errorf("the store %s is in use by %s: one pdp serve has a state directory at a time. "+
			"Stop that one, name another directory with --state-dir, or keep nothing with --store none", plain(path), who)
	}
	var file *fs.PathError
	if errors.As(err, &file) && file.Op == "mkdir" {
		return nil, fmt.Errorf("the directory of the store, %s, cannot be made: %s is in the way or out of reach (%w); name another with %s",
			plain(filepath.Dir(path)), plain(file.Path), file.Err, flag)
	}
	if err != nil {
		return nil, err
	}
	return db, nil
}

func openServer(ctx context.Context, address string, how opening) (store.Store, error) {
	db, err := postgres.Open(ctx, address, postgres.Options{Existing: !how.makes})
	if errors.Is(err, store.ErrNotFound) {
		return nil, errors.New("that database has no tables of pdp; name the service's with --store ($PDP_STORE): pdp serve makes them at its first start")
	}
	if errors.Is(err, store.ErrUnavailable) {
		return nil, fmt.Errorf("the database cannot be reached: %s; is the server running, and does --store ($PDP_STORE) name it?", waysTried(err))
	}
	if err != nil {
		return nil, err
	}
	return db, nil
}

// waysTried is what was wrong with each address that the driver tried, which it
// tells in lines below the first, and often more than once.
func waysTried(err error) string {
	var ways []string
	for _, line := range strings.Split(err.Error(), "\n")[1:] {
		if line = dialError.ReplaceAllString(strings.TrimSpace(line), ""); line != "" && !slices.Contains(ways, line) {
			ways = append(ways, line)
		}
	}
	if len(ways) == 0 {
		return err.Error()
	}
	return strings.Join(ways, "; ")
}

var dialError = regexp.MustCompile(`dial error: dial \w+ \S+: (?:\w+: )?`)

// storeFiles are the files of a store that lies outside the state directory.
func storeFiles(address string) []string {
	path, ok := strings.CutPrefix(address, "sqlite:")
	if !ok {
		return nil
	}
	path = strings.TrimPrefix(path, "//")
	return []string{path, path + "-wal", path + "-shm", path + "-journal", path + ".lock"}
}

// shownStore is a store's address without what may hold a password.
func shownStore(address string) string {
	if !strings.ContainsAny(address, "@=") {
		return address
	}
	scheme, _, found := strings.Cut(address, ":")
	if !found || strings.ContainsAny(scheme, "@= ") {
		return "…"
	}
	return scheme + ":…"
}
