package postgres

import (
	"context"
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/crashtest"
)

func TestCrashes(t *testing.T) {
	open := func(ctx context.Context, url string) (store.Store, error) {
		s, err := Open(ctx, url, Options{})
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	crashtest.Run(t, open, func() crashtest.Target {
		c := ownCluster(t)
		return crashtest.Target{Address: c.url(), Server: func() { c.crash(); c.start() }}
	})
}
