// Package pgtest finds a PostgreSQL server for tests.
package pgtest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

var ctx = context.Background()

// nearby are servers that a developer may have running.
var nearby = []string{
	"postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable",
	"postgres:///postgres?host=/var/run/postgresql&sslmode=disable",
}

// Server is the URL of a server, or skips the test and says why.
func Server(t testing.TB) string {
	t.Helper()
	if named := os.Getenv("PDP_TEST_POSTGRES_URL"); named != "" {
		return named
	}
	for _, url := range nearby {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		conn, err := pgx.Connect(ctx, url)
		cancel()
		if err == nil {
			conn.Close(context.Background())
			return url
		}
	}
	t.Skip("no PostgreSQL: PDP_TEST_POSTGRES_URL is not set and none answers on 127.0.0.1:5432; make postgres-test starts one")
	return ""
}

// Place is the URL of an empty schema that is dropped after the test.
func Place(t testing.TB) string {
	t.Helper()
	base := Server(t)
	schema := "pdp_test_" + strings.ToLower(rand.Text())
	Exec(t, base, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { Exec(t, base, "DROP SCHEMA "+schema+" CASCADE") })
	return With(t, base, "search_path", schema)
}

// With adds a parameter to a URL.
func With(t testing.TB, base, name, value string) string {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// Exec runs a statement.
func Exec(t testing.TB, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatal(err)
	}
}
