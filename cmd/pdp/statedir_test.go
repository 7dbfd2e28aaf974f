package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A mistyped state directory is not made, and nothing is changed that would be
// recorded with a key of its own.
func TestAMistypedStateDirectory(t *testing.T) {
	dir := t.TempDir()
	state, address := filepath.Join(dir, "state"), "sqlite:"+filepath.Join(dir, "kept", "pdp.db")
	at := func(state string, args ...string) (int, string, string) {
		return pdp(t, nil, "", append(args, "--state-dir", state, "--store", address)...)
	}
	if code, _, text := at(state, "token", "create", "--role", "viewer", "--name", "ann"); code != exitOK {
		t.Fatal(text)
	}
	_, list, _ := at(state, "token", "list", "--output", "table")
	id := strings.Fields(strings.Split(list, "\n")[1])[0]
	typo := filepath.Join(dir, "sate")
	for _, args := range [][]string{
		{"token", "revoke", id},
		{"audit", "erase", "--session", "s1"},
	} {
		code, _, text := at(typo, args...)
		if code != exitFailure || !strings.Contains(text, "there is no state directory "+typo) {
			t.Errorf("%v: got %d, %s", args, code, text)
		}
		if _, err := os.Stat(typo); err == nil {
			t.Fatalf("%v has made the directory", args)
		}
	}
	if _, list, _ = at(state, "token", "list", "--output", "table"); !strings.Contains(list, "valid") {
		t.Error("the token was revoked")
	}
	// Who only reads needs no key.
	if code, _, text := at(typo, "token", "list"); code != exitOK {
		t.Error(text)
	}
	if code, _, text := at(state, "token", "revoke", id); code != exitOK {
		t.Error(text)
	}
}
