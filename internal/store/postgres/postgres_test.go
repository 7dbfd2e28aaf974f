package postgres

import (
	"context"
	"errors"
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/postgres/pgtest"
	"github.com/agent-pdp/pdp/internal/store/storetest"
)

var ctx = context.Background()

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
	pgtest.Server(t)
	storetest.Run(t, func(t testing.TB) storetest.Database {
		url := pgtest.Place(t)
		return storetest.Database{
			Open: func(testing.TB) (store.Store, error) {
				s, err := Open(ctx, url, Options{})
				if err != nil {
					return nil, err
				}
				return s, nil
			},
			Replicas: true,
			Exec:     func(t testing.TB, statement string) { pgtest.Exec(t, url, statement) },
		}
	})
}

func TestAVisitThatMakesNothing(t *testing.T) {
	pgtest.Server(t)
	url := pgtest.Place(t)
	if _, err := Open(ctx, url, Options{Existing: true}); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("got %v, want ErrNotFound", err)
	}
	mustOpen(t, url, Options{})
	mustOpen(t, url, Options{Existing: true})
}
