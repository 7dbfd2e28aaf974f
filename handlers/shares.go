package handlers

import "sync"

// shares counts what each caller holds of something that there is a bounded
// number of, so that none takes all of it.
type shares struct {
	most int // for one caller

	mu   sync.Mutex
	held map[string]int
}

// Of maxHeld requests that wait, and of the listeners of an events.Hub.
const (
	maxHeldByOne      = maxHeld / 4
	maxListenersOfOne = 16
)

func newShares(most int) *shares { return &shares{most: most, held: map[string]int{}} }

// take reports whether the caller may hold one more; then it gives it back.
func (s *shares) take(caller string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[caller] >= s.most {
		return false
	}
	s.held[caller]++
	return true
}

func (s *shares) giveBack(caller string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[caller]--; s.held[caller] <= 0 {
		delete(s.held, caller)
	}
}
