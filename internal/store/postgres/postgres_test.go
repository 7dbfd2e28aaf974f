package postgres

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/storetest"
)

var ctx = context.Background()

// nearby are servers that a developer may have running.
var nearby = []string{
	"postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable",
	"postgres:///postgres?host=/var/run/postgresql&sslmode=disable",
}

// server finds a server for tests, or skips the test and says why.
func server(t testing.TB) string {
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

// place is a URL of an empty schema that is dropped after the test.
func place(t testing.TB) string {
	t.Helper()
	base := server(t)
	schema := "pdp_test_" + strings.ToLower(rand.Text())
	execAt(t, base, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { execAt(t, base, "DROP SCHEMA "+schema+" CASCADE") })
	return with(t, base, "search_path", schema)
}

// with adds a parameter to a URL.
func with(t testing.TB, base, name, value string) string {
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

// execAt runs a statement past the store.
func execAt(t testing.TB, url, statement string) {
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

func mustOpen(t testing.TB, url string, o Options) *Store {
	t.Helper()
	s, err := Open(ctx, url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore(t *testing.T) {
	server(t)
	storetest.Run(t, func(t testing.TB) storetest.Database {
		url := place(t)
		return storetest.Database{
			Open: func(testing.TB) (store.Store, error) {
				s, err := Open(ctx, url, Options{})
				if err != nil {
					return nil, err
				}
				return s, nil
			},
			Replicas: true,
			Exec:     func(t testing.TB, statement string) { execAt(t, url, statement) },
		}
	})
}
