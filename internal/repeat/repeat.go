// Package repeat does things from time to time.
package repeat

import (
	"context"
	"time"
)

// Every calls do after each pause until ctx ends, in turns that do not overlap:
// what takes longer than the pause makes the next turn late, or left out.
func Every(ctx context.Context, pause time.Duration, do func(context.Context)) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do(ctx)
		}
	}
}
