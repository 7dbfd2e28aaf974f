// Package events hands out what happens in the service to whoever listens, in
// the order in which it happened.
//
// The last events are kept, so that a listener who lost the connection can go
// on where it was. Nobody waits for a listener: one that does not keep up is
// cut off, and told by the end of its stream.
package events

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// Event is one thing that happened. Data is encoded as JSON when somebody
// listens; it must not be changed after it was published.
type Event struct {
	Type    string
	Session string // that it belongs to; empty: to none
	Owner   string // of that session
	Data    any

	seq uint64
}

// Hub is where events come in and go out.
type Hub struct {
	epoch  string // tells this process's events from those of an earlier one
	buffer int    // events that a listener may be behind
	most   int    // listeners

	mu        sync.Mutex
	next      uint64
	ring      []Event // the latest; event n is at n % len
	listeners map[*Listener]bool
}

// Defaults of a hub.
const (
	DefaultKept      = 1024
	DefaultBuffer    = 256
	DefaultListeners = 256
)

// New returns a hub that keeps the given number of events.
func New(kept, buffer, listeners int) *Hub {
	return &Hub{
		epoch:     strconv.FormatInt(time.Now().UnixNano(), 36),
		buffer:    buffer,
		most:      listeners,
		ring:      make([]Event, 0, kept),
		listeners: map[*Listener]bool{},
		next:      1,
	}
}

// Publish hands an event to all listeners. It never waits.
func (h *Hub) Publish(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.seq = h.next
	h.next++
	if len(h.ring) < cap(h.ring) {
		h.ring = append(h.ring, e)
	} else {
		h.ring[h.index(e.seq)] = e
	}
	for l := range h.listeners {
		select {
		case l.events <- e:
		default:
			h.drop(l)
		}
	}
}

func (h *Hub) index(seq uint64) int { return int((seq - 1) % uint64(cap(h.ring))) }

func (h *Hub) drop(l *Listener) {
	if h.listeners[l] {
		delete(h.listeners, l)
		close(l.events)
	}
}

// Listener receives events. C is closed when it did not keep up, or was closed.
type Listener struct {
	C <-chan Event
	// Missed says that events after the one that it wanted to go on from are no
	// longer known.
	Missed bool

	hub    *Hub
	events chan Event
}

// Listen returns a listener for what happens from now on, after the events
// since the one with the id last, if that is not empty. It returns nil when
// there are too many listeners.
func (h *Hub) Listen(last string) *Listener {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.listeners) >= h.most {
		return nil
	}
	l := &Listener{hub: h}
	from := h.next
	if last != "" {
		from, l.Missed = h.after(last)
	}
	backlog := int(h.next - from)
	l.events = make(chan Event, backlog+h.buffer)
	for seq := from; seq < h.next; seq++ {
		l.events <- h.ring[h.index(seq)]
	}
	l.C = l.events
	h.listeners[l] = true
	return l
}

// after returns the first event after an id that is still known.
func (h *Hub) after(id string) (from uint64, missed bool) {
	oldest := h.next - uint64(len(h.ring))
	epoch, number, _ := strings.Cut(id, "-")
	seq, err := strconv.ParseUint(number, 10, 64)
	switch {
	case epoch != h.epoch || err != nil || seq >= h.next:
		return oldest, true
	case seq+1 < oldest:
		return oldest, true
	}
	return seq + 1, false
}

// Name is the id of an event.
func (h *Hub) Name(e Event) string { return h.epoch + "-" + strconv.FormatUint(e.seq, 10) }

// IsName reports whether a text has the form of an event's id, of this hub or of
// another one: that of a service that was started anew is in order, and is told as
// missed.
func IsName(id string) bool {
	epoch, number, ok := strings.Cut(id, "-")
	if !ok || epoch == "" || len(epoch) > 16 || strings.Trim(epoch, "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	seq, err := strconv.ParseUint(number, 10, 64)
	return err == nil && strconv.FormatUint(seq, 10) == number
}

// Close ends the listener.
func (l *Listener) Close() {
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	l.hub.drop(l)
}

// Close ends all listeners; their streams end in good order.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		h.drop(l)
	}
	h.most = 0
}
