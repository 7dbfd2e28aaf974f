package repeat

import (
	"context"
	"testing"
	"time"
)

func TestEvery(t *testing.T) {
	ctx, end := context.WithCancel(context.Background())
	turns := 0
	Every(ctx, time.Microsecond, func(context.Context) {
		if turns++; turns == 3 {
			end()
		}
	})
	if turns < 3 {
		t.Errorf("it ended after %d turns", turns)
	}
	Every(ctx, time.Hour, func(context.Context) { t.Error("a turn after the end") })
}
