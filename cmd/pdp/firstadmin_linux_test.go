package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
)

// A start that fails leaves no token: the person who saw it scroll by would have
// an administrator that nobody knows of.
func TestAFailedStartLeavesNoToken(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	dir := t.TempDir()
	noKeys := filepath.Join(dir, "pdp.yaml")
	const server = "auth:\n  jwt:\n    issuer: https://issuer.example\n    audience: pdp\n    jwks_file: /nosuch/keys.json\n    role_claim: role\n    roles: {agents: runtime}\n"
	if err := os.WriteFile(noKeys, []byte(server), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		why  string
		args []string
	}{
		{"the port is taken", []string{"--listen", busy.Addr().String()}},
		{"the socket cannot be made", []string{"--listen", "unix:" + filepath.Join(dir, "no", "socket")}},
		{"the issuer's keys are not there", []string{"--listen", "127.0.0.1:0", "--config", noKeys}},
	} {
		t.Run(row.why, func(t *testing.T) {
			// The first of the pair is a terminal to whoever writes into it.
			terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
			if err != nil {
				t.Skipf("no pseudo-terminal: %v", err)
			}
			defer terminal.Close()
			if !isTerminal(terminal) {
				t.Skip("a pseudo-terminal does not look like one here")
			}
			state := filepath.Join(t.TempDir(), "state")
			args := append([]string{"serve", "--state-dir", state}, row.args...)
			code := run(t.Context(), args, strings.NewReader(""), terminal, terminal, func(string) string { return "" })
			if code == exitOK {
				t.Fatal("it started")
			}
			db, err := openStore(t.Context(), "", state, toVisit)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if list := tokensOf(t.Context(), db); list != "" {
				t.Errorf("there are tokens: %s", list)
			}
		})
	}
}

func tokensOf(ctx context.Context, db store.Tokens) string {
	list, err := db.ListTokens(ctx)
	if err != nil {
		return err.Error()
	}
	var names []string
	for _, token := range list {
		names = append(names, fmt.Sprint(token.Name, " ", token.Role))
	}
	return strings.Join(names, ", ")
}
