package sessions

import "sync"

// waiters are callers that wait for approvals to change.
type waiters struct {
	mu   sync.Mutex
	list map[string]map[chan struct{}]bool
}

// add returns a channel that is closed when the approval may have changed. The
// caller gives it back with drop.
func (w *waiters) add(id string) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list[id] == nil {
		w.list[id] = map[chan struct{}]bool{}
	}
	c := make(chan struct{})
	w.list[id][c] = true
	return c
}

func (w *waiters) drop(id string, c chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if delete(w.list[id], c); len(w.list[id]) == 0 {
		delete(w.list, id)
	}
}

func (w *waiters) wake(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.list[id] {
		close(c)
	}
	delete(w.list, id)
}

func (w *waiters) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, set := range w.list {
		for c := range set {
			close(c)
		}
		delete(w.list, id)
	}
}
