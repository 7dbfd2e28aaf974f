package sqlite

import (
	"context"
	"testing"

	"github.com/agent-pdp/pdp/internal/store"
	"github.com/agent-pdp/pdp/internal/store/crashtest"
)

func TestCrashes(t *testing.T) {
	open := func(ctx context.Context, path string) (store.Store, error) {
		s, err := Open(ctx, path, Options{})
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	crashtest.Run(t, open, func() crashtest.Target { return crashtest.Target{Address: place(t)} })
}
