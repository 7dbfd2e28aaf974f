//go:build !linux

package decide

import "time"

func processorTime(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
