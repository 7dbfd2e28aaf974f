package events

import (
	"fmt"
	"testing"
)

func received(l *Listener) (list []string) {
	for {
		select {
		case e, ok := <-l.C:
			if !ok {
				return append(list, "closed")
			}
			list = append(list, e.Type)
		default:
			return list
		}
	}
}

func publish(h *Hub, types ...string) {
	for _, t := range types {
		h.Publish(Event{Type: t})
	}
}

func TestListenersGetWhatHappensAfterThem(t *testing.T) {
	h := New(4, 4, 8)
	publish(h, "before")
	l := h.Listen("")
	publish(h, "one", "two")
	if got := fmt.Sprint(received(l)); got != "[one two]" {
		t.Error(got)
	}
	l.Close()
	l.Close()
	publish(h, "three")
	if got := fmt.Sprint(received(l)); got != "[closed]" {
		t.Error(got)
	}
}

func TestResuming(t *testing.T) {
	h := New(3, 4, 8)
	l := h.Listen("")
	publish(h, "1", "2", "3", "4", "5")
	var ids []string
	for range 4 {
		e := <-l.C
		ids = append(ids, h.Name(e))
	}
	for _, row := range []struct {
		last, want string
		missed     bool
	}{
		{ids[3], "[5]", false},
		{ids[1], "[3 4 5]", false},
		{ids[0], "[3 4 5]", true}, // 2 is gone
		{"other-1", "[3 4 5]", true},
		{h.epoch + "-99", "[3 4 5]", true},
		{"nonsense", "[3 4 5]", true},
	} {
		l := h.Listen(row.last)
		if got := fmt.Sprint(received(l)); got != row.want || l.Missed != row.missed {
			t.Errorf("after %s: %s, missed %v", row.last, got, l.Missed)
		}
	}
}

func TestSlowListenersAreCutOffAndNotWaitedFor(t *testing.T) {
	h := New(100, 2, 8)
	slow, quick := h.Listen(""), h.Listen("")
	for i := range 5 {
		publish(h, fmt.Sprint(i))
		<-quick.C
	}
	if got := fmt.Sprint(received(slow)); got != "[0 1 closed]" {
		t.Error(got)
	}
	if got := fmt.Sprint(received(quick)); got != "[]" {
		t.Error(got)
	}
}

func TestBoundOnListeners(t *testing.T) {
	h := New(1, 1, 2)
	a := h.Listen("")
	h.Listen("")
	if h.Listen("") != nil {
		t.Error("a third listener")
	}
	a.Close()
	if h.Listen("") == nil {
		t.Error("no listener after one has left")
	}
	h.Close()
	if h.Listen("") != nil {
		t.Error("a listener after the end")
	}
}
