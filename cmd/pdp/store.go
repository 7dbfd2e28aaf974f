package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
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

// openStore opens the store that an address names: sqlite:/path, or
// postgres://…; empty is the file in the state directory. shared is for a
// short visit beside a running service.
func openStore(ctx context.Context, address, stateDir string, shared bool) (store.Store, error) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	scheme, rest, _ := strings.Cut(address, ":")
	switch {
	case address == "" && stateDir == "":
		return nil, errors.New("there is no home directory to keep state in; name one with --state-dir, or use --store none")
	case address == "":
		return openFile(ctx, filepath.Join(stateDir, storeFile), shared)
	case scheme == "sqlite":
		return openFile(ctx, strings.TrimPrefix(rest, "//"), shared)
	case scheme == "postgres", scheme == "postgresql":
		return openServer(ctx, address)
	}
	return nil, failure{exitUsage, fmt.Errorf("--store %q: write sqlite:/path/file.db, postgres://host/database, or none", shownStore(address))}
}

// visitStore opens the store beside a service that may be running.
func visitStore(ctx context.Context, address, stateDir string) (store.Store, error) {
	return openStore(ctx, address, stateDir, true)
}

func openFile(ctx context.Context, path string, shared bool) (store.Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{Shared: shared})
	if err != nil {
		return nil, err
	}
	return db, nil
}

func openServer(ctx context.Context, address string) (store.Store, error) {
	db, err := postgres.Open(ctx, address, postgres.Options{})
	if err != nil {
		return nil, err
	}
	return db, nil
}

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
