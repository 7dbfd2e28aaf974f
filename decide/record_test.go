package decide

import (
	"regexp"
	"testing"
	"time"
)

func TestIDsAreUUIDsInTheOrderOfTime(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	at := time.UnixMilli(1_700_000_000_000)
	earlier, later := NewID(at), NewID(at.Add(time.Millisecond))
	for _, id := range []string{earlier, later} {
		if !form.MatchString(id) {
			t.Errorf("%s is no version 7 UUID", id)
		}
	}
	if earlier >= later {
		t.Errorf("%s does not sort before %s", earlier, later)
	}
	if first, second := NewID(at), NewID(at); first == second {
		t.Error("two ids of one moment are equal")
	}
	if r := NewRecord(Decision{Code: CodeLowRisk}); r.Code != CodeLowRisk || r.DecidedAt.IsZero() {
		t.Errorf("got %+v", r)
	}
}
